//! What a person keeps: calls with a name, the arguments last sent, variables; and one call many times.

use integration::Profile;
use serde_json::{Value, json};
use sonde_app::ErrorCode;

use super::demo;

#[tokio::test(flavor = "multi_thread")]
async fn saved_calls_and_variables_are_there_after_a_restart() {
    let profile = Profile::default();
    let door = profile.open().await;
    let save = |name: &str, arguments: &str| json!({ "server": "demo", "method": "tools/call", "target": "add", "name": name, "arguments": arguments });
    let first = door.ask("save_call", save("two and three", r#"{"a":2,"b":3}"#)).await;
    let again = door.ask("save_call", save(" two and three ", r#"{"a":2,"b":4}"#)).await;
    assert_eq!(first["id"], again["id"], "one of the same name is replaced");
    assert_eq!(door.call("save_call", save("", "{}")).await.unwrap_err().code, ErrorCode::InvalidRequest);
    assert_eq!(door.call("save_call", save("x", "{")).await.unwrap_err().code, ErrorCode::InvalidRequest);
    door.ask("set_variable", json!({ "name": "city", "value": "Oslo" })).await;
    assert_eq!(
        door.call("set_variable", json!({ "name": "a b", "value": "x" })).await.unwrap_err().code,
        ErrorCode::InvalidRequest
    );
    door.close().await;

    let door = profile.open().await;
    let saved = door.ask("list_saved_calls", json!({})).await;
    assert_eq!(saved["calls"].as_array().map(Vec::len), Some(1), "{saved}");
    assert_eq!(
        (&saved["calls"][0]["name"], &saved["calls"][0]["arguments"]),
        (&json!("two and three"), &json!(r#"{"a":2,"b":4}"#))
    );
    assert_eq!(door.ask("list_variables", json!({})).await["variables"], json!([{ "name": "city", "value": "Oslo" }]));
    door.ask("remove_saved_call", json!({ "id": first["id"] })).await;
    door.ask("set_variable", json!({ "name": "city", "value": null })).await;
    assert_eq!(door.ask("list_saved_calls", json!({})).await["calls"], json!([]));
    assert_eq!(door.ask("list_variables", json!({})).await["variables"], json!([]));
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_arguments_last_sent_are_remembered_but_never_with_a_secret_in_them() {
    let entry = json!({
        "command": integration::binary("sonde-demo"), "env": { "API_TOKEN": "t0k3n-of-great-worth" },
    });
    let profile = Profile::default().with_entry("s", entry);
    let door = profile.open().await;
    door.connect("s").await;
    let about = |tool: &str| json!({ "server": "s", "method": "tools/call", "target": tool });
    assert_eq!(door.ask("recall_arguments", about("add")).await["arguments"], Value::Null);
    door.run_tool("s", "add", json!({ "a": 20, "b": 22 })).await;
    let recalled = door
        .until("the arguments to be written", async || {
            // Nothing tells of it: a call does.
            door.run_tool("s", "echo", json!({ "text": "again" })).await;
            let recalled = door.ask("recall_arguments", about("add")).await;
            recalled["arguments"].as_str().map(str::to_owned)
        })
        .await;
    assert_eq!(serde_json::from_str::<Value>(&recalled).ok(), Some(json!({ "a": 20, "b": 22 })));
    door.run_tool("s", "echo", json!({ "text": "it is t0k3n-of-great-worth" })).await;
    door.run_tool("s", "add", json!({ "a": 1, "b": 1 })).await;
    door.until("what came later to be written", async || {
        door.run_tool("s", "structure", json!({})).await;
        let newest = door.ask("recall_arguments", about("add")).await;
        newest["arguments"].as_str().is_some_and(|text| text.contains('1')).then_some(())
    })
    .await;
    let echo = door.ask("recall_arguments", about("echo")).await;
    assert!(!echo.to_string().contains("t0k3n"), "{echo}");
    let save = json!({ "server": "s", "method": "tools/call", "target": "echo", "name": "x",
                       "arguments": r#"{"text":"t0k3n-of-great-worth"}"# });
    assert_eq!(door.call("save_call", save).await.unwrap_err().code, ErrorCode::InvalidRequest);
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_repeated_and_its_figures_are_told() {
    let (_profile, door) = demo().await;
    let run = json!({ "server": "demo", "tool": "add", "arguments": r#"{"a":1,"b":2}"#, "times": 200, "at_once": 8 });
    let begun = door.ask("repeat_tool", run).await;
    let ended = door
        .until("the run to end", async || {
            let run = door.ask("read_repeat", json!({ "repeat": begun["id"] })).await;
            (run["running"] == false).then_some(run)
        })
        .await;
    assert_eq!((&ended["done"], &ended["tool_errors"], &ended["unanswered"]), (&json!(200), &json!(0), &json!(0)));
    let figure = |name: &str| ended[name].as_f64().unwrap_or_default();
    assert!(figure("shortest_ms") <= figure("p50_ms") && figure("p50_ms") <= figure("p99_ms"), "{ended}");
    let failing = json!({ "server": "demo", "tool": "fail", "arguments": "{}", "times": 3, "at_once": 1 });
    let failing = door.ask("repeat_tool", failing).await;
    let failed = door
        .until("the failing run to end", async || {
            let run = door.ask("read_repeat", json!({ "repeat": failing["id"] })).await;
            (run["running"] == false).then_some(run)
        })
        .await;
    assert_eq!(failed["tool_errors"], 3, "{failed}");
    for (times, at_once) in [(0, 1), (1, 0), (100_001, 1), (1, 101)] {
        let wrong = json!({ "server": "demo", "tool": "add", "arguments": "{}", "times": times, "at_once": at_once });
        assert_eq!(door.call("repeat_tool", wrong).await.unwrap_err().code, ErrorCode::InvalidRequest);
    }
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_stopped_begins_nothing_more() {
    let (_profile, door) = demo().await;
    let run =
        json!({ "server": "demo", "tool": "slow", "arguments": r#"{"seconds":0.1}"#, "times": 100_000, "at_once": 2 });
    let begun = door.ask("repeat_tool", run).await;
    door.ask("cancel_repeat", json!({ "repeat": begun["id"] })).await;
    let ended = door
        .until("the run to end", async || {
            let run = door.ask("read_repeat", json!({ "repeat": begun["id"] })).await;
            (run["running"] == false).then_some(run)
        })
        .await;
    assert!(ended["done"].as_u64().is_some_and(|done| done <= 4), "{ended}");
    door.close().await;
}
