//! E9 and E10: HTTP with SSE, of revision 2024-11-05, and the addresses that its servers name.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::has;
use super::remote::nobody_was_sent_away;
use crate::figures::Outcome;
use crate::stage::{Entry, Plan, RemoteServer, Stage};

fn entry(plan: &Plan, form: &str, url: &str) -> Entry {
    plan.remote(form, url).with("type", json!("sse"))
}

pub async fn elsewhere(plan: Plan) -> Result<Outcome> {
    let server = RemoteServer::start(&plan)?;
    let bad = ["stranger", "without-scheme", "host", "script", "file", "user", "broken"];
    let good = ["relative", "absolute"];
    let mut entries = Vec::new();
    for form in bad.iter().chain(&good) {
        entries.push(entry(&plan, form, &server.url(form)?));
    }
    let authority = json!({ "caFile": server.folder().join("authority.pem") });
    let encrypted = format!("https://127.0.0.1:{}/mcp/downgrade", server.port("trusted")?);
    entries.push(entry(&plan, "downgrade", &encrypted).told(authority));
    let stage = Stage::open_remote(&plan, server, entries).await?;
    for form in bad.iter().chain(&["downgrade"]) {
        let problem = stage.connect_in_vain(form).await?;
        ensure!(problem.to_string().contains("endpoint"), "`{form}`: what the server named is told: {problem}");
        stage.note(format!("{form}: {}", problem["message"].as_str().unwrap_or_default()));
    }
    let sent = stage.remote()?.requests(|request| request["method"] == "POST")?;
    ensure!(sent.is_empty(), "nothing was sent to anyone: {sent:?}");
    nobody_was_sent_away(&stage)?;
    // Where the address is of the same place, all is well.
    for form in good {
        stage.connect(form).await?;
        stage.still_answers(form).await?;
        stage.disconnect(form).await?;
    }
    stage.conclude().await
}

pub async fn too_few_or_too_many(plan: Plan) -> Result<Outcome> {
    let server = RemoteServer::start(&plan)?;
    let mut entries = Vec::new();
    for form in ["silent", "message-first"] {
        entries.push(entry(&plan, form, &server.url(form)?).told(json!({ "connectTimeout": "500ms" })));
    }
    for form in ["two", "changing"] {
        entries.push(entry(&plan, form, &server.url(form)?));
    }
    let stage = Stage::open_remote(&plan, server, entries).await?;
    for form in ["silent", "message-first"] {
        let problem = stage.connect_in_vain(form).await?;
        ensure!(problem["message"].is_string() && problem["code"].is_string(), "`{form}`: {problem}");
        stage.note(format!("{form}: {}", problem["message"].as_str().unwrap_or_default()));
    }
    ensure!(stage.remote()?.requests(|request| request["method"] == "POST")?.is_empty(), "no address, no message");
    for form in ["two", "changing"] {
        stage.connect(form).await?;
        let call = stage.call(form, "go", json!({})).await?;
        ensure!(call["status"] == "ok", "`{form}`: the first address is the one: {call}");
        stage.still_answers(form).await?;
        stage.disconnect(form).await?;
        let rows = stage.rows(form).await?;
        ensure!(rows.iter().any(|row| has(row, "second-endpoint")), "`{form}`: the second is a finding");
    }
    let elsewhere = |request: &Value| request["method"] == "POST" && request["target"] != "/messages/1";
    let strayed = stage.remote()?.requests(elsewhere)?;
    ensure!(strayed.is_empty(), "everything goes to the first: {strayed:?}");
    nobody_was_sent_away(&stage)?;
    stage.conclude().await
}
