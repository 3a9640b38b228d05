//! A form, filled in field by field.

use serde_json::{Value, json};
use sonde_app::{Question, Reply};

use super::conversation::heading;
use super::field::{Field, fields};
use super::{action, result};
use crate::arguments::Object;
use crate::output::content::member;
use crate::output::table::one_line;
use crate::session::Session;

pub async fn ask(session: &Session, question: &Question, params: &Value) -> Reply {
    let console = &session.console;
    let message = member(params, "message").unwrap_or_default();
    console.say(&heading(console.err, &question.server, "asks you for input", message));
    let fields = fields(question.params.as_deref());
    for field in &fields {
        console.say(&describe(session, field));
    }
    let mut prompt = "  answer, decline or cancel? ";
    let mut words: &[&str] = &["answer", "decline", "cancel"];
    let mut filled: Option<Object> = None;
    loop {
        match (session.terminal.choice(console, prompt, words).await, filled.take()) {
            (Some("send"), Some(content)) => return result(&json!({ "action": "accept", "content": content })),
            (Some("answer" | "fill in again"), _) => {
                let Some(content) = fill_in(session, &fields).await else { return action("cancel") };
                let text = serde_json::to_string(&content).unwrap_or_default();
                console.say(&format!("  this is sent: {}", console.err.line(&text)));
                prompt = "  send, fill in again, decline or cancel? ";
                words = &["send", "fill in again", "decline", "cancel"];
                filled = Some(content);
            }
            (Some("decline"), _) => return action("decline"),
            _ => return action("cancel"),
        }
    }
}

/// None at the end of the input.
async fn fill_in(session: &Session, fields: &[Field]) -> Option<Object> {
    let console = &session.console;
    let mut content = Object::default();
    for field in fields {
        let name = console.err.line(&field.name).into_owned();
        let default = field.default_text().map(|text| format!(" [{}]", console.err.line(&text)));
        let prompt = format!("  {name}{}: ", default.unwrap_or_default());
        loop {
            let typed = session.terminal.line(console, &prompt).await?;
            match field.read(&typed) {
                Ok(Some(value)) => {
                    content.put(&field.name, value);
                    break;
                }
                Ok(None) => break,
                Err(problem) => console.say(&format!("  {}", console.err.line(&problem))),
            }
        }
    }
    Some(content)
}

/// `name  text, required  Your name`, and under it what can be chosen.
fn describe(session: &Session, field: &Field) -> String {
    let surface = session.console.err;
    let about = field.description.as_deref().map(one_line).unwrap_or_default();
    let head = format!("  {}  {}", surface.bold(&surface.line(&field.name)), surface.line(&field.kind_in_words()));
    let mut lines = vec![format!("{head}  {}", surface.dim(&surface.line(&about))).trim_end().to_owned()];
    for (number, choice) in (1..).zip(field.choices()) {
        lines.push(surface.line(&format!("    {number}  {}", choice.label())).into_owned());
    }
    lines.join("\n")
}
