//! A server as its configuration describes it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::profile::Profile;

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

    /// Whether a person who writes `name` means this server: by its id, or by the name as the configuration has it.
    pub fn answers_to(&self, name: &str) -> bool {
        self.0 == name || ServerId::from_name(name).as_ref() == Some(self)
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
    /// A command that a person typed on a terminal.
    Typed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub layer: Layer,
    /// None for a server that is built in or typed.
    pub file: Option<PathBuf>,
}

/// A server that can be started, as written down. Only [`crate::load`], [`ServerSpec::built_in`] and
/// [`crate::Registry::add_typed`] make one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerSpec {
    pub id: ServerId,
    pub origin: Origin,
    pub command: String,
    pub args: Vec<String>,
    /// The same as it is written down, its variables not filled in: their values may be secrets, and this may be shown.
    pub written: Vec<String>,
    /// None means the folder of the project.
    pub folder: Option<PathBuf>,
    /// Values for this server alone.
    pub env: Vec<(String, String)>,
    /// Names of our own variables that it may see.
    pub env_passthrough: Vec<String>,
    /// How to speak to it, as far as its entry says.
    pub profile: Profile,
}

/// A command line that a person typed. Typing it is its approval.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypedServer {
    /// The program and its arguments.
    pub command: Vec<String>,
    pub env: Vec<(String, String)>,
    /// None means the folder in which it was typed.
    pub folder: Option<PathBuf>,
}

impl ServerSpec {
    /// A server that ships with the program. It needs no approval, because it is the program.
    pub fn built_in(name: &str, command: String, args: Vec<String>) -> Option<Self> {
        Some(ServerSpec {
            id: ServerId::from_name(name)?,
            origin: Origin { layer: Layer::BuiltIn, file: None },
            written: std::iter::once(&command).chain(&args).cloned().collect(),
            command,
            args,
            folder: None,
            env: Vec::new(),
            env_passthrough: Vec::new(),
            profile: Profile::default(),
        })
    }

    /// None where there is no program.
    pub(crate) fn typed(typed: TypedServer, free: impl Fn(&ServerId) -> bool) -> Option<Self> {
        let written = typed.command.clone();
        let mut words = typed.command.into_iter();
        let command = words.next()?;
        let stem =
            Path::new(&command).file_stem().map_or_else(|| command.clone(), |stem| stem.to_string_lossy().into());
        let names = std::iter::once(stem.clone()).chain((2..).map(|number| format!("{stem}-{number}")));
        let id = names.map_while(|name| ServerId::from_name(&name)).find(free)?;
        Some(ServerSpec {
            id,
            origin: Origin { layer: Layer::Typed, file: None },
            command,
            args: words.collect(),
            written,
            folder: typed.folder,
            env: typed.env,
            env_passthrough: Vec::new(),
            profile: Profile::default(),
        })
    }

    pub fn is_built_in(&self) -> bool {
        self.origin.layer == Layer::BuiltIn
    }

    /// Whether somebody must have looked at the command before it may start.
    pub fn needs_approval(&self) -> bool {
        match self.origin.layer {
            Layer::BuiltIn | Layer::Typed => false,
            Layer::Global | Layer::Project => true,
        }
    }
}
