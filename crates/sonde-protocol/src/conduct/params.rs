//! What requests and notifications must bring.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{clip, kind};
use crate::finding::{Code, Finding};
use crate::members::{FirstMembers, Members};
use crate::method::Agreement;

/// The levels of log messages, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Level(u8);

const LEVELS: &[&str] = &["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

impl Level {
    fn read(name: &str) -> Option<Self> {
        (0..).zip(LEVELS).find(|(_, level)| **level == name).map(|(number, _)| Level(number))
    }

    fn name(self) -> &'static str {
        LEVELS.get(usize::from(self.0)).copied().unwrap_or_default()
    }
}

/// The members that the parameters of a method must have.
const REQUIRED: &[(&str, &[&str])] = &[
    ("initialize", &["protocolVersion", "capabilities", "clientInfo"]),
    ("tools/call", &["name"]),
    ("resources/read", &["uri"]),
    ("resources/subscribe", &["uri"]),
    ("resources/unsubscribe", &["uri"]),
    ("prompts/get", &["name"]),
    ("completion/complete", &["ref", "argument"]),
    ("tasks/get", &["taskId"]),
    ("tasks/result", &["taskId"]),
    ("tasks/cancel", &["taskId"]),
    ("sampling/createMessage", &["messages", "maxTokens"]),
    ("elicitation/create", &["message"]),
    ("logging/setLevel", &["level"]),
];

/// Tells what is missing.
pub(super) fn required(method: &str, params: Option<&RawValue>, findings: &mut Vec<Finding>) {
    let Some((_, names)) = REQUIRED.iter().find(|(name, _)| *name == method) else { return };
    let members = params.and_then(|params| Members::read(params, names));
    let missing = |name: &&str| members.as_ref().is_none_or(|members| members.get(name).is_none());
    let missing: Vec<_> = names.iter().copied().filter(missing).collect();
    if !missing.is_empty() {
        findings.push(Finding::new(Code::BadParams, format!("`params` has no `{}`", missing.join("`, `"))));
    }
    if let Some(name) = members.and_then(|members| members.duplicate) {
        let message = format!("`params.{name}` stands more than once; the last one counts");
        findings.push(Finding::new(Code::DuplicateMember, message));
    }
}

/// The level that a client sets.
pub(super) fn set_level(params: Option<&RawValue>, findings: &mut Vec<Finding>) -> Option<Level> {
    required("logging/setLevel", params, findings);
    let name = Members::read(params?, &["level"])?.get("level")?;
    read_level(name.get(), findings)
}

#[derive(Deserialize)]
struct LogMessage<'a> {
    #[serde(borrow)]
    level: &'a RawValue,
}

/// A log message of a server of which the client wants none below `lowest`.
pub(super) fn log_message(lowest: Option<Level>, params: Option<&RawValue>, findings: &mut Vec<Finding>) {
    let Some(message) = params.and_then(|params| serde_json::from_str::<LogMessage<'_>>(params.get()).ok()) else {
        findings.push(Finding::new(Code::BadLevel, "the message has no `level`, or several"));
        return;
    };
    let level = read_level(message.level.get(), findings);
    if let (Some(lowest), Some(level)) = (lowest, level)
        && level < lowest
    {
        let message = format!("`{}` is below `{}`, which the client had set", level.name(), lowest.name());
        findings.push(Finding::new(Code::BelowLevel, message));
    }
}

fn read_level(raw: &str, findings: &mut Vec<Finding>) -> Option<Level> {
    // Hardly ever is there an escape in it, so hardly ever is there something to read.
    let plain = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let level = plain.and_then(Level::read).or_else(|| Level::read(&serde_json::from_str::<Cow<'_, str>>(raw).ok()?));
    if level.is_none() {
        findings.push(Finding::new(Code::BadLevel, format!("`level` is {}, none of the eight", clip(raw))));
    }
    level
}

/// A server asks for a model's message.
pub(super) fn sampling(agreement: Option<&Agreement>, params: Option<&RawValue>, findings: &mut Vec<Finding>) {
    required("sampling/createMessage", params, findings);
    let Some(members) = params.and_then(|params| Members::read(params, &["tools", "toolChoice", "includeContext"]))
    else {
        return;
    };
    let with_tools = members.get("tools").is_some() || members.get("toolChoice").is_some();
    let context = members.string("includeContext").is_some_and(|context| context != "none");
    if with_tools {
        undeclared(agreement, "sampling.tools", findings);
    }
    if context && agreement.is_some_and(|agreement| agreement.revision.rules().sampling_tools) {
        undeclared(agreement, "sampling.context", findings);
    }
}

/// A server asks the person at the client.
pub(super) fn elicitation(agreement: Option<&Agreement>, params: Option<&RawValue>, findings: &mut Vec<Finding>) {
    required("elicitation/create", params, findings);
    let names = &["mode", "requestedSchema", "url", "elicitationId"];
    let Some(members) = params.and_then(|params| Members::read(params, names)) else { return };
    match members.string("mode").as_deref() {
        Some("url") => {
            undeclared(agreement, "elicitation.url", findings);
            if members.string("url").is_none() || members.string("elicitationId").is_none() {
                findings.push(Finding::new(Code::BadElicitation, "`url` and `elicitationId` must be strings"));
            }
        }
        None | Some("form") => {
            // A client that declares no mode has this one.
            let declares = |name| agreement.is_some_and(|agreement| agreement.client.declares(name));
            if declares("elicitation.url") {
                undeclared(agreement, "elicitation.form", findings);
            }
            if let Some(problem) = form_problem(members.get("requestedSchema")) {
                findings.push(Finding::new(Code::BadElicitation, problem));
            }
        }
        Some(other) => {
            findings
                .push(Finding::new(Code::BadElicitation, format!("`mode` is `{}`, neither form nor url", clip(other))));
        }
    }
}

fn undeclared(agreement: Option<&Agreement>, capability: &str, findings: &mut Vec<Finding>) {
    if agreement.is_some_and(|agreement| !agreement.client.declares(capability)) {
        let message = format!("the client did not declare the capability `{capability}`");
        findings.push(Finding::new(Code::Undeclared, message));
    }
}

/// What is wrong with the schema of a form, if something is.
fn form_problem(schema: Option<&RawValue>) -> Option<String> {
    /// Fields that are looked at; nobody fills in more.
    const MOST_FIELDS: usize = 1000;
    let Some(schema) = schema else { return Some("`requestedSchema` is missing".to_owned()) };
    let Some(members) = Members::read(schema, &["type", "properties"]) else {
        return Some(format!("`requestedSchema` is {}, not an object", kind(schema.get())));
    };
    if members.string("type").as_deref() != Some("object") {
        return Some("the `type` of `requestedSchema` is not \"object\"".to_owned());
    }
    let properties = members.raw("properties").map(serde_json::from_str::<FirstMembers<'_, MOST_FIELDS>>);
    let Some(Ok(FirstMembers(properties))) = properties else {
        return Some("`properties` of `requestedSchema` is not an object".to_owned());
    };
    let nested = properties.iter().find(|(_, field)| {
        let kind = Members::read(field, &["type"]).and_then(|members| members.string("type"));
        !matches!(kind.as_deref(), Some("string" | "number" | "integer" | "boolean" | "array"))
    });
    nested.map(|(name, _)| format!("the field `{}` is not of a primitive type", clip(name)))
}
