//! E1, E3, E4 and E8: streams that end, or never begin, and how often they are asked for again.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::remote::{go, open, open_forms};
use crate::figures::Outcome;
use crate::stage::{Plan, Scale, Stage, text_of};

/// No stream may be opened more often in any minute.
const MOST_PER_MINUTE: usize = 10;
const MINUTE: u64 = 60_000;
/// Nobody is asked again sooner.
const FLOOR: f64 = 0.5;

pub async fn closes_for_ever(plan: Plan) -> Result<Outcome> {
    let forms = ["retry", "empty", "poll"];
    let stage = open_forms(&plan, &forms, json!({})).await?;
    for form in forms {
        stage.connect(form).await?;
    }
    let call = stage.start("poll", "go", json!({})).await?;
    watch(&stage, &forms).await?;
    if plan.scale == Scale::Full {
        for form in ["retry", "empty"] {
            let said = marks(&stage, form).await?.iter().any(|mark| mark.contains("keeps closing"));
            ensure!(said, "`{form}`: a person is told what the server does");
        }
    }
    given_up(&stage, &call).await?;
    stage.conclude().await
}

pub async fn broken_chunks(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, json!({})).await?;
    stage.connect("hostile").await?;
    let call = stage.start("hostile", "go", json!({})).await?;
    watch(&stage, &["hostile"]).await?;
    given_up(&stage, &call).await?;
    stage.still_answers("hostile").await?;
    stage.conclude().await
}

/// Gives up a call that is never answered, unless it ended by itself.
async fn given_up(stage: &Stage, call: &Value) -> Result<()> {
    let now = stage.ask("read_call", json!({ "call": call["id"] })).await?;
    if now["status"] == "running" {
        stage.ask("cancel_call", json!({ "call": call["id"] })).await?;
    }
    let call = stage.ended(call).await?;
    ensure!(call["status"] != "ok", "nobody answered it: {call}");
    Ok(())
}

/// Watches the storm: for more than a minute in the full form; in the small one until it can be seen how long we wait.
async fn watch(stage: &Stage, forms: &[&str]) -> Result<()> {
    if stage.plan.scale == Scale::Full {
        tokio::time::sleep(Duration::from_secs(70)).await;
    }
    for form in forms {
        let pauses = stage
            .until("the second pause", async || {
                let pauses = pauses(stage, form).await?;
                Ok((pauses.len() >= 2).then_some(pauses))
            })
            .await?;
        ensure!(pauses.iter().all(|pause| *pause >= FLOOR), "`{form}`: no pause is shorter: {pauses:?}");
        let opened = opened(stage, form)?;
        let most = busiest(&opened);
        ensure!(most <= MOST_PER_MINUTE, "`{form}`: {most} connects in a minute: {opened:?}");
        stage.note(format!("{form}: {} connects, {most} in the busiest minute, pauses {pauses:?}", opened.len()));
    }
    Ok(())
}

/// When the stream of this form was asked for, in milliseconds; the POST that began it counts too.
fn opened(stage: &Stage, form: &str) -> Result<Vec<u64>> {
    let is_its = |request: &Value| {
        let of_form = request["target"].as_str().is_some_and(|target| target.ends_with(&format!("/{form}")));
        of_form && (request["method"] == "GET" || request["tool"] == "go")
    };
    let requests = stage.remote()?.requests(is_its)?;
    Ok(requests.iter().filter_map(|request| request["at_ms"].as_u64()).collect())
}

fn busiest(moments: &[u64]) -> usize {
    let within = |from: u64| moments.iter().filter(|at| (from..from + MINUTE).contains(*at)).count();
    moments.iter().map(|from| within(*from)).max().unwrap_or_default()
}

async fn marks(stage: &Stage, id: &str) -> Result<Vec<String>> {
    let rows = stage.rows(id).await?;
    let marks = rows.iter().filter(|row| row["kind"] == "mark").filter_map(|row| row["target"].as_str());
    Ok(marks.map(str::to_owned).collect())
}

/// How long we said that we would wait, in seconds, each time.
async fn pauses(stage: &Stage, id: &str) -> Result<Vec<f64>> {
    let told = marks(stage, id).await?;
    let seconds = |mark: &String| mark.split_once("again in ")?.1.split_whitespace().next()?.parse().ok();
    Ok(told.iter().filter_map(seconds).collect())
}

