//! E2, E6, E7, E11 and E12: streams that are taken up again, say things oddly or twice, say nothing, or are many.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};

use super::has;
use super::remote::{go, go_in_vain, open};
use crate::figures::Outcome;
use crate::processes;
use crate::script;
use crate::stage::{Plan, Stage, text_of};

pub async fn half_an_event(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, json!({})).await?;
    stage.connect("hostile").await?;
    let call = go(&stage, json!({ "how": "resume" })).await?;
    ensure!(call["status"] == "ok" && text_of(&call)? == "resumed", "the answer comes on the next stream: {call}");
    for how in ["lost", "cut"] {
        let reason = go_in_vain(&stage, json!({ "how": how }), &["stream", "connection"]).await?;
        stage.note(format!("{how}: {}", reason.chars().take(200).collect::<String>()));
    }
    stage.still_answers("hostile").await?;
    let sent = stage.remote()?.requests(|request| request["tool"] == "go")?;
    ensure!(sent.len() == 3, "none of them was sent twice: {}", sent.len());
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    let mut halves = 0;
    for row in rows.iter().filter(|row| row["dir"] == "in" && has(row, "unterminated")) {
        halves += usize::from(String::from_utf8_lossy(&stage.frame(row, 0).await?).contains("jsonrpc"));
    }
    ensure!(halves == 3, "what came of each answer is in the log: {halves}");
    stage.conclude().await
}

pub async fn odd_fields(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, json!({})).await?;
    stage.connect("hostile").await?;
    let call = go(&stage, json!({})).await?;
    ensure!(call["status"] == "ok", "the answer behind them arrives: {call}");
    let wanted: Vec<String> = script::odd_events().into_iter().map(|(_, data)| data).collect();
    let rows = stage
        .until("the last of them in the log", async || {
            let rows = stage.rows("hostile").await?;
            let told: Vec<Value> =
                rows.into_iter().filter(|row| row["kind"] == "notification" && row["dir"] == "in").collect();
            Ok((told.len() >= wanted.len()).then_some(told))
        })
        .await?;
    let mut found = Vec::new();
    for row in &rows {
        let frame: Value = serde_json::from_slice(&stage.frame(row, 0).await?)?;
        found.push(frame["params"]["data"].as_str().context("each has its data")?.to_owned());
    }
    ensure!(found == wanted, "every event is one message, in their order: {found:?}");
    // An id that is too long, or has a NUL in it, is none: the one before it still counts.
    let call = go(&stage, json!({ "how": "id", "bytes": plan.size(1 << 20, 4 << 10) })).await?;
    ensure!(call["status"] == "ok" && text_of(&call)? == "resumed", "it is taken up again: {call}");
    for request in stage.remote()?.noted("request")? {
        let ids = request["headers"].as_array().into_iter().flatten().filter(|header| header[0] == "last-event-id");
        for id in ids.filter_map(|header| header[1].as_str()) {
            ensure!(id.ends_with(".good"), "only the good one is sent back: {} bytes", id.len());
        }
    }
    stage.conclude().await
}

pub async fn twice(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, json!({})).await?;
    stage.connect("hostile").await?;
    until_listening(&stage).await?;
    let call = go(&stage, json!({ "how": "streams" })).await?;
    ensure!(call["status"] == "ok", "one of the two is the answer: {call}");
    let second = |row: &Value| row["kind"] == "orphan" && has(row, "duplicate-response");
    stage.until_row("hostile", "the second answer", second).await?;
    stage.until_row("hostile", "the answer in the wrong place", |row| has(row, "misplaced-response")).await?;
    let call = go(&stage, json!({ "how": "replay" })).await?;
    ensure!(call["status"] == "ok" && text_of(&call)? == "resumed", "and after a break too: {call}");
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    ensure!(rows.iter().any(|row| has(row, "reused-event-id")), "what was said before is seen to be");
    ensure!(rows.iter().filter(|row| second(row)).count() == 2, "and each second answer is one");
    stage.conclude().await
}

