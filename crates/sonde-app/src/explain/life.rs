//! What a person is told of a server that may not be connected, no longer answers, or has no lists.

use sonde_client::{CallError, Catalog, Dead};
use sonde_registry::ServerSpec;

use super::{facts, http};
use crate::api::error::{ApiError, ErrorCode};
use crate::server::Standing;

/// A server that is switched off.
pub(crate) fn disabled(spec: &ServerSpec) -> ApiError {
    let message = format!("server `{}` is disabled", spec.id);
    facts(ApiError::new(ErrorCode::Disabled, "Server is disabled", message), spec)
        .causes(&[
            "its entry says `enabled: false` or `disabled: true`",
            "its file says `mcp.enabled: false`, which holds for all of its servers",
        ])
        .hint(format!("enable it in the window, with `sonde enable {}`, or in its file", spec.id))
}

/// A server that was ready and stopped answering.
pub(crate) fn dead(spec: &ServerSpec, dead: &Dead) -> ApiError {
    if let CallError::Http(failure) = &dead.last {
        return http::unreachable(spec, ErrorCode::ConnectionLost, failure);
    }
    let message = format!("server `{}` no longer answers: {dead}", spec.id);
    facts(ApiError::new(ErrorCode::ConnectionLost, "Server does not answer", message), spec)
        .causes(&["it hangs", "it is busy with something long, and has one thread only"])
        .hint("connect it again; if it is busy for long, a longer `ping` gives it time")
}

/// A server that must have tools and has none.
pub(crate) fn no_tools(spec: &ServerSpec, problem: Option<&ApiError>) -> ApiError {
    let message = match problem {
        Some(problem) => {
            format!("server `{}` has no tools, and `fail_if_no_tools` is set: {}", spec.id, problem.message)
        }
        None => format!("server `{}` has no tools, and `fail_if_no_tools` is set", spec.id),
    };
    let cause = match problem {
        Some(_) => "the list of its tools did not come",
        None => "it offers them only with a key, a sign-in or an option that it was not given",
    };
    facts(ApiError::new(ErrorCode::HandshakeFailed, "No tools", message), spec)
        .causes(&[cause])
        .hint("look at what the server needs to have tools, or remove `fail_if_no_tools`")
}

/// A list that did not come, or not whole, from a server that is ready.
pub(crate) fn unlisted(spec: &ServerSpec, catalog: Catalog, problem: &str) -> ApiError {
    let message = format!("server `{}`: {problem}", spec.id);
    facts(ApiError::new(ErrorCode::ServerError, "A list is missing", message), spec)
        .fact("method", catalog.method())
        .causes(&["the server failed while it listed", "it is slow, or the list is long"])
        .hint(format!("the connection goes on; ask again, here or with `sonde retry {}`", spec.id))
}

/// Somebody wants something of a server that is not there.
pub(crate) fn absent(spec: &ServerSpec, standing: &Standing) -> ApiError {
    let (message, cause) = match (&standing.problem, &standing.exit) {
        (Some(problem), _) => (format!("server `{}` is not connected: {}", spec.id, problem.message), "it has failed"),
        (None, Some(exit)) => (format!("server `{}` is not connected: it ended with {exit}", spec.id), "it has ended"),
        (None, None) => {
            (format!("server `{}` is not connected", spec.id), "nobody has connected it yet, or it was ended")
        }
    };
    let told = facts(ApiError::new(ErrorCode::NotReady, "Not connected", message), spec).causes(&[cause]);
    match standing.is_to_be_revived(spec) {
        true => told.hint("it is being connected again: ask again in a moment"),
        false => told.hint("connect it first"),
    }
}

/// A server that is to be connected while it ends.
pub(crate) fn still_stopping(spec: &ServerSpec) -> ApiError {
    let message = format!("server `{}` is still stopping", spec.id);
    facts(ApiError::new(ErrorCode::Busy, "Still stopping", message), spec)
        .causes(&["it was told to end a moment ago, and has a few seconds for it"])
        .hint("try again in a moment")
}

/// A server whose entry became another while it was being connected.
pub(crate) fn just_changed(spec: &ServerSpec) -> ApiError {
    let message = format!("the configuration of server `{}` has just changed", spec.id);
    facts(ApiError::new(ErrorCode::Busy, "Just changed", message), spec)
        .causes(&["its file was written at this moment, by you or by another program"])
        .hint("try again: it is then connected as its file says now")
}

/// A fault of our own that is no server's.
pub(crate) fn fault(error: &dyn std::error::Error) -> ApiError {
    ApiError::new(ErrorCode::Internal, "Internal error", error.to_string())
}
