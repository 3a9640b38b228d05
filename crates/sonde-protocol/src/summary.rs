//! One-line summaries of messages for the log: what a request is about and how its answer came out.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

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
            let failed = Members::read(result).is_some_and(|members| members.raw("isError") == Some("true"));
            if failed { Verdict::ToolError } else { Verdict::Ok }
        }
        Outcome::Result(_) => Verdict::Ok,
    }
}

/// What a request or notification is about: the tool, the uri, the prompt, the progress.
pub fn request_target(method: &str, params: Option<&RawValue>) -> Option<String> {
    let members = || Members::read(params?);
    match method {
        "tools/call" | "prompts/get" => members()?.text("name"),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" | "notifications/resources/updated" => {
            members()?.text("uri")
        }
        "initialize" => members()?.text("protocolVersion"),
        "logging/setLevel" => members()?.text("level"),
        "notifications/cancelled" => members()?.text("requestId"),
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
    let members = Members::read(result)?;
    let count = serde_json::from_str::<Vec<IgnoredAny>>(members.raw(key)?).ok()?.len();
    Some(format!("{count} {noun}"))
}

fn progress(members: &Members<'_>) -> Option<String> {
    let mut text = members.text("progress")?;
    if let Some(total) = members.text("total") {
        text = format!("{text} of {total}");
    }
    if let Some(message) = members.text("message") {
        text = format!("{text} · {message}");
    }
    Some(text)
}

fn log_line(members: &Members<'_>) -> Option<String> {
    let level = members.text("level")?;
    let data = members.text("data").unwrap_or_default();
    Some(match members.text("logger") {
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

/// Some members of an object, each as it was written.
struct Members<'a>(Vec<(Name<'a>, &'a RawValue)>);

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Members<'a> {
    /// None where `value` is not an object.
    fn read(value: &'a RawValue) -> Option<Self> {
        serde_json::from_str(value.get()).ok()
    }

    fn raw(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(key, _)| key.0 == name).map(|(_, value)| value.get())
    }

    /// A member as text: a string's content, anything else as it was written.
    fn text(&self, name: &str) -> Option<String> {
        let raw = self.raw(name)?;
        let mut text = if raw.starts_with('"') { serde_json::from_str::<String>(raw).ok()? } else { raw.to_owned() };
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(end);
            text.push('…');
        }
        Some(text)
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members: Vec<(Name<'de>, &'de RawValue)> = Vec::new();
        while let Some(name) = map.next_key::<Name<'de>>()? {
            if !KEPT.contains(&&*name.0) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value()?;
            // Of several members with one name the last counts, as in [`crate::parse`].
            match members.iter_mut().find(|(known, _)| known.0 == name.0) {
                Some(known) => known.1 = value,
                None => members.push((name, value)),
            }
        }
        Ok(Members(members))
    }
}
