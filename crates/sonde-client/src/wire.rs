//! The messages we write. They are built here and nowhere else.

mod object;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(crate) use object::{Extras, Token, compose, with_meta};

/// Whether params that a person wrote ask for a task, where the method can become one.
pub(crate) fn wishes_task(method: &str, params: Option<&RawValue>) -> bool {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        task: Option<&'a RawValue>,
    }
    // Hardly ever do they, and they may be long.
    params.filter(|params| params.get().contains("\"task\"")).is_some_and(|params| {
        sonde_protocol::method(method).is_some_and(|method| method.as_task.is_some())
            && serde_json::from_str::<Params<'_>>(params.get()).is_ok_and(|params| params.task.is_some())
    })
}

/// JSON of our own making.
pub(crate) fn literal(text: impl Into<String>) -> Box<RawValue> {
    RawValue::from_string(text.into()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// A request whose params are as they were written, but for what `extras` adds to them.
pub(crate) fn request(
    id: &str,
    method: &str,
    params: Option<&RawValue>,
    extras: &Extras<'_>,
) -> Result<(Vec<u8>, Token), serde_json::Error> {
    let mut message = Vec::with_capacity(96 + method.len() + params.map_or(0, |params| params.get().len()));
    message.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    message.extend_from_slice(id.as_bytes());
    message.extend_from_slice(br#","method":"#);
    serde_json::to_writer(&mut message, method)?;
    let token = compose(&mut message, params, extras)?;
    message.push(b'}');
    Ok((one_line(message), token))
}

pub(crate) fn notification<P: Serialize>(method: &str, params: Option<&P>) -> Result<Vec<u8>, serde_json::Error> {
    let mut message = br#"{"jsonrpc":"2.0","method":"#.to_vec();
    serde_json::to_writer(&mut message, method)?;
    if let Some(params) = params {
        message.extend_from_slice(br#","params":"#);
        serde_json::to_writer(&mut message, params)?;
    }
    message.push(b'}');
    Ok(one_line(message))
}

pub(crate) fn result(id: &str, result: &str) -> Vec<u8> {
    let mut message = Vec::with_capacity(40 + id.len() + result.len());
    message.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    message.extend_from_slice(id.as_bytes());
    message.extend_from_slice(br#","result":"#);
    message.extend_from_slice(result.as_bytes());
    message.push(b'}');
    one_line(message)
}

pub(crate) fn error(id: &str, code: i64, text: &str, data: Option<&RawValue>) -> Result<Vec<u8>, serde_json::Error> {
    #[derive(Serialize)]
    struct Error<'a> {
        code: i64,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<&'a RawValue>,
    }
    let mut message = Vec::with_capacity(80 + id.len() + text.len());
    message.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    message.extend_from_slice(id.as_bytes());
    message.extend_from_slice(br#","error":"#);
    serde_json::to_writer(&mut message, &Error { code, message: text, data })?;
    message.push(b'}');
    Ok(one_line(message))
}

/// Many messages as one array.
pub(crate) fn array<'a>(messages: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut array = vec![b'['];
    for message in messages {
        if array.len() > 1 {
            array.push(b',');
        }
        array.extend_from_slice(message);
    }
    array.push(b']');
    array
}

/// One message is one line. JSON has line breaks only between its parts, where a space means the same.
fn one_line(mut message: Vec<u8>) -> Vec<u8> {
    if message.contains(&b'\n') || message.contains(&b'\r') {
        for byte in &mut message {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    message
}

/// Longest text of a server that is carried along; the log has the whole of it.
const LONGEST_TEXT: usize = 4000;

pub(crate) fn clip(text: &str) -> String {
    clip_to(text, LONGEST_TEXT)
}

pub(crate) fn clip_to(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
