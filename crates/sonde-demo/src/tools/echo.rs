//! `echo`: the text it was given.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::{Outcome, object_schema, text};
use crate::arguments::Arguments;

pub(super) fn describe() -> Tool {
    let properties = json!({
        "text": { "type": "string", "description": "The text to send back" },
    });
    Tool::new("echo", "Sends the text back", object_schema(properties, &["text"]))
        .with_title("Echo")
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false))
}

pub(super) fn call(arguments: Option<JsonObject>) -> Outcome {
    let arguments = Arguments::new(arguments, &["text"])?;
    Ok(text(arguments.text("text")?))
}
