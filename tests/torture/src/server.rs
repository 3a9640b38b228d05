//! The servers: one that is good, and some that are hard to get rid of.

use std::io::{self, BufRead, Write};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// What sleeps on purpose ends after this long, so that a failed run leaves nothing behind for ever.
const LONGEST_LIFE: Duration = Duration::from_secs(900);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// Answers, and ends with its input.
    Good,
    /// Answers, and talks all the time.
    Chatty,
    /// Reads, answers nothing, and ends with its input.
    Silent,
    /// Neither reads nor ends, not even by SIGTERM.
    Deaf,
    /// Ends at once.
    Hasty,
    /// Answers, but ignores the end of its input and SIGTERM, and has a daemon in a session of its own that does the same.
    Stubborn,
    /// What makes that daemon an orphan, and the daemon.
    Parent,
    Daemon,
}

const NAMES: &[(&str, Life)] = &[
    ("good", Life::Good),
    ("chatty", Life::Chatty),
    ("silent", Life::Silent),
    ("deaf", Life::Deaf),
    ("hasty", Life::Hasty),
    ("stubborn", Life::Stubborn),
    ("parent", Life::Parent),
    ("daemon", Life::Daemon),
];

impl Life {
    pub fn parse(word: &str) -> Result<Self> {
        match NAMES.iter().find(|(name, _)| *name == word) {
            Some((_, life)) => Ok(*life),
            None => bail!("`{word}` is no life of a server"),
        }
    }

    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, life)| *life == self).map_or("", |(name, _)| name)
    }

    /// Whether it answers `initialize`.
    pub fn becomes_ready(self) -> bool {
        matches!(self, Life::Good | Life::Chatty | Life::Stubborn)
    }
}

pub fn live(life: Life) -> Result<()> {
    match life {
        Life::Good => serve(),
        Life::Chatty => {
            std::thread::spawn(chatter);
            serve()
        }
        Life::Silent => Ok(io::copy(&mut io::stdin().lock(), &mut io::sink()).map(drop)?),
        Life::Deaf => sleep_on(),
        Life::Hasty => bail!("there is nothing to serve"),
        Life::Stubborn => {
            ignore_sigterm()?;
            start(Life::Parent)?.wait()?;
            serve()?;
            sleep_on()
        }
        Life::Parent => start(Life::Daemon).map(drop),
        Life::Daemon => {
            rustix::process::setsid()?;
            sleep_on()
        }
    }
}

fn sleep_on() -> Result<()> {
    ignore_sigterm()?;
    std::thread::sleep(LONGEST_LIFE);
    Ok(())
}

fn ignore_sigterm() -> Result<()> {
    // Setting a flag that nobody reads is how a signal is ignored without unsafe code.
    signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}

fn start(life: Life) -> Result<std::process::Child> {
    let mut command = Command::new(std::env::current_exe()?);
    // It keeps the pipes of the server open, as a careless daemon does.
    command.args(["serve", life.name()]);
    command.spawn().with_context(|| format!("the {} could not be started", life.name()))
}

fn serve() -> Result<()> {
    for line in io::stdin().lock().lines() {
        // A line that is no request needs no answer.
        let Ok(request) = serde_json::from_str::<Value>(&line?) else { continue };
        if let (Some(id), Some(method)) = (request.get("id"), request["method"].as_str())
            && let Some(result) = answer(method, &request["params"])
        {
            say(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))?;
        }
    }
    Ok(())
}

/// None where the answer is to be waited for in vain.
fn answer(method: &str, params: &Value) -> Option<Value> {
    let schema = json!({ "type": "object" });
    match method {
        "initialize" => Some(json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "torture", "version": "1" },
        })),
        "tools/list" => Some(json!({ "tools": [
            { "name": "echo", "inputSchema": schema }, { "name": "hold", "inputSchema": schema },
        ] })),
        "tools/call" if params["name"] == "hold" => None,
        "tools/call" => Some(json!({ "content": [{ "type": "text", "text": "here" }] })),
        _ => Some(json!({})),
    }
}

fn chatter() {
    let line =
        json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": "…" } });
    while say(&line).is_ok() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn say(message: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{message}")?;
    out.flush()
}
