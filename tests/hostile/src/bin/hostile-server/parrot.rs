//! A server that says everything again that it was given in confidence, in every form it can think of.

use std::io;
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use serde_json::{Value, json};

use crate::options::Options;
use crate::peer::{self, Act, serve, tool};
use crate::wire::Wire;

/// X1, X2, X4. `go` answers with all of it and says it on stderr and in a notification; with `how: error` the answer is
/// an error; `how: die` ends it with last words.
pub fn repeats(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    let said = said();
    let mut died = false;
    serve(wire, |wire, message| {
        let (Some("go"), Some(id)) = (tool(message), &message.id) else { return Ok(Act::Ordinary) };
        // As it is, and in two bytes for each letter.
        wire.err.line(&said.to_string())?;
        let wide: Vec<u8> = values().join(" ").encode_utf16().flat_map(u16::to_le_bytes).collect();
        wire.err.write(&[b"wide: ", wide.as_slice(), b"\n"].concat())?;
        match peer::arguments(message)["how"].as_str() {
            Some("error") => {
                let error = json!({ "code": -32000, "message": said.to_string(), "data": said });
                wire.out.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))?;
            }
            Some("die") => {
                wire.err.line(&format!("dying with {said}"))?;
                died = true;
                return Ok(Act::Leave);
            }
            _ => {
                let news = json!({ "level": "info", "data": said });
                wire.out.line(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{news}}}"#))?;
                let content = json!([{ "type": "text", "text": said.to_string() }]);
                peer::result(wire, id, &json!({ "content": content, "structuredContent": { "said": said } }))?;
            }
        }
        Ok(Act::Done)
    })?;
    Ok(if died { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What it was given: every variable that is meant for it, and the words behind `--`.
fn values() -> Vec<String> {
    let variables = std::env::vars().filter(|(_, value)| value.contains("canary-")).map(|(_, value)| value);
    variables.chain(std::env::args().skip_while(|word| word != "--").skip(1)).collect()
}

fn said() -> Value {
    let forms = values().into_iter().map(|value| {
        let percent: String = value.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let url = URL_SAFE.encode(format!("xy{value}"));
        let twice = Value::from(Value::from(value.as_str()).to_string());
        json!([value, twice, STANDARD.encode(&value), STANDARD.encode(format!("x{value}")), url, percent])
    });
    Value::Array(forms.collect())
}
