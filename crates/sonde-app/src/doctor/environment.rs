//! The variables that a server gets, with where each comes from. What is or may be a secret is not shown.

use std::ffi::OsString;

use sonde_registry::{CommandLine, Layer, Reference, ServerSpec, looks_secret};

use crate::api::doctor::VariableFact;
use crate::text::visible;

const MASKED: &str = "‹masked›";

/// What is known of the values of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// Nobody has allowed it to be given any.
    Written,
    Filled,
}

pub(super) fn facts(
    spec: &ServerSpec,
    line: &CommandLine,
    values: Values,
    env: &[(String, OsString)],
) -> Vec<VariableFact> {
    let ours = std::env::var_os("PATH");
    let fact = |(name, value): &(String, OsString)| {
        let text = value.to_string_lossy();
        let (source, shown) = match line.env.iter().find(|(own, _)| own == name) {
            Some((_, own)) => own_value(spec, name, own, values),
            None if line.env_passthrough.contains(name) => ("env_passthrough".to_owned(), None),
            // What everybody gets is no secret: it says who and where we are.
            None if name == "PATH" && ours.as_ref() != Some(value) => {
                ("allow-list, behind the folder of the program".to_owned(), Some(text.into_owned()))
            }
            None => ("allow-list".to_owned(), Some(text.into_owned())),
        };
        let value = shown.map_or_else(|| MASKED.to_owned(), |shown| visible(&shown));
        VariableFact { name: visible(name), value, source }
    };
    env.iter().map(fact).collect()
}

/// Where a value of the entry comes from, and the value where it may be shown.
fn own_value(spec: &ServerSpec, name: &str, value: &str, values: Values) -> (String, Option<String>) {
    let readable = |value: &str| (!looks_secret(name, value)).then(|| value.to_owned());
    if spec.origin.layer == Layer::Typed {
        return ("typed".to_owned(), readable(value));
    }
    let entry = spec.definition.entry.get("env").and_then(|node| node.value.as_object());
    let Some(written) = entry.and_then(|env| env.get(name)).and_then(|node| node.value.as_word()) else {
        return ("envFile".to_owned(), None);
    };
    let references = Reference::all_in(written);
    let from: Vec<String> = references
        .iter()
        .map(|reference| match reference {
            Reference::Secret(name) => format!("the secret `{name}`"),
            Reference::Input(id) => format!("the input `{id}`"),
            Reference::Env(name) => format!("our `{name}`"),
            Reference::UserHome => "your home".to_owned(),
            Reference::WorkspaceFolder => "the folder of the project".to_owned(),
        })
        .collect();
    let is_known = |reference: &Reference| matches!(reference, Reference::UserHome | Reference::WorkspaceFolder);
    match from.is_empty() {
        true => ("env".to_owned(), readable(value)),
        false if values == Values::Written => (format!("env, from {}", from.join(" and ")), readable(written)),
        // A value that somebody else set may be anything.
        false if !references.iter().all(is_known) => (format!("env, from {}", from.join(" and ")), None),
        false => (format!("env, from {}", from.join(" and ")), readable(value)),
    }
}
