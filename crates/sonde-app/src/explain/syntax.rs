//! Text that is not what it should be, shown where it goes wrong: a file of configuration, or a line of a server.

use sonde_registry::language::SyntaxError;

/// The lines around what is wrong, each with its number, and a caret below the place.
pub(super) fn context(error: &SyntaxError) -> String {
    let width = error.context.iter().map(|line| line.number.to_string().len()).max().unwrap_or(1);
    let mut shown = Vec::new();
    for line in &error.context {
        let mark = if line.caret.is_some() { '>' } else { ' ' };
        shown.push(format!("{mark} {:>width$} | {}", line.number, line.text).trim_end().to_owned());
        if let Some(caret) = line.caret {
            shown.push(format!("  {:>width$} | {}^", "", " ".repeat(caret as usize)));
        }
    }
    shown.join("\n")
}

/// Characters of a line that are shown.
const WIDEST: usize = 100;

/// A line of a server that is no message: what a reader of JSON says to it, and the line with its place marked. A
/// server may print several lines as one value; those around the wrong one are shown.
pub(super) fn stray_line(text: &str) -> String {
    let problem = match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => return clip(text),
        Err(problem) => problem,
    };
    let words = problem.to_string();
    let words = words.split(" at line ").next().unwrap_or_default();
    let wrong = problem.line().max(1) - 1;
    let lines = text.split('\n').enumerate().skip(wrong.saturating_sub(1)).take(3);
    let shown = lines.map(|(number, line)| {
        let mark = if number == wrong { ">>>" } else { "   " };
        format!("{mark} {}", clip(line))
    });
    let shown: Vec<String> = shown.collect();
    format!("{}\nno JSON: {words} (line {}, column {})", shown.join("\n"), problem.line(), problem.column())
}

fn clip(line: &str) -> String {
    match line.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
