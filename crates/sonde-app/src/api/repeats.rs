//! One call, many times.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::error::ApiError;

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RepeatToolRequest {
    pub server: String,
    pub tool: String,
    pub arguments: String,
    pub times: u32,
    /// How many may be under way at the same time.
    pub at_once: u32,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RepeatRequest {
    pub repeat: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct Repeat {
    pub id: u64,
    pub server: String,
    pub tool: String,
    pub times: u32,
    pub at_once: u32,
    pub running: bool,
    /// Calls that ended, well or not.
    pub done: u32,
    /// Of these: the tool said that it failed, the server answered with an error, or no answer came.
    pub tool_errors: u32,
    pub protocol_errors: u32,
    pub unanswered: u32,
    pub elapsed_ms: f64,
    /// Of the calls that were answered, in milliseconds.
    pub shortest_ms: Option<f64>,
    pub p50_ms: Option<f64>,
    pub p95_ms: Option<f64>,
    pub p99_ms: Option<f64>,
    pub longest_ms: Option<f64>,
    /// What the first failure said.
    pub first_error: Option<ApiError>,
}
