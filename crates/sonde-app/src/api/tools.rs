//! The tools of a server.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
pub struct ToolHints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ToolSummary {
    /// The place in the list; the key, since names may repeat.
    pub index: u32,
    pub name: String,
    pub title: Option<String>,
    /// The first 300 characters.
    pub description: Option<String>,
    pub hints: ToolHints,
    /// Why this entry can't be called, if it can't.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ToolList {
    pub tools: Vec<ToolSummary>,
    /// False while pages are still arriving.
    pub complete: bool,
    /// Why the listing stopped early, if it did.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ToolDetail {
    pub summary: ToolSummary,
    pub description: Option<String>,
    /// JSON texts, verbatim.
    pub input_schema: Option<String>,
    pub output_schema: Option<String>,
    pub definition: String,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ToolRequest {
    pub server: String,
    pub index: u32,
}
