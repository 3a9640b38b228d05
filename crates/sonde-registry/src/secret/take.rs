//! Secrets that stand in clear in an entry: in variables and headers, among the words of a command, and in an address.
//!
//! Whoever hides, moves, exports or imports a secret finds it here, so that all of them mean the same.

use std::ops::Range;

use super::looks::{address_parts, looks_secret, more_secret, split_scheme};
use super::{Secret, reference_name};
use crate::definition::Definition;
use crate::expand::{DEEPEST, Reference};
use crate::language::{Object, Value};
use crate::remote::ADDRESSES;

/// A secret that was taken out of a definition.
#[derive(Debug, Clone)]
pub struct TakenSecret {
    /// As in `${secret:NAME}`, which stands in its place now.
    pub name: String,
    /// The way to the field that had it, as in `env.API_KEY`; `args.API_KEY` and `url.API_KEY` by the name of the secret.
    pub field: String,
    pub value: Secret,
}

/// What is to become of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Take,
    TakeIfItLooksSecret,
    Leave,
}

/// Takes secrets out of a definition and leaves references. `is_marked` says what a person called a secret, by the way
/// to the field; everything else is one by its name or by its look.
pub fn take_secrets(definition: &mut Definition, is_marked: &dyn Fn(&str) -> bool) -> Vec<TakenSecret> {
    let wish = |field: &str, _: &str| if is_marked(field) { Wish::Take } else { Wish::TakeIfItLooksSecret };
    take(definition, &wish, &written)
}

/// The same, but a value that stood in clear in `before` stays as it is unless it is marked: nobody has touched it.
pub fn take_new_secrets(
    definition: &mut Definition,
    before: &Definition,
    is_marked: &dyn Fn(&str) -> bool,
) -> Vec<TakenSecret> {
    let stood: Vec<TakenSecret> = take_secrets(&mut before.clone(), &|_| false);
    let holder = |field: &str| field.split('.').next().map(str::to_owned);
    let is_old = |field: &str, value: &str| {
        stood.iter().any(|old| old.value.expose() == value && holder(&old.field) == holder(field))
    };
    let wish = |field: &str, value: &str| match (is_marked(field), is_old(field, value)) {
        (true, _) => Wish::Take,
        (false, true) => Wish::Leave,
        (false, false) => Wish::TakeIfItLooksSecret,
    };
    take(definition, &wish, &written)
}

/// Puts a text in the place of each secret that stands in clear, by the name that it would have.
pub fn mask_secrets(definition: &mut Definition, mask: &dyn Fn(&str) -> String) -> Vec<TakenSecret> {
    take(definition, &|_, _| Wish::TakeIfItLooksSecret, mask)
}

/// A secret among the words of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretWord<'a> {
    /// Which of the words.
    pub place: usize,
    /// The option that it is given for, as in `--api-key`; empty where none is.
    pub option: &'a str,
    pub value: &'a str,
    range: Range<usize>,
}

/// `--api-key=…`, `--api-key …`, and what looks like a secret wherever it stands.
pub fn secret_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<SecretWord<'a>> {
    let mut found = Vec::new();
    let mut before = "";
    for (place, word) in words.into_iter().enumerate() {
        let (option, start) = match word.find('=').filter(|_| word.starts_with('-')) {
            Some(sign) => (word.get(..sign).unwrap_or_default(), sign + 1),
            None if before.starts_with('-') && !before.contains('=') => (before, 0),
            None => ("", 0),
        };
        let value = word.get(start..).unwrap_or_default();
        if !value.starts_with('-') {
            for part in parts(option, value, Scheme::IsPart, Wish::TakeIfItLooksSecret) {
                let range = start + part.start..start + part.end;
                let value = word.get(range.clone()).unwrap_or_default();
                found.push(SecretWord { place, option, value, range });
            }
        }
        before = word;
    }
    found
}

/// Words that may be shown: each secret has its name in its place, as in a log.
pub fn masked_words(words: &[String]) -> Vec<String> {
    let mut masked = words.to_vec();
    // From the end, so that what is replaced moves nothing that is still to be.
    for found in secret_words(words.iter().map(String::as_str)).into_iter().rev() {
        if let Some(word) = masked.get_mut(found.place) {
            word.replace_range(found.range, &format!("‹secret:{}›", capital_name(found.option, "ARGUMENT")));
        }
    }
    masked
}

fn written(name: &str) -> String {
    format!("${{secret:{name}}}")
}

