//! A request that brought no result. Three kinds are told apart: the server answered with an error, the way to it
//! broke, and what should not happen.

use sonde_client::{Answer, CallError, Ending};
use sonde_protocol::Objection;
use sonde_registry::ServerSpec;

use super::connect::lost;
use super::http;
use super::server::{facts, named};
use crate::api::error::{ApiError, ErrorCode};

/// A request whose answer can no longer come.
pub(crate) fn lost_call(spec: &ServerSpec, method: &str, ending: &Ending) -> ApiError {
    if ending.by_us {
        let message = format!("server `{}` was disconnected before it answered `{method}`", spec.id);
        let told = facts(ApiError::new(ErrorCode::ConnectionLost, "Disconnected", message), spec);
        return told.causes(&["somebody disconnected it"]).hint("connect it, then ask again");
    }
    let told = lost(spec, ending);
    ApiError { message: format!("{} before it answered `{method}`", told.message), ..told }
}

pub(crate) fn call(spec: &ServerSpec, error: &CallError) -> ApiError {
    let (code, title) = match error {
        CallError::Http(failure) => return http::request(spec, failure),
        CallError::Oversized(_) => (ErrorCode::TooLarge, "Answer too large"),
        CallError::Lost => (ErrorCode::ConnectionLost, "Connection lost"),
        CallError::NotRead => (ErrorCode::Busy, "Server is not reading"),
        CallError::Cancelled => (ErrorCode::Cancelled, "Cancelled"),
        CallError::TimedOut(_) | CallError::Silent(_) => (ErrorCode::Timeout, "Timed out"),
        CallError::Objected { .. } | CallError::NoBatches => (ErrorCode::Objected, "Not sent"),
        CallError::Unwritable(_) => (ErrorCode::InvalidRequest, "Request can't be written"),
    };
    let told = facts(ApiError::new(code, title, named(spec, &error.to_string())), spec);
    match error {
        CallError::NotRead => {
            told.causes(&["it is busy with something else, or hangs"]).hint("wait for it, or disconnect it")
        }
        CallError::TimedOut(_) | CallError::Silent(_) => told
            .causes(&["what was asked takes longer than that", "the server hangs, or waits for something itself"])
            .hint("a longer `timeout` gives it time"),
        CallError::Objected { objection, .. } => match objection {
            Objection::Undeclared { by, capability } => told
                .fact("missing capability", format!("`{capability}` of the {by}"))
                .hint("it can be sent anyway, to see what the server does"),
            Objection::NotInRevision { since } => told
                .fact("since", since.as_str())
                .hint("it can be sent anyway, or the server asked for a newer revision"),
            Objection::UnknownMethod | Objection::WrongSender => told.hint("it can be sent anyway"),
        },
        CallError::NoBatches => told.hint("it can be sent anyway"),
        CallError::Oversized(_) => told.hint("a larger `longestLine` in the server's entry takes more"),
        CallError::Lost => told
            .causes(&["the server ended, or was disconnected, in that moment"])
            .hint("connect again; the log has everything up to its last byte"),
        CallError::Cancelled => told.hint("ask again, if that was not meant"),
        CallError::Unwritable(_) => told.hint("what was given can't be written as JSON: look at the arguments"),
        CallError::Http(_) => told,
    }
}

/// An answer that is an error, in the server's words.
pub(crate) fn answered_error(spec: &ServerSpec, method: &str, answer: &Answer) -> ApiError {
    let Answer::Error { code, message, .. } = answer else {
        let message = format!("server `{}`: its answer to `{method}` is not what it was taken for", spec.id);
        let told = facts(ApiError::new(ErrorCode::Internal, "Unexpected error", message), spec);
        return told
            .causes(&["a fault of Sonde's own"])
            .hint("the log has the answer as it was sent; please report it");
    };
    let number = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
    let message = format!("server `{}` answered with an error: {message} (code: {number})", spec.id);
    let told = facts(ApiError::new(ErrorCode::ServerError, "Protocol error", message), spec);
    let told = told.fact("code", number).fact("method", method);
    if let Some(pages) = answer.elicitations() {
        let told = pages.iter().fold(told, |told, page| {
            let about = if page.message.is_empty() { String::new() } else { format!(" · {}", page.message) };
            told.fact("visit", format!("{}{about}", page.url))
        });
        return told.hint("the server wants you to visit a page first: look at the address, visit it, then ask again");
    }
    match code {
        Some(-32601) => told.hint("the server does not know this method"),
        Some(-32602) => told.hint("the server does not take these params: compare them with its schema"),
        Some(-32603) => told.hint("something failed within the server: look at its stderr and its own log"),
        Some(-32002) => told.hint("the server has no such resource"),
        Some(-32600) => told.hint("the server takes the message for none: the log has what was sent"),
        _ => told.hint("the words are the server's; the log has the whole of its answer"),
    }
}
