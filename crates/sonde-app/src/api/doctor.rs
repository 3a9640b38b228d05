//! What a launch doctor found.

use serde::Serialize;
use ts_rs::TS;

use super::error::{ApiError, Fact};

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct Examination {
    pub server: String,
    pub verdict: Verdict,
    /// In one sentence: what was found.
    pub summary: String,
    /// The most likely fix.
    pub fix: Option<String>,
    /// Why it does not become ready.
    pub error: Option<ApiError>,
    /// In the order in which they were done.
    pub steps: Vec<Step>,
    /// Where a bare command is looked for, in this order.
    pub path: Vec<PathEntry>,
    pub environment: Vec<VariableFact>,
    pub stderr_tail: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum Verdict {
    Well,
    /// It works, but something is odd.
    Odd,
    Ill,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct Step {
    /// Like `find the program`, `start the process`, `look up the host`.
    pub name: String,
    pub outcome: StepOutcome,
    /// In one sentence.
    pub found: String,
    pub ms: Option<f64>,
    pub facts: Vec<Fact>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum StepOutcome {
    Well,
    Odd,
    Ill,
    /// Not done, because an earlier step failed.
    Skipped,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct PathEntry {
    pub folder: String,
    /// Like `PATH`, `login shell`, `nvm`.
    pub source: String,
    pub exists: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct VariableFact {
    pub name: String,
    /// Masked where it is or may be a secret.
    pub value: String,
    /// Like `allow-list`, `env_passthrough`, `env`, `env, from the keyring`.
    pub source: String,
}
