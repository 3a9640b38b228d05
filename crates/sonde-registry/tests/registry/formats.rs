//! Every way in which servers may be written down in a file of ours.

use std::time::Duration;

use sonde_registry::{EntryError, Layer, Places, Registry, Severity, Surroundings, load};

use crate::{command_line, load_project, remote, write};

fn names(registry: &Registry) -> Vec<&str> {
    registry.servers.iter().map(|server| server.name.as_str()).collect()
}

fn load_text(file: &str, text: &str) -> (Registry, tempfile::TempDir) {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join(file), text);
    (load_project(root.path()), root)
}

fn load_json(text: &str) -> (Registry, tempfile::TempDir) {
    load_text(".mcp.json", text)
}

#[test]
fn servers_stand_under_one_of_several_names_as_an_object_or_a_list() {
    for text in [
        r#"{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}"#,
        r#"{"servers":{"a":{"command":"x"},"b":{"command":"y"}}}"#,
        r#"{"servers":[{"name":"a","command":"x"},{"id":"b","name":"B","command":"y"}]}"#,
        r#"{"mcpServers":[{"name":"a","command":"x"},{"id":"b","command":"y"}]}"#,
        r#"{"mcp":{"servers":[{"id":"a","command":"x"},{"id":"b","command":"y"}]}}"#,
        r#"{"mcpServers":{},"servers":{"a":{"command":"x"},"b":{"command":"y"}}}"#,
        r#"{"mcpServers":null,"servers":[],"mcp":{"servers":{"a":{"command":"x"},"b":{"command":"y"}}}}"#,
    ] {
        let (registry, _root) = load_json(text);
        assert_eq!(registry.problems, [], "{text}");
        assert_eq!(names(&registry), ["a", "b"], "in their order: {text}");
    }
    let (registry, _root) =
        load_json(r#"{"servers":[{"command":"x"},{"name":"n","command":"y"},{"name":"","command":"z"}]}"#);
    assert_eq!(names(&registry), ["unnamed-0", "n", "unnamed-2"], "who has no name is counted");
}

#[test]
fn the_first_name_that_has_servers_wins_and_the_other_is_told() {
    let (registry, _root) =
        load_json("{\"servers\":{\"b\":{\"command\":\"y\"}},\n\"mcpServers\":{\"a\":{\"command\":\"x\"}}}");
    assert_eq!(names(&registry), ["a"]);
    let problem = &registry.problems[0];
    assert_eq!(problem.error, EntryError::Ignored { key: "servers", used: "mcpServers" });
    assert_eq!((problem.error.severity(), problem.line), (Severity::Warning, Some(1)));
}

#[test]
fn yaml_says_it_all() {
    let (registry, _root) = load_text(
        ".sonde/mcp.yaml",
        "mcp:
  enabled: true
  connection_timeout: 45s
  servers:
    - id: files
      name: Files of the shop
      transport: stdio
      command: npx
      args: [-y, '@scope/files', 8080]
      env:
        PORT: 80
        DEBUG: true
        HOST: ${HOST}
      workdir: sub
      auto_start: true
    - id: web
      transport: http
      url: https://example.com/mcp
      headers: {Authorization: 'Bearer ${HOST}'}
      timeout: 30s
",
    );
    assert_eq!(names(&registry), ["files", "web"]);
    let (files, web) = (&registry.servers[0], &registry.servers[1]);
    let line = command_line(files);
    assert_eq!(line.args, ["-y", "@scope/files", "8080"]);
    let env: Vec<_> = line.env.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!(env, [("PORT", "80"), ("DEBUG", "true"), ("HOST", "example")], "as it is written, in its order");
    assert_eq!(files.folder(), Some("sub".as_ref()));
    assert!(files.auto_start && files.reconnect && files.enabled, "what starts by itself is kept alive");
    assert_eq!(files.profile.connect_timeout, Some(Duration::from_secs(45)), "the file says it for all");
    assert!(!web.auto_start && !web.reconnect);
    assert_eq!((web.profile.timeout, web.profile.connect_timeout), (Some(Duration::from_secs(30)), None), "its own");
    assert_eq!(remote(web).dialect.as_str(), "http");
    let loose: Vec<_> =
        registry.problems.iter().map(|problem| (problem.error.field().unwrap(), problem.line)).collect();
    assert_eq!(loose, [("args", Some(9)), ("env.PORT", Some(11)), ("env.DEBUG", Some(12))], "told, with their lines");
    assert!(registry.problems.iter().all(|problem| problem.error.severity() == Severity::Warning));
}

#[test]
fn a_file_may_switch_all_of_its_servers_off() {
    let text = "mcp: {enabled: false, servers: [{id: a, command: x, enabled: true}]}";
    let (registry, _root) = load_text(".sonde/mcp.yml", text);
    assert_eq!((names(&registry), registry.servers[0].enabled), (vec!["a"], false), "it is there, and off");
    let filled = registry.servers[0].fill(&|_: &str| None).unwrap();
    assert!(!filled.enabled, "also when it is read again");
}

#[test]
fn an_odd_key_of_a_file_is_told_with_its_line_and_everything_else_is_used() {
    let servers = "mcpServers: {a: {command: x}}";
    for (odd, key) in [
        ("mcp: {enabled: maybe}", "mcp.enabled"),
        ("mcp: {connection_timeout: soon}", "connection_timeout"),
        ("connection_timeout: []", "connection_timeout"),
        ("servers: x", "servers"),
        ("mcp: {servers: 7}", "mcp.servers"),
        ("mcp_servers: true", "mcp_servers"),
    ] {
        let (registry, _root) = load_text(".sonde/mcp.yml", &format!("{servers}\n{odd}\n"));
        assert_eq!(names(&registry), ["a"], "`{odd}` is no reason to refuse the others");
        assert!(registry.servers[0].enabled, "`{odd}` switches nothing off");
        let [problem] = registry.problems.as_slice() else { panic!("`{odd}` is told: {:?}", registry.problems) };
        assert!(matches!(problem.error, EntryError::Key { key: told, .. } if told == key), "{problem:?}");
        assert_eq!((problem.line, problem.error.severity()), (Some(2), Severity::Warning), "{problem:?}");
    }
    let (registry, _root) = load_text(".sonde/mcp.yml", "mcp: {enabled: 'no', servers: [{id: a, command: x}]}");
    assert!(!registry.servers[0].enabled, "whoever says no in other words says no");
    assert_eq!(registry.problems.len(), 1, "and is told how it is written: {:?}", registry.problems);
}

#[test]
fn a_server_is_on_unless_somebody_says_otherwise() {
    for (fields, enabled) in [
        ("", true),
        (r#","enabled":true"#, true),
        (r#","enabled":false"#, false),
        (r#","disabled":true"#, false),
        (r#","disabled":false"#, true),
        (r#","enabled":true,"disabled":true"#, false),
        (r#","enabled":null"#, true),
    ] {
        let (registry, _root) = load_json(&format!(r#"{{"mcpServers":{{"a":{{"command":"x"{fields}}}}}}}"#));
        assert_eq!((registry.problems.len(), registry.servers[0].enabled), (0, enabled), "`{fields}`");
    }
}

#[test]
fn a_command_is_one_word_with_arguments_or_all_of_them() {
    for (entry, argv) in [
        (r#"{"command":"npx","args":["-y","a b"]}"#, ["npx", "-y", "a b"]),
        (r#"{"command":["npx","-y","a b"]}"#, ["npx", "-y", "a b"]),
        (r#"{"command":["npx","-y"],"args":["a b"]}"#, ["npx", "-y", "a b"]),
    ] {
        let (registry, _root) = load_json(&format!(r#"{{"mcpServers":{{"a":{entry}}}}}"#));
        let line = command_line(&registry.servers[0]);
        assert_eq!(line.command, argv[0], "{entry}");
        assert_eq!(line.args, argv[1..], "{entry}");
        assert_eq!(line.written, argv, "{entry}");
    }
    for entry in [r#"{"command":[]}"#, r#"{"command":""}"#, r#"{"command":[" "]}"#] {
        let (registry, _root) = load_json(&format!(r#"{{"mcpServers":{{"a":{entry}}}}}"#));
        assert!(
            matches!(&registry.problems[0].error, EntryError::Field { field, .. } if field == "command"),
            "{entry}"
        );
    }
}

#[test]
fn the_rest_of_an_entry_is_read() {
    let (registry, _root) = load_json(
        r#"{"connection_timeout":"9s","mcpServers":{
            "a":{"command":"x","timeout":2,"fail_if_no_tools":true,"sonde":{"reconnect":true,"ping":"30s"}},
            "b":{"url":"https://x","http_max_retries":5,"http_retry_backoff":2.25,"autoStart":true,"sonde":{"reconnect":false}},
            "c":{"command":"x","timeout":60000,"connection_timeout":"7s"}}}"#,
    );
    let [a, b, c] = &registry.servers[..] else { panic!("{registry:?}") };
    assert!(a.fail_if_no_tools && a.reconnect && !a.auto_start);
    assert_eq!((a.ping, a.profile.timeout), (Some(Duration::from_secs(30)), Some(Duration::from_secs(2))));
    assert_eq!((remote(b).retries, remote(b).backoff), (5, 2250));
    assert!(b.auto_start && !b.reconnect && b.ping.is_none() && !b.fail_if_no_tools);
    assert_eq!(b.profile.connect_timeout, Some(Duration::from_secs(9)));
    assert_eq!(c.profile.timeout, Some(Duration::from_secs(60)), "nobody waits for a day");
    assert_eq!(c.profile.connect_timeout, Some(Duration::from_secs(7)), "nearer than what the file says");
    assert_eq!(registry.problems.len(), 1);
    assert!(registry.problems[0].error.to_string().contains("milliseconds"), "{:?}", registry.problems);
}

#[test]
fn a_word_that_nobody_knows_is_told_once_and_those_of_other_clients_never() {
    let (registry, _root) = load_json(
        r#"{"mcpServers":{
            "a":{"comand":"y","command":"x","alwaysAllow":[],"autoApprove":[],"description":"","tools":["*"],"trust":true},
            "b":{"comand":"y","command":"x","_note":1,"$x":1,"//":"c","x-y":1,"oauth":{},"sandboxEnabled":true},
            "c":{"url":"https://x","Headers":{},"auth":{"CLIENT_ID":"x"}}}}"#,
    );
    assert_eq!(registry.servers.len(), 3, "nothing of it takes a server away");
    let told: Vec<_> = registry.problems.iter().map(|problem| problem.error.field().unwrap()).collect();
    assert_eq!(told, ["comand", "Headers"]);
    let words = |place: usize| registry.problems[place].error.to_string();
    assert!(words(0).ends_with("is `command` meant?") && words(1).ends_with("is `headers` meant?"), "{}", words(0));
    let (registry, _root) = load_json(r#"{"mcpServers":{"a":{"command":"x","entirely":1,"dissabled":1}}}"#);
    let told: Vec<String> = registry.problems.iter().map(|problem| problem.error.to_string()).collect();
    assert!(told[0].contains("known are command"), "a word that is like none is told what there is: {told:?}");
    assert!(told[1].ends_with("is `disabled` meant?"), "{told:?}");
}

#[test]
fn an_entry_needs_a_command_or_an_address_and_not_both() {
    let (registry, _root) =
        load_json(r#"{"mcpServers":{"a":{"args":[]},"b":{"command":"x","url":"https://x"},"c":{"command":null}}}"#);
    let errors: Vec<_> = registry.problems.iter().map(|problem| &problem.error).collect();
    let neither = |server: &str| EntryError::Neither { server: server.to_owned() };
    let both = EntryError::Both { server: "b".to_owned(), address: "url" };
    assert_eq!(errors, [&neither("a"), &both, &neither("c")]);
}

#[test]
fn a_name_that_is_there_twice_is_no_server_and_both_lines_are_named() {
    for (file, text) in [
        (
            ".mcp.json",
            "{\"mcpServers\":{\n\"a\":{\"command\":\"x\"},\n\"b\":{\"command\":\"x\"},\n\"a\":{\"command\":\"y\"}}}",
        ),
        (
            ".mcp.json",
            "{\"servers\":[\n{\"name\":\"a\",\"command\":\"x\"},\n{\"name\":\"b\",\"command\":\"x\"},\n{\"name\":\"a\"}]}",
        ),
        (".sonde/mcp.yaml", "mcpServers:\n  a: {command: x}\n  b: {command: x}\n  a: {command: y}\n"),
    ] {
        let (registry, _root) = load_text(file, text);
        assert_eq!(names(&registry), ["b"], "which of the two is meant, nobody can know: {text}");
        let twice = EntryError::Twice { server: "a".to_owned(), field: None, first: 2, second: 4 };
        assert_eq!(registry.problems[0].error, twice, "{text}");
    }
    let (registry, _root) =
        load_json("{\"mcpServers\":{\"a\":{\"command\":\"x\",\n\"env\":{\"K\":\"1\",\n\"K\":\"2\"}}}}");
    let told = registry.problems[0].error.to_string();
    assert!(told.contains("`env.K` is there twice: in line 2 and in line 3"), "{told}");
}

#[test]
fn names_that_are_no_ids_are_kept_beside_an_id_that_is_safe_everywhere() {
    let long = "é".repeat(5 << 10);
    let text = format!(
        r#"{{"mcpServers":{{"../../x":{{"command":"x"}},"{long}":{{"command":"x"}},"\u05d0\u202eb":{{"command":"x"}}}}}}"#
    );
    let (registry, _root) = load_json(&text);
    assert_eq!(names(&registry), ["../../x", &long, "\u{5d0}\u{202e}b"], "as they are written");
    let ids: Vec<_> = registry.servers.iter().map(|server| server.id.as_str()).collect();
    assert_eq!(ids[0], "%2E%2E%2F%2E%2E%2Fx");
    assert_eq!(ids[2], "%D7%90%E2%80%AEb");
    assert!(ids[1].len() <= 128 && ids[1].starts_with("%C3%A9%C3%A9"), "{}", ids[1]);
    let escapes = ids[1].split('%').skip(1);
    assert!(escapes.clone().count() > 20 && escapes.clone().all(|escape| escape.len() >= 2), "no escape is cut");
    assert!(registry.servers[1].id.answers_to(&long), "its name still finds it");
    let (registry, _root) = load_json(&text.replace(&long, &format!("{long}é")));
    assert_ne!(registry.servers[1].id.as_str(), ids[1], "another long name is another id");
}

#[test]
fn too_many_servers_are_refused() {
    let many: Vec<String> = (0..10_001).map(|number| format!(r#""s{number}":{{"command":"x"}}"#)).collect();
    let (registry, _root) = load_json(&format!(r#"{{"mcpServers":{{{}}}}}"#, many.join(",")));
    assert!(matches!(&registry.problems[0].error, EntryError::Invalid(problem) if problem.contains("10001 servers")));
    assert!(registry.servers.is_empty(), "nothing of it is used");
}

#[test]
fn a_farther_layer_is_yaml_as_well() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join("config/sonde/mcp.yaml"), "mcpServers: {a: {command: global}, b: {command: global}}");
    write(&root.path().join("project/.sonde/mcp.json"), r#"{"mcpServers":{"a":{"command":"own"}}}"#);
    let project = root.path().join("project");
    let places = Places { config: Some(root.path().join("config")), project: project.clone() };
    let registry = load(&places, Vec::new(), &Surroundings { variable: &|_| None, home: None, project });
    let found: Vec<_> = registry
        .servers
        .iter()
        .map(|server| (&*server.name, server.origin.layer, &*command_line(server).command))
        .collect();
    assert_eq!(found, [("a", Layer::Project, "own"), ("b", Layer::Global, "global")]);
}
