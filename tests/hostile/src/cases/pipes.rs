//! S1 to S3 and S11 to S19: what comes, or does not, through the pipes.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{fact, has};
use crate::figures::Outcome;
use crate::processes;
use crate::script;
use crate::stage::{Entry, Plan, Scale, Stage};

/// How long 10 GB may take at the slowest.
const FLOOD: Duration = Duration::from_secs(300);

pub async fn never_reads(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server(), plan.variant("never", "never")]).await?;
    stage.connect("hostile").await?;
    let large = json!({ "text": "x".repeat(900_000) });
    let first = stage.start("hostile", "echo", large.clone()).await?;
    let mut refusal = None;
    for _ in 0..40 {
        match stage.start("hostile", "echo", large.clone()).await {
            Ok(_queued) => {}
            Err(error) => {
                refusal = Some(error.to_string());
                break;
            }
        }
    }
    let refusal = refusal.context("so much must not be taken in for a server that does not read")?;
    ensure!(refusal.contains("does not read its input"), "the reason is told: {refusal}");
    let took = stage.disconnect("hostile").await?;
    stage.within("the disconnect", took, Duration::from_secs(5));
    let call = stage.ended(&first).await?;
    ensure!(call["status"] == "lost", "the call ends with its server: {call}");

    stage.begin("never").await?;
    stage.until("its process", async || Ok(stage.server("never").await?["pid"].as_u64())).await?;
    let took = stage.disconnect("never").await?;
    stage.within("the disconnect before any answer", took, Duration::from_secs(5));
    stage.conclude().await
}

/// The case's server; where the sizes are small, the limit of a line is, too.
pub fn limited(plan: &Plan) -> Entry {
    match plan.scale {
        Scale::Full => plan.server(),
        Scale::Quick => plan.server().told(json!({ "longestLine": "2MiB" })),
    }
}

pub async fn endless_line(plan: Plan) -> Result<Outcome> {
    let size = plan.size(10_000_000_000, 8_000_000);
    let stage = Stage::open(&plan, vec![limited(&plan)]).await?;
    stage.connect("hostile").await?;
    let call = stage.start("hostile", "go", json!({ "bytes": size })).await?;
    let call = stage.ended_within(FLOOD, &call).await?;
    ensure!(call["status"] == "ok", "the answer behind the line arrives: {call}");
    let row = stage.until_row("hostile", "the line", |row| has(row, "oversized")).await?;
    ensure!(row["kind"] == "unparsable" && row["size"] == size, "the whole length is told: {row}");
    let detail = stage.row(&row).await?;
    let frame = &detail["frames"][0];
    ensure!(frame["kept"] == 1 << 20, "its first mebibyte is kept: {}", frame["kept"]);
    let digest = std::fs::read_to_string(stage.tally("hostile").join("digest"))?;
    ensure!(frame["digest"] == digest, "the digest is that of the whole line");
    stage.still_answers("hostile").await?;
    stage.conclude().await
}

