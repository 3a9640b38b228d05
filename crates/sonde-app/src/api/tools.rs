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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum EntryChange {
    New,
    Changed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Icon {
    pub media: String,
    pub base64: String,
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
    /// `required`, `optional` or `forbidden`, as the server says.
    pub task: Option<String>,
    /// The first that is a small picture within the entry itself; none is ever fetched.
    pub icon: Option<Icon>,
    /// How it differs from what the person has seen.
    pub change: Option<EntryChange>,
    /// It can't be called while it differs from what it was pinned as.
    pub pinned: bool,
    /// Why this entry can't be called, if it can't.
    pub problem: Option<String>,
}

/// A tool that the person has seen and that is not there any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct GoneTool {
    pub name: String,
    pub pinned: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ToolList {
    pub tools: Vec<ToolSummary>,
    pub gone: Vec<GoneTool>,
    /// Which list it is: what the person says of it holds for no other.
    pub catalog_revision: u64,
    /// False while pages are still arriving.
    pub complete: bool,
    /// Why the listing stopped early, if it did.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ToolDetail {
    pub summary: ToolSummary,
    /// The name that it is called by; the summary may have only its beginning.
    pub name: String,
    pub description: Option<String>,
    /// JSON texts, verbatim.
    pub input_schema: Option<String>,
    pub output_schema: Option<String>,
    pub definition: String,
    /// What became of its icons, where there are some that are not shown.
    pub icons: Option<String>,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ToolRequest {
    pub server: String,
    pub index: u32,
}

/// A definition as the person has seen it, and as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ToolChange {
    /// JSON texts; none where it was not there.
    pub before: Option<String>,
    pub after: Option<String>,
    /// SHA-256 of each, in hexadecimal digits.
    pub before_sha256: Option<String>,
    pub after_sha256: Option<String>,
    /// When the person saw the former, in milliseconds since 1970.
    pub seen: Option<i64>,
}

/// A tool by its name, since it may be gone.
#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct NamedTool {
    pub server: String,
    pub tool: String,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AcceptRequest {
    pub server: String,
    /// None means all of them.
    pub tool: Option<String>,
    /// Of the list that the person looked at; another one by now is refused.
    pub catalog_revision: u64,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PinRequest {
    pub server: String,
    pub tool: String,
    pub pinned: bool,
    /// Of the list that the person looked at; another one by now is refused.
    pub catalog_revision: u64,
}
