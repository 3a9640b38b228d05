//! What went wrong, and the exit status that says so.

use std::io;

use serde_json::value::RawValue;
use sonde_app::{ApiError, ErrorCode};

/// The exit status. Scripts depend on the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Ok,
    /// The tool itself says that it failed.
    ToolError,
    /// Usage, configuration or invalid arguments.
    Usage,
    /// The server did not become ready, whatever the cause.
    NotReady,
    /// The server answered with an error, or went away.
    Failed,
    /// A request had no answer in time.
    TimedOut,
    Interrupted,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::ToolError => 1,
            Exit::Usage => 2,
            Exit::NotReady => 3,
            Exit::Failed => 4,
            Exit::TimedOut => 5,
            Exit::Interrupted => 130,
        }
    }
}

/// Why a command ended before its end.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    /// What to tell; nothing where it has been told, or where nobody listens any more.
    pub error: Option<Box<ApiError>>,
    /// The error that the server answered with, as it was sent.
    pub answer: Option<Box<RawValue>>,
}

impl Failure {
    /// What was typed can't be done.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::told(Exit::Usage, ApiError::new(ErrorCode::InvalidRequest, "Usage", message))
    }

    /// Before there was a server to ask.
    pub fn before_ready(error: ApiError) -> Self {
        let exit = match error.code {
            ErrorCode::UnknownServer | ErrorCode::Configuration | ErrorCode::InvalidRequest => Exit::Usage,
            ErrorCode::Cancelled => Exit::Interrupted,
            _ => Exit::NotReady,
        };
        Failure::told(exit, error)
    }

    /// After the server was ready.
    pub fn after_ready(error: ApiError) -> Self {
        Failure::told(exit_after_ready(error.code), error)
    }

    pub fn told(exit: Exit, error: ApiError) -> Self {
        // The core says that it can be sent anyway; how is for the front door to say, where that is all there is to do.
        let knows_how = error.hint.as_deref().is_some_and(|hint| hint.contains("--anyway"));
        let error = match error.code {
            ErrorCode::Objected if !knows_how => {
                error.hint("--anyway sends it all the same, to see what the server does")
            }
            _ => error,
        };
        Failure { exit, error: Some(Box::new(error)), answer: None }
    }

    pub fn interrupted() -> Self {
        Failure { exit: Exit::Interrupted, error: None, answer: None }
    }

    /// Whether it failed for want of something that a person could give.
    pub fn needs_input(&self) -> bool {
        self.error.as_ref().is_some_and(|error| error.code == ErrorCode::InputNeeded)
    }

    pub fn with_answer(mut self, answer: Box<RawValue>) -> Self {
        self.answer = Some(answer);
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.error = self.error.map(|error| Box::new(error.hint(hint)));
        self
    }
}

pub fn exit_after_ready(code: ErrorCode) -> Exit {
    match code {
        ErrorCode::Timeout => Exit::TimedOut,
        ErrorCode::InvalidRequest
        | ErrorCode::InvalidArguments
        | ErrorCode::Objected
        | ErrorCode::UnknownServer
        | ErrorCode::UnknownTool
        | ErrorCode::TooLarge
        | ErrorCode::Configuration => Exit::Usage,
        ErrorCode::NotReady => Exit::NotReady,
        _ => Exit::Failed,
    }
}

/// Writing what was found is the last thing that can fail. Whoever reads may have had enough: `sonde tools | head`.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure { exit: Exit::Ok, error: None, answer: None },
            _ => Failure::told(
                Exit::Failed,
                ApiError::new(ErrorCode::Internal, "Output failed", format!("the output can't be written: {error}")),
            ),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Failure::told(Exit::Failed, ApiError::new(ErrorCode::Internal, "Internal error", error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_error_exits_by_when_it_happened() {
        let error = |code| ApiError::new(code, "x", "y");
        assert_eq!(Failure::before_ready(error(ErrorCode::Timeout)).exit.code(), 3, "not ready, whatever the cause");
        assert_eq!(Failure::before_ready(error(ErrorCode::ApprovalNeeded)).exit.code(), 3);
        assert_eq!(Failure::before_ready(error(ErrorCode::UnknownServer)).exit.code(), 2, "nobody has that name");
        assert_eq!(Failure::after_ready(error(ErrorCode::Timeout)).exit.code(), 5);
        assert_eq!(Failure::after_ready(error(ErrorCode::ServerError)).exit.code(), 4);
        assert_eq!(Failure::after_ready(error(ErrorCode::ConnectionLost)).exit.code(), 4);
        assert_eq!(Failure::after_ready(error(ErrorCode::InvalidArguments)).exit.code(), 2);
    }

    #[test]
    fn how_to_send_it_anyway_is_said_beside_what_else_there_is() {
        let told = |hint: &str| {
            let failure = Failure::after_ready(ApiError::new(ErrorCode::Objected, "x", "y").hint(hint));
            failure.error.and_then(|error| error.hint).unwrap_or_default()
        };
        assert!(told("it can be sent anyway").contains("--anyway"));
        assert_eq!(told("add `--task`, or `--anyway`"), "add `--task`, or `--anyway`", "that is more than we know");
    }

    #[test]
    fn a_reader_that_had_enough_is_no_failure() {
        let closed = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!((closed.exit.code(), closed.error.is_none()), (0, true));
    }
}
