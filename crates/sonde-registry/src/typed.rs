//! Servers that a person typed on a terminal. Typing one is its approval.

use std::path::{Path, PathBuf};

use crate::reach::{CommandLine, Dialect, HeaderSpec, Proxy, Reach, RemoteSpec};
use crate::sound;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedServer {
    Command(TypedCommand),
    Url(TypedUrl),
}

#[derive(Clone, Default, PartialEq, Eq)]
pub struct TypedCommand {
    /// The program and its arguments.
    pub command: Vec<String>,
    pub env: Vec<(String, String)>,
    /// None means the folder in which it was typed.
    pub folder: Option<PathBuf>,
}

/// An address, and how to go there. Nothing of it has been checked.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct TypedUrl {
    pub url: String,
    pub dialect: Dialect,
    pub headers: Vec<(String, String)>,
    /// `none` or an address.
    pub proxy: Option<String>,
    /// None is the usual number.
    pub retries: Option<u32>,
    pub ca_file: Option<PathBuf>,
    pub client_certificate: Option<PathBuf>,
    pub client_key: Option<PathBuf>,
    /// `sha256:` and the digits.
    pub trust: Option<String>,
}

/// Why what was typed can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TypedError {
    #[error("no program was typed")]
    NoProgram,
    #[error("`{part}`: {problem}")]
    Part {
        /// What was typed: the name of a flag, with the name of the header where it is one.
        part: String,
        problem: String,
    },
}

impl TypedServer {
    /// The name that it would have if no other server had it, and how it is reached.
    pub(crate) fn sound(self) -> Result<(String, Reach), TypedError> {
        match self {
            TypedServer::Command(typed) => typed.sound().map(|(name, line)| (name, Reach::Command(line))),
            TypedServer::Url(typed) => typed.sound().map(|(name, remote)| (name, Reach::Url(Box::new(remote)))),
        }
    }
}

impl From<TypedCommand> for TypedServer {
    fn from(typed: TypedCommand) -> Self {
        TypedServer::Command(typed)
    }
}

impl From<TypedUrl> for TypedServer {
    fn from(typed: TypedUrl) -> Self {
        TypedServer::Url(typed)
    }
}

impl TypedCommand {
    fn sound(self) -> Result<(String, CommandLine), TypedError> {
        let written = self.command.clone();
        let mut words = self.command.into_iter();
        let command = words.next().ok_or(TypedError::NoProgram)?;
        let name =
            Path::new(&command).file_stem().map_or_else(|| command.clone(), |stem| stem.to_string_lossy().into());
        let line = CommandLine {
            command,
            args: words.collect(),
            written,
            written_folder: self.folder.as_ref().map(|folder| folder.display().to_string()),
            folder: self.folder,
            written_env: self.env.clone(),
            env: self.env,
            ..CommandLine::default()
        };
        Ok((name, line))
    }
}

impl TypedUrl {
    fn sound(self) -> Result<(String, RemoteSpec), TypedError> {
        let part = |part: &str| {
            let part = part.to_owned();
            |problem| TypedError::Part { part, problem }
        };
        let url = sound::url(&self.url).map_err(part("--url"))?;
        let mut headers: Vec<HeaderSpec> = Vec::new();
        for (name, value) in self.headers {
            let flag = format!("--header {name}");
            if headers.iter().any(|header| header.name.eq_ignore_ascii_case(&name)) {
                return Err(part(&flag)(sound::TWICE.to_owned()));
            }
            headers.push(sound::header(&name, value.clone(), value).map_err(part(&flag))?);
        }
        let remote = RemoteSpec {
            written: url.to_string(),
            filled: Vec::new(),
            headers,
            dialect: self.dialect,
            proxy: match self.proxy {
                Some(text) => sound::proxy(&text).map_err(part("--proxy"))?,
                None => Proxy::System,
            },
            ca_file: self.ca_file,
            client_certificate: self.client_certificate,
            client_key: self.client_key,
            trust: self.trust.map(|text| sound::pin(&text).map_err(part("--trust"))).transpose()?,
            retries: self.retries.unwrap_or(RemoteSpec::RETRIES),
            backoff: RemoteSpec::BACKOFF,
            url,
        };
        let host = remote.url.host_str().unwrap_or_default();
        // A name that is an id as it stands is read more easily in every line of a log.
        let name = host.trim_matches(']').replace('[', "ipv6-").replace(['.', ':'], "-");
        Ok((name, remote))
    }
}

impl std::fmt::Debug for TypedCommand {
    /// Arguments and values may be secrets.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TypedCommand").field("program", &self.command.first()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for TypedUrl {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TypedUrl").finish_non_exhaustive()
    }
}
