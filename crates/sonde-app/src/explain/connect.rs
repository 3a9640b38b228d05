//! A server that does not become ready, or is lost.

use sonde_client::{ConnectError, Ending, Negotiation, Strays};
use sonde_protocol::Revision;
use sonde_registry::{Reach, ServerSpec};
use sonde_transport::Exit;

use super::crash::{causes, guesses, signal_name};
use super::http;
use super::machine::Machine;
use super::server::{facts, named};
use super::syntax::stray_line;
use crate::api::error::{ApiError, ErrorCode};
use crate::posture::{Posture, revisions};
use crate::server::Standing;

pub(crate) fn connect(spec: &ServerSpec, posture: &Posture, error: &ConnectError) -> ApiError {
    Machine::here().connect(spec, posture, error)
}

/// A server that was ready and is gone, though nobody asked it to go.
pub(crate) fn lost(spec: &ServerSpec, ending: &Ending) -> ApiError {
    Machine::here().lost(spec, ending)
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
    told.causes(&["it ended in good order before it was ready, or was told to"]).hint("connect it first")
}

impl Machine {
    pub fn connect(&self, spec: &ServerSpec, posture: &Posture, error: &ConnectError) -> ApiError {
        let told = |title: &str| {
            let message = named(spec, &error.to_string());
            self.facts(ApiError::new(ErrorCode::HandshakeFailed, title, message), spec)
        };
        match error {
            ConnectError::EndedEarly { ending, strays } => self.ended_early(spec, ending, strays),
            ConnectError::NoAnswer { limit, ending, strays } => {
                let told = told("Handshake timed out").fact("phase", phase(spec, strays));
                let told = with_strays(with_ending(told, ending), strays);
                let longer = (limit.as_secs_f64() * 2.0).ceil().max(60.0);
                self.with_trial(told.causes(&silence(spec, strays)), spec).hint(format!(
                    "try it by hand with the line above; if it needs longer, give it time with \"timeout\": {longer} in \
                     its entry, or with `--timeout {longer}s`"
                ))
            }
            ConnectError::Refused { code, supported, ending, .. } => {
                let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
                let told = told("Handshake refused").fact("code", code);
                let told = match supported.is_empty() {
                    true => told,
                    false => told.fact("it speaks", supported.join(", ")).fact("we speak", spoken(posture)),
                };
                with_ending(told, ending)
                    .causes(&[
                        "it does not speak the revision that it was offered",
                        "it wants other capabilities of us",
                    ])
                    .hint("the log has its answer; another revision can be asked for with `protocol`")
            }
            ConnectError::Version { answered, accepted, ending, .. } => {
                let told = told("No common revision");
                let told = told.fact("it speaks", answered.as_str()).fact("we speak", accepted.join(", "));
                let (cause, hint) = match posture.negotiation {
                    Negotiation::Pinned(_) => (
                        "one revision was pinned, and it is not the server's",
                        "only the pinned revision is taken: set `protocol` to `auto`, or pin another",
                    ),
                    Negotiation::Auto | Negotiation::Skip(_) => (
                        "the server is newer or older than this Sonde",
                        "look for a newer Sonde or another version of the server; raw messages can be sent without \
                         negotiation",
                    ),
                };
                with_ending(told, ending).causes(&[cause]).hint(hint)
            }
            ConnectError::Unclear { ending, .. } => with_ending(told("Answer not understood"), ending)
                .causes(&["the server does not speak MCP, or not well"])
                .hint("the log has the answer as it was sent"),
            ConnectError::Http { failure } => http::unreachable(spec, ErrorCode::HandshakeFailed, failure),
            ConnectError::Call(_) => told("Server did not become ready"),
        }
    }

    fn ended_early(&self, spec: &ServerSpec, ending: &Ending, strays: &Strays) -> ApiError {
        let before = " before answering `initialize`";
        let (title, message) = ended(spec, ending, before);
        let told = self.facts(ApiError::new(ErrorCode::HandshakeFailed, title, message), spec);
        let told = told.fact("phase", phase(spec, strays));
        let told = with_strays(with_ending(told, ending), strays);
        let Reach::Command(_) = &spec.reach else {
            return told.hint("the log has what came of each request");
        };
        if strays.count > 0 && ending.exit.is_none_or(is_clean) {
            let hint = "it printed text where messages belong: is it an MCP server, and does it speak stdio?";
            return told
                .causes(&["it is a program of another kind, or was told to speak another transport"])
                .hint(hint);
        }
        if ending.exit.is_some_and(is_clean) {
            let causes = [
                "it is a program that does one thing and ends, like printing a version or help",
                "it wants an argument that tells it to serve over stdio",
            ];
            return told
                .causes(&causes)
                .hint(format!("run it in a terminal to see what it does: `{}`", self.line(spec)));
        }
        let hint = format!(
            "run it in a terminal to see why: `{}`; check its variables (`env`, `env_passthrough`) and what it needs",
            self.line(spec)
        );
        told.causes(&causes(ending.exit, &ending.stderr_tail)).hint(hint)
    }

