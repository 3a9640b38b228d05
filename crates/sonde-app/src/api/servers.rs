//! Servers: which there are and how they stand.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::catalog::CatalogName;
use super::configuration::{Arrangement, Difference};
use super::error::ApiError;
use super::http::TlsFacts;
use super::log::Severity;
use super::secrets::Keeper;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum Layer {
    BuiltIn,
    Global,
    /// A folder above the project.
    Ancestor,
    Project,
    /// A command or an address typed on a terminal.
    Typed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Origin {
    pub layer: Layer,
    /// With `~` for the home folder.
    pub file: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum ServerState {
    Stopped,
    Starting,
    Ready,
    Stopping,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct ServerSummary {
    pub id: String,
    /// As the configuration has it.
    pub name: String,
    pub origin: Origin,
    /// The farther entries of the same name that it hides, nearest first.
    pub overrides: Vec<Origin>,
    pub enabled: bool,
    pub auto_start: bool,
    /// The configuration differs from what it was last connected with.
    pub changed: bool,
    /// How often it was started again since a person started it.
    pub restarts: u32,
    /// There while it waits to be connected again.
    pub retry: Option<Retry>,
    /// `stdio`, `http` or `sse`.
    pub transport: String,
    pub state: ServerState,
    /// When the state began, in milliseconds since 1970.
    pub since: i64,
    /// What a starting or stopping server is waiting for.
    pub phase: Option<String>,
    pub revision: Option<String>,
    pub pid: Option<u32>,
    /// Round trip of `initialize`, in milliseconds.
    pub latency_ms: Option<f64>,
    pub tool_count: Option<u32>,
    pub resource_count: Option<u32>,
    pub template_count: Option<u32>,
    pub prompt_count: Option<u32>,
    /// Bumped whenever a list of the server changes; a window refetches them only then.
    pub catalog_revision: u64,
    /// Bumped whenever a subscription, a task or the log level of the server changes.
    pub news_revision: u64,
    /// The level that was last set, once one was.
    pub log_level: Option<String>,
    pub problem: Option<ApiError>,
    /// What is wrong with its configuration. An error: its entry can't be used, and it can't be connected. A warning: its
    /// file can't be read now, and it goes by what that said before.
    pub flaw: Option<ConfigProblem>,
    /// Lists that did not come, or not whole, though the server is ready; `refresh_catalog` asks again.
    pub list_problems: Vec<ListProblem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ListProblem {
    pub catalog: CatalogName,
    pub error: ApiError,
}

/// The next try of a server that ended by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Retry {
    pub attempt: u32,
    pub most: u32,
    /// In milliseconds since 1970.
    pub at: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct ConfigProblem {
    pub file: String,
    /// A warning where the server is used all the same.
    pub severity: Severity,
    pub error: ApiError,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct ServerList {
    /// In the order of the arrangement.
    pub servers: Vec<ServerSummary>,
    pub arrangement: Arrangement,
    pub problems: Vec<ConfigProblem>,
    pub keeper: Keeper,
}

/// How a server is reached, without anything secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[ts(tag = "kind", rename_all = "kebab-case")]
pub enum Launch {
    Command(CommandLaunch),
    Url(UrlLaunch),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct CommandLaunch {
    pub command: String,
    /// The binary that `command` resolves to; none when it can't be found.
    pub resolved: Option<String>,
    pub args: Vec<String>,
    pub folder: String,
    pub env_names: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct UrlLaunch {
    /// As it is written, its variables not filled in.
    pub url: String,
    /// Whom it means: scheme, host and port.
    pub origin: String,
    /// `auto`, `http` or `sse`.
    pub dialect: String,
    pub headers: Vec<ShownHeader>,
    /// None means as the environment says; `none` means directly.
    pub proxy: Option<String>,
    pub ca_file: Option<String>,
    pub client_certificate: Option<String>,
    pub client_key: Option<String>,
    /// The one certificate that is trusted: `sha256:` and its digits.
    pub trust: Option<String>,
}

impl UrlLaunch {
    /// Everything that decides who is spoken to and what they are given, for a person to look at. Of the headers only
    /// the names: a yes holds for any value.
    pub fn facts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let headers: Vec<&str> = self.headers.iter().map(|header| header.name.as_str()).collect();
        let headers = if headers.is_empty() { "none".to_owned() } else { headers.join(", ") };
        let transport = match self.dialect.as_str() {
            "http" => "Streamable HTTP",
            "sse" => "HTTP with SSE",
            _ => "Streamable HTTP, or HTTP with SSE",
        };
        let facts = [
            ("origin", Some(self.origin.clone())),
            ("url", Some(self.url.clone())),
            ("transport", Some(transport.to_owned())),
            ("headers", Some(headers)),
            ("proxy", Some(self.proxy.clone().unwrap_or_else(|| "as the environment says".to_owned()))),
            ("authorities", self.ca_file.clone()),
            ("certificate", self.client_certificate.clone()),
            ("key", self.client_key.clone()),
            ("trusts only", self.trust.clone()),
        ];
        facts.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ShownHeader {
    pub name: String,
    /// Masked where it is a secret.
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct ServerDetail {
    pub summary: ServerSummary,
    pub launch: Launch,
    /// JSON text, verbatim, of what the server said of itself in `initialize`.
    pub server_info: Option<String>,
    pub server_capabilities: Option<String>,
    /// What we declared, or will declare.
    pub client_capabilities: String,
    pub instructions: Option<String>,
    /// The revision that we asked for.
    pub offered_revision: Option<String>,
    /// What its lists come to.
    pub definitions: Vec<ListSize>,
    /// Masked; two that are the same look the same.
    #[ts(optional)]
    pub session: Option<String>,
    /// There once an encrypted connection was made.
    #[ts(optional)]
    pub tls: Option<TlsFacts>,
    pub exit: Option<String>,
    pub stderr_tail: Vec<String>,
    /// There while a process of the server runs.
    pub process: Option<ProcessFacts>,
    /// What a person should know of its newest start, as that a script is not the one they approved.
    pub notices: Vec<String>,
    /// How its configuration differs from what it was last connected with.
    pub differences: Vec<Difference>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
pub struct ListSize {
    pub catalog: CatalogName,
    pub entries: u32,
    /// Of the definitions, as they were sent.
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct Pong {
    /// How long the answer took.
    pub ms: f64,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LogLevelRequest {
    pub server: String,
    pub level: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ProcessFacts {
    pub pid: u32,
    /// When it was started, in milliseconds since 1970.
    pub started: i64,
    /// Of the process and all its descendants; none where the system does not tell.
    pub memory: Option<u64>,
    pub processes: u32,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ServerRequest {
    pub server: String,
}
