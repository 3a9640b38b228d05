//! Everything that all connected servers offer, under one search.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// Words; each must be in the name, the title or the server's name. Empty finds everything.
    pub query: String,
    /// At most 200.
    pub limit: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct SearchResult {
    pub hits: Vec<Hit>,
    /// How many there are, shown or not.
    pub total: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Hit {
    pub kind: HitKind,
    pub server: String,
    /// The name of a tool or prompt, the URI of a resource, the template itself.
    pub name: String,
    pub title: Option<String>,
    /// `mcp:<server>.<tool>` for a tool.
    pub full_name: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum HitKind {
    Server,
    Tool,
    Resource,
    Template,
    Prompt,
}
