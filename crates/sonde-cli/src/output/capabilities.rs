//! What a side declared, in words.

use serde_json::Value;

/// One line for each capability that is declared, the known ones first.
pub fn in_words(capabilities: &str) -> Vec<String> {
    let Ok(Value::Object(declared)) = serde_json::from_str::<Value>(capabilities) else {
        return vec![format!("what was declared is no object: {capabilities}")];
    };
    let mut words: Vec<(usize, String)> = declared
        .iter()
        .filter(|(_, value)| !matches!(value, Value::Null | Value::Bool(false)))
        .map(|(name, value)| match KNOWN.iter().position(|(known, ..)| known == name) {
            Some(place) => (place, known(place, value)),
            None => (KNOWN.len(), format!("{name} (unknown to Sonde): {value}")),
        })
        .collect();
    words.sort_by_key(|(place, _)| *place);
    words.into_iter().map(|(_, words)| words).collect()
}

/// Each capability with its words, then its parts with theirs.
const KNOWN: &[(&str, &str, &[Part])] = &[
    ("tools", "tools", &[CHANGES]),
    ("resources", "resources", &[("subscribe", "can be subscribed to"), CHANGES]),
    ("prompts", "prompts", &[CHANGES]),
    ("completions", "completions of arguments", &[]),
    ("logging", "log messages", &[]),
    ("roots", "roots", &[CHANGES]),
    ("sampling", "sampling", &[("tools", "with tools"), ("context", "with context")]),
    ("elicitation", "elicitation", &[("form", "by form"), ("url", "by URL")]),
    ("tasks", "tasks", &[("list", "can be listed"), ("cancel", "can be cancelled")]),
    ("experimental", "experimental", &[]),
];
/// A member of a capability, and what it means.
type Part = (&'static str, &'static str);
const CHANGES: Part = ("listChanged", "says when the list changes");

fn known(place: usize, value: &Value) -> String {
    let Some((name, words, parts)) = KNOWN.get(place) else { return String::new() };
    let is_declared =
        |part: &str| value.get(part).is_some_and(|part| !matches!(part, Value::Null | Value::Bool(false)));
    let mut said: Vec<String> =
        parts.iter().filter(|(part, _)| is_declared(part)).map(|(_, words)| (*words).to_owned()).collect();
    if let ("tasks", Some(requests)) = (*name, value.get("requests")) {
        said.extend(leaves(requests).into_iter().map(|path| format!("for {path}")));
    }
    let known_parts =
        |part: &str| parts.iter().any(|(known, _)| *known == part) || (*name, part) == ("tasks", "requests");
    let others = value.as_object().into_iter().flatten().filter(|(part, _)| !known_parts(part));
    said.extend(others.map(|(part, value)| match value {
        Value::Object(members) if members.is_empty() => part.clone(),
        value => format!("{part}: {value}"),
    }));
    match said.is_empty() {
        true => (*words).to_owned(),
        false => format!("{words}: {}", said.join(", ")),
    }
}

/// `{"tools":{"call":{}}}` as `tools/call`.
fn leaves(requests: &Value) -> Vec<String> {
    let Some(requests) = requests.as_object() else { return Vec::new() };
    let named = |(family, methods): (&String, &Value)| -> Vec<String> {
        let methods = methods.as_object().into_iter().flatten();
        methods.map(|(method, _)| format!("{family}/{method}")).collect()
    };
    requests.iter().flat_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_told_in_words() {
        let declared = r#"{"x-own":{"a":1},"prompts":{},"logging":null,"tasks":{"list":{},"requests":{"tools":{"call":{}}}},
            "resources":{"subscribe":true,"listChanged":false,"glob":{}},"tools":{"listChanged":true}}"#;
        let wanted = [
            "tools: says when the list changes",
            "resources: can be subscribed to, glob",
            "prompts",
            "tasks: can be listed, for tools/call",
            "x-own (unknown to Sonde): {\"a\":1}",
        ];
        assert_eq!(in_words(declared), wanted, "what is false or null is not declared");
        assert!(in_words("{}").is_empty());
    }
}
