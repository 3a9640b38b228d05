//! Recursion: a schema that refers to itself, at its root and within.

use rmcp::model::Tool;
use serde_json::json;

pub(super) fn describe() -> Tool {
    super::shape(
        "tree",
        "Things that hold things of their kind",
        "Takes a folder of folders and a filter of filters: schemas that refer to themselves by `$ref`",
        json!({
            "type": "object",
            "$defs": {
                "folder": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string" },
                        "folders": { "type": "array", "items": { "$ref": "#/$defs/folder" } },
                    },
                    "required": ["name"],
                },
                "filter": {
                    "oneOf": [
                        {
                            "title": "Compare",
                            "type": "object",
                            "properties": { "field": { "type": "string" }, "equals": true },
                            "required": ["field", "equals"],
                            "additionalProperties": false,
                        },
                        {
                            "title": "All of",
                            "type": "object",
                            "properties": { "and": { "type": "array", "items": { "$ref": "#/$defs/filter" } } },
                            "required": ["and"],
                            "additionalProperties": false,
                        },
                        {
                            "title": "Not",
                            "type": "object",
                            "properties": { "not": { "$ref": "#/$defs/filter" } },
                            "required": ["not"],
                            "additionalProperties": false,
                        },
                    ],
                },
            },
            "properties": {
                "root": { "$ref": "#/$defs/folder" },
                "filter": { "$ref": "#/$defs/filter" },
                "parent": { "$ref": "#", "description": "The whole again" },
            },
            "required": ["root"],
        }),
    )
}
