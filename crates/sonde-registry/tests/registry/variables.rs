//! What stands in `${…}`: looked up when a file is read, and again when a server is started.

use std::path::Path;

use sonde_registry::{EntryError, Lookup, Missing, Reference, ServerSpec, Variables};

use crate::{command_line, load_project, remote, write};

/// Knows the secret `TOKEN` and the input `host`.
struct Given<'a> {
    project: &'a Path,
}

impl Variables for Given<'_> {
    fn look_up(&self, reference: &Reference) -> Lookup {
        let value = match reference {
            Reference::Secret("TOKEN") => "s3cret",
            Reference::Input("host") => "example.com",
            Reference::Env("HOST") => "example",
            Reference::WorkspaceFolder => return Lookup::Value(self.project.display().to_string()),
            Reference::Secret("LATER") => return Lookup::Later,
            _ => return Lookup::Unset,
        };
        Lookup::Value(value.to_owned())
    }
}

fn server(root: &Path, entry: &str) -> ServerSpec {
    write(&root.join(".mcp.json"), &format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#));
    let mut registry = load_project(root);
    assert_eq!(registry.problems, [], "{entry}");
    registry.servers.remove(0)
}

#[test]
fn what_a_person_gives_stays_as_it_is_written_until_the_server_starts() {
    let root = tempfile::tempdir().unwrap();
    let entry = r#"{"command":"x","args":["--at=${input:host}","${workspaceFolder}"],"env":{"K":"${secret:TOKEN}","H":"${HOST}"}}"#;
    let spec = server(root.path(), entry);
    let line = command_line(&spec);
    assert_eq!(line.args[0], "--at=${input:host}", "not yet");
    assert_eq!(line.env[0].1, "${secret:TOKEN}", "not yet");
    assert_eq!(line.env[1].1, "example", "what the environment has is known already");
    let filled = spec.fill(&Given { project: root.path() }).unwrap();
    let line = command_line(&filled);
    assert_eq!(line.args, ["--at=example.com", root.path().to_str().unwrap()]);
    assert_eq!(line.env[0].1, "s3cret");
    assert_eq!(line.written[1], "--at=${input:host}", "what may be shown has no value in it");
    assert_eq!((&filled.id, &filled.origin, &filled.definition), (&spec.id, &spec.origin, &spec.definition));
    let given: Vec<_> = spec.definition.given().into_iter().map(|it| (it.field, it.reference)).collect();
    let wanted = [("args", "input:host"), ("env.K", "secret:TOKEN")];
    assert_eq!(given, wanted.map(|(field, reference)| (field.to_owned(), reference.to_owned())));
    let shown = format!("{filled:?}");
    assert!(!format!("{:?}", filled.definition).contains("s3cret") && shown.contains("Definition"), "{shown}");
}

#[test]
fn everything_that_is_missing_at_the_start_is_named_at_once() {
    let root = tempfile::tempdir().unwrap();
    let entry =
        r#"{"url":"https://${input:host}/mcp","headers":{"Authorization":"Bearer ${secret:LATER}","X":"${input:no}"}}"#;
    let spec = server(root.path(), entry);
    let error = spec.fill(&Given { project: root.path() }).unwrap_err();
    let missing = |field: &str, reference: &str| Missing { field: field.to_owned(), reference: reference.to_owned() };
    let wanted = vec![missing("headers.Authorization", "secret:LATER"), missing("headers.X", "input:no")];
    assert_eq!(error, EntryError::Needed { server: "s".to_owned(), missing: wanted });
    assert!(error.to_string().contains("`${secret:LATER}`, `${input:no}` have not been given"), "{error}");
    let spec = server(root.path(), r#"{"command":"${input:program:-node}"}"#);
    let filled = spec.fill(&Given { project: root.path() }).unwrap();
    assert_eq!(command_line(&filled).command, "node", "a default stands in for what nobody gave");
    let spec = server(root.path(), r#"{"command":"x","args":["${HOST}"]}"#);
    let error = spec.fill(&|_: &str| None).unwrap_err();
    assert!(
        matches!(&error, EntryError::Unset { variable, field, .. } if variable == "HOST" && field == "args"),
        "{error}"
    );
}

#[test]
fn an_address_may_be_given_later_as_a_whole_or_in_part() {
    let root = tempfile::tempdir().unwrap();
    for (url, later, filled) in [
        ("https://${input:host}/mcp", "https://later.invalid/mcp", "https://example.com/mcp"),
        (
            "https://${input:host}:8080/${secret:TOKEN}",
            "https://later.invalid:8080/later.invalid",
            "https://example.com:8080/s3cret",
        ),
        ("http://localhost:${input:port:-80}/mcp", "http://localhost:1/mcp", "http://localhost/mcp"),
    ] {
        let spec = server(root.path(), &format!(r#"{{"url":"{url}","headers":{{"A":"${{secret:TOKEN}}"}}}}"#));
        assert_eq!((remote(&spec).url.as_str(), &*remote(&spec).written), (later, url));
        let spec = spec.fill(&Given { project: root.path() }).unwrap();
        assert_eq!(remote(&spec).url.as_str(), filled);
        assert_eq!(remote(&spec).headers[0].value, "s3cret");
        let is_filled = remote(&spec).filled.contains(&"example.com".to_owned());
        assert_eq!(is_filled, url.contains("host}"), "who redacts must know it");
    }
    let spec =
        server(root.path(), r#"{"url":"${secret:ADDRESS}","sonde":{"proxy":"${secret:P}","trust":"${input:pin}"}}"#);
    assert_eq!(remote(&spec).origin(), "https://later.invalid", "nobody is spoken to there");
    let user = r#"{"mcpServers":{"s":{"url":"https://${secret:TOKEN}@example.com/"}}}"#;
    write(&root.path().join(".mcp.json"), user);
    let told = load_project(root.path()).problems[0].error.to_string();
    assert!(told.contains("user"), "a secret before an `@` is refused like any other: {told}");
}

#[test]
fn a_file_of_variables_is_read_when_the_server_starts_and_never_run() {
    let root = tempfile::tempdir().unwrap();
    let text = "\u{feff}# comment\nA=1\nexport B = \"two\\nlines\" # c\nC='$(touch run) ${HOST}'\nD=x # c\nA=2\nE=\nK=file\n\r\n";
    write(&root.path().join("sub/.env"), text);
    let spec = server(root.path(), r#"{"command":"x","envFile":"sub/.env","env":{"K":"entry"}}"#);
    assert_eq!(command_line(&spec).env.len(), 1, "not yet");
    let filled = spec.fill(&Given { project: root.path() }).unwrap();
    let env: Vec<_> = command_line(&filled).env.iter().map(|(name, value)| (&**name, &**value)).collect();
    let wanted =
        [("K", "entry"), ("B", "two\nlines"), ("C", "$(touch run) ${HOST}"), ("D", "x"), ("A", "2"), ("E", "")];
    assert_eq!(env, wanted, "as they stand there; what the entry says is nearer");
    let spec = server(root.path(), r#"{"command":"x","envFile":"${workspaceFolder}/sub/.env"}"#);
    assert!(spec.fill(&Given { project: root.path() }).is_ok(), "as other clients write it");
    for (text, words) in [("oops s3cret", "line 1"), ("A=1\n=s3cret", "line 2"), ("A B=s3cret", "name")] {
        write(&root.path().join("sub/.env"), text);
        let told = spec.fill(&Given { project: root.path() }).unwrap_err().to_string();
        assert!(told.contains("`envFile`") && told.contains(words) && !told.contains("s3cret"), "{told}");
    }
    write(&root.path().join("sub/.env"), &"A=1\n".repeat(100_000));
    let told = spec.fill(&Given { project: root.path() }).unwrap_err().to_string();
    assert!(told.contains("bytes"), "{told}");
    std::fs::remove_file(root.path().join("sub/.env")).unwrap();
    let told = spec.fill(&Given { project: root.path() }).unwrap_err().to_string();
    assert!(told.contains("there is no file"), "{told}");
    let spec = server(root.path(), r#"{"command":"x","envFile":"sub/.env"}"#);
    let told = spec.fill(&|_: &str| None).unwrap_err().to_string();
    assert!(told.contains("relative to a project"), "our own working folder is nobody's project: {told}");
}

#[test]
fn one_thing_said_in_two_ways_is_the_same_in_canonical_names() {
    let root = tempfile::tempdir().unwrap();
    let canonical = |entry: &str| server(root.path(), entry).definition.canonical();
    assert_eq!(
        canonical(r#"{"type":"stdio","command":["npx","-y"],"args":["a"],"workdir":"x","disabled":false,"name":"s"}"#),
        canonical(r#"{"command":"npx","args":["-y","a"],"cwd":"x"}"#)
    );
    assert_eq!(
        canonical(r#"{"transport":"streamable-http","serverUrl":"https://x","enabled":true,"headers":null}"#),
        canonical(r#"{"type":"http","url":"https://x"}"#)
    );
    assert_eq!(canonical(r#"{"command":"x","disabled":true}"#), canonical(r#"{"command":"x","enabled":false}"#));
    assert_ne!(
        canonical(r#"{"command":"x","tools":["*"]}"#),
        canonical(r#"{"command":"x"}"#),
        "what is not ours is kept"
    );
}
