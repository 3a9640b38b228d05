//! `translate`: arguments that complete, one of them depending on another.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use crate::arguments::{Arguments, Refusal};

pub(super) const LANGUAGES: &[&str] = &["English", "French", "German", "Italian", "Japanese", "Spanish"];

pub(super) fn describe() -> Prompt {
    let text = PromptArgument::new("text").with_title("Text").with_description("What to translate").with_required(true);
    let language = PromptArgument::new("language")
        .with_title("Language")
        .with_description("The language to translate into; it can be completed")
        .with_required(true);
    let style = PromptArgument::new("style")
        .with_title("Style")
        .with_description("How to address the reader; what it completes to depends on the language")
        .with_required(false);
    Prompt::new("translate", Some("Asks for a translation"), Some(vec![text, language, style])).with_title("Translate")
}

/// The ways of address that a language knows.
pub(super) fn styles(language: &str) -> &'static [&'static str] {
    match language {
        "English" => &["American", "British"],
        "French" => &["tu", "vous"],
        "German" => &["du", "Sie"],
        "Italian" => &["tu", "Lei"],
        "Japanese" => &["casual", "polite", "honorific"],
        "Spanish" => &["tú", "usted"],
        _ => &[],
    }
}

pub(super) fn get(arguments: Option<JsonObject>) -> Result<GetPromptResult, Refusal> {
    let arguments = Arguments::new(arguments, &["text", "language", "style"])?;
    let (text, language) = (arguments.text("text")?, arguments.text("language")?);
    let style = match arguments.optional_text("style")?.unwrap_or_default() {
        "" => String::new(),
        style => format!(" in the style `{style}`"),
    };
    let message = PromptMessage::new_text(Role::User, format!("Translate into {language}{style}:\n\n{text}"));
    Ok(GetPromptResult::new(vec![message]).with_description("A translation"))
}
