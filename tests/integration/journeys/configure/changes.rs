//! Files that change while the app runs.

use integration::Profile;
use serde_json::{Value, json};
use sonde_app::{ErrorCode, Watching};

use super::{differences, ids, load, replace_servers, until_changed, write_servers};

#[tokio::test(flavor = "multi_thread")]
async fn a_change_on_disk_is_a_difference_and_the_running_server_is_untouched() {
    let entry = json!({ "command": load(), "args": ["--tools", "2"], "env": { "API_KEY": "first", "LEVEL": "1" } });
    let profile = Profile::default().with_entry("load", entry);
    let door = profile.open().await;
    let before = door.connect("load").await;
    assert_eq!(before["changed"], false, "it is as it is written");
    let next = json!({ "command": load(), "args": ["--tools", "3"], "env": { "API_KEY": "second", "LEVEL": "1" } });
    write_servers(&profile, json!({ "load": next }));
    let told = until_changed(&door, "load").await;
    let fields: Vec<&str> = told.iter().map(|each| each["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["args", "env.API_KEY"], "field by field: {told:?}");
    assert_eq!((&told[0]["before"], &told[0]["after"]), (&json!(r#"["--tools", "2"]"#), &json!(r#"["--tools", "3"]"#)));
    let text = serde_json::to_string(&told).unwrap();
    assert!(!text.contains("first") && !text.contains("second"), "a secret is not told: {text}");
    let now = door.server("load").await;
    assert_eq!((&now["state"], &now["pid"]), (&json!("ready"), &before["pid"]), "it still runs: {now}");
    assert_eq!(now["tool_count"], 2, "by what it was started with");

    door.disconnect("load").await;
    let stopped = door.server("load").await;
    assert_eq!(stopped["changed"], true, "what it was last connected with is still another: {stopped}");
    let revision = |server: &Value| server["catalog_revision"].as_u64().unwrap();
    assert!(revision(&stopped) > revision(&before), "a window can tell old lists from new ones");
    let refused = door.call("connect_server", json!({ "server": "load" })).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::ApprovalNeeded, "nobody has seen those arguments: {refused}");
    let after = door.connect("load").await;
    assert_eq!((&after["tool_count"], &after["changed"]), (&json!(3), &json!(false)), "now it is what is written");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_difference_goes_when_a_person_has_seen_it() {
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    door.connect("load").await;
    replace_servers(&profile, json!({ "load": { "command": load(), "args": ["--tools", "9"] } }));
    until_changed(&door, "load").await;
    door.ask("dismiss_difference", json!({ "server": "load" })).await;
    assert_eq!(door.server("load").await["changed"], false, "it was seen");
    door.disconnect("load").await;
    assert_eq!(door.server("load").await["changed"], false, "and it is not told a second time");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_come_and_go_with_their_files_but_nobody_who_runs_is_ended() {
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    door.connect("load").await;
    let folder = profile.project().join(".sonde");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("mcp.json"), json!({ "mcpServers": { "new": { "command": "cat" } } }).to_string())
        .unwrap();
    door.until("the new one", async || ids(&door).await.contains(&"new".to_owned()).then_some(())).await;
    std::fs::write(folder.join("mcp.json"), "{ not JSON").unwrap();
    door.until("the problem", async || {
        let list = door.ask("list_servers", json!({})).await;
        (!list["problems"].as_array().unwrap().is_empty()).then_some(())
    })
    .await;
    assert_eq!(ids(&door).await, ["new", "load", "demo"], "what can't be read keeps what it had");
    assert_eq!(door.server("new").await["flaw"]["severity"], "warning", "and says so");
    std::fs::remove_file(folder.join("mcp.json")).unwrap();
    door.until("it to go", async || (ids(&door).await == ["load", "demo"]).then_some(())).await;

    std::fs::remove_file(profile.project().join(".mcp.json")).unwrap();
    let told = until_changed(&door, "load").await;
    assert_eq!((&told[0]["field"], &told[0]["after"]), (&json!("server"), &Value::Null), "it is in no file: {told:?}");
    assert_eq!(door.server("load").await["state"], "ready", "and still runs");
    door.ask("disconnect_server", json!({ "server": "load" })).await;
    door.until("it to go", async || (ids(&door).await == ["demo"]).then_some(())).await;
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nearer_entry_takes_the_place_of_a_farther_one_and_says_so() {
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    door.connect("load").await;
    std::fs::create_dir(profile.project().join(".sonde")).unwrap();
    let nearer = json!({ "mcpServers": { "load": { "command": load(), "args": [] } } });
    std::fs::write(profile.project().join(".sonde/mcp.json"), nearer.to_string()).unwrap();
    let told = until_changed(&door, "load").await;
    assert_eq!(told[0]["field"], "file", "another file says it: {told:?}");
    assert!(told[0]["after"].as_str().unwrap().ends_with(".sonde/mcp.json"), "{told:?}");
    door.disconnect("load").await;
    let server = door.server("load").await;
    assert!(server["overrides"][0]["file"].as_str().unwrap().ends_with(".mcp.json"), "{server}");
    let files = door.ask("list_files", json!({})).await;
    let hidden = files["files"][1]["servers"][0].clone();
    assert_eq!(hidden, json!({ "name": "load", "hidden_by": "project" }), "{files}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_does_not_watch_reads_again_when_told_to() {
    let profile = Profile::with_load(&[]);
    let door = profile.open_with(|setup| setup.watching = Watching::Off).await;
    door.connect("load").await;
    replace_servers(&profile, json!({ "load": { "command": load(), "args": ["--tools", "9"] } }));
    assert!(differences(&door, "load").await.is_empty(), "nobody has looked");
    door.app.reload().await;
    assert_eq!(differences(&door, "load").await.len(), 1, "somebody has");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_broken_for_a_moment_loses_none_of_its_servers() {
    let profile = Profile::with_load(&[]).with_server("other", &load(), &["--tools", "2"]);
    let door = profile.open().await;
    let before = door.connect("load").await;
    let file = profile.project().join(".mcp.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let flawed = async || {
        let server = door.server("load").await;
        (!server["flaw"].is_null()).then_some(server)
    };
    std::fs::write(&file, text.replacen("\"other\":", "\"other\" ", 1)).unwrap();
    let server = door.until("the flaw", flawed).await;
    assert_eq!((&server["state"], &server["pid"]), (&json!("ready"), &before["pid"]), "it runs: {server}");
    assert_eq!((&server["changed"], &server["flaw"]["severity"]), (&json!(false), &json!("warning")), "{server}");
    assert!(server["flaw"]["error"]["context"].to_string().contains("column"), "where it is broken: {server}");
    assert!(differences(&door, "load").await.is_empty(), "it is not said to be absent");
    let files = door.ask("list_files", json!({})).await;
    let shown = files["files"].as_array().unwrap().iter().find(|file| file["exists"] == true).unwrap();
    assert_eq!(shown["servers"].as_array().unwrap().len(), 2, "its entries are shown with its problem: {shown}");
    door.disconnect("load").await;
    assert_eq!(ids(&door).await.len(), 3, "nor does it go when it stops");
    door.connect("other").await;

    std::fs::write(&file, &text).unwrap();
    door.until("the file to be whole", async || door.server("load").await["flaw"].is_null().then_some(())).await;
    assert_eq!(door.server("other").await["changed"], false, "it is as it was started");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_cannot_be_used_can_be_read_corrected_and_removed_but_not_started() {
    let bad = json!({ "command": load(), "timeout": "soon" });
    let profile = Profile::default().with_entry("bad", bad).with_entry("worse", json!({ "command": 7 }));
    let profile = profile.with_entry("odd", json!(7));
    let door = profile.open().await;
    assert_eq!(ids(&door).await.len(), 4, "three of them, and the demo");
    for id in ["bad", "worse", "odd"] {
        let server = door.server(id).await;
        assert_eq!(server["flaw"]["severity"], "error", "{server}");
        let refused = door.call("connect_server", json!({ "server": id })).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::Configuration, "{refused}");
        assert_eq!(door.server(id).await["state"], "stopped", "it was not tried");
        let found = door.ask("examine_server", json!({ "server": id })).await;
        assert_eq!((&found["verdict"], &found["error"]["code"]), (&json!("ill"), &json!("configuration")), "{found}");
    }
    let mut draft = door.ask("read_draft", json!({ "server": "bad" })).await;
    assert_eq!(draft["reach"]["command"], load(), "as far as it can be read: {draft}");
    draft["timeout"] = json!("9s");
    door.ask("save_draft", json!({ "draft": draft, "target": "project", "replaces": "bad" })).await;
    assert!(door.server("bad").await["flaw"].is_null(), "it is corrected");
    door.connect("bad").await;
    door.ask("remove_server", json!({ "server": "worse" })).await;
    door.ask("remove_server", json!({ "server": "odd" })).await;
    assert_eq!(ids(&door).await, ["bad", "demo"]);
    door.close().await;
}
