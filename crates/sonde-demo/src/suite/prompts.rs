//! The prompts of the suite.

use rmcp::model::{
    ContentBlock, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, ResourceContents, Role,
};

use crate::{
    arguments::{Arguments, Refusal},
    resources::PIXEL,
};

const SIMPLE: &str = "test_simple_prompt";
const WITH_ARGUMENTS: &str = "test_prompt_with_arguments";
const WITH_RESOURCE: &str = "test_prompt_with_embedded_resource";
const WITH_IMAGE: &str = "test_prompt_with_image";

/// Offered for each argument of [`WITH_ARGUMENTS`].
const WORDS: &[&str] = &["paris", "park", "party", "test", "testing"];

pub(crate) fn all() -> Vec<Prompt> {
    let argument =
        |name: &str, description: &str| PromptArgument::new(name).with_description(description).with_required(true);
    let two = vec![argument("arg1", "First test argument"), argument("arg2", "Second test argument")];
    let uri = vec![argument("resourceUri", "URI of the resource to embed")];
    vec![
        Prompt::new(SIMPLE, Some("Conformance: a message without arguments"), None),
        Prompt::new(WITH_ARGUMENTS, Some("Conformance: a message with both arguments in it"), Some(two)),
        Prompt::new(WITH_RESOURCE, Some("Conformance: a message that holds a resource"), Some(uri)),
        Prompt::new(WITH_IMAGE, Some("Conformance: a message that holds an image"), None),
    ]
}

/// `None` for a name that is not the suite's.
pub(crate) fn get(name: &str, arguments: Option<JsonObject>) -> Option<Result<GetPromptResult, Refusal>> {
    let messages = match name {
        SIMPLE => Arguments::new(arguments, &[]).map(|_| vec![said("This is a simple prompt for testing.")]),
        WITH_ARGUMENTS => with_arguments(arguments),
        WITH_RESOURCE => with_resource(arguments),
        WITH_IMAGE => Arguments::new(arguments, &[]).map(|_| {
            let image = ContentBlock::image(PIXEL.trim_end(), "image/png");
            vec![PromptMessage::new(Role::User, image), said("Please analyze the image above.")]
        }),
        _ => return None,
    };
    Some(messages.map(GetPromptResult::new))
}

pub(crate) fn candidates(prompt: &str, argument: &str) -> Option<&'static [&'static str]> {
    match (prompt, argument) {
        (WITH_ARGUMENTS, "arg1" | "arg2") => Some(WORDS),
        (WITH_RESOURCE, "resourceUri") => Some(&["test://static-text", "test://static-binary"]),
        _ => None,
    }
}

fn with_arguments(arguments: Option<JsonObject>) -> Result<Vec<PromptMessage>, Refusal> {
    let arguments = Arguments::new(arguments, &["arg1", "arg2"])?;
    let (first, second) = (arguments.text("arg1")?, arguments.text("arg2")?);
    Ok(vec![said(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))])
}

fn with_resource(arguments: Option<JsonObject>) -> Result<Vec<PromptMessage>, Refusal> {
    let arguments = Arguments::new(arguments, &["resourceUri"])?;
    let resource = ResourceContents::text("Embedded resource content for testing.", arguments.text("resourceUri")?);
    let resource = PromptMessage::new(Role::User, ContentBlock::resource(resource));
    Ok(vec![resource, said("Please process the embedded resource above.")])
}

fn said(text: &str) -> PromptMessage {
    PromptMessage::new_text(Role::User, text)
}
