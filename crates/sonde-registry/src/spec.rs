//! A server as its configuration describes it.

use std::fmt::Write as _;
use std::path::PathBuf;

/// A server's name, made of letters, digits, `_` and `-` only; every other byte is percent-encoded.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServerId(String);

impl ServerId {
    /// None for an empty name.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut id = String::with_capacity(name.len());
        for byte in name.bytes() {
            if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' {
                id.push(char::from(byte));
            } else {
                write!(id, "%{byte:02X}").ok()?;
            }
        }
        (!id.is_empty()).then_some(ServerId(id))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for ServerId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// How near a server's configuration is; a nearer one hides a farther one of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    BuiltIn,
    Global,
    Project,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub layer: Layer,
    /// None for a server that is built in.
    pub file: Option<PathBuf>,
}

/// A server that can be started, as written down. Only [`crate::load`] and [`ServerSpec::built_in`] make one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerSpec {
    pub id: ServerId,
    pub origin: Origin,
    pub command: String,
    pub args: Vec<String>,
    /// None means the folder of the project.
    pub folder: Option<PathBuf>,
    /// Values for this server alone.
    pub env: Vec<(String, String)>,
    /// Names of our own variables that it may see.
    pub env_passthrough: Vec<String>,
}

impl ServerSpec {
    /// A server that ships with the program. It needs no approval, because it is the program.
    pub fn built_in(name: &str, command: String, args: Vec<String>) -> Option<Self> {
        Some(ServerSpec {
            id: ServerId::from_name(name)?,
            origin: Origin { layer: Layer::BuiltIn, file: None },
            command,
            args,
            folder: None,
            env: Vec::new(),
            env_passthrough: Vec::new(),
        })
    }

    pub fn is_built_in(&self) -> bool {
        self.origin.layer == Layer::BuiltIn
    }
}
