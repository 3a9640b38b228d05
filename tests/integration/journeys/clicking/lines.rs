//! What a server says of its work, apart from everything else in the log.

use integration::Door;
use serde_json::{Value, json};
use sonde_app::ErrorCode;

use super::demo;

async fn lines(door: &Door, lines: Value) -> Vec<String> {
    let rows = door.rows(json!({ "server": "demo", "kind": null, "lines": lines })).await;
    rows.iter().map(|row| row["target"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_and_stderr_are_shown_together_or_apart_by_level_and_by_words() {
    let (_profile, door) = demo().await;
    door.ask("set_log_level", json!({ "server": "demo", "level": "debug" })).await;
    let long = format!("{}needle", "x".repeat(500));
    door.run_tool("demo", "log", json!({ "message": long })).await;
    door.run_tool("demo", "noise", json!({})).await;
    let both = json!({ "messages": true, "stderr": true, "level": null, "text": null });
    door.until("all lines", async || {
        let lines = lines(&door, both.clone()).await;
        (lines.len() >= 9).then_some(())
    })
    .await;
    let of = |messages: bool, stderr: bool, level: Value, text: Value| json!({ "messages": messages, "stderr": stderr, "level": level, "text": text });
    let messages = lines(&door, of(true, false, Value::Null, Value::Null)).await;
    assert_eq!(messages.len(), 8, "one of each level: {messages:?}");
    let grave = lines(&door, of(true, false, json!("error"), Value::Null)).await;
    assert_eq!(grave.len(), 4, "error, critical, alert, emergency: {grave:?}");
    assert!(grave.iter().all(|line| !line.starts_with("warning")), "{grave:?}");
    let stderr = lines(&door, of(false, true, json!("error"), Value::Null)).await;
    assert!(!stderr.is_empty() && stderr.iter().all(|line| !line.contains("log:")), "stderr has no level: {stderr:?}");
    assert_eq!(lines(&door, of(true, false, Value::Null, json!("NEEDLE"))).await.len(), 8, "beyond what a row shows");
    assert_eq!(lines(&door, of(true, true, Value::Null, json!("100%_no"))).await.len(), 0, "no wildcards");
    assert_eq!(lines(&door, of(false, false, Value::Null, Value::Null)).await.len(), 0);
    let wrong = json!({ "view": { "server": null, "kind": null, "lines": of(true, true, json!("loud"), Value::Null) },
                        "first": 0, "count": 1 });
    assert_eq!(door.call("query_log", wrong).await.unwrap_err().code, ErrorCode::InvalidRequest);
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_leads_to_the_call_that_ran_when_it_came() {
    let (_profile, door) = demo().await;
    door.ask("set_log_level", json!({ "server": "demo", "level": "debug" })).await;
    let slow = door.start_call("demo", "slow", json!({ "seconds": 600 })).await;
    door.run_tool("demo", "log", json!({ "message": "hello" })).await;
    door.ask("cancel_call", json!({ "call": slow["id"] })).await;
    door.until_ended(&slow).await;
    let line = |row: &Value| row["method"] == "notifications/message";
    let line = door.until_row("a line", json!({ "kind": "notification" }), line).await;
    let related = door
        .until("the call to be written as answered", async || {
            let related = door.ask("find_related", json!({ "seq": line["seq"] })).await;
            let tools: Vec<String> = related["rows"]
                .as_array()
                .expect("rows")
                .iter()
                .map(|row| row["target"].as_str().unwrap_or_default().to_owned())
                .collect();
            tools.contains(&"log".to_owned()).then_some(tools)
        })
        .await;
    assert!(!related.contains(&"add".to_owned()), "only what ran then: {related:?}");
    door.close().await;
}
