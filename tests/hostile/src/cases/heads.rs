//! H6 to H8, H12 and H17: headers, statuses, types, sessions.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::has;
use super::remote::{asked, ended_exchanges, go, go_in_vain, go_well, open, open_forms};
use crate::figures::Outcome;
use crate::stage::{Plan, Stage};

pub async fn odd_headers(plan: Plan) -> Result<Outcome> {
    let stage = open_forms(&plan, &["hostile", "twice"], json!({})).await?;
    stage.connect("hostile").await?;
    for (how, count) in [("many", 10_000), ("large", plan.size(10 << 20, 1 << 20)), ("cr", 0), ("nul", 0), ("name", 0)]
    {
        go_in_vain(&stage, json!({ "how": how, "count": count }), &["header", "head"]).await?;
        stage.still_answers("hostile").await?;
    }
    for how in ["lf", "order"] {
        let call = go(&stage, json!({ "how": how })).await?;
        ensure!(call["status"] == "ok" || call["error"]["message"].is_string(), "`{how}` has an end: {call}");
        stage.note(format!("{how}: {}", call["status"]));
    }
    // 64 KiB are the limit, though the library would take more.
    go_in_vain(&stage, json!({ "how": "large", "count": 100_000 }), &["header"]).await?;
    let problem = stage.connect_in_vain("twice").await?;
    ensure!(problem.to_string().contains("session"), "two sessions at once are none: {problem}");
    let sent = stage.remote()?.requests(|request| header(request, "mcp-session-id").contains("of-two"))?;
    ensure!(sent.is_empty(), "and neither is sent back: {sent:?}");
    stage.conclude().await
}

pub async fn too_busy(plan: Plan) -> Result<Outcome> {
    let stage = open_forms(&plan, &["hostile", "busy", "patient"], json!({})).await?;
    stage.connect("hostile").await?;
    let dates = ["1", "Fri, 31 Dec 2100 23:59:59 GMT", "-1", "1000000000000", "1|2", ""];
    for (number, after) in dates.iter().enumerate() {
        for status in [429, 503] {
            let call = go(&stage, json!({ "status": status, "after": after })).await?;
            let reason = call["error"].to_string();
            ensure!(call["status"] != "ok" && reason.contains(&status.to_string()), "the status is told: {call}");
            let exchanges = ended_exchanges(&stage, &call).await?;
            let shown = exchanges.iter().map(Value::to_string).collect::<String>();
            ensure!(after.split('|').all(|value| shown.contains(value)), "`{after}` is shown: {shown}");
        }
        ensure!(asked(&stage, "go")? == 2 * (number + 1), "a call that may run twice is never sent twice");
    }
    // A list may be asked for again, and it is.
    stage.connect("busy").await?;
    let lists = stage.remote()?.requests(|request| is_of(request, "busy") && request["rpc"] == "tools/list")?;
    ensure!(lists.len() == 3, "two refusals and the list: {}", lists.len());
    // A server may ask for a pause, but not for ever, and nobody has to wait for its end.
    stage.begin("patient").await?;
    let mark = stage.until_row("patient", "the pause", |row| target(row).contains("again in")).await?;
    ensure!(target(&mark).contains("60.0 s"), "a minute at most: {mark}");
    let took = stage.disconnect("patient").await?;
    stage.within("a disconnect within the pause", took, Duration::from_secs(6));
    stage.conclude().await
}

