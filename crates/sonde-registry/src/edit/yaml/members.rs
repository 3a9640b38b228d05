//! The members of one object, changed each in its own lines.

use std::ops::Range;

use super::Lines;
use crate::language::{Document, Language, Member, Object, Value};

/// Makes the object that stands in `lines[range]` say what `new` says. None where its members have no lines of their own.
pub(super) fn change(lines: &mut Lines, old: &Object, new: &Object, range: Range<usize>) -> Option<()> {
    let mut edits = Vec::new();
    gather(lines, old, new, range, &mut edits)?;
    // From the end, so that what stands before stays where it is; of two at one place the inner one comes first.
    edits.reverse();
    edits.sort_by_key(|edit| std::cmp::Reverse((edit.range.start, edit.range.end)));
    for edit in edits {
        lines.splice(edit.range, &edit.new);
    }
    Some(())
}

struct Edit {
    range: Range<usize>,
    /// Whole lines, without their ends.
    new: Vec<String>,
}

fn gather(lines: &Lines, old: &Object, new: &Object, range: Range<usize>, edits: &mut Vec<Edit>) -> Option<()> {
    let starts = starts(lines, old, &range)?;
    let column = column(lines, *starts.first()?)?;
    let ends = starts.iter().skip(1).copied().chain([range.end]);
    for ((member, start), end) in old.iter().zip(&starts).zip(ends) {
        let own = lines.said(*start..end);
        match new.get(&member.name).map(|node| &node.value) {
            Some(value) if *value == member.node.value => {}
            Some(Value::Object(value)) if is_block(member) && !value.is_empty() => {
                let Value::Object(within) = &member.node.value else { return None };
                gather(lines, within, value, start + 1..own.end, edits)?;
            }
            Some(value) => edits.push(Edit { new: rewritten(lines, member, value, &own)?, range: own }),
            // The dash of an item stands before its first member.
            None if is_item(lines.lines.get(*start)?) => return None,
            None => edits.push(Edit { range: own, new: Vec::new() }),
        }
    }
    let added: Object = new
        .iter()
        .filter(|member| !old.has(&member.name))
        .map(|member| (&*member.name, member.node.value.clone()))
        .collect();
    if !added.is_empty() {
        let end = lines.said(range).end;
        let rendered = Language::Yaml.render(&added);
        edits.push(Edit { range: end..end, new: rendered.lines().map(|line| " ".repeat(column) + line).collect() });
    }
    Some(())
}

/// Where each member begins: each on a line of its own, one after the other.
fn starts(lines: &Lines, object: &Object, range: &Range<usize>) -> Option<Vec<usize>> {
    let starts: Option<Vec<usize>> =
        object.iter().map(|member| usize::try_from(member.line).ok()?.checked_sub(1)).collect();
    let starts = starts?;
    let is_ordered = starts.is_sorted_by(|one, next| one < next);
    let is_within = starts.iter().all(|start| range.contains(start));
    // A name that is there twice, or a brace on the line, is not for us.
    let begins = |start: &usize, member: &Member| {
        let line = lines.lines.get(*start)?;
        let text = line.trim_start().trim_start_matches("- ").trim_start();
        (text.starts_with(&member.name) || text.starts_with(['"', '\''])).then_some(())
    };
    let all_begin = starts.iter().zip(object.iter()).all(|(start, member)| begins(start, member).is_some());
    (is_ordered && is_within && all_begin && object.twice().is_empty()).then_some(starts)
}

/// How far the members of an object are indented, by the line of the first.
fn column(lines: &Lines, first: usize) -> Option<usize> {
    let line = lines.lines.get(first)?;
    let spaces = line.len() - line.trim_start_matches(' ').len();
    let rest = line.get(spaces..)?;
    match rest.strip_prefix('-') {
        Some(rest) => Some(spaces + 1 + rest.len() - rest.trim_start_matches(' ').len()),
        None => Some(spaces),
    }
}

fn is_item(line: &str) -> bool {
    line.trim_start().starts_with("- ")
}

/// An object whose members stand below its name.
fn is_block(member: &Member) -> bool {
    let first = member.node.value.as_object().and_then(|object| object.iter().next().map(|first| first.line));
    first.is_some_and(|first| first > member.line)
}

/// A member with another value, in the place of its lines. What follows the value on a single line stays.
fn rewritten(lines: &Lines, member: &Member, value: &Value, own: &Range<usize>) -> Option<Vec<String>> {
    let first = lines.lines.get(own.start)?;
    let column = column(lines, own.start)?;
    let rendered = Language::Yaml.render(&[(&*member.name, value.clone())].into_iter().collect());
    let before = first.get(..column)?;
    let mut new: Vec<String> = rendered
        .lines()
        .enumerate()
        .map(|(index, line)| if index == 0 { format!("{before}{line}") } else { " ".repeat(column) + line })
        .collect();
    if let ([only], 1) = (new.as_mut_slice(), own.len())
        && let Some(comment) = comment(first.get(column..)?, member)
    {
        only.push_str(comment);
    }
    Some(new)
}

/// The comment at the end of a line that holds a member, with the space before it.
fn comment<'a>(line: &'a str, member: &Member) -> Option<&'a str> {
    let line = line.trim_end();
    let says_it = |text: &str| {
        let document = Document::parse(text, Language::Yaml).ok();
        let root = document.and_then(|document| document.root.value.as_object().cloned());
        root.is_some_and(|root| {
            root.len() == 1 && root.get(&member.name).is_some_and(|node| node.value == member.node.value)
        })
    };
    let mut places = line.match_indices(" #").map(|(place, _)| line.split_at(place));
    places.find(|(before, _)| says_it(before)).map(|(_, comment)| comment)
}
