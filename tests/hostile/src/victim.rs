//! An app that is going to be killed: it connects its server, says so, and waits for its end.

use std::io::{BufRead, Write};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use integration::Door;
use serde_json::json;
use sonde_app::{App, DataFolder, Setup, Supervisor};

use crate::stage::{approve, server, told};

/// Opens the profile in `folder`, connects `hostile`, prints `ready`, and does what stdin then says.
pub fn live(folder: &Path) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("the runtime cannot start")?;
    let door = runtime.block_on(open(folder))?;
    let mut order = String::new();
    println!("ready");
    std::io::stdout().flush()?;
    loop {
        order.clear();
        if std::io::stdin().lock().read_line(&mut order)? == 0 {
            return Ok(());
        }
        match order.trim() {
            "panic" => bring_down(),
            "abort" => std::process::abort(),
            "exit" => std::process::exit(7),
            "call" => {
                let state = runtime.block_on(call(&door))?;
                println!("{state}");
                std::io::stdout().flush()?;
            }
            other => bail!("nobody knows the order `{other}`"),
        }
    }
}

#[expect(clippy::panic, reason = "the case is about an app that panics")]
fn bring_down() {
    panic!("as ordered");
}

async fn open(folder: &Path) -> Result<Door> {
    let data = DataFolder::open(Some(folder.join("data"))).context("the data folder can be made")?;
    let mut setup = Setup::here(data, Some(folder.join("project"))).context("the set-up of this machine")?;
    setup.config = None;
    setup.supervisor = Supervisor::current()?;
    setup.demo_program = std::env::current_exe()?;
    let door = Door { app: App::open(setup).await.map_err(told)? };
    approve(&door, "hostile")?;
    door.call("connect_server", json!({ "server": "hostile" })).await.map_err(told)?;
    let mut since = 0;
    loop {
        let changes = door.call("wait_changes", json!({ "since": since })).await.map_err(told)?;
        since = changes["revision"].as_u64().context("a revision is a number")?;
        let server = server(&door, "hostile").await?;
        if server["state"] == "ready" {
            return Ok(door);
        }
        ensure!(server["state"] != "failed", "it does not start: {}", server["problem"]);
    }
}

/// One call, from asking to its end; gives its status.
async fn call(door: &Door) -> Result<String> {
    let request = json!({ "server": "hostile", "tool": "echo", "arguments": r#"{"text":"x"}"# });
    let mut call = door.call("call_tool", request).await.map_err(told)?;
    let mut since = 0;
    while call["status"] == "running" {
        let changes = door.call("wait_changes", json!({ "since": since })).await.map_err(told)?;
        since = changes["revision"].as_u64().context("a revision is a number")?;
        call = door.call("read_call", json!({ "call": call["id"] })).await.map_err(told)?;
    }
    Ok(call["status"].as_str().unwrap_or_default().to_owned())
}
