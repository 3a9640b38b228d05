//! The tools: which there are, and which one a call means.
//!
//! Each tool is a file with `describe` and `call`. The schemas are written by hand because an
//! inspector builds forms from them: with descriptions, defaults and ranges. Those that are there for their schema
//! stand in `shapes/`.

mod add;
mod ask;
mod consult;
mod crowd;
mod echo;
mod fail;
mod flood;
mod grow;
mod listing;
mod log;
mod noise;
mod note;
mod open;
mod report;
mod research;
mod roots;
mod sample;
mod shapes;
mod show;
mod slow;
mod structure;
mod wander;
mod wipe;

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResult, ContentBlock, ErrorCode, JsonObject},
    service::RequestContext,
};
use serde_json::{Value, json};

use crate::{arguments::Refusal, client::Client, server::DemoServer, suite};

pub(crate) use listing::page;
pub(crate) use open::Pages;
pub(crate) use show::future;

/// Whether a tool may be called as a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskSupport {
    Forbidden,
    Optional,
    Required,
}

impl TaskSupport {
    /// What the tool of this name says; `None` where it says nothing, which means the same as forbidden.
    pub(crate) fn of(tool: &str) -> Option<Self> {
        match tool {
            "report" => Some(Self::Optional),
            "research" => Some(Self::Required),
            "slow" => Some(Self::Forbidden),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Forbidden => "forbidden",
            Self::Optional => "optional",
            Self::Required => "required",
        }
    }
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
        "structure" => structure::call(arguments),
        "wipe" => wipe::call(arguments),
        "note" => note::call(arguments, server, &context.peer).await,
        "wander" => wander::call(arguments, &client).await,
        "consult" => consult::call(arguments, &client).await,
        // To an older revision, which has no tasks, it is a tool like any other.
        "research" if client.speaks("2025-11-25") => {
            let message = "tool `research` can only be called as a task";
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
        }
        "research" => research::call(arguments, &client).await,
        "bonus" if server.lists.are_grown() => Ok(text("well found")),
        other => match of_the_many(other, arguments, server, context).await {
            Some(outcome) => outcome,
            None => return Err(ErrorData::invalid_params(format!("there is no tool `{other}`"), None)),
        },
    };
    Ok(explained(result))
}

async fn of_the_many(
    name: &str,
    arguments: Option<JsonObject>,
    server: &DemoServer,
    context: &RequestContext<RoleServer>,
) -> Option<Outcome> {
    if let Some(outcome) = shapes::call(name, arguments.clone()) {
        return Some(outcome);
    }
    if let Some(outcome) = crowd::call(name, arguments.clone(), listing::size_of_crowd(server.scale)) {
        return Some(outcome);
    }
    suite::call(name, arguments, server, context).await
}

/// Runs a tool that has [`TaskSupport`] for a client that does not wait.
pub(crate) async fn call_as_task(request: CallToolRequestParams, client: &Client) -> CallToolResult {
    explained(match request.name.as_ref() {
        "research" => research::call(request.arguments, client).await,
        _ => report::call(request.arguments, client).await,
    })
}

fn explained(outcome: Outcome) -> CallToolResult {
    outcome.unwrap_or_else(|refusal| CallToolResult::error(vec![ContentBlock::text(refusal)]))
}

/// What a tool hands back: a result, or a sentence about why there is none.
pub(crate) type Outcome = Result<CallToolResult, Refusal>;

pub(crate) fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// The text of what a model said, in one block or several.
pub(crate) fn said_by(answer: &Value) -> String {
    match &answer["content"] {
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        block => block["text"].as_str().unwrap_or("something that is no text").to_owned(),
    }
}

/// An object schema with these properties and no others.
pub(crate) fn object_schema(properties: Value, required: &[&str]) -> Arc<JsonObject> {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    Arc::new(schema)
}

/// A schema as it is written; what is no object is an object without members.
pub(crate) fn as_schema(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}
