//! `sonde servers`, `sonde enable`, `sonde disable`

use std::sync::Arc;

use sonde_app::{ApiError, App, ErrorCode, Launch, Layer, Origin, Saved, ServerDetail, ServerSummary, Severity};

use crate::arguments::{Format, Named, Place};
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
        let mut table = Table::new(&["SERVER", "", "FROM", "COMMAND OR URL"]);
        for server in &list.servers {
            let detail = session.app.describe(&server.id).map_err(Failure::before_ready)?;
            let switch = state(server);
            let from = from(console.out, &detail);
            table.add(vec![server.id.clone(), switch.to_owned(), from, reached(console.out, &detail)]);
        }
        console.print(&table.render(console.out))?;
        Ok(errors::tell_problems(console, &list.problems))
    })
    .await
}

pub async fn enable(place: &Place, named: Named, console: &Arc<Console>) -> Result<Exit, Failure> {
    switch(place, console, "enabled", async |app| app.enable(&named.server).await).await
}

pub async fn disable(place: &Place, named: Named, console: &Arc<Console>) -> Result<Exit, Failure> {
    switch(place, console, "disabled", async |app| app.disable(&named.server).await).await
}

async fn switch(
    place: &Place,
    console: &Arc<Console>,
    done: &str,
    write: impl AsyncFn(&App) -> Result<Saved, ApiError>,
) -> Result<Exit, Failure> {
    session::run(place, None, console, async |session| {
        let saved = write(&session.app).await.map_err(|error| match (error.code, &error.hint) {
            (ErrorCode::InvalidRequest, None) => Failure::before_ready(
                error.hint("what is built in starts only when it is named; there is nothing to switch"),
            ),
            _ => Failure::before_ready(error),
        })?;
        match console.format {
            Format::Text => {
                console.print_line(&format!("{done}: `{}` in {}", saved.server, saved.file))?;
                saved.notices.iter().for_each(|notice| console.say(notice));
            }
            Format::Json => console.print_line(&serde_json::to_string(&saved)?)?,
        }
        Ok(Exit::Ok)
    })
    .await
}

/// What is out of the ordinary about it; what is wrong is told behind the table.
fn state(server: &ServerSummary) -> &'static str {
    match (&server.flaw, server.enabled) {
        (Some(flaw), _) if flaw.severity == Severity::Error => "can't be used",
        (_, false) => "disabled",
        _ => "",
    }
}

/// Its layer and file, and which it hides.
fn from(surface: Surface, detail: &ServerDetail) -> String {
    let hidden: Vec<String> = detail.summary.overrides.iter().map(place).collect();
    let own = place(&detail.summary.origin);
    let text = if hidden.is_empty() { own } else { format!("{own}, hides {}", hidden.join(" and ")) };
    surface.line(&text).trim_end().to_owned()
}

fn place(origin: &Origin) -> String {
    let layer = match origin.layer {
        Layer::BuiltIn => "built in",
        Layer::Typed => "typed",
        Layer::Global => "global",
        Layer::Ancestor => "above",
        Layer::Project => "project",
    };
    format!("{layer} {}", origin.file.as_deref().unwrap_or_default()).trim_end().to_owned()
}

fn reached(surface: Surface, detail: &ServerDetail) -> String {
    let text = match &detail.launch {
        Launch::Command(launch) => {
            // Of an entry that can't be used there may be none.
            let command = Some(&launch.command).filter(|command| !command.is_empty());
            let words = command.into_iter().chain(&launch.args);
            words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
        }
        Launch::Url(launch) => launch.url.clone(),
    };
    surface.line(&text).into_owned()
}

/// A word that a reader could take for several stands in quotes.
pub(super) fn quoted(word: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "-_./:=@,+%~".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
