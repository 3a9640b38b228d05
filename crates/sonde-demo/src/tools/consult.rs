//! `consult`: a question to the client's model, which is lent a tool to find its answer with.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::{Outcome, object_schema, said_by, text};
use crate::{
    arguments::{Arguments, Refusal},
    client::Client,
};

/// A model that goes on asking is stopped.
const MOST_ROUNDS: usize = 5;

pub(super) fn describe() -> Tool {
    let properties = json!({
        "question": { "type": "string", "description": "What to ask", "default": "How warm is it in Vienna?" },
        "choice": {
            "type": "string",
            "description": "Whether the model may use the tool, must or must not",
            "enum": ["auto", "required", "none"],
            "default": "auto",
        },
    });
    Tool::new(
        "consult",
        "Asks the client's model with a tool for it to use, uses the tool for it and asks again",
        object_schema(properties, &[]),
    )
    .with_title("Ask a model that may use a tool")
    .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(false).open_world(true))
}

pub(super) async fn call(arguments: Option<JsonObject>, client: &Client) -> Outcome {
    let arguments = Arguments::new(arguments, &["question", "choice"])?;
    let question = arguments.optional_text("question")?.unwrap_or("How warm is it in Vienna?");
    let choice = arguments.optional_text("choice")?.unwrap_or("auto");
    client.offers("sampling.tools")?;
    let mut messages = vec![json!({ "role": "user", "content": { "type": "text", "text": question } })];
    for round in 1..=MOST_ROUNDS {
        // Whoever had to use the tool has used it by then.
        let mode = if round > 1 && choice == "required" { "auto" } else { choice };
        let answer = client.ask("sampling/createMessage", Some(request(&messages, mode))).await?;
        let used = uses(&answer["content"]);
        if used.is_empty() {
            let model = answer["model"].as_str().unwrap_or("the model");
            return Ok(text(format!("{model} said in round {round}: {}", said_by(&answer))));
        }
        let results: Vec<Value> = used.iter().map(result).collect();
        messages.push(json!({ "role": "assistant", "content": answer["content"] }));
        messages.push(json!({ "role": "user", "content": results }));
    }
    Err(format!("the model still wanted the tool after {MOST_ROUNDS} rounds"))
}

fn request(messages: &[Value], mode: &str) -> Value {
    let tool = json!({
        "name": "thermometer",
        "description": "Tells how warm it is in a city",
        "inputSchema": {
            "type": "object",
            "properties": { "city": { "type": "string" } },
            "required": ["city"],
        },
    });
    json!({
        "messages": messages,
        "modelPreferences": { "hints": [{ "name": "small" }], "intelligencePriority": 0.2, "speedPriority": 0.9 },
        "systemPrompt": "Answer in one sentence.",
        "temperature": 0.1,
        "stopSequences": ["THE END"],
        "maxTokens": 200,
        "tools": [tool],
        "toolChoice": { "mode": mode },
    })
}

/// What the model wants to use; its content is one block or several.
fn uses(content: &Value) -> Vec<Value> {
    let blocks = match content {
        Value::Array(blocks) => blocks.as_slice(),
        block => std::slice::from_ref(block),
    };
    blocks.iter().filter(|block| block["type"] == "tool_use").cloned().collect()
}

fn result(used: &Value) -> Value {
    let outcome: Result<String, Refusal> = match (used["name"].as_str(), used["input"]["city"].as_str()) {
        (Some("thermometer"), Some(city)) => Ok(format!("21 degrees in {city}")),
        (Some("thermometer"), None) => Err("the tool needs a `city`".to_owned()),
        _ => Err("there is no tool but `thermometer`".to_owned()),
    };
    let is_error = outcome.is_err();
    let said = outcome.unwrap_or_else(|refusal| refusal);
    json!({
        "type": "tool_result",
        "toolUseId": used["id"],
        "content": [{ "type": "text", "text": said }],
        "isError": is_error,
    })
}
