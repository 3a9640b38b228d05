//! An entry of ours as an entry of another client.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use super::habits::{Address, Clock, Habits, Switch, Unknown};
use super::references::{self, Inner};
use super::{Notice, NoticeKind, Shape, Written, codex, goose, lists};
use crate::definition::Definition;
use crate::expand::Reference;
use crate::language::{Node, Object, Value};
use crate::quantity::parse_duration;

pub(super) fn write(shape: Shape, definitions: &[Definition]) -> Written {
    let habits = shape.habits();
    let shared = shared_names(definitions);
    let (mut notices, mut inputs) = (Vec::new(), Vec::new());
    let mut servers = Object::default();
    let mut list = Vec::new();
    for definition in definitions {
        let definition = definition.canonical();
        let (server, shared) = (definition.name.as_str(), &shared);
        let mut page =
            Page { shape, habits: shape.habits(), server, shared, notices: &mut notices, inputs: &mut inputs };
        let entry = match shape {
            Shape::Codex => codex::outward(&mut page, &definition.entry),
            Shape::Goose => goose::outward(&mut page, &definition.entry),
            Shape::Continue => {
                list.push(lists::continue_outward(&mut page, &definition.entry));
                continue;
            }
            _ => usual(&mut page, &definition.entry),
        };
        servers.set(&definition.name, entry);
    }
    let root = habits.roots.first().copied().unwrap_or_default();
    let mut file = Object::default();
    match shape {
        Shape::Continue => {
            file = Object::from_iter([("name", "Sonde"), ("version", "1.0.0"), ("schema", "v1")]);
            file.set(root, list);
        }
        _ => {
            if !inputs.is_empty() {
                file.set("inputs", Value::List(inputs));
            }
            file.set(root, servers);
        }
    }
    Written { text: habits.language.render(&file), notices }
}

/// One server while it is written down.
pub(super) struct Page<'a> {
    pub shape: Shape,
    pub habits: Habits,
    pub server: &'a str,
    /// Names of secrets that more than one of the servers has.
    shared: &'a HashSet<String>,
    notices: &'a mut Vec<Notice>,
    /// What the file asks a person for, once for all of its servers.
    inputs: &'a mut Vec<Node>,
}

/// The values in which a reference may stand.
const SPELLED: [&str; 7] = ["command", "args", "env", "cwd", "envFile", "url", "headers"];

fn usual(page: &mut Page, entry: &Object) -> Object {
    let mut rest = entry.clone();
    let mut out = Object::default();
    if page.habits.words.is_some() {
        page.kind(&mut rest, &mut out);
    }
    for name in SPELLED {
        if let Some(node) = rest.get_mut(name) {
            node.value = page.spelled(name, std::mem::replace(&mut node.value, Value::Null));
        }
    }
    match page.habits.address {
        Address::Key(key) => rest.rename("url", key),
        Address::ByTransport if rest.has("url") => {
            let word = rest.take("type").and_then(|node| node.value.as_text().map(str::to_owned));
            if word.is_none() {
                page.notice("type", NoticeKind::Chosen("http".to_owned()));
            }
            if word.as_deref() != Some("sse") {
                rest.rename("url", "httpUrl");
            }
        }
        Address::ByTransport => {}
    }
    match page.shape {
        Shape::OpenCode => {
            rest.rename("env", "environment");
            if let Some(command) = rest.take("command") {
                let args =
                    rest.take("args").map_or(Vec::new(), |node| node.value.as_list().unwrap_or_default().to_vec());
                out.set("command", Value::List(std::iter::once(command).chain(args).collect()));
            }
            let connecting = page.take_connect_timeout(&mut rest);
            if rest.take("timeout").is_some() {
                page.notice("timeout", NoticeKind::Lost);
            }
            match connecting {
                Some(time) if time < Duration::from_secs(1) => page.notice("connection_timeout", NoticeKind::Lost),
                Some(time) => out.set("timeout", Value::Number(time.as_millis().to_string())),
                None => {}
            }
        }
        Shape::CopilotCli if !rest.has("tools") => rest.set("tools", vec!["*"]),
        Shape::VsCode => {
            let own = rest.take("inputs").map(|node| node.value);
            for input in own.iter().filter_map(Value::as_list).flatten() {
                page.ask_for(input.clone());
            }
        }
        _ => {}
    }
    page.usual_rest(rest, &mut out);
    out
}

