//! From what went wrong to what a person is told: the thing, what happened, what may be why, and what to do.
//!
//! Every error about a server has its name, its file and layer, what it runs or where it is, the likely causes as a fact
//! of that name, and a hint. What differs between platforms stands in methods of [`Machine`].

mod advice;
mod by_hand;
mod calls;
mod configuration;
mod connect;
mod crash;
pub(crate) mod http;
mod launch;
pub(crate) mod life;
mod machine;
mod server;
mod syntax;

use sonde_registry::{ApprovalsError, ProfilesError, ServerSpec};
use sonde_store::StoreError;

use crate::api::error::{ApiError, ErrorCode};

pub(crate) use calls::{answered_error, call, lost_call};
pub(crate) use configuration::{command_line, configuration, revision, typed, unfilled};
pub(crate) use connect::{connect, lost, not_ready};
pub(crate) use launch::{launch, start, unapproved};
pub(crate) use machine::Machine;
pub(crate) use server::facts;

/// A fault of our own.
pub(crate) fn unforeseen(spec: &ServerSpec, error: &dyn std::error::Error) -> ApiError {
    let message = format!("server `{}`: {error}", spec.id);
    facts(ApiError::new(ErrorCode::Internal, "Unexpected error", message), spec)
        .causes(&["a fault of Sonde's own"])
        .hint("try again; if it stays, please report it")
}

pub(crate) fn no_server<'a>(name: &str, known: impl Iterator<Item = &'a ServerSpec>) -> ApiError {
    const MOST: usize = 20;
    let mut known: Vec<String> = known.map(|spec| spec.id.to_string()).collect();
    let more = known.len().saturating_sub(MOST);
    if more > 0 {
        known.truncate(MOST);
        known.push(format!("and {more} more (`sonde servers` has all)"));
    }
    let told = ApiError::new(ErrorCode::UnknownServer, "No such server", format!("there is no server `{name}`"));
    match known.is_empty() {
        true => told.hint("no server is configured"),
        false => told.hint(format!("there are: {}", known.join(", "))),
    }
}

pub(crate) fn storage(error: &StoreError) -> ApiError {
    let told = ApiError::new(ErrorCode::Storage, "The log can't be used", error.to_string()).because(error);
    match error {
        StoreError::Foreign { .. } => told.hint("move that file away, or choose another folder with --data-dir"),
        StoreError::Newer { .. } => told.hint("use a newer Sonde for it, or choose another folder with --data-dir"),
        _ => told.hint("check that the disk has room and that the folder is yours"),
    }
}

pub(crate) fn approvals(error: &ApprovalsError) -> ApiError {
    ApiError::new(ErrorCode::Storage, "The approvals can't be used", error.to_string())
        .because(error)
        .hint("repair that file or remove it; every server is then asked about again")
}

pub(crate) fn profiles(error: &ProfilesError) -> ApiError {
    ApiError::new(ErrorCode::Configuration, "The profiles can't be used", error.to_string())
        .because(error)
        .hint("repair that file or remove it; every server is then spoken to as its configuration says")
}

pub(crate) fn ending() -> ApiError {
    ApiError::new(ErrorCode::NotReady, "Sonde is ending", "nothing can be started any more")
}

#[cfg(test)]
mod tests;
