//! What is wrong with a configuration, with a profile, or with what was typed.

use sonde_registry::{self as registry, EntryError, FileProblem, ServerSpec, TypedError};

use super::facts;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::log::Severity;
use crate::api::servers::ConfigProblem;
use crate::posture::{UnknownRevision, revisions};

pub(crate) fn configuration(problem: &FileProblem) -> ConfigProblem {
    let (severity, title) = match problem.error.severity() {
        registry::Severity::Warning => (Severity::Warning, "Configuration warning"),
        registry::Severity::Error => (Severity::Error, "Configuration problem"),
    };
    let told = ApiError::new(ErrorCode::Configuration, title, problem.error.to_string());
    let told = match problem.error.server() {
        Some(server) => told.fact("server", server),
        None => told,
    };
    let told = told.fact("file", problem.file.display().to_string());
    let told = match &problem.error {
        EntryError::Unset { variable, .. } => {
            told.hint(format!("set `{variable}`, or write `${{{variable}:-default}}`"))
        }
        EntryError::Field { field, .. } => told.hint(format!("correct `{field}` of that server in this file")),
        EntryError::Unknown { .. } => told.hint("the server is used without it"),
        EntryError::Exposed { .. } => told.hint("write `https://`, or take the secrets out of its `headers`"),
        EntryError::Entry { .. } => told.hint(
            "a server is {\"command\": \"npx\", \"args\": [\"-y\", \"package\"]} or {\"url\": \"https://example.com/mcp\"}",
        ),
        EntryError::Invalid(_) => {
            told.hint("the file must be JSON: {\"mcpServers\": {\"name\": {\"command\": \"...\"}}}")
        }
        _ => told,
    };
    ConfigProblem { file: problem.file.display().to_string(), severity, error: told }
}

/// What was typed on a command line and can't be used.
pub(crate) fn typed(error: &TypedError) -> ApiError {
    ApiError::new(ErrorCode::Configuration, "Invalid argument", error.to_string())
}

/// A revision in the configuration, or in what a person edited, that nobody here speaks.
pub(crate) fn revision(spec: &ServerSpec, error: &UnknownRevision) -> ApiError {
    let message = format!("server `{}`: `protocol`: {error}", spec.id);
    facts(ApiError::new(ErrorCode::Configuration, "Unknown revision", message), spec).hint(known_revisions())
}

pub(crate) fn command_line(error: &UnknownRevision) -> ApiError {
    ApiError::new(ErrorCode::Configuration, "Unknown revision", error.to_string()).hint(known_revisions())
}

fn known_revisions() -> String {
    format!("it is `auto` or one of {}", revisions().collect::<Vec<_>>().join(", "))
}
