//! What the cases of HTTP have in common.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::stage::{Entry, Plan, RemoteServer, Scale, Stage};

/// Opens the stage over one server, told what `sonde` says.
pub async fn open(plan: &Plan, sonde: Value) -> Result<Stage> {
    open_forms(plan, &["hostile"], sonde).await
}

/// Opens the stage over several forms of the case's server, each under its own name.
pub async fn open_forms(plan: &Plan, forms: &[&str], sonde: Value) -> Result<Stage> {
    let server = RemoteServer::start(plan)?;
    let entries: Result<Vec<Entry>> =
        forms.iter().map(|form| Ok(plan.remote(form, &server.url(form)?).told(sonde.clone()))).collect();
    Stage::open_remote(plan, server, entries?).await
}

/// Messages as long as the list says, or shorter where the case is played in its small form.
pub fn limited(plan: &Plan) -> Value {
    match plan.scale {
        Scale::Full => json!({}),
        Scale::Quick => json!({ "longestLine": "2MiB" }),
    }
}

/// Calls `go`; gives the call when it has ended.
pub async fn go(stage: &Stage, arguments: Value) -> Result<Value> {
    stage.call("hostile", "go", arguments).await
}

/// Calls `go`, which must answer.
pub async fn go_well(stage: &Stage, arguments: Value) -> Result<()> {
    let call = go(stage, arguments.clone()).await?;
    ensure!(call["status"] == "ok", "{arguments} should answer: {call}");
    Ok(())
}

/// Calls `go`, which must fail with a reason in which one of these words stands; gives the whole reason.
pub async fn go_in_vain(stage: &Stage, arguments: Value, words: &[&str]) -> Result<String> {
    let call = go(stage, arguments.clone()).await?;
    ensure!(call["status"] != "ok", "{arguments} should fail: {call}");
    let reason = call["error"].to_string();
    ensure!(words.iter().any(|word| reason.contains(word)), "{arguments}: the reason says {words:?}: {reason}");
    Ok(reason)
}

/// What the log has of the exchanges of a call, when all of them have ended.
pub async fn ended_exchanges(stage: &Stage, call: &Value) -> Result<Vec<Value>> {
    stage
        .until("the end of the exchanges in the log", async || {
            let exchanges = exchanges_of(stage, call).await?;
            let ended = exchanges.iter().all(|exchange| exchange["after_ms"].is_number());
            Ok((ended && !exchanges.is_empty()).then_some(exchanges))
        })
        .await
}

/// What the log has of the exchanges of a call by now.
pub async fn exchanges_of(stage: &Stage, call: &Value) -> Result<Vec<Value>> {
    let id = call["server"].as_str().unwrap_or_default();
    let row = stage
        .until_row(id, "the row of the call", |row| {
            row["id"] == call["request_id"] && row["method"] == "tools/call" && row["dir"] == "out"
        })
        .await?;
    Ok(stage.row(&row).await?["http"].as_array().cloned().unwrap_or_default())
}

/// That nobody ever came to the stranger's door.
pub fn nobody_was_sent_away(stage: &Stage) -> Result<()> {
    let strangers = stage.remote()?.noted("stranger")?;
    ensure!(strangers.is_empty(), "a stranger was called: {:?}", stage.remote()?.noted("stolen")?);
    let led_away = stage
        .remote()?
        .requests(|request| request["target"].as_str().is_some_and(|target| target.contains("steal")))?;
    ensure!(led_away.is_empty(), "somebody followed: {led_away:?}");
    Ok(())
}

/// How often the server was asked to call this tool, each time it was asked.
pub fn asked(stage: &Stage, tool: &str) -> Result<usize> {
    Ok(stage.remote()?.requests(|request| request["tool"] == tool)?.len())
}
