//! A server as its configuration describes it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::profile::Profile;
use crate::reach::{CommandLine, Reach};
use crate::typed::{TypedError, TypedServer};

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

    /// What a person who writes `name` means: an id as it is, and anything else as a name in a configuration.
    pub fn meant(name: &str) -> Option<Self> {
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || b"_-%".contains(&byte);
        match !name.is_empty() && name.bytes().all(is_id) {
            true => Some(ServerId(name.to_owned())),
            false => ServerId::from_name(name),
        }
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
    /// A command or an address that a person typed on a terminal.
    Typed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub layer: Layer,
    /// None for a server that is built in or typed.
    pub file: Option<PathBuf>,
}

/// A server that can be started or reached, as written down. Only [`crate::load`], [`ServerSpec::built_in`] and
/// [`crate::Registry::add_typed`] make one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerSpec {
    pub id: ServerId,
    pub origin: Origin,
    pub reach: Reach,
    /// How to speak to it, as far as its entry says.
    pub profile: Profile,
}

impl ServerSpec {
    /// A server that ships with the program. It needs no approval, because it is the program.
    pub fn built_in(name: &str, command: String, args: Vec<String>) -> Option<Self> {
        Some(ServerSpec {
            id: ServerId::from_name(name)?,
            origin: Origin { layer: Layer::BuiltIn, file: None },
            reach: Reach::Command(CommandLine {
                written: std::iter::once(&command).chain(&args).cloned().collect(),
                command,
                args,
                ..CommandLine::default()
            }),
            profile: Profile::default(),
        })
    }

    pub(crate) fn typed(typed: TypedServer, free: impl Fn(&ServerId) -> bool) -> Result<Self, TypedError> {
        let (name, reach) = typed.sound()?;
        let names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}-{number}")));
        let id = names.map_while(|name| ServerId::from_name(&name)).find(free).ok_or(TypedError::NoProgram)?;
        let origin = Origin { layer: Layer::Typed, file: None };
        Ok(ServerSpec { id, origin, reach, profile: Profile::default() })
    }

    /// The folder that its entry names.
    pub fn folder(&self) -> Option<&Path> {
        match &self.reach {
            Reach::Command(line) => line.folder.as_deref(),
            Reach::Url(_) => None,
        }
    }

    pub fn is_built_in(&self) -> bool {
        self.origin.layer == Layer::BuiltIn
    }

    /// Whether somebody must have looked at the command, or at the address, before anything is started or sent.
    pub fn needs_approval(&self) -> bool {
        match self.origin.layer {
            Layer::BuiltIn | Layer::Typed => false,
            Layer::Global | Layer::Project => true,
        }
    }
}
