//! Files of variables: what they bring in is part of what a person says yes to. For C2, C3, C8 and S24.

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};
use sonde_app::Asked;

use super::consent::{asks, healthy, nothing_runs, pending};
use crate::secrets::Hidden;
use crate::stage::{Entry, Plan, Stage, approve};

const FILE: &str = "vars.env";

/// The names are for whoever is asked; this is for the server alone.
const VALUE: &str = "canary-of-an-env-file-5Hw";

/// A server whose variables stand in a file of the project, by a path that is relative to it.
pub fn entry(plan: &Plan, id: &str) -> Entry {
    healthy(plan, id).with("envFile", json!(FILE))
}

fn path(stage: &Stage) -> PathBuf {
    stage.project().join(FILE)
}

/// C2: the file and the names in it are shown, what could run code is told in words, and no value is.
pub fn shows(stage: &Stage, id: &str) -> Result<()> {
    std::fs::write(path(stage), format!("LD_PRELOAD=/tmp/x.so\nFILE_TOKEN={VALUE}\n"))?;
    let pending = pending(stage, id)?;
    let facts: String = pending.facts().into_iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    for wanted in [FILE, "LD_PRELOAD", "FILE_TOKEN"] {
        ensure!(facts.contains(wanted), "`{wanted}` is shown: {facts}");
    }
    let told = pending.risks.iter().any(|risk| risk.contains("LD_PRELOAD"));
    ensure!(told, "what loads code is told in words: {:?}", pending.risks);
    let seen = format!("{facts} {pending:?}");
    let found = Hidden::of([("FILE_TOKEN", VALUE)]).found_in("an approval", seen.as_bytes());
    ensure!(found.is_empty(), "{found:?}");
    Ok(())
}

/// C3: another file in the place of the one that was approved.
pub async fn replaced(stage: &Stage, id: &str) -> Result<()> {
    const GOOD: &str = "REGION=eu\n";
    let is_approved = || Ok::<_, anyhow::Error>(pending(stage, id)?.again.is_none());
    std::fs::write(path(stage), GOOD)?;
    approve(&stage.door, id)?;
    stage.connect_approved(id).await?;
    stage.disconnect(id).await?;
    for text in ["REGION=eu\nLD_PRELOAD=/tmp/x.so\n", "REGION=eu\nNODE_OPTIONS=--require ./x.js\n"] {
        std::fs::write(path(stage), text)?;
        asks(stage, id, "variables that nobody has seen").await?;
    }
    std::fs::remove_file(path(stage))?;
    stage.refused("connect_server", json!({ "server": id })).await?;
    let elsewhere = stage.project().join("elsewhere.env");
    std::fs::write(&elsewhere, "PYTHONPATH=/tmp/x\n")?;
    std::os::unix::fs::symlink(&elsewhere, path(stage))?;
    asks(stage, id, "a link in the place of the file").await?;
    std::fs::remove_file(path(stage))?;
    std::fs::write(path(stage), GOOD)?;
    ensure!(is_approved()?, "the same content, written anew, is what was approved");
    Ok(())
}

/// C8: an entry that was approved without a file of variables gets one.
pub async fn added(stage: &Stage, id: &str, good: &str) -> Result<()> {
    std::fs::write(path(stage), "LD_PRELOAD=/tmp/x.so\n")?;
    let configuration = stage.project().join(".mcp.json");
    let mut file: Value = serde_json::from_str(good)?;
    file["mcpServers"][id]["envFile"] = json!(FILE);
    std::fs::write(&configuration, file.to_string())?;
    stage.door.app.reload().await;
    asks(stage, id, "a file of variables that was put behind an approval").await?;
    nothing_runs(stage, "after it was refused")?;
    std::fs::write(&configuration, good)?;
    stage.door.app.reload().await;
    stage.connect_approved(id).await?;
    Ok(())
}

/// S24: what stands in the file arrives after a person has seen its name, and nothing of ours with it.
pub async fn arrives(stage: &Stage, id: &str) -> Result<()> {
    std::fs::write(path(stage), format!("FILE_TOKEN={VALUE}\nNODE_OPTIONS=--require ./x\n"))?;
    let pending = pending(stage, id)?;
    let Asked::Command { .. } = &pending.asked else { bail!("a command is asked about: {pending:?}") };
    let told = pending.risks.iter().any(|risk| risk.contains("NODE_OPTIONS"));
    ensure!(told, "`NODE_OPTIONS` is told in words: {:?}", pending.risks);
    stage.connect(id).await?;
    let names: Vec<String> = serde_json::from_str(&stage.answer(id, "tell", json!({})).await?)?;
    ensure!(names.iter().any(|name| name == "FILE_TOKEN"), "its variables arrive: {names:?}");
    for (name, _) in crate::secrets::OURS {
        ensure!(!names.iter().any(|seen| seen == name), "`{name}` came with them: {names:?}");
    }
    stage.disconnect(id).await?;
    let found = Hidden::of([("FILE_TOKEN", VALUE)]).found_under(&stage.folder.path().join("data"))?;
    ensure!(found.is_empty(), "{found:?}");
    Ok(())
}
