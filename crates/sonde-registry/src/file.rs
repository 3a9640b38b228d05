//! One configuration file: an object `mcpServers` of entries, as most clients write it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::entry::Entry;
use crate::spec::{Layer, Origin, ServerSpec};

/// A larger file is no configuration.
const LARGEST: u64 = 4 << 20;

/// What is wrong with a file, or with one entry of it.
#[derive(Debug, PartialEq, Eq)]
pub struct FileProblem {
    pub file: PathBuf,
    pub error: EntryError,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    #[error("the file can't be read: {0}")]
    Unreadable(String),
    #[error("the file has {0} bytes, which is more than a configuration can have")]
    TooLarge(u64),
    #[error("the file is not valid: {0}")]
    Invalid(String),
    #[error("server `{server}`: {problem}")]
    Entry { server: String, problem: String },
    #[error("server `{server}`: `{field}`: {problem}")]
    Field { server: String, field: String, problem: String },
    #[error("server `{server}`: `{field}` means nothing here; known are {known}")]
    Unknown { server: String, field: String, known: &'static str },
    #[error("server `{server}`: `{field}`: the secrets in `{headers}` would go to another machine unencrypted")]
    Exposed { server: String, field: &'static str, headers: String },
    #[error("server `{server}`: the variable `{variable}` in `{field}` is not set")]
    Unset { server: String, variable: String, field: String },
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
            EntryError::Unknown { .. } | EntryError::Exposed { .. } => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// The name of the entry, where the problem is one entry's.
    pub fn server(&self) -> Option<&str> {
        match self {
            EntryError::Entry { server, .. }
            | EntryError::Field { server, .. }
            | EntryError::Unknown { server, .. }
            | EntryError::Exposed { server, .. }
            | EntryError::Unset { server, .. } => Some(server),
            EntryError::Unreadable(_) | EntryError::TooLarge(_) | EntryError::Invalid(_) => None,
        }
    }
}

#[derive(Deserialize)]
struct ConfigFile {
    #[serde(rename = "mcpServers", default)]
    servers: BTreeMap<String, Box<RawValue>>,
}

/// Reads a file; a file that does not exist has no servers and no problems.
pub(crate) fn read(
    path: &Path,
    layer: Layer,
    variable: &dyn Fn(&str) -> Option<String>,
) -> (Vec<ServerSpec>, Vec<FileProblem>) {
    let problem = |error| FileProblem { file: path.to_owned(), error };
    let text = match read_text(path) {
        Ok(Some(text)) => text,
        Ok(None) => return Default::default(),
        Err(error) => return (Vec::new(), vec![problem(error)]),
    };
    let text = text.trim_start_matches('\u{feff}');
    // serde would take an array for the fields in their order, and an empty one for an empty file.
    if text.trim_start().starts_with('[') {
        return (Vec::new(), vec![problem(EntryError::Invalid("it is an array, not an object".to_owned()))]);
    }
    let file: ConfigFile = match serde_json::from_str(text) {
        Ok(file) => file,
        Err(error) => return (Vec::new(), vec![problem(EntryError::Invalid(error.to_string()))]),
    };
    let origin = Origin { layer, file: Some(path.to_owned()) };
    let mut specs = Vec::new();
    let mut problems = Vec::new();
    for (name, text) in file.servers {
        let entry = Entry { name: &name, origin: &origin, variable };
        match entry.read(&text) {
            Ok((spec, warnings)) => {
                specs.push(spec);
                problems.extend(warnings.into_iter().map(problem));
            }
            Err(error) => problems.push(problem(error)),
        }
    }
    (specs, problems)
}

fn read_text(path: &Path) -> Result<Option<String>, EntryError> {
    match path.metadata() {
        // A device or a pipe could be read for ever.
        Ok(facts) if !facts.is_file() => return Err(EntryError::Unreadable("it is not a file".to_owned())),
        Ok(facts) if facts.len() > LARGEST => return Err(EntryError::TooLarge(facts.len())),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(EntryError::Unreadable(error.to_string())),
    }
    std::fs::read_to_string(path).map(Some).map_err(|error| EntryError::Unreadable(error.to_string()))
}
