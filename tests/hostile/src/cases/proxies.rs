//! H14 and H15: others on the way, and ways that break.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::remote::{asked, go};
use super::trees::Victim;
use crate::figures::Outcome;
use crate::secrets;
use crate::stage::{Plan, RemoteServer, Stage, prepare};

pub async fn proxies(plan: Plan) -> Result<Outcome> {
    let server = RemoteServer::start(&plan)?;
    let (_, password) = secrets::PROXY;
    let proxy =
        |name: &str| -> Result<String> { Ok(format!("http://ada:{password}@127.0.0.1:{}", server.port(name)?)) };
    let url = server.url("hostile")?;
    let mut entries = Vec::new();
    for name in ["asking", "silent", "gone", "good"] {
        let mut sonde = json!({ "proxy": proxy(name)? });
        if name == "silent" {
            sonde["connectTimeout"] = json!("500ms");
        }
        entries.push(plan.remote(name, &url).told(sonde));
    }
    // An encrypted connection asks the proxy for a tunnel.
    let tunnel = format!("https://127.0.0.1:{}/mcp", server.port("port")?);
    entries.push(plan.remote("tunnel", &tunnel).told(json!({ "proxy": proxy("asking")? })));
    let stage = Stage::open_remote(&plan, server, entries).await?;
    for (id, words) in [("asking", "407"), ("tunnel", "proxy"), ("gone", "broke"), ("silent", "0.5 s")] {
        let problem = stage.connect_in_vain(id).await?;
        stage.note(format!("{id}: {}", problem["message"].as_str().unwrap_or_default()));
        ensure!(problem.to_string().contains(words), "`{id}`: the reason says `{words}`: {problem}");
        ensure!(!problem.to_string().contains(password), "`{id}`: the password is nobody's business: {problem}");
    }
    ensure!(stage.remote()?.noted("request")?.is_empty(), "nobody went around them");
    stage.connect("good").await?;
    stage.still_answers("good").await?;
    let passed = stage.remote()?.noted("proxy")?;
    let known = passed.iter().filter(|entry| entry["name"] == "good" && entry["authorization"].is_string()).count();
    ensure!(known > 0, "the good one was told who we are: {passed:?}");

    // The same by the environment, in an app of its own.
    let folder = tempfile::tempdir()?;
    let server = RemoteServer::start(&plan)?;
    prepare(&plan, &[plan.remote("hostile", &server.url("hostile")?)], folder.path())?;
    let proxy = format!("http://ada:{password}@127.0.0.1:{}", server.port("good")?);
    let mut victim = Victim::start_with(folder.path(), &[("http_proxy", &proxy)])?;
    victim.order("call")?;
    ensure!(victim.answer()? == "ok", "it works by the proxy of the environment");
    ensure!(!server.noted("proxy")?.is_empty(), "and that is the way it went: {:?}", server.diary()?);
    victim.end("exit")?;
    server.stop()?;
    let found = secrets::found_under(&folder.path().join("data"))?;
    ensure!(found.is_empty(), "O8: {found:?}");
    stage.conclude().await
}

pub async fn breaks(plan: Plan) -> Result<Outcome> {
    let server = RemoteServer::start(&plan)?;
    // A name that no resolver even asks for: its only label is longer than any may be.
    let nameless = format!("http://{}.test/mcp", "a".repeat(64));
    let entries = vec![
        plan.remote("hostile", &server.url("hostile")?),
        plan.remote("dns", &nameless),
        plan.remote("tcp", &format!("http://127.0.0.1:{}/mcp", server.port("closed")?)),
        plan.remote("tls", &format!("https://127.0.0.1:{}/mcp", server.port("reset")?)),
    ];
    let stage = Stage::open_remote(&plan, server, entries).await?;
    let mut reasons: BTreeMap<String, String> = BTreeMap::new();
    for id in ["dns", "tcp", "tls"] {
        let problem = stage.connect_in_vain(id).await?;
        reasons.insert(id.to_owned(), problem["message"].as_str().context("a problem has words")?.to_owned());
    }
    stage.connect("hostile").await?;
    let ways = ["headers", "head", "body", "chunk", "after"];
    for (number, how) in ways.iter().enumerate() {
        let call = go(&stage, json!({ "how": how })).await?;
        if *how == "after" {
            ensure!(call["status"] == "ok", "what broke behind the answer took nothing away: {call}");
        } else {
            ensure!(call["status"] != "ok", "`{how}` is no answer: {call}");
            let message = call["error"]["message"].as_str().context("an error has words")?;
            reasons.insert((*how).to_owned(), message.to_owned());
        }
        ensure!(asked(&stage, "go")? == number + 1, "`{how}` was not sent again");
        if *how == "after" {
            // The next request may be on its way when the reset comes. Then it is lost, and not sent twice.
            stage.call("hostile", "echo", json!({ "text": "between" })).await?;
        }
        stage.still_answers("hostile").await?;
    }
    for (place, reason) in &reasons {
        stage.note(format!("{place}: {reason}"));
    }
    let distinct = |places: &[&str]| -> bool {
        let words: std::collections::BTreeSet<_> = places.iter().filter_map(|place| reasons.get(*place)).collect();
        words.len() == places.len()
    };
    ensure!(distinct(&["dns", "tcp", "tls", "headers", "body"]), "each place has words of its own: {reasons:?}");
    stage.conclude().await
}
