//! What is wrong with a configuration, with a profile, or with what was typed.

mod examples;

use sonde_registry::language::Language;
use sonde_registry::{self as registry, EntryError, FileProblem, Layer, Origin, ServerSpec, TypedError};

use super::machine::Machine;
use super::server::facts;
use super::syntax::context;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::log::Severity;
use crate::api::servers::ConfigProblem;
use crate::posture::{UnknownRevision, revisions};

/// What is wrong with a file of this layer, or with an entry of it.
pub(crate) fn configuration(problem: &FileProblem, layer: Layer) -> ConfigProblem {
    let severity = match problem.error.severity() {
        registry::Severity::Warning => Severity::Warning,
        registry::Severity::Error => Severity::Error,
    };
    let error = Machine::here().configuration(problem, layer);
    ConfigProblem { file: problem.file.display().to_string(), severity, error }
}

/// A server whose entry can't be used as things stand now, though it could be read: something has no value.
pub(crate) fn unfilled(spec: &ServerSpec, error: &EntryError) -> ApiError {
    Machine::here().unfilled(spec, error)
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

impl Machine {
    pub fn configuration(&self, problem: &FileProblem, layer: Layer) -> ApiError {
        let told = ApiError::new(ErrorCode::Configuration, title(&problem.error), problem.error.to_string());
        let told = match problem.error.server() {
            Some(server) => told.fact("server", server),
            None => told,
        };
        let origin = Origin { layer, file: Some(problem.file.clone()) };
        let told = told.fact("file", self.path(&problem.file)).fact("layer", self.layer(&origin));
        let told = match (&problem.error, problem.line) {
            (EntryError::Syntax(error), _) => told.fact("at", format!("line {}, column {}", error.line, error.column)),
            (_, Some(line)) => told.fact("at", format!("line {line}")),
            (_, None) => told,
        };
        advised(told, &problem.error)
    }

    pub fn unfilled(&self, spec: &ServerSpec, error: &EntryError) -> ApiError {
        let code = match error {
            EntryError::Needed { .. } => ErrorCode::InputNeeded,
            _ => ErrorCode::Configuration,
        };
        advised(self.facts(ApiError::new(code, title(error), error.to_string()), spec), error)
    }
}

fn title(error: &EntryError) -> String {
    match error {
        EntryError::Syntax(error) => format!("Invalid {}", error.language.name()),
        EntryError::Unreadable(_) | EntryError::TooLarge(_) => "Configuration can't be read".to_owned(),
        EntryError::Neither { .. } => "Missing transport".to_owned(),
        EntryError::Both { .. } => "Two transports".to_owned(),
        EntryError::Unset { variable, .. } if is_foreign(variable) => "Variable not known here".to_owned(),
        EntryError::Unset { .. } => "Variable not set".to_owned(),
        EntryError::Needed { .. } => "Value needed".to_owned(),
        EntryError::Exposed { .. } => "Secret would be exposed".to_owned(),
        error => match error.severity() {
            registry::Severity::Warning => "Configuration warning".to_owned(),
            registry::Severity::Error => "Invalid configuration".to_owned(),
        },
    }
}

/// What may be why, and what to do.
fn advised(told: ApiError, error: &EntryError) -> ApiError {
    match error {
        EntryError::Unreadable(problem) if problem.contains("UTF-8") => told
            .causes(&["it was saved in another encoding, as some editors do", "it is no text at all"])
            .hint("open it in an editor and save it as UTF-8"),
        EntryError::Unreadable(_) => {
            told.causes(&["you lack the right to read it", "it is no plain file"]).hint("check the rights of that file")
        }
        EntryError::TooLarge(_) => {
            told.causes(&["it is a file of another kind"]).hint("move it away, or take what is no configuration out of it")
        }
        EntryError::Syntax(error) => {
            let told = match error.context.is_empty() {
                true => told,
                false => told.fact("context", context(error)),
            };
            let allowed = match error.language {
                Language::Json => "comments and trailing commas are allowed, and ",
                Language::Yaml | Language::Toml => "",
            };
            told.causes(&error.mistakes).hint(format!(
                "correct the file at the caret, or just before it; {allowed}`sonde servers` shows whether it can be read"
            ))
        }
        EntryError::Invalid(_) => told
            .causes(&["it is a file of another kind, or written for a client with another format"])
            .hint("a configuration is {\"mcpServers\": {\"name\": {\"command\": \"npx\", \"args\": [\"-y\", \"package\"]}}}"),
        EntryError::Neither { .. } => told
            .causes(&["the entry is unfinished", "it is written for a client with other names for them"])
            .fact("a program to run", examples::COMMAND)
            .fact("a server at an address", examples::URL)
            .hint("write `command` for a program that is started here, or `url` for a server that runs somewhere"),
        EntryError::Both { address, .. } => told
            .causes(&["two entries were made one"])
            .fact("a program to run", examples::COMMAND)
            .fact("a server at an address", examples::URL)
            .hint(format!("take `command` out, or `{address}`")),
        EntryError::Entry { .. } => told
            .causes(&["it is written for a client with another format"])
            .fact("a program to run", examples::COMMAND)
            .fact("a server at an address", examples::URL)
            .hint("write the entry like one of these"),
        EntryError::Twice { .. } => {
            told.causes(&["an entry was copied and not changed"]).hint("rename one of them, or take it out")
        }
        EntryError::Field { field, problem, .. } if field == "envFile" && !problem.starts_with("it must") => told
            .fact("field", field)
            .causes(&["the file is not there yet, or elsewhere", "a line of it is not `NAME=value`"])
            .hint("correct that file, or the path in `envFile`; a relative one is meant from the folder of the project"),
        EntryError::Field { field, problem, .. } => with_example(told.fact("field", field), field, problem),
        EntryError::Unknown { field, .. } => told
            .causes(&["it means something to another client", "its name is misspelt"])
            .hint(format!("the server is used without `{field}`; nothing need be done if it is for another client")),
        EntryError::Key { key, .. } => told
            .causes(&["it is written for a client with another format, or by hand"])
            .hint(format!("correct `{key}`, or take it out; everything else in the file is used")),
        EntryError::NoServers { .. } => told
            .causes(&["the key is misspelt", "it is a file of another kind, or written for a client with another format"])
            .fact("a configuration", "{\"mcpServers\": {\"name\": {\"command\": \"npx\", \"args\": [\"-y\", \"package\"]}}}")
            .hint("write the servers under `mcpServers`"),
        EntryError::Unclosed { .. } => {
            told.causes(&["a `}` is missing"]).hint("close it, as in `${NAME}`; nothing need be done if it is meant so")
        }
        EntryError::Ignored { used, .. } => told
            .causes(&["two formats are mixed in one file"])
            .hint(format!("move its servers to `{used}`, or into a file of their own")),
        EntryError::TakenAsText { field, .. } => {
            let leaf = field.rsplit('.').next().unwrap_or_default();
            told.causes(&["a variable of a process is always a text"]).hint(format!("write \"{leaf}\": \"...\""))
        }
        EntryError::Milliseconds { field, .. } => told
            .causes(&["other clients count in milliseconds, and here a bare number is seconds"])
            .hint(format!("write \"{field}\" with its unit, 5000 as \"5s\", which every reader understands")),
        EntryError::Exposed { .. } => told
            .causes(&["the address begins with `http://`, so that everybody on the way can read what is sent"])
            .hint("write `https://`, or take the secrets out of its `headers`"),
        EntryError::Unset { variable, .. } if is_foreign(variable) => told
            .causes(&["it is a variable of an editor, as of VS Code, which nobody fills in here"])
            .hint(
                "write the value itself; known are `${NAME}` of the environment, `${input:ID}`, `${secret:NAME}`, \
                 `${userHome}` and `${workspaceFolder}`",
            ),
        EntryError::Unset { variable, .. } => told
            .causes(&["it is set in your shell only, and this program was not started from it", "its name is misspelt"])
            .hint(format!("set `{variable}`, or write a default: `${{{variable}:-default}}`")),
        EntryError::Needed { missing, server } => {
            let told = missing.iter().fold(told, |told, one| told.fact(&one.field, format!("${{{}}}", one.reference)));
            let name = missing.first().and_then(|one| one.reference.split_once(':')).map_or("NAME", |(_, name)| name);
            told.causes(&["nobody has given it yet, or it was kept for one run only, because there was no keyring"])
                .hint(format!("give it in the window, or with `sonde secret set {server} {name}`"))
        }
    }
}

/// Whether no variable of an environment could be meant: names of editors, like `config:python.path` and `file`.
fn is_foreign(variable: &str) -> bool {
    const EDITORS: [&str; 9] = [
        "file",
        "fileBasename",
        "fileDirname",
        "relativeFile",
        "cwd",
        "workspaceRoot",
        "selectedText",
        "lineNumber",
        "defaultBuildTask",
    ];
    variable.is_empty() || variable.contains([':', ' ', '{']) || EDITORS.contains(&variable)
}

/// A field that is not what it must be: what was found, what is expected, and how it is written.
fn with_example(told: ApiError, field: &str, problem: &str) -> ApiError {
    let expected = problem.strip_prefix("it must be ");
    let parts = expected.map(|expected| match expected.rsplit_once(", not `") {
        Some((expected, found)) => (expected, found.strip_suffix('`')),
        None => (expected, None),
    });
    let leaf = field.rsplit('.').next().unwrap_or_default();
    let cause = ["the entry is written for a client with another format, or by hand"];
    let Some((expected, found)) = parts else {
        return told.causes(&cause).hint(format!("correct `{field}` of that server in this file"));
    };
    let told = match found {
        Some(found) => told.fact("found", found).fact("expected", expected),
        None => told.fact("expected", expected),
    };
    let told = told.causes(&cause);
    match (examples::of_field(field, found), found) {
        (Some(right), Some(found)) => told
            .fact("before", format!("\"{leaf}\": {}", quoted(found)))
            .fact("after", right)
            .hint(format!("write `{field}` as shown")),
        (Some(right), None) => told.fact("after", right).hint(format!("write `{field}` as shown")),
        (None, _) => told.hint(format!("correct `{field}` of that server in this file")),
    }
}

/// A word as a file has it. What is cut is shown as it is.
fn quoted(found: &str) -> String {
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(found).is_ok() || found.ends_with('…');
    if is_json { found.to_owned() } else { format!("\"{found}\"") }
}