fn take(
    definition: &mut Definition,
    wish: &dyn Fn(&str, &str) -> Wish,
    replacement: &dyn Fn(&str) -> String,
) -> Vec<TakenSecret> {
    let used = definition.given().into_iter().filter_map(|missing| match Reference::parse(&missing.reference) {
        Reference::Secret(name) => Some(name.to_owned()),
        _ => None,
    });
    let mut taking = Taking { used: used.collect(), taken: Vec::new(), wish, replacement };
    let entry = &mut definition.entry;
    taking.values(entry, "env", Scheme::IsPart);
    taking.values(entry, "headers", Scheme::Stays);
    taking.words(entry);
    for field in ADDRESSES {
        taking.address(entry, field);
    }
    taking.others(entry);
    taking.taken
}

struct Taking<'a> {
    /// Names that references of the entry have, whose values nobody here knows.
    used: Vec<String>,
    taken: Vec<TakenSecret>,
    wish: &'a dyn Fn(&str, &str) -> Wish,
    replacement: &'a dyn Fn(&str) -> String,
}

impl Taking<'_> {
    fn values(&mut self, entry: &mut Object, holder: &str, scheme: Scheme) {
        let Some(Value::Object(values)) = entry.get_mut(holder).map(|node| &mut node.value) else { return };
        for member in values.iter_mut() {
            let field = format!("{holder}.{}", member.name);
            let Some(text) = member.node.value.as_word().map(str::to_owned) else { continue };
            let (_, bare) = scheme.split(&text);
            let ranges = parts(&member.name, &text, scheme, (self.wish)(&field, bare));
            if let Some(text) = self.replaced(&text, &ranges, &reference_name(&member.name), &|_| field.clone()) {
                member.node.value = Value::Text(text);
            }
        }
    }

    /// The words of a command, in whichever of its two lists.
    fn words(&mut self, entry: &mut Object) {
        for (field, first) in [("command", 1), ("args", 0)] {
            let Some(Value::List(list)) = entry.get_mut(field).map(|node| &mut node.value) else { continue };
            let words: Vec<String> =
                list.iter().skip(first).map(|node| node.value.as_word().unwrap_or_default().to_owned()).collect();
            let found = secret_words(words.iter().map(String::as_str));
            for (place, word) in words.iter().enumerate() {
                let here: Vec<&SecretWord> = found.iter().filter(|found| found.place == place).collect();
                let Some(name) = here.first().map(|found| capital_name(found.option, "ARGUMENT")) else { continue };
                let wanted = here.iter().filter(|found| (self.wish)(&in_args(&name), found.value) != Wish::Leave);
                let ranges: Vec<Range<usize>> = wanted.map(|found| found.range.clone()).collect();
                if let Some(text) = self.replaced(word, &ranges, &name, &in_args)
                    && let Some(node) = list.get_mut(first + place)
                {
                    node.value = Value::Text(text);
                }
            }
        }
    }

    fn address(&mut self, entry: &mut Object, field: &str) {
        let Some(Value::Text(url)) = entry.get_mut(field).map(|node| &mut node.value) else { return };
        // From the end, so that what is replaced moves nothing that is still to be.
        for (name, range) in parameters(url).into_iter().rev() {
            let name = capital_name(&name, "PARAMETER");
            let value = url.get(range.clone()).unwrap_or_default();
            if (self.wish)(&in_address(&name), value) == Wish::Leave {
                continue;
            }
            if let Some(text) = self.replaced(url, &[range], &name, &in_address) {
                *url = text;
            }
        }
    }

    /// Whatever else an entry has, for other clients: by its name within an object of theirs, and by its look anywhere.
    fn others(&mut self, entry: &mut Object) {
        const LOOKED_AT: [&str; 4] = ["env", "headers", "command", "args"];
        let is_other = |name: &str| !LOOKED_AT.contains(&name) && !ADDRESSES.contains(&name);
        for member in entry.iter_mut().filter(|member| is_other(&member.name)) {
            let names = if member.name == "sonde" { Names::SayNothing } else { Names::Count };
            let field = member.name.clone();
            match &mut member.node.value {
                // An entry's own words, as in `"auth": "oauth"`, are no secrets by their names.
                Value::Text(_) => self.other(&field, &field, &mut member.node.value, Names::SayNothing, 0),
                value => self.other(&field, &field, value, names, 0),
            }
        }
    }

    fn other(&mut self, way: &str, name: &str, value: &mut Value, names: Names, depth: usize) {
        match value {
            Value::Text(text) => {
                let called = if names == Names::Count { name } else { "" };
                let ranges = parts(called, text, Scheme::IsPart, (self.wish)(way, text));
                if let Some(replaced) = self.replaced(text, &ranges, &reference_name(name), &|_| way.to_owned()) {
                    *text = replaced;
                }
            }
            Value::Object(object) if depth < DEEPEST => {
                for member in object.iter_mut() {
                    let way = format!("{way}.{}", member.name);
                    let name = member.name.clone();
                    self.other(&way, &name, &mut member.node.value, names, depth + 1);
                }
            }
            Value::List(list) if depth < DEEPEST => {
                for node in list {
                    self.other(way, name, &mut node.value, Names::SayNothing, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// The text without what stands in the ranges; None where there is nothing to take.
    fn replaced(
        &mut self,
        text: &str,
        ranges: &[Range<usize>],
        name: &str,
        field: &dyn Fn(&str) -> String,
    ) -> Option<String> {
        let mut replaced = text.to_owned();
        for range in ranges.iter().rev() {
            let value = text.get(range.clone())?;
            let name = self.name_for(name, value);
            replaced.replace_range(range.clone(), &(self.replacement)(&name));
            self.taken.push(TakenSecret { field: field(&name), name, value: Secret::new(value.to_owned()) });
        }
        (!ranges.is_empty()).then_some(replaced)
    }

    /// One name for one value: two that would be called the same are told apart.
    fn name_for(&self, name: &str, value: &str) -> String {
        let is_taken = |name: &str| {
            self.used.iter().any(|used| used == name)
                || self.taken.iter().any(|taken| taken.name == name && taken.value.expose() != value)
        };
        free_name(name, &is_taken)
    }
}

/// The name itself, or the first with a number behind it that nobody has.
pub fn free_name(name: &str, is_taken: &dyn Fn(&str) -> bool) -> String {
    let mut free = name.to_owned();
    let mut number = 1;
    while is_taken(&free) {
        number += 1;
        free = format!("{name}_{number}");
    }
    free
}

fn in_args(name: &str) -> String {
    format!("args.{name}")
}

fn in_address(name: &str) -> String {
    format!("url.{name}")
}

/// `--api-key` is kept as `API_KEY`.
fn capital_name(option: &str, otherwise: &str) -> String {
    let letter = |one: char| if one.is_ascii_alphanumeric() { one.to_ascii_uppercase() } else { '_' };
    let name: String = option.trim_start_matches('-').chars().map(letter).collect();
    if name.is_empty() { otherwise.to_owned() } else { name }
}

/// Whether what a value is called says that it is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Count,
    SayNothing,
}

/// Whether the scheme of an authorization is a part of the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    IsPart,
    Stays,
}

impl Scheme {
    fn split(self, text: &str) -> (&str, &str) {
        match self {
            Scheme::IsPart => ("", text),
            Scheme::Stays => split_scheme(text),
        }
    }
}

/// Where in a text secrets stand, in their order. What is asked for elsewhere is written nowhere; but its default is, and
/// so is a password beside it.
fn parts(name: &str, text: &str, scheme: Scheme, wish: Wish) -> Vec<Range<usize>> {
    let is_wanted = match wish {
        Wish::Take => true,
        Wish::TakeIfItLooksSecret => looks_secret(name, text),
        Wish::Leave => false,
    };
    if !is_wanted || text.is_empty() {
        return Vec::new();
    }
    if Reference::all_in(text).is_empty() {
        let (before, _) = scheme.split(text);
        return std::iter::once(before.len()..text.len()).collect();
    }
    let mut parts = address_parts(text);
    defaults(name, text, 0, 0, &mut parts);
    parts.sort_by_key(|part| part.start);
    parts.dedup_by(|later, before| later.start < before.end);
    parts
}

/// The defaults in a text that are secrets. `start` is where the text begins in the whole.
fn defaults(name: &str, text: &str, start: usize, depth: usize, parts: &mut Vec<Range<usize>>) {
    for (variable, range) in Reference::defaults_in(text) {
        let default = text.get(range.clone()).unwrap_or_default();
        let name = more_secret(variable, name);
        match Reference::all_in(default).is_empty() {
            true if looks_secret(name, default) => parts.push(start + range.start..start + range.end),
            false if depth < DEEPEST => defaults(name, default, start + range.start, depth + 1, parts),
            _ => {}
        }
    }
}

/// The parameters of an address that are secrets, and its password: the name of each, and where its value stands.
fn parameters(url: &str) -> Vec<(String, Range<usize>)> {
    let question = url.find('?').unwrap_or(url.len());
    // No server is reached by an address with a password, but such an entry is shown and exported.
    let password = address_parts(url).into_iter().filter(|part| part.end <= question);
    let mut found: Vec<(String, Range<usize>)> = password.map(|part| ("password".to_owned(), part)).collect();
    let end = url.find('#').filter(|end| *end > question).unwrap_or(url.len());
    let mut start = question + 1;
    for pair in url.get(start..end).unwrap_or_default().split('&') {
        if let Some((name, value)) = pair.split_once('=') {
            let value_start = start + name.len() + 1;
            let parts = parts(name, value, Scheme::IsPart, Wish::TakeIfItLooksSecret);
            found.extend(
                parts.into_iter().map(|part| (name.to_owned(), value_start + part.start..value_start + part.end)),
            );
        }
        start += pair.len() + 1;
    }
    found
}

#[cfg(test)]
mod tests;
