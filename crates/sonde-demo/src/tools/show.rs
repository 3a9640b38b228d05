//! `show`: a result with every kind of content.

use rmcp::model::{
    Annotations, CallToolResult, ContentBlock, JsonObject, Resource, ResourceContents, Role, TextContent, Tool,
    ToolAnnotations,
};
use serde_json::json;

use super::{Outcome, object_schema};
use crate::{
    arguments::Arguments,
    resources::{PIXEL, README, README_URI, TONE},
};

const KINDS: &[&str] = &["text", "image", "audio", "resource_link", "resource"];

pub(super) fn describe() -> Tool {
    let kinds: Vec<&str> = std::iter::once("all").chain(KINDS.iter().copied()).collect();
    let properties = json!({
        "kind": {
            "type": "string",
            "description": "Which kind of content to show",
            "enum": kinds,
            "default": "all",
        },
    });
    Tool::new(
        "show",
        "Answers with text, an image, a sound, a link and a whole resource",
        object_schema(properties, &[]),
    )
    .with_title("Show every kind of content")
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
            Resource::new("demo://chapter/7", "chapter-7").with_title("Chapter 7").with_mime_type("text/plain"),
        ),
        "resource" => {
            ContentBlock::resource(ResourceContents::text(README, README_URI).with_mime_type("text/markdown"))
        }
        _ => return None,
    };
    Some(content)
}