pub async fn endless_stderr(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    let flood = json!({ "bytes": plan.size(10_000_000_000, 90_000_000), "line": plan.size(1000, 100_000) });
    stage.answer("hostile", "go", flood).await?;
    let end = Instant::now() + FLOOD;
    let mut slowest = Duration::ZERO;
    loop {
        let begun = Instant::now();
        stage.still_answers("hostile").await?;
        slowest = slowest.max(begun.elapsed());
        if stage.answer("hostile", "tell", json!({})).await? == "over" {
            break;
        }
        ensure!(Instant::now() < end, "O3: the flood did not end within {} s", FLOOD.as_secs());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stage.note(format!("the slowest call beside the flood took {:.0} ms", slowest.as_secs_f64() * 1e3));
    stage.within("a call beside the flood", slowest, Duration::from_secs(2));
    stage.conclude().await
}

pub async fn closed_output(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    let before = if plan.is_timed() { cpu_used().await } else { 0.0 };
    let call = stage.start("hostile", "go", json!({})).await?;
    let server = stage.until_server("hostile", &["failed", "stopped"]).await?;
    ensure!(server["state"] == "failed", "nobody asked it to close its output: {server}");
    let problem = server["problem"].to_string();
    ensure!(problem.contains("closed its output") || problem.contains("stdout"), "the reason is told: {problem}");
    ensure!(stage.ended(&call).await?["status"] == "lost", "what waited ends");
    if plan.is_timed() {
        let after = cpu_used().await;
        stage.note(format!("{before:.2} s of processor time in 2 s before, {after:.2} s after"));
        ensure!(after < before + 0.5, "it spins: {after:.2} s of processor time in 2 s, {before:.2} s before");
    }
    stage.conclude().await
}

/// Seconds of processor time that this process uses in two seconds; the bystanders take their part.
async fn cpu_used() -> f64 {
    let before = processes::cpu_seconds();
    tokio::time::sleep(Duration::from_secs(2)).await;
    processes::cpu_seconds() - before
}

pub async fn banners(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    for _ in 0..5 {
        stage.still_answers("hostile").await?;
    }
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    let stray = |row: &&Value| row["kind"] == "unparsable" && has(row, "not-json");
    // The banner, then one for each message: initialize, initialized, tools/list, five calls.
    let strays = rows.iter().filter(stray).count();
    ensure!(strays >= 9, "each line of text is a violation that is shown: {strays}");
    let first = rows.iter().find(stray).context("the banner is there")?;
    ensure!(first["target"] == "Welcome to the hostile server!", "with its own words: {first}");
    stage.conclude().await
}

/// S13 and S15: the script of the case, each line as it was written and each for what it is.
pub async fn odd_lines(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    scripted(&stage).await?;
    stage.conclude().await
}

/// Lets the server send its script; checks what the log made of it.
async fn scripted(stage: &Stage) -> Result<()> {
    stage.answer("hostile", "go", json!({})).await?;
    stage.still_answers("hostile").await?;
    stage.disconnect("hostile").await?;
    let mut found = Vec::new();
    for row in stage.rows("hostile").await? {
        if row["dir"] == "in" && matches!(row["kind"].as_str(), Some("notification" | "unparsable" | "orphan")) {
            found.push((stage.frame(&row, 0).await?, row));
        }
    }
    for line in script::lines(stage.plan.case.id) {
        let shown = String::from_utf8_lossy(&line.bytes).into_owned();
        let place = found.iter().position(|(bytes, _)| *bytes == line.bytes);
        let (_, row) = found.remove(place.with_context(|| format!("no row has the bytes of {shown:?}"))?);
        ensure!(row["kind"] == line.kind, "{shown:?} is a row of {}: {row}", line.kind);
        match line.finding {
            Some(finding) => ensure!(has(&row, finding), "{shown:?} is told as {finding}: {row}"),
            None => ensure!(row["findings"] == json!([]), "nothing is wrong with {shown:?}: {row}"),
        }
    }
    Ok(())
}

pub async fn marks_and_utf16(plan: Plan) -> Result<Outcome> {
    let wide = plan.variant("utf16", "utf16").told(json!({ "connectTimeout": "3s" }));
    let stage = Stage::open(&plan, vec![plan.server(), wide]).await?;
    stage.connect("hostile").await?;
    scripted(&stage).await?;
    let rows = stage.rows("hostile").await?;
    let initialize = rows.iter().find(|row| row["method"] == "initialize").context("the handshake is in the log")?;
    ensure!(has(initialize, "byte-order-mark"), "a mark before an answer is told, and the answer counts: {initialize}");

    let problem = stage.connect_in_vain("utf16").await?;
    let first = stage.until_row("utf16", "the answer in UTF-16", |row| row["kind"] == "unparsable").await?;
    let diagnosis = first["findings"][0]["message"].as_str().unwrap_or_default();
    ensure!(diagnosis.contains("UTF-16"), "one clear diagnosis: {first}");
    ensure!(fact(&problem, "the first").is_some(), "the problem shows what came instead: {problem}");
    stage.conclude().await
}

pub async fn dribble(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    stage.answer("hostile", "go", json!({ "gap_us": plan.size(2000, 100) })).await?;
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    let messages: Vec<&Value> = rows.iter().filter(|row| row["method"] == "notifications/message").collect();
    // The line feed is a place, too, and so is the end; and once byte by byte.
    let places = script::SPLIT_MESSAGE.len() + 2;
    ensure!(messages.len() == places + 1, "{} messages instead of {}", messages.len(), places + 1);
    for row in messages {
        ensure!(row["findings"] == json!([]), "nothing is wrong with a message that came in parts: {row}");
        let bytes = stage.frame(row, 0).await?;
        ensure!(bytes == script::SPLIT_MESSAGE.as_bytes(), "the parts are the message: {row}");
    }
    ensure!(!rows.iter().any(|row| row["kind"] == "unparsable"), "no part became a line of its own");
    stage.conclude().await
}

pub async fn one_write(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    stage.answer("hostile", "go", json!({})).await?;
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    let messages: Vec<&Value> = rows.iter().filter(|row| row["method"] == "notifications/message").collect();
    ensure!(messages.len() == 201, "each of them is a row: {}", messages.len());
    for (number, row) in (0..).zip(messages) {
        ensure!(stage.frame(row, 0).await? == script::numbered(number).as_bytes(), "message {number} in its place");
    }
    stage.conclude().await
}

pub async fn oversized_between(plan: Plan) -> Result<Outcome> {
    let size = plan.size(65 << 20, 3 << 20);
    let stage = Stage::open(&plan, vec![limited(&plan)]).await?;
    stage.connect("hostile").await?;
    stage.answer("hostile", "go", json!({ "bytes": size })).await?;
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    let place = |wanted: &dyn Fn(&Value) -> bool| rows.iter().position(wanted);
    let first = place(&|row| row["target"] == "info: number 1").context("the message before it")?;
    let middle = place(&|row| has(row, "oversized") && row["size"] == size).context("the line itself")?;
    let last = place(&|row| row["target"] == "info: number 3").context("the message after it")?;
    ensure!(first < middle && middle < last, "in the order they came");
    stage.conclude().await
}

pub async fn unterminated(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    let call = stage.start("hostile", "go", json!({})).await?;
    ensure!(stage.ended(&call).await?["status"] == "lost", "nobody answers the call any more");
    let server = stage.until_server("hostile", &["stopped", "failed"]).await?;
    ensure!(server["state"] == "stopped", "an exit in good order is no failure: {server}");
    let row = stage.until_row("hostile", "the last line", |row| has(row, "unterminated")).await?;
    ensure!(stage.frame(&row, 0).await? == script::numbered(19).as_bytes(), "with every byte it had: {row}");
    stage.conclude().await
}
