//! A server that wants a model's answer. Here the person is the model, or refuses.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use sonde_app::{Question, Reply};

use super::conversation::{heading, paragraph};
use super::{refuse, result};
use crate::output::content::{block, member};
use crate::session::Session;

pub async fn ask(session: &Session, question: &Question, params: &Value) -> Reply {
    let console = &session.console;
    console.say(&heading(console.err, &question.server, "asks for a model's answer (sampling)", ""));
    console.say(&facts(session, params));
    let words = ["text", "json", "refuse"];
    match session.terminal.choice(console, "  answer with text, with json, or refuse? ", &words).await {
        Some("text") => answer_with_text(session).await,
        Some("json") => answer_with_json(session).await,
        _ => refuse(),
    }
}

/// What a model would be given.
fn facts(session: &Session, params: &Value) -> String {
    let surface = session.console.err;
    let mut lines = Vec::new();
    if let Some(system) = member(params, "systemPrompt") {
        lines.push(format!("  {}\n{}", surface.dim("system"), paragraph(surface, system)));
    }
    for message in params.get("messages").and_then(Value::as_array).into_iter().flatten() {
        let role = surface.line(member(message, "role").unwrap_or("no role")).into_owned();
        let content = message.get("content").unwrap_or(&Value::Null);
        let blocks: Vec<&Value> = match content {
            Value::Array(blocks) => blocks.iter().collect(),
            single => vec![single],
        };
        let text = blocks.iter().map(|each| block(surface, each)).collect::<Vec<_>>().join("\n");
        let text = text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n");
        lines.push(format!("  {}\n{text}", surface.dim(&role)));
    }
    for name in
        ["maxTokens", "temperature", "stopSequences", "includeContext", "modelPreferences", "tools", "toolChoice"]
    {
        if let Some(value) = params.get(name) {
            lines.push(format!("  {} {}", surface.dim(&format!("{name}:")), surface.line(&value.to_string())));
        }
    }
    lines.join("\n")
}

async fn answer_with_text(session: &Session) -> Reply {
    let console = &session.console;
    console.say("  type the answer; an empty line ends it");
    let mut lines: Vec<String> = Vec::new();
    while let Some(line) = session.terminal.line(console, "  > ").await {
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    if lines.is_empty() {
        return refuse();
    }
    result(&json!({
        "role": "assistant",
        "content": { "type": "text", "text": lines.join("\n") },
        "model": "a person at the terminal",
        "stopReason": "endTurn",
    }))
}

async fn answer_with_json(session: &Session) -> Reply {
    let console = &session.console;
    loop {
        let Some(line) = session.terminal.line(console, "  the result, as JSON in one line: ").await else {
            return refuse();
        };
        match RawValue::from_string(line.trim().to_owned()) {
            Ok(json) => return Reply::Result(json),
            Err(error) => console.say(&format!("  that is no JSON: {error}")),
        }
    }
}
