//! `show`: a result with every kind of content, and with one that is not invented yet.

use rmcp::model::{
    Annotations, CallToolResult, ContentBlock, JsonObject, MetaObject, Resource, ResourceContents, Role, TextContent,
    Tool, ToolAnnotations,
};
use serde_json::{Value, json};

use super::{Outcome, object_schema};
use crate::{
    arguments::Arguments,
    icons,
    resources::{BYTES, BYTES_URI, PIXEL, README, README_URI, TONE},
};

const KINDS: &[&str] = &["text", "image", "audio", "resource_link", "resource", "blob"];

/// The kind that no revision knows; the protocol library does not either, so it is shown by [`future`].
const FUTURE: &str = "future";

pub(super) fn describe() -> Tool {
    let kinds: Vec<&str> = std::iter::once("all").chain(KINDS.iter().copied()).chain([FUTURE]).collect();
    let properties = json!({
        "kind": {
            "type": "string",
            "description": "Which kind of content to show; `future` is one that nobody knows yet",
            "enum": kinds,
            "default": "all",
        },
    });
    Tool::new(
        "show",
        "Answers with text, an image, a sound, a link, and whole resources of text and bytes",
        object_schema(properties, &[]),
    )
    .with_title("Show every kind of content")
    .with_icons(icons::picture())
    .with_meta(MetaObject(JsonObject::from_iter([("com.example/room".to_owned(), json!("content"))])))
    .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false))
}

pub(super) fn call(arguments: Option<JsonObject>) -> Outcome {
    let arguments = Arguments::new(arguments, &["kind"])?;
    let content: Vec<ContentBlock> = match arguments.optional_text("kind")?.unwrap_or("all") {
        "all" => KINDS.iter().filter_map(|kind| content(kind)).collect(),
        kind => vec![content(kind).ok_or_else(|| format!("argument `kind` must be `all` or one of {KINDS:?}"))?],
    };
    Ok(CallToolResult::success(content))
}

/// A result with content that a client can only pass on as it is.
pub(crate) fn future() -> Value {
    let hologram = json!({
        "type": "hologram",
        "data": "U29uZGU=",
        "mimeType": "model/vnd.sonde.hologram",
        "layers": [{ "depth": 1, "opacity": 0.5 }, { "depth": 2, "opacity": 1 }],
        "annotations": { "audience": ["user"], "priority": 0.5 },
    });
    let text = json!({ "type": "text", "text": "Beside this there is content of a type that is not invented yet" });
    json!({ "content": [text, hologram], "isError": false })
}

fn content(kind: &str) -> Option<ContentBlock> {
    let content = match kind {
        "text" => {
            let annotations = Annotations::default().with_audience(vec![Role::User]).with_priority(1.0);
            ContentBlock::Text(
                TextContent::new("Text for a person, as its annotations say").with_annotations(annotations),
            )
        }
        "image" => ContentBlock::image(PIXEL.trim_end(), "image/png"),
        "audio" => ContentBlock::audio(TONE.trim_end(), "audio/wav"),
        "resource_link" => ContentBlock::resource_link(
            Resource::new("demo://chapter/7", "chapter-7")
                .with_title("Chapter 7")
                .with_description("A link is read where it leads")
                .with_mime_type("text/plain"),
        ),
        "resource" => {
            ContentBlock::resource(ResourceContents::text(README, README_URI).with_mime_type("text/markdown"))
        }
        "blob" => {
            ContentBlock::resource(ResourceContents::blob(BYTES, BYTES_URI).with_mime_type("application/octet-stream"))
        }
        _ => return None,
    };
    Some(content)
}
