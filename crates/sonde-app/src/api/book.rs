//! What a person keeps between starts: saved calls, the arguments last used, variables.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct SavedCall {
    pub id: i64,
    pub server: String,
    pub method: String,
    /// The tool, the uri or the prompt.
    pub target: String,
    /// As the person named it.
    pub name: String,
    /// JSON text.
    pub arguments: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct SavedCallList {
    pub calls: Vec<SavedCall>,
}

/// Saves a call; one of the same name for the same thing is replaced.
#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SaveCallRequest {
    pub server: String,
    pub method: String,
    pub target: String,
    pub name: String,
    pub arguments: String,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SavedCallRequest {
    pub id: i64,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RecallRequest {
    pub server: String,
    pub method: String,
    pub target: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Recalled {
    /// JSON text of the arguments that were last sent, if they were kept.
    pub arguments: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Variable {
    pub name: String,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct VariableList {
    pub variables: Vec<Variable>,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SetVariableRequest {
    pub name: String,
    /// None removes it.
    pub value: Option<String>,
}
