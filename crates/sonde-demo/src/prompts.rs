//! The prompts: which there are, and which one a request means.

mod gallery;
mod illustrate;
mod review;
mod translate;

use rmcp::{
    ErrorData,
    model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptMessage, Role},
};

use crate::{lists::Lists, suite};

pub(crate) fn all(lists: &Lists) -> Vec<Prompt> {
    let mut all = vec![review::describe(), translate::describe(), illustrate::describe(), gallery::describe()];
    all.extend(suite::prompts());
    if lists.are_grown() {
        all.push(Prompt::new(BONUS, Some("Is listed only while the lists are grown"), None).with_title("Bonus"));
    }
    all
}

const BONUS: &str = "bonus";

pub(crate) fn get(request: GetPromptRequestParams, lists: &Lists) -> Result<GetPromptResult, ErrorData> {
    let result = match request.name.as_str() {
        "review" => review::get(request.arguments),
        "translate" => translate::get(request.arguments),
        "illustrate" => illustrate::get(request.arguments),
        BONUS if lists.are_grown() => {
            Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, "Well found.")]))
        }
        "gallery" => gallery::get(request.arguments),
        other => match suite::prompt(other, request.arguments) {
            Some(result) => result,
            None => Err(format!("there is no prompt `{other}`")),
        },
    };
    result.map_err(|refusal| ErrorData::invalid_params(refusal, None))
}

/// What may stand for `argument`, given what was chosen for the others.
pub(crate) fn candidates<'a>(
    prompt: &str,
    argument: &str,
    chosen: impl Fn(&str) -> Option<&'a str>,
) -> Option<Vec<String>> {
    let candidates = match (prompt, argument) {
        ("review", "focus") => review::FOCUSES,
        ("translate", "language") => translate::LANGUAGES,
        ("translate", "style") => translate::styles(chosen("language").unwrap_or_default()),
        ("gallery", "kind") => gallery::KINDS,
        ("review", "code") | ("translate", "text") => &[],
        _ => suite::candidates(prompt, argument)?,
    };
    Some(candidates.iter().map(|candidate| (*candidate).to_owned()).collect())
}
