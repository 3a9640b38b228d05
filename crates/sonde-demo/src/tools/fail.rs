//! `fail`: a result that says the tool failed.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::{Outcome, object_schema};
use crate::arguments::Arguments;

pub(super) fn describe() -> Tool {
    let properties = json!({
        "message": {
            "type": "string",
            "description": "What the failure says",
            "default": "this tool always fails",
        },
    });
    Tool::new("fail", "Always answers with a result whose `isError` is true", object_schema(properties, &[]))
        .with_title("Fail")
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false))
}

pub(super) fn call(arguments: Option<JsonObject>) -> Outcome {
    let arguments = Arguments::new(arguments, &["message"])?;
    let message = arguments.optional_text("message")?;
    Err(message.unwrap_or("this tool always fails").to_owned())
}
