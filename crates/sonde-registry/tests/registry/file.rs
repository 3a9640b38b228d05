//! One file: good entries are used, bad ones named.

use sonde_registry::EntryError;

use crate::{command_line, load_project, write};

#[test]
fn keys_of_other_clients_are_none_of_our_business() {
    let root = tempfile::tempdir().unwrap();
    let text = r#"{"$schema":"x","inputs":[1],"mcpServers":{"a b/é":{
        "type":"stdio","command":"${HOST}-server","args":["--port","${PORT:-80}"],"env":{"H":"${env:HOST}"},
        "env_passthrough":["TOKEN"],"workdir":"sub","disabled":true,"autoApprove":["*"]}}}"#;
    write(&root.path().join(".mcp.json"), &format!("\u{feff}{text}"));
    let registry = load_project(root.path());
    assert_eq!(registry.problems, [], "a byte order mark and foreign keys are tolerated");
    let server = &registry.servers[0];
    assert_eq!(server.id.as_str(), "a%20b%2F%C3%A9", "an id is safe everywhere");
    let line = command_line(server);
    assert_eq!((&*line.command, &line.args[1][..]), ("example-server", "80"), "variables and defaults");
    let written = ["${HOST}-server", "--port", "${PORT:-80}"];
    assert_eq!(line.written, written, "what may be shown has no value of a variable in it");
    assert_eq!(line.env, [("H".to_owned(), "example".to_owned())]);
    assert_eq!(line.env_passthrough, ["TOKEN"]);
    assert_eq!(server.folder(), Some("sub".as_ref()), "`workdir` is another word for `cwd`");
}

#[test]
fn bad_json_is_named_with_its_line() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join(".mcp.json"), "{\n  \"mcpServers\": {\n    \"a\": {,}\n  }\n}");
    let registry = load_project(root.path());
    assert_eq!(registry.problems[0].file, root.path().join(".mcp.json"));
    let told = registry.problems[0].error.to_string();
    assert!(told.contains("line 3"), "{told}");
    for text in ["", "{\"mcpServers\": {", "\u{0}", &"[".repeat(100_000), "{\"a\":1}{}"] {
        write(&root.path().join(".mcp.json"), text);
        let registry = load_project(root.path());
        assert!(registry.servers.is_empty(), "nothing of a bad file is used");
        assert!(matches!(registry.problems[0].error, EntryError::Syntax(_)), "{:?}", registry.problems);
    }
    for text in ["[]", "7"] {
        write(&root.path().join(".mcp.json"), text);
        let registry = load_project(root.path());
        assert!(matches!(registry.problems[0].error, EntryError::Invalid(_)), "{:?}", registry.problems);
    }
    for text in ["{\n\"mcpServers\": 7}", "{\n\"servers\": \"x\"}"] {
        write(&root.path().join(".mcp.json"), text);
        let problem = &load_project(root.path()).problems[0];
        assert!(matches!(problem.error, EntryError::Key { .. }) && problem.line == Some(2), "{problem:?}");
    }
}

#[test]
fn a_bad_entry_is_named_and_the_others_are_used() {
    let root = tempfile::tempdir().unwrap();
    let text = r#"{"mcpServers":{
        "nothing":{},
        "":{"command":"x"},
        "number":{"command":7},
        "null":null,
        "arg":{"command":"x","args":["ok","--token=${SECRET}"]},
        "env":{"command":"x","env":{"KEY":"${OTHER}"}},
        "command":{"command":"${BIN}"},
        "good":{"command":"x"}}}"#;
    write(&root.path().join(".mcp.json"), text);
    let registry = load_project(root.path());
    let names: Vec<_> = registry.servers.iter().map(|server| server.id.as_str()).collect();
    assert_eq!(names, ["good"], "only the good one can be started");
    let errors: Vec<_> = registry.problems.into_iter().map(|problem| problem.error).collect();
    assert_eq!(errors.len(), 7, "each of the others is named: {errors:?}");
    let unset = |server: &str, variable: &str, field: &str| EntryError::Unset {
        server: server.to_owned(),
        variable: variable.to_owned(),
        field: field.to_owned(),
    };
    for error in [unset("arg", "SECRET", "args"), unset("env", "OTHER", "env.KEY"), unset("command", "BIN", "command")]
    {
        assert!(errors.contains(&error), "variable and field are named: {error:?} in {errors:?}");
    }
}

#[test]
fn what_is_no_plain_file_of_a_sane_size_is_not_read() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join(".mcp.json");
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    let registry = load_project(root.path());
    assert!(matches!(registry.problems[0].error, EntryError::Unreadable(_)), "an endless file: {registry:?}");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let registry = load_project(root.path());
    assert!(matches!(registry.problems[0].error, EntryError::Unreadable(_)), "a folder: {registry:?}");
    std::fs::remove_dir(&path).unwrap();
    std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let registry = load_project(root.path());
    assert!(matches!(registry.problems[0].error, EntryError::TooLarge(_)), "a terabyte: {registry:?}");
}

#[test]
fn a_field_of_the_wrong_type_is_named_with_what_was_found() {
    let root = tempfile::tempdir().unwrap();
    for (entry, field, wanted) in [
        (r#"{"command":7}"#, "command", "a string"),
        (r#"{"command":["npx",{}]}"#, "command", "a string or a list of strings"),
        (r#"{"command":"x","args":"--port 80"}"#, "args", "a list of strings"),
        (r#"{"command":"x","args":[[80]]}"#, "args", "a list of strings"),
        (r#"{"command":"x","env":["A=1"]}"#, "env", "an object"),
        (r#"{"command":"x","env":{"PORT":[80]}}"#, "env.PORT", "a string"),
        (r#"{"command":"x","enabled":"yes"}"#, "enabled", "true or false"),
        (r#"{"command":"x","auto_start":1}"#, "auto_start", "true or false"),
        (r#"{"command":"x","fail_if_no_tools":"no"}"#, "fail_if_no_tools", "true or false"),
        (r#"{"command":"x","timeout":"soon"}"#, "timeout", "a time like"),
        (r#"{"command":"x","env_passthrough":"TOKEN"}"#, "env_passthrough", "a list of strings"),
        (r#"{"command":"x","cwd":1}"#, "cwd", "a string"),
        (r#"{"command":"x","workdir":1}"#, "workdir", "a string"),
    ] {
        write(&root.path().join(".mcp.json"), &format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#));
        let registry = load_project(root.path());
        assert!(registry.servers.is_empty(), "`{entry}` can't be started");
        let EntryError::Field { server, field: found, problem } = &registry.problems[0].error else {
            panic!("`{entry}`: {:?}", registry.problems)
        };
        assert_eq!((&**server, &**found), ("s", field), "server and field are named");
        assert!(problem.contains(wanted), "and what belongs there: {problem}");
        assert_eq!(problem.contains("not `"), !field.starts_with("env") || field == "env_passthrough", "{problem}");
    }
}
