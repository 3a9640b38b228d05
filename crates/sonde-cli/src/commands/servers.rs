//! `sonde servers`

use std::sync::Arc;

use sonde_app::{Launch, Layer, ServerDetail};

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
            return Ok(errors::exit_of(&list.problems));
        }
        let mut table = Table::new(&["SERVER", "FROM", "COMMAND OR URL"]);
        for server in &list.servers {
            let detail = session.app.describe(&server.id).map_err(Failure::before_ready)?;
            table.add(vec![server.id.clone(), from(console.out, &detail), reached(console.out, &detail)]);
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
        Layer::Ancestor => "above the project",
        Layer::Project => "project",
    };
    let file = origin.file.as_deref().map(shortened).unwrap_or_default();
    surface.line(&format!("{layer} {file}")).trim_end().to_owned()
}

fn reached(surface: Surface, detail: &ServerDetail) -> String {
    let text = match &detail.launch {
        Launch::Command(launch) => {
            let words = std::iter::once(&launch.command).chain(&launch.args);
            words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
        }
        Launch::Url(launch) => launch.url.clone(),
    };
    surface.line(&text).into_owned()
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
