//! From bytes to a [`Message`]. Total: every input gives a message and the list of what is wrong with it.

mod members;
mod text;

use std::borrow::Cow;

use serde_json::value::RawValue;

use members::{Members, Text};
use text::{DEEPEST, is_deeper_than, is_utf16};

use crate::finding::{Code, Finding};
use crate::members::FirstItems;
use crate::message::{ErrorObject, Id, Item, Message, Notification, Outcome, Request, Response};

/// Reads one frame as a message. Never fails: what cannot be understood is
/// kept as [`Message::Opaque`] and explained by the findings.
pub fn parse(frame: &[u8]) -> (Message<'_>, Vec<Finding>) {
    let mut findings = Vec::new();
    let message = read(frame, &mut findings);
    (message, findings)
}

fn read<'a>(frame: &'a [u8], findings: &mut Vec<Finding>) -> Message<'a> {
    let text = match std::str::from_utf8(frame) {
        Ok(text) => text,
        Err(error) => {
            findings.push(if is_utf16(frame) {
                utf16()
            } else {
                Finding::new(Code::InvalidUtf8, format!("byte {} is not valid UTF-8", error.valid_up_to()))
            });
            return Message::Opaque;
        }
    };
    // A NUL is a character of UTF-8, so Latin text in UTF-16 passes for it.
    if frame.contains(&0) && is_utf16(frame) {
        findings.push(utf16());
        return Message::Opaque;
    }
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => {
            findings.push(Finding::new(Code::ByteOrderMark, "the line begins with a byte order mark"));
            rest
        }
        None => text,
    };
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    if is_deeper_than(text.as_bytes(), DEEPEST) {
        let message = format!("it is nested more than {DEEPEST} levels deep; its content is not looked into");
        findings.push(Finding::new(Code::TooDeep, message));
    }
    match text.as_bytes().first() {
        None => {
            findings.push(Finding::new(Code::EmptyLine, "the line is empty"));
            Message::Opaque
        }
        Some(b'[') => read_batch(text, findings),
        Some(_) => read_line(text, findings),
    }
}

/// One message; or several that only a carriage return separates, as once on some systems a line ended.
fn read_line<'a>(text: &'a str, findings: &mut Vec<Finding>) -> Message<'a> {
    let before = findings.len();
    let message = read_object(text, findings);
    if !matches!(message, Message::Opaque) || !text.contains('\r') {
        return message;
    }
    // No JSON string has a bare carriage return, so no message can be torn apart by this.
    let parts = text.split('\r').map(str::trim).filter(|part| !part.is_empty());
    let items: Vec<_> = parts.take(MOST_ITEMS + 1).map(read_item).collect();
    if items.len() > MOST_ITEMS || items.iter().any(|item| matches!(item.message, Message::Opaque)) {
        return message;
    }
    findings.truncate(before);
    let problem = format!("{} messages stand on one line, separated by carriage returns", items.len());
    findings.push(Finding::new(Code::CarriageReturn, problem));
    Message::Batch(items)
}

fn utf16() -> Finding {
    Finding::new(Code::InvalidUtf8, "the line looks like UTF-16; messages must be UTF-8")
}

/// A larger batch is no conversation: each message would become a row, and one line millions of them.
const MOST_ITEMS: usize = 1000;

fn read_batch<'a>(text: &'a str, findings: &mut Vec<Finding>) -> Message<'a> {
    match serde_json::from_str::<FirstItems<'a, MOST_ITEMS>>(text) {
        Ok(FirstItems { count, .. }) if count > MOST_ITEMS => {
            let message = format!("a batch of {count} messages; more than {MOST_ITEMS} are not taken apart");
            findings.push(Finding::new(Code::Batch, message));
            Message::Opaque
        }
        Ok(FirstItems { first, count }) => {
            findings.push(Finding::new(Code::Batch, format!("a batch of {count} messages")));
            Message::Batch(first.into_iter().map(|item| read_item(item.get())).collect())
        }
        Err(error) => {
            findings.push(not_json(&error));
            Message::Opaque
        }
    }
}

fn read_item(text: &str) -> Item<'_> {
    let mut findings = Vec::new();
    Item { message: read_object(text, &mut findings), findings, text }
}

fn read_object<'a>(text: &'a str, findings: &mut Vec<Finding>) -> Message<'a> {
    if !text.starts_with('{') {
        findings.push(match serde_json::from_str::<&RawValue>(text) {
            Ok(_) => Finding::new(Code::NotAnObject, "the line is JSON but not an object"),
            Err(error) => not_json(&error),
        });
        return Message::Opaque;
    }
    match serde_json::from_str::<Members<'a>>(text) {
        Ok(members) => classify(members, findings),
        Err(error) => {
            findings.push(not_json(&error));
            Message::Opaque
        }
    }
}