pub async fn kept_alive(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, json!({})).await?;
    stage.connect("hostile").await?;
    until_listening(&stage).await?;
    // One every fifteen seconds, for a day.
    let count = plan.size(5760, 2000);
    let call = stage.start("hostile", "go", json!({ "count": count })).await?;
    let call = stage.ended_within(Duration::from_secs(120), &call).await?;
    ensure!(call["status"] == "ok", "the server sent them all: {call}");
    stage
        .until_row("hostile", "what came behind them", |row| row["kind"] == "notification" && row["dir"] == "in")
        .await?;
    ensure!(stage.server("hostile").await?["state"] == "ready", "the connection stays");
    stage.still_answers("hostile").await?;
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    ensure!(rows.len() < 40, "comments are counted and not kept: {} rows", rows.len());
    let row =
        rows.iter().find(|row| row["kind"] == "http" && row["method"] == "GET").context("the stream has a row")?;
    let traffic = stage.row(row).await?["http"][0]["traffic"].clone();
    ensure!(traffic["comment_lines"] == count, "all {count} of them: {traffic}");
    stage.conclude().await
}

pub async fn parallel(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, json!({})).await?;
    stage.connect("hostile").await?;
    // Too little for all of them. Each that may be open at once may race with another that is being made for it.
    let before = getrlimit(Resource::Nofile);
    let idle = processes::targets().len() as u64;
    let room = idle + 600;
    setrlimit(Resource::Nofile, Rlimit { current: Some(room), maximum: before.maximum })?;
    let outcome = run_parallel(&stage).await;
    setrlimit(Resource::Nofile, before)?;
    let (most, descriptors) = outcome?;
    ensure!(most <= 256, "{most} were open at once");
    stage.note(format!("{most} streams at once, {descriptors} descriptors above idle, {room} allowed"));
    stage.conclude().await
}

/// The most streams that the server had open at once, and the most descriptors that we had more than before.
async fn run_parallel(stage: &Stage) -> Result<(i64, usize)> {
    let count = stage.plan.size(1000, 264);
    let idle = processes::targets().len();
    let mut descriptors = 0;
    let mut calls = Vec::new();
    for _ in 0..count {
        calls.push(stage.start("hostile", "go", json!({ "together": 256 })).await?);
    }
    for call in &calls {
        descriptors = descriptors.max(processes::targets().len().saturating_sub(idle));
        stage
            .until_within(Duration::from_secs(120), "the end of a call", async || {
                match stage.door.call("read_call", json!({ "call": call["id"] })).await {
                    Ok(call) => Ok((call["status"] != "running").then_some(())),
                    // It ended so long ago that it was forgotten; the log was not.
                    Err(_unknown) => Ok(Some(())),
                }
            })
            .await?;
    }
    let answered = |row: &Value| row["method"] == "tools/call" && row["target"] == "go" && row["status"] == "ok";
    stage
        .until("every answer in the log", async || {
            let (mut found, mut odd) = (0, None);
            stage
                .scan(|row| {
                    found += u64::from(answered(row));
                    let failed = row["target"] == "go" && !answered(row) && row["status"] != "pending";
                    odd = odd.take().or(failed.then(|| row.clone()));
                })
                .await?;
            ensure!(odd.is_none(), "each has its answer: {odd:?}");
            Ok((found == count).then_some(()))
        })
        .await?;
    let (mut open, mut most) = (0_i64, 0);
    for entry in stage.remote()?.diary()? {
        open += i64::from(entry["what"] == "opened") - i64::from(entry["what"] == "closing");
        most = most.max(open);
    }
    Ok((most, descriptors))
}

/// Waits until the server's own stream is open.
async fn until_listening(stage: &Stage) -> Result<()> {
    let is_stream = |entry: &&Value| entry["what"] == "request" && entry["method"] == "GET";
    stage.remote()?.until("the stream", |diary| diary.iter().find(is_stream).cloned()).await?;
    Ok(())
}
