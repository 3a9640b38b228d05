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
        .hint("enable it in the window, or set `enabled` to true in its file")
}

/// A server that was ready and stopped answering.
pub(crate) fn dead(spec: &ServerSpec, dead: &Dead) -> ApiError {
    if let CallError::Http(failure) = &dead.last {
        return http::unreachable(spec, ErrorCode::ConnectionLost, failure);
    }
    let message = format!("server `{}` no longer answers: {dead}", spec.id);
    facts(ApiError::new(ErrorCode::ConnectionLost, "Server does not answer", message), spec)
        .hint("it hangs, or is busy for long: a longer `ping` gives it time")
}

/// A server that must have tools and has none.
pub(crate) fn no_tools(spec: &ServerSpec, problem: Option<&ApiError>) -> ApiError {
    let message = match problem {
        Some(problem) => {
            format!("server `{}` has no tools, and `fail_if_no_tools` is set: {}", spec.id, problem.message)
        }
        None => format!("server `{}` has no tools, and `fail_if_no_tools` is set", spec.id),
    };
    facts(ApiError::new(ErrorCode::HandshakeFailed, "No tools", message), spec)
        .hint("look at what the server needs to have tools, or remove `fail_if_no_tools`")
}

/// A list that did not come, or not whole, from a server that is ready.
pub(crate) fn unlisted(spec: &ServerSpec, catalog: Catalog, problem: &str) -> ApiError {
    let message = format!("server `{}`: {problem}", spec.id);
    ApiError::new(ErrorCode::ServerError, "A list is missing", message)
        .fact("server", spec.id.as_str())
        .fact("method", catalog.method())
        .hint(format!("the connection goes on; ask again, here or with `sonde retry {}`", spec.id))
}

/// Somebody wants something of a server that is not there.
pub(crate) fn absent(spec: &ServerSpec, standing: &Standing) -> ApiError {
    let message = match (&standing.problem, &standing.exit) {
        (Some(problem), _) => format!("server `{}` is not connected: {}", spec.id, problem.message),
        (None, Some(exit)) => format!("server `{}` is not connected: it ended with {exit}", spec.id),
        (None, None) => format!("server `{}` is not connected", spec.id),
    };
    let told = ApiError::new(ErrorCode::NotReady, "Not connected", message).fact("server", spec.id.as_str());
    match standing.is_to_be_revived(spec) {
        true => told.hint("it is being connected again: ask again in a moment"),
        false => told.hint("connect it first"),
    }
}

/// A fault of our own that is no server's.
pub(crate) fn fault(error: &dyn std::error::Error) -> ApiError {
    ApiError::new(ErrorCode::Internal, "Internal error", error.to_string())
}
