//! An entry of another client as an entry of ours.

use std::time::Duration;

use super::habits::{Address, Clock};
use super::references;
use super::{Shape, codex, goose, lists};
use crate::file::Severity;
use crate::language::{Node, Object, Value};

/// Why an entry is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    pub severity: Severity,
    pub why: String,
}

impl Refused {
    fn broken(why: impl Into<String>) -> Self {
        Refused { severity: Severity::Error, why: why.into() }
    }

    /// There is nothing wrong with it, but it is no server that anybody else could start.
    pub fn foreign(why: impl Into<String>) -> Self {
        Refused { severity: Severity::Warning, why: why.into() }
    }
}

/// Keys that we know by another name.
const RENAMED: [(&str, &str); 6] = [
    ("cmd", "command"),
    ("environment", "env"),
    ("envs", "env"),
    ("workdir", "cwd"),
    ("working_directory", "cwd"),
    ("env_file", "envFile"),
];

/// The values in which a reference may stand.
const SPELLED: [&str; 7] = ["command", "args", "env", "cwd", "envFile", "url", "headers"];

/// Whatever is not understood stays as it is: a field of the wrong type is told by whoever reads the entry.
pub(super) fn entry(shape: Shape, name: &str, theirs: &Object) -> Result<Object, Refused> {
    let mut entry = theirs.clone();
    entry.retain(|member| !member.node.value.is_null());
    match shape {
        Shape::Goose => goose::inward(name, &mut entry)?,
        Shape::Codex => codex::inward(&mut entry),
        Shape::Continue => lists::continue_inward(&mut entry),
        Shape::Vibe => lists::vibe_inward(&mut entry),
        Shape::Zed => zed(&mut entry)?,
        // It means every tool, which is what anybody else would take it for.
        Shape::CopilotCli if entry.get("tools").is_some_and(is_star) => drop(entry.take("tools")),
        _ => {}
    }
    for (theirs, ours) in RENAMED {
        entry.rename(theirs, ours);
    }
    command(&mut entry);
    address(shape, &mut entry);
    kind(&mut entry)?;
    switch(&mut entry);
    timeout(shape, &mut entry);
    if shape == Shape::OpenCode {
        // There it is the time until the tools are known.
        entry.rename("timeout", "connection_timeout");
    }
    for name in ["args", "env", "headers"] {
        if let Some(node) = entry.get_mut(name) {
            words(node);
        }
    }
    for name in SPELLED {
        if let Some(node) = entry.get_mut(name) {
            spell(node, shape);
        }
    }
    Ok(entry)
}

/// A command with its arguments in one list, as OpenCode has it, or in an object, as Zed had it.
fn command(entry: &mut Object) {
    match entry.get("command").map(|node| node.value.clone()) {
        Some(Value::List(words)) if words.iter().all(|word| word.value.as_word().is_some()) && !words.is_empty() => {
            let mut words = words.iter().filter_map(|word| word.value.as_word()).map(str::to_owned);
            entry.set("command", words.next().unwrap_or_default());
            let own = entry.take("args").map(|node| node.value);
            let own = own.iter().filter_map(Value::as_list).flatten().filter_map(|word| word.value.as_word());
            let args: Vec<String> = words.chain(own.map(str::to_owned)).collect();
            if !args.is_empty() {
                entry.set("args", args);
            }
        }
        Some(Value::Object(mut inner)) => {
            for name in ["args", "env"] {
                if let Some(node) = inner.take(name).filter(|node| !node.value.is_null()) {
                    entry.set(name, node.value);
                }
            }
            if let Some(path) = inner.take("path") {
                entry.set("command", path.value);
            }
        }
        _ => {}
    }
}

fn address(shape: Shape, entry: &mut Object) {
    let has = |name: &str| entry.has(name);
    if shape.habits().address == Address::ByTransport && !has("command") {
        // Where both are there, this client takes the first.
        if has("httpUrl") {
            entry.take("url");
        } else if has("url") && !has("type") {
            entry.set("type", "sse");
        }
    }
    if entry.has("httpUrl") && !entry.has("type") {
        entry.set("type", "http");
    }
    for alias in ["serverUrl", "httpUrl", "uri"] {
        entry.rename(alias, "url");
    }
}

