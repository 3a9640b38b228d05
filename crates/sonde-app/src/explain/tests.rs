//! Each kind of failure, as a person reads it.

use std::time::Duration;

use serde_json::value::RawValue;
use sonde_protocol::{Party, Revision};
use sonde_registry::{Places, TypedCommand, load};
use sonde_transport::{Exit, SearchFolder, Source};

use super::*;
use crate::api::servers::ConfigProblem;

/// A server of a project's file, as the registry reads it.
fn configured() -> (ServerSpec, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"{"mcpServers":{"shop":{"command":"npx","args":["-y","shop-server"]}}}"#;
    std::fs::write(folder.path().join(".mcp.json"), text).unwrap();
    let places = Places { config: None, project: folder.path().to_owned() };
    let spec = load(&places, Vec::new(), &|_| None).servers.remove(0);
    (spec, folder)
}

fn typed() -> ServerSpec {
    let mut registry = sonde_registry::Registry::default();
    let typed = TypedCommand { command: vec!["./server".to_owned()], ..TypedCommand::default() };
    registry.add_typed(typed.into()).unwrap();
    registry.servers.remove(0)
}

fn searched(folder: &str) -> SearchFolder {
    SearchFolder { folder: folder.into(), source: Source::Path }
}

fn ended(exit: Exit) -> Ending {
    Ending { exit: Some(exit), loss: None, by_us: false, stderr_tail: vec!["Error: no DATABASE_URL".to_owned()] }
}

fn fact<'a>(error: &'a ApiError, name: &str) -> &'a str {
    let found = error.context.iter().find(|fact| fact.name == name);
    found.map(|fact| fact.value.as_str()).unwrap_or_else(|| panic!("it tells `{name}`: {error}"))
}

#[test]
fn a_failure_names_the_server_its_file_and_layer_and_its_command() {
    let (spec, folder) = configured();
    let error = LaunchError::NotFound { command: "npx".to_owned(), searched: vec![searched("/usr/bin"), searched("/bin")] };
    let told = launch(&spec, folder.path(), &error);
    assert_eq!(told.message, "server `shop`: the command `npx` was not found");
    assert_eq!((fact(&told, "server"), fact(&told, "command")), ("shop", "npx -y shop-server"));
    assert_eq!(fact(&told, "file"), folder.path().join(".mcp.json").display().to_string());
    assert_eq!(fact(&told, "layer"), "project configuration");
    assert_eq!(fact(&told, "searched"), "/usr/bin\n/bin");
    assert!(told.hint.as_deref().is_some_and(|hint| hint.contains("Node.js")), "what brings `npx`: {told}");
    let told = launch(&typed(), folder.path(), &LaunchError::Missing { path: "./server".into() });
    assert_eq!(fact(&told, "layer"), "typed", "what comes from no file says where it comes from");
}

#[test]
fn a_failure_of_a_server_at_an_address_names_the_address_without_its_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"{"mcpServers":{"shop":{"url":"https://${HOST}/mcp?api_key=s3cret&page=1"}}}"#;
    std::fs::write(folder.path().join(".mcp.json"), text).unwrap();
    let places = Places { config: None, project: folder.path().to_owned() };
    let spec = load(&places, Vec::new(), &|_| Some("example.com".to_owned())).servers.remove(0);
    let told = unapproved(&spec, None);
    assert_eq!(told.message, "server `shop` is at an address that nobody has approved");
    assert_eq!(fact(&told, "url"), "https://${HOST}/mcp?api_key=‹masked›&page=1");
    assert!(told.hint.as_deref().is_some_and(|hint| hint.contains("sonde approve shop")), "{told}");
}

#[test]
fn a_server_that_ends_early_is_told_with_its_exit_its_stderr_and_what_it_printed_instead() {
    let (spec, _folder) = configured();
    let strays = Strays { count: 3, first: Some("Listening on port 80".to_owned()) };
    let error = ConnectError::EndedEarly { ending: ended(Exit::Signal(9)), strays };
    let told = connect(&spec, &Posture::window(), &error);
    assert_eq!(told.code, ErrorCode::HandshakeFailed);
    assert_eq!(told.message, "server `shop` ended before answering `initialize`");
    assert_eq!((fact(&told, "ended with"), fact(&told, "stderr")), ("signal 9", "Error: no DATABASE_URL"));
    assert_eq!((fact(&told, "lines that are no messages"), fact(&told, "the first")), ("3", "Listening on port 80"));
    assert!(told.hint.as_deref().is_some_and(|hint| hint.contains("stdio")), "{told}");
}

