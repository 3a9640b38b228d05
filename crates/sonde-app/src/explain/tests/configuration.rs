//! What is wrong with a file of configuration.

use sonde_registry::{EntryError, FileProblem, Lookup, Missing, Reference, Variables};

use super::*;

/// A machine on which nothing is set but one variable.
struct Bare;

impl Variables for Bare {
    fn look_up(&self, reference: &Reference) -> Lookup {
        match reference {
            Reference::Input(_) | Reference::Secret(_) => Lookup::Later,
            _ => Lookup::Unset,
        }
    }
}

/// Everything that is wrong with a project's file, as a person reads it.
fn problems(file: &str, text: &str) -> Vec<ApiError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join(".sonde")).unwrap();
    std::fs::write(folder.path().join(file), text).unwrap();
    let places = Places { config: None, project: folder.path().to_owned() };
    let problems = load(&places, Vec::new(), &Bare).problems;
    let moved =
        problems.into_iter().map(|problem| FileProblem { file: Path::new("/home/ada/shop").join(file), ..problem });
    moved.map(|problem| unix().configuration(&problem, Layer::Project)).collect()
}

fn tell_all(sheet: &mut Sheet, what: &str, file: &str, text: &str) {
    let told = problems(file, text);
    assert!(!told.is_empty(), "something is wrong with {text}");
    told.iter().for_each(|error| sheet.tell(what, error));
}

#[test]
fn files_that_cannot_be_read() {
    let mut sheet = Sheet::new("syntax.txt");
    let json = ".mcp.json";
    tell_all(
        &mut sheet,
        "a missing comma",
        json,
        "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"npx\"\n      \"args\": []\n    }\n  }\n}\n",
    );
    tell_all(&mut sheet, "a missing brace", json, "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"}\n");
    tell_all(&mut sheet, "single quotation marks", json, "{'mcpServers': {}}");
    tell_all(
        &mut sheet,
        "a path of Windows",
        json,
        "{\"mcpServers\": {\"a\": {\"command\": \"C:\\tools\\x.exe\"}}}".replace("\\\\", "\\").as_str(),
    );
    tell_all(&mut sheet, "an empty file", json, "");
    tell_all(&mut sheet, "YAML", ".sonde/mcp.yaml", "mcp:\n  servers:\n   - name: a\n  \tcommand: x\n");
    sheet.check();
}

#[test]
fn entries_that_cannot_be_used() {
    let mut sheet = Sheet::new("configuration.txt");
    for (what, entry) in [
        ("a number for a command", r#"{"command": 7}"#),
        ("an argument that is no word", r#"{"command": "npx", "args": [{"a": 1}]}"#),
        ("a text for a list", r#"{"command": "npx", "args": {"x": 1}}"#),
        ("a time that is none", r#"{"command": "npx", "timeout": "soon"}"#),
        ("a list of variables", r#"{"command": "npx", "env": ["A=1"]}"#),
        ("an address that is none", r#"{"url": "example.com/mcp"}"#),
        ("a transport that nobody knows", r#"{"url": "https://example.com/mcp", "type": "websocket"}"#),
        ("a word that means nothing", r#"{"command": "npx", "sonde": {"tiemout": 3}}"#),
        ("neither", r#"{"args": ["-y"]}"#),
        ("both", r#"{"command": "npx", "url": "https://example.com/mcp"}"#),
        ("no object", r#"["npx"]"#),
        ("a variable that is not set", r#"{"command": "${NOWHERE}"}"#),
        ("a number for a variable", r#"{"command": "npx", "env": {"PORT": 80}}"#),
        ("milliseconds", r#"{"command": "npx", "timeout": 30000}"#),
        ("a secret in clear", r#"{"url": "http://example.com/mcp", "headers": {"Authorization": "Bearer x"}}"#),
    ] {
        let text = format!("{{\n  \"mcpServers\": {{\n    \"shop\": {entry}\n  }}\n}}\n");
        tell_all(&mut sheet, what, ".mcp.json", &text);
    }
    tell_all(&mut sheet, "no servers at all", ".mcp.json", "[1]");
    sheet.check();
}

#[test]
fn values_that_nobody_has_given() {
    let mut sheet = Sheet::new("unfilled.txt");
    let missing = [("env.API_KEY", "secret:API_KEY"), ("args", "input:region")];
    let missing =
        missing.map(|(field, reference)| Missing { field: field.to_owned(), reference: reference.to_owned() });
    let needed = EntryError::Needed { server: "shop".to_owned(), missing: missing.to_vec() };
    sheet.tell("a secret and an input", &unix().unfilled(&npx(), &needed));
    let unset =
        EntryError::Unset { server: "shop".to_owned(), variable: "TOKEN".to_owned(), field: "env.TOKEN".to_owned() };
    sheet.tell("a variable", &unix().unfilled(&npx(), &unset));
    sheet.check();
}
