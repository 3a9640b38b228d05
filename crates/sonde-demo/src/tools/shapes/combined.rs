//! `allOf`, `if`, `dependentRequired`: members that depend on other members.

use rmcp::model::Tool;
use serde_json::json;

pub(super) fn describe() -> Tool {
    super::shape(
        "combined",
        "Members that depend on others",
        "Takes a payment whose members depend on each other: `allOf`, `if` and `then`, `dependentRequired`, `not`",
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "amount": {
                    "type": "object",
                    "properties": {
                        "amount": { "type": "number", "exclusiveMinimum": 0, "multipleOf": 0.01 },
                        "currency": { "type": "string", "enum": ["EUR", "USD", "JPY"] },
                    },
                    "required": ["amount", "currency"],
                },
            },
            "allOf": [
                { "$ref": "#/$defs/amount" },
                {
                    "properties": {
                        "method": { "type": "string", "enum": ["card", "transfer"] },
                        "card": { "type": "string", "description": "Needed for `card`" },
                        "iban": { "type": "string", "description": "Needed for `transfer`" },
                        "note": { "type": "string" },
                        "language": { "type": "string", "description": "Needed where there is a note" },
                    },
                    "required": ["method"],
                },
            ],
            "if": { "properties": { "method": { "const": "card" } } },
            "then": { "required": ["card"], "not": { "required": ["iban"] } },
            "else": { "required": ["iban"], "not": { "required": ["card"] } },
            "dependentRequired": { "note": ["language"] },
            "unevaluatedProperties": false,
        }),
    )
}
