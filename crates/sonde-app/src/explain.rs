//! From what went wrong to what a person is told: the thing, what happened, what to do.

mod configuration;
pub(crate) mod http;

use std::path::Path;

use sonde_client::{Answer, CallError, ConnectError, Ending, Negotiation, Strays};
use sonde_protocol::Objection;
use sonde_registry::{ApprovalsError, Layer, ProfilesError, Reach, ServerSpec};
use sonde_store::StoreError;
use sonde_transport::{LaunchError, StartError, shown_address};

use crate::api::error::{ApiError, ErrorCode};
use crate::posture::{Posture, revisions};
use crate::server::Standing;

pub(crate) use configuration::{command_line, configuration, revision, typed};

pub(crate) fn launch(spec: &ServerSpec, folder: &Path, error: &LaunchError) -> ApiError {
    let message = format!("server `{}`: {error}", spec.id);
    let told =
        with_command(ApiError::new(ErrorCode::StartFailed, "Server could not be started", message), spec, folder);
    match error {
        LaunchError::NotFound { command, searched } => {
            let searched: Vec<_> = searched.iter().map(|place| place.folder.display().to_string()).collect();
            told.hint(install_hint(command)).fact("searched", searched.join("\n"))
        }
        LaunchError::NotExecutable { path } => {
            told.hint(format!("run `chmod +x {}`, or write its interpreter in `command`", path.display()))
        }
        LaunchError::IsAFolder { .. } | LaunchError::Missing { .. } => told.hint("check the path in `command`"),
        LaunchError::NoFolder { .. } => told.hint("check `cwd`, or create the folder"),
        LaunchError::Empty => told.hint("write a program's name or path in `command`"),
    }
}

/// A fault of our own.
pub(crate) fn unforeseen(spec: &ServerSpec, error: &dyn std::error::Error) -> ApiError {
    ApiError::new(ErrorCode::Internal, "Internal error", format!("server `{}`: {error}", spec.id))
}

/// A server that nobody has allowed; `binary` is what it would run, where it runs anything.
pub(crate) fn unapproved(spec: &ServerSpec, binary: Option<&Path>) -> ApiError {
    let id = &spec.id;
    let (message, whole) = match binary {
        Some(_) => (format!("server `{id}` would run a command that nobody has approved"), "the whole command"),
        None => {
            (format!("server `{id}` is at an address that nobody has approved"), "the address and what is sent there")
        }
    };
    let told = facts(ApiError::new(ErrorCode::ApprovalNeeded, "Approval needed", message), spec)
        .hint(format!("`sonde approve {id}` shows {whole} and asks, and so does the window's dialog"));
    match binary {
        Some(binary) => told.fact("program", binary.display().to_string()),
        None => told,
    }
}

/// What brings a program that was not found.
fn install_hint(command: &str) -> &'static str {
    match command {
        "npx" | "npm" | "node" => "install Node.js, or write the full path of the program in `command`",
        "uvx" | "uv" => "install uv, or write the full path of the program in `command`",
        "python" | "python3" | "pipx" => "install Python, or write the full path of the program in `command`",
        "docker" => "install Docker, or write the full path of the program in `command`",
        "bunx" | "bun" => "install Bun, or write the full path of the program in `command`",
        "deno" => "install Deno, or write the full path of the program in `command`",
        _ => "install it, or write its full path in `command`",
    }
}

pub(crate) fn start(spec: &ServerSpec, folder: &Path, error: &StartError) -> ApiError {
    let message = format!("server `{}`: {error}", spec.id);
    let hint = match error {
        StartError::Program { .. } => {
            "a script needs a first line like `#!/usr/bin/env python3`, and a binary must be made for this machine"
        }
        StartError::Folder { .. } => "check `cwd` and the rights of that folder",
        StartError::NoRoom { .. } => "end other programs, or raise the limit of open files and processes",
        StartError::LostArgument { .. } => "write that argument otherwise, or start the program without the script",
        StartError::Supervisor { .. } => "check that this program itself can be run",
    };
    let told = ApiError::new(ErrorCode::StartFailed, "Server could not be started", message).because(error).hint(hint);
    with_command(told, spec, folder)
}

