//! One configuration file: what it says, and what is wrong with it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::broken;
use crate::definition::{Definition, Missing};
use crate::entry::{Entry, When};
use crate::expand::Variables;
use crate::language::{self, Document, Language, Object, SyntaxError};
use crate::layout::{self, Listing};
use crate::spec::{Origin, ServerSpec};
use crate::text;

/// What is wrong with a file, or with one entry of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    pub file: PathBuf,
    /// Where, as far as that is known.
    pub line: Option<u32>,
    pub error: EntryError,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    #[error("the file can't be read: {0}")]
    Unreadable(String),
    #[error("the file has {0} bytes, which is more than a configuration can have")]
    TooLarge(u64),
    #[error("the file is not valid {language}: {0}", language = .0.language.name())]
    Syntax(Box<SyntaxError>),
    #[error("the file is not valid: {0}")]
    Invalid(String),
    #[error("`{key}`: {problem}")]
    Key { key: &'static str, problem: String },
    #[error("`{key}` is not read, because there are servers under `{used}`")]
    Ignored { key: &'static str, used: &'static str },
    #[error("there are no servers in it, and `{found}` means nothing here")]
    NoServers { found: String },
    #[error("server `{server}`: {problem}")]
    Entry { server: String, problem: String },
    #[error("server `{server}`: there are both `command` and `{address}`; leave one of them out")]
    Both { server: String, address: &'static str },
    #[error("server `{server}`: there is neither `command` nor `url`")]
    Neither { server: String },
    #[error("server `{server}`: {} is there twice: in line {first} and in line {second}", shown(.field.as_deref()))]
    Twice {
        server: String,
        /// None where it is the entry itself.
        field: Option<String>,
        first: u32,
        second: u32,
    },
    #[error("server `{server}`: `{field}`: {problem}")]
    Field { server: String, field: String, problem: String },
    #[error("server `{server}`: `{field}` means nothing here; {}", meant(.field, .known))]
    Unknown { server: String, field: String, known: &'static str },
    #[error("server `{server}`: `{field}`: a `${{` is not closed, and is taken as it is written")]
    Unclosed { server: String, field: String },
    #[error("server `{server}`: `{field}` is no text and is taken as one; put it in quotation marks")]
    TakenAsText { server: String, field: String },
    #[error("server `{server}`: `{field}` is taken as milliseconds; write a unit, as in `30s`")]
    Milliseconds { server: String, field: &'static str },
    #[error("server `{server}`: `{field}`: the secrets in `{headers}` would go to another machine unencrypted")]
    Exposed { server: String, field: &'static str, headers: String },
    #[error("server `{server}`: the variable `{variable}` in `{field}` is not set")]
    Unset { server: String, variable: String, field: String },
    #[error("server `{server}`: {} not been given", listed(.missing))]
    Needed {
        server: String,
        /// Inputs and secrets, each with the field that asks for it.
        missing: Vec<Missing>,
    },
}

/// Whether what has the problem is used all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// It is.
    Warning,
    /// It is not.
    Error,
}

impl EntryError {
    pub fn severity(&self) -> Severity {
        match self {
            EntryError::Unknown { .. }
            | EntryError::Exposed { .. }
            | EntryError::Ignored { .. }
            | EntryError::Key { .. }
            | EntryError::NoServers { .. }
            | EntryError::Unclosed { .. }
            | EntryError::TakenAsText { .. }
            | EntryError::Milliseconds { .. } => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// The name of the entry, where the problem is one entry's.
    pub fn server(&self) -> Option<&str> {
        match self {
            EntryError::Entry { server, .. }
            | EntryError::Both { server, .. }
            | EntryError::Neither { server }
            | EntryError::Twice { server, .. }
            | EntryError::Field { server, .. }
            | EntryError::Unknown { server, .. }
            | EntryError::Unclosed { server, .. }
            | EntryError::TakenAsText { server, .. }
            | EntryError::Milliseconds { server, .. }
            | EntryError::Exposed { server, .. }
            | EntryError::Unset { server, .. }
            | EntryError::Needed { server, .. } => Some(server),
            EntryError::Unreadable(_)
            | EntryError::TooLarge(_)
            | EntryError::Syntax(_)
            | EntryError::Invalid(_)
            | EntryError::Key { .. }
            | EntryError::NoServers { .. }
            | EntryError::Ignored { .. } => None,
        }
    }

    /// The way to the field, where the problem is one field's.
    pub fn field(&self) -> Option<&str> {
        match self {
            EntryError::Field { field, .. }
            | EntryError::Unknown { field, .. }
            | EntryError::Unclosed { field, .. }
            | EntryError::TakenAsText { field, .. }
            | EntryError::Unset { field, .. } => Some(field),
            EntryError::Twice { field, .. } => field.as_deref(),
            EntryError::Milliseconds { field, .. } | EntryError::Exposed { field, .. } => Some(field),
            EntryError::Needed { missing, .. } => missing.first().map(|missing| missing.field.as_str()),
            _ => None,
        }
    }
}

/// A file as it was found.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileReading {
    pub exists: bool,
    /// The names of its entries, those that can't be used too, in their order.
    pub names: Vec<String>,
    /// Those that can't be used have a flaw.
    pub specs: Vec<ServerSpec>,
    pub problems: Vec<FileProblem>,
}

impl FileProblem {
    /// Whether nothing of the file can be used because of it.
    pub fn is_of_whole_file(&self) -> bool {
        self.error.severity() == Severity::Error && self.error.server().is_none()
    }
}

/// Reads a file; a file that does not exist has no servers and no problems.
pub(crate) fn read(origin: &Origin, path: &Path, variables: &dyn Variables) -> FileReading {
    let problem = |line, error| FileProblem { file: path.to_owned(), line, error };
    let mut reading = FileReading { exists: true, ..FileReading::default() };
    let listing = match text::read(path, language::LARGEST) {
        Ok(None) => return FileReading::default(),
        Ok(Some(text)) => listing(&text, Language::of_path(path).unwrap_or(Language::Json)),
        Err(error) => Err(error),
    };
    let listing = match listing {
        Ok(listing) => listing,
        Err(error) => {
            let line = match &error {
                EntryError::Syntax(error) => Some(error.line),
                _ => None,
            };
            reading.problems.push(problem(line, error));
            return reading;
        }
    };
    let defaults = listing.defaults;
    reading.names = listing.names;
    // The same word in a hundred entries is told once.
    let mut told = HashSet::new();
    for (line, error) in listing.problems {
        let problem = problem(line, error);
        if let (Some(server), Severity::Error) = (problem.error.server(), problem.error.severity()) {
            let unread = Definition { line, ..Definition::new(server, Object::default()) };
            reading.specs.extend(broken::listed(&unread, origin, defaults, variables, problem.clone()));
        }
        reading.problems.push(problem);
    }
    for definition in listing.definitions {
        let line = |error: &EntryError| error.field().map_or(definition.line, |field| definition.line_of(field));
        match Entry::new(&definition, origin, defaults, variables, When::Reading).read() {
            Ok((spec, warnings)) => {
                reading.specs.push(spec);
                let new = |warning: &EntryError| match warning {
                    EntryError::Unknown { field, .. } => told.insert(field.clone()),
                    _ => true,
                };
                let new: Vec<_> = warnings.into_iter().filter(new).collect();
                reading.problems.extend(new.into_iter().map(|warning| problem(line(&warning), warning)));
            }
            Err(error) => {
                let problem = problem(line(&error), error);
                reading.specs.extend(broken::listed(&definition, origin, defaults, variables, problem.clone()));
                reading.problems.push(problem);
            }
        }
    }
    let places: HashMap<&str, usize> =
        reading.names.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
    reading.specs.sort_by_key(|spec| places.get(spec.name.as_str()).copied());
    reading
}

/// The entries of a text of ours, as they are written.
pub fn definitions(text: &str, language: Language) -> Result<Vec<Definition>, EntryError> {
    listing(text, language).map(|listing| listing.definitions)
}

fn listing(text: &str, language: Language) -> Result<Listing, EntryError> {
    let document = Document::parse(text, language).map_err(|error| EntryError::Syntax(Box::new(error)))?;
    layout::read(&document)
}

/// The known word that is most like a field, or all of them.
fn meant(field: &str, known: &str) -> String {
    const ALSO: [&str; 6] = ["disabled", "workdir", "transport", "connectTimeout", "autoStart", "serverUrl"];
    let leaf = field.rsplit('.').next().unwrap_or_default();
    let words = known.split([',', ' ', '\n']).filter(|word| !word.is_empty()).chain(ALSO);
    let near = words.map(|word| (distance(leaf, word), word)).min().filter(|(distance, _)| *distance <= 2);
    match near {
        Some((_, word)) => format!("is `{word}` meant?"),
        None => format!("known are {known}"),
    }
}

/// How many letters must be added, taken away or exchanged to make one word of the other, whatever their case.
fn distance(one: &str, other: &str) -> usize {
    // A field is a word; what is longer is like none.
    if one.len().max(other.len()) > 40 {
        return usize::MAX;
    }
    let other: Vec<char> = other.chars().flat_map(char::to_lowercase).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, letter) in one.chars().flat_map(char::to_lowercase).enumerate() {
        let mut next = vec![above + 1];
        for (place, theirs) in other.iter().enumerate() {
            let exchanged = row.get(place).copied().unwrap_or_default() + usize::from(letter != *theirs);
            let added = next.get(place).copied().unwrap_or_default() + 1;
            let taken = row.get(place + 1).copied().unwrap_or_default() + 1;
            next.push(exchanged.min(added).min(taken));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

fn shown(field: Option<&str>) -> String {
    field.map_or_else(|| "its name".to_owned(), |field| format!("`{field}`"))
}

fn listed(missing: &[Missing]) -> String {
    let names: Vec<String> = missing.iter().map(|missing| format!("`${{{}}}`", missing.reference)).collect();
    let verb = if names.len() == 1 { "has" } else { "have" };
    format!("{} {verb}", names.join(", "))
}
