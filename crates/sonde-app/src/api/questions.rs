//! Questions of servers that wait for an answer: sampling and elicitation.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Question {
    pub number: u64,
    pub server: String,
    /// `sampling/createMessage` or `elicitation/create`.
    pub method: String,
    /// JSON text, verbatim; only the beginning of it where it is `clipped`.
    pub params: Option<String>,
    pub clipped: bool,
    /// Bytes of all params.
    pub size: u64,
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

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct QuestionRequest {
    pub number: u64,
}

/// An address that a question asks to visit, as it would be opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct LinkDetail {
    pub url: String,
    /// As the system sees it; empty where there is none.
    pub host: String,
    /// What speaks against it, in words.
    pub warnings: Vec<String>,
    /// Why it is not opened, where it is not.
    pub refusal: Option<String>,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct CheckAnswerRequest {
    pub number: u64,
    /// JSON text of the `content` of an answer.
    pub content: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct RefusedQuestions {
    pub refused: u64,
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
