//! Lists: of objects, of texts, of lists, and with a type for each place.

use rmcp::model::Tool;
use serde_json::json;

pub(super) fn describe() -> Tool {
    super::shape(
        "rows",
        "Lists",
        "Takes lists: of objects, of different texts, of lists of numbers, and one with a type for each place",
        json!({
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "description": "One to twenty things, as a table would show them",
                    "minItems": 1,
                    "maxItems": 20,
                    "items": {
                        "type": "object",
                        "properties": {
                            "article": { "type": "string" },
                            "count": { "type": "integer", "minimum": 1, "default": 1 },
                            "fragile": { "type": "boolean" },
                        },
                        "required": ["article"],
                    },
                    "default": [{ "article": "teapot", "count": 1, "fragile": true }],
                },
                "tags": { "type": "array", "items": { "type": "string" }, "uniqueItems": true },
                "matrix": { "type": "array", "items": { "type": "array", "items": { "type": "number" } } },
                "span": {
                    "type": "array",
                    "description": "A name, a first and a last number",
                    "prefixItems": [{ "type": "string" }, { "type": "integer" }, { "type": "integer" }],
                    "items": false,
                    "minItems": 3,
                },
                "free": { "type": "array", "description": "Anything at all" },
            },
            "required": ["items"],
        }),
    )
}
