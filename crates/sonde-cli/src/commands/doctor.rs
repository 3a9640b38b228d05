//! `sonde doctor`

use std::sync::Arc;

use sonde_app::{Examination, Step, StepOutcome, Verdict};

use super::pick;
use crate::arguments::{Doctor, Format, Place};
use crate::console::{Console, Surface};
use crate::failure::{Exit, Failure};
use crate::output::errors;
use crate::output::json::JsonText;
use crate::output::table::Table;
use crate::progress;
use crate::session::{self, Session};

pub async fn run(place: &Place, doctor: Doctor, console: &Arc<Console>) -> Result<Exit, Failure> {
    let servers = pick::servers(&doctor.target, &doctor.words)?;
    pick::refuse_inputs(&doctor.target, &servers)?;
    session::run(place, Some(&doctor.target), console, async |session| {
        if let [server] = &*servers {
            let found = examine(session, &server.id(&session.app)?).await?;
            if console.format == Format::Json {
                console.print_line(&serde_json::to_string(&found)?)?;
            } else {
                console.print_line(&text(console.out, &found))?;
            }
            return Ok(exit_of(&found));
        }
        let ids = match servers.is_empty() {
            // Those with a flaw too: that is what the doctor is for.
            true => session.app.servers().servers.into_iter().filter(|one| one.enabled).map(|one| one.id).collect(),
            false => pick::ids(&session.app, &servers)?,
        };
        let mut exit = Exit::Ok;
        let mut all = JsonText::object();
        for id in ids {
            match (console.format, examine(session, &id).await) {
                (_, Err(failure)) if failure.exit == Exit::Interrupted => return Err(failure),
                (Format::Json, Ok(found)) => {
                    exit = exit.max(exit_of(&found));
                    all.value(&id, &found);
                }
                (Format::Json, Err(failure)) => {
                    exit = exit.max(failure.exit);
                    let mut server = JsonText::object();
                    server.value("error", &failure.error);
                    all.raw(&id, &server.finish());
                }
                (Format::Text, Ok(found)) => {
                    exit = exit.max(exit_of(&found));
                    console.print_line(&format!("{}\n", text(console.out, &found)))?;
                }
                (Format::Text, Err(failure)) => {
                    exit = exit.max(failure.exit);
                    errors::tell(console, &failure);
                }
            }
        }
        if console.format == Format::Json {
            let mut json = JsonText::object();
            json.raw("servers", &all.finish());
            console.print_line(&json.finish())?;
        }
        Ok(exit)
    })
    .await
}

async fn examine(session: &Session, id: &str) -> Result<Examination, Failure> {
    session.give_to(id).await?;
    let showing = progress::waiting(&session.console, &format!("examining {id}"));
    let found = session.app.examine(id).await.map_err(|error| session.explain_absence(id, error));
    drop(showing);
    found
}

/// What is ill or must not be started does not become ready.
fn exit_of(found: &Examination) -> Exit {
    if found.error.is_some() || found.verdict == Verdict::Ill { Exit::NotReady } else { Exit::Ok }
}

fn text(surface: Surface, found: &Examination) -> String {
    let verdict = match found.verdict {
        Verdict::Well => "well",
        Verdict::Odd => "odd",
        Verdict::Ill => "ill",
    };
    let mut parts = vec![format!("{}: {}", surface.bold(&surface.line(&found.server)), surface.bold(verdict))];
    parts.push(format!("  {}", surface.line(&found.summary)));
    parts.push(String::new());
    parts.push(steps(surface, &found.steps));
    section(
        surface,
        &mut parts,
        "looked for programs in",
        found.path.iter().map(|entry| {
            let absent = if entry.exists { "" } else { ", which is not there" };
            format!("{} ({}{absent})", entry.folder, entry.source)
        }),
    );
    section(
        surface,
        &mut parts,
        "variables",
        found.environment.iter().map(|variable| format!("{}={} ({})", variable.name, variable.value, variable.source)),
    );
    section(surface, &mut parts, "last lines of stderr", found.stderr_tail.iter().cloned());
    match (&found.error, &found.fix) {
        (Some(error), _) => parts.push(errors::text(surface, error)),
        (None, Some(fix)) => parts.push(format!("{}: {}", surface.bold("hint"), surface.line(fix))),
        (None, None) => {}
    }
    parts.join("\n").trim_end().to_owned()
}

fn steps(surface: Surface, steps: &[Step]) -> String {
    let mut table = Table::new(&["", "", "", ""]);
    for step in steps {
        let outcome = match step.outcome {
            StepOutcome::Well => "ok",
            StepOutcome::Odd => "odd",
            StepOutcome::Ill => "failed",
            StepOutcome::Skipped => "skipped",
        };
        let ms = step.ms.map(|ms| format!("{ms:.1} ms")).unwrap_or_default();
        let found = std::iter::once(surface.line(&step.found).into_owned());
        let facts = step.facts.iter().flat_map(|fact| {
            let mut lines = fact.value.split('\n').map(|line| surface.line(line).into_owned());
            let first = format!("{}: {}", surface.line(&fact.name), lines.next().unwrap_or_default());
            let rest: Vec<String> = lines.map(|line| format!("  {line}")).collect();
            std::iter::once(first).chain(rest)
        });
        let lines: Vec<String> = found.chain(facts).collect();
        for (number, line) in lines.into_iter().enumerate() {
            match number {
                0 => table.add(vec![outcome.to_owned(), step.name.clone(), ms.clone(), line]),
                _ => table.add(vec![String::new(), String::new(), String::new(), line]),
            }
        }
    }
    table.render(surface)
}

fn section(surface: Surface, parts: &mut Vec<String>, name: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.map(|line| format!("  {}", surface.line(&line))).collect();
    if !lines.is_empty() {
        parts.push(surface.dim(&format!("{name}:")));
        parts.extend(lines);
        parts.push(String::new());
    }
}
