//! What results must bring.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{clip, kind};
use crate::finding::{Code, Finding};
use crate::members::{FirstItems, Members};
use crate::rules::Rules;

/// What a member of a result must be.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Array,
    Object,
    Any,
}

/// The members that the result of a method must have.
const REQUIRED: &[(&str, &[(&str, Kind)])] = &[
    ("initialize", &[("protocolVersion", Kind::Text), ("capabilities", Kind::Object), ("serverInfo", Kind::Object)]),
    ("tools/list", &[("tools", Kind::Array)]),
    ("tools/call", &[("content", Kind::Array)]),
    ("resources/list", &[("resources", Kind::Array)]),
    ("resources/templates/list", &[("resourceTemplates", Kind::Array)]),
    ("resources/read", &[("contents", Kind::Array)]),
    ("prompts/list", &[("prompts", Kind::Array)]),
    ("prompts/get", &[("messages", Kind::Array)]),
    ("completion/complete", &[("completion", Kind::Object)]),
    ("roots/list", &[("roots", Kind::Array)]),
    ("sampling/createMessage", &[("role", Kind::Text), ("content", Kind::Any), ("model", Kind::Text)]),
    ("elicitation/create", &[("action", Kind::Text)]),
    ("tasks/list", &[("tasks", Kind::Array)]),
];

/// The names in all of [`REQUIRED`], and what is looked at besides.
const LOOKED_AT: &[&str] = &[
    "protocolVersion",
    "capabilities",
    "serverInfo",
    "tools",
    "content",
    "resources",
    "resourceTemplates",
    "contents",
    "prompts",
    "messages",
    "completion",
    "roots",
    "role",
    "model",
    "action",
    "tasks",
    "nextCursor",
];

pub(super) fn judge(method: &str, rules: Option<&Rules>, result: &RawValue, findings: &mut Vec<Finding>) {
    let Some((_, required)) = REQUIRED.iter().find(|(name, _)| *name == method) else { return };
    let Some(members) = Members::read(result, LOOKED_AT) else { return };
    for (name, wanted) in *required {
        let Some(value) = members.raw(name) else {
            findings.push(Finding::new(Code::BadResult, format!("the result has no `{name}`")));
            continue;
        };
        let (fits, noun) = match wanted {
            Kind::Text => (value.starts_with('"'), "a string"),
            Kind::Array => (value.starts_with('['), "an array"),
            Kind::Object => (value.starts_with('{'), "an object"),
            Kind::Any => (true, ""),
        };
        if !fits {
            findings.push(Finding::new(Code::BadResult, format!("`{name}` is {}, not {noun}", kind(value))));
        }
    }
    if let Some(cursor) = members.raw("nextCursor").filter(|cursor| !cursor.starts_with('"')) {
        findings.push(Finding::new(Code::BadResult, format!("`nextCursor` is {}, not a string", kind(cursor))));
    }
    match method {
        "initialize" => judge_info(members.get("serverInfo"), findings),
        "tools/list" => judge_tools(members.raw("tools"), rules, findings),
        "completion/complete" => judge_completion(members.get("completion"), findings),
        "elicitation/create" => judge_action(members.string("action"), findings),
        "roots/list" => judge_roots(members.raw("roots"), findings),
        _ => {}
    }
}

fn judge_info(info: Option<&RawValue>, findings: &mut Vec<Finding>) {
    let Some(info) = info.and_then(|info| Members::read(info, &["name", "version"])) else { return };
    for name in ["name", "version"].iter().filter(|name| info.string(name).is_none()) {
        findings.push(Finding::new(Code::BadResult, format!("`serverInfo.{name}` is not a string")));
    }
}

/// Entries of one page that are looked at. A client takes no more of a whole list.
const MOST_ENTRIES: usize = 100_000;

fn judge_tools(tools: Option<&str>, rules: Option<&Rules>, findings: &mut Vec<Finding>) {
    let Some(Ok(tools)) = tools.map(serde_json::from_str::<FirstItems<'_, MOST_ENTRIES>>) else { return };
    // Of an entry that is no object, or whose name is no string, the client tells.
    let names = tools.first.iter().filter_map(|tool| Members::read(tool, &["name"])?.string("name"));
    let names: Vec<Cow<'_, str>> = names.collect();
    let mut seen = HashSet::new();
    if let Some(name) = names.iter().find(|name| !seen.insert(&***name)) {
        findings.push(Finding::new(Code::DuplicateTool, format!("two tools have the name `{}`", clip(name))));
    }
    if rules.is_some_and(|rules| rules.tool_names)
        && let Some(name) = names.iter().find(|name| !is_tool_name(name))
    {
        findings.push(Finding::new(Code::ToolName, format!("`{}` is no name for a tool", clip(name))));
    }
    if let Some(problem) = tools.first.iter().find_map(|tool| schema_problem(tool)) {
        findings.push(Finding::new(Code::BadResult, problem));
    }
}

/// What is wrong with the schemas of a tool at first sight: there must be one for the input, and each describes an
/// object.
fn schema_problem(tool: &RawValue) -> Option<String> {
    let members = Members::read(tool, &["name", "inputSchema", "outputSchema"])?;
    let name = clip(&members.string("name").unwrap_or_default());
    let of_objects =
        |schema| Members::read(schema, &["type"]).and_then(|schema| schema.string("type")).as_deref() == Some("object");
    match (members.get("inputSchema"), members.get("outputSchema")) {
        (None, _) => Some(format!("the tool `{name}` has no `inputSchema`")),
        (Some(input), _) if !of_objects(input) => {
            Some(format!("the `type` of the `inputSchema` of `{name}` is not \"object\""))
        }
        (_, Some(output)) if !of_objects(output) => {
            Some(format!("the `type` of the `outputSchema` of `{name}` is not \"object\""))
        }
        _ => None,
    }
}

fn is_tool_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

fn judge_completion(completion: Option<&RawValue>, findings: &mut Vec<Finding>) {
    const MOST_VALUES: usize = 100;
    let Some(completion) = completion.and_then(|completion| Members::read(completion, &["values"])) else { return };
    match completion.raw("values").map(serde_json::from_str::<Vec<IgnoredAny>>) {
        Some(Ok(values)) if values.len() <= MOST_VALUES => {}
        Some(Ok(values)) => {
            findings.push(Finding::new(Code::TooManyValues, format!("the completion has {} values", values.len())));
        }
        _ => findings.push(Finding::new(Code::BadResult, "`completion.values` is not an array")),
    }
}

fn judge_action(action: Option<Cow<'_, str>>, findings: &mut Vec<Finding>) {
    if let Some(action) = action.filter(|action| !matches!(&**action, "accept" | "decline" | "cancel")) {
        let message = format!("`action` is `{}`, none of accept, decline and cancel", clip(&action));
        findings.push(Finding::new(Code::BadResult, message));
    }
}

fn judge_roots(roots: Option<&str>, findings: &mut Vec<Finding>) {
    let Some(Ok(roots)) = roots.map(serde_json::from_str::<FirstItems<'_, MOST_ENTRIES>>) else { return };
    let uri = |root| Members::read(root, &["uri"])?.string("uri");
    if roots.first.iter().any(|root| uri(root).is_none_or(|uri| !uri.starts_with("file://"))) {
        findings.push(Finding::new(Code::BadResult, "a root is not a `file://` address"));
    }
}
