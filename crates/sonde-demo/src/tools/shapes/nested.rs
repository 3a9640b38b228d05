//! Objects in objects.

use rmcp::model::Tool;
use serde_json::json;

pub(super) fn describe() -> Tool {
    let place = json!({
        "type": "object",
        "description": "Where it goes",
        "properties": {
            "city": { "type": "string", "examples": ["Vienna", "Graz"] },
            "street": {
                "type": "object",
                "properties": {
                    "name": { "type": "string" },
                    "number": { "type": "integer", "minimum": 1 },
                    "position": {
                        "type": "object",
                        "description": "Four levels down",
                        "properties": {
                            "latitude": { "type": "number", "minimum": -90, "maximum": 90 },
                            "longitude": { "type": "number", "minimum": -180, "maximum": 180 },
                        },
                        "required": ["latitude", "longitude"],
                    },
                },
                "required": ["name"],
            },
        },
        "required": ["city"],
        "additionalProperties": false,
    });
    super::shape(
        "nested",
        "Objects in objects",
        "Takes an order whose address has parts that have parts",
        json!({
            "type": "object",
            "properties": {
                "address": place,
                "customer": { "type": "string", "title": "Customer", "minLength": 1 },
                "gift": { "type": "boolean", "description": "Whether to wrap it", "default": false },
            },
            "required": ["address", "customer"],
            "additionalProperties": false,
        }),
    )
}
