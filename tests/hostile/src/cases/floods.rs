//! J8 and J16: too many messages, and too large ones.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;

use super::has;
use super::pipes::limited;
use crate::figures::Outcome;
use crate::stage::{Plan, Stage};

/// How long a flood may take at the slowest.
const LONGEST: Duration = Duration::from_secs(300);

pub async fn messages(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    let floods = [
        ("log", plan.size(1_000_000, 4000), 1000),
        ("log", plan.size(500_000, 4000), 100),
        ("progress", plan.size(300_000, 2000), 0),
        ("stray", plan.size(100_000, 500), 0),
        ("back", plan.size(100_000, 500), 0),
    ];
    let mut sent = 0;
    for (kind, count, size) in floods {
        let begun = Instant::now();
        let call = stage.start("hostile", "go", json!({ "kind": kind, "count": count, "size": size })).await?;
        let call = stage.ended_within(LONGEST, &call).await?;
        ensure!(call["status"] == "ok", "the answer behind the flood arrives: {call}");
        let speed = count as f64 / begun.elapsed().as_secs_f64();
        stage.note(format!("{count} of `{kind}` ({size} B): {speed:.0}/s until the answer behind them"));
        sent += count;
    }
    stage.disconnect("hostile").await?;
    let mut found = 0;
    stage
        .scan(|row| {
            if row["server"] == "hostile" && row["kind"] == "notification" && row["dir"] == "in" {
                found += 1;
            }
        })
        .await?;
    ensure!(found == sent, "O5: {sent} notifications were sent, {found} are in the log");
    stage.conclude().await
}

pub async fn images(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![limited(&plan)]).await?;
    stage.connect("hostile").await?;
    for how in ["invalid", "padding", "lie"] {
        let call = stage.call("hostile", "go", json!({ "how": how })).await?;
        ensure!(call["status"] == "ok", "`{how}` is shown as it came: {call}");
        let (data, _) = crate::script::image(how);
        ensure!(call["result"]["text"].as_str().is_some_and(|text| text.contains(data)), "`{how}`: {call}");
    }
    let call = stage.call("hostile", "go", json!({ "bytes": plan.size(60_000_000, 1_500_000) })).await?;
    ensure!(call["status"] == "ok", "what fits into a line is taken: {}", call["status"]);
    ensure!(
        call["result"]["shown"].as_u64().is_some_and(|shown| shown <= 256 << 10),
        "and shown in parts: {}",
        call["result"]["shown"]
    );
    let size = plan.size(500 << 20, 3 << 20);
    let call =
        stage.start_limited("hostile", "go", json!({ "bytes": size }), Duration::from_secs(plan.size(20, 3))).await?;
    let line = stage
        .until_row("hostile", "the line that is too long", |row| row["kind"] == "unparsable" && has(row, "oversized"));
    let line = line.await?;
    ensure!(line["size"].as_u64().is_some_and(|told| told > size), "its whole length is told: {line}");
    let call = stage.ended(&call).await?;
    ensure!(call["status"] != "ok" && call["error"]["message"].is_string(), "the call fails clearly: {call}");
    stage.note(format!("an answer beyond the limit ends its call as {}", call["status"]));
    stage.still_answers("hostile").await?;
    stage.conclude().await
}
