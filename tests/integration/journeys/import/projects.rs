//! Servers that a client has for one project: they come over with their folder, and another project's only when chosen.

use serde_json::{Value, json};

use super::Home;

/// A file of Claude Code: one server for all projects, and one of the same name in each of three.
fn claude_code(home: &Home, own: &str, other: &str) -> String {
    let local = |command: &str| json!({ "mcpServers": { "local": { "command": command } } });
    let file = json!({
        "mcpServers": { "everywhere": { "command": "everywhere" } },
        "history": ["h".repeat(6 << 20)],
        "projects": { own: local("ours"), other: local("./theirs"), "/srv/third": local("third") },
    });
    home.write(".claude.json", file.to_string()).display().to_string()
}

fn entries(home: &Home) -> Value {
    let text = std::fs::read_to_string(home.configuration()).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["mcpServers"].clone()
}

#[test]
fn a_server_of_one_project_is_brought_with_its_folder_and_one_of_another_only_by_name() {
    let home = Home::new();
    let own = home.profile.project().display().to_string();
    let file = claude_code(&home, &own, "/srv/other");
    let ran = home.run(&["import", &file]).exits(0);
    assert!(ran.err.contains("it is for the project /srv/other"), "{}", ran.err);
    let entries_now = entries(&home);
    let names: Vec<&String> = entries_now.as_object().unwrap().keys().collect();
    assert_eq!(names, ["everywhere", "local"], "{entries_now}");
    assert_eq!(entries_now["local"], json!({ "command": "ours", "cwd": own }), "it is started where its client would");
    assert_eq!(entries_now["everywhere"], json!({ "command": "everywhere" }), "and this one anywhere");

    let another = Home::new();
    let file = claude_code(&another, "/srv/nobody", "/srv/other");
    let ran = another.run(&["import", &file]).exits(0);
    assert_eq!(entries(&another).as_object().unwrap().len(), 1, "nothing of other projects: {}", ran.err);
    another.run(&["import", &file, "--only", "local"]).exits(0);
    assert_eq!(entries(&another)["local"]["cwd"], "/srv/nobody", "the first of that name, in its own folder");
}

#[test]
fn what_is_relative_in_a_file_of_a_project_is_meant_from_there_wherever_it_goes() {
    let home = Home::new();
    let project = home.profile.project();
    let servers = json!({ "mcpServers": {
        "relative": { "command": "./server", "args": ["x"] },
        "script": { "command": "node", "args": ["./server.js"] },
        "inner": { "command": "node", "cwd": "tools" },
        "plain": { "command": "npx", "args": ["-y", "@x/y"] },
    } });
    std::fs::create_dir_all(project.join(".cursor")).unwrap();
    std::fs::write(project.join(".cursor/mcp.json"), servers.to_string()).unwrap();
    home.run(&["import", "cursor"]).exits(0);
    let entries = entries(&home);
    let folder = project.display().to_string();
    assert_eq!((&entries["relative"]["cwd"], &entries["script"]["cwd"]), (&json!(folder), &json!(folder)));
    assert_eq!(entries["inner"]["cwd"], json!(project.join("tools").display().to_string()));
    assert!(entries["plain"]["cwd"].is_null(), "it runs anywhere: {entries}");
    home.run(&["import", "cursor", "--into-project"]).exits(0);
    let own: Value = serde_json::from_str(&std::fs::read_to_string(project.join(".sonde/mcp.json")).unwrap()).unwrap();
    assert!(own["mcpServers"]["relative"]["cwd"].is_null(), "there it is at home: {own}");
}

#[test]
fn the_projects_own_file_is_here_already_and_not_offered() {
    let home = Home::new();
    std::fs::write(home.profile.project().join(".mcp.json"), r#"{"mcpServers":{"a":{"command":"x"}}}"#).unwrap();
    let ran = home.run(&["import"]).exits(0);
    assert!(!ran.out.contains(".mcp.json"), "{}", ran.out);
}
