//! A home full of clients comes over whole, and goes out again.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Home, fixture};

/// A file of each client: its fixture, the client, and where it stands.
const FILES: &[(&str, &str, &str)] = &[
    ("claude-desktop.json", "claude-desktop", ".config/Claude/claude_desktop_config.json"),
    ("claude-code.json", "claude-code", ".claude.json"),
    ("cursor.json", "cursor", ".cursor/mcp.json"),
    ("vscode.json", "vscode", ".config/Code/User/mcp.json"),
    ("copilot-cli.json", "copilot-cli", ".copilot/mcp-config.json"),
    ("windsurf.json", "windsurf", ".codeium/windsurf/mcp_config.json"),
    ("cline.json", "cline", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
    (
        "roo-code.json",
        "roo-code",
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
    ),
    ("zed.json", "zed", ".config/zed/settings.json"),
    ("continue.yaml", "continue", ".continue/config.yaml"),
    ("codex.toml", "codex", ".codex/config.toml"),
    ("gemini-cli.json", "gemini-cli", ".gemini/settings.json"),
    ("lm-studio.json", "lm-studio", ".lmstudio/mcp.json"),
    ("goose.yaml", "goose", ".config/goose/config.yaml"),
    ("amazon-q.json", "amazon-q", ".aws/amazonq/mcp.json"),
    ("amazon-q-agent.json", "amazon-q", ".aws/amazonq/cli-agents/default.json"),
    ("kiro.json", "kiro", ".kiro/settings/mcp.json"),
    ("junie.json", "junie", ".junie/mcp/mcp.json"),
    ("opencode.json", "opencode", ".config/opencode/opencode.json"),
    ("antigravity.json", "antigravity", ".gemini/antigravity/mcp_config.json"),
    ("amp.json", "amp", ".config/amp/settings.json"),
    ("trae.json", "trae", ".config/Trae/User/mcp.json"),
    ("warp.json", "warp", ".warp/.mcp.json"),
    ("qwen.json", "qwen", ".qwen/settings.json"),
    ("kimi.json", "kimi", ".kimi/mcp.json"),
    ("factory.json", "factory", ".factory/mcp.json"),
    ("mistral-vibe.toml", "mistral-vibe", ".vibe/config.toml"),
    ("qoder.json", "qoder", ".qoder/mcp.json"),
    ("kilo.json", "kilo", ".kilocode/cli/global/settings/mcp_settings.json"),
    ("grok.toml", "grok", ".grok/config.toml"),
    ("jan.json", "jan", ".config/Jan/data/mcp_config.json"),
];

/// Those of the fixtures that a person in another project is not offered by the name of the client.
const OF_ANOTHER_PROJECT: &str = "code-shop";

#[test]
fn every_client_is_brought_over_and_their_files_stay_as_they_are() {
    let home = Home::new();
    let mut wanted: BTreeMap<String, Value> = BTreeMap::new();
    let mut bytes = Vec::new();
    for (name, _, path) in FILES {
        bytes.push((home.write(path, fixture(name)), fixture(name)));
        let stem = name.split('.').next().unwrap();
        let said: Value = serde_json::from_str(&fixture(&format!("expected/{stem}.json"))).unwrap();
        wanted.extend(said["mcpServers"].as_object().unwrap().clone());
    }
    wanted.remove(OF_ANOTHER_PROJECT);
    let found = home.run(&["import", "--output", "json"]).exits(0).json();
    let files: Vec<&str> =
        found["files"].as_array().unwrap().iter().map(|file| file["file"].as_str().unwrap()).collect();
    for (_, _, path) in FILES {
        assert!(files.contains(&&*format!("~/{path}")), "{path} was not found among {files:?}");
    }
    assert_eq!(files.len(), FILES.len() + 1, "and one more for a project of Claude Code: {files:?}");
    let mut clients: Vec<&str> = FILES.iter().map(|(_, client, _)| *client).collect();
    clients.dedup();
    for client in &clients {
        let imported = home.run(&["import", client, "--output", "json"]).exits(0).json();
        assert_eq!(imported["file"], "~/.config/sonde/mcp.json", "{client}: {imported}");
        assert_eq!(imported["skipped"], serde_json::json!([]), "{client}: {imported}");
    }
    let written: Value = serde_json::from_str(&std::fs::read_to_string(home.configuration()).unwrap()).unwrap();
    let written = written["mcpServers"].as_object().unwrap();
    assert_eq!(written.keys().collect::<Vec<_>>().len(), wanted.len(), "every server once");
    for (name, entry) in &wanted {
        assert_eq!(&written[name], entry, "`{name}` says what it said");
    }
    let servers = home.run(&["servers", "--output", "json"]);
    let servers: Value = serde_json::from_str(&servers.out).unwrap();
    let listed = servers["servers"].as_array().unwrap();
    assert_eq!(listed.len(), wanted.len() + 1, "each is a server, and the demo: {servers}");
    let unset = servers["problems"].as_array().unwrap().iter().filter(|one| one["severity"] == "error").count();
    let flawed = listed.iter().filter(|one| one["flaw"]["severity"] == "error").count();
    assert_eq!(flawed, unset, "also where a variable is not set: {servers}");
    for (path, before) in bytes {
        assert_eq!(std::fs::read_to_string(&path).unwrap(), before, "{} is another client's", path.display());
    }
    for client in &clients {
        let again = home.run(&["import", client, "--output", "json"]).exits(0).json();
        assert_eq!(again["servers"], serde_json::json!([]), "{client}: they are there already: {again}");
    }
}

#[test]
fn what_goes_out_in_each_shape_is_known_when_it_comes_back() {
    let home = Home::new();
    home.write(".config/sonde/mcp.json", fixture("expected/cline.json"));
    let shapes = home.run(&["export", "--list", "--output", "json"]).exits(0).json();
    let shapes = shapes["shapes"].as_array().unwrap().clone();
    assert_eq!(shapes.len(), 19, "{shapes:?}");
    for shape in &shapes {
        let id = shape["id"].as_str().unwrap();
        let exported = home.run(&["export", "--shape", id, "--output", "json"]).exits(0).json();
        let name = exported["file_name"].as_str().unwrap();
        let path = home.write(&format!("out/{id}/{name}"), exported["text"].as_str().unwrap());
        let back = home.run(&["import", path.to_str().unwrap(), "--output", "json"]).exits(0).json();
        assert_eq!(back["problems"], serde_json::json!([]), "{id}: {back}");
        let known: Vec<&str> =
            back["skipped"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(known, ["cline-files", "cline-tracker"], "{id}: none of them is new: {back}");
    }
    let one = home.run(&["export", "cline-files", "--shape", "claude-desktop"]).exits(0);
    assert!(one.out.contains("cline-files") && !one.out.contains("cline-tracker"), "{one:?}");
    assert!(one.err.contains("`autoApprove` is there"), "a person is told what the client may not read: {one:?}");
}

#[test]
fn an_export_takes_the_place_of_no_file() {
    let home = Home::new();
    home.write(".config/sonde/mcp.json", fixture("expected/cline.json"));
    let path = home.write("theirs.json", "{\"mine\":true}");
    let words = |path: &'static str| ["export", "--shape", "cursor", "-o", path];
    let mut refused = home.command(&words("theirs.json"));
    refused.current_dir(home.folder());
    crate::cli::console::finish(refused.spawn().unwrap()).exits(2);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "{\"mine\":true}");
    let mut taken = home.command(&words("new.json"));
    taken.current_dir(home.folder());
    crate::cli::console::finish(taken.spawn().unwrap()).exits(0);
    let written = std::fs::read_to_string(home.folder().join("new.json")).unwrap();
    assert!(written.contains("\"cline-files\""), "{written}");
    let unknown = home.run(&["export", "--shape", "emacs"]).exits(2);
    assert!(unknown.err.contains("claude-desktop, claude-code"), "{unknown:?}");
}

#[test]
fn conflicts_are_left_out_renamed_or_replaced() {
    let home = Home::new();
    let file = |command: &str| format!(r#"{{"mcpServers":{{"a":{{"command":"{command}"}},"b":{{"command":"b"}}}}}}"#);
    home.write("one.json", file("first"));
    home.write("two.json", file("second"));
    let path = |name: &str| home.folder().join(name).to_str().unwrap().to_owned();
    let (one, two) = (path("one.json"), path("two.json"));
    home.run(&["import", &one, "--only", "a"]).exits(0);
    assert_eq!(home.configured(), ["a"], "only what was named");
    let dry = home.run(&["import", &two, "--dry-run"]).exits(0);
    assert!(dry.out.contains('b') && dry.err.contains("left out: `a`: another of that name is in ~/"), "{dry:?}");
    assert_eq!(home.configured(), ["a"], "looking writes nothing");
    home.run(&["import", &two, "--rename", "a=c"]).exits(0);
    assert_eq!(home.configured(), ["a", "b", "c"]);
    home.run(&["import", &two, "--only", "a", "--replace", "a"]).exits(0);
    let text = std::fs::read_to_string(home.configuration()).unwrap();
    assert!(!text.contains("first") && text.contains("second"), "{text}");
    let unknown = home.run(&["import", &two, "--only", "nobody"]).exits(2);
    assert!(unknown.err.contains("there are: a, b"), "{unknown:?}");
    let taken = home.run(&["import", &one, "--only", "b", "--rename", "b=a"]).exits(2);
    assert!(taken.err.contains("there is a server `a` already"), "{taken:?}");
    let mut piped = home.command(&["import", "-", "--into-project"]);
    piped.stdin(std::process::Stdio::from(std::fs::File::open(&one).unwrap()));
    crate::cli::console::finish(piped.spawn().unwrap()).exits(0);
    let own = std::fs::read_to_string(home.profile.project().join(".sonde/mcp.json")).unwrap();
    assert!(
        own.contains("\"b\"") && !own.contains("\"a\""),
        "`b` of all projects is the same, another `a` is not: {own}"
    );
    home.run(&["import", &one, "--only", "a", "--rename", "a=own", "--into-project"]).exits(0);
    assert!(home.profile.project().join(".sonde/mcp.json").exists(), "the project has its own");
}
