//! The one prompt, with a required and an optional argument.

use rmcp::{
    ErrorData,
    model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role},
};

use crate::arguments::Arguments;

const REVIEW: &str = "review";

pub(crate) fn review() -> Prompt {
    let code =
        PromptArgument::new("code").with_title("Code").with_description("The code to review").with_required(true);
    let focus = PromptArgument::new("focus")
        .with_title("Focus")
        .with_description("What to look at first, for example `error handling`")
        .with_required(false);
    Prompt::new(REVIEW, Some("Asks for a review of a piece of code"), Some(vec![code, focus])).with_title("Review code")
}

pub(crate) fn get(request: GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    if request.name != REVIEW {
        let message = format!("there is no prompt `{}`", request.name);
        return Err(ErrorData::invalid_params(message, None));
    }
    let text = review_text(request).map_err(|refusal| ErrorData::invalid_params(refusal, None))?;
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description("A review of a piece of code"))
}

fn review_text(request: GetPromptRequestParams) -> Result<String, String> {
    let arguments = Arguments::new(request.arguments, &["code", "focus"])?;
    let code = arguments.text("code")?;
    // A form sends an empty field as an empty string, which means the same as no field.
    let focus = match arguments.optional_text("focus")?.unwrap_or_default() {
        "" => String::new(),
        focus => format!(" Look at {focus} first."),
    };
    Ok(format!("Review this code and name the most serious problem.{focus}\n\n```\n{code}\n```"))
}
