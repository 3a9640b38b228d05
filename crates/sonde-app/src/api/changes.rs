//! How a front door learns that something is new.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Changes {
    pub revision: u64,
    pub log_total: i64,
    /// Bytes of the log on disk.
    pub log_bytes: u64,
    /// Frames that could not be written; zero unless the disk failed.
    pub log_lost: u64,
    /// Why recording is not going to disk, if it is not.
    pub recording_problem: Option<String>,
    /// Bumped when any server's state changes.
    pub servers_revision: u64,
    /// Bumped when a question is asked, answered or withdrawn.
    pub questions_revision: u64,
    /// Calls that changed since the revision asked about.
    pub calls: Vec<u64>,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ChangesRequest {
    pub since: u64,
}

/// For commands that take or give nothing.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(type = "Record<string, never>")]
#[serde(deny_unknown_fields)]
pub struct Nothing {}
