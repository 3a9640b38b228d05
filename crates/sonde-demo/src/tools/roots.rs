//! `roots`: the folders that the client offers.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::{Outcome, object_schema, text};
use crate::{arguments::Arguments, client::Client};

pub(super) fn describe() -> Tool {
    let root = json!({
        "type": "object",
        "properties": { "uri": { "type": "string" }, "name": { "type": "string" } },
        "required": ["uri"],
    });
    let output = json!({ "roots": { "type": "array", "items": root, "description": "As the client told them" } });
    Tool::new("roots", "Asks the client for its roots and lists them", object_schema(json!({}), &[]))
        .with_title("List the roots")
        .with_raw_output_schema(object_schema(output, &["roots"]))
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false))
}

pub(super) async fn call(arguments: Option<JsonObject>, client: &Client) -> Outcome {
    Arguments::new(arguments, &[])?;
    if client.capabilities().roots.is_none() {
        return Err("the client offers no roots: it did not declare `roots`".to_owned());
    }
    let answer = client.ask("roots/list", None).await?;
    let roots = answer["roots"].as_array().cloned().unwrap_or_default();
    let uris: Vec<&str> = roots.iter().filter_map(|root| root["uri"].as_str()).collect();
    let mut result = text(if uris.is_empty() { "there are no roots".to_owned() } else { uris.join("\n") });
    result.structured_content = Some(json!({ "roots": Value::Array(roots) }));
    Ok(result)
}
