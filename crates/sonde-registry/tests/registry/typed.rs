//! A command typed on a terminal is a server of its own.

use sonde_registry::{Layer, ServerId, TypedCommand, TypedError, TypedServer};

use crate::{command_line, load_project, write};

fn typed(words: &[&str]) -> TypedServer {
    TypedCommand { command: words.iter().map(|word| (*word).to_owned()).collect(), ..TypedCommand::default() }.into()
}

#[test]
fn a_typed_command_is_named_after_its_program_and_hides_nobody() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join(".mcp.json"), r#"{"mcpServers":{"server":{"command":"x"},"server-2":{"command":"y"}}}"#);
    let mut registry = load_project(root.path());
    let id = registry.add_typed(typed(&["./bin/server.py", "--port", "80"])).unwrap();
    assert_eq!(id.as_str(), "server-3", "the two names before it are taken");
    assert_eq!(registry.add_typed(typed(&["/usr/bin/my server"])).unwrap().as_str(), "my%20server");
    let server = registry.servers.iter().find(|server| server.id == id).unwrap();
    assert_eq!((server.origin.layer, &server.origin.file), (Layer::Typed, &None), "it comes from no file");
    let line = command_line(server);
    assert_eq!((&*line.command, &line.args[..]), ("./bin/server.py", &["--port".to_owned(), "80".to_owned()][..]));
    assert!(!server.needs_approval(), "whoever typed it has approved it");
    let configured = registry.servers.iter().find(|server| server.id.as_str() == "server").unwrap();
    assert_eq!(command_line(configured).command, "x", "the configured one is still there");
    assert!(configured.needs_approval(), "and is asked about as ever");
    assert_eq!(registry.add_typed(typed(&[])), Err(TypedError::NoProgram), "no program is no server");
}

#[test]
fn a_server_is_found_by_its_plain_name_and_by_its_id() {
    let id = ServerId::from_name("my server.v2").unwrap();
    assert_eq!(id.as_str(), "my%20server%2Ev2");
    assert!(id.answers_to("my server.v2") && id.answers_to("my%20server%2Ev2"), "both mean it");
    assert!(!id.answers_to("my server") && !id.answers_to(""), "nothing else does");
}
