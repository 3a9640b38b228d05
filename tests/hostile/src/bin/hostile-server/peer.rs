//! The well-behaved half: handshake, tools, answers. A case changes what it wants to be different.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};

use crate::options::Options;
use crate::wire::{Incoming, Wire};

/// What sleeps on purpose ends after this long, so that a failed run leaves nothing behind.
pub const LONGEST_LIFE: Duration = Duration::from_secs(600);

/// What a case made of a request.
pub enum Act {
    /// It is dealt with.
    Done,
    /// Let the well-behaved half answer.
    Ordinary,
    /// Stop serving.
    Leave,
}

pub fn healthy(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |_, _| Ok(Act::Ordinary))?;
    Ok(ExitCode::SUCCESS)
}

/// Serves until the client closes our input or the case wants to leave. The case sees each request first.
/// Calls of `hold` are kept until `release` is called, and answered then, oldest first.
pub fn serve(wire: &mut Wire, mut case: impl FnMut(&mut Wire, &Incoming) -> io::Result<Act>) -> io::Result<()> {
    let mut held = Vec::new();
    while let Some(message) = wire.next()? {
        match case(wire, &message)? {
            Act::Done => continue,
            Act::Leave => return Ok(()),
            Act::Ordinary => {}
        }
        let Some(id) = &message.id else { continue };
        match tool(&message) {
            Some("hold") => held.push(id.clone()),
            Some("release") => {
                for id in held.drain(..) {
                    text(wire, &id, "released")?;
                }
                text(wire, id, "done")?;
            }
            _ => answer(wire, id, &message)?,
        }
    }
    Ok(())
}

/// Serves, and does the mischief each time `go` is called; the call is answered afterwards.
pub fn serve_and_go(wire: &mut Wire, mut go: impl FnMut(&mut Wire, &str, &Value) -> io::Result<()>) -> io::Result<()> {
    serve(wire, |wire, message| match (tool(message), &message.id) {
        (Some("go"), Some(id)) => {
            go(wire, id, arguments(message))?;
            text(wire, id, "gone").map(|()| Act::Done)
        }
        _ => Ok(Act::Ordinary),
    })
}

/// The tool that is called, if one is.
pub fn tool(message: &Incoming) -> Option<&str> {
    (message.method == "tools/call").then(|| message.params["name"].as_str()).flatten()
}

pub fn arguments(message: &Incoming) -> &Value {
    &message.params["arguments"]
}

pub fn number(arguments: &Value, name: &str, default: u64) -> u64 {
    arguments[name].as_u64().unwrap_or(default)
}

pub fn result(wire: &mut Wire, id: &str, result: &Value) -> io::Result<()> {
    wire.out.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
}

pub fn text(wire: &mut Wire, id: &str, text: &str) -> io::Result<()> {
    result(wire, id, &json!({ "content": [{ "type": "text", "text": text }] }))
}

pub fn handshake(version: &str, capabilities: &Value) -> Value {
    let info = json!({ "name": "hostile", "version": "1" });
    json!({ "protocolVersion": version, "capabilities": capabilities, "serverInfo": info })
}

/// Sleeps on, whatever happens.
pub fn sleep_on() {
    std::thread::sleep(LONGEST_LIFE);
}

fn answer(wire: &mut Wire, id: &str, message: &Incoming) -> io::Result<()> {
    match message.method.as_str() {
        "initialize" => {
            let version = message.params["protocolVersion"].as_str().unwrap_or("2025-11-25");
            let capabilities = json!({ "tools": { "listChanged": true }, "logging": {} });
            result(wire, id, &handshake(version, &capabilities))
        }
        "ping" | "logging/setLevel" => result(wire, id, &json!({})),
        "tools/list" => result(wire, id, &json!({ "tools": tools() })),
        "tools/call" => match tool(message) {
            Some("echo") => text(wire, id, arguments(message)["text"].as_str().unwrap_or_default()),
            _ => refuse(wire, id, -32602, "there is no such tool"),
        },
        _ => refuse(wire, id, -32601, "there is no such method"),
    }
}

fn refuse(wire: &mut Wire, id: &str, code: i32, message: &str) -> io::Result<()> {
    wire.out.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#))
}

/// What every case lists: its own mischief is under `go`.
pub fn tools() -> Value {
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    json!(["echo", "go", "hold", "release", "tell"].map(tool))
}