pub(crate) fn connect(spec: &ServerSpec, posture: &Posture, error: &ConnectError) -> ApiError {
    let message = named(spec, &error.to_string());
    let told = facts(ApiError::new(ErrorCode::HandshakeFailed, "Server did not become ready", message), spec);
    match error {
        ConnectError::EndedEarly { ending, strays } => {
            let hint = match (&spec.reach, strays.count) {
                (Reach::Url(_), _) => "the log has what came of each request",
                (Reach::Command(_), 0) => "run the command in a terminal to see why it ends",
                (Reach::Command(_), _) => {
                    "it printed text where messages belong: is it an MCP server, and does it speak stdio?"
                }
            };
            with_strays(with_ending(told, ending), strays).hint(hint)
        }
        ConnectError::NoAnswer { ending, strays, .. } => {
            let hint = match (&spec.reach, strays.count) {
                (Reach::Url(_), _) => {
                    "it takes the request but says nothing: is it the address of an MCP server? A longer `timeout` gives it time"
                }
                (Reach::Command(_), 0) => {
                    "it runs but says nothing: is it an MCP server that speaks stdio? A longer `timeout` gives it time"
                }
                (Reach::Command(_), _) => {
                    "it prints text where messages belong: an MCP server must write only messages to stdout"
                }
            };
            with_strays(with_ending(told, ending), strays).hint(hint)
        }
        ConnectError::Refused { code, supported, ending, .. } => {
            let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
            let told = told.fact("code", code);
            let told = match supported.is_empty() {
                true => told,
                false => told.fact("it speaks", supported.join(", ")).fact("we speak", spoken(posture)),
            };
            with_ending(told, ending).hint("the log has its answer; another revision can be asked for with `protocol`")
        }
        ConnectError::Version { answered, accepted, ending, .. } => {
            let told = told.fact("it speaks", answered.as_str()).fact("we speak", accepted.join(", "));
            let hint = match posture.negotiation {
                Negotiation::Pinned(_) => "only the pinned revision is taken: set `protocol` to `auto`, or pin another",
                Negotiation::Auto | Negotiation::Skip(_) => {
                    "look for a newer Sonde or another version of the server; raw messages can be sent without negotiation"
                }
            };
            with_ending(told, ending).hint(hint)
        }
        ConnectError::Unclear { ending, .. } => with_ending(told, ending).hint("the log has the answer as it was sent"),
        ConnectError::Http { failure } => http::unreachable(spec, ErrorCode::HandshakeFailed, failure),
        ConnectError::Call(_) => told,
    }
}

/// A server that was ready and is gone, though nobody asked it to go.
pub(crate) fn lost(spec: &ServerSpec, ending: &Ending) -> ApiError {
    if let Some(loss) = &ending.loss {
        return http::unreachable(spec, ErrorCode::ConnectionLost, loss);
    }
    let message = match ending.exit {
        Some(exit) => format!("server `{}` ended with {exit}", spec.id),
        None => format!("server `{}` closed its output", spec.id),
    };
    let told = ApiError::new(ErrorCode::ConnectionLost, "Server ended", message)
        .hint("connect again; the log has everything up to its last byte");
    with_ending(facts(told, spec), ending)
}

/// A server that ended in good order before anybody could use it.
pub(crate) fn not_ready(spec: &ServerSpec, standing: &Standing) -> ApiError {
    let message = match &standing.exit {
        Some(exit) => format!("server `{}` is not connected: it ended with {exit}", spec.id),
        None => format!("server `{}` is not connected", spec.id),
    };
    let told = facts(ApiError::new(ErrorCode::NotReady, "Not connected", message), spec);
    let told = match standing.stderr_tail.is_empty() {
        true => told,
        false => told.fact("stderr", standing.stderr_tail.join("\n")),
    };
    told.hint("connect it first")
}

