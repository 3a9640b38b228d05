//! Servers that are there and do not answer, and servers over HTTP that are gone.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use integration::{Profile, binary};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::{AT_ONCE, load_with};

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_server_that_hangs_is_told_ended_and_started_again() {
    let profile = load_with(json!({ "sonde": { "reconnect": true, "ping": "1s" } }));
    let door = profile.open_with(|setup| setup.pace = AT_ONCE).await;
    let first = door.connect("load").await;
    door.until_row("a ping that was answered", json!({ "server": "load" }), |row| {
        row["method"] == "ping" && row["status"] == "ok"
    })
    .await;
    let pid = i32::try_from(first["pid"].as_i64().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::STOP).unwrap();
    let again = door
        .until("another process", async || {
            let server = door.server("load").await;
            (server["state"] == "ready" && server["pid"] != first["pid"]).then_some(server)
        })
        .await;
    assert_eq!(again["restarts"], 1, "{again}");
    let rows = door.rows(json!({ "server": "load" })).await;
    let missed = rows.iter().filter(|row| row["method"] == "ping" && row["status"] == "timeout").count();
    assert_eq!(missed, 2, "two pings without an answer, in the log like everything");
    let told =
        rows.iter().any(|row| row["target"].as_str().unwrap_or_default().starts_with("given up · the server did"));
    assert!(told, "and why the connection ended");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_reconnecting_a_server_that_hangs_has_failed() {
    let profile = load_with(json!({ "sonde": { "ping": "100ms" } }));
    let door = profile.open().await;
    let pid = i32::try_from(door.connect("load").await["pid"].as_i64().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::STOP).unwrap();
    let server = door.until_server("load", &["failed", "stopped"]).await;
    assert_eq!(server["problem"]["title"], "Server does not answer", "{server}");
    assert_eq!((&server["state"], &server["retry"]), (&json!("failed"), &json!(null)));
    door.close().await;
}

/// `sonde-load` over HTTP on that port, and its address.
fn serve(port: u16) -> (Child, String) {
    let mut child = Command::new(binary("sonde-load"))
        .args(["--http", &port.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    (child, address.trim().trim_start_matches("listening on ").to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_http_that_is_gone_is_noticed_by_whoever_uses_it() {
    let (mut server, address) = serve(0);
    let port: u16 = address.split(':').nth(2).and_then(|rest| rest.split('/').next()).unwrap().parse().unwrap();
    let entry = json!({ "url": address, "sonde": { "reconnect": true } });
    let profile = Profile::default().with_entry("far", entry);
    // As many tries as it takes until the server is there again.
    let door = profile.open_with(|setup| setup.pace = sonde_app::Pace { most: u32::MAX, ..AT_ONCE }).await;
    door.connect("far").await;
    server.kill().unwrap();
    server.wait().unwrap();
    let call = door.run_tool("far", "echo", json!({ "text": "x" })).await;
    assert_eq!(call["status"], "lost", "{call}");
    assert_eq!(call["error"]["code"], "http-failed", "the right error, and at once: {call}");
    door.until("it to be tried again", async || door.server("far").await["restarts"].as_u64().filter(|n| *n > 0)).await;
    let (mut server, _) = serve(port);
    door.until_server("far", &["ready"]).await;
    assert_eq!(door.run_tool("far", "echo", json!({ "text": "x" })).await["status"], "ok", "and used again");
    door.close().await;
    server.kill().unwrap();
    server.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_uses_a_server_over_http_that_is_gone_learns_it_without_pings_and_without_reconnecting() {
    let (mut server, address) = serve(0);
    let profile = Profile::default().with_entry("far", json!({ "url": address }));
    let door = profile.open().await;
    door.connect("far").await;
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(door.server("far").await["state"], "ready", "nobody has looked yet");
    let call = door.run_tool("far", "echo", json!({ "text": "x" })).await;
    assert_eq!(call["status"], "lost", "{call}");
    let failed = door.until_server("far", &["failed"]).await;
    assert_eq!(failed["problem"]["code"], "connection-lost", "{failed}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_hangs_is_told_of_when_it_is_used_and_not_ended_for_it() {
    let profile = load_with(json!({ "timeout": "1s" }));
    let door = profile.open().await;
    let pid = i32::try_from(door.connect("load").await["pid"].as_i64().unwrap()).unwrap();
    let pid = Pid::from_raw(pid).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let call = door.run_tool("load", "echo", json!({ "text": "x" })).await;
    assert_eq!(call["status"], "timeout", "{call}");
    let notices = async || door.ask("describe_server", json!({ "server": "load" })).await["notices"].clone();
    let told = door.until("the notice", async || notices().await.as_array().unwrap().first().cloned()).await;
    assert!(told.as_str().unwrap().contains("two pings"), "{told}");
    assert_eq!(door.server("load").await["state"], "ready", "it may be busy, and nobody asked for more");
    kill_process(pid, Signal::CONT).unwrap();
    let call = door.run_tool("load", "echo", json!({ "text": "x" })).await;
    assert_eq!(call["status"], "ok", "it goes on where it was: {call}");
    door.disconnect("load").await;
    door.connect("load").await;
    assert_eq!(notices().await, json!([]), "what was is not told of the next connection");
    door.close().await;
}
