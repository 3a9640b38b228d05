//! The same by the API, as a window asks.

use integration::{Door, Profile};
use serde_json::{Value, json};

/// A door whose global configuration is a folder of the profile.
async fn open(profile: &Profile) -> Door {
    let config = profile.data().with_file_name("config");
    profile.open_with(|setup| setup.config = Some(config)).await
}

fn source(text: &Value) -> Value {
    json!({ "kind": "text", "text": text.to_string() })
}

#[tokio::test]
async fn a_pasted_text_is_offered_then_chosen_from_then_written() {
    let profile = Profile::default();
    let door = open(&profile).await;
    let text = json!({ "servers": {
        "bad": { "type": "carrier-pigeon", "url": "https://h/" },
        "far": { "type": "http", "url": "http://far.example/mcp", "headers": { "X-Key": "${KEY:-none}" } },
        "keeper": { "command": "x", "env": { "TOKEN": "sk-planted-0123456789" } },
        "local": { "command": "npx", "args": ["-y", "pkg"], "env": { "REGION": "eu" } },
    }, "inputs": [] });
    let offer = door.ask("read_offer", json!({ "text": text.to_string() })).await;
    assert_eq!(offer["shape"], "VS Code");
    assert!(!offer.to_string().contains("planted"), "a window is not told a secret: {offer}");
    let [far, keeper, local] = offer["servers"].as_array().unwrap().as_slice() else { panic!("{offer}") };
    // What has a secret is not taken here: it would go into the keyring of whoever runs this.
    assert_eq!(keeper["secrets"], json!(["TOKEN"]), "{keeper}");
    assert_eq!((&local["id"], &local["secrets"], &local["conflict"]), (&json!("local"), &json!([]), &Value::Null));
    assert_eq!(local["launch"]["args"], json!(["-y", "pkg"]), "how it would be launched: {local}");
    assert!(far["risks"].to_string().contains("unencrypted"), "a person is warned: {far}");
    let problems = offer["problems"].to_string();
    assert!(problems.contains("carrier-pigeon") && problems.contains("unencrypted"), "{problems}");

    let request = |choices: Value| json!({ "source": source(&text), "choices": choices, "target": "global" });
    let nobody =
        door.call("import_servers", request(json!([{ "name": "local" }, { "name": "bad" }]))).await.unwrap_err();
    assert!(nobody.message.contains("`bad`"), "{nobody}");
    let twice = json!([{ "name": "local" }, { "name": "far", "rename": "local" }]);
    let twice = door.call("import_servers", request(twice)).await.unwrap_err();
    assert_eq!(serde_json::to_value(twice.code).unwrap(), "conflict", "{twice}");
    let servers = async || door.ask("list_servers", json!({})).await["servers"].as_array().unwrap().len();
    assert_eq!(servers().await, 1, "nothing of either came through but the demo was there before");

    let choices = json!([{ "name": "local" }, { "name": "far", "rename": "Far away" }]);
    let imported = door.ask("import_servers", request(choices.clone())).await;
    assert_eq!(imported["servers"], json!(["local", "Far%20away"]), "{imported}");
    assert_eq!(servers().await, 3, "they are here at once");
    let again = door.call("import_servers", request(choices)).await.unwrap_err();
    assert_eq!(serde_json::to_value(again.code).unwrap(), "conflict", "without a word nothing is replaced: {again}");
    let offer = door.ask("read_offer", json!({ "text": text.to_string() })).await;
    assert_eq!(offer["servers"][2]["conflict"]["same"], true, "{offer}");
    assert_eq!(offer["servers"][2]["conflict"]["free"], "local-copy", "{offer}");
    let replace = json!([{ "name": "local", "replace": true }]);
    door.ask("import_servers", request(replace)).await;
    assert_eq!(servers().await, 3, "it is still one server");
    assert_eq!(door.server("local").await["state"], "stopped", "and nobody started it");

    let exported = door.ask("export_servers", json!({ "shape": "claude-code" })).await;
    let written: Value = serde_json::from_str(exported["text"].as_str().unwrap()).unwrap();
    assert_eq!(written["mcpServers"].as_object().unwrap().len(), 2, "all that stands in files: {exported}");
    assert_eq!(written["mcpServers"]["local"]["env"]["REGION"], "eu", "{exported}");
    let one = door.ask("export_servers", json!({ "shape": "goose", "servers": ["local"] })).await;
    assert_eq!((&one["language"], &one["file_name"]), (&json!("yaml"), &json!("config.yaml")), "{one}");
    let unknown = door.call("export_servers", json!({ "shape": "nobody" })).await.unwrap_err();
    assert!(unknown.hint.is_some_and(|hint| hint.contains("claude-desktop")));
    door.app.close().await;
}

#[tokio::test]
async fn files_of_the_project_are_found_and_taken_by_their_id() {
    let profile = Profile::default();
    let path = profile.project().join(".cursor/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, json!({ "mcpServers": { "a": { "command": "/opt/a" } } }).to_string()).unwrap();
    let door = open(&profile).await;
    let found = door.ask("find_clients", json!({})).await;
    let files = found["files"].as_array().unwrap();
    let file = files.iter().find(|file| file["file"].as_str().unwrap().ends_with("project/.cursor/mcp.json"));
    let file = file.unwrap_or_else(|| panic!("{found}"));
    assert_eq!(file["client"], "Cursor");
    assert!(found["looked"].as_array().unwrap().len() > 40, "a person can see where else was looked: {found}");
    let request = |id: &Value| json!({ "source": { "kind": "file", "id": id }, "choices": [{ "name": "a" }], "target": "project" });
    let imported = door.ask("import_servers", request(&file["id"])).await;
    assert!(imported["file"].as_str().unwrap().ends_with("project/.sonde/mcp.json"), "{imported}");
    assert!(imported["notices"].to_string().contains("a path of this machine"), "a project is shared: {imported}");
    let elsewhere = door.call("import_servers", request(&json!("/etc/passwd"))).await.unwrap_err();
    assert!(elsewhere.message.contains("no longer there"), "a window can name only what was found: {elsewhere}");
    door.app.close().await;
}