/// A request whose answer can no longer come.
pub(crate) fn lost_call(spec: &ServerSpec, method: &str, ending: &Ending) -> ApiError {
    if ending.by_us {
        let message = format!("server `{}` was disconnected before it answered `{method}`", spec.id);
        return ApiError::new(ErrorCode::ConnectionLost, "Disconnected", message);
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
    let told = ApiError::new(code, title, named(spec, &error.to_string()));
    match error {
        CallError::NotRead => told.hint("wait for it, or disconnect it"),
        CallError::TimedOut(_) | CallError::Silent(_) => told.hint("a longer `timeout` gives it time"),
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
        CallError::Http(_) | CallError::Lost | CallError::Cancelled | CallError::Unwritable(_) => told,
    }
}

/// An answer that is an error, in the server's words.
pub(crate) fn answered_error(spec: &ServerSpec, method: &str, answer: &Answer) -> ApiError {
    let Answer::Error { code, message, .. } = answer else {
        return ApiError::new(ErrorCode::Internal, "Internal error", "an answer is not what it was taken for");
    };
    let number = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
    let told = ApiError::new(ErrorCode::ServerError, "Protocol error", message.clone())
        .fact("code", number)
        .fact("server", spec.id.as_str())
        .fact("method", method);
    if let Some(pages) = answer.elicitations() {
        let told = pages.iter().fold(told, |told, page| {
            let about = if page.message.is_empty() { String::new() } else { format!(" · {}", page.message) };
            told.fact("visit", format!("{}{about}", page.url))
        });
        return told.hint("the server wants you to visit a page first: look at the address, visit it, then ask again");
    }
    match code {
        Some(-32601) => told.hint("the server does not know this method"),
        Some(-32602) => told.hint("the server does not take these params"),
        Some(-32002) => told.hint("the server has no such resource"),
        _ => told,
    }
}

fn spoken(posture: &Posture) -> String {
    match posture.negotiation {
        Negotiation::Pinned(revision) => revision.as_str().to_owned(),
        Negotiation::Auto | Negotiation::Skip(_) => revisions().collect::<Vec<_>>().join(", "),
    }
}

pub(crate) fn no_server<'a>(name: &str, known: impl Iterator<Item = &'a ServerSpec>) -> ApiError {
    let known: Vec<&str> = known.map(|spec| spec.id.as_str()).take(20).collect();
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

/// What is not there yet.
pub(crate) fn unbuilt() -> ApiError {
    ApiError::new(ErrorCode::Internal, "Not built yet", "this command does nothing yet")
}

pub(crate) fn ending() -> ApiError {
    ApiError::new(ErrorCode::NotReady, "Sonde is ending", "nothing can be started any more")
}

fn with_command(told: ApiError, spec: &ServerSpec, folder: &Path) -> ApiError {
    facts(told, spec).fact("folder", folder.display().to_string())
}

/// A sentence about some server, about this one.
fn named(spec: &ServerSpec, sentence: &str) -> String {
    match sentence.strip_prefix("the server") {
        Some(rest) => format!("server `{}`{rest}", spec.id),
        None => format!("server `{}`: {sentence}", spec.id),
    }
}

/// Which server it is, where it comes from and what it runs or where it is.
pub(crate) fn facts(told: ApiError, spec: &ServerSpec) -> ApiError {
    let told = told.fact("server", spec.id.as_str());
    let told = match &spec.reach {
        Reach::Command(line) => told.fact("command", line.written.join(" ")),
        Reach::Url(remote) => told.fact("url", shown_address(&remote.written)),
    };
    let layer = match spec.origin.layer {
        Layer::BuiltIn => "built in",
        Layer::Global => "global configuration",
        Layer::Project => "project configuration",
        Layer::Typed => "typed",
    };
    match &spec.origin.file {
        Some(file) => told.fact("file", file.display().to_string()).fact("layer", layer),
        None => told.fact("layer", layer),
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

#[cfg(test)]
mod tests;
