//! A server that says again whatever it was told: its variables, its arguments, in every form that it can think of, in
//! results, errors, notifications, on its standard error, and beside the protocol.

use std::io::{BufRead as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let told = told();
    for (name, value) in &told {
        for form in forms(value) {
            let mut line = format!("{name}=").into_bytes();
            line.extend(form);
            line.push(b'\n');
            std::io::stderr().write_all(&line)?;
        }
    }
    say(&format!(
        "this is no message: {}",
        told.iter().map(|(_, value)| value.replace('\n', " ")).collect::<String>()
    ))?;
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?).unwrap_or_default();
        let Some(id) = request.get("id") else { continue };
        let reply = match request["method"].as_str().unwrap_or_default() {
            "initialize" => json!({ "result": {
                "protocolVersion": request["params"]["protocolVersion"],
                "capabilities": { "tools": {}, "logging": {} },
                "serverInfo": { "name": "parrot", "version": told[0].1 },
                "instructions": all(&told),
            } }),
            "tools/list" => json!({ "result": { "tools": [
                { "name": "say", "description": all(&told), "inputSchema": { "type": "object" } },
                { "name": "fail", "inputSchema": { "type": "object" } },
                { "name": "die", "inputSchema": { "type": "object" } },
            ] } }),
            "tools/call" => match request["params"]["name"].as_str().unwrap_or_default() {
                "say" => {
                    let message = json!({ "level": "info", "data": all(&told) });
                    say(&json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": message }).to_string())?;
                    said(&told, &request["params"]["arguments"])
                }
                "die" => {
                    told.iter().for_each(|(name, value)| eprintln!("dying with {name}: {value}"));
                    std::process::exit(3);
                }
                _ => json!({ "error": { "code": -32000, "message": all(&told), "data": said(&told, &Value::Null) } }),
            },
            _ => json!({ "result": {} }),
        };
        let mut message = json!({ "jsonrpc": "2.0", "id": id });
        if let (Some(message), Some(reply)) = (message.as_object_mut(), reply.as_object()) {
            message.extend(reply.clone());
        }
        say(&message.to_string())?;
    }
    Ok(())
}

/// What it was given to keep.
fn told() -> Vec<(String, String)> {
    let own = std::env::vars().filter(|(name, _)| name.starts_with("CANARY_"));
    let args = std::env::args().skip(1).enumerate().map(|(place, arg)| (format!("ARG_{place}"), arg));
    own.chain(args).collect()
}

fn all(told: &[(String, String)]) -> String {
    told.iter().map(|(name, value)| format!("{name} is {value}. ")).collect()
}

fn said(told: &[(String, String)], arguments: &Value) -> Value {
    let object: serde_json::Map<String, Value> =
        told.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
    let within = Value::from(object.clone()).to_string();
    let mut content: Vec<Value> = told
        .iter()
        .flat_map(|(_, value)| forms(value))
        .map(|form| json!({ "type": "text", "text": String::from_utf8_lossy(&form) }))
        .collect();
    content.push(json!({ "type": "text", "text": Value::from(within.as_str()).to_string() }));
    content.push(json!({ "type": "text", "text": within.clone() }));
    content.push(json!({ "type": "text", "text": arguments.to_string() }));
    let blob = STANDARD.encode(&within);
    content.push(json!({ "type": "resource", "resource": { "uri": "parrot://all", "blob": blob } }));
    json!({ "result": { "content": content, "structuredContent": object } })
}

fn forms(value: &str) -> Vec<Vec<u8>> {
    let json = Value::from(value).to_string();
    let ascii: String = value.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
    let percent = |upper: bool| {
        let byte = |byte: u8| if upper { format!("%{byte:02X}") } else { format!("%{byte:02x}") };
        value
            .bytes()
            .map(|own| if own.is_ascii_alphanumeric() { char::from(own).to_string() } else { byte(own) })
            .collect::<String>()
    };
    let mut forms: Vec<Vec<u8>> =
        [json.clone(), json.replace('/', "\\/"), Value::from(json).to_string(), ascii, percent(true), percent(false)]
            .into_iter()
            .chain([percent(true).replace("%20", "+"), value.replace('\n', " ")])
            .map(String::into_bytes)
            .collect();
    for before in ["", "x", "xy"] {
        let text = format!("{before}{value}");
        forms.extend([STANDARD.encode(&text).into_bytes(), URL_SAFE.encode(&text).into_bytes()]);
    }
    let wide: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
    if !wide.contains(&b'\n') {
        forms.push(wide);
    }
    forms
}

fn say(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
