//! Servers that nobody here wrote. `make peers` installs them and names their folder in `SONDE_PEERS`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a journey stops at the first thing that is not as it says"
)]

use integration::Profile;
use serde_json::{Value, json};

fn peer(path: &str) -> String {
    let folder = std::env::var("SONDE_PEERS")
        .expect("SONDE_PEERS names the folder of the foreign servers; `make peers` installs them and sets it");
    let program = std::path::Path::new(&folder).join(path);
    assert!(program.exists(), "{} is not installed: run `make peers`", program.display());
    program.to_str().unwrap().to_owned()
}

async fn call(name: &str, path: &str, tool: &str, arguments: Value) -> Value {
    let profile = Profile::default().with_server(name, &peer(path), &[]);
    let door = profile.open().await;
    door.connect(name).await;
    let tools = door.ask("list_tools", json!({ "server": name })).await;
    assert_eq!(tools["problem"], Value::Null, "its whole list is understood");
    let offered = tools["tools"].as_array().unwrap().iter().any(|entry| entry["name"] == tool);
    assert!(offered, "`{tool}` is among its tools: {tools}");
    let call = door.run_tool(name, tool, arguments).await;
    assert_eq!(call["status"], "ok", "the call works: {call}");
    let row = door
        .until_row("the exchange", json!({ "server": name, "kind": "exchange" }), |row| {
            row["method"] == "tools/call" && row["status"] != "pending"
        })
        .await;
    assert_eq!((&row["status"], &row["target"]), (&json!("ok"), &json!(tool)), "and is one row");
    let unparsable = door.rows(json!({ "kind": "unparsable" })).await;
    assert!(unparsable.is_empty(), "a good server writes messages alone: {unparsable:?}");
    door.disconnect(name).await;
    assert!(profile.processes().is_empty(), "none of its processes is left: {:?}", profile.processes());
    door.close().await;
    serde_json::from_str(call["result"]["text"].as_str().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_everything_server_echoes() {
    let result =
        call("everything", "node_modules/.bin/mcp-server-everything", "echo", json!({ "message": "over here" })).await;
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("over here"), "the echo: {text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_server_knows_the_time() {
    let result = call("time", "time/bin/mcp-server-time", "get_current_time", json!({ "timezone": "UTC" })).await;
    let text = result["content"][0]["text"].as_str().unwrap();
    let time: Value = serde_json::from_str(text).unwrap();
    assert_eq!(time["timezone"], "UTC", "the answer is about the zone we asked for");
    assert!(time["datetime"].as_str().unwrap().contains('T'), "and has a time: {text}");
}
