//! A form, filled in field by field.

use serde_json::{Value, json};
use sonde_app::{Question, Reply};

use super::conversation::heading;
use super::field::{Field, fields};
use super::{action, result};
use crate::arguments::Object;
use crate::console::Surface;
use crate::output::content::member;
use crate::output::table::{Table, one_line};
use crate::session::Session;

pub async fn ask(session: &Session, question: &Question, params: &Value) -> Reply {
    let console = &session.console;
    let message = member(params, "message").unwrap_or_default();
    console.say(&heading(console.err, &question.server, "asks you for input", message));
    let fields = fields(question.params.as_deref());
    console.say(&describe(console.err, &fields));
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

/// A line for each field: its name, what may be typed, what it is about, and what can be chosen.
fn describe(surface: Surface, fields: &[Field]) -> String {
    let mut table = Table::new(&["", "", ""]);
    for field in fields {
        let about = field.description.as_deref().map(one_line);
        let choices: Vec<String> =
            (1..).zip(field.choices()).map(|(number, choice)| format!("{number} {}", choice.label())).collect();
        let choices = (!choices.is_empty()).then(|| choices.join(", "));
        let about = about.into_iter().chain(choices).collect::<Vec<_>>().join(": ");
        let cells = [format!("  {}", field.name), field.kind_in_words(), about];
        table.add(cells.iter().map(|cell| surface.line(cell).into_owned()).collect());
    }
    table.render(surface).trim_end().to_owned()
}
