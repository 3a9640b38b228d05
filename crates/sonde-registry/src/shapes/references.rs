//! References in values, as `${TOKEN}`: spelled anew for another client, never filled in.

use super::habits::Spelling;
use super::notices::NoticeKind;

/// What stands between `${` and `}` in an entry of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inner<'a> {
    Secret(&'a str),
    Input(&'a str),
    Variable {
        name: &'a str,
        default: Option<&'a str>,
    },
    /// `userHome` or `workspaceFolder`.
    Folder,
}

impl<'a> Inner<'a> {
    pub fn of(text: &'a str) -> Self {
        if let Some(name) = text.strip_prefix("secret:") {
            return Inner::Secret(name);
        }
        if let Some(id) = text.strip_prefix("input:") {
            return Inner::Input(id);
        }
        if matches!(text, "userHome" | "workspaceFolder") {
            return Inner::Folder;
        }
        let text = text.strip_prefix("env:").unwrap_or(text);
        match text.split_once(":-") {
            Some((name, default)) => Inner::Variable { name, default: Some(default) },
            None => Inner::Variable { name: text, default: None },
        }
    }
}

/// Replaces each reference of ours, a reference within a default being a part of the outer one.
pub(super) fn replace_ours(text: &str, with: &mut dyn FnMut(&str) -> String) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("${") {
        let Some(end) = closing(from) else { break };
        replaced.push_str(before);
        replaced.push_str(&with(from.get(..end).unwrap_or_default()));
        rest = from.get(end + 1..).unwrap_or_default();
    }
    replaced + rest
}

/// Where the brace is closed that was opened before the text.
fn closing(text: &str) -> Option<usize> {
    let (mut open, mut last) = (1_usize, ' ');
    for (place, character) in text.char_indices() {
        match character {
            '{' if last == '$' => open += 1,
            '}' if open == 1 => return Some(place),
            '}' => open -= 1,
            _ => {}
        }
        last = character;
    }
    None
}

/// Replaces each `open…close`; None leaves one as it is.
fn replace(text: &str, (open, close): (&str, &str), with: &dyn Fn(&str) -> Option<String>) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once(open) {
        let Some((inner, after)) = from.split_once(close) else { break };
        replaced.push_str(before);
        replaced.push_str(&with(inner).unwrap_or_else(|| format!("{open}{inner}{close}")));
        rest = after;
    }
    replaced + rest
}

/// The one reference that the text is, after `before`.
pub(super) fn alone<'a>(text: &'a str, before: &str) -> Option<Inner<'a>> {
    let from = text.strip_prefix(before)?.strip_prefix("${")?;
    let end = closing(from)?;
    (end + 1 == from.len()).then(|| Inner::of(from.get(..end).unwrap_or_default()))
}

/// A text of ours as a client spells it. `name_of` is the variable that stands for a secret or for an input there.
pub(super) fn spelled(
    text: &str,
    spelling: Spelling,
    name_of: &dyn Fn(Inner) -> String,
    notice: &mut dyn FnMut(NoticeKind),
) -> String {
    replace_ours(text, &mut |inner| {
        let written = format!("${{{inner}}}");
        let (spelled, kind) = one(&written, Inner::of(inner), spelling, name_of);
        kind.into_iter().for_each(&mut *notice);
        spelled
    })
}

fn one(
    written: &str,
    inner: Inner,
    spelling: Spelling,
    name_of: &dyn Fn(Inner) -> String,
) -> (String, Option<NoticeKind>) {
    let as_it_is = || written.to_owned();
    let unfilled = || (as_it_is(), Some(NoticeKind::Unfilled(as_it_is())));
    let variable = |name: &str| match spelling {
        Spelling::Prefixed | Spelling::Inputs => format!("${{env:{name}}}"),
        Spelling::Braces => format!("{{env:{name}}}"),
        _ => format!("${{{name}}}"),
    };
    match (inner, spelling) {
        (Inner::Secret(_), Spelling::Ours) => (as_it_is(), Some(NoticeKind::Secret(as_it_is()))),
        (_, Spelling::Ours) => (as_it_is(), None),
        (Inner::Secret(_), _) => {
            let name = name_of(inner);
            let reference = match spelling {
                Spelling::Inputs => format!("${{input:{name}}}"),
                Spelling::Secrets => format!("${{{{ secrets.{name} }}}}"),
                _ => variable(&name),
            };
            (reference.clone(), Some(NoticeKind::Secret(reference)))
        }
        (Inner::Input(_), Spelling::Inputs) => (as_it_is(), None),
        (Inner::Input(id), Spelling::Secrets) => (format!("${{{{ inputs.{id} }}}}"), None),
        (Inner::Input(_), _) => {
            let reference = variable(&name_of(inner));
            (reference.clone(), Some(NoticeKind::Secret(reference)))
        }
        (Inner::Folder, Spelling::Prefixed | Spelling::Inputs) => (as_it_is(), None),
        (Inner::Variable { name, default: Some(default) }, Spelling::WithDefaults) => {
            let mut kinds = Vec::new();
            let default = spelled(default, spelling, name_of, &mut |kind| kinds.push(kind));
            (format!("${{{name}:-{default}}}"), kinds.pop())
        }
        (Inner::Variable { default: Some(_), .. } | Inner::Folder, _) => unfilled(),
        (Inner::Variable { .. }, Spelling::Nothing | Spelling::Secrets) => unfilled(),
        (Inner::Variable { name, default: None }, _) => (variable(name), None),
    }
}

/// A text of a client as we spell it.
pub(super) fn ours(text: &str, spelling: Spelling) -> String {
    match spelling {
        Spelling::Secrets => replace(text, ("${{", "}}"), &|inner| {
            let (kind, name) = inner.trim().split_once('.')?;
            match kind {
                "secrets" => Some(format!("${{secret:{name}}}")),
                "inputs" => Some(format!("${{input:{name}}}")),
                _ => None,
            }
        }),
        Spelling::Braces => replace(text, ("{env:", "}"), &|name| Some(format!("${{{name}}}"))),
        _ => text.to_owned(),
    }
}

/// `$NAME` and nothing else, as Gemini fills it in, too.
pub(super) fn bare(text: &str) -> Option<String> {
    let name = text.strip_prefix('$').filter(|name| is_name(name))?;
    Some(format!("${{{name}}}"))
}

/// Whether a variable of the environment can have this name.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}
