//! J1 to J7 and J9 to J11: messages that are JSON, or nearly, and yet wrong.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::has;
use crate::figures::Outcome;
use crate::script;
use crate::stage::{Plan, Stage, text_of};

/// What a server that asks a person is told we can answer.
const ASKABLE: &str = r#"{"sampling":{},"elicitation":{"form":{}}}"#;

/// The case's server, to which we declare that a person can be asked.
fn asking(plan: &Plan) -> Result<crate::stage::Entry> {
    let capabilities: Value = serde_json::from_str(ASKABLE)?;
    Ok(plan.server().told(json!({ "capabilities": capabilities })))
}

pub async fn stray_answers(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    ensure!(stage.answer("hostile", "go", json!({})).await? == "gone", "the first answer is the one that counts");
    let slow = stage.start_limited("hostile", "hold", json!({}), Duration::from_secs(1)).await?;
    let unwanted = stage.start("hostile", "hold", json!({})).await?;
    ensure!(stage.ended(&slow).await?["status"] == "timeout", "a call is given up when its time is over");
    stage.ask("cancel_call", json!({ "call": unwanted["id"] })).await?;
    ensure!(stage.ended(&unwanted).await?["status"] == "cancelled", "or when a person says so");
    // Now both are answered after all.
    stage.answer("hostile", "release", json!({})).await?;
    for (call, status) in [(&slow, "timeout"), (&unwanted, "cancelled")] {
        let call = stage.ended(call).await?;
        ensure!(call["status"] == status, "a late answer changes nothing: {call}");
    }
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    let orphan = |code: &str| rows.iter().filter(|row| row["kind"] == "orphan" && has(row, code)).count();
    ensure!(orphan("unknown-id") == 1, "the answer to nobody's question is shown as that");
    ensure!(orphan("duplicate-response") == 1, "and the second answer as a second one");
    let told = rows.iter().filter(|row| row["method"] == "notifications/cancelled" && row["dir"] == "out").count();
    ensure!(told == 2, "the server was told of both: {told}");
    for call in [&slow, &unwanted] {
        let is_its_row = |row: &&Value| row["id"] == call["request_id"] && row["method"] == "tools/call";
        let row = rows.iter().find(is_its_row).context("each call has its row")?;
        ensure!(row["status"] == "late" && has(row, "late-response"), "its answer came late: {row}");
    }
    stage.conclude().await
}

pub async fn games_with_ids(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    let call = stage.start("hostile", "go", json!({})).await?;
    let others = script::other_ids(call["request_id"].as_str().context("a call has an id")?);
    let orphans = stage
        .until("the strangers", async || {
            let rows = stage.rows("hostile").await?;
            let orphans: Vec<Value> = rows.into_iter().filter(|row| row["kind"] == "orphan").collect();
            Ok((orphans.len() == others.len()).then_some(orphans))
        })
        .await?;
    for (other, row) in others.iter().zip(&orphans) {
        ensure!(row["id"] == **other, "the id is shown as it was written: {row}");
    }
    let now = stage.ask("read_call", json!({ "call": call["id"] })).await?;
    ensure!(now["status"] == "running", "none of them is the call's: {now}");
    stage.answer("hostile", "release", json!({})).await?;
    let call = stage.ended(&call).await?;
    ensure!(text_of(&call)? == "yours", "the right id brings the right answer: {call}");
    stage.conclude().await
}

pub async fn broken_answers(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    let findings = [
        ("both", Some("result-and-error")),
        ("neither", Some("not-a-message")),
        ("extra", Some("unknown-member")),
        ("old", Some("wrong-jsonrpc")),
        ("unversioned", Some("wrong-jsonrpc")),
        ("null-result", None),
    ];
    ensure!(findings.map(|(how, _)| how) == script::BROKEN_ANSWERS, "every way is looked at");
    for (how, finding) in findings {
        let call = stage.start_limited("hostile", "go", json!({ "how": how }), Duration::from_secs(3)).await?;
        let call = stage.ended(&call).await?;
        match how {
            "both" | "neither" => {
                ensure!(
                    call["status"] != "ok" && call["error"]["message"].is_string(),
                    "`{how}` fails clearly: {call}"
                );
                stage.note(format!("`{how}` ends its call as {}", call["status"]));
            }
            _ => ensure!(call["status"] == "ok" || call["error"]["message"].is_string(), "`{how}`: {call}"),
        }
        if let Some(finding) = finding {
            stage.until_row("hostile", &format!("`{how}` as {finding}"), |row| has(row, finding)).await?;
        }
    }
    stage.still_answers("hostile").await?;
    stage.conclude().await
}

