//! The app that is killed: several servers, always busy. It never ends by itself.

use std::io::Write;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use crate::arguments::Round;
use crate::door::Door;
use crate::kernel;
use crate::server::Life;

/// The servers that every app has, by name.
pub const SERVERS: &[(&str, Life)] = &[
    ("good", Life::Good),
    ("chatty", Life::Chatty),
    ("silent", Life::Silent),
    ("deaf", Life::Deaf),
    ("stubborn", Life::Stubborn),
];

#[tokio::main]
pub async fn run(round: &Round) -> Result<()> {
    kernel::die_with_parent()?;
    let mut dice = fastrand::Rng::with_seed(round.seed);
    tell("awake")?;
    let door = Door::open(round).await?;
    tell("open")?;
    let mut servers = SERVERS.to_vec();
    dice.shuffle(&mut servers);
    for (name, _) in &servers {
        door.approve(name)?;
        tell("approved")?;
    }
    for (name, _) in &servers {
        door.connect(name).await?;
        tell("connecting")?;
    }
    for (name, _) in servers.iter().filter(|(_, life)| life.becomes_ready()) {
        let state = door.until_state(name, &["ready", "failed", "stopped"]).await?;
        // The judge may kill a supervisor first, and then us.
        tell(&state)?;
    }
    loop {
        let tool = if dice.bool() { "echo" } else { "hold" };
        // Refused once the judge has killed the server's supervisor, which is none of our business.
        if let Err(error) = door.ask("call_tool", json!({ "server": "good", "tool": tool, "arguments": "{}" })).await {
            tell(&format!("refused: {error}"))?;
        }
        if dice.u8(..) < 32 {
            door.disconnect("silent").await?;
            door.until_state("silent", &["stopped", "failed"]).await?;
            door.connect("silent").await?;
        }
        tell("busy")?;
        tokio::time::sleep(std::time::Duration::from_millis(dice.u64(1..20))).await;
    }
}

/// Opens the log after the last kill; tells how many rows it has, and how many still wait for an answer.
#[tokio::main]
pub async fn inspect(round: &Round) -> Result<()> {
    let door = Door::open(round).await?;
    let page = door.ask("query_log", json!({ "view": {}, "first": i64::MAX, "count": 500 })).await?;
    let (Some(total), Some(rows)) = (page["total"].as_u64(), page["rows"].as_array()) else {
        bail!("the log gives no page: {page}");
    };
    let pending = rows.iter().filter(|row: &&Value| row["status"] == "pending").count();
    door.close().await?;
    tell(&format!("{total} {pending}"))
}

/// One line to the judge, who counts them.
fn tell(what: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{what}")?;
    Ok(out.flush()?)
}
