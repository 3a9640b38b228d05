//! Secrets that stand in files in clear: what nobody touched stays, and nothing is copied, lost or changed under a yes.

use std::path::Path;

use integration::{Door, Profile};
use serde_json::{Value, json};
use sonde_app::ErrorCode;

use super::{load, write_servers};

const KEY: &str = "sk-live-0123456789";

async fn open(profile: &Profile) -> Door {
    let config = profile.data().join("config");
    profile.open_with(|setup| setup.config = Some(config)).await
}

/// On the heap: a test that asks for many things would need much of its stack.
async fn ask(door: &Door, command: &str, request: Value) -> Value {
    Box::pin(door.ask(command, request)).await
}

async fn read(door: &Door, id: &str) -> Value {
    ask(door, "read_draft", json!({ "server": id })).await
}

async fn save(door: &Door, draft: &Value, replaces: &str) -> Value {
    ask(door, "save_draft", json!({ "draft": draft, "replaces": replaces, "target": "project" })).await
}

async fn must_be_approved(door: &Door, id: &str, why: &str) {
    let refused = Box::pin(door.call("connect_server", json!({ "server": id }))).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::ApprovalNeeded, "{why}: {refused}");
}

/// Every file below a folder that has one of the words in it.
fn files_with(folder: &Path, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(files_with(&path, word)),
            // What the log has beside itself comes and goes while it is open.
            false if std::fs::read(&path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(word)) => {
                found.push(path.display().to_string());
            }
            false => {}
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_above_the_project_is_switched_off_without_a_copy_of_its_secrets() {
    let profile = Profile::default();
    let above = profile.project().parent().unwrap().join(".mcp.json");
    let entry = json!({ "command": load(), "args": ["--token", KEY], "env": { "API_KEY": KEY, "LEVEL": "1" } });
    let text = json!({ "mcpServers": { "far": entry } }).to_string();
    std::fs::write(&above, &text).unwrap();
    let door = open(&profile).await;
    let saved = door.ask("enable_server", json!({ "server": "far", "enabled": false })).await;
    assert!(saved["file"].as_str().unwrap().ends_with("project/.sonde/mcp.json"), "it says where: {saved}");
    assert!(!saved["notices"].as_array().unwrap().is_empty(), "and what that means: {saved}");
    assert_eq!(files_with(&profile.project(), KEY), Vec::<String>::new(), "the project's files are shared");
    let nearer = std::fs::read_to_string(profile.project().join(".sonde/mcp.json")).unwrap();
    for kept in ["${secret:API_KEY}", "${secret:TOKEN}", "\"LEVEL\"", "\"enabled\": false"] {
        assert!(nearer.contains(kept), "{kept}: {nearer}");
    }
    assert_eq!(std::fs::read_to_string(&above).unwrap(), text, "as it was");
    let server = door.server("far").await;
    assert_eq!((&server["enabled"], &server["origin"]["layer"]), (&json!(false), &json!("project")), "{server}");
    std::fs::remove_file(above).unwrap();
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_a_shared_file_changes_what_was_edited_and_nothing_else() {
    let profile = Profile::default();
    let path = profile.project().join(".mcp.json");
    let text = |more: &str| {
        let command = json!([load(), "--token", KEY]);
        format!(
            "{{\n  // of all of us\n  \"mcpServers\": {{\n    \"shop\": {{\n      \"command\": {command},\n      \
             \"workdir\": \".\",\n      \"disabled\": false, // for now\n      \"env\": {{ \"API_KEY\": \"{KEY}\", \
             \"PORT\": 80 }}{more}\n    }}\n  }}\n}}\n"
        )
    };
    std::fs::write(&path, text("")).unwrap();
    let door = open(&profile).await;
    let mut draft = read(&door, "shop").await;
    assert!(!draft.to_string().contains(KEY), "a form is not told: {draft}");
    assert_eq!(draft["reach"]["env"][0], json!({ "name": "API_KEY", "value": { "kind": "clear" } }), "{draft}");
    let detail = ask(&door, "describe_server", json!({ "server": "shop" })).await.to_string();
    assert!(!detail.contains(KEY) && detail.contains("‹secret:TOKEN›"), "nor is anybody else: {detail}");
    draft["timeout"] = json!("9s");
    save(&door, &draft, "shop").await;
    let now = std::fs::read_to_string(&path).unwrap();
    assert_eq!(now, text(",\n      \"timeout\": \"9s\""), "one line is new");

    // There is no keyring here.
    let mut draft = read(&door, "shop").await;
    draft["reach"]["env"][0]["value"] = json!({ "kind": "secret" });
    let saved = save(&door, &draft, "shop").await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), now, "nothing leaves a file for a memory that ends");
    assert!(saved["notices"].to_string().contains("API_KEY stays in the file as it is"), "and it is said: {saved}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changed_on_disk_is_not_overwritten_unseen() {
    let profile = Profile::default();
    let entry = |level: &str| json!({ "shop": { "command": load(), "env": { "LEVEL": level } } });
    write_servers(&profile, entry("1"));
    let door = open(&profile).await;
    let mut draft = read(&door, "shop").await;
    draft["timeout"] = json!("9s");
    write_servers(&profile, entry("2"));
    let request = json!({ "draft": draft, "replaces": "shop", "target": "project" });
    let refused = door.call("save_draft", request).await.unwrap_err();
    assert_eq!((refused.code, refused.title.as_str()), (ErrorCode::Conflict, "Changed on disk"), "{refused}");
    let mut draft = read(&door, "shop").await;
    assert_eq!(draft["reach"]["env"][0]["value"]["text"], "2", "it is read anew: {draft}");
    draft["timeout"] = json!("9s");
    save(&door, &draft, "shop").await;
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_decides_what_runs_needs_another_yes_whichever_way_it_changed() {
    let profile = Profile::default();
    write_servers(&profile, json!({ "shop": { "command": load(), "args": ["--tools", "${secret:A}"] } }));
    let door = open(&profile).await;
    let given = async |value: &str| {
        let request = json!({ "server": "shop", "kind": "secret", "name": "A", "value": value });
        ask(&door, "set_secret", request).await;
    };
    given("2").await;
    Box::pin(door.connect("shop")).await;
    Box::pin(door.disconnect("shop")).await;
    let original = read(&door, "shop").await;
    let back = async || {
        let mut draft = original.clone();
        draft["seen"] = read(&door, "shop").await["seen"].clone();
        save(&door, &draft, "shop").await;
    };
    let row = |value: &str| json!({ "name": "A", "value": { "kind": "secret", "value": value } });

    given("3").await;
    must_be_approved(&door, "shop", "by set_secret").await;
    door.approve("shop");

    let mut draft = read(&door, "shop").await;
    draft["reach"]["args"] = json!(["--tools", "1"]);
    save(&door, &draft, "shop").await;
    given("4").await;
    back().await;
    must_be_approved(&door, "shop", "while the entry did not show it").await;
    door.approve("shop");

    let mut draft = read(&door, "shop").await;
    draft["reach"]["env"] = json!([{ "name": "A", "value": { "kind": "plain", "text": "${secret:A}" } }]);
    save(&door, &draft, "shop").await;
    let mut draft = read(&door, "shop").await;
    draft["reach"]["env"] = json!([row("5")]);
    save(&door, &draft, "shop").await;
    back().await;
    must_be_approved(&door, "shop", "by a form, though the old entry is back").await;
    door.approve("shop");

    let mut draft = read(&door, "shop").await;
    draft["reach"]["args"] = json!(["--tools", "1"]);
    draft["reach"]["env"] = json!([{ "name": "A", "value": { "kind": "plain", "text": "${secret:A}" } }]);
    save(&door, &draft, "shop").await;
    let text = json!({ "mcpServers": { "shop": { "command": load(), "env": { "A": KEY } } } }).to_string();
    let choice = json!({ "name": "shop", "replace": true });
    let request = json!({ "source": { "kind": "text", "text": text }, "choices": [choice], "target": "project" });
    ask(&door, "import_servers", request).await;
    std::fs::remove_file(profile.project().join(".sonde/mcp.json")).unwrap();
    door.until("the old one", async || (door.server("shop").await["overrides"] == json!([])).then_some(())).await;
    back().await;
    must_be_approved(&door, "shop", "by an import").await;
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_gets_no_secret_that_was_given_for_another_server_of_that_name() {
    let profile = Profile::default();
    let door = open(&profile).await;
    let mut draft = json!({
        "name": "shop", "enabled": true, "auto_start": false, "timeout": null, "connect_timeout": null,
        "fail_if_no_tools": false, "reconnect": false, "ping": null,
    });
    let row = json!({ "name": "TOKEN", "value": { "kind": "secret", "value": KEY } });
    draft["reach"] = json!({
        "kind": "command", "command": load(), "args": [], "folder": null, "env": [row], "env_passthrough": [],
    });
    door.ask("save_draft", json!({ "draft": draft, "target": "global" })).await;
    let known = async || door.ask("list_secrets", json!({ "server": "shop" })).await["secrets"][0]["known"].clone();
    let layer = async |wanted: &str| {
        door.until(wanted, async || (door.server("shop").await["origin"]["layer"] == wanted).then_some(())).await;
    };
    assert_eq!(known().await, true, "it was just typed");
    write_servers(&profile, json!({ "shop": { "command": load(), "env": { "X": "${secret:TOKEN}" } } }));
    layer("project").await;
    assert_eq!(known().await, false, "what a repository brings along is another server");
    let request = json!({ "server": "shop", "kind": "secret", "name": "TOKEN", "value": "of-the-project" });
    door.ask("set_secret", request).await;
    door.ask("remove_server", json!({ "server": "shop" })).await;
    layer("global").await;
    assert_eq!(known().await, true, "and takes nothing away with it");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_of_one_server_is_hidden_when_another_says_it() {
    let profile = Profile::default();
    write_servers(&profile, json!({ "shop": { "command": load(), "env": { "A": "${secret:A}" } } }));
    let door = open(&profile).await;
    door.connect("demo").await;
    let request = json!({ "server": "shop", "kind": "secret", "name": "A", "value": KEY });
    door.ask("set_secret", request).await;
    let call = door.run_tool("demo", "echo", json!({ "text": format!("it is {KEY}") })).await;
    assert!(call["result"].to_string().contains("‹secret:A›"), "the demo said it again: {call}");
    door.close().await;
    assert_eq!(files_with(&profile.data(), KEY), Vec::<String>::new(), "and nobody wrote it down");
}
