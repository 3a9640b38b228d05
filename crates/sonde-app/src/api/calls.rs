//! Calls of tools.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::error::ApiError;

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

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct Call {
    pub id: u64,
    pub server: String,
    pub tool: String,
    /// JSON text of the arguments that were sent.
    pub arguments: String,
    pub status: CallStatus,
    /// Milliseconds since 1970.
    pub started: i64,
    /// Known once the call has ended.
    pub elapsed_ms: Option<f64>,
    pub progress: Option<Progress>,
    pub result: Option<Payload>,
    pub error: Option<ApiError>,
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
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct CallRequest {
    pub call: u64,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ToolCallsRequest {
    pub server: String,
    pub tool: String,
}
