//! What a person is told when something fails.

use serde::Serialize;
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ApiError {
    /// What callers branch on.
    pub code: ErrorCode,
    pub title: String,
    pub message: String,
    pub hint: Option<String>,
    /// The causes, outermost first.
    pub chain: Vec<String>,
    /// Named facts: command, exit code, stderr lines, file.
    pub context: Vec<Fact>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Fact {
    pub name: String,
    pub value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum ErrorCode {
    InvalidRequest,
    /// Arguments that are not what the tool's schema says; each fact is one violation.
    InvalidArguments,
    TooLarge,
    Busy,
    UnknownServer,
    UnknownTool,
    UnknownEntry,
    UnknownCall,
    UnknownQuestion,
    UnknownRow,
    NotReady,
    /// Not sent, because it does not fit what was agreed. It can be sent anyway.
    Objected,
    /// A secret or an input that nobody has given yet; each fact names one.
    InputNeeded,
    /// The server is switched off.
    Disabled,
    ApprovalNeeded,
    ApprovalDenied,
    Configuration,
    /// A name that is taken.
    Conflict,
    /// A tool that is pinned and is no longer what it was.
    Pinned,
    /// Where to write something, which only a person may say.
    PlaceNeeded,
    StartFailed,
    HandshakeFailed,
    ConnectionLost,
    /// An HTTP exchange that brought no answer.
    HttpFailed,
    ServerError,
    Timeout,
    Cancelled,
    Storage,
    Internal,
}

impl ApiError {
    pub fn new(code: ErrorCode, title: impl Into<String>, message: impl Into<String>) -> Self {
        ApiError {
            code,
            title: title.into(),
            message: message.into(),
            hint: None,
            chain: Vec::new(),
            context: Vec::new(),
        }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn fact(mut self, name: &str, value: impl Into<String>) -> Self {
        self.context.push(Fact { name: name.to_owned(), value: value.into() });
        self
    }

    /// What may be why, the likeliest first, one in a line.
    pub fn causes<T: AsRef<str>>(self, causes: &[T]) -> Self {
        let causes: Vec<&str> = causes.iter().map(AsRef::as_ref).collect();
        if causes.is_empty() { self } else { self.fact("likely causes", causes.join("\n")) }
    }

    /// Adds the causes of an error, not the error itself.
    pub fn because(mut self, error: &dyn std::error::Error) -> Self {
        let mut cause = error.source();
        while let Some(error) = cause {
            self.chain.push(error.to_string());
            cause = error.source();
        }
        self
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.title, self.message)?;
        for fact in &self.context {
            match fact.value.contains('\n') {
                true => write!(formatter, "\n  {}:\n    {}", fact.name, fact.value.replace('\n', "\n    "))?,
                false => write!(formatter, "\n  {}: {}", fact.name, fact.value)?,
            }
        }
        for cause in &self.chain {
            write!(formatter, "\n  because: {cause}")?;
        }
        match &self.hint {
            Some(hint) => write!(formatter, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}