pub async fn lost_sessions(plan: Plan) -> Result<Outcome> {
    let stage = open_forms(&plan, &["hostile", "loop"], json!({})).await?;
    stage.connect("hostile").await?;
    let held = stage.start("hostile", "hold", json!({})).await?;
    stage
        .remote()?
        .until("the call that is held", |diary| diary.iter().find(|entry| entry["tool"] == "hold").cloned())
        .await?;
    go_well(&stage, json!({})).await?;
    let lost = stage.call("hostile", "echo", json!({ "text": "in the old session" })).await?;
    ensure!(lost["status"] != "ok", "the session is gone, and the call with it: {lost}");
    ensure!(lost["error"].to_string().contains("session"), "that is told: {lost}");
    let held = stage.ended(&held).await?;
    ensure!(held["status"] != "ok", "what was under way ends with the session: {held}");
    stage
        .until("the new session", async || {
            let begun =
                stage.remote()?.requests(|request| is_of(request, "hostile") && request["rpc"] == "initialize")?;
            let server = stage.server("hostile").await?;
            Ok((begun.len() == 2 && server["state"] == "ready" && server["tool_count"].is_u64()).then_some(()))
        })
        .await?;
    stage.still_answers("hostile").await?;
    let begun = stage.remote()?.requests(|request| is_of(request, "hostile") && request["rpc"] == "initialize")?;
    ensure!(begun.iter().all(|request| header(request, "mcp-session-id").is_empty()), "without the old session");
    ensure!(asked(&stage, "hold")? == 1 && asked(&stage, "echo")? == 2, "and nothing of the old one is sent again");
    let told = |row: &Value| row["kind"] == "mark" && target(row).contains("session");
    stage.until_row("hostile", "the mark that tells of it", told).await?;

    stage.begin("loop").await?;
    stage.until_server("loop", &["failed"]).await?;
    let begun = stage.remote()?.requests(|request| is_of(request, "loop") && request["rpc"] == "initialize")?;
    ensure!((1..=4).contains(&begun.len()), "after three new sessions it is enough: {}", begun.len());
    stage.note(format!("a server that forgets every session is asked {} times", begun.len()));
    stage.conclude().await
}

pub async fn wrong_types(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, json!({})).await?;
    stage.connect("hostile").await?;
    let reason = go_in_vain(&stage, json!({ "how": "page" }), &["text/html"]).await?;
    ensure!(reason.contains("who are you?"), "the beginning of the page is shown: {reason}");
    for (how, words) in [
        ("empty", ["without a body", "empty"]),
        ("bare", ["without a body", "empty"]),
        ("not-json", ["not the answer", "JSON"]),
        ("not-events", ["ended without the answer", "stream"]),
    ] {
        let reason = go_in_vain(&stage, json!({ "how": how }), &words).await?;
        ensure!(reason.len() < 8000, "`{how}`: in a few words: {} bytes", reason.len());
        stage.still_answers("hostile").await?;
    }
    // What can be read all the same is read, and what is wrong with it is told.
    let mut odd = Vec::new();
    for how in ["wrong", "broken", "none", "twice"] {
        let call = go(&stage, json!({ "how": how })).await?;
        ensure!(call["status"] == "ok" || call["error"]["message"].is_string(), "`{how}` has an end: {call}");
        stage.note(format!("{how}: {}", call["status"]));
        odd.push((how, call));
    }
    go_well(&stage, json!({ "how": "charset" })).await?;
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    for (how, call) in odd.iter().filter(|(_, call)| call["status"] == "ok") {
        let row = rows.iter().find(|row| row["id"] == call["request_id"] && row["method"] == "tools/call");
        let told = row.is_some_and(|row| has(row, "http-header") || has(row, "http-failed"));
        ensure!(told, "`{how}`: what is wrong with the type is a finding: {row:?}");
    }
    stage.conclude().await
}

pub async fn odd_sessions(plan: Plan) -> Result<Outcome> {
    let forms = ["spaces", "control", "tab", "long", "wide", "delete", "empty"];
    let stage = open_forms(&plan, &forms, json!({})).await?;
    for form in forms {
        let problem = stage.connect_in_vain(form).await?;
        let words = problem.to_string();
        ensure!(words.contains("session") || words.contains("header"), "`{form}`: the reason is told: {problem}");
        ensure!(words.len() < 8000, "`{form}`: in a few words: {} bytes", words.len());
        let after = stage.remote()?.requests(|request| is_of(request, form) && request["rpc"] != "initialize")?;
        ensure!(after.is_empty(), "`{form}`: nothing follows, and the id is never sent back: {after:?}");
    }
    rows_are_short(&stage).await?;
    stage.conclude().await
}

/// That no row tells more than a row has room for.
async fn rows_are_short(stage: &Stage) -> Result<()> {
    let mut longest = 0;
    stage.scan(|row| longest = longest.max(row.to_string().len())).await?;
    ensure!(longest < 20_000, "a row tells {longest} bytes");
    Ok(())
}

/// Whether a request is for this form of the server.
fn is_of(request: &Value, form: &str) -> bool {
    request["target"].as_str().is_some_and(|target| target.ends_with(&format!("/{form}")))
}

/// The value of a request's header; empty where it has none.
fn header(request: &Value, name: &str) -> String {
    let headers = request["headers"].as_array().into_iter().flatten();
    headers.filter(|header| header[0] == name).filter_map(|header| header[1].as_str()).collect()
}

fn target(row: &Value) -> &str {
    row["target"].as_str().unwrap_or_default()
}
