//! One configuration file: an object `mcpServers` of entries, as most clients write it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::expand::{Unset, expand};
use crate::spec::{Layer, Origin, ServerId, ServerSpec};

/// A larger file is no configuration.
const LARGEST: u64 = 4 << 20;

/// Why a file, or one entry of it, is not used.
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
    #[error("server `{server}` has a `url`: this version starts only servers with a `command`")]
    Remote { server: String },
    #[error("server `{server}`: the variable `{variable}` in `{field}` is not set")]
    Unset { server: String, variable: String, field: String },
}

impl EntryError {
    /// The name of the entry, where the problem is one entry's.
    pub fn server(&self) -> Option<&str> {
        match self {
            EntryError::Entry { server, .. } | EntryError::Remote { server } | EntryError::Unset { server, .. } => {
                Some(server)
            }
            EntryError::Unreadable(_) | EntryError::TooLarge(_) | EntryError::Invalid(_) => None,
        }
    }
}

#[derive(Deserialize)]
struct ConfigFile {
    #[serde(rename = "mcpServers", default)]
    servers: BTreeMap<String, serde_json::Value>,
}

/// Keys that are not listed belong to other clients and are none of our business.
#[derive(Deserialize)]
struct Entry {
    command: Option<String>,
    url: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    env_passthrough: Vec<String>,
    #[serde(alias = "workdir")]
    cwd: Option<String>,
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
    for (name, entry) in file.servers {
        match read_entry(&name, entry, &origin, variable) {
            Ok(spec) => specs.push(spec),
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

fn read_entry(
    name: &str,
    entry: serde_json::Value,
    origin: &Origin,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<ServerSpec, EntryError> {
    let problem = |problem: &str| EntryError::Entry { server: name.to_owned(), problem: problem.to_owned() };
    let entry: Entry = serde_json::from_value(entry).map_err(|error| problem(&error.to_string()))?;
    let id = ServerId::from_name(name).ok_or_else(|| problem("the name is empty"))?;
    let command = match (entry.command, entry.url) {
        (Some(command), _) => command,
        (None, Some(_)) => return Err(EntryError::Remote { server: name.to_owned() }),
        (None, None) => return Err(problem("there is neither `command` nor `url`")),
    };
    let expanded = |field: &str, text: &str| {
        expand(text, variable).map_err(|Unset(variable)| EntryError::Unset {
            server: name.to_owned(),
            variable,
            field: field.to_owned(),
        })
    };
    Ok(ServerSpec {
        id,
        origin: origin.clone(),
        command: expanded("command", &command)?,
        args: entry.args.iter().map(|arg| expanded("args", arg)).collect::<Result<_, _>>()?,
        folder: entry.cwd.map(|folder| expanded("cwd", &folder)).transpose()?.map(PathBuf::from),
        env: entry
            .env
            .iter()
            .map(|(name, value)| Ok((name.clone(), expanded(&format!("env.{name}"), value)?)))
            .collect::<Result<_, _>>()?,
        env_passthrough: entry.env_passthrough,
    })
}