pub async fn odd_pauses(plan: Plan) -> Result<Outcome> {
    let forms = ["far", "farther", "minus", "word", "zero"];
    let retries = ["18446744073709551615", "99999999999999999999999", "-1", "abc", "0"];
    let stage = open_forms(&plan, &forms, json!({})).await?;
    let mut calls = Vec::new();
    for (form, retry) in forms.iter().zip(retries) {
        stage.connect(form).await?;
        calls.push((form, stage.start(form, "go", json!({ "retry": retry })).await?));
    }
    for (form, call) in calls {
        let pause = stage.until("the pause", async || Ok(pauses(&stage, form).await?.first().copied())).await?;
        ensure!((FLOOR..=60.0).contains(&pause), "`{form}`: we wait {pause} s");
        stage.note(format!("{form}: {pause} s"));
        ensure!(*form != "far" || pause == 60.0, "what a server wishes is honoured as far as it can be: {pause}");
        if pause > 5.0 && plan.scale == Scale::Quick {
            // A person does not have to wait either.
            stage.ask("cancel_call", json!({ "call": call["id"] })).await?;
            let call = stage.ended(&call).await?;
            ensure!(call["status"] == "cancelled", "a call can be given up in the pause: {call}");
            continue;
        }
        let call = stage.ended_within(Duration::from_secs(120), &call).await?;
        ensure!(call["status"] == "ok" && text_of(&call)? == "resumed", "`{form}`: the answer comes: {call}");
    }
    stage.conclude().await
}

pub async fn no_stream(plan: Plan) -> Result<Outcome> {
    let forms = ["405", "401", "403", "500"];
    let stage = open_forms(&plan, &forms, json!({})).await?;
    for form in forms {
        stage.connect(form).await?;
        stage.remote()?.until("the attempt", |_| opened(&stage, form).ok().filter(|opened| !opened.is_empty())).await?;
        for _ in 0..5 {
            stage.still_answers(form).await?;
        }
    }
    if plan.scale == Scale::Full {
        tokio::time::sleep(Duration::from_secs(20)).await;
    }
    for form in forms {
        let tried = opened(&stage, form)?.len();
        let most = if form == "500" { MOST_PER_MINUTE } else { 1 };
        ensure!(tried <= most, "`{form}`: asked {tried} times for what is not there");
        let server = stage.server(form).await?;
        ensure!(server["state"] == "ready", "`{form}`: everything else works: {server}");
        stage.note(format!("{form}: asked {tried} times"));
    }
    stage.conclude().await
}

/// E5.
pub async fn large_events(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, super::remote::limited(&plan)).await?;
    stage.connect("hostile").await?;
    let event = go(&stage, json!({ "how": "event", "bytes": plan.size(65 << 20, 3 << 20) })).await?;
    ensure!(event["status"] != "running", "a call with an event over the limit ends: {event}");
    stage.until_row("hostile", "the event that is too long", |row| super::has(row, "oversized")).await?;
    stage.note(format!("an event over the limit: {} {}", event["status"], event["error"]["message"]));
    stage.still_answers("hostile").await?;
    for (how, bytes) in [("lines", plan.size(1_000_000, 20_000)), ("comments", plan.size(10_000_000_000, 8_000_000))] {
        let call = stage.start("hostile", "go", json!({ "how": how, "bytes": bytes })).await?;
        let call = stage.ended_within(Duration::from_secs(300), &call).await?;
        ensure!(call["status"] == "ok", "the answer behind `{how}` arrives: {call}");
        let exchanges = super::remote::ended_exchanges(&stage, &call).await?;
        let traffic = exchanges.first().map(|exchange| exchange["traffic"].clone()).unwrap_or_default();
        let kept = traffic["recorded"].as_u64().unwrap_or(u64::MAX);
        ensure!(kept < 4 << 20, "`{how}`: what says nothing is counted and not kept: {traffic}");
        stage.note(format!("{how}: {traffic}"));
    }
    stage.still_answers("hostile").await?;
    stage.disconnect("hostile").await?;
    let rows = stage.rows("hostile").await?;
    ensure!(rows.iter().any(|row| row["kind"] == "notification" && row["dir"] == "in"), "many lines are one message");
    stage.conclude().await
}