fn not_json(error: &serde_json::Error) -> Finding {
    Finding::new(Code::NotJson, format!("not JSON: {error}"))
}

fn classify<'a>(members: Members<'a>, findings: &mut Vec<Finding>) -> Message<'a> {
    for name in &members.duplicates {
        findings
            .push(Finding::new(Code::DuplicateMember, format!("`{name}` stands more than once; the last one counts")));
    }
    // Both are members of an error, and only there.
    let misplaced = [("code", members.code), ("message", members.message)];
    let misplaced = misplaced.iter().filter(|(_, value)| value.is_some()).map(|(name, _)| *name);
    for name in members.unknown.iter().map(String::as_str).chain(misplaced) {
        findings.push(Finding::new(Code::UnknownMember, format!("`{name}` is not a member of a JSON-RPC message")));
    }
    match members.jsonrpc.map(RawValue::get) {
        Some("\"2.0\"") => {}
        Some(other) => {
            findings.push(Finding::new(Code::WrongVersion, format!("`jsonrpc` is {}, not \"2.0\"", clip(other))))
        }
        None => findings.push(Finding::new(Code::WrongVersion, "`jsonrpc` is missing")),
    }
    match members {
        Members { method: Some(method), id, params, result, error, .. } => {
            let misplaced = [("result", result), ("error", error)];
            for (name, _) in misplaced.iter().filter(|(_, value)| value.is_some()) {
                let message = format!("`{name}` stands beside `method`; the message counts as a request");
                findings.push(Finding::new(Code::UnknownMember, message));
            }
            read_call(method, id, params, findings)
        }
        Members { result: Some(result), error, id, .. } => {
            if error.is_some() {
                findings
                    .push(Finding::new(Code::ResultAndError, "both `result` and `error` are there; `error` counts"));
            }
            let outcome = match error {
                Some(error) => Outcome::Error(read_error(error, findings)),
                None => Outcome::Result(result),
            };
            Message::Response(Response { id: read_id(id, findings), outcome })
        }
        Members { error: Some(error), id, .. } => {
            let outcome = Outcome::Error(read_error(error, findings));
            // A server that could not read the request answers with the id null: that is the one place for it.
            let id = id.filter(|id| id.get() != "null");
            let id = id.and_then(|id| read_id(Some(id), findings));
            Message::Response(Response { id, outcome })
        }
        _ => {
            findings.push(Finding::new(Code::NotAMessage, "none of `method`, `result` and `error` is there"));
            Message::Opaque
        }
    }
}

fn read_call<'a>(
    method: &'a RawValue,
    id: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    findings: &mut Vec<Finding>,
) -> Message<'a> {
    let Ok(Text(method)) = serde_json::from_str(method.get()) else {
        findings.push(Finding::new(Code::BadMethod, format!("`method` is {}, not a string", clip(method.get()))));
        return Message::Opaque;
    };
    if let Some(params) = params
        && !params.get().starts_with(['{', '['])
    {
        findings.push(Finding::new(Code::BadParams, format!("`params` is {}, not an object", clip(params.get()))));
    }
    match id {
        None => Message::Notification(Notification { method, params }),
        Some(_) => match read_id(id, findings) {
            Some(id) => Message::Request(Request { id, method, params }),
            None => Message::Notification(Notification { method, params }),
        },
    }
}

fn read_id<'a>(id: Option<&'a RawValue>, findings: &mut Vec<Finding>) -> Option<Id<'a>> {
    let Some(id) = id else {
        findings.push(Finding::new(Code::BadId, "`id` is missing"));
        return None;
    };
    let text = id.get();
    let integer = text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
    if text == "null" {
        findings.push(Finding::new(Code::BadId, "`id` is null"));
        return None;
    }
    if !integer && !text.starts_with('"') {
        findings.push(Finding::new(Code::BadId, format!("`id` is {}, neither a string nor an integer", clip(text))));
    }
    Some(Id(text))
}

fn read_error<'a>(raw: &'a RawValue, findings: &mut Vec<Finding>) -> ErrorObject<'a> {
    let members = serde_json::from_str::<Members<'a>>(raw.get()).unwrap_or_default();
    let code = members.code.and_then(|code| serde_json::from_str::<i64>(code.get()).ok());
    let message =
        members.message.and_then(|message| serde_json::from_str::<Text<'a>>(message.get()).ok()).map(|text| text.0);
    if code.is_none() {
        findings.push(Finding::new(Code::BadError, "`error.code` is not an integer"));
    }
    if message.is_none() {
        findings.push(Finding::new(Code::BadError, "`error.message` is not a string"));
    }
    ErrorObject { code, message, raw }
}

/// Enough of a value to recognise it in a sentence.
fn clip(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
