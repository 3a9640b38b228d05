//! `illustrate`: messages of both roles, with more than text in them.

use rmcp::model::{ContentBlock, GetPromptResult, JsonObject, Prompt, PromptMessage, ResourceContents, Role};

use crate::{
    arguments::{Arguments, Refusal},
    resources::{PIXEL, README, README_URI},
};

pub(super) fn describe() -> Prompt {
    Prompt::new("illustrate", Some("Has an image and a whole resource among its messages"), None)
        .with_title("Illustrate")
}

pub(super) fn get(arguments: Option<JsonObject>) -> Result<GetPromptResult, Refusal> {
    Arguments::new(arguments, &[])?;
    let readme = ResourceContents::text(README, README_URI).with_mime_type("text/markdown");
    Ok(GetPromptResult::new(vec![
        PromptMessage::new_text(Role::User, "What colour is this, and what is the text about?"),
        PromptMessage::new(Role::User, ContentBlock::image(PIXEL.trim_end(), "image/png")),
        PromptMessage::new(Role::User, ContentBlock::resource(readme)),
        PromptMessage::new_text(Role::Assistant, "The colour is orange. The text"),
    ])
    .with_description("A question about an image and a text, with the beginning of its answer"))
}