/// The transport in our words. A command needs none.
fn kind(entry: &mut Object) -> Result<(), Refused> {
    if entry.get("transport").is_some_and(|node| node.value.as_text().is_some()) {
        entry.rename("transport", "type");
    }
    let Some(word) = entry.get("type").and_then(|node| node.value.as_text()).map(str::to_owned) else { return Ok(()) };
    if entry.has("command") {
        entry.take("type");
        return Ok(());
    }
    match word.as_str() {
        "http" | "streamable-http" | "streamableHttp" | "streamable_http" | "streamable" => entry.set("type", "http"),
        "sse" => {}
        "remote" | "auto" => drop(entry.take("type")),
        // What is missing is told when the entry is read.
        "stdio" | "local" => drop(entry.take("type")),
        other => return Err(Refused::broken(format!("its `type` is `{other}`, which nobody here speaks"))),
    }
    Ok(())
}

/// Only what is switched off says so.
fn switch(entry: &mut Object) {
    let flag = |name: &str| entry.get(name).and_then(|node| node.value.as_flag());
    let (enabled, disabled) = (flag("enabled"), flag("disabled"));
    if disabled.is_some() {
        entry.take("disabled");
    }
    if disabled == Some(true) {
        entry.set("enabled", false);
    } else if enabled == Some(true) {
        entry.take("enabled");
    }
}

/// A bare number counts something else in each client. One below a thousand can't be meant as milliseconds.
fn timeout(shape: Shape, entry: &mut Object) {
    let Some(Value::Number(number)) = entry.get("timeout").map(|node| &node.value) else { return };
    let Ok(number) = number.parse::<f64>() else { return };
    let milliseconds = match shape.habits().clock {
        Clock::Milliseconds if number >= 1000.0 => number,
        Clock::Milliseconds | Clock::Seconds => number * 1000.0,
    };
    if (1.0..=1e12).contains(&milliseconds) {
        entry.set("timeout", duration(Duration::from_millis(milliseconds as u64)));
    }
}

/// A time as we write it.
pub(super) fn duration(time: Duration) -> String {
    match time.as_millis() {
        whole if whole % 1000 == 0 => format!("{}s", whole / 1000),
        milliseconds => format!("{milliseconds}ms"),
    }
}

/// Seconds as a client counts them.
pub(super) fn seconds(node: &Node) -> Option<String> {
    let seconds: f64 = node.value.as_word()?.parse().ok()?;
    (0.001..=1e9).contains(&seconds).then(|| duration(Duration::from_millis((seconds * 1000.0) as u64)))
}

/// Numbers and truth values among texts mean what is written; YAML makes them of words that somebody left unquoted.
fn words(node: &mut Node) {
    let word = |node: &mut Node| {
        if let Some(word) = node.value.as_word().map(str::to_owned) {
            node.value = Value::Text(word);
        }
    };
    match &mut node.value {
        Value::List(list) => list.iter_mut().for_each(word),
        Value::Object(object) => {
            object.retain(|member| !member.node.value.is_null());
            object.iter_mut().for_each(|member| word(&mut member.node));
        }
        _ => {}
    }
}

fn spell(node: &mut Node, shape: Shape) {
    match &mut node.value {
        Value::Text(text) => {
            let bare = if shape == Shape::Gemini { references::bare(text) } else { None };
            *text = bare.unwrap_or_else(|| references::ours(text, shape.habits().spelling));
        }
        Value::List(list) => list.iter_mut().for_each(|node| spell(node, shape)),
        Value::Object(object) => object.iter_mut().for_each(|member| spell(&mut member.node, shape)),
        Value::Null | Value::Flag(_) | Value::Number(_) => {}
    }
}

fn zed(entry: &mut Object) -> Result<(), Refused> {
    if entry.has("command") || entry.has("url") {
        return Ok(());
    }
    Err(Refused::foreign("it is an extension of Zed, which starts it in its own way"))
}

fn is_star(node: &Node) -> bool {
    matches!(node.value.as_list(), Some([one]) if one.value.as_text() == Some("*"))
}
