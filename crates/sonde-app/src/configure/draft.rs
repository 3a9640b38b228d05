//! An entry as a form has it, and back. What a form does not know, and what nobody touched in it, stays in the entry as it
//! is written, for another client may read it too.

mod touch;

use sonde_registry::language::Object;
use sonde_registry::{Definition, Reference, looks_secret, mask_secrets, split_scheme};

use crate::api::configuration::{DraftReach, DraftText, DraftValue, ServerDraft};
use touch::Touch;

pub(crate) use touch::{Switch, switch};

/// What a form says of secrets, beside the entry itself.
#[derive(Default)]
pub(crate) struct Secrets {
    /// Values that were typed and must not stand in a file.
    pub typed: Vec<Typed>,
    /// Ways to fields whose values stand in the file in clear and are to be moved.
    pub marked: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Typed {
    /// As in `${secret:NAME}`.
    pub name: String,
    pub value: String,
}

/// What a form is filled with. A secret among arguments or in an address has a mark in its place.
pub(crate) fn of(definition: &Definition) -> ServerDraft {
    let definition = definition.canonical();
    let entry = &definition.entry;
    let own = entry.get("sonde").and_then(|node| node.value.as_object()).cloned().unwrap_or_default();
    let word = |object: &Object, name: &str| Some(object.get(name)?.value.as_word()?.to_owned());
    let flag = |object: &Object, name: &str| object.get(name).and_then(|node| node.value.as_flag());
    let first = |names: &[&str]| names.iter().find_map(|name| word(entry, name));
    let auto_start = flag(entry, "auto_start").unwrap_or(false);
    let masked = {
        let mut masked = definition.clone();
        mask_secrets(&mut masked, &mark);
        masked.entry
    };
    let reach = match word(&masked, "url") {
        Some(url) => DraftReach::Url {
            url,
            dialect: word(entry, "type").unwrap_or_else(|| "auto".to_owned()),
            headers: values(entry, "headers"),
            retries: word(&own, "retries").or_else(|| first(&["http_max_retries"])).and_then(|text| text.parse().ok()),
        },
        None => DraftReach::Command {
            command: word(entry, "command").unwrap_or_default(),
            args: words(&masked, "args"),
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
        seen: None,
    }
}

/// The fields of a draft whose plain texts look like secrets.
pub(crate) fn secret_fields(draft: &ServerDraft) -> Vec<String> {
    let (field, rows) = match &draft.reach {
        DraftReach::Command { env, .. } => ("env", env),
        DraftReach::Url { headers, .. } => ("headers", headers),
    };
    let is_secret = |row: &&DraftValue| match &row.value {
        DraftText::Plain { text } => kept(text).is_none() && looks_secret(&row.name, text),
        DraftText::Secret { .. } | DraftText::Clear {} => false,
    };
    rows.iter().filter(is_secret).map(|row| format!("{field}.{}", row.name)).collect()
}

const CONNECT_TIMEOUTS: [&str; 3] = ["connection_timeout", "connect_timeout", "connectTimeout"];

/// The entry that says what the draft says, with whatever else `before` says, in the words in which it says it; and what
/// the draft says of secrets.
pub(crate) fn entry(draft: &ServerDraft, before: Option<&Definition>) -> (Definition, Secrets) {
    let shown = before.map(of);
    let mut touch = Touch::new(before);
    match (&draft.reach, shown.as_ref().map(|shown| &shown.reach)) {
        (DraftReach::Command { command, args, folder, env, env_passthrough }, shown) => {
            let old = match shown {
                Some(DraftReach::Command { command, args, folder, env, env_passthrough }) => {
                    Some((command, args, folder, env, env_passthrough))
                }
                Some(DraftReach::Url { .. }) | None => {
                    touch.forget_address();
                    None
                }
            };
            if old.map(|old| (old.0, old.1)) != Some((command, args)) {
                touch.command(command, args);
            }
            if old.map(|old| old.2) != Some(folder) {
                touch.word(&["cwd", "workdir"], folder.as_deref());
            }
            if old.map(|old| old.3) != Some(env) {
                touch.values("env", env);
            }
            if old.map(|old| old.4) != Some(env_passthrough) {
                touch.words("env_passthrough", env_passthrough);
            }
        }
        (DraftReach::Url { url, dialect, headers, retries }, shown) => {
            let old = match shown {
                Some(DraftReach::Url { url, dialect, headers, retries }) => Some((url, dialect, headers, retries)),
                Some(DraftReach::Command { .. }) | None => {
                    touch.forget_command();
                    None
                }
            };
            if old.map(|old| old.0) != Some(url) {
                touch.address(url);
            }
            if old.map(|old| old.1) != Some(dialect) {
                let dialect = Some(dialect.as_str()).filter(|dialect| *dialect != "auto");
                touch.word(&["type", "transport"], dialect);
            }
            if old.map(|old| old.2) != Some(headers) {
                touch.values("headers", headers);
            }
            if old.map(|old| old.3) != Some(retries) {
                touch.number("retries", "http_max_retries", *retries);
            }
        }
    }
    let old = shown.as_ref();
    if old.is_none_or(|old| old.enabled != draft.enabled) {
        touch.switch(draft.enabled.into());
    }
    let is_started_otherwise = old.is_none_or(|old| old.auto_start != draft.auto_start);
    if is_started_otherwise {
        touch.flag(&["auto_start", "autoStart"], draft.auto_start.into());
    }
    if old.is_none_or(|old| old.fail_if_no_tools != draft.fail_if_no_tools) {
        touch.flag(&["fail_if_no_tools"], draft.fail_if_no_tools.into());
    }
    // Where nothing is said of it, it is as `auto_start` says.
    if is_started_otherwise || old.is_none_or(|old| old.reconnect != draft.reconnect) {
        touch.reconnect((draft.reconnect != draft.auto_start).then_some(draft.reconnect));
    }
    if old.is_none_or(|old| old.ping != draft.ping) {
        touch.own_word("ping", draft.ping.as_deref());
    }
    // Where it is said twice, our own object is the one that counts.
    if old.is_none_or(|old| old.timeout != draft.timeout) {
        touch.own_or("timeout", &["timeout"], draft.timeout.as_deref());
    }
    if old.is_none_or(|old| old.connect_timeout != draft.connect_timeout) {
        touch.own_or("connectTimeout", &CONNECT_TIMEOUTS, draft.connect_timeout.as_deref());
    }
    touch.done(draft.name.trim())
}

/// What a form shows in the place of a secret that stands in clear among arguments or in an address. As long as it is
/// there, the secret stays where it is.
fn mark(name: &str) -> String {
    format!("‹in clear: {name}›")
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
        let value = match (kept(text), looks_secret(&member.name, text)) {
            (Some(_), _) => DraftText::Secret { value: None },
            (None, true) => DraftText::Clear {},
            (None, false) => DraftText::Plain { text: text.to_owned() },
        };
        Some(DraftValue { name: member.name.clone(), value, was: None })
    });
    values.collect()
}

/// A value that is one secret and nothing else: what stands before it, as in `Bearer `, and its name.
fn kept(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = split_scheme(text);
    let [Reference::Secret(name)] = *Reference::all_in(rest).as_slice() else { return None };
    let before = rest.strip_suffix('}')?.strip_suffix(name)?.strip_suffix("${secret:")?;
    before.is_empty().then_some((scheme, name))
}

#[cfg(test)]
mod tests;
