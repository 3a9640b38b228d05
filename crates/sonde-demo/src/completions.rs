//! Completion of the arguments of prompts and of the variables of resource templates.

use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference},
};

use crate::{prompts, resources};

pub(crate) fn complete(request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let argument = &request.argument;
    let chosen = |name: &str| request.context.as_ref()?.get_argument(name).map(String::as_str);
    let candidates = match &request.r#ref {
        Reference::Prompt(prompt) => prompts::candidates(&prompt.name, &argument.name, chosen),
        Reference::Resource(template) => resources::candidates(&template.uri, &argument.name, chosen),
        _ => None,
    };
    let candidates = candidates.ok_or_else(|| {
        let message = format!("there is nothing known about the argument `{}` of that", argument.name);
        ErrorData::invalid_params(message, None)
    })?;
    let typed = argument.value.to_lowercase();
    let mut values: Vec<String> =
        candidates.into_iter().filter(|candidate| candidate.to_lowercase().starts_with(&typed)).collect();
    let total = u32::try_from(values.len()).ok();
    let has_more = values.len() > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    let completion = CompletionInfo::with_pagination(values, total, has_more)
        .map_err(|problem| ErrorData::internal_error(problem, None))?;
    Ok(CompleteResult::new(completion))
}
