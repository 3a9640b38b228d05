//! Requests to servers: calls of tools, and any other.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::error::ApiError;
use super::tasks::TaskSummary;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum CallStatus {
    Running,
    Ok,
    ToolError,
    ProtocolError,
    Cancelled,
    Timeout,
    Lost,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct Progress {
    pub progress: f64,
    pub total: Option<f64>,
    pub message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Payload {
    /// JSON text, verbatim; the first part of it when `shown` is less than `size`.
    pub text: String,
    pub shown: u64,
    pub size: u64,
}

/// One place where a value is not what its schema says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Violation {
    /// A JSON pointer into the value; empty for the whole.
    pub path: String,
    /// A pointer to what would have to change: for a member that is missing or not allowed, the member.
    pub place: String,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct Call {
    pub id: u64,
    pub server: String,
    pub method: String,
    /// What the request is about, whole: the tool, the uri, the prompt.
    pub target: Option<String>,
    /// The tool of a `tools/call`; empty for any other request.
    pub tool: String,
    /// JSON text of the arguments of a tool, or of the params of another request, as far as they are kept.
    pub arguments: String,
    pub status: CallStatus,
    /// Milliseconds since 1970.
    pub started: i64,
    /// Known once the call has ended.
    pub elapsed_ms: Option<f64>,
    pub progress: Option<Progress>,
    /// The task that the server made of it, as it was last heard of.
    pub task: Option<TaskSummary>,
    pub result: Option<Payload>,
    pub error: Option<ApiError>,
    /// Where `structuredContent` is not what the tool's `outputSchema` says.
    pub violations: Vec<Violation>,
    /// What could not be checked, and why.
    pub note: Option<String>,
    /// The JSON-RPC id, verbatim, which is also the `id` of the row in the log.
    pub request_id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct CallList {
    pub calls: Vec<Call>,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct CallToolRequest {
    pub server: String,
    pub tool: String,
    pub arguments: String,
    /// Whether arguments that do not fit the tool's schema are refused; they are sent if not given.
    #[ts(optional)]
    pub validate: Option<bool>,
    /// JSON text of an object whose members go into `_meta`.
    #[ts(optional)]
    pub meta: Option<String>,
    #[ts(optional)]
    pub timeout_ms: Option<u64>,
    /// Set where the call is to become a task; its result is then the call's.
    #[ts(optional)]
    pub task: Option<TaskRequest>,
}

/// Arguments that a person is still writing.
#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct CheckArgumentsRequest {
    pub server: String,
    pub tool: String,
    pub arguments: String,
}

/// What the tool's schema says of arguments. They can be sent all the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ArgumentsCheck {
    pub violations: Vec<Violation>,
    /// Why nothing was checked, if nothing was.
    pub note: Option<String>,
}

/// Any request, as a person wants it.
#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SendRequest {
    pub server: String,
    pub method: String,
    /// JSON text.
    pub params: Option<String>,
    /// JSON text of an object whose members go into `_meta`.
    pub meta: Option<String>,
    pub timeout_ms: Option<u64>,
    /// How long it may go without progress.
    pub silence_ms: Option<u64>,
    /// Set where the request is to become a task.
    pub task: Option<TaskRequest>,
    /// Sent even if it does not fit what was agreed.
    pub anyway: bool,
    /// Whether arguments that do not fit a tool's schema are refused.
    pub validate: bool,
}

#[derive(Debug, Clone, Copy, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TaskRequest {
    /// How long the server should keep it.
    pub ttl_ms: Option<u64>,
}

/// Any bytes: as text, or as base64 where they are none.
#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RawRequest {
    pub server: String,
    pub text: Option<String>,
    pub base64: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct RawCalls {
    /// One for each request with an id among the bytes.
    pub calls: Vec<Call>,
    pub connection: i64,
    /// The last row of the log before the bytes.
    pub after: i64,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct CallRequest {
    pub call: u64,
}

/// The calls about one thing.
#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct CallsRequest {
    pub server: String,
    pub method: String,
    /// The tool, the uri or the prompt.
    pub target: String,
}
