//! Codex: TOML that names variables instead of writing references.

use super::habits::Switch;
use super::inward;
use super::notices::NoticeKind;
use super::outward::Page;
use super::references::{Inner, alone, is_name};
use crate::language::{Node, Object, Value};

const BEARER: &str = "Bearer ";

pub(super) fn inward(entry: &mut Object) {
    if let Some(names) = entry.take("env_vars") {
        let names = names.value.as_list().unwrap_or_default().iter().filter_map(variable_name);
        let names: Vec<String> = names.map(str::to_owned).collect();
        if !names.is_empty() {
            entry.set("env_passthrough", names);
        }
    }
    entry.rename("http_headers", "headers");
    if let Some(variables) = entry.take("env_http_headers") {
        for member in variables.value.as_object().into_iter().flat_map(Object::iter) {
            if let Some(variable) = member.node.value.as_text() {
                set_header(entry, &member.name, format!("${{{variable}}}"));
            }
        }
    }
    if let Some(variable) = entry.take("bearer_token_env_var").as_ref().and_then(|node| node.value.as_text()) {
        set_header(entry, "Authorization", format!("{BEARER}${{{variable}}}"));
    }
    times(entry);
}

/// Codex has one time for starting and one for each tool.
pub(super) fn times(entry: &mut Object) {
    if let Some(time) = entry.take("startup_timeout_sec").as_ref().and_then(inward::seconds) {
        entry.set("connection_timeout", time);
    }
    if let Some(time) = entry.take("startup_timeout_ms").and_then(|node| node.value.as_word().map(str::to_owned)) {
        entry.set("connection_timeout", format!("{time}ms"));
    }
    if let Some(time) = entry.take("tool_timeout_sec").as_ref().and_then(inward::seconds) {
        entry.set("timeout", time);
    }
}

pub(super) fn set_header(entry: &mut Object, name: &str, value: String) {
    let mut headers = match entry.take("headers").map(|node| node.value) {
        Some(Value::Object(headers)) => headers,
        _ => Object::default(),
    };
    headers.set(name, value);
    entry.set("headers", headers);
}

/// A name, or an object that has one, as newer versions write it.
fn variable_name(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Text(name) => Some(name),
        Value::Object(object) => object.get("name")?.value.as_text(),
        _ => None,
    }
}

pub(super) fn outward(page: &mut Page, entry: &Object) -> Object {
    let mut rest = entry.clone();
    let mut out = Object::default();
    for name in ["command", "args"] {
        if let Some(node) = rest.take(name) {
            out.set(name, page.spelled(name, node.value));
        }
    }
    let mut variables: Vec<String> = Vec::new();
    let mut values = Object::default();
    for member in members(rest.take("env")) {
        match &member.node.value {
            Value::Text(text) if page.variable_of(text, "").as_deref() == Some(&member.name) => {
                page.stands_for(&format!("env.{}", member.name), text, &member.name);
                variables.push(member.name);
            }
            value => values.set(&member.name, page.spelled(&format!("env.{}", member.name), value.clone())),
        }
    }
    if let Some(names) = rest.take("env_passthrough") {
        let names = names.value.as_list().unwrap_or_default().iter().filter_map(|node| node.value.as_text());
        variables.extend(names.map(str::to_owned));
    }
    if !values.is_empty() {
        out.set("env", values);
    }
    if !variables.is_empty() {
        variables.sort();
        variables.dedup();
        out.set("env_vars", variables);
    }
    for name in ["cwd", "url"] {
        if let Some(node) = rest.take(name) {
            out.set(name, page.spelled(name, node.value));
        }
    }
    headers(page, members(rest.take("headers")), &mut out);
    if let Some(time) = page.take_connect_timeout(&mut rest) {
        out.set("startup_timeout_sec", Value::Number(page.seconds(time)));
    }
    if let Some(time) = page.take_timeout(&mut rest) {
        out.set("tool_timeout_sec", Value::Number(page.seconds(time)));
    }
    page.switch(Switch::Enabled, &mut rest, &mut out);
    page.leave_rest(rest, &mut out);
    out
}

fn headers(page: &mut Page, headers: Vec<crate::language::Member>, out: &mut Object) {
    let (mut plain, mut variables) = (Object::default(), Object::default());
    for member in headers {
        let field = format!("headers.{}", member.name);
        let Value::Text(text) = &member.node.value else {
            plain.set(&member.name, member.node.value);
            continue;
        };
        let is_bearer = member.name.eq_ignore_ascii_case("authorization") && !out.has("bearer_token_env_var");
        if is_bearer && let Some(variable) = page.variable_of(text, BEARER) {
            page.stands_for(&field, text, &variable);
            out.set("bearer_token_env_var", variable);
        } else if let Some(variable) = page.variable_of(text, "") {
            page.stands_for(&field, text, &variable);
            variables.set(&member.name, variable);
        } else {
            plain.set(&member.name, page.spelled(&field, Value::Text(text.clone())));
        }
    }
    if !plain.is_empty() {
        out.set("http_headers", plain);
    }
    if !variables.is_empty() {
        out.set("env_http_headers", variables);
    }
}

fn members(node: Option<Node>) -> Vec<crate::language::Member> {
    match node.map(|node| node.value) {
        Some(Value::Object(object)) => object.iter().cloned().collect(),
        _ => Vec::new(),
    }
}

impl Page<'_> {
    /// The variable that the text is a reference to, and nothing else, after `before`.
    fn variable_of(&self, text: &str, before: &str) -> Option<String> {
        match alone(text, before)? {
            Inner::Variable { name, default: None } => is_name(name).then(|| name.to_owned()),
            inner @ (Inner::Secret(_) | Inner::Input(_)) => Some(self.name_of(inner)),
            Inner::Variable { .. } | Inner::Folder => None,
        }
    }

    /// Says so where the variable is none that somebody has set already.
    fn stands_for(&mut self, field: &str, text: &str, variable: &str) {
        let is_kept = text.contains("${secret:") || text.contains("${input:");
        if is_kept {
            self.notice(field, NoticeKind::Secret(variable.to_owned()));
        }
    }
}
