//! An answer that was too long to be taken still ends its call: nobody should wait for what has come and gone.

use std::sync::Arc;

use sonde_protocol::{Cut, Frame, Settlement};

use crate::call::CallError;
use crate::client::Client;

/// How much of the beginning is looked at for the id.
const LOOKED_AT: usize = 64 << 10;

/// Ends the call that a cut message answers, as far as its beginning tells.
pub(crate) async fn end_call(client: &Client, frame: &Frame, cut: Cut) {
    let beginning = frame.body.bytes.get(..LOOKED_AT).unwrap_or(&frame.body.bytes);
    let id: Option<Arc<str>> = match look(beginning) {
        Seen::Answer(id) => Some(id.into()),
        // It can only be the answer to the one request that there is.
        Seen::Nameless => client.pending().only().map(|id| id.get().into()),
        Seen::Other => None,
    };
    let Some(id) = id else { return };
    let Some(waiting) = client.pending().take(&id) else { return };
    client.shared().tap.settle(&id, Settlement::Oversized(cut.size)).await;
    waiting.slot.finish(Err(CallError::Oversized(cut.size)));
    // It was answered, so it was sent; only the stream that it came on need not be read on.
    client.shared().outbound.give_up(&id);
}

#[derive(Debug, PartialEq, Eq)]
enum Seen<'a> {
    /// No member `method` stands before this id.
    Answer(&'a str),
    /// An answer whose id is not among what was kept.
    Nameless,
    /// A request, a notification, or no message at all.
    Other,
}

/// Looks for the id or the method among the members of an object whose end is missing.
fn look(text: &[u8]) -> Seen<'_> {
    let mut depth = 0_u32;
    let mut place = 0;
    let mut seen = Seen::Other;
    while let Some(byte) = text.get(place) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let Some(end) = end_of_string(text, place) else { return seen };
                let behind = skip_space(text, end);
                if depth == 1 && text.get(behind) == Some(&b':') {
                    match text.get(place..end) {
                        Some(b"\"method\"") => return Seen::Other,
                        Some(b"\"result\"" | b"\"error\"") => seen = Seen::Nameless,
                        Some(b"\"id\"") => return value(text, skip_space(text, behind + 1)),
                        _ => {}
                    }
                }
                place = end;
                continue;
            }
            _ => {}
        }
        place += 1;
    }
    seen
}

fn value(text: &[u8], start: usize) -> Seen<'_> {
    let end = match text.get(start) {
        Some(b'"') => end_of_string(text, start),
        _ => text.iter().skip(start).position(|byte| b",} \t\r\n".contains(byte)).map(|length| start + length),
    };
    match end.and_then(|end| std::str::from_utf8(text.get(start..end)?).ok()) {
        Some(id) => Seen::Answer(id),
        None => Seen::Other,
    }
}

/// Behind the closing quotation mark of the string that begins at `start`.
fn end_of_string(text: &[u8], start: usize) -> Option<usize> {
    let mut place = start + 1;
    loop {
        match text.get(place)? {
            b'"' => return Some(place + 1),
            b'\\' => place += 2,
            _ => place += 1,
        }
    }
}

fn skip_space(text: &[u8], start: usize) -> usize {
    let space = text.iter().skip(start).take_while(|byte| byte.is_ascii_whitespace()).count();
    start + space
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_where_it_stands_before_the_rest() {
        for (text, seen) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"a":["#, Seen::Answer("7")),
            (r#"{ "id" : "x\"y" , "result": "aaa"#, Seen::Answer(r#""x\"y""#)),
            (r#"{"result":{"id":9,"content":"aaaa"#, Seen::Nameless),
            (r#"{"method":"notifications/message","params":{"id":1"#, Seen::Other),
            (r#"{"id":3,"method":"sampling/createMessage""#, Seen::Answer("3")),
            (r#"{"result":"the \"id\": 5 of"#, Seen::Nameless),
            ("", Seen::Other),
            ("xxxxxxxx", Seen::Other),
            (r#"{"id":12"#, Seen::Other),
        ] {
            assert_eq!(look(text.as_bytes()), seen, "{text}");
        }
    }
}
