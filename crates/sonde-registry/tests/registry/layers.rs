//! The nearest entry of a name wins, whole.

use sonde_registry::{Layer, Places, ServerSpec, load};

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
