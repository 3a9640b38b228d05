//! Servers that end by themselves.

use integration::{Door, Profile};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{AT_ONCE, NEVER, load_with, script_with};

/// Every start leaves a line.
const CRASHES: &str = "echo start >> starts\necho 'no luck' >&2\nexit 3\n";
/// The first start fails, all others serve.
const SECOND_TIME: &str = "if [ -e tried ]; then exec \"$LOAD\"; fi\ntouch tried\nexit 3\n";

fn reconnecting() -> Value {
    json!({ "sonde": { "reconnect": true } })
}

fn starts(profile: &Profile) -> usize {
    std::fs::read_to_string(profile.project().join("starts")).unwrap_or_default().lines().count()
}

/// Waits until nobody tries any more.
async fn given_up(door: &Door, id: &str) -> Value {
    door.until("the last try", async || {
        let server = door.server(id).await;
        (server["state"] == "failed" && server["retry"].is_null()).then_some(server)
    })
    .await
}

async fn waiting(door: &Door, id: &str) -> Value {
    door.until("the next try to be announced", async || {
        let server = door.server(id).await;
        server["retry"].is_object().then_some(server)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_crashes_in_a_loop_is_started_five_times_more_and_every_try_is_seen() {
    let profile = script_with(CRASHES, reconnecting());
    let door = profile.open_with(|setup| setup.pace = AT_ONCE).await;
    door.begin_to_connect("script").await;
    let server = given_up(&door, "script").await;
    assert_eq!(server["restarts"], 5, "{server}");
    assert_eq!(starts(&profile), 6, "the first by a person, five by ourselves");
    let facts = server["problem"]["context"].to_string();
    assert!(facts.contains("5 times, and no more") && facts.contains("exit code 3"), "{facts}");
    let wanted: Vec<String> = (1..=5).map(|n| format!("started again because it ended · try {n} of 5")).collect();
    // The log may be a moment behind.
    let marks = door
        .until("a mark for every try", async || {
            let marks = door.rows(json!({ "server": "script", "kind": "mark" })).await;
            let told = marks.iter().filter_map(|row| row["target"].as_str());
            let tries: Vec<String> = told.filter(|text| text.starts_with("started again")).map(str::to_owned).collect();
            (tries.len() >= wanted.len()).then_some(tries)
        })
        .await;
    assert_eq!(marks, wanted, "nothing is tried in silence");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_policy_nothing_is_started_again() {
    let profile = script_with(CRASHES, json!({}));
    let door = profile.open_with(|setup| setup.pace = AT_ONCE).await;
    door.begin_to_connect("script").await;
    let server = given_up(&door, "script").await;
    assert_eq!((starts(&profile), &server["restarts"]), (1, &json!(0)), "a person may start it again: {server}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_ends_the_wait_for_the_next_try() {
    let profile = script_with(CRASHES, reconnecting());
    let door = profile.open_with(|setup| setup.pace = NEVER).await;
    door.begin_to_connect("script").await;
    let server = waiting(&door, "script").await;
    assert_eq!(server["state"], "failed", "it is told that it failed, and that it is tried again: {server}");
    assert_eq!((&server["retry"]["attempt"], &server["retry"]["most"]), (&json!(1), &json!(5)));
    assert!(server["retry"]["at"].as_i64().unwrap() > server["since"].as_i64().unwrap(), "later than now: {server}");
    door.disconnect("script").await;
    let server = door.server("script").await;
    assert!(server["retry"].is_null(), "nobody tries any more: {server}");
    let error =
        door.call("call_tool", json!({ "server": "script", "tool": "x", "arguments": "{}" })).await.unwrap_err();
    assert_eq!(error.hint.as_deref(), Some("connect it first"), "what a person stopped stays stopped");
    assert_eq!(door.server("script").await["state"], "stopped");
    door.close().await;
    assert_eq!(starts(&profile), 1, "and it was not started again");
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_the_app_ends_the_wait_too() {
    let profile = script_with(CRASHES, reconnecting());
    let door = profile.open_with(|setup| setup.pace = NEVER).await;
    door.begin_to_connect("script").await;
    waiting(&door, "script").await;
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_connects_need_not_wait_for_the_next_try() {
    let profile = script_with(SECOND_TIME, reconnecting());
    let door = profile.open_with(|setup| setup.pace = NEVER).await;
    door.begin_to_connect("script").await;
    waiting(&door, "script").await;
    let server = door.connect("script").await;
    assert_eq!((&server["restarts"], &server["retry"]), (&json!(0), &Value::Null), "it was a person: {server}");
    door.disconnect("script").await;
    assert_eq!(door.server("script").await["state"], "stopped", "and whoever waited before has no say any more");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_uses_a_lost_server_is_told_and_brings_it_back() {
    let profile = script_with(SECOND_TIME, reconnecting());
    let door = profile.open_with(|setup| setup.pace = NEVER).await;
    door.begin_to_connect("script").await;
    waiting(&door, "script").await;
    let arguments = json!({ "text": "x" }).to_string();
    let request = json!({ "server": "script", "tool": "echo", "arguments": arguments });
    let error = door.call("call_tool", request).await.unwrap_err();
    assert_eq!(serde_json::to_value(error.code).unwrap(), "not-ready", "at once, and not after a pause: {error}");
    assert!(error.hint.as_deref().unwrap().contains("connected again"), "{error}");
    let server = door.until_server("script", &["ready"]).await;
    assert_eq!(server["restarts"], 1, "{server}");
    assert_eq!(door.run_tool("script", "echo", json!({ "text": "x" })).await["status"], "ok");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_was_ready_is_ready_again_and_its_open_call_ended() {
    let profile = load_with(json!({ "sonde": { "reconnect": true } }));
    let door = profile.open_with(|setup| setup.pace = AT_ONCE).await;
    let first = door.connect("load").await;
    let pid = i32::try_from(first["pid"].as_i64().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    let again = door
        .until("another process", async || {
            let server = door.server("load").await;
            (server["state"] == "ready" && server["pid"] != first["pid"]).then_some(server)
        })
        .await;
    assert_eq!(again["restarts"], 1, "{again}");
    assert!(again["problem"].is_null(), "what was wrong is over: {again}");
    assert_eq!(door.run_tool("load", "echo", json!({ "text": "x" })).await["status"], "ok");
    door.disconnect("load").await;
    assert_eq!(door.server("load").await["restarts"], 1, "ended by a person, it is not started again");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_leaves_in_good_order_is_wanted_back_too() {
    // The first one is given `initialize`, that it was taken, and the question for its tools; then its input ends.
    let script = "if [ -e left ]; then exec \"$LOAD\"; fi\ntouch left\n\
        for line in 1 2 3; do read -r line; printf '%s\\n' \"$line\"; done | \"$LOAD\"\n";
    let profile = script_with(script, reconnecting());
    let door = profile.open_with(|setup| setup.pace = AT_ONCE).await;
    door.begin_to_connect("script").await;
    let again = door
        .until("it to be back", async || {
            Some(door.server("script").await).filter(|server| server["state"] == "ready" && server["restarts"] == 1)
        })
        .await;
    assert!(again["problem"].is_null(), "{again}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_longer_approved_is_not_started_again() {
    let profile = script_with(CRASHES, reconnecting());
    let door = profile.open_with(|setup| setup.pace = NEVER).await;
    door.begin_to_connect("script").await;
    waiting(&door, "script").await;
    std::fs::remove_file(profile.data().join("approvals.json")).unwrap();
    door.call("call_tool", json!({ "server": "script", "tool": "x", "arguments": "{}" })).await.unwrap_err();
    let server = given_up(&door, "script").await;
    assert_eq!(server["problem"]["code"], "approval-needed", "every try is approved, or is none: {server}");
    assert_eq!(starts(&profile), 1);
    door.close().await;
}
