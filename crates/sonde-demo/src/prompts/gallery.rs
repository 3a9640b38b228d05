//! `gallery`: messages of both roles, with every kind of content, or with the one that is asked for.

use rmcp::model::{
    Annotations, ContentBlock, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Resource,
    ResourceContents, Role, TextContent,
};

use crate::{
    arguments::{Arguments, Refusal},
    icons,
    resources::{BYTES, BYTES_URI, PIXEL, README, README_URI, TONE},
};

pub(super) const KINDS: &[&str] = &["text", "image", "audio", "resource_link", "resource", "blob"];

pub(super) fn describe() -> Prompt {
    let kind = PromptArgument::new("kind")
        .with_title("Kind")
        .with_description("Which kind of content to show; all of them where it is left out")
        .with_required(false);
    Prompt::new("gallery", Some("Has every kind of content among its messages, from both roles"), Some(vec![kind]))
        .with_title("Gallery")
        .with_icons(icons::picture())
}

pub(super) fn get(arguments: Option<JsonObject>) -> Result<GetPromptResult, Refusal> {
    let arguments = Arguments::new(arguments, &["kind"])?;
    let messages: Vec<PromptMessage> = match arguments.optional_text("kind")?.unwrap_or_default() {
        "" => KINDS.iter().filter_map(|kind| message(kind)).collect(),
        kind => vec![message(kind).ok_or_else(|| format!("argument `kind` must be one of {KINDS:?}"))?],
    };
    Ok(GetPromptResult::new(messages).with_description("Every kind of content that a message can hold"))
}

fn message(kind: &str) -> Option<PromptMessage> {
    let (role, content) = match kind {
        "text" => {
            let annotations = Annotations::default().with_audience(vec![Role::Assistant]).with_priority(0.3);
            let text = TextContent::new("What do you make of all this?").with_annotations(annotations);
            (Role::User, ContentBlock::Text(text))
        }
        "image" => (Role::User, ContentBlock::image(PIXEL.trim_end(), "image/png")),
        "audio" => (Role::User, ContentBlock::audio(TONE.trim_end(), "audio/wav")),
        "resource_link" => {
            let chapter = Resource::new("demo://chapter/7", "chapter-7").with_title("Chapter 7");
            (Role::Assistant, ContentBlock::resource_link(chapter.with_mime_type("text/plain")))
        }
        "resource" => {
            let readme = ResourceContents::text(README, README_URI).with_mime_type("text/markdown");
            (Role::Assistant, ContentBlock::resource(readme))
        }
        "blob" => {
            let bytes = ResourceContents::blob(BYTES, BYTES_URI).with_mime_type("application/octet-stream");
            (Role::User, ContentBlock::resource(bytes))
        }
        _ => return None,
    };
    Some(PromptMessage::new(role, content))
}