/// J4 and J11: the script of the case, made for the id of the call.
pub async fn odd_names(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    let call = stage.call("hostile", "go", json!({})).await?;
    ensure!(text_of(&call)? == "gone", "none of the lines is taken for the answer: {call}");
    stage.disconnect("hostile").await?;
    let mut found = Vec::new();
    for row in stage.rows("hostile").await? {
        if row["dir"] == "in" && matches!(row["kind"].as_str(), Some("notification" | "unparsable" | "orphan")) {
            found.push((stage.frame(&row, 0).await?, row));
        }
    }
    for line in script::lines_for(plan.case.id, call["request_id"].as_str().context("a call has an id")?) {
        let row = found.iter().find(|(bytes, _)| *bytes == line.text.as_bytes()).map(|(_, row)| row);
        let row = row.with_context(|| format!("no row has {} as it was written", line.text))?;
        match line.finding {
            Some(finding) => ensure!(has(row, finding), "{} is told as {finding}: {row}", line.text),
            None => ensure!(row["findings"] == json!([]), "nothing is wrong with {}: {row}", line.text),
        }
    }
    stage.conclude().await
}

pub async fn batches(plan: Plan) -> Result<Outcome> {
    let revisions = ["2025-03-26", "2025-11-25"];
    let stage = Stage::open(&plan, revisions.map(|revision| plan.variant(revision, revision)).into()).await?;
    for revision in revisions {
        let server = stage.connect(revision).await?;
        ensure!(server["revision"] == revision, "it speaks {revision}: {server}");
        let call = stage.call(revision, "go", json!({})).await?;
        ensure!(text_of(&call)? == "batched", "an answer in a batch is an answer: {call}");
        let ping =
            stage.until_row(revision, "the ping", |row| row["id"] == "\"p\"" && row["status"] != "pending").await?;
        ensure!(ping["status"] == "ok", "a request in a batch is a request: {ping}");
        stage.disconnect(revision).await?;
        let rows = stage.rows(revision).await?;
        let shown =
            |text: &str| rows.iter().find(|row| row["target"].as_str().is_some_and(|target| target.starts_with(text)));
        for text in ["1", "null"] {
            let row = shown(text).with_context(|| format!("{revision}: the item {text} is shown"))?;
            ensure!(row["kind"] == "unparsable" && row["findings"] != json!([]), "and told for what it is: {row}");
        }
        let empty = rows.iter().find(|row| row["kind"] == "unparsable" && row["size"] == 2);
        ensure!(empty.is_some_and(|row| row["findings"] != json!([])), "{revision}: an empty batch is a violation");
        let flagged = rows.iter().filter(|row| has(row, "batch")).count();
        stage.note(format!("{revision}: {flagged} of 4 batches are told as such"));
        ensure!(revision == "2025-03-26" || flagged == 4, "{revision} has no batches, and that is told");
    }
    stage.conclude().await
}

pub async fn twin_ids(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![asking(&plan)?]).await?;
    stage.connect("hostile").await?;
    let call = stage.call("hostile", "go", json!({})).await?;
    ensure!(text_of(&call)? == "gone", "a request of the server with the same id is not its answer: {call}");
    let is_ping = |row: &Value| row["method"] == "ping" && row["dir"] == "in" && row["status"] != "pending";
    let ping = stage.until_row("hostile", "the ping", is_ping).await?;
    ensure!(ping["id"] == call["request_id"] && ping["status"] == "ok", "their ids are not ours: {ping}");
    let twins = stage
        .until("the refusal of the second", async || {
            let rows = stage.rows("hostile").await?;
            let twins: Vec<Value> = rows.into_iter().filter(|row| row["method"] == "sampling/createMessage").collect();
            Ok(twins.iter().any(|row| row["status"] == "protocol-error").then_some(twins))
        })
        .await?;
    ensure!(twins.len() == 2, "both are shown: {twins:?}");
    ensure!(twins.iter().any(|row| has(row, "reused-id")), "that the id is in use is told: {twins:?}");
    let waiting = stage.ask("list_questions", json!({})).await?;
    let waiting = waiting["questions"].as_array().map_or(0, Vec::len);
    ensure!(waiting == 1, "one question waits, and the other was refused: {waiting}");
    stage.conclude().await
}

