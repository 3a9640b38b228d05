//! H1 to H5: bodies.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::has;
use super::remote::{ended_exchanges, exchanges_of, go, go_in_vain, go_well, limited, open};
use crate::figures::Outcome;
use crate::stage::{Plan, RemoteServer, Stage};

pub async fn endless(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, limited(&plan)).await?;
    stage.connect("hostile").await?;
    let bytes = plan.size(10_000_000_000, 8_000_000);
    for how in ["length", "chunked", "close"] {
        let begun = Instant::now();
        go_in_vain(&stage, json!({ "how": how, "bytes": bytes }), &["more than"]).await?;
        stage.note(format!("`{how}`: cut after {:.1} s", begun.elapsed().as_secs_f64()));
        stage.still_answers("hostile").await?;
    }
    // What still fits is taken as it is.
    go_well(&stage, json!({ "how": "length", "bytes": 1_000_000 })).await?;
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    let cut = rows.iter().filter(|row| has(row, "oversized")).count();
    ensure!(cut >= 3, "each has its beginning and its digest in the log: {cut}");
    stage.conclude().await
}

pub async fn endless_errors(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, json!({})).await?;
    stage.connect("hostile").await?;
    let bytes = plan.size(1_000_000_000, 2_000_000);
    for status in [400, 500] {
        let call = go(&stage, json!({ "how": "flood", "status": status, "bytes": bytes })).await?;
        let reason = call["error"].to_string();
        ensure!(call["status"] != "ok" && reason.contains(&status.to_string()), "the status is told: {call}");
        ensure!(reason.len() < 10_000, "in a few words: {} bytes", reason.len());
        let exchanges = ended_exchanges(&stage, &call).await?;
        let body = exchanges.first().and_then(|exchange| exchange["traffic"]["body"].as_u64());
        ensure!(body.is_some_and(|body| body <= 1 << 20), "little of it is read: {exchanges:?}");
        // One that begins and never goes on: the limit of the call ends it, however long a silence may last.
        let arguments = json!({ "how": "silence", "status": status });
        let begun = Instant::now();
        let call = stage.start_limited("hostile", "go", arguments, Duration::from_millis(500)).await?;
        let call = stage.ended(&call).await?;
        ensure!(call["status"] != "ok" && call["error"].is_object(), "a silence ends too: {call}");
        stage.within("a call without an end", begun.elapsed(), Duration::from_secs(3));
        stage.still_answers("hostile").await?;
    }
    stage.conclude().await
}

pub async fn wrong_lengths(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, json!({})).await?;
    stage.connect("hostile").await?;
    for how in ["short", "long", "negative", "text", "huge", "twice", "list", "with-chunks"] {
        let call = go(&stage, json!({ "how": how })).await?;
        ensure!(call["status"] != "running", "`{how}` ends: {call}");
        if call["status"] == "ok" {
            // Only where one of two lengths counts by the rules may it be an answer at all.
            ensure!(how == "with-chunks", "`{how}` is no answer: {call}");
        } else {
            ensure!(call["error"]["message"].is_string(), "`{how}`: the reason is told: {call}");
        }
        stage.note(format!("{how}: {}", call["error"]["message"].as_str().unwrap_or("answered")));
        ensure!(!call.to_string().contains("smuggled"), "`{how}`: nothing stands behind an answer: {call}");
        // On the same connection or another, what comes next is its own answer.
        for _ in 0..3 {
            stage.still_answers("hostile").await?;
        }
    }
    ensure!(super::remote::asked(&stage, "go")? == 8, "none of them was sent twice");
    stage.conclude().await
}

pub async fn slow(plan: Plan) -> Result<Outcome> {
    let server = RemoteServer::start(&plan)?;
    let entries = vec![
        plan.remote("hostile", &server.url("hostile")?),
        plan.remote("slow", &server.url("slow")?).told(json!({ "connectTimeout": "500ms" })),
    ];
    let stage = Stage::open_remote(&plan, server, entries).await?;
    stage.connect("hostile").await?;
    for how in ["header", "body"] {
        let arguments = json!({ "how": how, "gap_ms": 100 });
        let begun = Instant::now();
        let call = stage.start_limited("hostile", "go", arguments, Duration::from_millis(700)).await?;
        let waiting = stage
            .until("the exchange that waits", async || {
                let first = exchanges_of(&stage, &call).await?.into_iter().next();
                Ok(first.filter(|exchange| (how == "header") == exchange["status"].is_null()))
            })
            .await?;
        ensure!(waiting["phases_ms"]["body"].is_null(), "what it waits for can be seen: {waiting}");
        let call = stage.ended(&call).await?;
        ensure!(call["status"] == "timeout", "`{how}` is given up in time: {call}");
        stage.within(how, begun.elapsed(), Duration::from_secs(3));
        stage.still_answers("hostile").await?;
    }
    let problem = stage.connect_in_vain("slow").await?;
    ensure!(problem["message"].is_string() && problem["hint"].is_string(), "a handshake, too: {problem}");
    stage.conclude().await
}

pub async fn bombs(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, json!({})).await?;
    stage.connect("hostile").await?;
    let bytes = plan.size(10_000_000_000, 64_000_000);
    for how in ["gzip", "br", "zstd", "deflate"] {
        let arguments = json!({ "how": how, "bytes": bytes });
        let call = go(&stage, arguments).await?;
        ensure!(call["error"].to_string().contains("compressed"), "`{how}` is seen to be a bomb: {call}");
        let exchanges = ended_exchanges(&stage, &call).await?;
        let traffic = exchanges.first().map(|exchange| exchange["traffic"].clone()).context("it was recorded")?;
        let unpacked = traffic["body"].as_u64().unwrap_or(u64::MAX);
        ensure!(unpacked <= 8 << 20, "`{how}` was not unpacked to its end: {traffic}");
        ensure!(traffic["compressed"].as_u64().is_some_and(|packed| packed > 0), "`{how}`: both sizes: {traffic}");
        stage.note(format!("{how}: stopped at {unpacked} bytes of {}", traffic["compressed"]));
    }
    for how in ["nested", "unknown"] {
        go_in_vain(&stage, json!({ "how": how, "bytes": bytes }), &["encoded"]).await?;
    }
    go_in_vain(&stage, json!({ "how": "lie" }), &["decompress", "encoded"]).await?;
    // Nobody asked for it, but it can be read.
    let good = go(&stage, json!({ "how": "good" })).await?;
    stage.note(format!("a good answer in gzip that nobody asked for: {}", good["status"]));
    stage.still_answers("hostile").await?;
    refuse_nothing(&stage).await?;
    stage.conclude().await
}

/// That the connection is as good as before.
async fn refuse_nothing(stage: &Stage) -> Result<()> {
    let server: Value = stage.server("hostile").await?;
    ensure!(server["state"] == "ready", "the connection goes on: {server}");
    Ok(())
}
