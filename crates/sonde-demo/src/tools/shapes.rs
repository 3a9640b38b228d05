//! Tools that are there for their schemas: each takes what a form has to be made for, and gives back what it got.
//!
//! Nothing is checked here, so that it can be seen what a client sends when it is told to send it anyway.

mod anything;
mod choice;
mod combined;
mod defaults;
mod either;
mod enums;
mod formats;
mod limits;
mod map;
mod nested;
mod rows;
mod tree;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::{Outcome, as_schema, object_schema, text};

/// What the names of these tools begin with.
const PREFIX: &str = "shape_";

pub(super) fn all() -> Vec<Tool> {
    vec![
        nested::describe(),
        choice::describe(),
        either::describe(),
        combined::describe(),
        rows::describe(),
        enums::describe(),
        tree::describe(),
        defaults::describe(),
        formats::describe(),
        limits::describe(),
        map::describe(),
        anything::describe(),
    ]
}

/// `None` for a name that is not the name of a shape.
pub(super) fn call(name: &str, arguments: Option<JsonObject>) -> Option<Outcome> {
    all().iter().find(|tool| tool.name == name)?;
    let arguments = Value::Object(arguments.unwrap_or_default());
    let mut result = text(format!("{arguments:#}"));
    result.structured_content = Some(json!({ "arguments": arguments }));
    Some(Ok(result))
}

fn shape(name: &str, title: &'static str, description: &'static str, schema: Value) -> Tool {
    let output = json!({ "arguments": { "type": "object", "description": "What was sent" } });
    Tool::new(format!("{PREFIX}{name}"), description, as_schema(schema))
        .with_title(title)
        .with_raw_output_schema(object_schema(output, &["arguments"]))
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false))
}
