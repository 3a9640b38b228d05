//! What a well-behaved server answers, written without building a tree first.

use std::io::{self, Write};

use serde_json::{Value, json};
use sonde_demo::flood::Flood;

use crate::{options::Options, session::Request};

pub fn answer(out: &mut impl Write, request: &Request, options: &Options) -> io::Result<()> {
    let id = &request.id;
    match request.method.as_str() {
        "initialize" => result(out, id, &initialize(options)),
        // Nothing here has a level, but what is declared is answered.
        "ping" | "logging/setLevel" => result(out, id, &json!({})),
        "tools/list" => match list(&request.params, options) {
            Ok(page) => result(out, id, &page),
            Err(problem) => error(out, id, -32602, &problem),
        },
        "tools/call" => call(out, id, &request.params),
        stranger => error(out, id, -32601, &format!("there is no method `{stranger}`")),
    }
}

pub fn error(out: &mut impl Write, id: &Value, code: i32, message: &str) -> io::Result<()> {
    let error = json!({ "code": code, "message": message });
    writeln!(out, r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}

fn result(out: &mut impl Write, id: &Value, result: &Value) -> io::Result<()> {
    writeln!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

fn initialize(options: &Options) -> Value {
    json!({
        "protocolVersion": options.version,
        "capabilities": { "logging": {}, "tools": { "listChanged": true } },
        "serverInfo": { "name": "sonde-load", "version": env!("CARGO_PKG_VERSION") },
    })
}

fn call(out: &mut impl Write, id: &Value, params: &Value) -> io::Result<()> {
    let arguments = &params["arguments"];
    let integer = |name: &str, default: u64| arguments[name].as_u64().unwrap_or(default);
    match params["name"].as_str().unwrap_or_default() {
        "echo" => text(out, id, |out| {
            let text = arguments["text"].as_str().unwrap_or_default();
            Ok(serde_json::to_writer(out, text)?)
        }),
        "flood" => {
            let count = integer("count", 1000);
            let size = usize::try_from(integer("size", 100)).unwrap_or(usize::MAX);
            flood(out, Flood::new(count, size))?;
            text(out, id, |out| write!(out, "\"sent {count} notifications\""))
        }
        "bytes" => text(out, id, |out| {
            out.write_all(b"\"")?;
            repeat(out, integer("count", 1000))?;
            out.write_all(b"\"")
        }),
        stranger => error(out, id, -32602, &format!("there is no tool `{stranger}`")),
    }
}

/// A result with one text; `write` writes the text as a JSON string.
fn text<W: Write>(out: &mut W, id: &Value, write: impl Fn(&mut W) -> io::Result<()>) -> io::Result<()> {
    write!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"#)?;
    write(out)?;
    out.write_all(b"}]}}\n")
}

fn flood(out: &mut impl Write, mut flood: Flood) -> io::Result<()> {
    let mut batch = Vec::new();
    while !flood.is_over() {
        batch.clear();
        flood.fill(&mut batch)?;
        out.write_all(&batch)?;
    }
    Ok(())
}

/// Writes `count` bytes without holding them.
pub fn repeat(out: &mut impl Write, mut count: u64) -> io::Result<()> {
    const CHUNK: [u8; 16 * 1024] = [b'x'; 16 * 1024];
    while count > 0 {
        let length = CHUNK.len().min(usize::try_from(count).unwrap_or(usize::MAX));
        out.write_all(&CHUNK[..length])?;
        count -= length as u64;
    }
    Ok(())
}

/// One page of tools. A cursor is the number of the first tool on its page.
fn list(params: &Value, options: &Options) -> Result<Value, String> {
    let start = match &params["cursor"] {
        Value::Null => 0,
        // With this option the cursor never moves, so every page is the first page.
        _ if options.endless_cursor => 0,
        cursor => cursor
            .as_str()
            .and_then(|cursor| cursor.parse().ok())
            .filter(|start| *start < options.tools)
            .ok_or_else(|| format!("cursor {cursor} is not one of mine"))?,
    };
    let end = options.tools.min(start.saturating_add(options.page));
    let tools: Vec<Value> = (start..end).map(tool).collect();
    let mut page = json!({ "tools": tools });
    if options.endless_cursor {
        page["nextCursor"] = json!("again");
    } else if end < options.tools {
        page["nextCursor"] = json!(end.to_string());
    }
    Ok(page)
}

fn tool(number: usize) -> Value {
    let (name, properties) = match number {
        0 => ("echo".to_owned(), json!({ "text": { "type": "string" } })),
        1 => ("flood".to_owned(), json!({ "count": { "type": "integer" }, "size": { "type": "integer" } })),
        2 => ("bytes".to_owned(), json!({ "count": { "type": "integer" } })),
        _ => (format!("filler_{number}"), json!({ "value": { "type": "string", "description": "Not used" } })),
    };
    json!({
        "name": name,
        "description": format!("Tool number {number}"),
        "inputSchema": { "type": "object", "properties": properties },
    })
}
