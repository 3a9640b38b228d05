//! Instances of the definitions of a JSON Schema in which every free string is one of the payloads.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use base64::prelude::*;
use serde_json::{Map, Value, json};

/// References that are followed one after the other; none of the definitions needs so many.
const DEEPEST: usize = 16;

/// The definitions of one revision of the protocol.
pub(super) struct Definitions(Map<String, Value>);

/// Every field that held a payload, as its definition and the way to it.
pub(super) type Fields = BTreeSet<String>;

impl Definitions {
    pub fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).with_context(|| format!("{} is not readable", file.display()))?;
        let mut schema: Value = serde_json::from_str(&text)?;
        match schema["$defs"].take() {
            Value::Object(definitions) => Ok(Definitions(definitions)),
            _ => anyhow::bail!("{} has no definitions", file.display()),
        }
    }

    /// The definitions that a union is made of.
    pub fn members(&self, union: &str) -> Vec<String> {
        let members = self.0.get(union).and_then(|union| union["anyOf"].as_array());
        let names = members.into_iter().flatten().filter_map(|member| member["$ref"].as_str());
        names.filter_map(|name| name.rsplit('/').next()).map(str::to_owned).collect()
    }

    /// One instance for each variant of the definition, with the payload in all of its strings. Where a choice is
    /// given, the turn says which is taken.
    pub fn instances(&self, definition: &str, payload: &str, turn: usize, fields: &mut Fields) -> Vec<Value> {
        let reference = json!({ "$ref": format!("#/$defs/{definition}") });
        Filling { definitions: self, payload, turn, fields }.variants(&reference, definition, 0)
    }
}

struct Filling<'a> {
    definitions: &'a Definitions,
    payload: &'a str,
    turn: usize,
    fields: &'a mut Fields,
}

impl Filling<'_> {
    fn variants(&mut self, schema: &Value, path: &str, depth: usize) -> Vec<Value> {
        if let Some(name) = schema["$ref"].as_str() {
            let definitions = self.definitions;
            let referred = name.rsplit('/').next().and_then(|name| definitions.0.get(name));
            return match referred {
                Some(referred) if depth < DEEPEST => self.variants(referred, path, depth + 1),
                _ => Vec::new(),
            };
        }
        if let Some(only) = schema.get("const") {
            return vec![only.clone()];
        }
        if let Some(choices) = schema["enum"].as_array().filter(|choices| !choices.is_empty()) {
            return vec![choices[self.turn % choices.len()].clone()];
        }
        if let Some(union) = schema["anyOf"].as_array() {
            return union.iter().flat_map(|member| self.variants(member, path, depth)).collect();
        }
        if let Some(parts) = schema["allOf"].as_array() {
            // What a later part says of a member is narrower than what an earlier one says.
            let parts: Vec<_> = parts.iter().rev().map(|part| self.variants(part, path, depth)).collect();
            return abreast(&parts).into_iter().map(|parts| merged(parts.into_iter().cloned())).collect();
        }
        let kinds = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            kind => kind.as_str().into_iter().collect::<Vec<_>>(),
        };
        match kinds[..] {
            ["string", ..] => self.strings(schema, path),
            ["integer" | "number", ..] => vec![json!(1)],
            ["boolean", ..] => vec![json!(true)],
            ["null", ..] => vec![Value::Null],
            ["array", ..] => vec![self.variants(&schema["items"], &format!("{path}[]"), depth).into()],
            ["object", ..] => self.objects(schema, path, depth),
            _ => {
                let held = self.placed(&format!("{path}.*"));
                vec![self.placed(path), json!({ self.payload: held })]
            }
        }
    }

    fn strings(&mut self, schema: &Value, path: &str) -> Vec<Value> {
        let payload = self.placed(path);
        match schema["format"] == "byte" {
            // What is no base64 at all, and base64 of what nobody expects.
            true => vec![payload, BASE64_STANDARD.encode(self.payload).into()],
            false => vec![payload],
        }
    }

    fn objects(&mut self, schema: &Value, path: &str, depth: usize) -> Vec<Value> {
        let mut members: Vec<(String, Vec<Value>)> = Vec::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            members.push((name.clone(), self.variants(property, &format!("{path}.{name}"), depth)));
        }
        if let Some(open) = schema.get("additionalProperties").filter(|open| **open != json!(false)) {
            let mut values = self.variants(open, &format!("{path}.*"), depth);
            if path.ends_with("Schema.properties") && open["$ref"].is_null() {
                // Open by the official schema, and read as JSON Schema by every client.
                let field = json!({ "$ref": "#/$defs/PrimitiveSchemaDefinition" });
                values.extend(self.variants(&field, &format!("{path}.*"), depth));
            }
            for (place, value) in values.into_iter().enumerate() {
                self.placed(&format!("{path}.(name)"));
                let name = if place == 0 { self.payload.to_owned() } else { format!("{} {place}", self.payload) };
                members.push((name, vec![value]));
            }
        }
        members.retain(|(_, variants)| !variants.is_empty());
        let (names, variants): (Vec<_>, Vec<_>) = members.into_iter().unzip();
        if names.is_empty() {
            return vec![json!({})];
        }
        let made = abreast(&variants).into_iter().map(|values| {
            let members = names.iter().cloned().zip(values.into_iter().cloned());
            Value::Object(members.collect())
        });
        made.collect()
    }

    fn placed(&mut self, path: &str) -> Value {
        self.fields.insert(path.to_owned());
        self.payload.into()
    }
}

/// As many rows as the longest column has, so that each variant of each is in one of them.
fn abreast(columns: &[Vec<Value>]) -> Vec<Vec<&Value>> {
    let rows = columns.iter().map(Vec::len).max().unwrap_or_default();
    (0..rows).map(|row| columns.iter().filter_map(|column| column.get(row).or(column.last())).collect()).collect()
}

/// One of all: lists one behind the other, objects with the members of each; of anything else the first.
pub(super) fn merged(values: impl IntoIterator<Item = Value>) -> Value {
    values.into_iter().reduce(two).unwrap_or_default()
}

fn two(one: Value, other: Value) -> Value {
    match (one, other) {
        (Value::Array(mut one), Value::Array(other)) => {
            one.extend(other);
            one.into()
        }
        (Value::Object(mut one), Value::Object(other)) => {
            for (name, value) in other {
                let value = match one.remove(&name) {
                    Some(known) => two(known, value),
                    None => value,
                };
                one.insert(name, value);
            }
            one.into()
        }
        (one, _) => one,
    }
}
