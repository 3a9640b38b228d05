//! One question, asked at the terminal.

use sonde_app::{Question, Reply};

use super::{form, read, sampling, url};
use crate::console::Surface;
use crate::output::table::wrap;
use crate::session::Session;

/// Asks the person, whatever the question is.
pub async fn hold(session: &Session, question: &Question) -> Reply {
    let _held = session.console.hold();
    let params = read(question.params.as_deref());
    match question.method.as_str() {
        "sampling/createMessage" => sampling::ask(session, question, &params).await,
        "elicitation/create" if params.get("mode").and_then(|mode| mode.as_str()) == Some("url") => {
            url::ask(session, &question.server, &params).await
        }
        "elicitation/create" => form::ask(session, question, &params).await,
        _ => super::decline(question),
    }
}

/// `? server asks: …`, wrapped under its beginning.
pub fn heading(surface: Surface, server: &str, what: &str, text: &str) -> String {
    let head = format!("{} {} {what}", surface.bold("?"), surface.bold(&surface.line(server)));
    let body = paragraph(surface, text);
    if body.is_empty() { head } else { format!("{head}\n{body}") }
}

/// A server's text, indented and wrapped.
pub fn paragraph(surface: Surface, text: &str) -> String {
    let width = surface.width.unwrap_or(80).saturating_sub(2);
    let text = surface.block(text);
    let lines = text.split('\n').flat_map(|line| match line.trim().is_empty() {
        true => vec![String::new()],
        false => wrap(line, width),
    });
    let lines: Vec<String> = lines.map(|line| format!("  {line}").trim_end().to_owned()).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
