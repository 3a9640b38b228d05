//! From what went wrong to what a person is told: the thing, what happened, what to do.

use std::path::Path;

use sonde_client::{CallError, ConnectError, Ending, Strays};
use sonde_registry::{ApprovalsError, EntryError, FileProblem, ServerSpec};
use sonde_store::StoreError;
use sonde_transport::{LaunchError, StartError};

use crate::api::error::{ApiError, ErrorCode};
use crate::api::servers::ConfigProblem;

pub(crate) fn launch(spec: &ServerSpec, folder: &Path, error: &LaunchError) -> ApiError {
    let told = ApiError::new(ErrorCode::StartFailed, "Server could not be started", error.to_string());
    let told = with_command(told, spec, folder);
    match error {
        LaunchError::NotFound { searched, .. } => {
            let searched: Vec<_> = searched.iter().map(|folder| folder.display().to_string()).collect();
            told.hint("install it, or write its full path in `command`").fact("searched", searched.join("\n"))
        }
        LaunchError::NotExecutable { path } => told.hint(format!("run `chmod +x {}`", path.display())),
        LaunchError::IsAFolder { .. } | LaunchError::Missing { .. } => told.hint("check the path in `command`"),
        LaunchError::NoFolder { .. } => told.hint("check `cwd`, or create the folder"),
        LaunchError::Empty => told.hint("write a program's name or path in `command`"),
    }
}

pub(crate) fn start(spec: &ServerSpec, folder: &Path, error: &StartError) -> ApiError {
    let told = ApiError::new(ErrorCode::StartFailed, "Server could not be started", error.to_string())
        .because(error)
        .hint("a script needs a first line like `#!/usr/bin/env python3`, and a binary must be made for this machine");
    with_command(told, spec, folder)
}

pub(crate) fn connect(spec: &ServerSpec, error: &ConnectError) -> ApiError {
    let told = ApiError::new(ErrorCode::HandshakeFailed, "Server did not become ready", error.to_string());
    let told = command_fact(told, spec);
    match error {
        ConnectError::EndedEarly { ending, strays } => {
            let hint = match strays.count {
                0 => "run the command in a terminal to see why it ends",
                _ => "it printed text where messages belong: is it an MCP server, and does it speak stdio?",
            };
            with_strays(with_ending(told, ending), strays).hint(hint)
        }
        ConnectError::NoAnswer { ending, strays, .. } => {
            let hint = match strays.count {
                0 => "it runs but says nothing: is it an MCP server that speaks stdio?",
                _ => "it prints text where messages belong: an MCP server must write only messages to stdout",
            };
            with_strays(with_ending(told, ending), strays).hint(hint)
        }
        ConnectError::Refused { code, ending, .. } => {
            let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
            with_ending(told.fact("code", code), ending)
        }
        ConnectError::Version { ending, .. } => {
            let ours: Vec<_> = sonde_protocol::Revision::ALL.iter().map(|revision| revision.as_str()).collect();
            with_ending(told.fact("we speak", ours.join(", ")), ending)
                .hint("look for a newer Sonde or another version of the server")
        }
        ConnectError::Unclear { ending, .. } => with_ending(told, ending).hint("the log has the answer as it was sent"),
        ConnectError::Call(_) => told,
    }
}

/// A server that was ready and is gone, though nobody asked it to go.
pub(crate) fn lost(spec: &ServerSpec, ending: &Ending) -> ApiError {
    let message = match ending.exit {
        Some(exit) => format!("server `{}` ended with {exit}", spec.id),
        None => format!("server `{}` closed its output", spec.id),
    };
    let told = ApiError::new(ErrorCode::ConnectionLost, "Server ended", message)
        .hint("connect again; the log has everything up to its last byte");
    with_ending(command_fact(told, spec), ending)
}

pub(crate) fn call(error: &CallError) -> ApiError {
    let (code, title) = match error {
        CallError::Lost => (ErrorCode::ConnectionLost, "Connection lost"),
        CallError::NotRead => (ErrorCode::Busy, "Server is not reading"),
        CallError::Cancelled => (ErrorCode::Cancelled, "Cancelled"),
        CallError::TimedOut(_) => (ErrorCode::Timeout, "Timed out"),
        CallError::Unwritable(_) => (ErrorCode::Internal, "Internal error"),
    };
    let told = ApiError::new(code, title, error.to_string());
    match error {
        CallError::NotRead => told.hint("wait for it, or disconnect it"),
        _ => told,
    }
}

pub(crate) fn protocol_error(code: Option<i64>, message: &str) -> ApiError {
    let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
    ApiError::new(ErrorCode::ServerError, "Protocol error", message).fact("code", code)
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

pub(crate) fn ending() -> ApiError {
    ApiError::new(ErrorCode::NotReady, "Sonde is ending", "nothing can be started any more")
}

pub(crate) fn configuration(problem: &FileProblem) -> ConfigProblem {
    let told = ApiError::new(ErrorCode::Configuration, "Configuration problem", problem.error.to_string());
    let told = match &problem.error {
        EntryError::Unset { variable, .. } => {
            told.hint(format!("set `{variable}`, or write `${{{variable}:-default}}`"))
        }
        EntryError::Invalid(_) => {
            told.hint("the file must be JSON: {\"mcpServers\": {\"name\": {\"command\": \"...\"}}}")
        }
        _ => told,
    };
    ConfigProblem { file: problem.file.display().to_string(), error: told }
}

fn with_command(told: ApiError, spec: &ServerSpec, folder: &Path) -> ApiError {
    command_fact(told, spec).fact("folder", folder.display().to_string())
}

fn command_fact(told: ApiError, spec: &ServerSpec) -> ApiError {
    let words: Vec<_> = std::iter::once(&spec.command).chain(&spec.args).map(String::as_str).collect();
    let told = told.fact("command", words.join(" "));
    match &spec.origin.file {
        Some(file) => told.fact("file", file.display().to_string()),
        None => told,
    }
}

fn with_ending(told: ApiError, ending: &Ending) -> ApiError {
    // How it ended says something only where it ended by itself.
    let told = match ending.exit {
        Some(exit) if !ending.by_us => told.fact("ended with", exit.to_string()),
        _ => told,
    };
    match ending.stderr_tail.is_empty() {
        true => told,
        false => told.fact("stderr", ending.stderr_tail.join("\n")),
    }
}

fn with_strays(told: ApiError, strays: &Strays) -> ApiError {
    match &strays.first {
        Some(first) => {
            told.fact("lines that are no messages", strays.count.to_string()).fact("the first", first.clone())
        }
        None => told,
    }
}
