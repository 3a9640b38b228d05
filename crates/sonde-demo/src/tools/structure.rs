//! `structure`: structured content, as its schema says or not.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::{Outcome, as_schema, object_schema, text};
use crate::arguments::Arguments;

pub(super) fn describe() -> Tool {
    let properties = json!({
        "broken": {
            "type": "boolean",
            "description": "Whether the answer breaks its own schema, in several places",
            "default": false,
        },
    });
    let wind = json!({
        "type": "object",
        "properties": {
            "speed": { "type": "number", "minimum": 0 },
            "from": { "type": "string", "enum": ["N", "E", "S", "W"] },
        },
        "required": ["speed"],
    });
    let hour = json!({
        "type": "object",
        "properties": { "hour": { "type": "integer", "minimum": 0, "maximum": 23 }, "degrees": { "type": "number" } },
        "required": ["hour", "degrees"],
    });
    let output = json!({
        "type": "object",
        "properties": {
            "place": { "type": "string" },
            "wind": wind,
            "hours": { "type": "array", "items": hour },
        },
        "required": ["place", "wind", "hours"],
        "additionalProperties": false,
    });
    Tool::new("structure", "Answers with structured content that has a schema", object_schema(properties, &[]))
        .with_title("Answer with structure")
        .with_raw_output_schema(as_schema(output))
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false))
}

pub(super) fn call(arguments: Option<JsonObject>) -> Outcome {
    let arguments = Arguments::new(arguments, &["broken"])?;
    let hours =
        json!([{ "hour": 6, "degrees": 11.5 }, { "hour": 12, "degrees": 19 }, { "hour": 18, "degrees": 16.25 }]);
    let mut weather = json!({ "place": "Vienna", "wind": { "speed": 3.5, "from": "W" }, "hours": hours });
    if arguments.flag("broken")? {
        weather["wind"]["from"] = json!("up");
        weather["hours"][1] = json!({ "hour": 24 });
        weather["mood"] = json!("fair");
    }
    let mut result = text(weather.to_string());
    result.structured_content = Some(weather);
    Ok(result)
}
