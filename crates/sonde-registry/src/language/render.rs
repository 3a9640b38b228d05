//! The tree as text again.

use std::fmt::Write as _;

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table};

use super::scalar::plain;
use super::tree::{Node, Object, Value};

/// Indented by two, short lists of words on one line, a line feed at the end.
pub(super) fn json(object: &Object) -> String {
    let mut text = String::new();
    json_object(&mut text, object, 0);
    text.push('\n');
    text
}

pub(super) fn json_line(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Flag(flag) => flag.to_string(),
        Value::Number(number) => number.clone(),
        Value::Text(text) => quoted(text),
        Value::List(list) => {
            let parts: Vec<String> = list.iter().map(|node| json_line(&node.value)).collect();
            format!("[{}]", parts.join(","))
        }
        Value::Object(object) => {
            let parts =
                object.iter().map(|member| format!("{}:{}", quoted(&member.name), json_line(&member.node.value)));
            format!("{{{}}}", parts.collect::<Vec<_>>().join(","))
        }
    }
}

fn json_value(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(object) => json_object(text, object, depth),
        Value::List(list) if list.iter().all(|node| node.value.as_word().is_some()) => {
            let parts: Vec<String> = list.iter().map(|node| json_line(&node.value)).collect();
            text.push('[');
            text.push_str(&parts.join(", "));
            text.push(']');
        }
        Value::List(list) => {
            text.push('[');
            for (index, node) in list.iter().enumerate() {
                text.push_str(if index == 0 { "\n" } else { ",\n" });
                indent(text, depth + 1);
                json_value(text, &node.value, depth + 1);
            }
            text.push('\n');
            indent(text, depth);
            text.push(']');
        }
        Value::Null | Value::Flag(_) | Value::Number(_) | Value::Text(_) => text.push_str(&json_line(value)),
    }
}

fn json_object(text: &mut String, object: &Object, depth: usize) {
    if object.is_empty() {
        text.push_str("{}");
        return;
    }
    text.push('{');
    for (index, member) in object.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        indent(text, depth + 1);
        text.push_str(&quoted(&member.name));
        text.push_str(": ");
        json_value(text, &member.node.value, depth + 1);
    }
    text.push('\n');
    indent(text, depth);
    text.push('}');
}

pub(super) fn yaml(object: &Object) -> String {
    let mut text = String::new();
    if object.is_empty() {
        text.push_str("{}\n");
    }
    yaml_object(&mut text, object, 0);
    text
}

fn yaml_object(text: &mut String, object: &Object, depth: usize) {
    for (index, member) in object.iter().enumerate() {
        // The first member of an object in a list stands on the line of its dash.
        if index > 0 || !text.ends_with("- ") {
            indent(text, depth);
        }
        let name = yaml_word(&member.name);
        // A longer name can't be told from a text by who reads it, unless it is announced.
        if name.len() > 1000 {
            text.push_str("? ");
            text.push_str(&name);
            text.push('\n');
            indent(text, depth);
        } else {
            text.push_str(&name);
        }
        text.push(':');
        yaml_value(text, &member.node.value, depth + 1);
    }
}

/// What follows a name or a dash, with its line feed.
fn yaml_value(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            text.push('\n');
            yaml_object(text, object, depth);
        }
        Value::List(list) if !list.is_empty() => {
            text.push('\n');
            for node in list {
                indent(text, depth);
                text.push('-');
                match &node.value {
                    Value::Object(object) if !object.is_empty() => {
                        text.push(' ');
                        yaml_object(text, object, depth + 1);
                    }
                    value => yaml_value(text, value, depth + 1),
                }
            }
        }
        Value::Text(word) => {
            text.push(' ');
            text.push_str(&yaml_word(word));
            text.push('\n');
        }
        Value::Null | Value::Flag(_) | Value::Number(_) | Value::Object(_) | Value::List(_) => {
            text.push(' ');
            text.push_str(&json_line(value));
            text.push('\n');
        }
    }
}

/// Bare only where nobody could take it for something else; a quoted text of JSON is one of YAML as well.
fn yaml_word(word: &str) -> String {
    let is_bare = word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_' || first == '/')
        && word.chars().all(|character| character.is_ascii_alphanumeric() || "_-./@+".contains(character))
        && matches!(plain(word), Value::Text(_))
        // What an older YAML takes for a truth value.
        && !["yes", "no", "on", "off", "y", "n"].contains(&word.to_ascii_lowercase().as_str());
    if is_bare { word.to_owned() } else { quoted(word) }
}

pub(super) fn toml(object: &Object) -> String {
    let mut document = DocumentMut::new();
    *document.as_table_mut() = toml_table(object);
    document.to_string()
}

/// Objects become tables of their own, and those that hold nothing but words stand on one line.
pub(crate) fn toml_table(object: &Object) -> Table {
    let mut table = Table::new();
    let is_implicit = !object.is_empty() && object.iter().all(|member| is_table(&member.node.value));
    table.set_implicit(is_implicit);
    for member in object.iter() {
        let item = match &member.node.value {
            Value::Object(object) if is_table(&member.node.value) => Some(Item::Table(toml_table(object))),
            value => toml_value(value).map(Item::Value),
        };
        if let Some(item) = item {
            table.insert(&member.name, item);
        }
    }
    table
}

fn is_table(value: &Value) -> bool {
    let within = |node: &Node| matches!(node.value, Value::Object(_) | Value::List(_));
    value.as_object().is_some_and(|object| object.iter().any(|member| within(&member.node)) || !is_leaf(object))
}

/// `env = { K = "v" }` on its line; an entry like `{ command = "x" }` is a table all the same.
fn is_leaf(object: &Object) -> bool {
    !["command", "url"].iter().any(|name| object.has(name))
}

fn toml_value(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Flag(flag) => (*flag).into(),
        Value::Text(text) => text.as_str().into(),
        Value::Number(number) => match number.parse::<i64>() {
            Ok(number) => number.into(),
            Err(_) => number.parse::<f64>().ok()?.into(),
        },
        Value::List(list) => list.iter().filter_map(|node| toml_value(&node.value)).collect::<Array>().into(),
        Value::Object(object) => {
            let mut table = InlineTable::new();
            for member in object.iter() {
                if let Some(value) = toml_value(&member.node.value) {
                    table.insert(&member.name, value);
                }
            }
            table.into()
        }
    })
}

fn indent(text: &mut String, depth: usize) {
    text.extend(std::iter::repeat_n("  ", depth));
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // The last three end a line in some languages, or are no text at all in others.
            character if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                // Writing to a string can't fail.
                write!(quoted, "\\u{:04x}", u32::from(character)).unwrap_or_default();
            }
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
