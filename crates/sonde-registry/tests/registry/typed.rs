//! A command or an address typed on a terminal is a server of its own.

use std::path::Path;

use sonde_registry::{Layer, ServerId, TypedCommand, TypedError, TypedServer, TypedUrl};

use crate::{command_line, load_project, remote, write};

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
    assert_eq!(ServerId::meant("my server.v2"), ServerId::meant(id.as_str()), "also where it is no longer configured");
    assert!(!id.answers_to("my server") && !id.answers_to(""), "nothing else does");
}

fn at(url: &str) -> TypedUrl {
    TypedUrl { url: url.to_owned(), ..TypedUrl::default() }
}

#[test]
fn a_typed_address_is_named_after_its_host_and_hides_nobody() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join(".mcp.json"), r#"{"mcpServers":{"localhost":{"command":"x"}}}"#);
    let mut registry = load_project(root.path());
    let id = registry.add_typed(at("http://localhost:8080/mcp").into()).unwrap();
    assert_eq!(id.as_str(), "localhost-2", "the name before it is taken");
    let server = &registry.servers[0];
    assert_eq!((server.origin.layer, server.needs_approval()), (Layer::Typed, false), "typing it is its approval");
    assert_eq!(remote(server).origin(), "http://localhost:8080");
    let id = registry.add_typed(at("https://mcp.example.com/").into()).unwrap();
    assert_eq!(id.as_str(), "mcp-example-com", "a name without escapes");
    let id = registry.add_typed(at("http://[::1]:80/").into()).unwrap();
    assert_eq!(id.as_str(), "ipv6---1");
}

#[test]
fn a_typed_address_that_cannot_be_used_names_the_flag_and_no_secret() {
    let headers = |headers: &[(&str, &str)]| {
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Vec<_>>()
    };
    let good = at("https://example.com");
    for (typed, part) in [
        (at("example.com"), "--url"),
        (at("https://ada:s3cret@example.com"), "--url"),
        (TypedUrl { headers: headers(&[("Host", "s3cret")]), ..good.clone() }, "--header Host"),
        (TypedUrl { headers: headers(&[("A", "s3cret\n")]), ..good.clone() }, "--header A"),
        (TypedUrl { headers: headers(&[("A", "1"), ("a", "s3cret")]), ..good.clone() }, "--header a"),
        (TypedUrl { proxy: Some("s3cret".to_owned()), ..good.clone() }, "--proxy"),
        (TypedUrl { trust: Some("sha256:".to_owned()), ..good.clone() }, "--trust"),
    ] {
        let error = load_project(Path::new("/nowhere")).add_typed(typed.into()).unwrap_err();
        assert!(matches!(&error, TypedError::Part { part: found, .. } if found == part), "`{part}`: {error:?}");
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
}
