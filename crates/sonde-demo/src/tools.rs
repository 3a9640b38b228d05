//! The tools: which there are, and which one a call means.
//!
//! Each tool is a file with `describe` and `call`. The schemas are written by hand because an
//! inspector builds forms from them: flat, with descriptions, defaults and ranges.

mod add;
mod ask;
mod echo;
mod fail;
mod flood;
mod grow;
mod log;
mod noise;
mod open;
mod report;
mod roots;
mod sample;
mod show;
mod slow;

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResult, ContentBlock, JsonObject, Tool},
    service::RequestContext,
};
use serde_json::{Value, json};

use crate::{arguments::Refusal, client::Client, lists::Lists, server::DemoServer};

pub(crate) use open::Pages;

/// The tools that may be called as a task.
pub(crate) const SUPPORTS_TASKS: &[&str] = &["report"];

pub(crate) fn all(lists: &Lists) -> Vec<Tool> {
    let mut all = vec![
        echo::describe(),
        add::describe(),
        slow::describe(),
        fail::describe(),
        noise::describe(),
        flood::describe(),
        show::describe(),
        log::describe(),
        ask::describe(),
        open::describe(),
        sample::describe(),
        roots::describe(),
        grow::describe(),
        report::describe(),
    ];
    if lists.are_grown() {
        all.push(grow::describe_bonus());
    }
    all
}

/// Runs the tool the request names. An unknown tool is a protocol error; arguments that cannot be
/// used are a result with `isError`, so that the caller reads why.
pub(crate) async fn call(
    server: &DemoServer,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let arguments = request.arguments;
    let client = Client::of(context);
    let result = match request.name.as_ref() {
        "echo" => echo::call(arguments),
        "add" => add::call(arguments),
        "slow" => slow::call(arguments, context).await,
        "fail" => fail::call(arguments),
        "noise" => noise::call(arguments, server.output_of(context)).await,
        "flood" => flood::call(arguments, server, context).await,
        "show" => show::call(arguments),
        "log" => log::call(arguments, &server.levels, &client).await,
        "ask" => ask::call(arguments, &client).await,
        "open" => match open::call(arguments, &server.pages, &client).await {
            Err(open::Failure::PageRequired(error)) => return Err(error),
            Err(open::Failure::Refused(refusal)) => Err(refusal),
            Ok(result) => Ok(result),
        },
        "sample" => sample::call(arguments, &client).await,
        "roots" => roots::call(arguments, &client).await,
        "grow" => grow::call(arguments, &server.lists, &client).await,
        "report" => report::call(arguments, &client).await,
        "bonus" if server.lists.are_grown() => Ok(text("well found")),
        stranger => {
            let message = format!("there is no tool `{stranger}`");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    Ok(explained(result))
}

/// Runs one of [`SUPPORTS_TASKS`] for a client that does not wait.
pub(crate) async fn call_as_task(request: CallToolRequestParams, client: &Client) -> CallToolResult {
    explained(report::call(request.arguments, client).await)
}

fn explained(outcome: Outcome) -> CallToolResult {
    outcome.unwrap_or_else(|refusal| CallToolResult::error(vec![ContentBlock::text(refusal)]))
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
