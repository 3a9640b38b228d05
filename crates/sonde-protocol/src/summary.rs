//! One-line summaries of messages for the log: what a request is about and how its answer came out.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::members::Members;
use crate::message::Outcome;

/// How an answer came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Ok,
    /// A result that says `isError`: the tool failed, the protocol did not.
    ToolError,
    ProtocolError,
}

pub fn judge(method: &str, outcome: &Outcome<'_>) -> Verdict {
    match outcome {
        Outcome::Error(_) => Verdict::ProtocolError,
        Outcome::Result(result) if method == "tools/call" => {
            let failed = read(result).is_some_and(|members| members.raw("isError") == Some("true"));
            if failed { Verdict::ToolError } else { Verdict::Ok }
        }
        Outcome::Result(_) => Verdict::Ok,
    }
}

/// What a request or notification is about: the tool, the uri, the prompt, the progress.
pub fn request_target(method: &str, params: Option<&RawValue>) -> Option<String> {
    let members = || read(params?);
    match method {
        "tools/call" | "prompts/get" => text(&members()?, "name"),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" | "notifications/resources/updated" => {
            text(&members()?, "uri")
        }
        "initialize" => text(&members()?, "protocolVersion"),
        "logging/setLevel" => text(&members()?, "level"),
        "notifications/cancelled" => text(&members()?, "requestId"),
        "notifications/progress" => progress(&members()?),
        "notifications/message" => log_line(&members()?),
        _ => None,
    }
}

/// What an answer brought, where a number says it best.
pub fn answer_target(method: &str, result: &RawValue) -> Option<String> {
    let (key, noun) = match method {
        "tools/list" => ("tools", "tools"),
        "prompts/list" => ("prompts", "prompts"),
        "resources/list" => ("resources", "resources"),
        "resources/templates/list" => ("resourceTemplates", "templates"),
        _ => return None,
    };
    let members = read(result)?;
    let count = serde_json::from_str::<Vec<IgnoredAny>>(members.raw(key)?).ok()?.len();
    Some(format!("{count} {noun}"))
}

fn progress(members: &Members<'_>) -> Option<String> {
    let mut line = text(members, "progress")?;
    if let Some(total) = text(members, "total") {
        line = format!("{line} of {total}");
    }
    if let Some(message) = text(members, "message") {
        line = format!("{line} · {message}");
    }
    Some(line)
}

fn log_line(members: &Members<'_>) -> Option<String> {
    let level = text(members, "level")?;
    let data = text(members, "data").unwrap_or_default();
    Some(match text(members, "logger") {
        Some(logger) => format!("{level} {logger}: {data}"),
        None => format!("{level}: {data}"),
    })
}

/// Longest summary that is kept, in characters; the frame has the rest.
const LONGEST: usize = 200;

/// The members a summary may be made of. All others are passed over, however many there are.
const KEPT: &[&str] = &[
    "name",
    "uri",
    "protocolVersion",
    "level",
    "logger",
    "data",
    "requestId",
    "progress",
    "total",
    "message",
    "isError",
    "tools",
    "prompts",
    "resources",
    "resourceTemplates",
];

fn read(value: &RawValue) -> Option<Members<'_>> {
    Members::read(value, KEPT)
}

/// A member as text: a string's content, anything else as it was written.
fn text(members: &Members<'_>, name: &str) -> Option<String> {
    let raw = members.raw(name)?;
    let text = if raw.starts_with('"') { members.string(name)? } else { Cow::Borrowed(raw) };
    // Cut before it is copied: a row that waits for the disk would hold the room of the whole text. A character has
    // at least one byte, so most texts need not be counted.
    let end = (text.len() > LONGEST).then(|| text.char_indices().nth(LONGEST)).flatten();
    Some(match end.and_then(|(end, _)| text.get(..end)) {
        Some(start) => format!("{start}…"),
        None => text.into_owned(),
    })
}
