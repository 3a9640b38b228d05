//! Lists that do not come.

use integration::{Profile, Stage, WIRE, binary};
use serde_json::{Value, json};
use sonde_app::Keeping;

use super::entry;

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_fails_keeps_the_connection_is_told_and_can_be_asked_for_again() {
    let stage = Stage::open_with(|setup| setup.keeping = Keeping::Current).await;
    let mut peer = stage.ready("2025-11-25", json!({ "tools": {} })).await;
    let asked = peer.read().await;
    assert_eq!(asked["method"], "tools/list", "what was declared is listed, and nothing else");
    peer.reply(&asked, json!({ "error": { "code": -32603, "message": "the database is away" } })).await;
    let door = &stage.door;
    let problems = |server: &Value| server["list_problems"].as_array().unwrap().clone();
    let server = door
        .until("the failure", async || Some(door.server(WIRE).await).filter(|server| !problems(server).is_empty()))
        .await;
    assert_eq!((&server["state"], &server["tool_count"]), (&json!("ready"), &json!(0)), "the connection goes on");
    let [problem] = &problems(&server)[..] else { panic!("one list failed: {server}") };
    assert_eq!(problem["catalog"], "tools");
    let told = problem["error"]["message"].as_str().unwrap();
    assert!(told.contains("the database is away"), "in the server's words: {told}");
    assert!(problem["error"]["hint"].as_str().unwrap().contains("sonde retry relay"), "{problem}");

    let refreshing = door.ask("refresh_catalog", json!({ "server": WIRE, "catalog": "tools" }));
    let answering = async {
        let asked = peer.read().await;
        peer.reply(&asked, json!({ "result": { "tools": [{ "name": "echo", "inputSchema": {} }] } })).await;
    };
    tokio::join!(refreshing, answering);
    let server = door.server(WIRE).await;
    assert_eq!((problems(&server).len(), &server["tool_count"]), (0, &json!(1)), "what came is all: {server}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_must_have_tools_fails_without_and_is_ready_with_them() {
    let load = binary("sonde-load").display().to_string();
    let must = json!({ "fail_if_no_tools": true });
    let profile = Profile::default()
        .with_entry("none", entry(&load, &["--tools", "0"], must.clone()))
        .with_entry("some", entry(&load, &["--tools", "2"], must));
    let door = profile.open().await;
    let problem = door.connect_in_vain("none").await;
    assert_eq!((&problem["title"], &problem["code"]), (&json!("No tools"), &json!("handshake-failed")), "{problem}");
    let server = door.connect("some").await;
    assert_eq!(server["tool_count"], 2, "{server}");
    door.disconnect("some").await;
    let asked = door.rows(json!({ "server": "some" })).await;
    let lists = asked.iter().filter(|row| row["method"] == "tools/list").count();
    assert_eq!(lists, 1, "what was listed to find out is not listed twice");
    door.close().await;
}
