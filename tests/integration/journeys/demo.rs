//! The demo server, as a person uses it.

use integration::{LIMIT, Profile, within};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn connecting_lists_the_tools_and_records_the_handshake() {
    let profile = Profile::default();
    let door = profile.open().await;
    let server = door.connect("demo").await;
    assert_eq!(server["revision"], "2025-11-25", "the newest revision of both is agreed on");
    assert!(server["pid"].is_u64(), "a running server has a process");

    let tools = door.ask("list_tools", json!({ "server": "demo" })).await;
    let names: Vec<&str> = tools["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    for name in ["add", "echo", "fail", "flood", "noise", "slow"] {
        assert!(names.contains(&name), "`{name}` is among {names:?}");
    }
    let initialize = door
        .until_row("initialize", json!({}), |row| row["method"] == "initialize" && row["status"] != "pending")
        .await;
    assert_eq!(initialize["status"], "ok", "it was answered");
    let detail = door.row(&initialize).await;
    assert_eq!(detail["frames"].as_array().unwrap().len(), 2, "the request and its answer");
    assert_eq!(door.frame(&initialize, 0).await["params"]["clientInfo"]["name"], "sonde", "we say who we are");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn adding_two_numbers_gives_a_structured_sum_and_one_row() {
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    let call = door.run_tool("demo", "add", json!({ "a": 2, "b": 3 })).await;
    assert_eq!(call["status"], "ok", "adding works: {call}");
    let result: Value = serde_json::from_str(call["result"]["text"].as_str().unwrap()).unwrap();
    assert_eq!(result["structuredContent"]["sum"], 5, "2 and 3 make 5");
    assert_eq!(call["result"]["shown"], call["result"]["size"], "a short result is shown whole");

    let row = door
        .until_row("the exchange", json!({ "kind": "exchange" }), |row| {
            row["method"] == "tools/call" && row["status"] != "pending"
        })
        .await;
    assert_eq!((&row["status"], &row["target"]), (&json!("ok"), &json!("add")), "the log says what was called");
    assert_eq!(row["id"], call["request_id"], "call and row are found by the same id");
    assert!(row["dur_ms"].as_f64().unwrap() > 0.0, "an answered exchange has a duration");
    assert_eq!(door.frame(&row, 0).await["params"]["arguments"], json!({ "a": 2, "b": 3 }), "as it was typed");
    assert_eq!(door.frame(&row, 1).await["result"], result, "the log has the answer that the call shows");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_fails_is_a_tool_error_and_an_unknown_one_is_not_ok() {
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    let call = door.run_tool("demo", "fail", json!({ "message": "no such luck" })).await;
    assert_eq!(call["status"], "tool-error", "`isError` is the tool's failure, not the protocol's");
    assert!(call["result"]["text"].as_str().unwrap().contains("no such luck"), "the tool's own words are kept");
    let row = door.until_row("the failure", json!({}), |row| row["status"] == "tool-error").await;
    assert_eq!(row["target"], "fail", "the row names the tool");

    let stranger = door.run_tool("demo", "no-such-tool", json!({})).await;
    assert_eq!(stranger["status"], "protocol-error", "an unknown tool is refused by the server: {stranger}");
    let facts = stranger["error"]["context"].as_array().unwrap();
    let code = facts.iter().find(|fact| fact["name"] == "code").unwrap()["value"].as_str().unwrap();
    let code = code.parse::<i64>().unwrap();
    let row = door.until_row("the refusal", json!({}), |row| row["status"] == "protocol-error").await;
    assert_eq!(row["code"], code, "the code of the answer stands in call and row");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_call_reports_progress_and_can_be_cancelled() {
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    let call = door.start_call("demo", "slow", json!({ "seconds": 600, "steps": 1000 })).await;
    let progressed = door
        .until("progress", async || {
            let call = door.ask("read_call", json!({ "call": call["id"] })).await;
            call["progress"].is_object().then_some(call)
        })
        .await;
    assert_eq!(progressed["status"], "running", "progress is not the end");
    door.ask("cancel_call", json!({ "call": call["id"] })).await;
    let ended = door.until_ended(&call).await;
    assert_eq!(ended["status"], "cancelled", "the call says who ended it");
    assert_eq!(ended["error"]["code"], "cancelled", "and so does its error");

    let row = door
        .until_row("the cancelled exchange", json!({ "kind": "exchange" }), |row| {
            row["target"] == "slow" && row["status"] != "pending"
        })
        .await;
    assert!(row["status"] == "cancelled" || row["status"] == "late", "the log knows, too: {row}");
    let told = door.until_row("the notification", json!({}), |row| row["method"] == "notifications/cancelled").await;
    assert_eq!(told["dir"], "out", "it is we who cancel");
    let wire = door.frame(&told, 0).await;
    assert_eq!(wire["params"]["requestId"].to_string(), call["request_id"].as_str().unwrap(), "the id, verbatim");
    door.ask("cancel_call", json!({ "call": call["id"] })).await;
    let twice = door.rows(json!({ "kind": "notification" })).await;
    let count = twice.iter().filter(|row| row["method"] == "notifications/cancelled").count();
    assert_eq!(count, 1, "what was given up is not cancelled again");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn noise_on_stdout_and_stderr_is_recorded_as_what_it_is() {
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    let call = door.run_tool("demo", "noise", json!({ "lines": 3 })).await;
    assert_eq!(call["status"], "ok", "noise does not disturb the connection");
    door.disconnect("demo").await;
    let noise = door.rows(json!({ "kind": "unparsable" })).await;
    assert_eq!(noise.len(), 3, "every line on stdout that is no message");
    assert_eq!(noise[0]["target"], "Listening on stdio... (this line is not JSON)", "with its text");
    assert_eq!(noise[0]["findings"][0]["code"], "not-json", "and what is wrong with it");
    let stderr = door.rows(json!({ "kind": "stderr" })).await;
    let lines = stderr.iter().filter(|row| row["target"] == "noise: a line on stderr").count();
    assert_eq!(lines, 3, "every line on stderr");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_recorded_whole_in_order_and_found_again_after_a_restart() {
    const COUNT: usize = 20_000;
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    let call = door.run_tool("demo", "flood", json!({ "count": COUNT })).await;
    assert_eq!(call["status"], "ok", "the flood ends with an answer");
    door.disconnect("demo").await;
    let mut rows = door.rows(json!({ "kind": "notification" })).await;
    rows.retain(|row| row["method"] == "notifications/message");
    assert_eq!(rows.len(), COUNT, "none is lost and none is invented");
    for (number, row) in rows.iter().enumerate() {
        let wanted = format!(r#"{{"n":{number}"#);
        let target = row["target"].as_str().unwrap();
        assert!(target.contains(&wanted), "notification {number} stands in its place: {target}");
    }
    let all = door.rows(json!({})).await;
    let seqs: Vec<u64> = all.iter().filter_map(|row| row["seq"].as_u64()).collect();
    assert_eq!(seqs, (1..=all.len() as u64).collect::<Vec<_>>(), "numbers are dense");
    door.close().await;

    let again = profile.open().await;
    assert_eq!(again.rows(json!({})).await, all, "a restart finds the same rows");
    assert_eq!(again.server("demo").await["state"], "stopped", "and starts nothing by itself");
    again.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_new_means_no_answer() {
    let profile = Profile::default();
    let door = profile.open().await;
    let changes = door.ask("wait_changes", json!({ "since": 0 })).await;
    let idle = door.call("wait_changes", json!({ "since": changes["revision"] }));
    let early = tokio::time::timeout(std::time::Duration::from_millis(700), idle).await;
    assert!(early.is_err(), "an idle app wakes nobody");
    let waiting = door.clone();
    let since = changes["revision"].clone();
    let news = tokio::spawn(async move { waiting.ask("wait_changes", json!({ "since": since })).await });
    door.begin_to_connect("demo").await;
    let news = within(LIMIT, "news of a server", news).await.unwrap();
    assert!(news["revision"].as_u64() > changes["revision"].as_u64(), "and a change wakes whoever waits");
    door.close().await;
}
