//! P6 to P9: giving up, going away, and time.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::trees::Victim;
use crate::figures::Outcome;
use crate::processes::tagged;
use crate::stage::{Plan, Stage, prepare};

pub async fn cancellations(plan: Plan) -> Result<Outcome> {
    let capabilities = json!({ "elicitation": { "form": {} } });
    let stage = Stage::open(&plan, vec![plan.server().told(json!({ "capabilities": capabilities }))]).await?;
    stage.connect("hostile").await?;

    let sent = stage.start("hostile", "hold", json!({})).await?;
    let is_sent = |row: &Value| row["id"] == sent["request_id"] && row["method"] == "tools/call";
    stage.until_row("hostile", "the call on the wire", is_sent).await?;
    cancelled(&stage, "sent", &sent).await?;

    let moving = stage.start("hostile", "go", json!({ "how": "progress" })).await?;
    stage
        .until("the first progress", async || {
            let call = stage.ask("read_call", json!({ "call": moving["id"] })).await?;
            Ok(call["progress"].is_object().then_some(()))
        })
        .await?;
    cancelled(&stage, "streaming", &moving).await?;

    let asking = stage.start("hostile", "go", json!({ "how": "question" })).await?;
    stage
        .until("the question", async || {
            let waiting = stage.ask("list_questions", json!({})).await?;
            Ok((waiting["questions"].as_array().map_or(0, Vec::len) == 1).then_some(()))
        })
        .await?;
    cancelled(&stage, "with a question open", &asking).await?;

    // From here on the server does not read, so what is sent stays queued.
    let deaf = stage.start("hostile", "go", json!({ "how": "deaf" })).await?;
    let large = json!({ "text": "x".repeat(600_000) });
    let mut queued = Vec::new();
    for _ in 0..3 {
        queued.push(stage.start("hostile", "echo", large.clone()).await?);
    }
    for call in queued.iter().chain([&deaf]) {
        cancelled(&stage, "queued", call).await?;
    }
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    for call in [&sent, &moving, &asking] {
        let row = rows.iter().find(|row| row["id"] == call["request_id"] && row["method"] == "tools/call");
        let row = row.context("each call has its row")?;
        ensure!(row["status"] == "cancelled", "the log tells it: {row}");
    }
    let told = rows.iter().filter(|row| row["method"] == "notifications/cancelled" && row["dir"] == "out").count();
    ensure!(told >= 3, "the server is told of what it knows: {told}");
    stage.conclude().await
}

/// Cancels the call; it must be over at once.
async fn cancelled(stage: &Stage, phase: &str, call: &Value) -> Result<()> {
    let begun = Instant::now();
    stage.ask("cancel_call", json!({ "call": call["id"] })).await?;
    let call = stage.ended(call).await?;
    ensure!(call["status"] == "cancelled", "cancelled while {phase}: {call}");
    stage.within(&format!("a cancellation while {phase}"), begun.elapsed(), Duration::from_secs(1));
    Ok(())
}

pub async fn disconnects(plan: Plan) -> Result<Outcome> {
    const LANES: u64 = 8;
    let capabilities = json!({ "capabilities": { "elicitation": { "form": {} } } });
    let entries = (0..LANES)
        .map(|lane| {
            let mut entry = plan.variant(&format!("lane{lane}"), "").told(capabilities.clone());
            entry.seed = plan.seed * LANES + lane;
            entry
        })
        .collect();
    let stage = Stage::open(&plan, entries).await?;
    let rounds = plan.size(125, 5);
    let lanes: Vec<_> = (0..LANES)
        .map(|lane| {
            let stage = &stage;
            let chance = fastrand::Rng::with_seed(plan.seed * LANES + lane);
            async move { run_lane(stage, &format!("lane{lane}"), rounds, chance).await }
        })
        .collect();
    for end in all(lanes).await {
        end?;
    }
    stage.note(format!("{} disconnects", rounds * LANES));
    stage.conclude().await
}

/// Connects and disconnects, at a moment that chance chooses.
async fn run_lane(stage: &Stage, id: &str, rounds: u64, mut chance: fastrand::Rng) -> Result<()> {
    for _ in 0..rounds {
        stage.begin(id).await?;
        match chance.u32(0..4) {
            0 => {}
            1 => tokio::time::sleep(Duration::from_micros(chance.u64(0..60_000))).await,
            _ => {
                let server = stage.until_server(id, &["ready", "failed", "stopped"]).await?;
                if server["state"] == "ready" {
                    for tool in ["echo", "hold", "go"].iter().take(chance.usize(0..4)) {
                        // It may be gone by now, and that is one of the phases.
                        stage.start(id, tool, json!({ "text": "x" })).await.ok();
                    }
                    tokio::time::sleep(Duration::from_micros(chance.u64(0..20_000))).await;
                }
            }
        }
        stage.disconnect(id).await?;
    }
    Ok(())
}

/// All of them at the same time, on this thread.
async fn all<T>(futures: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut futures: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(move |context| {
        let mut pending = false;
        for (future, done) in futures.iter_mut().filter(|(_, done)| done.is_none()) {
            match future.as_mut().poll(context) {
                std::task::Poll::Ready(value) => *done = Some(value),
                std::task::Poll::Pending => pending = true,
            }
        }
        match pending {
            true => std::task::Poll::Pending,
            false => std::task::Poll::Ready(futures.iter_mut().filter_map(|(_, done)| done.take()).collect()),
        }
    })
    .await
}

pub async fn sleep(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, Vec::new()).await?;
    let folder = tempfile::tempdir()?;
    prepare(&plan, &[plan.server()], folder.path())?;
    let tag = folder.path().display().to_string();
    let mut victim = Victim::start(folder.path())?;
    victim.order("call")?;
    ensure!(victim.answer()? == "ok", "it works before it sleeps");
    let awake = tagged(&tag);
    for _ in 0..plan.size(3, 1) {
        victim.signal(Signal::STOP)?;
        tokio::time::sleep(Duration::from_millis(plan.size(5000, 500))).await;
        victim.signal(Signal::CONT)?;
        victim.order("call")?;
        ensure!(victim.answer()? == "ok", "it works when it has slept");
    }
    ensure!(tagged(&tag) == awake, "nothing was started again, and nothing was lost");
    victim.end("kill")?;
    let end = Instant::now() + crate::stage::LIMIT;
    while !tagged(&tag).is_empty() {
        ensure!(Instant::now() < end, "O7: what slept still runs");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stage.conclude().await
}

pub async fn progress_for_ever(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    let params = json!({ "name": "go", "arguments": { "steps": 100 } }).to_string();
    let limits = json!({ "params": params, "timeout_ms": 4000, "silence_ms": 2000 });
    let begun = Instant::now();
    let call = stage.send("hostile", "tools/call", limits).await?;
    let call = stage.ended(&call).await?;
    stage.within("a call whose progress never stops", begun.elapsed(), Duration::from_secs(6));
    ensure!(call["status"] == "timeout", "the absolute limit still holds: {call}");
    ensure!(call["progress"].is_object(), "though there was progress all the time: {call}");
    stage.conclude().await
}