    pub fn lost(&self, spec: &ServerSpec, ending: &Ending) -> ApiError {
        if let Some(loss) = &ending.loss {
            return http::unreachable(spec, ErrorCode::ConnectionLost, loss);
        }
        let (title, message) = ended(spec, ending, "");
        let told = self.facts(ApiError::new(ErrorCode::ConnectionLost, title, message), spec);
        let told = with_ending(told, ending);
        let guessed = guesses(ending.exit, &ending.stderr_tail);
        match ending.exit {
            Some(exit) if !is_clean(exit) && guessed.is_empty() => told.causes(&["a fault in the server"]),
            Some(exit) if !is_clean(exit) => told.causes(&guessed),
            _ => told.causes(&["it had nothing more to do, or was told to end by somebody else"]),
        }
        .hint("connect again; the log has everything up to its last byte")
    }

    /// What a person can type to see for themselves.
    fn with_trial(&self, told: ApiError, spec: &ServerSpec) -> ApiError {
        let hello = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{}","capabilities":{{}},"clientInfo":{{"name":"by-hand","version":"1"}}}}}}"#,
            Revision::LATEST
        );
        match &spec.reach {
            Reach::Command(line) => told.fact("try by hand", self.by_hand(spec, line, &hello)),
            Reach::Url(remote) => {
                let url = sonde_transport::shown_address(&remote.written);
                let words = ["curl", "-i", &url, "-H", "Content-Type: application/json", "-H", ACCEPT, "-d", &hello];
                told.fact("try by hand", self.typed(&words.map(str::to_owned)))
            }
        }
    }
}

const ACCEPT: &str = "Accept: application/json, text/event-stream";

/// Title and sentence: a server may end when it likes, and one that says that all is well did not crash.
fn ended(spec: &ServerSpec, ending: &Ending, when: &str) -> (&'static str, String) {
    let id = &spec.id;
    match ending.exit {
        Some(exit) if is_clean(exit) => ("Server ended", format!("server `{id}` ended by itself ({exit}){when}")),
        Some(exit) => ("Server crashed", format!("server `{id}` ended with {exit}{when}")),
        None => ("Server ended", format!("server `{id}` closed its output{when}")),
    }
}

fn is_clean(exit: Exit) -> bool {
    exit == Exit::Code(0)
}

/// How far the connection had come.
fn phase(spec: &ServerSpec, strays: &Strays) -> String {
    match (&spec.reach, strays.count) {
        (Reach::Url(_), _) => "the request was sent; waiting for the answer to `initialize`".to_owned(),
        (Reach::Command(_), 0) => "the process was started; waiting for the answer to `initialize`".to_owned(),
        (Reach::Command(_), _) => {
            "the process was started and printed something; waiting for the answer to `initialize`".to_owned()
        }
    }
}

/// Why a server that runs may not answer.
fn silence(spec: &ServerSpec, strays: &Strays) -> Vec<&'static str> {
    match (&spec.reach, strays.count) {
        (Reach::Url(_), _) => vec![
            "it is not the address of an MCP server: it takes the request but says nothing",
            "the server is slow to start, or busy",
        ],
        (Reach::Command(_), 0) => vec![
            "its first start takes long: npx and uvx download the package before they run it",
            "it is no MCP server, or does not speak stdio",
            "it waits for something: a password, a sign-in, a service",
        ],
        (Reach::Command(_), _) => vec![
            "it prints text where messages belong: an MCP server must write only messages to stdout",
            "it does not speak stdio",
        ],
    }
}

fn spoken(posture: &Posture) -> String {
    match posture.negotiation {
        Negotiation::Pinned(revision) => revision.as_str().to_owned(),
        Negotiation::Auto | Negotiation::Skip(_) => revisions().collect::<Vec<_>>().join(", "),
    }
}

pub(super) fn with_ending(told: ApiError, ending: &Ending) -> ApiError {
    // How it ended says something only where it ended by itself.
    let told = match ending.exit {
        Some(exit @ Exit::Signal(number)) if !ending.by_us => match signal_name(number) {
            Some(name) => told.fact("ended with", format!("{exit} ({name})")),
            None => told.fact("ended with", exit.to_string()),
        },
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
            told.fact("lines that are no messages", strays.count.to_string()).fact("the first", stray_line(first))
        }
        None => told,
    }
}
