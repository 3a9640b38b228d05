//! What the webview is allowed. It shows what foreign servers send, so it gets as little as possible.

use serde_json::Value;

use crate::tree::{self, report};

const CONFIGURATION: &str = "tauri.conf.json";
const CAPABILITY: &str = "src-tauri/capabilities/main.json";

/// Plugins that reach files, programs or the network around the core.
const FORBIDDEN_PLUGINS: &[&str] = &["shell", "fs", "http", "process", "opener", "websocket", "upload"];

#[test]
fn the_capability_names_one_window_and_nothing_outside_it() {
    let (text, capability) = json(CAPABILITY);
    let mut violations = Vec::new();
    for list in ["windows", "webviews"] {
        for window in strings(&capability[list]).filter(|window| window.contains('*')) {
            violations.push(format!("{}: a wildcard in `{list}`: `{window}`", at(CAPABILITY, &text, window)));
        }
    }
    if capability.get("remote").is_some() {
        violations.push(format!("{}: `remote` lets a foreign page call the core", at(CAPABILITY, &text, "\"remote\"")));
    }
    let permissions = capability["permissions"].as_array().into_iter().flatten();
    for permission in permissions.filter_map(|entry| entry.as_str().or_else(|| entry["identifier"].as_str())) {
        if permission.split(':').next().is_some_and(|plugin| FORBIDDEN_PLUGINS.contains(&plugin)) {
            violations.push(format!("{}: `{permission}`", at(CAPABILITY, &text, permission)));
        }
    }
    report(&violations, "add a command to sonde-app instead, which checks what it is asked for");
}

#[test]
fn only_the_one_capability_file_exists() {
    let folder = "src-tauri/capabilities/";
    let others = tree::files().into_iter().filter(|file| file.under(folder) && file.path != CAPABILITY);
    let violations: Vec<_> = others.map(|file| file.at(1)).collect();
    report(&violations, "one window, one file: what is granted must be seen at one glance");
}

#[test]
fn the_page_runs_only_what_was_built_into_it() {
    let (text, configuration) = json(CONFIGURATION);
    let security = &configuration["app"]["security"];
    let mut violations = Vec::new();
    if security["csp"].is_null() {
        violations.push(format!("{}: there is no `csp`", at(CONFIGURATION, &text, "\"security\"")));
    }
    for key in ["csp", "devCsp"] {
        let policy = security[key].to_string();
        for source in ["unsafe-inline", "unsafe-eval", "https:", "data:", "*"] {
            if policy.contains(source) {
                violations.push(format!("{}: `{source}` in `{key}`", at(CONFIGURATION, &text, source)));
            }
        }
    }
    if configuration["app"]["withGlobalTauri"] != Value::Bool(false) {
        violations.push(format!("{}: `withGlobalTauri` must be false", at(CONFIGURATION, &text, "withGlobalTauri")));
    }
    if security["freezePrototype"] != Value::Bool(true) {
        violations.push(format!("{}: `freezePrototype` must be true", at(CONFIGURATION, &text, "freezePrototype")));
    }
    report(&violations, "keep the page's code in files of its own; see the security block of tauri.conf.json");
}

fn json(path: &str) -> (String, Value) {
    let file = tree::read(path).unwrap_or_else(|| panic!("{path} is missing: what the webview may do is unknown"));
    let value = serde_json::from_str(&file.text).unwrap_or_else(|error| panic!("{path} is not JSON: {error}"));
    (file.text, value)
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn at(path: &str, text: &str, word: &str) -> String {
    let line = text.lines().position(|line| line.contains(word)).map_or(1, |index| index + 1);
    format!("{path}:{line}")
}
