//! Objects whose members have names that nobody foresaw.

use rmcp::model::Tool;
use serde_json::json;

pub(super) fn describe() -> Tool {
    super::shape(
        "map",
        "Names of the caller's own",
        "Takes objects with members of any name: `additionalProperties`, `patternProperties`, `propertyNames`",
        json!({
            "type": "object",
            "properties": {
                "headers": {
                    "type": "object",
                    "description": "Any name, with a text",
                    "additionalProperties": { "type": "string" },
                },
                "scores": {
                    "type": "object",
                    "description": "Lower case names, with a number; at most five",
                    "propertyNames": { "pattern": "^[a-z]+$" },
                    "additionalProperties": { "type": "number" },
                    "maxProperties": 5,
                },
                "settings": {
                    "type": "object",
                    "description": "`x-` and anything, `on-` and a switch, nothing else",
                    "patternProperties": { "^x-": true, "^on-": { "type": "boolean" } },
                    "additionalProperties": false,
                },
            },
            "additionalProperties": { "type": "integer" },
        }),
    )
}
