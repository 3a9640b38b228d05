//! The tools: which there are, and which one a call means.
//!
//! Each tool is a file with `describe` and `call`. The schemas are written by hand because an
//! inspector builds forms from them: flat, with descriptions, defaults and ranges.

mod add;
mod echo;
mod fail;
mod flood;
mod noise;
mod slow;

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResult, ContentBlock, JsonObject, Tool},
    service::RequestContext,
};
use serde_json::{Value, json};

use crate::{arguments::Refusal, server::DemoServer};

pub(crate) fn all() -> Vec<Tool> {
    vec![echo::describe(), add::describe(), slow::describe(), fail::describe(), noise::describe(), flood::describe()]
}

/// Runs the tool the request names. An unknown tool is a protocol error; arguments that cannot be
/// used are a result with `isError`, so that the caller reads why.
pub(crate) async fn call(
    server: &DemoServer,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let arguments = request.arguments;
    let result = match request.name.as_ref() {
        "echo" => echo::call(arguments),
        "add" => add::call(arguments),
        "slow" => slow::call(arguments, context).await,
        "fail" => fail::call(arguments),
        "noise" => noise::call(arguments, &server.output).await,
        "flood" => flood::call(arguments, server, context).await,
        stranger => {
            let message = format!("there is no tool `{stranger}`");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    Ok(result.unwrap_or_else(|refusal| CallToolResult::error(vec![ContentBlock::text(refusal)])))
}

/// What a tool hands back: a result, or a sentence about why there is none.
type Outcome = Result<CallToolResult, Refusal>;

fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// An object schema with these properties and no others.
fn object_schema(properties: Value, required: &[&str]) -> Arc<JsonObject> {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    Arc::new(schema)
}
