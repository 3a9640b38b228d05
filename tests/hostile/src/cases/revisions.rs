//! P1, P2 and P4: handshakes.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{fact, has};
use crate::figures::Outcome;
use crate::processes::tagged;
use crate::stage::{Plan, Stage};

pub async fn odd_versions(plan: Plan) -> Result<Outcome> {
    let strange = ["1999-01-01", "2099-01-01", "2026-07-28", "empty", "long", "2025-11-25 ", "DRAFT"];
    let mut entries: Vec<_> =
        (0..).zip(strange).map(|(number, version): (u32, _)| plan.variant(&format!("v{number}"), version)).collect();
    entries.push(plan.variant("old", "2024-11-05"));
    let stage = Stage::open(&plan, entries).await?;
    for (number, version) in strange.iter().enumerate() {
        let problem = stage.connect_in_vain(&format!("v{number}")).await?;
        ensure!(problem["code"] == "handshake-failed", "`{version}`: {problem}");
        let message = problem["message"].as_str().unwrap_or_default();
        ensure!(message.len() < 5000, "`{version}`: a person is told {} bytes", message.len());
        if !matches!(*version, "empty" | "long") {
            ensure!(message.contains(version), "what the server speaks is told: {problem}");
        }
        ensure!(
            fact(&problem, "we speak").is_some_and(|ours| ours.contains("2025-11-25")),
            "and what we do: {problem}"
        );
    }
    ensure!(tagged(&stage.tag()).is_empty(), "O7: what was refused does not go on running");
    ensure!(stage.connect("old").await?["revision"] == "2024-11-05", "an older one that we speak is spoken");
    stage.conclude().await
}

pub async fn late_answers(plan: Plan) -> Result<Outcome> {
    let told = json!({ "connectTimeout": "1s" });
    let entries = ["never", "late"].map(|id| plan.variant(id, id).told(told.clone()));
    let stage = Stage::open(&plan, entries.into()).await?;
    for id in ["never", "late"] {
        let problem = stage.connect_in_vain(id).await?;
        let message = problem["message"].as_str().unwrap_or_default();
        ensure!(message.contains("did not answer `initialize` within 1 s"), "`{id}`: {problem}");
        ensure!(tagged(&stage.tag()).is_empty(), "O7: `{id}` was given up and does not go on running");
        let rows = stage.rows(id).await?;
        let row = rows.iter().find(|row| row["method"] == "initialize").context("the request is in the log")?;
        let wanted = if id == "late" { "late" } else { "timeout" };
        ensure!(row["status"] == wanted, "`{id}`: the log tells how it ended: {row}");
        ensure!(!rows.iter().any(|row| row["method"] == "notifications/cancelled"), "`initialize` is never cancelled");
    }
    stage.conclude().await
}

pub async fn lies(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.begin("hostile").await?;
    stage.until_server("hostile", &["ready"]).await?;
    // A person may ask for what was never declared, and sees what comes.
    let call = stage.send("hostile", "tools/list", json!({})).await?;
    let call = stage.ended(&call).await?;
    ensure!(call["status"] == "ok", "the list is there, whatever was declared: {call}");
    stage.still_answers("hostile").await?;
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    for list in ["tools", "resources", "prompts"] {
        let method = format!("notifications/{list}/list_changed");
        let row = rows.iter().find(|row| row["method"] == *method).with_context(|| format!("`{method}` is shown"))?;
        ensure!(row["findings"] != json!([]), "that `{list}` were never declared is told: {row}");
    }
    let undeclared = |row: &&Value| row["method"] == "tools/list" && row["findings"] != json!([]);
    ensure!(rows.iter().any(|row| undeclared(&row)), "and that we asked for a list that was not");
    stage.note(format!("told as {}", rows.iter().filter(|row| has(row, "undeclared")).count()));
    stage.conclude().await
}
