//! How one configuration of a server differs from another, field by field and as it is written, secrets masked.

use sonde_registry::language::{Object, Value};
use sonde_registry::{ServerSpec, looks_secret, masked_words};
use sonde_transport::shown_address;

use crate::api::configuration::Difference;
use crate::explain::Machine;

/// Characters of a value that are shown.
const LONGEST: usize = 2000;
/// Fields that are told one by one.
const MOST: usize = 200;
/// Objects whose members are fields of their own.
const OPENED: [&str; 3] = ["env", "headers", "sonde"];

/// None for a server that is in no file any more.
pub(crate) fn differences(before: &ServerSpec, after: Option<&ServerSpec>) -> Vec<Difference> {
    let machine = Machine::here();
    let file = |spec: &ServerSpec| spec.origin.file.as_deref().map(|file| machine.path(file));
    let Some(after) = after else {
        return vec![Difference { field: "server".to_owned(), before: file(before), after: None }];
    };
    let mut differences = Vec::new();
    if before.origin.file != after.origin.file {
        differences.push(Difference { field: "file".to_owned(), before: file(before), after: file(after) });
    }
    compare("", &before.definition.entry, &after.definition.entry, &mut differences);
    let more = differences.len().saturating_sub(MOST);
    differences.truncate(MOST);
    if more > 0 {
        let after = Some(format!("{more} more fields differ"));
        differences.push(Difference { field: "…".to_owned(), before: None, after });
    }
    differences
}

fn compare(within: &str, before: &Object, after: &Object, differences: &mut Vec<Difference>) {
    let added = after.names().filter(|name| !before.has(name));
    for name in before.names().chain(added) {
        let (old, new) = (before.get(name).map(|node| &node.value), after.get(name).map(|node| &node.value));
        if old == new {
            continue;
        }
        let is_object = |value: Option<&Value>| value.is_none_or(|value| value.as_object().is_some());
        if within.is_empty() && OPENED.contains(&name) && is_object(old) && is_object(new) {
            let (none, members) =
                (Object::default(), |value: Option<&'_ Value>| value.and_then(Value::as_object).cloned());
            let (old, new) = (members(old).unwrap_or_else(|| none.clone()), members(new).unwrap_or(none));
            compare(name, &old, &new, differences);
            continue;
        }
        let field = if within.is_empty() { name.to_owned() } else { format!("{within}.{name}") };
        let shown = |value: Option<&Value>| value.map(|value| shown(within, name, value));
        let (before, mut after) = (shown(old), shown(new));
        if before == after {
            // Both are hidden, and still one is not the other.
            after = after.map(|after| format!("{after}, another one"));
        }
        differences.push(Difference { field, before, after });
    }
}

/// A value as it is written, unless nobody may read it.
fn shown(within: &str, name: &str, value: &Value) -> String {
    const HIDDEN: &str = "[hidden]";
    let text = match value {
        Value::Text(text) if name == "url" => shown_address(text),
        Value::Text(text) if hides(within, name, text) => HIDDEN.to_owned(),
        Value::Text(text) => text.clone(),
        Value::List(list) => {
            let written: Vec<String> =
                list.iter().map(|node| node.value.as_word().unwrap_or_default().to_owned()).collect();
            let words = list.iter().zip(written.iter().zip(masked_words(&written)));
            let words = words.map(|(node, (written, masked))| match *written == masked {
                true => node.value.to_json(),
                false => Value::Text(masked).to_json(),
            });
            format!("[{}]", words.collect::<Vec<_>>().join(", "))
        }
        value => value.to_json(),
    };
    crate::text::clip(&text, LONGEST)
}

fn hides(within: &str, name: &str, text: &str) -> bool {
    match within {
        "env" | "headers" => looks_secret(name, text),
        _ => looks_secret("", text),
    }
}
