//! Goose: YAML in which some variables are kept in its own keyring.

use super::habits::Switch;
use super::inward::Refused;
use super::notices::NoticeKind;
use super::outward::Page;
use super::references::{Inner, alone};
use crate::language::{Object, Value};

pub(super) fn inward(name: &str, entry: &mut Object) -> Result<(), Refused> {
    let word = entry.get("type").and_then(|node| node.value.as_text()).unwrap_or_default();
    if matches!(word, "builtin" | "platform" | "frontend" | "inline_python") {
        return Err(Refused::foreign(format!("it is a part of Goose itself (`{word}`), not a server")));
    }
    if entry.get("name").and_then(|node| node.value.as_text()) == Some(name) {
        entry.take("name");
    }
    if entry.get("description").and_then(|node| node.value.as_text()) == Some("") {
        entry.take("description");
    }
    if let Some(keys) = entry.take("env_keys") {
        entry.rename("envs", "env");
        let mut env = match entry.take("env").map(|node| node.value) {
            Some(Value::Object(env)) => env,
            _ => Object::default(),
        };
        for key in keys.value.as_list().unwrap_or_default().iter().filter_map(|key| key.value.as_text()) {
            if !env.has(key) {
                env.set(key, format!("${{secret:{key}}}"));
            }
        }
        entry.set("env", env);
    }
    for name in ["env", "envs", "headers", "args"] {
        // Goose writes all of them, empty or not.
        let is_empty = |value: &Value| match value {
            Value::Object(object) => object.is_empty(),
            Value::List(list) => list.is_empty(),
            _ => false,
        };
        if entry.get(name).is_some_and(|node| is_empty(&node.value)) {
            entry.take(name);
        }
    }
    Ok(())
}

pub(super) fn outward(page: &mut Page, entry: &Object) -> Object {
    let mut rest = entry.clone();
    let mut out = Object::default();
    out.set("name", rest.take("name").map_or_else(|| Value::from(page.server), |node| node.value));
    page.kind(&mut rest, &mut out);
    if let Some(node) = rest.take("command") {
        out.set("cmd", page.spelled("command", node.value));
        out.set("args", rest.take("args").map_or(Value::List(Vec::new()), |node| page.spelled("args", node.value)));
        let (mut values, mut keys) = (Object::default(), Vec::new());
        if let Some(Value::Object(env)) = rest.take("env").map(|node| node.value) {
            for member in env.iter() {
                let field = format!("env.{}", member.name);
                match member.node.value.as_text().and_then(|text| alone(text, "")) {
                    Some(Inner::Secret(_)) => {
                        page.notice(&field, NoticeKind::Secret("env_keys".to_owned()));
                        keys.push(member.name.clone());
                    }
                    _ => values.set(&member.name, page.spelled(&field, member.node.value.clone())),
                }
            }
        }
        out.set("envs", values);
        out.set("env_keys", keys);
    }
    if let Some(node) = rest.take("url") {
        out.set("uri", page.spelled("url", node.value));
        out.set(
            "headers",
            page.spelled("headers", rest.take("headers").map_or(Object::default().into(), |node| node.value)),
        );
    }
    if let Some(time) = page.take_timeout(&mut rest) {
        out.set("timeout", Value::Number(page.seconds(time)));
    }
    out.set("enabled", true);
    page.switch(Switch::Enabled, &mut rest, &mut out);
    out.set("description", rest.take("description").map_or_else(|| Value::from(""), |node| node.value));
    page.leave_rest(rest, &mut out);
    out
}
