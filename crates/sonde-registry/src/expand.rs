//! `${NAME}` and its kin in configuration values. Never a shell.

use std::path::{Path, PathBuf};

/// Defaults within defaults. Nobody writes more of them.
pub(crate) const DEEPEST: usize = 8;

/// What a value refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reference<'a> {
    /// `${NAME}` and `${env:NAME}`.
    Env(&'a str),
    /// `${input:ID}`: what a person is asked for.
    Input(&'a str),
    /// `${secret:NAME}`: what the vault keeps.
    Secret(&'a str),
    /// `${userHome}`
    UserHome,
    /// `${workspaceFolder}`: the folder of the project.
    WorkspaceFolder,
}

/// What is known about a reference.
#[derive(Clone, PartialEq, Eq)]
pub enum Lookup {
    Value(String),
    /// It has no value; a default stands in, and without one it is an error.
    Unset,
    /// It will have one when the server is started: until then the reference stays as it is written.
    Later,
}

/// Where values come from.
pub trait Variables {
    fn look_up(&self, reference: &Reference) -> Lookup;
}

/// The variables of an environment, a home and a project. Inputs and secrets come later.
pub struct Surroundings<'a> {
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    pub home: Option<PathBuf>,
    pub project: PathBuf,
}

impl Variables for Surroundings<'_> {
    fn look_up(&self, reference: &Reference) -> Lookup {
        let folder = |folder: &Path| folder.to_str().map(str::to_owned);
        let value = match reference {
            Reference::Env(name) => (self.variable)(name),
            Reference::UserHome => self.home.as_deref().and_then(folder),
            Reference::WorkspaceFolder => folder(&self.project),
            Reference::Input(_) | Reference::Secret(_) => return Lookup::Later,
        };
        value.map_or(Lookup::Unset, Lookup::Value)
    }
}

/// Variables alone: no home, no project, and nothing that a person gives.
impl<F: Fn(&str) -> Option<String>> Variables for F {
    fn look_up(&self, reference: &Reference) -> Lookup {
        match reference {
            Reference::Env(name) => self(name).map_or(Lookup::Unset, Lookup::Value),
            Reference::UserHome | Reference::WorkspaceFolder => Lookup::Unset,
            Reference::Input(_) | Reference::Secret(_) => Lookup::Later,
        }
    }
}

impl<'a> Reference<'a> {
    /// By what stands between the braces, before any default.
    pub fn parse(inner: &'a str) -> Self {
        match inner {
            "userHome" => Reference::UserHome,
            "workspaceFolder" => Reference::WorkspaceFolder,
            _ => match inner.split_once(':') {
                Some(("env", name)) => Reference::Env(name),
                Some(("input", id)) => Reference::Input(id),
                Some(("secret", name)) => Reference::Secret(name),
                _ => Reference::Env(inner),
            },
        }
    }

    /// Every reference in a text, those in defaults too.
    pub fn all_in(text: &'a str) -> Vec<Self> {
        let mut found = Vec::new();
        collect(text, 0, &mut found);
        found
    }

    /// Whether something is opened in a text and never closed.
    pub(crate) fn is_unclosed_in(text: &str) -> bool {
        let mut rest = text;
        while let Some(part) = next(rest) {
            rest = part.after;
        }
        rest.contains("${")
    }

    /// What each reference of a text falls back to: what it refers to, and where the default stands. Defaults within
    /// defaults are not looked into.
    pub(crate) fn defaults_in(text: &'a str) -> Vec<(&'a str, std::ops::Range<usize>)> {
        let mut found = Vec::new();
        let mut rest = text;
        while let Some(part) = next(rest) {
            if let Some(default) = part.default {
                // A default ends where the braces do.
                let end = text.len() - part.after.len() - 1;
                found.push((part.name, end - default.len()..end));
            }
            rest = part.after;
        }
        found
    }

    /// The text with a word in the place of each reference, chosen by what stands before it.
    pub(crate) fn replaced_in(text: &str, word: fn(&str) -> &'static str) -> String {
        let (mut replaced, mut rest) = (String::new(), text);
        while let Some(part) = next(rest) {
            replaced.push_str(part.before);
            replaced.push_str(word(&replaced));
            rest = part.after;
        }
        replaced + rest
    }

    /// Whether a person gives it, to this program alone.
    pub fn is_given(&self) -> bool {
        matches!(self, Reference::Input(_) | Reference::Secret(_))
    }
}

impl std::fmt::Display for Reference<'_> {
    /// As it is written, without the braces; the prefix of a plain variable is left out.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reference::Env(name) => formatter.write_str(name),
            Reference::Input(id) => write!(formatter, "input:{id}"),
            Reference::Secret(name) => write!(formatter, "secret:{name}"),
            Reference::UserHome => formatter.write_str("userHome"),
            Reference::WorkspaceFolder => formatter.write_str("workspaceFolder"),
        }
    }
}

impl std::fmt::Debug for Lookup {
    /// A value may be a secret.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Lookup::Value(_) => "Value([redacted])",
            Lookup::Unset => "Unset",
            Lookup::Later => "Later",
        })
    }
}

/// A text whose references have been looked up.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Expanded {
    pub text: String,
    /// Values that are in the text now. They may be secrets.
    pub filled: Vec<String>,
    /// References that a person has not given a value yet; they are still there as they were written.
    pub missing: Vec<String>,
}

/// What has neither a value nor a default, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unset(pub String);