#[test]
fn a_revision_that_does_not_fit_is_told_from_both_sides() {
    let (spec, _folder) = configured();
    let pinned = Posture { negotiation: Negotiation::Pinned(Revision::V2024_11_05), ..Posture::window() };
    let error = ConnectError::Version {
        answered: "2025-11-25".to_owned(),
        offered: Revision::V2024_11_05,
        accepted: vec!["2024-11-05"],
        ending: Ending { exit: None, loss: None, by_us: true, stderr_tail: Vec::new() },
    };
    let told = connect(&spec, &pinned, &error);
    assert_eq!((fact(&told, "it speaks"), fact(&told, "we speak")), ("2025-11-25", "2024-11-05"));
    assert!(told.hint.as_deref().is_some_and(|hint| hint.contains("auto")), "a pin can be taken off: {told}");
    let error = ConnectError::Refused {
        code: Some(-32602),
        message: "Unsupported protocol version".to_owned(),
        supported: vec!["1999-01-01".to_owned()],
        ending: Ending { exit: None, loss: None, by_us: true, stderr_tail: Vec::new() },
    };
    let told = connect(&spec, &Posture::window(), &error);
    assert_eq!((fact(&told, "code"), fact(&told, "it speaks")), ("-32602", "1999-01-01"));
    assert!(fact(&told, "we speak").contains("2025-06-18"), "all of ours: {told}");
}

#[test]
fn a_request_that_is_held_back_says_what_is_missing_and_how_to_send_it() {
    let (spec, _folder) = configured();
    let objection = Objection::Undeclared { by: Party::Server, capability: "resources.subscribe" };
    let told = call(&spec, &CallError::Objected { method: "resources/subscribe".to_owned(), objection });
    assert_eq!(told.code, ErrorCode::Objected);
    assert!(told.message.contains("`shop`") && told.message.contains("`resources/subscribe`"), "{told}");
    assert_eq!(fact(&told, "missing capability"), "`resources.subscribe` of the server");
    assert!(told.hint.as_deref().is_some_and(|hint| hint.contains("sent anyway")), "{told}");
    let told = call(&spec, &CallError::TimedOut(Duration::from_secs(2)));
    assert_eq!((told.code, &*told.message), (ErrorCode::Timeout, "server `shop` did not answer within 2 s"));
}

#[test]
fn pages_that_must_be_visited_first_are_named() {
    let (spec, _folder) = configured();
    let raw = r#"{"code":-32042,"message":"sign in","data":{"elicitations":[
        {"mode":"url","elicitationId":"1","url":"https://login.example/a","message":"to your account"}]}}"#;
    let raw = RawValue::from_string(raw.to_owned()).unwrap();
    let answer = Answer::Error { code: Some(-32042), message: "sign in".to_owned(), raw };
    let told = answered_error(&spec, "tools/call", &answer);
    assert_eq!((told.code, fact(&told, "code")), (ErrorCode::ServerError, "-32042"));
    assert_eq!(fact(&told, "visit"), "https://login.example/a · to your account", "the whole address, to look at");
    assert!(told.hint.as_deref().is_some_and(|hint| hint.contains("ask again")), "{told}");
}

#[test]
fn a_call_whose_server_dies_tells_how_it_died() {
    let (spec, _folder) = configured();
    let told = lost_call(&spec, "tools/call", &ended(Exit::Code(3)));
    assert_eq!(told.message, "server `shop` ended with exit code 3 before it answered `tools/call`");
    assert_eq!((told.code, fact(&told, "stderr")), (ErrorCode::ConnectionLost, "Error: no DATABASE_URL"));
    let ours = Ending { exit: Some(Exit::Code(0)), loss: None, by_us: true, stderr_tail: Vec::new() };
    assert_eq!(lost_call(&spec, "ping", &ours).title, "Disconnected", "what we end did not fail");
}

#[test]
fn a_problem_of_the_configuration_names_file_server_and_field() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"{"mcpServers":{"a":{"command":7},"b":{"command":"${NOWHERE}"},"c":{"command":"x","sonde":{"x":1}}}}"#;
    std::fs::write(folder.path().join(".mcp.json"), text).unwrap();
    let places = Places { config: None, project: folder.path().to_owned() };
    let registry = load(&places, Vec::new(), &|_| None);
    let told: Vec<ConfigProblem> = registry.problems.iter().map(configuration).collect();
    for (problem, server, word) in
        [(&told[0], "`a`", "`command`"), (&told[1], "`b`", "`NOWHERE`"), (&told[2], "`c`", "`sonde.x`")]
    {
        assert!(problem.file.ends_with(".mcp.json"), "{}", problem.file);
        let text = problem.error.to_string();
        assert!(text.contains(server) && text.contains(word), "{text}");
        assert!(problem.error.hint.is_some(), "and what to do: {text}");
    }
}
