//! An entry as a form has it, and back: what a form does not know stays in the entry as it is.

use sonde_registry::language::{Node, Object, Value};
use sonde_registry::{Definition, Reference, looks_secret};

use crate::api::configuration::{DraftReach, DraftText, DraftValue, ServerDraft};

/// What a form says of secrets, beside the entry itself.
#[derive(Default)]
pub(crate) struct Secrets {
    /// Values that were typed and must not stand in a file.
    pub typed: Vec<Typed>,
    /// Ways to fields that are secrets, though their values stand in the file.
    pub marked: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Typed {
    /// As in `${secret:NAME}`.
    pub name: String,
    pub value: String,
}

/// What a form is filled with.
pub(crate) fn of(definition: &Definition) -> ServerDraft {
    let definition = definition.canonical();
    let entry = &definition.entry;
    let own = entry.get("sonde").and_then(|node| node.value.as_object()).cloned().unwrap_or_default();
    let word = |object: &Object, name: &str| Some(object.get(name)?.value.as_word()?.to_owned());
    let flag = |object: &Object, name: &str| object.get(name).and_then(|node| node.value.as_flag());
    let first = |names: &[&str]| names.iter().find_map(|name| word(entry, name));
    let auto_start = flag(entry, "auto_start").unwrap_or(false);
    let reach = match word(entry, "url") {
        Some(url) => DraftReach::Url {
            url,
            dialect: word(entry, "type").unwrap_or_else(|| "auto".to_owned()),
            headers: values(entry, "headers"),
            retries: word(&own, "retries").or_else(|| first(&["http_max_retries"])).and_then(|text| text.parse().ok()),
        },
        None => DraftReach::Command {
            command: word(entry, "command").unwrap_or_default(),
            args: words(entry, "args"),
            folder: word(entry, "cwd"),
            env: values(entry, "env"),
            env_passthrough: words(entry, "env_passthrough"),
        },
    };
    ServerDraft {
        name: definition.name.clone(),
        reach,
        enabled: flag(entry, "enabled").unwrap_or(true),
        auto_start,
        timeout: word(&own, "timeout").or_else(|| first(&["timeout"])),
        connect_timeout: word(&own, "connectTimeout").or_else(|| first(&CONNECT_TIMEOUTS)),
        fail_if_no_tools: flag(entry, "fail_if_no_tools").unwrap_or(false),
        reconnect: flag(&own, "reconnect").unwrap_or(auto_start),
        ping: word(&own, "ping"),
    }
}

const CONNECT_TIMEOUTS: [&str; 3] = ["connection_timeout", "connect_timeout", "connectTimeout"];

/// The entry that says what the draft says, with whatever else `before` says; and what it says of secrets.
pub(crate) fn entry(draft: &ServerDraft, before: Option<&Definition>) -> (Definition, Secrets) {
    let before = before.map(Definition::canonical).map(|definition| definition.entry).unwrap_or_default();
    let mut entry = before.clone();
    let mut secrets = Secrets::default();
    let mut own = match entry.take("sonde").map(|node| node.value) {
        Some(Value::Object(own)) => own,
        _ => Object::default(),
    };
    match &draft.reach {
        DraftReach::Command { command, args, folder, env, env_passthrough } => {
            for name in ["url", "type", "headers", "http_max_retries", "http_retry_backoff"] {
                entry.take(name);
            }
            for name in ["retries", "proxy", "caFile", "clientCertificate", "clientKey", "trust"] {
                own.take(name);
            }
            entry.set("command", command.as_str());
            set_words(&mut entry, "args", args);
            set_word(&mut entry, "cwd", folder.as_deref());
            set_values(&mut entry, "env", env, &mut secrets);
            set_words(&mut entry, "env_passthrough", env_passthrough);
        }
        DraftReach::Url { url, dialect, headers, retries } => {
            for name in ["command", "args", "cwd", "env", "envFile", "env_passthrough"] {
                entry.take(name);
            }
            entry.set("url", url.as_str());
            set_word(&mut entry, "type", Some(dialect.as_str()).filter(|dialect| *dialect != "auto"));
            set_values(&mut entry, "headers", headers, &mut secrets);
            let place = if own.has("retries") { (&mut own, "retries") } else { (&mut entry, "http_max_retries") };
            match retries {
                Some(retries) => place.0.set(place.1, Value::Number(retries.to_string())),
                None => drop(place.0.take(place.1)),
            }
        }
    }
    set_flag(&mut entry, "enabled", draft.enabled, true);
    set_flag(&mut entry, "auto_start", draft.auto_start, false);
    set_flag(&mut entry, "fail_if_no_tools", draft.fail_if_no_tools, false);
    set_flag(&mut own, "reconnect", draft.reconnect, draft.auto_start);
    set_word(&mut own, "ping", draft.ping.as_deref());
    // Where it is said twice, our own object is the one that counts.
    let place = if own.has("timeout") { (&mut own, "timeout") } else { (&mut entry, "timeout") };
    set_word(place.0, place.1, draft.timeout.as_deref());
    let place = match (own.has("connectTimeout"), CONNECT_TIMEOUTS.iter().find(|name| entry.has(name))) {
        (true, _) => (&mut own, "connectTimeout"),
        (false, there) => (&mut entry, *there.unwrap_or(&"connection_timeout")),
    };
    set_word(place.0, place.1, draft.connect_timeout.as_deref());
    if !own.is_empty() {
        entry.set("sonde", Value::Object(own));
    }
    (Definition::new(draft.name.trim(), entry), secrets)
}

fn words(entry: &Object, name: &str) -> Vec<String> {
    let list = entry.get(name).and_then(|node| node.value.as_list()).unwrap_or_default();
    list.iter().filter_map(|node| node.value.as_word()).map(str::to_owned).collect()
}

/// The variables or headers. A value that is or may be a secret is not given to a form.
fn values(entry: &Object, name: &str) -> Vec<DraftValue> {
    let object = entry.get(name).and_then(|node| node.value.as_object());
    let members = object.into_iter().flat_map(Object::iter);
    let values = members.filter_map(|member| {
        let text = member.node.value.as_word()?;
        let hidden = kept(text).is_some() || looks_secret(&member.name, text);
        let value = if hidden { DraftText::Secret { value: None } } else { DraftText::Plain { text: text.to_owned() } };
        Some(DraftValue { name: member.name.clone(), value })
    });
    values.collect()
}

/// A value that is one secret and nothing else: what stands before it, as in `Bearer `, and its name.
fn kept(text: &str) -> Option<(&str, &str)> {
    const SCHEMES: [&str; 4] = ["Bearer ", "Basic ", "Token ", ""];
    let [Reference::Secret(name)] = *Reference::all_in(text).as_slice() else { return None };
    let scheme = text.strip_suffix('}')?.strip_suffix(name)?.strip_suffix("${secret:")?;
    SCHEMES.contains(&scheme).then_some((scheme, name))
}

fn set_values(entry: &mut Object, field: &str, values: &[DraftValue], secrets: &mut Secrets) {
    let before = entry.get(field).and_then(|node| node.value.as_object()).cloned().unwrap_or_default();
    let mut object = Object::default();
    for DraftValue { name, value } in values {
        let there = before.get(name).and_then(|node| node.value.as_word());
        let text = match (value, there.and_then(kept)) {
            (DraftText::Plain { text }, _) => text.clone(),
            (DraftText::Secret { value: Some(value) }, kept) => {
                let (scheme, secret) = kept.map_or(("", secret_name(name)), |(scheme, name)| (scheme, name.to_owned()));
                let value = value.strip_prefix(scheme).unwrap_or(value).to_owned();
                let text = format!("{scheme}${{secret:{secret}}}");
                secrets.typed.push(Typed { name: secret, value });
                text
            }
            // What stands in the file in clear is moved by whoever writes it.
            (DraftText::Secret { value: None }, None) => match there {
                Some(clear) => {
                    secrets.marked.push(format!("{field}.{name}"));
                    clear.to_owned()
                }
                None => format!("${{secret:{}}}", secret_name(name)),
            },
            (DraftText::Secret { value: None }, Some(_)) => there.unwrap_or_default().to_owned(),
        };
        object.set(name, text);
    }
    match object.is_empty() {
        true => drop(entry.take(field)),
        false => entry.set(field, Value::Object(object)),
    }
}

/// A name that can stand in a reference.
fn secret_name(name: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "_-.".contains(character);
    name.chars().map(|character| if plain(character) { character } else { '_' }).collect()
}

fn set_words(entry: &mut Object, name: &str, words: &[String]) {
    match words.is_empty() {
        true => drop(entry.take(name)),
        false => {
            entry.set(name, Value::List(words.iter().map(|word| Node::from(Value::from(word.as_str()))).collect()))
        }
    }
}

fn set_word(object: &mut Object, name: &str, word: Option<&str>) {
    let word = word.map(str::trim).filter(|word| !word.is_empty());
    match word {
        // A number stays one, unless it is another.
        Some(word) if object.get(name).and_then(|node| node.value.as_word()) == Some(word) => {}
        Some(word) => object.set(name, word),
        None => drop(object.take(name)),
    }
}

/// What is usual need not be said.
fn set_flag(object: &mut Object, name: &str, flag: bool, usual: bool) {
    match flag == usual {
        true => drop(object.take(name)),
        false => object.set(name, flag),
    }
}

#[cfg(test)]
mod tests;
