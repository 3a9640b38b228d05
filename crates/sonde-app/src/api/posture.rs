//! How a server is spoken to, and what a person edited about it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What holds the next time the server is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct PostureDetail {
    /// JSON texts.
    pub client_info: String,
    pub capabilities: String,
    /// A revision, or `auto`.
    pub protocol: String,
    /// False: connected without `initialize`.
    pub negotiate: bool,
    /// Absolute folders.
    pub roots: Vec<String>,
    /// Bytes beyond which a line is cut; none means the limit of the transport.
    pub longest_line: Option<u64>,
    pub timeout_ms: u64,
    pub connect_timeout_ms: u64,
    pub silence_ms: Option<u64>,
    /// What of it a person edited.
    pub edited: PostureEdit,
    /// The revisions there are, oldest first.
    pub revisions: Vec<String>,
}

/// An absent field is as the server's configuration says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields, default)]
pub struct PostureEdit {
    pub client_info: Option<String>,
    pub capabilities: Option<String>,
    pub protocol: Option<String>,
    pub negotiate: Option<bool>,
    pub roots: Option<Vec<String>>,
    pub longest_line: Option<u64>,
    pub timeout_ms: Option<u64>,
    pub connect_timeout_ms: Option<u64>,
    pub silence_ms: Option<u64>,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct EditPostureRequest {
    pub server: String,
    pub edit: PostureEdit,
}
