//! Servers that a person writes down in a form.

use integration::{Door, Profile};
use serde_json::{Value, json};
use sonde_app::ErrorCode;

use super::{ids, load};

fn draft(name: &str, command: &str, args: &[&str]) -> Value {
    let reach = json!({
        "kind": "command", "command": command, "args": args, "folder": null, "env": [], "env_passthrough": [],
    });
    json!({
        "name": name, "reach": reach, "enabled": true, "auto_start": false, "timeout": null, "connect_timeout": null,
        "fail_if_no_tools": false, "reconnect": false, "ping": null,
    })
}

fn save(draft: &Value, replaces: Option<&str>, target: &str) -> Value {
    json!({ "draft": draft, "replaces": replaces, "target": target })
}

/// A profile with a folder for what is configured for all projects.
async fn open(profile: &Profile) -> Door {
    let config = profile.data().join("config");
    profile.open_with(|setup| setup.config = Some(config)).await
}

fn global(profile: &Profile) -> Value {
    let text = std::fs::read_to_string(profile.data().join("config/sonde/mcp.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_is_saved_is_in_the_file_and_starts_nothing() {
    let profile = Profile::default();
    let door = open(&profile).await;
    let mut own = draft("my shop", &load(), &["--tools", "5"]);
    let secret = json!({ "name": "API_KEY", "value": { "kind": "secret", "value": "hunter2-hunter2" } });
    own["reach"]["env"] = json!([secret, { "name": "LEVEL", "value": { "kind": "plain", "text": "${LEVEL:-1}" } }]);
    own["auto_start"] = json!(true);
    let report = door.ask("check_draft", own.clone()).await;
    assert_eq!((&report["id"], &report["problems"]), (&json!("my%20shop"), &json!([])), "{report}");
    assert_eq!(report["launch"]["resolved"], load(), "{report}");
    assert!(report["launch"]["env_names"].as_array().unwrap().contains(&json!("API_KEY")), "{report}");
    assert_eq!(ids(&door).await, ["demo"], "looking at it writes nothing");

    let saved = door.ask("save_draft", save(&own, None, "global")).await;
    assert_eq!(saved["server"], "my%20shop", "{saved}");
    assert_eq!(door.server("my%20shop").await["state"], "stopped", "saving starts nothing");
    assert!(profile.processes().is_empty() && door.rows(json!({})).await.is_empty(), "nothing at all");
    let entry = global(&profile)["mcpServers"]["my shop"].clone();
    let env = json!({ "API_KEY": "${secret:API_KEY}", "LEVEL": "${LEVEL:-1}" });
    assert_eq!((&entry["env"], &entry["auto_start"]), (&env, &json!(true)), "{entry}");
    let mut read = door.ask("read_draft", json!({ "server": "my%20shop" })).await;
    assert!(read.as_object_mut().unwrap().remove("seen").is_some(), "it says which entry it was read from");
    own["reach"]["env"][0]["value"] = json!({ "kind": "secret" });
    assert_eq!(read, own, "what was typed comes back, the secret's value apart");
    let refused = door.call("connect_server", json!({ "server": "my shop" })).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::ApprovalNeeded, "{refused}");
    let server = door.connect("my%20shop").await;
    assert_eq!(server["tool_count"], 5, "the secret is known and the server starts");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn problems_are_told_at_their_fields() {
    let profile = Profile::default();
    let door = open(&profile).await;
    let problems = async |draft: &Value| door.ask("check_draft", draft.clone()).await["problems"].clone();
    let fields = |told: &Value| -> Vec<String> {
        told.as_array().unwrap().iter().map(|problem| problem["field"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(fields(&problems(&draft("", &load(), &[])).await), ["name"]);
    assert_eq!(fields(&problems(&draft("x", "no-such-program-here", &[])).await), ["command"]);
    let mut own = draft("x", &load(), &[]);
    own["reach"]["folder"] = json!("no/such/folder");
    assert_eq!(fields(&problems(&own).await), ["folder"]);
    own["reach"]["folder"] = Value::Null;
    own["reach"]["env"] = json!([{ "name": "A", "value": { "kind": "plain", "text": "${NO_SUCH_VARIABLE_HERE}" } }]);
    assert_eq!(fields(&problems(&own).await), ["env.A"]);
    own["reach"]["env"] = json!([]);
    own["ping"] = json!("often");
    assert_eq!(fields(&problems(&own).await), ["ping"]);
    let refused = door.call("save_draft", save(&own, None, "global")).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Configuration, "what can't be used is not written: {refused}");
    let shell = door.ask("check_draft", draft("x", "/bin/sh", &["-c", "sudo x"])).await;
    let risks = shell["risks"].as_array().unwrap();
    assert!(risks.len() >= 2 && shell["problems"] == json!([]), "a risk is no problem: {shell}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_taken_is_refused_and_a_rename_keeps_secrets_but_no_approval() {
    let profile = Profile::with_load(&[]);
    let door = open(&profile).await;
    let taken = door.call("save_draft", save(&draft("load", "cat", &[]), None, "global")).await.unwrap_err();
    assert_eq!(taken.code, ErrorCode::Conflict, "{taken}");
    let mut own = draft("one", &load(), &[]);
    own["reach"]["env"] = json!([{ "name": "TOKEN", "value": { "kind": "secret", "value": "abcdefgh" } }]);
    door.ask("save_draft", save(&own, None, "global")).await;
    door.connect("one").await;
    door.disconnect("one").await;
    let mut renamed = door.ask("read_draft", json!({ "server": "one" })).await;
    renamed["name"] = json!("two");
    let taken = door.call("save_draft", save(&draft("load", "cat", &[]), Some("one"), "global")).await.unwrap_err();
    assert_eq!(taken.code, ErrorCode::Conflict, "nor may it become another: {taken}");
    door.ask("save_draft", save(&renamed, Some("one"), "global")).await;
    assert_eq!(ids(&door).await, ["load", "two", "demo"], "it is one server still");
    let refused = door.call("connect_server", json!({ "server": "two" })).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::ApprovalNeeded, "{refused}");
    door.connect("two").await;
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_another_server_and_can_be_switched_off_and_removed() {
    let profile = Profile::with_load(&["--tools", "2"]);
    let door = open(&profile).await;
    let copy = door.ask("duplicate_server", json!({ "server": "load" })).await;
    assert_eq!(copy["server"], "load-copy", "{copy}");
    let again = door.ask("duplicate_server", json!({ "server": "load" })).await;
    assert_eq!(again["server"], "load-copy-2", "each has a name of its own");
    door.connect("load-copy").await;
    door.ask("enable_server", json!({ "server": "load-copy", "enabled": false })).await;
    assert_eq!(door.server("load-copy").await["state"], "ready", "nobody is ended by it");
    door.disconnect("load-copy").await;
    let refused = door.call("connect_server", json!({ "server": "load-copy" })).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Disabled, "{refused}");
    door.ask("enable_server", json!({ "server": "load-copy", "enabled": true })).await;
    door.ask("connect_server", json!({ "server": "load-copy" })).await;
    door.until_server("load-copy", &["ready"]).await;
    door.ask("remove_server", json!({ "server": "load-copy" })).await;
    assert_eq!(door.server("load-copy").await["state"], "ready", "nor by this");
    door.ask("disconnect_server", json!({ "server": "load-copy" })).await;
    door.until("it to go", async || (ids(&door).await == ["load", "load-copy-2", "demo"]).then_some(())).await;
    let approvals = std::fs::read_to_string(profile.data().join("approvals.json")).unwrap();
    assert!(!approvals.contains("load-copy"), "its approval went with it: {approvals}");
    let refused = door.call("remove_server", json!({ "server": "demo" })).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidRequest, "what is built in stays: {refused}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_above_the_project_is_not_touched() {
    let profile = Profile::default();
    let above = profile.project().parent().unwrap().join(".mcp.json");
    let text = json!({ "mcpServers": { "far": { "command": load(), "unknown": [1] } } }).to_string();
    std::fs::write(&above, &text).unwrap();
    let door = open(&profile).await;
    assert_eq!(door.server("far").await["origin"]["layer"], "ancestor");
    let mut own = door.ask("read_draft", json!({ "server": "far" })).await;
    own["reach"]["args"] = json!(["--tools", "3"]);
    let saved = door.ask("save_draft", save(&own, Some("far"), "project")).await;
    assert!(saved["notices"][0].as_str().unwrap().contains("above the project"), "and it is said: {saved}");
    assert_eq!(std::fs::read_to_string(&above).unwrap(), text, "as it was");
    let nearer = std::fs::read_to_string(profile.project().join(".sonde/mcp.json")).unwrap();
    assert!(nearer.contains("unknown"), "what a form does not know goes along: {nearer}");
    let server = door.server("far").await;
    assert_eq!((&server["origin"]["layer"], &server["overrides"][0]["layer"]), (&json!("project"), &json!("ancestor")));
    door.ask("remove_server", json!({ "server": "far" })).await;
    assert_eq!(door.server("far").await["origin"]["layer"], "ancestor", "the farther one is here again");
    let refused = door.call("remove_server", json!({ "server": "far" })).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidRequest, "{refused}");
    std::fs::remove_file(above).unwrap();
    door.close().await;
}
