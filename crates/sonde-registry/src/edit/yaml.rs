//! An entry of a YAML text, changed line by line: member by member where each has lines of its own, else as a whole. The
//! caller looks whether the result says what it should.

mod members;

use std::borrow::Cow;
use std::ops::Range;

use super::{NEW, Text, named, unnamed};
use crate::definition::Definition;
use crate::language::{Language, Object, Value};

pub(super) fn put(text: &Text, definition: &Definition) -> Option<String> {
    put_members(text, definition).or_else(|| put_whole(text, definition))
}

/// Only what differs is touched, so that comments within the entry stay.
fn put_members(text: &Text, definition: &Definition) -> Option<String> {
    let old = text.definitions.iter().find(|there| there.name == definition.name)?;
    let mut lines = Lines::of(text.text);
    let block = lines.block(line_of(text, &definition.name)?)?;
    // The name of an entry in a list is a member of it that nobody else has.
    let mut new = definition.entry.clone();
    for member in old.entry.iter().filter(|member| !unnamed(old).has(&member.name)) {
        if new.has(&member.name) {
            continue;
        }
        new.set(&member.name, member.node.value.clone());
    }
    members::change(&mut lines, &old.entry, &new, block)?;
    let changed = lines.text();
    let after = Text::parse(&changed, Language::Yaml).ok()?;
    let is_wanted =
        after.definitions.iter().any(|one| one.name == definition.name && unnamed(one) == unnamed(definition));
    is_wanted.then_some(changed)
}

fn put_whole(text: &Text, definition: &Definition) -> Option<String> {
    let mut lines = Lines::of(text.text);
    match text.place() {
        None => {
            let [key] = NEW else { return None };
            let place = text.root.iter().find(|member| member.name == *key);
            let entries: Object = [(definition.name.as_str(), definition.entry.clone())].into_iter().collect();
            let new = Language::Yaml.render(&[(*key, entries)].into_iter().collect());
            match place {
                // `mcpServers:` with nothing in it.
                Some(member) => lines.replace(lines.block(member.line)?, &new, 0),
                None => lines.append(&new),
            }
        }
        Some((_, node)) => {
            let (first, new) = match &node.value {
                Value::List(list) => (list.first()?.line, listed(definition)),
                Value::Object(object) => {
                    let entry: Object = [(definition.name.as_str(), definition.entry.clone())].into_iter().collect();
                    (object.iter().next()?.line, Language::Yaml.render(&entry))
                }
                _ => return None,
            };
            let indent = lines.indent(first)?;
            match line_of(text, &definition.name) {
                Some(line) => lines.replace(lines.block(line)?, &new, indent),
                None => {
                    let end = lines.block(*line_numbers(text).last()?)?.end;
                    lines.replace(end..end, &new, indent);
                }
            }
        }
    }
    Some(lines.text())
}

pub(super) fn remove(text: &Text, name: &str) -> Option<String> {
    let mut lines = Lines::of(text.text);
    let block = lines.block(line_of(text, name)?)?;
    lines.replace(block, "", 0);
    Some(lines.text())
}

/// An entry as an item of a list.
fn listed(definition: &Definition) -> String {
    let text = Language::Yaml.render(&named(definition));
    let mut lines = String::with_capacity(text.len() * 2);
    for (index, line) in text.lines().enumerate() {
        lines.push_str(if index == 0 { "- " } else { "  " });
        lines.push_str(line);
        lines.push('\n');
    }
    lines
}

fn line_of(text: &Text, name: &str) -> Option<u32> {
    let (_, node) = text.place()?;
    let place = text.names(node).iter().position(|there| there == name)?;
    line_numbers(text).get(place).copied()
}

/// Where each entry begins.
fn line_numbers(text: &Text) -> Vec<u32> {
    match text.place().map(|(_, node)| &node.value) {
        Some(Value::List(list)) => list.iter().map(|node| node.line).collect(),
        Some(Value::Object(object)) => object.iter().map(|member| member.line).collect(),
        _ => Vec::new(),
    }
}

struct Lines<'a> {
    lines: Vec<Cow<'a, str>>,
    /// How the first line ends, and so every one of ours.
    end: &'static str,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let lines: Vec<_> = text.split_inclusive('\n').map(Cow::Borrowed).collect();
        let end = if lines.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
        Lines { lines, end }
    }

    fn text(self) -> String {
        self.lines.concat()
    }

    /// How far a line is indented.
    fn indent(&self, number: u32) -> Option<usize> {
        let line = self.lines.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
        Some(line.len() - line.trim_start_matches(' ').len())
    }

    /// The lines of what begins at a line, up to the next thing that is not indented further. Comments and empty lines
    /// before that belong to what follows.
    fn block(&self, number: u32) -> Option<Range<usize>> {
        let start = usize::try_from(number).ok()?.checked_sub(1)?;
        let indent = self.indent(number)?;
        let is_item = self.lines.get(start)?.trim_start().starts_with("- ");
        let mut end = start + 1;
        for (index, line) in self.lines.iter().enumerate().skip(start + 1) {
            if !says(line) {
                continue;
            }
            let depth = line.len() - line.trim_start_matches(' ').len();
            // The items of a list may stand as far left as the name before them.
            let is_own_item = depth == indent && !is_item && line.trim_start().starts_with("- ");
            if depth <= indent && !is_own_item {
                break;
            }
            end = index + 1;
        }
        Some(start..end)
    }

    /// The same lines without comments and empty ones at their end, which belong to what follows.
    fn said(&self, range: Range<usize>) -> Range<usize> {
        let lines = self.lines.get(range.clone()).unwrap_or_default();
        let last = lines.iter().rposition(|line| says(line)).map_or(range.start, |last| range.start + last + 1);
        range.start..last
    }

    fn replace(&mut self, range: Range<usize>, new: &str, indent: usize) {
        if range.start == self.lines.len() {
            self.end_line();
        }
        let new: Vec<_> = new.lines().map(|line| format!("{}{line}{}", " ".repeat(indent), self.end).into()).collect();
        self.lines.splice(range, new);
    }

    /// The same for lines that are indented already.
    fn splice(&mut self, range: Range<usize>, new: &[String]) {
        self.replace(range, &new.join("\n"), 0);
    }

    fn append(&mut self, new: &str) {
        let end = self.lines.len();
        self.replace(end..end, new, 0);
    }

    /// The last line of a text may have no end.
    fn end_line(&mut self) {
        if let Some(last) = self.lines.last_mut().filter(|last| !last.ends_with('\n')) {
            last.to_mut().push_str(self.end);
        }
    }
}

/// Whether a line has more than a comment in it.
fn says(line: &str) -> bool {
    !line.trim().is_empty() && !line.trim_start().starts_with('#')
}
