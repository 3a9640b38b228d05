//! An app that is going to be killed: it connects its server, says so, and waits for its end.

use std::io::{BufRead, Write};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use integration::Door;
use serde_json::{Value, json};
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
                say(&state)?;
            }
            "known" => say(&runtime.block_on(known(&door))?.to_string())?,
            "remove" => {
                runtime.block_on(door.call("remove_server", json!({ "server": "keeps" }))).map_err(told)?;
                say("removed")?;
            }
            connect if connect.starts_with("connect ") => {
                let request = json!({ "server": connect.trim_start_matches("connect ") });
                let answer = runtime.block_on(door.call("connect_server", request));
                let code = answer.err().map(|error| serde_json::to_value(error.code)).transpose()?;
                say(code.as_ref().and_then(Value::as_str).unwrap_or("connected"))?;
            }
            keep if keep.starts_with("keep ") => {
                let value = keep.trim_start_matches("keep ").to_owned();
                say(&runtime.block_on(keep_secret(&door, &value))?.to_string())?;
            }
            other => bail!("nobody knows the order `{other}`"),
        }
    }
}

fn say(text: &str) -> Result<()> {
    println!("{text}");
    Ok(std::io::stdout().flush()?)
}

/// Gives the server `keeps` its secret, and calls another one meanwhile.
async fn keep_secret(door: &Door, value: &str) -> Result<Value> {
    let request = json!({ "server": "keeps", "kind": "secret", "name": "KEPT", "value": value });
    let (kept, called) = tokio::join!(door.call("set_secret", request), call(door));
    kept.map_err(told)?;
    let mut known = known(door).await?;
    known["called"] = json!(called?);
    Ok(known)
}

/// Where its secrets are kept, and whether it has this one.
async fn known(door: &Door) -> Result<Value> {
    let list = door.call("list_secrets", json!({ "server": "keeps" })).await.map_err(told)?;
    let secrets = list["secrets"].as_array().context("a list of secrets")?;
    let own = secrets.iter().find(|secret| secret["name"] == "KEPT").context("it is listed")?;
    Ok(json!({ "keeper": list["keeper"], "known": own["known"] }))
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
