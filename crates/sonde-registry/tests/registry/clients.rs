//! A home with the file of every client, on each platform: all of it is found and read whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use sonde_registry::clients::{CLIENTS, Client, Machine, Platform, search};
use sonde_registry::language::Language;
use sonde_registry::{Definition, definitions, shapes};

use crate::{fixture, write};

const LINUX: &str = ".config";
const MACOS: &str = "Library/Application Support";
const WINDOWS: &str = "AppData/Roaming";

/// A file in the home: its fixture, its client, and its path from the home. `{app}` is where programs with a window
/// keep their settings.
const EVERYWHERE: &[(&str, &str, &str)] = &[
    ("claude-desktop.json", "claude-desktop", "{app}/Claude/claude_desktop_config.json"),
    ("claude-code.json", "claude-code", ".claude.json"),
    ("cursor.json", "cursor", ".cursor/mcp.json"),
    ("vscode.json", "vscode", "{app}/Code/User/mcp.json"),
    ("vscode.json", "vscode", "{app}/Code/User/profiles/-3f2a1b/mcp.json"),
    ("vscode.json", "vscode", "{app}/Code - Insiders/User/mcp.json"),
    ("vscode.json", "vscode", "{app}/Code - Insiders/User/profiles/work/mcp.json"),
    ("vscode.json", "vscode", ".vscode-server/data/User/mcp.json"),
    ("copilot-cli.json", "copilot-cli", ".copilot/mcp-config.json"),
    ("windsurf.json", "windsurf", ".codeium/windsurf/mcp_config.json"),
    ("windsurf.json", "windsurf", ".codeium/mcp_config.json"),
    ("cline.json", "cline", "{app}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
    ("cline.json", "cline", "{app}/Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
    ("cline.json", "cline", ".cline/data/settings/cline_mcp_settings.json"),
    (
        "roo-code.json",
        "roo-code",
        "{app}/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
    ),
    ("zed.json", "zed", ".config/zed/settings.json"),
    ("continue.yaml", "continue", ".continue/config.yaml"),
    ("continue-legacy.json", "continue", ".continue/config.json"),
    ("codex.toml", "codex", ".codex/config.toml"),
    ("gemini-cli.json", "gemini-cli", ".gemini/settings.json"),
    ("lm-studio.json", "lm-studio", ".lmstudio/mcp.json"),
    ("lm-studio.json", "lm-studio", ".cache/lm-studio/mcp.json"),
    ("amazon-q.json", "amazon-q", ".aws/amazonq/mcp.json"),
    ("amazon-q-agent.json", "amazon-q", ".aws/amazonq/agents/default.json"),
    ("amazon-q-agent.json", "amazon-q", ".aws/amazonq/cli-agents/one.json"),
    ("amazon-q-agent.json", "amazon-q", ".aws/amazonq/cli-agents/two.json"),
    ("kiro.json", "kiro", ".kiro/settings/mcp.json"),
    ("junie.json", "junie", ".junie/mcp/mcp.json"),
    ("opencode.json", "opencode", ".config/opencode/opencode.json"),
    ("opencode.json", "opencode", ".config/opencode/opencode.jsonc"),
    ("antigravity.json", "antigravity", ".gemini/antigravity/mcp_config.json"),
    ("antigravity.json", "antigravity", ".gemini/config/mcp_config.json"),
    ("trae.json", "trae", "{app}/Trae/User/mcp.json"),
    ("warp.json", "warp", ".warp/.mcp.json"),
    ("qwen.json", "qwen", ".qwen/settings.json"),
    ("kimi.json", "kimi", ".kimi/mcp.json"),
    ("factory.json", "factory", ".factory/mcp.json"),
    ("mistral-vibe.toml", "mistral-vibe", ".vibe/config.toml"),
    ("qoder.json", "qoder", ".qoder/mcp.json"),
    ("kilo.json", "kilo", ".kilocode/cli/global/settings/mcp_settings.json"),
    ("grok.toml", "grok", ".grok/config.toml"),
    ("jan.json", "jan", "{app}/Jan/data/mcp_config.json"),
];

/// Where accounts differ about Linux, both.
const ON_LINUX: &[(&str, &str, &str)] = &[
    ("claude-desktop.json", "claude-desktop", ".config/claude/claude_desktop_config.json"),
    ("goose.yaml", "goose", ".config/goose/config.yaml"),
    ("amp.json", "amp", ".config/amp/settings.json"),
    ("jan.json", "jan", ".local/share/Jan/data/mcp_config.json"),
];

const ON_MACOS: &[(&str, &str, &str)] =
    &[("goose.yaml", "goose", ".config/goose/config.yaml"), ("amp.json", "amp", ".config/amp/settings.json")];

const ON_WINDOWS: &[(&str, &str, &str)] = &[
    ("zed.json", "zed", "{app}/Zed/settings.json"),
    ("goose.yaml", "goose", "{app}/Block/goose/config/config.yaml"),
    ("amp.json", "amp", "{app}/amp/settings.json"),
];

const IN_THE_PROJECT: &[(&str, &str, &str)] = &[
    ("claude-code-project.json", "claude-code, vscode, copilot-cli, air", ".mcp.json"),
    ("cursor.json", "cursor", ".cursor/mcp.json"),
    ("vscode.json", "vscode", ".vscode/mcp.json"),
    ("roo-code.json", "roo-code", ".roo/mcp.json"),
    ("zed.json", "zed", ".zed/settings.json"),
    ("continue-block.yaml", "continue", ".continue/mcpServers/browser.yaml"),
    ("continue-copied.json", "continue", ".continue/mcpServers/copied.json"),
    ("codex.toml", "codex", ".codex/config.toml"),
    ("gemini-cli.json", "gemini-cli", ".gemini/settings.json"),
    ("amazon-q.json", "amazon-q", ".amazonq/mcp.json"),
    ("kiro.json", "kiro", ".kiro/settings/mcp.json"),
    ("junie.json", "junie", ".junie/mcp/mcp.json"),
    ("air.json", "air", ".air/mcp.json"),
    ("opencode.json", "opencode", "opencode.json"),
];

/// A file that a variable of the environment names: the variable and what it is set to.
const BY_VARIABLE: &[(&str, &str, &str, &str, &str)] = &[
    ("claude-code.json", "claude-code", "CLAUDE_CONFIG_DIR", "moved/claude", "moved/claude/.claude.json"),
    ("copilot-cli.json", "copilot-cli", "COPILOT_HOME", "moved/copilot", "moved/copilot/mcp-config.json"),
    ("codex.toml", "codex", "CODEX_HOME", "moved/codex", "moved/codex/config.toml"),
    ("cline.json", "cline", "CLINE_MCP_SETTINGS_PATH", "moved/cline.json", "moved/cline.json"),
];

#[test]
fn every_file_of_every_client_is_found_and_read_whole_on_each_platform() {
    for (platform, app, own) in [
        (Platform::Linux, LINUX, ON_LINUX),
        (Platform::MacOs, MACOS, ON_MACOS),
        (Platform::Windows, WINDOWS, ON_WINDOWS),
    ] {
        let root = tempfile::tempdir().unwrap();
        let (home, project) = (root.path().join("home"), root.path().join("shop"));
        let mut laid = BTreeMap::new();
        for (fixture, client, path) in EVERYWHERE.iter().chain(own) {
            laid.insert(home.join(path.replace("{app}", app)), (*fixture, *client));
        }
        for (fixture, client, path) in IN_THE_PROJECT {
            laid.insert(project.join(path), (*fixture, *client));
        }
        for (fixture, client, _, _, path) in BY_VARIABLE {
            laid.insert(root.path().join(path), (*fixture, *client));
        }
        for (path, (name, _)) in &laid {
            write(path, &fixture(name));
        }
        let app_data = home.join(WINDOWS).to_str().unwrap().to_owned();
        let variable = |name: &str| {
            let moved = BY_VARIABLE.iter().find(|one| one.2 == name);
            let moved = moved.map(|one| root.path().join(one.3).to_str().unwrap().to_owned());
            moved.or((name == "APPDATA" && platform == Platform::Windows).then(|| app_data.clone()))
        };
        let found = search(&Machine { platform, home, project, variable: &variable }).found;
        let paths: BTreeSet<&PathBuf> = found.iter().map(|file| &file.path).collect();
        assert_eq!(paths, laid.keys().collect(), "{platform:?}: these and no others");
        for file in &found {
            let (name, clients) = laid[&file.path];
            let ids: Vec<&str> = file.clients.iter().map(|client| client.id).collect();
            assert_eq!(ids.join(", "), clients, "who reads {}", file.path.display());
            let reading = shapes::read_file(file.clients[0].shape, &file.path).unwrap().unwrap();
            let read: Vec<Definition> =
                reading.sections.iter().flat_map(|section| section.definitions.clone()).collect();
            let wanted = expected(name);
            let shown = |list: &[Definition]| -> Vec<String> {
                list.iter().map(|one| format!("{}: {}", one.name, Language::Json.render(&one.entry))).collect()
            };
            assert_eq!(shown(&read), shown(&wanted), "{}", file.path.display());
        }
    }
}

#[test]
fn every_client_has_a_fixture_and_a_file_on_each_platform() {
    let laid: BTreeSet<&str> =
        [EVERYWHERE, ON_LINUX, IN_THE_PROJECT].concat().iter().flat_map(|one| one.1.split(", ")).collect();
    let known: BTreeSet<&str> = CLIENTS.iter().map(|client| client.id).collect();
    assert_eq!(laid, known, "none is left out");
    assert!(
        Client::named("vs code").is_some_and(|client| client.id == "vscode"),
        "people write names in their own way"
    );
}

#[test]
fn a_folder_that_the_environment_moves_is_looked_at_beside_the_usual_one() {
    let root = tempfile::tempdir().unwrap();
    let (home, moved) = (root.path().join("home"), root.path().join("moved"));
    for base in [home.join(".config"), moved.clone()] {
        write(&base.join("zed/settings.json"), "{}");
    }
    let project = root.path().join("project");
    let at = |value: &str| {
        let value = value.to_owned();
        let variable = move |name: &str| (name == "XDG_CONFIG_HOME").then(|| value.clone());
        let machine =
            Machine { platform: Platform::Linux, home: home.clone(), project: project.clone(), variable: &variable };
        search(&machine).found.into_iter().map(|file| file.path).collect::<Vec<_>>()
    };
    let both = [moved.join("zed/settings.json"), home.join(".config/zed/settings.json")];
    assert_eq!(at(moved.to_str().unwrap()), both, "an older program may still use the usual one");
    assert_eq!(at("moved"), both[1..], "a folder that depends on where one is by chance is not followed");
}

#[test]
fn a_file_with_two_names_is_found_once() {
    let root = tempfile::tempdir().unwrap();
    let home = root.path().join("home");
    write(&home.join(".codeium/windsurf/mcp_config.json"), &fixture("windsurf.json"));
    let link = home.join(".codeium/mcp_config.json");
    std::os::unix::fs::symlink(home.join(".codeium/windsurf/mcp_config.json"), link).unwrap();
    let machine = Machine { platform: Platform::Linux, home, project: root.path().join("p"), variable: &|_| None };
    let search = search(&machine);
    assert_eq!(search.found.len(), 1, "{:?}", search.found);
    let stars = search.absent.iter().filter(|file| file.path.to_str().unwrap().contains('*')).count();
    assert!(stars >= 5, "a person is told which folders were looked into, too");
}

/// What a fixture says, in our own words.
pub fn expected(name: &str) -> Vec<Definition> {
    let stem = Path::new(name).file_stem().unwrap().to_str().unwrap();
    definitions(&fixture(&format!("expected/{stem}.json")), Language::Json).unwrap()
}
