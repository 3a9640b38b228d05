//! The least that a program must do to call a tool once: start the server, shake hands, call, wait for its end.
//!
//!   sonde-minimal SERVER
//!
//! It records nothing, checks nothing and leaves no time for anything: the measure for `sonde call`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

fn main() -> ExitCode {
    match call() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sonde-minimal: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn call() -> Result<()> {
    let server = std::env::args_os().nth(1).context("which server?")?;
    let mut server = Command::new(server).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (Some(mut stdin), Some(stdout)) = (server.stdin.take(), server.stdout.take()) else {
        anyhow::bail!("the server has no pipes");
    };
    let mut stdout = BufReader::new(stdout);
    let info = json!({ "name": "minimal", "version": "0" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    writeln!(stdin, "{}", json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }))?;
    let answer = read(&mut stdout)?;
    ensure!(answer["result"]["protocolVersion"].is_string(), "no handshake: {answer}");
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let params = json!({ "name": "echo", "arguments": { "text": "once" } });
    let request = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
    write!(stdin, "{initialized}\n{request}\n")?;
    let answer = read(&mut stdout)?;
    ensure!(answer["result"]["content"].is_array(), "no result: {answer}");
    println!("{}", answer["result"]);
    drop(stdin);
    server.wait()?;
    Ok(())
}

fn read(stdout: &mut impl BufRead) -> Result<Value> {
    let mut line = String::new();
    stdout.read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}
