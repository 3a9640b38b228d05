//! The tasks of a server.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct TaskSummary {
    pub id: String,
    /// `working`, `input_required`, `completed`, `failed` or `cancelled`, or whatever the server says.
    pub status: String,
    pub message: Option<String>,
    /// As the server wrote it.
    pub created: Option<String>,
    pub updated: Option<String>,
    /// How long the server keeps it; none is without end, or unsaid.
    pub ttl_ms: Option<u64>,
    pub poll_ms: Option<u64>,
    /// JSON text, verbatim.
    pub definition: String,
    /// Why the entry can't be used, if it can't.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct TaskList {
    pub tasks: Vec<TaskSummary>,
    /// Why the listing stopped early, if it did.
    pub problem: Option<String>,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TaskName {
    pub server: String,
    pub task: String,
}
