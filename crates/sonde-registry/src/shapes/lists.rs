//! Continue and Mistral Vibe: lists of servers, each with its name.

use super::codex::{set_header, times};
use super::inward::duration;
use super::notices::NoticeKind;
use super::outward::Page;
use crate::language::{Object, Value};

pub(super) fn continue_inward(entry: &mut Object) {
    // Before there was YAML, what starts a server stood in an object of its own.
    if let Some(Value::Object(transport)) = entry.get("transport").map(|node| node.value.clone()) {
        entry.take("transport");
        for member in transport.iter().filter(|member| !member.node.value.is_null()) {
            entry.set(&member.name, member.node.value.clone());
        }
    }
    if !entry.has("headers")
        && let Some(Value::Object(mut options)) = entry.take("requestOptions").map(|node| node.value)
    {
        if let Some(headers) = options.take("headers") {
            entry.set("headers", headers.value);
        }
        if !options.is_empty() {
            entry.set("requestOptions", options);
        }
    }
    if let Some(time) = entry.get("connectionTimeout").and_then(|node| node.value.as_word()?.parse::<u64>().ok()) {
        entry.take("connectionTimeout");
        entry.set("connection_timeout", duration(std::time::Duration::from_millis(time)));
    }
}

pub(super) fn continue_outward(page: &mut Page, entry: &Object) -> Object {
    let mut rest = entry.clone();
    let mut out = Object::default();
    out.set("name", page.server);
    if rest.take("name").is_some() {
        page.notice("name", NoticeKind::Lost);
    }
    page.kind(&mut rest, &mut out);
    for name in ["command", "args", "env", "cwd", "url"] {
        if let Some(node) = rest.take(name) {
            out.set(name, page.spelled(name, node.value));
        }
    }
    let mut options = match rest.take("requestOptions").map(|node| node.value) {
        Some(Value::Object(options)) => options,
        _ => Object::default(),
    };
    if let Some(headers) = rest.take("headers") {
        options.set("headers", page.spelled("headers", headers.value));
    }
    if !options.is_empty() {
        out.set("requestOptions", options);
    }
    if let Some(time) = page.take_connect_timeout(&mut rest) {
        out.set("connectionTimeout", Value::Number(time.as_millis().to_string()));
    }
    page.usual_rest(rest, &mut out);
    out
}

/// A key that is named by its variable, with the header that it goes into.
pub(super) fn vibe_inward(entry: &mut Object) {
    let text =
        |entry: &mut Object, name: &str| entry.take(name).and_then(|node| node.value.as_text().map(str::to_owned));
    if let Some(variable) = text(entry, "api_key_env") {
        let header = text(entry, "api_key_header").unwrap_or_else(|| "Authorization".to_owned());
        let format = text(entry, "api_key_format").unwrap_or_else(|| "Bearer {token}".to_owned());
        set_header(entry, &header, format.replace("{token}", &format!("${{{variable}}}")));
    }
    times(entry);
}
