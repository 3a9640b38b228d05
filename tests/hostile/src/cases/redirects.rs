//! H9 to H11: ways to somewhere else.

use anyhow::{Result, ensure};
use serde_json::json;

use super::remote::{asked, go_in_vain, go_well, nobody_was_sent_away, open};
use crate::figures::Outcome;
use crate::stage::{Plan, RemoteServer, Stage};

pub async fn other_origins(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, json!({})).await?;
    stage.connect("hostile").await?;
    let all = stage.remote()?.requests(|request| request["rpc"] == "initialize")?;
    let told = all.iter().any(|request| request["headers"].to_string().contains("canary"));
    ensure!(told, "the server itself is told the secrets, or this proves nothing: {all:?}");
    for status in [307, 308] {
        for how in ["stranger", "without-scheme", "host", "user"] {
            go_in_vain(&stage, json!({ "status": status, "how": how }), &["not followed"]).await?;
        }
    }
    stage.still_answers("hostile").await?;
    nobody_was_sent_away(&stage)?;
    ensure!(asked(&stage, "go")? == 8, "none of them was sent twice");
    stage.conclude().await
}

pub async fn other_places(plan: Plan) -> Result<Outcome> {
    let server = RemoteServer::start(&plan)?;
    let authority = server.folder().join("authority.pem").display().to_string();
    let encrypted = format!("https://127.0.0.1:{}/mcp/hostile", server.port("trusted")?);
    let entries = vec![
        plan.remote("hostile", &server.url("hostile")?),
        plan.remote("encrypted", &encrypted).told(json!({ "caFile": authority })),
    ];
    let stage = Stage::open_remote(&plan, server, entries).await?;
    stage.connect("hostile").await?;
    // Within the origin, and not too often, it is followed.
    for how in ["absolute", "1", "3"] {
        go_well(&stage, json!({ "how": how })).await?;
    }
    let before = asked(&stage, "go")?;
    ensure!(before == 2 + 3 + 5, "one request for each hop, and no more: {before}");
    for how in ["file", "ftp", "script", "broken", "nowhere", "stranger"] {
        go_in_vain(&stage, json!({ "how": how }), &["not followed"]).await?;
    }
    for how in ["loop", "11", "1000"] {
        let reason = go_in_vain(&stage, json!({ "how": how }), &["redirect", "hop"]).await?;
        ensure!(reason.len() < 8000, "`{how}`: the way is told in a few words: {} bytes", reason.len());
    }
    let after = asked(&stage, "go")?;
    ensure!(after - before <= 6 + 3 * 11, "ten hops at most: {}", after - before);
    stage.still_answers("hostile").await?;
    // From an encrypted place to one that is not.
    stage.connect("encrypted").await?;
    let call = stage.call("encrypted", "go", json!({ "how": "absolute" })).await?;
    ensure!(call["error"].to_string().contains("not followed"), "nothing is sent in the open: {call}");
    nobody_was_sent_away(&stage)?;
    stage.conclude().await
}

pub async fn other_methods(plan: Plan) -> Result<Outcome> {
    let stage = open(&plan, json!({})).await?;
    stage.connect("hostile").await?;
    for status in [300, 301, 302, 303, 305] {
        let reason = go_in_vain(&stage, json!({ "status": status, "how": "0" }), &["not followed", "HTTP 3"]).await?;
        stage.note(reason.chars().take(200).collect::<String>());
    }
    let followed = stage
        .remote()?
        .requests(|request| request["target"].as_str().is_some_and(|target| target.starts_with("/hop/")))?;
    ensure!(followed.is_empty(), "no POST becomes a GET in silence: {followed:?}");
    stage.still_answers("hostile").await?;
    stage.conclude().await
}
