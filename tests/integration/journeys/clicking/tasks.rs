//! Tasks of a server: begun by a call, listed, awaited, cancelled.

use integration::{Door, Profile};
use serde_json::{Value, json};

use super::demo;

async fn begin(door: &Door, arguments: Value) -> Value {
    let request = json!({
        "server": "demo", "tool": "research", "arguments": arguments.to_string(), "task": { "ttl_ms": 60_000 },
    });
    door.ask("call_tool", request).await
}

async fn until_task(door: &Door, call: &Value) -> Value {
    door.until("the task", async || {
        let call = door.ask("read_call", json!({ "call": call["id"] })).await;
        (!call["task"].is_null()).then_some(call["task"].clone())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_becomes_a_task_ends_with_the_result_of_the_task() {
    let (_profile, door) = demo().await;
    let call = begin(&door, json!({ "subject": "moss", "seconds": 0.4 })).await;
    let task = until_task(&door, &call).await;
    let list = door.ask("list_tasks", json!({ "server": "demo" })).await;
    assert!(
        list["tasks"].as_array().expect("a list").iter().any(|listed| listed["id"] == task["id"]),
        "the server lists it: {list}"
    );
    let ended = door.until_ended(&call).await;
    assert_eq!(ended["status"], "ok", "{ended}");
    assert!(ended["result"]["text"].as_str().is_some_and(|text| text.contains("about moss")), "{ended}");
    let again = door.ask("await_task", json!({ "server": "demo", "task": task["id"] })).await;
    let again = door.until_ended(&again).await;
    assert!(again["result"]["text"].as_str().is_some_and(|text| text.contains("about moss")), "{again}");
    let kept = json!({ "server": "demo", "method": "tasks/result", "target": task["id"] });
    assert_eq!(door.ask("list_calls", kept).await["calls"][0]["id"], again["id"], "found again by the task");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_the_call_cancels_the_task_and_cancelling_the_task_ends_the_call() {
    let (_profile, door) = demo().await;
    let first = begin(&door, json!({ "subject": "one", "seconds": 600 })).await;
    until_task(&door, &first).await;
    door.ask("cancel_call", json!({ "call": first["id"] })).await;
    assert_eq!(door.until_ended(&first).await["status"], "cancelled");
    let second = begin(&door, json!({ "subject": "two", "seconds": 600 })).await;
    let task = until_task(&door, &second).await;
    door.ask("cancel_task", json!({ "server": "demo", "task": task["id"] })).await;
    assert_eq!(door.until_ended(&second).await["status"], "cancelled");
    let list = door.ask("list_tasks", json!({ "server": "demo" })).await;
    let states: Vec<&Value> = list["tasks"].as_array().expect("a list").iter().map(|task| &task["status"]).collect();
    assert_eq!(states, [&json!("cancelled"), &json!("cancelled")]);
    door.call("cancel_task", json!({ "server": "demo", "task": "no such task" })).await.unwrap_err();
    door.close().await;
}

/// A server that never ends a task, and does not cancel one either.
const ENDLESS: &str = r#"read -r line
printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"x","version":"1"}}}'
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
    *tools/list*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}]}}\n' "$id" ;;
    *tools/call*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"plain"}],"task":{"taskId":"T","status":"working","ttl":null,"createdAt":"x","lastUpdatedAt":"x"}}}\n' "$id" ;;
    *tasks/get*) printf '{"jsonrpc":"2.0","id":%s,"result":{"taskId":"T","status":"working","ttl":null,"createdAt":"x","lastUpdatedAt":"x"}}\n' "$id" ;;
    *tasks/cancel*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no"}}\n' "$id" ;;
  esac
done
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_never_ends_is_left_when_the_person_or_the_time_says_so() {
    let profile = Profile::default().with_script("s", ENDLESS);
    let door = profile.open().await;
    door.connect("s").await;
    let call = |more: Value| {
        let mut request = json!({ "server": "s", "tool": "t", "arguments": "{}" });
        request.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        request
    };
    let cancelled = door.ask("call_tool", call(json!({ "task": { "ttl_ms": null } }))).await;
    until_task(&door, &cancelled).await;
    door.ask("cancel_call", json!({ "call": cancelled["id"] })).await;
    assert_eq!(door.until_ended(&cancelled).await["status"], "cancelled", "though the server refuses to cancel it");
    let late = door.ask("call_tool", call(json!({ "task": { "ttl_ms": null }, "timeout_ms": 300 }))).await;
    assert_eq!(door.until_ended(&late).await["status"], "timeout");
    let plain = door.ask("call_tool", call(json!({}))).await;
    let plain = door.until_ended(&plain).await;
    assert_eq!(plain["status"], "ok", "nobody asked for a task: {plain}");
    assert!(plain["result"]["text"].as_str().is_some_and(|text| text.contains("plain")), "what it brought is shown");
    door.close().await;
}
