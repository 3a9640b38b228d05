//! What a person, or a program, is told when something fails.

use sonde_app::{ApiError, ConfigProblem, Severity};

use super::json::JsonText;
use super::table::wrap;
use crate::console::{Console, Surface};
use crate::failure::{Exit, Failure};

/// Tells it once: to a program on standard output, to a person on standard error.
pub fn tell(console: &Console, failure: &Failure) {
    let Some(error) = &failure.error else { return };
    console.show_status(None);
    match console.format {
        crate::arguments::Format::Json => {
            let mut json = JsonText::object();
            json.value("error", error);
            if let Some(answer) = &failure.answer {
                json.raw("answer", answer.get());
            }
            // Where this can't be written, there is nobody to tell that either.
            console.print_line(&json.finish()).ok();
        }
        crate::arguments::Format::Text => console.say(&text(console.err, error)),
    }
}

/// What is wrong with the configuration, each told on standard error. The exit status that it means.
pub fn tell_problems(console: &Console, problems: &[ConfigProblem]) -> Exit {
    for problem in problems {
        let knows_file = problem.error.context.iter().any(|fact| fact.name == "file");
        let error = match knows_file {
            true => problem.error.clone(),
            false => problem.error.clone().fact("file", problem.file.clone()),
        };
        console.say(&text(console.err, &error));
    }
    exit_of(problems)
}

/// What can't be used is a failure; what is only odd is none.
pub fn exit_of(problems: &[ConfigProblem]) -> Exit {
    match problems.iter().any(|problem| problem.severity == Severity::Error) {
        true => Exit::Usage,
        false => Exit::Ok,
    }
}

/// What happened, then the facts, then what to do. Where there are facts, the title says what they are about.
pub fn text(surface: Surface, error: &ApiError) -> String {
    let name = surface.red("sonde");
    let mut lines = match error.context.is_empty() && error.chain.is_empty() {
        true => vec![format!("{name}: {}", paragraph(surface, &error.message, 7))],
        false => vec![
            format!("{name}: {}", surface.bold(&surface.line(&error.title))),
            format!("  {}", paragraph(surface, &error.message, 2)),
        ],
    };
    for fact in &error.context {
        lines.push(entry(surface, &fact.name, &fact.value));
    }
    for cause in &error.chain {
        lines.push(entry(surface, "because", cause));
    }
    if let Some(hint) = &error.hint {
        lines.push(format!("{}: {}", surface.bold("hint"), paragraph(surface, hint, 6)));
    }
    lines.join("\n")
}

/// A fact in one line, or its lines under its name.
fn entry(surface: Surface, name: &str, value: &str) -> String {
    let name = surface.line(name);
    let value = surface.block(value.trim_end_matches('\n'));
    match value.contains('\n') {
        true => {
            let lines = value.split('\n').map(|line| format!("    {line}"));
            format!("  {}\n{}", surface.dim(&format!("{name}:")), lines.collect::<Vec<_>>().join("\n"))
        }
        false => format!("  {} {value}", surface.dim(&format!("{name}:"))),
    }
}

/// Text of several sentences, wrapped under its own beginning.
fn paragraph(surface: Surface, text: &str, indent: usize) -> String {
    let text = surface.block(text);
    let pad = format!("\n{}", " ".repeat(indent));
    let Some(width) = surface.width else { return text.into_owned() };
    let lines = text.split('\n').flat_map(|line| match line.trim().is_empty() {
        true => vec![String::new()],
        false => wrap(line, width.saturating_sub(indent)),
    });
    lines.collect::<Vec<_>>().join(&pad)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonde_app::ErrorCode;

    #[test]
    fn an_error_names_the_thing_then_the_facts_then_what_to_do() {
        let error = ApiError::new(ErrorCode::StartFailed, "Server could not be started", "`nosuch` was not found")
            .fact("command", "nosuch --x")
            .fact("stderr", "one\ntwo\u{1b}[2J")
            .hint("install it");
        let wanted = "sonde: Server could not be started\n  `nosuch` was not found\n  command: nosuch --x\n  stderr:\n    one\n    two\\u{1b}[2J\nhint: install it";
        assert_eq!(text(Surface::plain(Some(80)), &error), wanted);
    }
}
