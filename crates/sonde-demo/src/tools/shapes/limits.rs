//! Numbers and texts with limits, and names that are hard on a form.

use rmcp::model::Tool;
use serde_json::json;

pub(super) fn describe() -> Tool {
    super::shape(
        "limits",
        "Limits and hard names",
        "Takes numbers within limits, integers beyond what a double holds, and members with names that need care",
        json!({
            "type": "object",
            "properties": {
                "percent": { "type": "integer", "minimum": 0, "maximum": 100, "multipleOf": 5 },
                "fraction": { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 },
                "large": { "type": "integer", "description": "Beyond 2^53", "default": 9_007_199_254_740_993_u64 },
                "code": { "type": "string", "minLength": 3, "maxLength": 3 },
                "old": { "type": "string", "deprecated": true },
                "fixed": { "type": "string", "readOnly": true, "default": "set by the server" },
                "with space": { "type": "string" },
                "with.dot/and slash": { "type": "string" },
                "größe": { "type": "number" },
                "": { "type": "string", "description": "Its name is empty" },
                "__proto__": { "type": "string" },
            },
            "minProperties": 1,
        }),
    )
}
