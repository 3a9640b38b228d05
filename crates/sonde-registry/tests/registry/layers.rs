//! The nearest entry of a name wins, whole.

use sonde_registry::{Layer, Places, ServerSpec, SourceEntry, load};

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
