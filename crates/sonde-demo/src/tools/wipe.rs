//! `wipe`: hints that should make a client careful. It does nothing.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::{Outcome, object_schema, text};
use crate::arguments::Arguments;

pub(super) fn describe() -> Tool {
    let properties = json!({
        "target": { "type": "string", "description": "What to pretend to delete", "examples": ["everything"] },
    });
    Tool::new("wipe", "Says of itself that it destroys, and does nothing", object_schema(properties, &["target"]))
        .with_title("Pretend to delete")
        .with_annotations(
            ToolAnnotations::with_title("Delete for good")
                .read_only(false)
                .destructive(true)
                .idempotent(false)
                .open_world(true),
        )
}

pub(super) fn call(arguments: Option<JsonObject>) -> Outcome {
    let arguments = Arguments::new(arguments, &["target"])?;
    Ok(text(format!("`{}` is still there", arguments.text("target")?)))
}
