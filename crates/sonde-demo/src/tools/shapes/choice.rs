//! `oneOf`: exactly one of several forms, told apart by a member.

use rmcp::model::Tool;
use serde_json::{Value, json};

pub(super) fn describe() -> Tool {
    let variant = |kind: &str, title: &str, mut properties: Value, required: &[&str]| {
        properties["kind"] = json!({ "const": kind });
        let required: Vec<&str> = std::iter::once("kind").chain(required.iter().copied()).collect();
        json!({
            "title": title,
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    };
    let size = || json!({ "type": "number", "exclusiveMinimum": 0 });
    let figure = json!({
        "description": "One of three; `kind` says which",
        "oneOf": [
            variant("circle", "Circle", json!({ "radius": size() }), &["radius"]),
            variant("rectangle", "Rectangle", json!({ "width": size(), "height": size() }), &["width", "height"]),
            variant("text", "Text", json!({ "text": { "type": "string" } }), &["text"]),
        ],
        "discriminator": { "propertyName": "kind" },
    });
    super::shape(
        "choice",
        "One of several forms",
        "Takes a circle, a rectangle or a text: `oneOf` with a discriminator",
        json!({ "type": "object", "properties": { "figure": figure }, "required": ["figure"] }),
    )
}
