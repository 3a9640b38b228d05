//! One configuration file: an object `mcpServers` of entries, as most clients write it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::expand::{Unset, expand};
use crate::fields::{BadField, Fields};
use crate::profile::Profile;
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
    #[error("server `{server}`: `{field}`: {problem}")]
    Field { server: String, field: String, problem: String },
    /// The entry is used all the same.
    #[error("server `{server}`: `{field}` means nothing here; known are {known}")]
    Unknown { server: String, field: String, known: &'static str },
    #[error("server `{server}` has a `url`: this version starts only servers with a `command`")]
    Remote { server: String },
    #[error("server `{server}`: the variable `{variable}` in `{field}` is not set")]
    Unset { server: String, variable: String, field: String },
}

impl EntryError {
    /// The name of the entry, where the problem is one entry's.
    pub fn server(&self) -> Option<&str> {
        match self {
            EntryError::Entry { server, .. }
            | EntryError::Field { server, .. }
            | EntryError::Unknown { server, .. }
            | EntryError::Remote { server }
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
            Ok((spec, unknown)) => {
                specs.push(spec);
                let known = Profile::known_fields();
                let unknown =
                    unknown.into_iter().map(|field| EntryError::Unknown { server: name.clone(), field, known });
                problems.extend(unknown.map(problem));
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

/// One entry of a file. Keys that it does not ask for belong to other clients and are none of our business.
struct Entry<'a> {
    name: &'a str,
    origin: &'a Origin,
    variable: &'a dyn Fn(&str) -> Option<String>,
}

impl Entry<'_> {
    /// The server, and what is written in our own part of the entry but means nothing.
    fn read(&self, text: &RawValue) -> Result<(ServerSpec, Vec<String>), EntryError> {
        let mut fields = Fields::read("", text).ok_or_else(|| self.problem("it must be an object"))?;
        let id = ServerId::from_name(self.name).ok_or_else(|| self.problem("the name is empty"))?;
        let command = self.sound(fields.text("command"))?;
        let url = fields.raw("url");
        let Some(command) = command else {
            return Err(match url {
                Some(_) => EntryError::Remote { server: self.name.to_owned() },
                None => self.problem("there is neither `command` nor `url`"),
            });
        };
        let args = self.sound(fields.texts("args"))?.unwrap_or_default();
        let folder = match self.sound(fields.text("cwd"))? {
            Some(folder) => Some(("cwd", folder)),
            None => self.sound(fields.text("workdir"))?.map(|folder| ("workdir", folder)),
        };
        let env = match self.sound(fields.object("env"))? {
            Some(env) => self.sound(env.each_text())?,
            None => Vec::new(),
        };
        let env_passthrough = self.sound(fields.texts("env_passthrough"))?.unwrap_or_default();
        let (mut profile, unknown) = match self.sound(fields.object("sonde"))? {
            Some(own) => self.sound(Profile::read(own))?,
            None => Default::default(),
        };
        if let Some(roots) = &mut profile.roots {
            for root in roots {
                *root = self.expanded("sonde.roots", root)?;
            }
        }
        let spec = ServerSpec {
            id,
            origin: self.origin.clone(),
            command: self.expanded("command", &command)?,
            args: args.iter().map(|arg| self.expanded("args", arg)).collect::<Result<_, _>>()?,
            written: std::iter::once(command).chain(args).collect(),
            folder: folder.map(|(field, folder)| self.expanded(field, &folder)).transpose()?.map(PathBuf::from),
            env: env
                .into_iter()
                .map(|(name, value)| Ok((name.clone(), self.expanded(&format!("env.{name}"), &value)?)))
                .collect::<Result<_, _>>()?,
            env_passthrough,
            profile,
        };
        Ok((spec, unknown))
    }

    fn problem(&self, problem: &str) -> EntryError {
        EntryError::Entry { server: self.name.to_owned(), problem: problem.to_owned() }
    }

    fn sound<T>(&self, read: Result<T, BadField>) -> Result<T, EntryError> {
        read.map_err(|bad| EntryError::Field { server: self.name.to_owned(), field: bad.field, problem: bad.problem })
    }

    fn expanded(&self, field: &str, text: &str) -> Result<String, EntryError> {
        expand(text, self.variable).map_err(|Unset(variable)| EntryError::Unset {
            server: self.name.to_owned(),
            variable,
            field: field.to_owned(),
        })
    }
}
