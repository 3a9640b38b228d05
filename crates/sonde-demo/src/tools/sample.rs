//! `sample`: a question to the client's model.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::{Outcome, object_schema, said_by, text};
use crate::{arguments::Arguments, client::Client};

pub(super) fn describe() -> Tool {
    let properties = json!({
        "prompt": { "type": "string", "description": "What to ask the model" },
        "max_tokens": {
            "type": "integer",
            "description": "How long the answer may be",
            "default": 100,
            "minimum": 1,
            "maximum": 4096,
        },
    });
    Tool::new("sample", "Asks the client's model and passes on what it says", object_schema(properties, &["prompt"]))
        .with_title("Ask a model")
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(false).open_world(true))
}

pub(super) async fn call(arguments: Option<JsonObject>, client: &Client) -> Outcome {
    let arguments = Arguments::new(arguments, &["prompt", "max_tokens"])?;
    let prompt = arguments.text("prompt")?;
    let max_tokens = arguments.integer_or("max_tokens", 100, 1..=4096)?;
    if client.capabilities().sampling.is_none() {
        return Err("the client does not offer its model: it did not declare `sampling`".to_owned());
    }
    let params = json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
        "modelPreferences": { "hints": [{ "name": "small" }], "speedPriority": 0.9 },
        "systemPrompt": "Answer in one sentence.",
        "maxTokens": max_tokens,
    });
    let answer = client.ask("sampling/createMessage", Some(params)).await?;
    Ok(text(format!("{} said: {}", answer["model"].as_str().unwrap_or("the model"), said_by(&answer))))
}
