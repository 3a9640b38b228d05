//! Servers: which there are and how they stand.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::error::ApiError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum Layer {
    BuiltIn,
    Global,
    Project,
    /// A command typed on a terminal.
    Typed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Origin {
    pub layer: Layer,
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
    pub origin: Origin,
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
    pub problem: Option<ApiError>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct ConfigProblem {
    pub file: String,
    pub error: ApiError,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct ServerList {
    pub servers: Vec<ServerSummary>,
    pub problems: Vec<ConfigProblem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Launch {
    pub command: String,
    /// The binary that `command` resolves to; none when it can't be found.
    pub resolved: Option<String>,
    pub args: Vec<String>,
    pub folder: String,
    pub env_names: Vec<String>,
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
    pub exit: Option<String>,
    pub stderr_tail: Vec<String>,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ServerRequest {
    pub server: String,
}