pub async fn wrong_requests(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server().told(json!({ "capabilities": {} }))]).await?;
    stage.connect("hostile").await?;
    ensure!(stage.answer("hostile", "go", json!({})).await? == "gone", "it still answers");
    let settled = |row: &Value| row["id"] == "\"during-initialize\"" && row["status"] != "pending";
    stage.until_row("hostile", "the last refusal", settled).await?;
    stage.disconnect("hostile").await?;
    let waiting = stage.ask("list_questions", json!({})).await?;
    ensure!(waiting["questions"] == json!([]), "nobody is asked: {waiting}");
    let rows = stage.rows("hostile").await?;
    for when in ["before", "during", "after"] {
        for line in script::wrong_requests(when) {
            let sent: Value = serde_json::from_str(&line)?;
            let id = sent["id"].to_string();
            let row = rows.iter().find(|row| row["id"] == id).context("each of them has its row")?;
            ensure!(row["dir"] == "in" && row["kind"] == "exchange", "it is a request of the server: {row}");
            let refused = row["status"] == "protocol-error" && row["code"].as_i64().is_some_and(|code| code < -32_000);
            // What is asked when nobody listens any more stays unanswered.
            ensure!(refused || (when == "after" && row["status"] == "unanswered"), "it is never done: {row}");
        }
    }
    stage.conclude().await
}

pub async fn odd_errors(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    for how in script::ODD_ERRORS {
        let size = match *how {
            "large-message" => plan.size(10 << 20, 1 << 20),
            _ => plan.size(50 << 20, 2 << 20),
        };
        let call = stage.call("hostile", "go", json!({ "how": how, "bytes": size })).await?;
        ensure!(call["status"] == "protocol-error", "`{how}` is an error of the protocol: {}", call["status"]);
        let message = call["error"]["message"].as_str().context("an error has a message")?;
        ensure!(message.len() < 20_000, "`{how}`: what a person is told has {} bytes", message.len());
        let shown = call["result"]["shown"].as_u64().unwrap_or_default();
        ensure!(shown <= 256 << 10, "`{how}`: {shown} bytes cross the door at once");
        if matches!(*how, "string-code" | "float-code" | "no-message" | "text") {
            let row = stage
                .until_row("hostile", &format!("`{how}`"), |row| {
                    row["id"] == call["request_id"] && row["status"] != "pending"
                })
                .await?;
            ensure!(has(&row, "bad-error"), "`{how}` is told for what it is: {row}");
        }
    }
    stage.still_answers("hostile").await?;
    stage.conclude().await
}

pub async fn depths(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    for (depth, deep) in [(127, false), (128, false), (129, true), (1_000_000, true)] {
        let call = stage.call("hostile", "go", json!({ "depth": depth })).await?;
        ensure!(call["status"] == "ok" || call["error"]["message"].is_string(), "depth {depth}: {}", call["status"]);
        let its_row = |row: &Value| row["id"] == call["request_id"] && row["status"] != "pending";
        let row = stage.until_row("hostile", "the answer", its_row).await?;
        ensure!(has(&row, "too-deep") == deep, "depth {depth} is told where it is too much: {row}");
    }
    // Brackets that are never closed are no JSON, and no stack is filled to find that out.
    let call = stage
        .start_limited("hostile", "go", json!({ "depth": 1_000_000, "open": true }), Duration::from_secs(2))
        .await?;
    ensure!(stage.ended(&call).await?["status"] == "timeout", "what is no message answers no call");
    let is_open = |row: &Value| row["kind"] == "unparsable" && has(row, "not-json");
    stage.until_row("hostile", "the line that is no JSON", is_open).await?;
    stage.still_answers("hostile").await?;
    stage.conclude().await
}
