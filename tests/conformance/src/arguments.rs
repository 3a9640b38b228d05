//! Arguments that a schema takes, made from what it requires and nothing else.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// A value for each required property; None where there is none, because then there is no argument to give.
pub fn least(schema: &RawValue) -> Option<String> {
    let schema: Value = serde_json::from_str(schema.get()).unwrap_or_default();
    let members = required(&schema);
    (!members.is_empty()).then(|| Value::Object(members).to_string())
}

fn required(schema: &Value) -> Map<String, Value> {
    let names = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| (name.to_owned(), value(&schema["properties"][name]))).collect()
}

/// Something that fits one property, as far as its type tells.
fn value(schema: &Value) -> Value {
    for chosen in [&schema["const"], &schema["default"], &schema["enum"][0], &schema["examples"][0]] {
        if !chosen.is_null() {
            return chosen.clone();
        }
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match kind {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => Value::Object(required(schema)),
        Some("null") => Value::Null,
        _ => json!("text"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least_of(schema: Value) -> Option<Value> {
        let raw = serde_json::value::to_raw_value(&schema).unwrap();
        least(&raw).map(|text| serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn each_required_property_gets_a_value_of_its_type() {
        let properties = json!({
            "a": { "type": "number" }, "b": { "type": "integer", "minimum": 7 }, "c": { "type": "boolean" },
            "d": { "enum": ["x", "y"] }, "e": { "type": "string", "default": "z" }, "f": {}, "g": { "type": "array" },
            "h": { "type": "object", "properties": { "i": { "type": ["null", "string"] } }, "required": ["i"] },
            "optional": { "type": "string" },
        });
        let required = json!(["a", "b", "c", "d", "e", "f", "g", "h"]);
        let arguments = least_of(json!({ "type": "object", "properties": properties, "required": required }));
        let expected = json!({
            "a": 1, "b": 7, "c": true, "d": "x", "e": "z", "f": "text", "g": [], "h": { "i": null },
        });
        assert_eq!(arguments, Some(expected), "what is optional is left out");
    }

    #[test]
    fn a_tool_that_requires_nothing_gets_no_arguments() {
        for schema in [json!({}), json!({ "type": "object", "properties": { "a": {} }, "required": [] }), json!(true)] {
            assert_eq!(least_of(schema.clone()), None, "{schema}");
        }
    }
}
