//! `anyOf`: values of more than one type, and values that may be null.

use rmcp::model::Tool;
use serde_json::json;

pub(super) fn describe() -> Tool {
    super::shape(
        "either",
        "Values of more than one type",
        "Takes values that may be of several types: `anyOf`, lists of types, null",
        json!({
            "type": "object",
            "properties": {
                "id": {
                    "description": "A number, or a text of hexadecimal digits",
                    "anyOf": [{ "type": "integer" }, { "type": "string", "pattern": "^[0-9a-f]+$" }],
                },
                "nickname": { "type": ["string", "null"], "description": "May be null" },
                "when": {
                    "description": "A date, a number of days, or nothing",
                    "anyOf": [
                        { "title": "Date", "type": "string", "format": "date" },
                        { "title": "In so many days", "type": "integer", "minimum": 0 },
                        { "title": "Never", "type": "null" },
                    ],
                },
            },
            "required": ["id"],
        }),
    )
}
