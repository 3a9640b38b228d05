//! `review`: a required and an optional argument.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use crate::arguments::{Arguments, Refusal};

/// Offered when `focus` is completed; any other text is as good.
pub(super) const FOCUSES: &[&str] = &["error handling", "naming", "performance", "security", "tests"];

pub(super) fn describe() -> Prompt {
    let code =
        PromptArgument::new("code").with_title("Code").with_description("The code to review").with_required(true);
    let focus = PromptArgument::new("focus")
        .with_title("Focus")
        .with_description("What to look at first, for example `error handling`")
        .with_required(false);
    Prompt::new("review", Some("Asks for a review of a piece of code"), Some(vec![code, focus]))
        .with_title("Review code")
}

pub(super) fn get(arguments: Option<JsonObject>) -> Result<GetPromptResult, Refusal> {
    let arguments = Arguments::new(arguments, &["code", "focus"])?;
    let code = arguments.text("code")?;
    // A form sends an empty field as an empty string, which means the same as no field.
    let focus = match arguments.optional_text("focus")?.unwrap_or_default() {
        "" => String::new(),
        focus => format!(" Look at {focus} first."),
    };
    let text = format!("Review this code and name the most serious problem.{focus}\n\n```\n{code}\n```");
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description("A review of a piece of code"))
}
