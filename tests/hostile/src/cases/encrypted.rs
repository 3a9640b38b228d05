//! H13 and H16: certificates that nobody should trust, and frames that nobody should send.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::figures::Outcome;
use crate::stage::{Entry, Plan, RemoteServer, Stage};

pub async fn certificates(plan: Plan) -> Result<Outcome> {
    let server = RemoteServer::start(&plan)?;
    let authority = json!({ "caFile": server.folder().join("authority.pem") });
    let pinned =
        |name: &str| -> Result<Value> { Ok(json!({ "trust": format!("sha256:{}", server.fingerprint(name)?) })) };
    let entry = |id: &str, listener: &str, sonde: Value| -> Result<Entry> {
        let url = format!("https://127.0.0.1:{}/mcp/{listener}", server.port(listener)?);
        Ok(plan.remote(id, &url).told(sonde))
    };
    let other = json!({ "trust": format!("sha256:{}", "0".repeat(64)) });
    let entries = vec![
        entry("trusted", "trusted", authority.clone())?,
        entry("pinned", "self-signed", pinned("self-signed")?)?,
        // A chosen certificate is trusted whatever it says of itself.
        entry("pinned-expired", "expired", pinned("expired")?)?,
        entry("unknown", "trusted", json!({}))?,
        entry("expired", "expired", authority.clone())?,
        entry("wrong-host", "wrong-host", authority.clone())?,
        entry("self-signed", "self-signed", authority.clone())?,
        entry("wrong-pin", "self-signed", other)?,
        entry("old", "old", authority.clone())?,
        entry("old-alert", "old-alert", authority.clone())?,
        entry("changing", "changing", pinned("changing")?)?,
    ];
    let stage = Stage::open_remote(&plan, server, entries).await?;
    for id in ["trusted", "pinned", "pinned-expired"] {
        stage.connect(id).await?;
        stage.still_answers(id).await?;
        stage.disconnect(id).await?;
        let rows = stage.rows(id).await?;
        let row = rows.iter().find(|row| row["method"] == "initialize").context("the handshake is in the log")?;
        let facts = stage.row(row).await?["http"][0]["tls"].clone();
        let listener = stage.server(id).await?;
        ensure!(facts["fingerprint"].is_string() && facts["trusted"].is_string(), "`{id}`: {facts} of {listener}");
    }
    let before = stage.remote()?.requests(|_| true)?.len();
    for id in ["unknown", "expired", "wrong-host", "self-signed", "wrong-pin"] {
        let problem = stage.connect_in_vain(id).await?;
        ensure!(problem.to_string().contains("not trusted"), "`{id}`: {problem}");
        stage.note(format!("{id}: {}", problem["message"].as_str().unwrap_or_default()));
    }
    for id in ["old", "old-alert"] {
        let problem = stage.connect_in_vain(id).await?;
        let words = problem.to_string();
        ensure!(words.contains("encrypted") || words.contains("TLS"), "`{id}`: {problem}");
        stage.note(format!("{id}: {}", problem["message"].as_str().unwrap_or_default()));
    }
    let after = stage.remote()?.requests(|_| true)?.len();
    ensure!(after == before, "nothing was said to anyone who is not trusted: {}", after - before);

    // The certificate is another from the second connection on.
    stage.begin("changing").await?;
    let server = stage.until_server("changing", &["ready", "failed"]).await?;
    let reason = match server["state"] == "ready" {
        true => stage.call("changing", "echo", json!({ "text": "x" })).await?["error"].to_string(),
        false => server["problem"].to_string(),
    };
    ensure!(reason.contains("not trusted"), "another certificate is not the chosen one: {reason}");
    let asked = stage.remote()?.requests(|request| request["target"] == "/mcp/changing")?;
    ensure!(
        asked.len() == 1 && asked.iter().all(|request| request["rpc"] == "initialize"),
        "and it hears nothing: {asked:?}"
    );
    stage.conclude().await
}

pub async fn frames(plan: Plan) -> Result<Outcome> {
    let server = RemoteServer::start(&plan)?;
    let url = format!("https://127.0.0.1:{}/mcp/frames", server.port("frames")?);
    let entry = plan.remote("hostile", &url).told(json!({ "caFile": server.folder().join("authority.pem") }));
    let stage = Stage::open_remote(&plan, server, vec![entry]).await?;
    stage.connect("hostile").await?;
    stage.still_answers("hostile").await?;
    let count = plan.size(1_000_000, 20_000);
    for how in ["goaway", "goaway-after", "rst", "settings", "ping", "empty-data", "continuation"] {
        let arguments = json!({ "how": how, "count": count });
        let call = stage.start_limited("hostile", "go", arguments, Duration::from_secs(plan.size(20, 5))).await?;
        let call = stage.ended(&call).await?;
        ensure!(call["status"] == "ok" || call["error"]["message"].is_string(), "`{how}` has an end: {call}");
        let took = call["elapsed_ms"].as_f64().unwrap_or_default() / 1e3;
        stage.note(format!("{how}: {} after {took:.1} s, {}", call["status"], call["error"]["message"]));
        let next = stage.call("hostile", "echo", json!({ "text": "next" })).await?;
        if next["status"] != "ok" {
            // Both sides wait for the other to read: what can't go on can still be ended, and begun again.
            ensure!(next["error"]["message"].is_string(), "after `{how}`: {next}");
            stage.note(format!("after {how}: {}", next["error"]["message"]));
            stage.disconnect("hostile").await?;
            stage.connect("hostile").await?;
        }
        stage.still_answers("hostile").await.with_context(|| format!("after `{how}`"))?;
    }
    let spoken = stage.rows("hostile").await?;
    let mut versions = std::collections::BTreeSet::new();
    for row in spoken.iter().filter(|row| row["method"] == "tools/call").take(1) {
        for exchange in stage.row(row).await?["http"].as_array().into_iter().flatten() {
            versions.insert(exchange["version"].to_string());
        }
    }
    ensure!(versions.iter().any(|version| version.contains("HTTP/2")), "HTTP/2 was spoken: {versions:?}");
    stage.conclude().await
}
