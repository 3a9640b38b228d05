//! Starting, approving, ending, and what is left behind.

use std::time::Duration;

use integration::{Profile, alone, binary, descriptors, until_gone, zombies};
use serde_json::{Value, json};
use sonde_app::Asked;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_starts_before_a_person_approved_exactly_that() {
    let profile = Profile::default().with_script("touch", "touch started; cat >/dev/null");
    let door = profile.open().await;
    let error = door.call("connect_server", json!({ "server": "touch" })).await.unwrap_err();
    assert_eq!(serde_json::to_value(error.code).unwrap(), "approval-needed", "{error}");
    assert_eq!(door.server("touch").await["state"], "stopped", "the server did not begin to start");
    assert!(door.rows(json!({})).await.is_empty(), "not even the log has heard of it");
    let pending = door.app.pending_approval("touch").unwrap();
    let Asked::Command { binary, args, .. } = &pending.asked else { panic!("it is a command") };
    assert_eq!(binary, "/bin/sh", "a person sees the binary");
    assert!(args[0].ends_with("touch.sh"), "and every argument");
    assert!(profile.processes().is_empty() && !profile.project().join("started").exists(), "looking starts nothing");

    door.approve("touch");
    door.ask("connect_server", json!({ "server": "touch" })).await;
    door.until("its process", async || door.server("touch").await["pid"].as_u64()).await;
    door.disconnect("touch").await;
    door.close().await;

    let other = profile.with_server("touch", "/bin/sh", &["-c", "touch other"]);
    let door = other.open().await;
    let error = door.call("connect_server", json!({ "server": "touch" })).await.unwrap_err();
    assert_eq!(serde_json::to_value(error.code).unwrap(), "approval-needed", "another command needs another yes");
    assert!(!other.project().join("other").exists(), "and did not run");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_while_a_server_starts_leaves_nothing() {
    let profile = Profile::with_load(&["--silent"]);
    let door = profile.open().await;
    door.approve("load");
    for _ in 0..10 {
        door.ask("connect_server", json!({ "server": "load" })).await;
        door.disconnect("load").await;
    }
    let left = until_gone(&profile.project(), Duration::from_secs(6));
    assert!(left.is_empty(), "these still run: {left:?}");
    let pending = door.rows(json!({})).await.into_iter().find(|row| row["status"] == "pending");
    assert_eq!(pending, None, "nothing waits for an answer any more");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_cycles_leave_no_process_no_zombie_and_no_descriptor() {
    if !alone("lifecycle::fifty_cycles_leave_no_process_no_zombie_and_no_descriptor") {
        return;
    }
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    // The first connections open what stays open: readers of the log, the runtime's own.
    for _ in 0..5 {
        door.connect("load").await;
        door.disconnect("load").await;
    }
    let before = descriptors();
    for _ in 0..50 {
        door.connect("load").await;
        door.disconnect("load").await;
    }
    assert!(profile.processes().is_empty(), "no process is left: {:?}", profile.processes());
    assert!(zombies().is_empty(), "every supervisor was waited for: {:?}", zombies());
    // Readers of the log may still be opened on the way; a leak would add one or more for each cycle.
    assert!(descriptors() < before + 25, "descriptors grew from {before} to {}", descriptors());
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stubborn_server_and_its_grandchild_are_ended_in_time() {
    let profile = Profile::with_load(&["--stubborn"]);
    let door = profile.open().await;
    door.connect("load").await;
    door.until_row("the grandchild", json!({ "kind": "stderr" }), |_| true).await;
    assert_eq!(profile.processes().len(), 3, "supervisor, server and grandchild: {:?}", profile.processes());
    let took = door.disconnect("load").await;
    assert!(took < Duration::from_secs(6), "it took {took:?}");
    assert!(profile.processes().is_empty(), "all three are gone");
    let server = door.ask("describe_server", json!({ "server": "load" })).await;
    assert_eq!(server["exit"], "signal 9", "it had to be killed, and that is told");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_the_app_ends_every_server_and_settles_every_row() {
    let profile = Profile::with_load(&["--reverse", "100"]);
    let door = profile.open().await;
    door.connect("load").await;
    door.connect("demo").await;
    let held = door.start_call("load", "echo", json!({ "text": "held" })).await;
    door.until_row("the call", json!({}), |row| row["target"] == "echo").await;
    door.clone().close().await;
    assert!(profile.processes().is_empty(), "nothing runs after the app: {:?}", profile.processes());
    let call = door.ask("read_call", json!({ "call": held["id"] })).await;
    assert!(call["status"] == "ok" || call["status"] == "lost", "an open call ends: {call}");

    let again = profile.open().await;
    let open = again.rows(json!({})).await.into_iter().find(|row| row["status"] == "pending");
    assert_eq!(open, None, "what ended in good order is not pending");
    again.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_right_after_the_handshake_has_failed() {
    let script = r#"read -r line
printf '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}\n'
echo "out of luck" >&2
exit 7
"#;
    let profile = Profile::default().with_script("brief", script);
    let door = profile.open().await;
    door.approve("brief");
    for round in 0..10 {
        door.ask("connect_server", json!({ "server": "brief" })).await;
        let server = door.until_server("brief", &["failed", "stopped"]).await;
        assert_eq!(server["state"], "failed", "round {round}: nobody asked it to end");
        let facts = server["problem"]["context"].to_string();
        assert!(facts.contains("exit code 7") && facts.contains("out of luck"), "round {round}: {facts}");
    }
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_in_use_fails_its_calls_and_says_why() {
    let profile = Profile::with_load(&["--reverse", "100"]);
    let door = profile.open().await;
    let pid = door.connect("load").await["pid"].as_u64().unwrap() as i32;
    let call = door.start_call("load", "echo", json!({ "text": "x" })).await;
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::ABORT).unwrap();
    let call = door.until_ended(&call).await;
    assert_eq!(call["status"], "lost", "an open call ends with its server");
    let server = door.until_server("load", &["failed", "stopped"]).await;
    assert_eq!(server["problem"]["message"], "server `load` ended with signal 6", "the signal is told");
    door.until_recorded("load").await;
    let row = door.until_row("the exchange", json!({}), |row| row["target"] == "echo").await;
    assert_eq!(row["status"], "unanswered", "the log knows that no answer can come");
    assert_eq!(door.connect("load").await["state"], "ready", "and it can be started again");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_takes_too_long_times_out_in_call_and_log() {
    let profile = Profile::with_load(&["--reverse", "100"]);
    let door = profile.open_with(|setup| setup.posture.patience.limit = Duration::from_millis(300)).await;
    door.connect("load").await;
    let call = door.run_tool("load", "echo", json!({ "text": "x" })).await;
    assert_eq!(call["status"], "timeout", "the call says so");
    let settled = |row: &Value| row["target"] == "echo" && row["status"] != "pending";
    let row = door.until_row("the exchange", json!({}), settled).await;
    assert_eq!(row["status"], "timeout", "the first reason stays, though a cancellation follows");
    let told = door.until_row("the word to the server", json!({}), |row| row["method"] == "notifications/cancelled");
    let wire = door.frame(&told.await, 0).await;
    assert_eq!(wire["params"]["requestId"].to_string(), call["request_id"].as_str().unwrap());
    door.disconnect("load").await;
    let row = door.until_row("the exchange", json!({}), |row| row["target"] == "echo").await;
    assert_eq!(row["status"], "late", "the answer that the server gave at its end is shown as late");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_allowed_reaches_a_servers_environment() {
    let script = "env | cut -d= -f1 | sort >&2; cat >/dev/null";
    let profile = Profile::default().with_script("env", script);
    let door = profile.open().await;
    door.begin_to_connect("env").await;
    door.until_row("the environment", json!({ "kind": "stderr" }), |row| row["target"] == "PATH").await;
    door.disconnect("env").await;
    let rows = door.rows(json!({ "kind": "stderr" })).await;
    let names: Vec<&str> = rows.iter().filter_map(|row| row["target"].as_str()).collect();
    assert!(!names.iter().any(|name| name.starts_with("CARGO")), "our own variables stay ours: {names:?}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_configuration_is_named_and_hides_nothing_else() {
    let profile = Profile::default();
    let text = json!({ "mcpServers": {
        "good": { "command": binary("sonde-load"), "someOtherClientsKey": { "x": 1 } },
        "remote": { "url": "ftp://example.com/mcp" },
        "unset": { "command": "x", "env": { "TOKEN": "${SONDE_NO_SUCH_VARIABLE}" } },
    } });
    std::fs::write(profile.project().join(".mcp.json"), text.to_string()).unwrap();
    let door = profile.open().await;
    let list = door.ask("list_servers", json!({})).await;
    let problems = list["problems"].as_array().unwrap();
    let (problems, warnings): (Vec<&Value>, Vec<&Value>) =
        problems.iter().partition(|problem| problem["severity"] == "error");
    assert_eq!(warnings.len(), 1, "a word for another client is told, and the entry is used: {warnings:?}");
    assert_eq!(problems.len(), 2, "one for each entry that can't be used: {problems:?}");
    assert!(problems.iter().all(|problem| problem["error"]["code"] == "configuration"));
    let all = list["problems"].to_string();
    assert!(all.contains("SONDE_NO_SUCH_VARIABLE") && all.contains("env.TOKEN"), "variable and field: {all}");
    assert!(all.contains(".mcp.json"), "and the file");
    assert_eq!(door.connect("good").await["state"], "ready", "a good entry beside them works");
    door.close().await;
}
