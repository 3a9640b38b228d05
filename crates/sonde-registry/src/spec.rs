//! A server as its configuration describes it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::definition::Definition;
use crate::entry::{Entry, When};
use crate::expand::Variables;
use crate::file::{EntryError, FileProblem};
use crate::profile::Profile;
use crate::reach::{CommandLine, Reach};
use crate::typed::{TypedError, TypedServer};

/// Characters of the longest id. It stands in every line of a log.
const LONGEST_ID: usize = 128;

/// A server's name, made of letters, digits, `_` and `-` only; every other byte is percent-encoded. A long name is cut,
/// and its hash put at the end.
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
        if id.len() > LONGEST_ID {
            let hash = Sha256::digest(name.as_bytes());
            let hash: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            let mut end = LONGEST_ID - hash.len() - 1;
            // No half of an escape is kept.
            while id.get(end - 2..end).is_some_and(|tail| tail.contains('%')) {
                end -= 1;
            }
            id.truncate(end);
            write!(id, "-{hash}").ok()?;
        }
        (!id.is_empty()).then_some(ServerId(id))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What a person who writes `name` means: an id as it is, and anything else as a name in a configuration.
    pub fn meant(name: &str) -> Option<Self> {
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || b"_-%".contains(&byte);
        match !name.is_empty() && name.len() <= LONGEST_ID && name.bytes().all(is_id) {
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
    /// A folder above the project.
    Ancestor,
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

/// A server that can be started or reached, as written down. Only [`crate::load`], [`ServerSpec::read`],
/// [`ServerSpec::built_in`] and [`crate::Registry::add_typed`] make one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerSpec {
    pub id: ServerId,
    /// As it is written. It may be long and have anything in it: the id stands for it everywhere but before a person.
    pub name: String,
    pub origin: Origin,
    /// The farther entries of the same id that it hides, nearest first.
    pub overrides: Vec<Origin>,
    pub reach: Reach,
    /// How to speak to it, as far as its entry says.
    pub profile: Profile,
    /// False: it is not connected until somebody enables it.
    pub enabled: bool,
    /// Connected when the program starts.
    pub auto_start: bool,
    /// A server without tools is as good as one that failed.
    pub fail_if_no_tools: bool,
    /// Connected again, with growing pauses, when it ends by itself.
    pub reconnect: bool,
    /// How often it is asked whether it is alive.
    pub ping: Option<Duration>,
    /// What all of this was read from.
    pub definition: Definition,
    /// What its file says for all of its servers.
    pub(crate) defaults: Defaults,
    /// Why its entry can't be used. Such a server is listed, and never started; what is here of it is what could be read.
    pub flaw: Option<Box<FileProblem>>,
}

/// What a file says for each of its servers that does not say otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Defaults {
    /// True: none of them is enabled, whatever it says itself.
    pub disabled: bool,
    pub connect_timeout: Option<Duration>,
}

impl ServerSpec {
    /// What an entry says: the server, and what is odd about the entry though it is used. Inputs and secrets stay as they
    /// are written, and no file is read.
    pub fn read(
        definition: &Definition,
        origin: &Origin,
        variables: &dyn Variables,
    ) -> Result<(Self, Vec<EntryError>), EntryError> {
        Entry::new(definition, origin, Defaults::default(), variables, When::Reading).read()
    }

    /// The same server, its references looked up anew, to be started now. What has no value even now is an error.
    pub fn fill(&self, variables: &dyn Variables) -> Result<Self, EntryError> {
        if matches!(self.origin.layer, Layer::BuiltIn | Layer::Typed) {
            return Ok(self.clone());
        }
        let entry = Entry::new(&self.definition, &self.origin, self.defaults, variables, When::Launching);
        let (spec, _told_before) = entry.read()?;
        Ok(ServerSpec { overrides: self.overrides.clone(), ..spec })
    }

    /// A server that ships with the program. It needs no approval, because it is the program.
    pub fn built_in(name: &str, command: String, args: Vec<String>) -> Option<Self> {
        let line = CommandLine {
            written: std::iter::once(&command).chain(&args).cloned().collect(),
            command,
            args,
            ..CommandLine::default()
        };
        let origin = Origin { layer: Layer::BuiltIn, file: None };
        Some(Self::plain(ServerId::from_name(name)?, name.to_owned(), origin, Reach::Command(line)))
    }

    pub(crate) fn typed(typed: TypedServer, free: impl Fn(&ServerId) -> bool) -> Result<Self, TypedError> {
        let (name, reach) = typed.sound()?;
        let names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}-{number}")));
        let mut ids = names.map_while(|name| Some((ServerId::from_name(&name)?, name)));
        let (id, name) = ids.find(|(id, _)| free(id)).ok_or(TypedError::NoProgram)?;
        Ok(Self::plain(id, name, Origin { layer: Layer::Typed, file: None }, reach))
    }

    /// One that no entry describes.
    pub(crate) fn plain(id: ServerId, name: String, origin: Origin, reach: Reach) -> Self {
        ServerSpec {
            id,
            origin,
            overrides: Vec::new(),
            definition: Definition::new(name.clone(), reach.written()),
            name,
            reach,
            profile: Profile::default(),
            enabled: true,
            auto_start: false,
            fail_if_no_tools: false,
            reconnect: false,
            ping: None,
            defaults: Defaults::default(),
            flaw: None,
        }
    }

    /// A text of its entry as it is written, by the way to it, as in `sonde.caFile`.
    pub fn written(&self, way: &str) -> Option<&str> {
        let mut names = way.split('.');
        let mut node = self.definition.entry.get(names.next()?)?;
        for name in names {
            node = node.value.as_object()?.get(name)?;
        }
        node.value.as_text()
    }

    /// The folder that its entry names.
    pub fn folder(&self) -> Option<&Path> {
        match &self.reach {
            Reach::Command(line) => line.folder.as_deref(),
            Reach::Url(_) => None,
        }
    }

    /// Whether its file switches all of its servers off, whatever their entries say.
    pub fn is_off_by_its_file(&self) -> bool {
        self.defaults.disabled
    }

    pub fn is_built_in(&self) -> bool {
        self.origin.layer == Layer::BuiltIn
    }

    /// Whether somebody must have looked at the command, or at the address, before anything is started or sent.
    pub fn needs_approval(&self) -> bool {
        match self.origin.layer {
            Layer::BuiltIn | Layer::Typed => false,
            Layer::Global | Layer::Ancestor | Layer::Project => true,
        }
    }
}
