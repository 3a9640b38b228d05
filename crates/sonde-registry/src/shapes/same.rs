//! Whether two entries mean the same.

use std::collections::BTreeMap;
use std::time::Duration;

use super::references::{self, Inner};
use crate::language::{Node, Object, Value};
use crate::quantity::parse_duration;

/// True where both say the same in the words of two clients: a time in other units, a variable in another spelling,
/// another order.
pub fn same(one: &Object, other: &Object) -> bool {
    normal(one) == normal(other)
}

fn normal(entry: &Object) -> Object {
    let mut entry = entry.clone();
    let is_default = |name: &str, value: &Value| match (name, value) {
        (_, Value::Null) | ("enabled", Value::Flag(true)) | ("disabled", Value::Flag(false)) => true,
        ("args" | "env_passthrough", Value::List(list)) => list.is_empty(),
        ("env" | "headers" | "sonde", Value::Object(object)) => object.is_empty(),
        _ => false,
    };
    entry.retain(|member| !is_default(&member.name, &member.node.value));
    if entry.get("disabled").is_some_and(|node| node.value.as_flag() == Some(true)) {
        entry.take("disabled");
        entry.set("enabled", false);
    }
    if let Some(time) = entry.get("timeout").and_then(time) {
        entry.set("timeout", format!("{}ms", time.as_millis()));
    }
    connecting(&mut entry);
    pass_through(&mut entry);
    sorted(&entry)
}

/// The names of the time for connecting, outside of `sonde`.
pub(super) const CONNECTING: [&str; 3] = ["connection_timeout", "connect_timeout", "connectTimeout"];

/// A bare number of a thousand and more counts milliseconds, as whoever reads our files takes it.
pub(super) fn time(node: &Node) -> Option<Duration> {
    match node.value.as_word()?.trim().parse::<u32>() {
        Ok(milliseconds) if milliseconds >= 1000 => Some(Duration::from_millis(u64::from(milliseconds))),
        _ => parse_duration(node.value.as_word()?),
    }
}

/// The time for connecting under one name.
fn connecting(entry: &mut Object) {
    let mut found = None;
    for name in CONNECTING {
        found = entry.take(name).or(found);
    }
    if let Some(Value::Object(mut own)) = entry.take("sonde").map(|node| node.value) {
        found = own.take("connectTimeout").or(found);
        if !own.is_empty() {
            entry.set("sonde", own);
        }
    }
    if let Some(node) = found {
        let time = node.value.as_word().and_then(parse_duration).map(|time| format!("{}ms", time.as_millis()));
        entry.set("connection_timeout", time.map_or(node.value, Value::Text));
    }
}

/// A variable that only carries on what it is outside.
fn pass_through(entry: &mut Object) {
    let mut names: Vec<String> = Vec::new();
    if let Some(Value::Object(env)) = entry.get_mut("env").map(|node| &mut node.value) {
        let carries_on = |name: &str, value: &Value| {
            let inner = value.as_text().and_then(|text| references::alone(text, ""));
            inner == Some(Inner::Variable { name, default: None })
        };
        names.extend(env.iter().filter(|one| carries_on(&one.name, &one.node.value)).map(|one| one.name.clone()));
        env.retain(|member| !carries_on(&member.name, &member.node.value));
        if env.is_empty() {
            entry.take("env");
        }
    }
    if let Some(list) = entry.take("env_passthrough") {
        names.extend(
            list.value.as_list().unwrap_or_default().iter().filter_map(|one| one.value.as_text()).map(str::to_owned),
        );
    }
    names.sort();
    names.dedup();
    if !names.is_empty() {
        entry.set("env_passthrough", names);
    }
}

fn sorted(object: &Object) -> Object {
    let members: BTreeMap<&str, Value> =
        object.iter().map(|member| (member.name.as_str(), respelled(&member.node.value))).collect();
    members.into_iter().collect()
}

/// One spelling for each reference, and one order for each object.
fn respelled(value: &Value) -> Value {
    match value {
        Value::Text(text) => {
            let short = |inner: &str| format!("${{{}}}", inner.strip_prefix("env:").unwrap_or(inner));
            Value::Text(references::replace_ours(text, &mut |inner| short(inner)))
        }
        Value::List(list) => Value::List(list.iter().map(|node| Node::from(respelled(&node.value))).collect()),
        Value::Object(object) => Value::Object(sorted(object)),
        other => other.clone(),
    }
}
