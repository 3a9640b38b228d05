//! An entry that is changed where somebody touched it, and nowhere else.

use sonde_registry::language::{Node, Object, Value};
use sonde_registry::{Definition, Reference, TakenSecret, free_name, mask_secrets, reference_name};

use super::{Secrets, Typed, kept, mark};
use crate::api::configuration::{DraftText, DraftValue};

/// Names under which an entry may have its address.
const ADDRESSES: [&str; 4] = ["url", "serverUrl", "httpUrl", "uri"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Switch {
    On,
    Off,
}

impl From<bool> for Switch {
    fn from(on: bool) -> Self {
        if on { Switch::On } else { Switch::Off }
    }
}

/// Switches an entry on or off, in the word that it has for it. What is usual need not be said.
pub(crate) fn switch(entry: &mut Object, switch: Switch) {
    const WORDS: [(&str, bool); 2] = [("enabled", false), ("disabled", true)];
    match switch {
        Switch::On => WORDS.iter().for_each(|(name, _)| drop(entry.take(name))),
        Switch::Off => {
            let said: Vec<_> = WORDS.iter().filter(|(name, _)| entry.has(name)).collect();
            said.iter().for_each(|(name, off)| entry.set(name, *off));
            if said.is_empty() {
                entry.set("enabled", false);
            }
        }
    }
}

/// An entry under change.
pub(super) struct Touch {
    /// The name that it had.
    name: Option<String>,
    entry: Object,
    own: Object,
    secrets: Secrets,
    /// Secrets that stand in clear among the arguments and in the address. A form has marks in their places.
    clear: Vec<TakenSecret>,
}

impl Touch {
    pub fn new(before: Option<&Definition>) -> Self {
        let entry = before.map(|before| before.entry.clone()).unwrap_or_default();
        let own = entry.get("sonde").and_then(|node| node.value.as_object()).cloned().unwrap_or_default();
        // The names that the form was told.
        let clear = before.map(|before| mask_secrets(&mut before.canonical(), &mark)).unwrap_or_default();
        Touch { name: before.map(|before| before.name.clone()), entry, own, secrets: Secrets::default(), clear }
    }

    pub fn done(mut self, name: &str) -> (Definition, Secrets) {
        // In a list an entry says its own name.
        for key in ["id", "name"] {
            if self.name.is_some() && self.entry.get(key).and_then(|node| node.value.as_word()) == self.name.as_deref()
            {
                self.entry.set(key, name);
            }
        }
        let before = self.entry.get("sonde").and_then(|node| node.value.as_object());
        match (self.own.is_empty(), before) {
            (true, Some(before)) if !before.is_empty() => drop(self.entry.take("sonde")),
            (false, before) if before != Some(&self.own) => self.entry.set("sonde", Value::Object(self.own)),
            _ => {}
        }
        (Definition::new(name, self.entry), self.secrets)
    }

    pub fn forget_address(&mut self) {
        let names = ["type", "transport", "headers", "http_max_retries", "http_retry_backoff"];
        names.iter().chain(&ADDRESSES).for_each(|name| drop(self.entry.take(name)));
        for name in ["retries", "proxy", "caFile", "clientCertificate", "clientKey", "trust"] {
            self.own.take(name);
        }
    }

    pub fn forget_command(&mut self) {
        let names = ["command", "args", "cwd", "workdir", "env", "envFile", "env_passthrough", "type", "transport"];
        names.iter().for_each(|name| drop(self.entry.take(name)));
    }

    /// A command that is written as a list stays one.
    pub fn command(&mut self, command: &str, args: &[String]) {
        let list = |name: &str| self.entry.get(name).and_then(|node| node.value.as_list()).map(<[Node]>::to_vec);
        let (in_command, in_args) = (list("command"), list("args"));
        let is_list = in_command.is_some();
        let mut old = in_command.unwrap_or_default();
        old.extend(in_args.unwrap_or_default());
        let args: Vec<String> = args.iter().map(|word| self.unmasked("args", word)).collect();
        let args = self::words(&args, old.clone());
        match is_list {
            true => {
                let program = self::words(&[command.to_owned()], old);
                self.entry.take("args");
                self.entry.set("command", Value::List(program.into_iter().chain(args).collect()));
            }
            false => {
                self.word(&["command"], Some(command));
                self.list("args", args);
            }
        }
    }

    pub fn address(&mut self, url: &str) {
        let url = self.unmasked("url", url);
        self.word(&ADDRESSES, Some(&url));
    }

    pub fn words(&mut self, name: &str, words: &[String]) {
        let old = self.entry.get(name).and_then(|node| node.value.as_list()).unwrap_or_default().to_vec();
        self.list(name, self::words(words, old));
    }

    fn list(&mut self, name: &str, words: Vec<Node>) {
        match words.is_empty() {
            true => drop(self.entry.take(name)),
            false => self.entry.set(name, Value::List(words)),
        }
    }

    /// Sets it under the name that is there, or under the first.
    pub fn word(&mut self, names: &[&str], word: Option<&str>) {
        set_word(&mut self.entry, names, word);
    }

    pub fn own_word(&mut self, name: &str, word: Option<&str>) {
        set_word(&mut self.own, &[name], word);
    }

    pub fn own_or(&mut self, own: &str, names: &[&str], word: Option<&str>) {
        match self.own.has(own) {
            true => set_word(&mut self.own, &[own], word),
            false => set_word(&mut self.entry, names, word),
        }
    }

    pub fn number(&mut self, own: &str, name: &str, number: Option<u32>) {
        let (object, name) = if self.own.has(own) { (&mut self.own, own) } else { (&mut self.entry, name) };
        match number {
            Some(number) => object.set(name, Value::Number(number.to_string())),
            None => drop(object.take(name)),
        }
    }

    pub fn switch(&mut self, wanted: Switch) {
        switch(&mut self.entry, wanted);
    }

    /// What is off need not be said.
    pub fn flag(&mut self, names: &[&str], flag: Switch) {
        let there = names.iter().find(|name| self.entry.has(name)).or(names.first());
        match (flag, there) {
            (Switch::On, Some(name)) => self.entry.set(name, true),
            _ => names.iter().for_each(|name| drop(self.entry.take(name))),
        }
    }

    /// None leaves it to what is usual.
    pub fn reconnect(&mut self, reconnect: Option<bool>) {
        match reconnect {
            Some(reconnect) => self.own.set("reconnect", reconnect),
            None => drop(self.own.take("reconnect")),
        }
    }

    /// Variables or headers. A row may have another name than in the file; what is kept of it goes along.
    pub fn values(&mut self, field: &str, rows: &[DraftValue]) {
        let before = self.entry.get(field).and_then(|node| node.value.as_object()).cloned().unwrap_or_default();
        let mut used = names_of_secrets(&self.entry);
        let mut wanted = Object::default();
        for DraftValue { name, value, was } in rows {
            let there = before.get(was.as_deref().unwrap_or(name)).map(|node| &node.value);
            let text = there.and_then(Value::as_word);
            let value = match (value, text.and_then(kept)) {
                (DraftText::Plain { text: typed }, _) if Some(typed.as_str()) != text => Value::Text(typed.clone()),
                (DraftText::Secret { value: Some(typed) }, kept) => {
                    let (scheme, secret) = kept.map_or_else(
                        || ("", free_name(&reference_name(name), &|name| used.iter().any(|used| used == name))),
                        |(scheme, name)| (scheme, name.to_owned()),
                    );
                    used.push(secret.clone());
                    let value = typed.strip_prefix(scheme).unwrap_or(typed).to_owned();
                    let reference = format!("{scheme}${{secret:{secret}}}");
                    self.secrets.typed.push(Typed { name: secret, value });
                    Value::Text(reference)
                }
                (DraftText::Secret { value: None }, None) if text.is_some() => {
                    self.secrets.marked.push(format!("{field}.{name}"));
                    there.cloned().unwrap_or(Value::Null)
                }
                (DraftText::Secret { value: None } | DraftText::Clear {}, None) if text.is_none() => {
                    Value::Text(format!("${{secret:{}}}", reference_name(name)))
                }
                // As it is written: a number stays one, and what is in clear stays in clear.
                _ => there.cloned().unwrap_or(Value::Null),
            };
            wanted.set(name, value);
        }
        // What is there stays in its order, and what a form can't show is not its to take away.
        let mut object = Object::default();
        for member in before.iter() {
            let is_shown = member.node.value.as_word().is_some();
            match wanted.take(&member.name) {
                Some(node) => object.set(&member.name, node.value),
                None if !is_shown => object.set(&member.name, member.node.value.clone()),
                None => {}
            }
        }
        wanted.iter().for_each(|member| object.set(&member.name, member.node.value.clone()));
        match object.is_empty() {
            true => drop(self.entry.take(field)),
            false => self.entry.set(field, Value::Object(object)),
        }
    }

    /// The text with what stands in clear in the place of each mark. Where a reference took the place of the mark, the
    /// secret is to be moved to where it leads.
    fn unmasked(&mut self, holder: &str, text: &str) -> String {
        let mut text = text.to_owned();
        for taken in self.clear.iter().filter(|taken| taken.field.split('.').next() == Some(holder)) {
            text = text.replace(&mark(&taken.name), taken.value.expose());
            let reference = format!("${{secret:{}}}", taken.name);
            if text.contains(&reference) {
                text = text.replace(&reference, taken.value.expose());
                self.secrets.marked.push(taken.field.clone());
            }
        }
        text
    }
}

fn names_of_secrets(entry: &Object) -> Vec<String> {
    let mut names = Vec::new();
    entry.each_text("", &mut |_, text| {
        names.extend(Reference::all_in(text).into_iter().filter_map(|reference| match reference {
            Reference::Secret(name) => Some(name.to_owned()),
            _ => None,
        }));
    });
    names
}

/// Words as nodes: one that was there before stays what it was, a number a number.
fn words(words: &[String], mut old: Vec<Node>) -> Vec<Node> {
    let node = |word: &String| {
        let place = old.iter().position(|node| node.value.as_word() == Some(word));
        place.map_or_else(|| Node::from(Value::from(word.as_str())), |place| old.remove(place))
    };
    words.iter().map(node).collect()
}

fn set_word(object: &mut Object, names: &[&str], word: Option<&str>) {
    let word = word.map(str::trim).filter(|word| !word.is_empty());
    let there = names.iter().find(|name| object.has(name)).or(names.first());
    match (word, there) {
        // A number stays one, unless it is another.
        (Some(word), Some(name)) if object.get(name).and_then(|node| node.value.as_word()) == Some(word) => {}
        (Some(word), Some(name)) => object.set(name, word),
        _ => names.iter().for_each(|name| drop(object.take(name))),
    }
}
