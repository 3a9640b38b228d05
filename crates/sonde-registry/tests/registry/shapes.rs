//! Texts of other clients: what they are taken for, what of them is kept, and what is wrong with bad ones.

use sonde_registry::language::{Language, Object};
use sonde_registry::shapes::{Reading, Shape, read_file, read_text};
use sonde_registry::{Definition, EntryError, Severity};

use crate::{fixture, write};

fn one(reading: &Reading) -> &Definition {
    &reading.sections[0].definitions[0]
}

fn json(entry: &Object) -> String {
    Language::Json.render(entry).split_whitespace().collect()
}

#[test]
fn a_pasted_text_is_known_by_its_keys() {
    for (text, shape) in [
        (r#"{"mcpServers":{"a":{"command":"x"}}}"#, Shape::Plain),
        (r#"{"mcpServers":{"a":{"type":"http","url":"https://h/mcp"}}}"#, Shape::ClaudeCode),
        (r#"{"mcpServers":{"a":{"serverUrl":"https://h/mcp"}}}"#, Shape::Windsurf),
        (r#"{"mcpServers":{"a":{"httpUrl":"https://h/mcp"}}}"#, Shape::Gemini),
        (r#"{"mcpServers":{"a":{"type":"streamableHttp","url":"https://h/mcp"}}}"#, Shape::Cline),
        (r#"{"mcpServers":{"a":{"type":"local","command":"x"}}}"#, Shape::CopilotCli),
        (r#"{"mcpServers":[{"name":"a","command":"x"}]}"#, Shape::Continue),
        (r#"{"servers":{"a":{"command":"x"}}}"#, Shape::VsCode),
        (r#"{"mcp":{"servers":{"a":{"command":"x"}}}}"#, Shape::VsCode),
        (r#"{"servers":[{"name":"a","command":"x"}]}"#, Shape::Sonde),
        (r#"{"context_servers":{"a":{"command":"x"}}}"#, Shape::Zed),
        (r#"{"amp.mcpServers":{"a":{"command":"x"}}}"#, Shape::Amp),
        (r#"{"mcp":{"a":{"type":"local","command":["x"]}}}"#, Shape::OpenCode),
        ("[mcp_servers.a]\ncommand = \"x\"\n", Shape::Codex),
        ("[[mcp_servers]]\nname = \"a\"\ncommand = \"x\"\n", Shape::Vibe),
        ("extensions:\n  a:\n    type: stdio\n    cmd: x\n", Shape::Goose),
        ("mcp:\n  servers:\n    - name: a\n      command: x\n", Shape::Sonde),
        (r#"{"a":{"command":"x"}}"#, Shape::Plain),
        (r#""a":{"command":"x"},"#, Shape::Plain),
    ] {
        let reading = read_text(text, None).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(reading.shape, shape, "{text}");
        let section = &reading.sections[0];
        assert!(section.problems.is_empty(), "{text}: {:?}", section.problems);
        let server = one(&reading);
        assert_eq!(server.name, "a", "{text}");
        let reach = if text.contains("https") { r#""url":"https://h/mcp""# } else { r#""command":"x""# };
        assert!(json(&server.entry).contains(reach), "{text} became {}", json(&server.entry));
    }
}

#[test]
fn a_server_by_itself_is_named_after_its_file() {
    let text = r#"{"command":"npx","args":["-y","pkg"]}"#;
    assert_eq!(one(&read_text(text, Some("weather.json")).unwrap()).name, "weather");
    assert_eq!(one(&read_text(text, None).unwrap()).name, "pasted", "it can be renamed");
    for fenced in [format!("```json\n{text}\n```\n"), format!("\n~~~\n{text}\n~~~"), format!("```\n{text}")] {
        let reading = read_text(&fenced, None).unwrap_or_else(|error| panic!("`{fenced}`: {error}"));
        assert_eq!(one(&reading).name, "pasted", "as it is copied from a page or a chat: {fenced}");
    }
}

#[test]
fn references_are_spelled_anew_and_never_filled_in() {
    for (text, wanted) in [
        (
            "mcpServers:\n  - name: a\n    command: x\n    args: ['${{ secrets.K }}', '${{ inputs.i }}']\n",
            r#"["${secret:K}","${input:i}"]"#,
        ),
        (r#"{"mcp":{"a":{"type":"local","command":["x","{env:HOME}/y"]}}}"#, r#"["${HOME}/y"]"#),
        (
            r#"{"mcpServers":{"a":{"command":"x","args":["${HOME}","${env:HOME}","$HOME","%HOME%","${X:-${HOME}}"]}}}"#,
            r#"["${HOME}","${env:HOME}","$HOME","%HOME%","${X:-${HOME}}"]"#,
        ),
        (
            r#"{"servers":{"a":{"command":"x","args":["${input:k}","${workspaceFolder}"]}}}"#,
            r#"["${input:k}","${workspaceFolder}"]"#,
        ),
    ] {
        let reading = read_text(text, None).unwrap();
        let entry = json(&one(&reading).entry);
        assert!(entry.contains(&format!(r#""args":{wanted}"#)), "{text} became {entry}");
    }
}

#[test]
fn what_is_no_server_is_told_and_no_fault() {
    for (name, server) in [("goose.yaml", "developer"), ("zed.json", "mcp-server-github")] {
        let reading = read_text(&fixture(name), Some(name)).unwrap();
        let [problem] = &reading.sections[0].problems[..] else { panic!("{:?}", reading.sections[0].problems) };
        assert_eq!((problem.server.as_deref(), problem.severity), (Some(server), Severity::Warning), "{problem}");
        assert!(problem.line > 0, "where it stands: {problem:?}");
    }
}

#[test]
fn what_a_file_asks_for_goes_with_the_servers_that_need_it() {
    let reading = read_text(&fixture("vscode.json"), None).unwrap();
    let inputs = |index: usize| {
        let entry = &reading.sections[0].definitions[index].entry;
        let list = entry.get("inputs").unwrap().value.as_list().unwrap();
        let id = |node: &sonde_registry::language::Node| {
            node.value.as_object().unwrap().get("id").unwrap().value.as_text().unwrap().to_owned()
        };
        list.iter().map(id).collect::<Vec<_>>()
    };
    assert_eq!(inputs(0), ["tracker-key"]);
    assert_eq!(inputs(1), ["tracker-key", "region"], "and what nobody asks for stays behind");
}

#[test]
fn a_settings_file_without_servers_has_none_and_no_fault() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("settings.json");
    for text in
        ["", "  \n", "{}", r#"{"mcp":{"allowed":["a"]},"extensions":{"disabled":[]}}"#, r#"{"mcpServers":null}"#]
    {
        write(&path, text);
        let reading = read_file(Shape::Gemini, &path).unwrap().unwrap();
        assert!(reading.sections[0].definitions.is_empty() && reading.sections[0].problems.is_empty(), "{text}");
    }
    assert!(read_file(Shape::Gemini, &root.path().join("absent")).unwrap().is_none());
}

#[test]
fn a_bad_text_is_told_with_its_line() {
    for (text, line) in [
        ("{\n  \"mcpServers\": {\n    \"a\": {,}\n  }\n}", 3),
        ("{\n\"mcpServers\": {\n", 3),
        ("[mcp_servers.a]\ncommand = \n", 2),
        ("extensions:\n  a: [\n", 3),
    ] {
        let Err(EntryError::Syntax(error)) = read_text(text, None) else { panic!("`{text}` was taken") };
        assert!(error.line.abs_diff(line) <= 1, "`{text}`: line {} instead of {line}", error.line);
    }
    let deep = format!("{{\"mcpServers\":{}", "[".repeat(200_000));
    assert!(matches!(read_text(&deep, None), Err(EntryError::Syntax(_))), "no text can use up the stack");
    for text in ["7", "[]", "\"x\"", r#"{"a":1}"#, r#"{"theme":"dark","command":7}"#] {
        match read_text(text, None) {
            Err(error) => assert!(!error.to_string().is_empty(), "{text}"),
            Ok(reading) => assert_eq!(reading.sections[0].definitions.len(), 1, "{text}: it is told when it is read"),
        }
    }
}

#[test]
fn a_bad_entry_is_told_with_its_line_and_the_others_are_read() {
    let text = "{\"mcpServers\":{\n\"a\":7,\n\"b\":{\"command\":\"x\"},\n\"c\":{\"type\":\"ws\",\"url\":\"https://h\"},\n\
        \"d\":{\"command\":\"one\"},\n\"d\":{\"command\":\"two\"}}}";
    let reading = read_text(text, None).unwrap();
    let names: Vec<&str> = reading.sections[0].definitions.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["b"], "nobody can say which of the two is meant");
    let told: Vec<_> = reading.sections[0].problems.iter().map(|one| (one.server.clone().unwrap(), one.line)).collect();
    assert_eq!(told, [("a".to_owned(), 2), ("c".to_owned(), 4), ("d".to_owned(), 6)]);
    let list = "servers:\n- command: x\n- name: a\n  command: x\n- name: a\n  command: y\n";
    let section = &read_text(list, None).unwrap().sections[0];
    assert_eq!((section.definitions.len(), section.problems.len()), (0, 3), "{:?}", section.problems);
    let wrong = read_text(r#"{"mcpServers":7}"#, None).unwrap();
    assert_eq!(wrong.sections[0].problems.len(), 1, "{:?}", wrong.sections[0].problems);
}

#[test]
fn any_name_is_kept_as_it_is_unless_nobody_could_read_it() {
    let names = ["../../x".to_owned(), "\u{202e}txt.exe".to_owned(), "é 🎉\n".to_owned(), "n".repeat(10 << 10)];
    for name in names {
        let text = format!("{{\"mcpServers\":{{{}:{{\"command\":\"x\"}}}}}}", serde_json::json!(name));
        let reading = read_text(&text, None).unwrap();
        assert_eq!(one(&reading).name, name, "who shows it makes it safe");
    }
    let long = format!("{{\"mcpServers\":{{\"{}\":{{\"command\":\"x\"}}}}}}", "n".repeat(100 << 10));
    let section = &read_text(&long, None).unwrap().sections[0];
    let [problem] = &section.problems[..] else { panic!("{section:?}") };
    assert!(problem.to_string().len() < 200, "it is not told in full either: {problem}");
}

#[test]
fn what_is_said_about_an_input_comes_with_the_server_that_asks_for_it() {
    let text = r#"{
        "servers": { "a": { "command": "x", "args": ["${input:region}"], "env": { "KEY": "${input:key}" } } },
        "inputs": [
            { "id": "key", "type": "promptString", "description": "Your key", "password": true },
            { "id": "region", "type": "pickString", "default": "eu",
              "options": ["eu", { "label": "America", "value": "us" }] }
        ]
    }"#;
    let reading = read_text(text, Some("mcp.json")).unwrap();
    let own = one(&reading);
    let key = own.input("key");
    assert_eq!((key.description.as_deref(), key.password, key.default), (Some("Your key"), true, None));
    let region = own.input("region");
    assert_eq!(
        (region.default.as_deref(), region.options, region.password),
        (Some("eu"), vec!["eu".into(), "us".into()], false)
    );
    assert_eq!(own.input("nobody"), sonde_registry::InputAbout::default(), "nothing is said of others");
}
