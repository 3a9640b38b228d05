//! The nearest entry of a name wins, whole.

use sonde_registry::{Layer, Places, Readings, ServerSpec, Severity, SourceEntry, load, load_again};

use crate::{command_line, write};

#[test]
fn the_nearest_entry_wins_whole() {
    let root = tempfile::tempdir().unwrap();
    let (outer, inner) = (root.path().join("work"), root.path().join("work/project"));
    let entry = |name: &str, command: &str, more: &str| {
        format!(r#"{{"mcpServers":{{"{name}":{{"command":"{command}"{more}}},"only-{command}":{{"command":"x"}}}}}}"#)
    };
    write(&root.path().join("config/sonde/mcp.json"), &entry("s", "global", r#","args":["g"],"env":{"A":"1"}"#));
    write(&outer.join(".mcp.json"), &entry("s", "outer", r#","args":["o"]"#));
    write(&inner.join(".mcp.json"), &entry("s", "inner", r#","args":["i"]"#));
    write(&inner.join(".sonde/mcp.json"), &entry("s", "own", ""));
    let places = Places { config: Some(root.path().join("config")), project: inner.clone() };
    let built_in = ["s", "demo"].map(|name| ServerSpec::built_in(name, "demo".to_owned(), Vec::new()).unwrap());
    let registry = load(&places, built_in.to_vec(), &|_: &str| None);
    assert_eq!(registry.problems, [], "all files are good");
    let found: Vec<_> = registry.servers.iter().filter(|server| server.id.as_str() == "s").collect();
    assert_eq!(found.len(), 1, "a name is one server");
    assert_eq!(command_line(found[0]).command, "own", "`.sonde/mcp.json` of the project is the nearest");
    assert!(
        command_line(found[0]).args.is_empty() && command_line(found[0]).env.is_empty(),
        "nothing of a hidden entry shines through"
    );
    assert_eq!(found[0].origin.file, Some(inner.join(".sonde/mcp.json")), "and its file is known");
    let hidden: Vec<_> = found[0].overrides.iter().map(|origin| (origin.layer, origin.file.clone())).collect();
    let wanted = [
        (Layer::Project, Some(inner.join(".mcp.json"))),
        (Layer::Ancestor, Some(outer.join(".mcp.json"))),
        (Layer::Global, Some(root.path().join("config/sonde/mcp.json"))),
        (Layer::BuiltIn, None),
    ];
    assert_eq!(hidden, wanted, "all that it hides, nearest first");
    for (name, layer) in [
        ("only-own", Layer::Project),
        ("only-inner", Layer::Project),
        ("only-outer", Layer::Ancestor),
        ("only-global", Layer::Global),
        ("demo", Layer::BuiltIn),
    ] {
        let server = registry.servers.iter().find(|server| server.id.as_str() == name);
        assert_eq!(server.map(|server| server.origin.layer), Some(layer), "`{name}` is not hidden by anyone");
    }
}

#[test]
fn no_file_is_no_problem() {
    let root = tempfile::tempdir().unwrap();
    let registry = crate::load_project(&root.path().join("no/such/folder"));
    assert!(registry.servers.is_empty() && registry.problems.is_empty(), "{registry:?}");
}

#[test]
fn an_entry_that_cannot_be_used_still_hides_a_farther_one() {
    let root = tempfile::tempdir().unwrap();
    let inner = root.path().join("project");
    write(&root.path().join(".mcp.json"), r#"{"mcpServers":{"s":{"command":"far"},"t":{"command":"far"}}}"#);
    write(&inner.join(".mcp.json"), r#"{"mcpServers":{"s":{"command":"${NOT_SET}"}}}"#);
    let registry = crate::load_project(&inner);
    let names: Vec<_> = registry.servers.iter().map(|server| server.id.as_str()).collect();
    assert_eq!(names, ["t"], "`s` would start another command than the nearest file says");
    assert_eq!(registry.problems.len(), 1, "and the reason is told");
    let [broken] = &registry.broken[..] else { panic!("{registry:?}") };
    assert_eq!((broken.id.as_str(), broken.overrides.len()), ("s", 1), "it is listed with what it hides");
    assert_eq!(command_line(broken).written, ["${NOT_SET}"], "as it is written");
    assert_eq!(broken.flaw.as_deref(), registry.problems.first(), "and with what is wrong");
}

#[test]
fn an_entry_that_cannot_be_used_is_read_as_far_as_it_goes_and_keeps_its_place() {
    let root = tempfile::tempdir().unwrap();
    let text = r#"{"mcpServers":{
        "a":{"command":"one","timeout":"soon","sonde":{"ping":"often"},"disabled":true},
        "b":{"command":"two"},
        "c":{"command":7,"args":["x"]},
        "d":[],
        "e":{"url":"http://${HOST_NOT_SET}/mcp"},
        "f":{"command":"three","url":"http://x/"}}}"#;
    write(&root.path().join(".mcp.json"), text);
    let mut registry = crate::load_project(root.path());
    let usable: Vec<_> = registry.servers.iter().map(|server| server.id.as_str()).collect();
    assert_eq!(usable, ["b"], "nothing else may be started");
    let all = registry.take_all();
    let ids: Vec<_> = all.iter().map(|server| (server.id.as_str(), server.flaw.is_some())).collect();
    assert_eq!(ids, [("a", true), ("b", false), ("c", true), ("d", true), ("e", true), ("f", true)]);
    assert_eq!((command_line(&all[0]).command.as_str(), all[0].enabled), ("one", false), "{:?}", all[0]);
    assert_eq!(command_line(&all[5]).command, "three", "of two ways the program is shown");
    assert!(all[0].definition.entry.has("timeout"), "what is wrong stays in the entry, to be corrected");
}

#[test]
fn a_file_that_cannot_be_read_any_more_keeps_its_entries_and_still_hides_farther_ones() {
    let root = tempfile::tempdir().unwrap();
    let (far, near) = (root.path().join(".mcp.json"), root.path().join("project/.mcp.json"));
    write(&far, r#"{"mcpServers":{"s":{"command":"far"},"t":{"command":"far"}}}"#);
    write(&near, r#"{"mcpServers":{"s":{"command":"near"}}}"#);
    let places = Places { config: None, project: root.path().join("project") };
    let mut readings = Readings::default();
    let mut read = || load_again(&places, Vec::new(), &|_: &str| None, &mut readings);
    let whole = read();
    write(&near, r#"{"mcpServers":{"s" {"command":"near"}}}"#);
    let broken = read();
    assert_eq!(broken.servers, whole.servers, "nothing of it is another");
    let file = broken.files.iter().find(|file| file.path == near).unwrap();
    assert!(file.unusable().is_some() && file.entries.len() == 1, "{file:?}");
    std::fs::remove_file(&near).unwrap();
    let commands: Vec<_> = read().servers.iter().map(|server| command_line(server).command.clone()).collect();
    assert_eq!(commands, ["far", "far"], "a file that is gone has no entries");
    write(&near, "{");
    assert_eq!(read().servers.len(), 2, "nor has it any when it comes back broken");
}

#[test]
fn a_root_without_servers_and_a_reference_that_is_not_closed_are_told_and_hinder_nothing() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join(".mcp.json");
    let told = |text: &str| {
        write(&file, text);
        let registry = crate::load_project(root.path());
        let errors: Vec<String> = registry.problems.iter().map(|problem| problem.error.to_string()).collect();
        assert!(registry.problems.iter().all(|problem| problem.error.severity() == Severity::Warning), "{errors:?}");
        errors
    };
    assert!(told(r#"{"mcpserver":{"a":{"command":"x"}}}"#)[0].contains("`mcpserver` means nothing here"));
    for fine in ["{}", r#"{"mcpServers":{}}"#, r#"{"mcpServers":{},"x":1}"#, r#"{"$schema":"x","inputs":[]}"#] {
        assert_eq!(told(fine), Vec::<String>::new(), "`{fine}`");
    }
    let unclosed = told(r#"{"mcpServers":{"a":{"command":"x","args":["${A","${B:-${C}"],"env":{"D":"${E:-}}"}}}}"#);
    assert_eq!(unclosed.len(), 1, "of a list, once: {unclosed:?}");
    assert!(unclosed[0].contains("`args`") && unclosed[0].contains("is not closed"), "{unclosed:?}");
}

#[test]
fn every_place_that_was_looked_at_is_told_with_what_is_there() {
    let root = tempfile::tempdir().unwrap();
    let inner = root.path().join("project");
    write(&root.path().join(".mcp.json"), r#"{"mcpServers":{"s":{"command":"far"},"t":{"command":"far"},"u":7}}"#);
    write(&inner.join(".mcp.json"), r#"{"mcpServers":{"s":{"command":"near"}}}"#);
    write(&inner.join(".sonde/mcp.json"), "{");
    let registry = crate::load_project(&inner);
    let at = |path: &std::path::Path| registry.files.iter().find(|file| file.path == path).unwrap();
    let near = at(&inner.join(".mcp.json"));
    assert_eq!((near.layer, near.exists, near.problems.len()), (Layer::Project, true, 0));
    assert_eq!(near.entries, [SourceEntry { name: "s".to_owned(), hidden_by: None }]);
    let far = at(&root.path().join(".mcp.json"));
    assert_eq!((far.layer, far.problems.len()), (Layer::Ancestor, 1), "`u` is no entry");
    let hidden: Vec<_> = far.entries.iter().map(|entry| (&*entry.name, entry.hidden_by.is_some())).collect();
    assert_eq!(hidden, [("s", true), ("t", false), ("u", false)], "in their order");
    assert_eq!(far.entries[0].hidden_by.as_ref().unwrap().file.as_deref(), Some(&*inner.join(".mcp.json")));
    let broken = at(&inner.join(".sonde/mcp.json"));
    assert!(broken.exists && broken.entries.is_empty() && broken.problems.len() == 1, "{broken:?}");
    let absent = at(&inner.join(".sonde/mcp.yaml"));
    assert!(!absent.exists && absent.problems.is_empty(), "{absent:?}");
    let total: usize = registry.files.iter().map(|file| file.problems.len()).sum();
    assert_eq!(total, registry.problems.len(), "the same problems, by file");
}