impl Page<'_> {
    pub fn notice(&mut self, field: &str, kind: NoticeKind) {
        let notice = Notice { server: self.server.to_owned(), field: field.to_owned(), kind };
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }

    /// The variable, or the input, that stands for a secret or for an input of ours.
    pub fn name_of(&self, inner: Inner) -> String {
        let (Inner::Secret(name) | Inner::Input(name)) = inner else { return String::new() };
        let is_shared = matches!(inner, Inner::Secret(_)) && self.shared.contains(name);
        let is_file_wide = matches!(self.shape, Shape::VsCode | Shape::Continue);
        // `Authorization` or `X-Key`: what a header is called says little in an environment that all programs share.
        let is_header =
            name.contains(|one: char| one.is_ascii_uppercase()) && name.contains(|one: char| one.is_lowercase());
        match (is_file_wide, is_shared || is_header) {
            (true, _) if !is_shared => name.to_owned(),
            (true, _) => format!("{}-{name}", self.server),
            (false, false) if references::is_name(name) => name.to_owned(),
            (false, _) => format!("{}_{}", self.server, name).chars().map(in_a_name).collect(),
        }
    }

    /// A value with its references as the client spells them.
    pub fn spelled(&mut self, field: &str, value: Value) -> Value {
        match value {
            Value::Text(text) => {
                let mut kinds = Vec::new();
                let spelling = self.habits.spelling;
                let spelled =
                    references::spelled(&text, spelling, &|inner| self.name_of(inner), &mut |kind| kinds.push(kind));
                if self.shape == Shape::VsCode {
                    self.ask_for_secrets(&text);
                }
                kinds.into_iter().for_each(|kind| self.notice(field, kind));
                Value::Text(spelled)
            }
            Value::List(list) => {
                let spell = |node: Node| Node { value: self.spelled(field, node.value), line: node.line };
                Value::List(list.into_iter().map(spell).collect())
            }
            Value::Object(mut object) => {
                for member in object.iter_mut() {
                    let field = format!("{field}.{}", member.name);
                    member.node.value = self.spelled(&field, std::mem::replace(&mut member.node.value, Value::Null));
                }
                Value::Object(object)
            }
            other => other,
        }
    }

    fn ask_for_secrets(&mut self, text: &str) {
        for reference in Reference::all_in(text) {
            let Reference::Secret(name) = reference else { continue };
            let mut input = Object::from_iter([("type", "promptString"), ("id", &*self.name_of(Inner::Secret(name)))]);
            input.set("description", format!("{name} of {}", self.server));
            input.set("password", true);
            self.ask_for(Node::from(Value::Object(input)));
        }
    }

    fn ask_for(&mut self, input: Node) {
        let id = |node: &Node| node.value.as_object().and_then(|input| Some(input.get("id")?.value.clone()));
        if !self.inputs.iter().any(|known| id(known) == id(&input)) {
            self.inputs.push(input);
        }
    }

    /// Writes the transport in the client's words.
    pub fn kind(&mut self, rest: &mut Object, out: &mut Object) {
        let Some(words) = &self.habits.words else { return };
        let (command, http, sse) = (words.command, words.http, words.sse);
        let ours = rest.take("type").and_then(|node| node.value.as_text().map(str::to_owned));
        if rest.has("command") {
            out.set("type", command);
            return;
        }
        match ours.as_deref() {
            Some("sse") => out.set("type", sse),
            Some(_) => out.set("type", http),
            // It tries both by itself.
            None if self.shape == Shape::Continue => {}
            None => {
                out.set("type", http);
                if http != sse {
                    self.notice("type", NoticeKind::Chosen(http.to_owned()));
                }
            }
        }
        if ours.is_some() && http == sse {
            self.notice("type", NoticeKind::Lost);
        }
    }

    /// None where there is no time, or none that can be understood.
    pub fn take_timeout(&mut self, rest: &mut Object) -> Option<Duration> {
        let time = super::same::time(rest.get("timeout")?)?;
        rest.take("timeout");
        Some(time)
    }

    /// How long connecting may take, by any of the names that we read.
    pub fn take_connect_timeout(&mut self, rest: &mut Object) -> Option<Duration> {
        let mut own = match rest.take("sonde").map(|node| node.value) {
            Some(Value::Object(own)) => own,
            _ => Object::default(),
        };
        let mut time = None;
        if let Some(found) = own.get("connectTimeout").and_then(|node| parse_duration(node.value.as_word()?)) {
            own.take("connectTimeout");
            time = Some(found);
        }
        if !own.is_empty() {
            rest.set("sonde", own);
        }
        for name in super::same::CONNECTING {
            if let Some(found) = rest.get(name).and_then(|node| parse_duration(node.value.as_word()?)) {
                rest.take(name);
                time = time.or(Some(found));
            }
        }
        time
    }

    /// A number that keeps the milliseconds.
    pub fn seconds(&self, time: Duration) -> String {
        match time.as_millis() {
            whole if whole % 1000 == 0 => (whole / 1000).to_string(),
            milliseconds => format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000),
        }
    }

    /// Says that a server is switched off, if it is.
    pub fn switch(&mut self, switch: Switch, rest: &mut Object, out: &mut Object) {
        let flag = |rest: &Object, name: &str| rest.get(name).and_then(|node| node.value.as_flag());
        let is_off = flag(rest, "enabled") == Some(false) || flag(rest, "disabled") == Some(true);
        rest.retain(|member| !matches!(&*member.name, "enabled" | "disabled") || member.node.value.as_flag().is_none());
        if !is_off {
            return;
        }
        let (name, value) = match switch {
            Switch::Enabled => ("enabled", false),
            Switch::Disabled => ("disabled", true),
        };
        out.set(name, value);
        self.check_read(name);
    }

    /// Everything that has no word of its own: time, switch, and the keys that we do not know either.
    pub fn usual_rest(&mut self, mut rest: Object, out: &mut Object) {
        if let Some(time) = self.take_timeout(&mut rest) {
            let number = match self.habits.clock {
                _ if self.shape == Shape::Sonde => Value::Text(super::inward::duration(time)),
                Clock::Seconds => Value::Number(self.seconds(time)),
                Clock::Milliseconds => Value::Number(time.as_millis().to_string()),
            };
            match number {
                // Whoever reads such a number back would take it for seconds.
                Value::Number(_) if self.habits.clock == Clock::Milliseconds && time < Duration::from_secs(1) => {
                    self.notice("timeout", NoticeKind::Lost);
                }
                number => rest.set("timeout", number),
            }
        }
        self.switch(self.habits.switch, &mut rest, out);
        self.leave_rest(rest, out);
    }

    pub fn leave_rest(&mut self, rest: Object, out: &mut Object) {
        for member in rest.iter() {
            let is_known = self.habits.known.contains(&&*member.name);
            if !is_known && self.habits.unknown == Unknown::Refused {
                self.notice(&member.name, NoticeKind::Lost);
                continue;
            }
            self.check_read(&member.name);
            out.set(&member.name, member.node.value.clone());
        }
    }

    fn check_read(&mut self, name: &str) {
        if !self.habits.known.contains(&name) && self.shape != Shape::Sonde {
            self.notice(name, NoticeKind::Unread);
        }
    }
}

fn in_a_name(character: char) -> char {
    if character.is_ascii_alphanumeric() { character.to_ascii_uppercase() } else { '_' }
}

/// Two servers may each have a secret of one name, with two values.
fn shared_names(definitions: &[Definition]) -> HashSet<String> {
    let (mut seen, mut shared) = (HashSet::new(), HashSet::new());
    for definition in definitions {
        let mut own = BTreeSet::new();
        definition.entry.each_text("", &mut |_, text| {
            own.extend(Reference::all_in(text).iter().filter_map(|reference| match reference {
                Reference::Secret(name) => Some((*name).to_owned()),
                _ => None,
            }));
        });
        shared.extend(own.iter().filter(|name| seen.contains(*name)).cloned());
        seen.extend(own);
    }
    shared
}
