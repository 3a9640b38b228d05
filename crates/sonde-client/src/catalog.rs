//! What a server offers: its tools, page by page, every entry kept as it was sent.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::call::{Answer, CallError};
use crate::client::Client;

/// A server that never stops paging is stopped here.
const MOST_PAGES: usize = 1000;
const MOST_TOOLS: usize = 100_000;
const MOST_BYTES: usize = 64 << 20;

/// The tools of a server, in its order.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    pub list: Vec<Tool>,
    /// Why the list is not whole, if it is not.
    pub problem: Option<String>,
}

/// One entry of `tools/list`.
#[derive(Debug, Clone)]
pub struct Tool {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub input_schema: Option<Box<RawValue>>,
    pub output_schema: Option<Box<RawValue>>,
    pub hints: Hints,
    /// The entry, verbatim.
    pub definition: Box<RawValue>,
    /// Why the entry can't be called, if it can't.
    pub problem: Option<String>,
}

/// What the server claims of a tool. Nobody has checked it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

#[derive(Serialize)]
struct ListParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolsPage {
    tools: Vec<Box<RawValue>>,
    next_cursor: Option<String>,
}

impl Client {
    /// Lists all tools. An error on a later page keeps what came before it.
    pub async fn list_tools(&self) -> Result<Tools, CallError> {
        let mut tools = Tools::default();
        let mut seen = HashSet::new();
        let mut bytes = 0;
        let mut cursor = None;
        for page in 1..=MOST_PAGES {
            let call = self.request("tools/list", ListParams { cursor: cursor.take() }).await?;
            let answer = match call.end().await? {
                Answer::Result(result) => {
                    serde_json::from_str::<ToolsPage>(result.get()).map_err(|error| error.to_string())
                }
                Answer::Error { message, .. } => Err(message),
            };
            let answer = match answer {
                Ok(answer) => answer,
                Err(problem) => {
                    tools.problem = Some(format!("page {page} of the tools could not be read: {problem}"));
                    return Ok(tools);
                }
            };
            bytes += answer.tools.iter().map(|tool| tool.get().len()).sum::<usize>();
            tools.list.extend(answer.tools.into_iter().map(read_tool));
            let Some(next) = answer.next_cursor else { return Ok(tools) };
            if tools.list.len() >= MOST_TOOLS || bytes >= MOST_BYTES {
                tools.problem = Some(format!("the list was stopped at {} tools of {bytes} bytes", tools.list.len()));
                return Ok(tools);
            }
            if !seen.insert(next.clone()) {
                let next: String = next.chars().take(80).collect();
                tools.problem = Some(format!("the list was stopped at page {page}: the cursor `{next}` came twice"));
                return Ok(tools);
            }
            cursor = Some(next);
        }
        tools.problem = Some(format!("the list was stopped after {MOST_PAGES} pages"));
        Ok(tools)
    }
}

fn read_tool(definition: Box<RawValue>) -> Tool {
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase")]
    struct Entry {
        name: Option<Lenient<String>>,
        title: Option<Lenient<String>>,
        description: Option<Lenient<String>>,
        input_schema: Option<Box<RawValue>>,
        output_schema: Option<Box<RawValue>>,
        annotations: Option<Lenient<Annotations>>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Annotations {
        title: Option<Lenient<String>>,
        read_only_hint: Option<Lenient<bool>>,
        destructive_hint: Option<Lenient<bool>>,
        idempotent_hint: Option<Lenient<bool>>,
        open_world_hint: Option<Lenient<bool>>,
    }
    let (entry, mut problem) = match serde_json::from_str::<Entry>(definition.get()) {
        Ok(entry) => (entry, None),
        Err(error) => (Entry::default(), Some(format!("the entry can't be read: {error}"))),
    };
    let name = entry.name.and_then(Lenient::value);
    if problem.is_none() && name.as_deref().is_none_or(str::is_empty) {
        problem = Some("the entry has no name".to_owned());
    }
    let annotations = entry.annotations.and_then(Lenient::value);
    let hint = |pick: fn(&Annotations) -> &Option<Lenient<bool>>| match annotations.as_ref().map(pick) {
        Some(Some(Lenient::Value(value))) => Some(*value),
        _ => None,
    };
    let hints = Hints {
        read_only: hint(|annotations| &annotations.read_only_hint),
        destructive: hint(|annotations| &annotations.destructive_hint),
        idempotent: hint(|annotations| &annotations.idempotent_hint),
        open_world: hint(|annotations| &annotations.open_world_hint),
    };
    let title = entry.title.and_then(Lenient::value);
    Tool {
        name: name.unwrap_or_default(),
        title: title.or_else(|| annotations.and_then(|annotations| annotations.title).and_then(Lenient::value)),
        description: entry.description.and_then(Lenient::value),
        input_schema: entry.input_schema,
        output_schema: entry.output_schema,
        hints,
        definition,
        problem,
    }
}

/// A member that may have any type: the wrong one must not make the whole entry unreadable.
#[derive(Deserialize)]
#[serde(untagged)]
enum Lenient<T> {
    Value(T),
    Other(serde::de::IgnoredAny),
}

impl<T> Lenient<T> {
    fn value(self) -> Option<T> {
        match self {
            Lenient::Value(value) => Some(value),
            Lenient::Other(_) => None,
        }
    }
}
