//! Every way to write that only some values will do.

use rmcp::model::Tool;
use serde_json::json;

pub(super) fn describe() -> Tool {
    let titled = json!([
        { "const": "#f80", "title": "Orange" },
        { "const": "#08f", "title": "Blue", "description": "As the sky" },
        { "const": "#080", "title": "Green" },
    ]);
    let many: Vec<String> = (1..=200).map(|number| format!("value-{number:03}")).collect();
    super::shape(
        "enums",
        "Choices",
        "Takes choices in every way they are written: plain, titled, of numbers, of mixed types, several at once, 200 long",
        json!({
            "type": "object",
            "properties": {
                "plain": { "type": "string", "enum": ["small", "medium", "large"], "default": "medium" },
                "titled": { "type": "string", "oneOf": titled },
                "legacy": { "type": "string", "enum": ["s", "m", "l"], "enumNames": ["Small", "Medium", "Large"] },
                "numbers": { "type": "integer", "enum": [1, 2, 3, 5, 8] },
                "mixed": { "enum": ["auto", 0, 1.5, true, null, { "exactly": "this" }] },
                "fixed": { "const": "always this" },
                "several": {
                    "type": "array",
                    "items": { "type": "string", "enum": ["salt", "pepper", "paprika"] },
                    "uniqueItems": true,
                    "default": ["salt"],
                },
                "several_titled": { "type": "array", "items": { "anyOf": titled }, "maxItems": 2 },
                "many": { "type": "string", "enum": many },
            },
        }),
    )
}