pub(crate) fn expand(text: &str, variables: &dyn Variables) -> Result<Expanded, Unset> {
    let mut expanded = Expanded { text: String::with_capacity(text.len()), ..Expanded::default() };
    fill(text, variables, 0, &mut expanded)?;
    Ok(expanded)
}

fn fill(text: &str, variables: &dyn Variables, depth: usize, into: &mut Expanded) -> Result<(), Unset> {
    let mut rest = text;
    while let Some(part) = next(rest).filter(|_| depth < DEEPEST) {
        into.text.push_str(part.before);
        rest = part.after;
        if let Some(value) = built(part.name, variables) {
            into.text.push_str(&value);
            continue;
        }
        let reference = Reference::parse(part.name);
        match (variables.look_up(&reference), part.default) {
            (Lookup::Value(value), _) => {
                into.text.push_str(&value);
                into.filled.push(value);
            }
            (Lookup::Unset, Some(default)) => fill(default, variables, depth + 1, into)?,
            (Lookup::Later, _) => {
                into.text.push_str(part.whole);
                into.missing.push(reference.to_string());
            }
            (Lookup::Unset, None) if reference.is_given() => {
                into.text.push_str(part.whole);
                into.missing.push(reference.to_string());
            }
            (Lookup::Unset, None) => return Err(Unset(reference.to_string())),
        }
    }
    into.text.push_str(rest);
    Ok(())
}

/// What other clients write for parts of a path.
fn built(name: &str, variables: &dyn Variables) -> Option<String> {
    match name {
        "pathSeparator" | "/" => Some(std::path::MAIN_SEPARATOR.to_string()),
        "workspaceFolderBasename" => match variables.look_up(&Reference::WorkspaceFolder) {
            Lookup::Value(folder) => Path::new(&folder).file_name()?.to_str().map(str::to_owned),
            Lookup::Unset | Lookup::Later => None,
        },
        _ => None,
    }
}

fn collect<'a>(text: &'a str, depth: usize, found: &mut Vec<Reference<'a>>) {
    let mut rest = text;
    while let Some(part) = next(rest).filter(|_| depth < DEEPEST) {
        rest = part.after;
        found.push(Reference::parse(part.name));
        if let Some(default) = part.default {
            collect(default, depth + 1, found);
        }
    }
}

/// A reference in a text.
struct Part<'a> {
    before: &'a str,
    /// With its braces.
    whole: &'a str,
    name: &'a str,
    default: Option<&'a str>,
    after: &'a str,
}

/// The next reference; none where nothing more is opened and closed.
fn next(text: &str) -> Option<Part<'_>> {
    let start = text.find("${")?;
    let (before, from) = text.split_at(start);
    let mut open = 0_usize;
    let mut end = None;
    for (place, character) in from.char_indices() {
        match character {
            '{' if from.get(..place).is_some_and(|before| before.ends_with('$')) => open += 1,
            '}' if open == 1 => {
                end = Some(place);
                break;
            }
            '}' => open -= 1,
            _ => {}
        }
    }
    let (whole, after) = from.split_at(end? + 1);
    let inner = whole.get(2..whole.len() - 1)?;
    let (name, default) = match inner.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    Some(Part { before, whole, name, default, after })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<Expanded, Unset> {
        let variable = |name: &str| (name == "HOME").then(|| "/home/ada".to_owned());
        let project = PathBuf::from("/home/ada/shop");
        expand(text, &Surroundings { variable: &variable, home: Some("/home/ada".into()), project })
    }

    #[test]
    fn variables_defaults_and_plain_text_expand_and_an_unset_one_is_named() {
        let text = |written: &str| expanded(written).map(|expanded| expanded.text);
        assert_eq!(text("${HOME}/x-${env:HOME}"), Ok("/home/ada/x-/home/ada".into()));
        assert_eq!(text("${PORT:-80}"), Ok("80".into()), "the default stands in");
        assert_eq!(text("${PORT:-${HOME}}!"), Ok("/home/ada!".into()), "also one that refers to something");
        assert_eq!(text("${PORT:-${OTHER:-${HOME}}}"), Ok("/home/ada".into()));
        assert_eq!(text("${TOKEN}"), Err(Unset("TOKEN".into())));
        assert_eq!(text("${PORT:-${TOKEN}}"), Err(Unset("TOKEN".into())), "the one that is missing");
        assert_eq!(text("$HOME %HOME% ${open"), Ok("$HOME %HOME% ${open".into()), "anything else is plain text");
        assert_eq!(text("${userHome}|${workspaceFolder}"), Ok("/home/ada|/home/ada/shop".into()));
        assert_eq!(text("${workspaceFolderBasename}"), Ok("shop".into()));
        assert_eq!(text(&"${A:-".repeat(5000)), Ok("${A:-".repeat(5000)), "nothing of it is closed");
    }

    #[test]
    fn what_was_filled_in_is_known_and_what_comes_later_stays_as_it_is_written() {
        let filled = expanded("${HOME}/x-${env:HOME:-y}${Z:-1}").unwrap().filled;
        assert_eq!(filled, ["/home/ada", "/home/ada"], "a default is written in the file for all to read");
        let pending = expanded("Bearer ${secret:T}${input:id:-x}${HOME}").unwrap();
        assert_eq!(pending.text, "Bearer ${secret:T}${input:id:-x}/home/ada");
        assert_eq!(pending.missing, ["secret:T", "input:id"]);
        assert!(expanded("${HOME}").unwrap().missing.is_empty());
        let found = Reference::all_in("${A:-${secret:B}} ${input:c} $D");
        assert_eq!(found, [Reference::Env("A"), Reference::Secret("B"), Reference::Input("c")]);
    }
}
