//! Questions of servers that wait for an answer: sampling and elicitation.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Question {
    pub number: u64,
    pub server: String,
    /// `sampling/createMessage` or `elicitation/create`.
    pub method: String,
    /// JSON text, verbatim.
    pub params: Option<String>,
    /// Milliseconds since 1970.
    pub asked: i64,
    /// The call during which it was asked, where that is certain.
    pub call: Option<u64>,
    /// The task it belongs to.
    pub task: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct QuestionList {
    /// Oldest first.
    pub questions: Vec<Question>,
}

/// The result or the error, and not both.
#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AnswerRequest {
    pub number: u64,
    /// JSON text of an object.
    pub result: Option<String>,
    pub error: Option<ReplyError>,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ReplyError {
    pub code: i64,
    pub message: String,
    /// JSON text.
    pub data: Option<String>,
}
