//! A default and an example for every type.

use rmcp::model::Tool;
use serde_json::json;

pub(super) fn describe() -> Tool {
    super::shape(
        "defaults",
        "Defaults and examples",
        "Can be called as it stands: every value has a default, of every type there is",
        json!({
            "type": "object",
            "properties": {
                "text": { "type": "string", "default": "as it stands", "examples": ["one", "two", "three"] },
                "empty": { "type": "string", "default": "" },
                "integer": { "type": "integer", "default": 42, "examples": [0, -1] },
                "number": { "type": "number", "default": 2.5 },
                "yes": { "type": "boolean", "default": true },
                "no": { "type": "boolean", "default": false },
                "nothing": { "type": "null", "default": null },
                "list": { "type": "array", "items": { "type": "integer" }, "default": [1, 2, 3] },
                "object": {
                    "type": "object",
                    "properties": { "a": { "type": "string" }, "b": { "type": "integer" } },
                    "default": { "a": "one", "b": 2 },
                },
            },
            "required": ["text", "integer"],
            "examples": [{ "text": "a whole example", "integer": 7 }],
        }),
    )
}
