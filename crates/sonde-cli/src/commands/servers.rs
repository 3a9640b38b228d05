//! `sonde servers`

use std::sync::Arc;

use sonde_app::{Layer, ServerDetail};

use crate::arguments::{Format, Place};
use crate::console::{Console, Surface};
use crate::failure::{Exit, Failure};
use crate::output::errors;
use crate::output::table::Table;
use crate::session;

pub async fn run(place: &Place, console: &Arc<Console>) -> Result<Exit, Failure> {
    session::run(place, None, console, async |session| {
        let list = session.app.servers();
        if console.format == Format::Json {
            console.print_line(&serde_json::to_string(&list)?)?;
            // They are among what was printed.
            return Ok(if list.problems.is_empty() { Exit::Ok } else { Exit::Usage });
        }
        let mut table = Table::new(&["SERVER", "FROM", "COMMAND"]);
        for server in &list.servers {
            let detail = session.app.describe(&server.id).map_err(Failure::before_ready)?;
            table.add(vec![server.id.clone(), from(console.out, &detail), command(console.out, &detail)]);
        }
        console.print(&table.render(console.out))?;
        Ok(errors::tell_problems(console, &list.problems))
    })
    .await
}

fn from(surface: Surface, detail: &ServerDetail) -> String {
    let origin = &detail.summary.origin;
    let layer = match origin.layer {
        Layer::BuiltIn => return "built in".to_owned(),
        Layer::Typed => return "typed".to_owned(),
        Layer::Global => "global",
        Layer::Project => "project",
    };
    let file = origin.file.as_deref().map(shortened).unwrap_or_default();
    surface.line(&format!("{layer} {file}")).trim_end().to_owned()
}

fn command(surface: Surface, detail: &ServerDetail) -> String {
    let words = std::iter::once(&detail.launch.command).chain(&detail.launch.args);
    let words: Vec<String> = words.map(|word| quoted(word)).collect();
    surface.line(&words.join(" ")).into_owned()
}

/// A word that a reader could take for several stands in quotes.
fn quoted(word: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "-_./:=@,+%~".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The home folder as `~`.
fn shortened(path: &str) -> String {
    let home = std::env::var("HOME").unwrap_or_default();
    match path.strip_prefix(&home) {
        Some(rest) if !home.is_empty() && rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    }
}
