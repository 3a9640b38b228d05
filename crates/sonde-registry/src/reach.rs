//! How a server is reached: by running a command, or by HTTP.

use std::path::PathBuf;

use url::Url;

use crate::env_file::EnvFile;
use crate::language::Object;
use crate::secret::masked_words;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    Command(CommandLine),
    Url(Box<RemoteSpec>),
}

/// A program to run, and to speak to over its standard input and output.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct CommandLine {
    pub command: String,
    pub args: Vec<String>,
    /// The same as it is written down, its variables not filled in. A secret may stand in it in clear: see
    /// [`CommandLine::shown`].
    pub written: Vec<String>,
    /// None means the folder of the project.
    pub folder: Option<PathBuf>,
    /// The same as it is written down.
    pub written_folder: Option<String>,
    /// Values for this server alone.
    pub env: Vec<(String, String)>,
    /// Those that stand in the entry, as they are written down.
    pub written_env: Vec<(String, String)>,
    /// Names of our own variables that it may see.
    pub env_passthrough: Vec<String>,
    /// A file of further variables. It is read when the server is started; its values are in `env` then.
    pub env_file: Option<Box<EnvFile>>,
}

impl CommandLine {
    /// The words as they are written down, with names in the places of secrets: these may be shown.
    pub fn shown(&self) -> Vec<String> {
        masked_words(&self.written)
    }
}

/// A server that runs somewhere and answers by HTTP.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteSpec {
    /// `http` or `https`, with a host, without a user and without a fragment.
    pub url: Url,
    /// The same as it is written down, its variables not filled in.
    pub written: String,
    /// The values of those variables: nobody may read them, wherever they turn up.
    pub filled: Vec<String>,
    pub dialect: Dialect,
    pub headers: Vec<HeaderSpec>,
    pub proxy: Proxy,
    /// Certificates of further authorities. A relative path is meant from the folder of the project.
    pub ca_file: Option<PathBuf>,
    pub client_certificate: Option<PathBuf>,
    pub client_key: Option<PathBuf>,
    /// SHA-256 of the one certificate that is trusted.
    pub trust: Option<[u8; 32]>,
    /// How often a request that can't run twice is sent again to a server that is too busy for it.
    pub retries: u32,
    /// By how much the pause before each further try grows, in thousandths.
    pub backoff: u32,
}

impl RemoteSpec {
    /// Where nobody says otherwise.
    pub const RETRIES: u32 = 3;
    pub const BACKOFF: u32 = 1500;
}

impl Reach {
    /// An entry that says the same, for a server that has none.
    pub(crate) fn written(&self) -> Object {
        let mut entry = Object::default();
        match self {
            Reach::Command(line) => {
                entry.set("command", line.command.as_str());
                if !line.args.is_empty() {
                    entry.set("args", line.args.clone());
                }
                if !line.env.is_empty() {
                    entry.set("env", line.env.iter().map(|(name, value)| (name, value.as_str())).collect::<Object>());
                }
                if let Some(folder) = &line.folder {
                    entry.set("cwd", folder.to_string_lossy().into_owned());
                }
            }
            Reach::Url(remote) => {
                if remote.dialect != Dialect::Auto {
                    entry.set("type", remote.dialect.as_str());
                }
                entry.set("url", remote.written.as_str());
                if !remote.headers.is_empty() {
                    let headers = remote.headers.iter().map(|header| (&header.name, header.written.as_str()));
                    entry.set("headers", headers.collect::<Object>());
                }
            }
        }
        entry
    }
}

/// Which of the two HTTP transports is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Nobody said.
    #[default]
    Auto,
    /// Streamable HTTP.
    Http,
    /// HTTP with SSE, of revision 2024-11-05.
    Sse,
}

/// By which way the server is reached.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Proxy {
    /// Nobody said: as the environment says.
    #[default]
    System,
    /// Directly, whatever the environment says.
    Never,
    /// The address may have a user and a password in it.
    By(Url),
}

/// A header that goes with every request.
#[derive(Clone, PartialEq, Eq)]
pub struct HeaderSpec {
    pub name: String,
    pub value: String,
    /// The value as it is written down, its variables not filled in.
    pub written: String,
    /// True where nobody may read the value.
    pub secret: bool,
}

impl RemoteSpec {
    /// Scheme, host and port: whom the headers are for.
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Whether anybody on the way could read what is a secret.
    pub(crate) fn is_exposed(&self) -> bool {
        self.url.scheme() == "http" && !is_loopback(&self.url) && self.headers.iter().any(|header| header.secret)
    }
}

impl Dialect {
    pub fn as_str(self) -> &'static str {
        match self {
            Dialect::Auto => "auto",
            Dialect::Http => "http",
            Dialect::Sse => "sse",
        }
    }

    /// By any of the words that are in use for it.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "auto" | "remote" => Some(Dialect::Auto),
            "http" | "streamable-http" | "streamable" | "streamableHttp" | "streamable_http" => Some(Dialect::Http),
            "sse" => Some(Dialect::Sse),
            _ => None,
        }
    }
}

impl Proxy {
    /// Without the user and the password.
    pub fn shown(&self) -> Option<String> {
        match self {
            Proxy::System => None,
            Proxy::Never => Some("none".to_owned()),
            Proxy::By(url) => Some(url.origin().ascii_serialization()),
        }
    }
}

impl std::fmt::Debug for CommandLine {
    /// What was filled in may be secret, and so may the value of any variable.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.env.iter().map(|(name, _)| name.as_str()).collect();
        let mut shown = formatter.debug_struct("CommandLine");
        shown.field("written", &self.written).field("folder", &self.folder).field("env", &names);
        shown.field("env_passthrough", &self.env_passthrough).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for RemoteSpec {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("RemoteSpec");
        shown.field("origin", &self.origin()).field("dialect", &self.dialect).field("headers", &self.headers);
        shown.finish_non_exhaustive()
    }
}

impl std::fmt::Debug for HeaderSpec {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("HeaderSpec").field("name", &self.name).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.shown().as_deref().unwrap_or("System"))
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
