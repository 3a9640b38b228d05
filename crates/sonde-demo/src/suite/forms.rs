//! The forms of the suite: one with a default in every kind of field, one with every way to write a choice.

use serde_json::{Value, json};

pub(super) fn plain() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    })
}

pub(super) fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "User name", "default": "John Doe" },
            "age": { "type": "integer", "description": "User age", "default": 30 },
            "score": { "type": "number", "description": "User score", "default": 95.5 },
            "status": {
                "type": "string",
                "description": "User status",
                "enum": ["active", "inactive", "pending"],
                "default": "active",
            },
            "verified": { "type": "boolean", "description": "Verification status", "default": true },
        },
        "required": [],
    })
}

pub(super) fn enums() -> Value {
    let options = json!(["option1", "option2", "option3"]);
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" },
    ]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "description": "One of a few", "enum": options },
            "titledSingle": { "type": "string", "description": "One of a few, with titles", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "description": "One of a few, with titles as they used to be written",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {
                "type": "array",
                "description": "Some of a few",
                "minItems": 1,
                "maxItems": 3,
                "items": { "type": "string", "enum": options },
            },
            "titledMulti": {
                "type": "array",
                "description": "Some of a few, with titles",
                "minItems": 1,
                "maxItems": 3,
                "items": { "anyOf": titled },
            },
        },
        "required": [],
    })
}
