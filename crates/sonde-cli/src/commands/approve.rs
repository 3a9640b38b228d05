//! `sonde approve`

use std::sync::Arc;

use sonde_app::{Asked, PendingApproval};

use crate::arguments::{Approve, Format, Place};
use crate::console::{Console, Surface};
use crate::failure::{Exit, Failure};
use crate::output::json::JsonText;
use crate::session;

pub async fn run(place: &Place, approve: Approve, console: &Arc<Console>) -> Result<Exit, Failure> {
    session::run(place, None, console, async |session| {
        let pending = session.app.pending_approval(&approve.server).map_err(Failure::before_ready)?;
        let facts = facts(console.out, &pending);
        if console.format == Format::Text {
            console.print_line(&facts)?;
        }
        if !approve.yes {
            // Only a person at a terminal can say yes.
            if !console.can_ask() {
                let failure = Failure::usage("there is no terminal to ask at");
                return Err(failure.hint("look at what is shown, then add --yes"));
            }
            if console.format == Format::Json {
                console.say(&facts);
            }
            let typed = session.terminal.line(console, "Allow it? Type yes: ").await;
            if typed.as_deref().map(str::trim) != Some("yes") {
                return Err(Failure::usage(format!("`{}` was not approved", approve.server)));
            }
        }
        session.app.approve(&pending).map_err(Failure::before_ready)?;
        match console.format {
            Format::Text => {
                let may = match &pending.asked {
                    Asked::Command { .. } => "may start with exactly this",
                    Asked::Url(_) => "may be connected to exactly this",
                };
                console.print_line(&format!("approved: `{}` {may}", approve.server))?
            }
            Format::Json => console.print_line(&as_json(&pending))?,
        }
        Ok(Exit::Ok)
    })
    .await
}

fn facts(surface: Surface, pending: &PendingApproval) -> String {
    let mut lines = vec![("server".to_owned(), pending.server.clone())];
    match &pending.asked {
        Asked::Command { binary, args, folder, env_names } => {
            lines.push(("program".to_owned(), binary.clone()));
            lines.extend((1..).zip(args).map(|(number, argument)| (format!("arg {number}"), argument.clone())));
            lines.push(("folder".to_owned(), folder.clone()));
            lines.push(("variables".to_owned(), names(env_names)));
        }
        Asked::Url(launch) => lines.extend(launch.facts().map(|(name, value)| (name.to_owned(), value))),
    }
    lines.push(("from".to_owned(), pending.file.clone().unwrap_or_else(|| "built in".to_owned())));
    let widest = lines.iter().map(|(name, _)| name.len()).max().unwrap_or_default().max(WIDTH);
    // What is approved must be what is seen, on a terminal and in a file.
    let lines = lines.iter().map(|(name, value)| {
        let name = surface.dim(&format!("{name:<widest$} "));
        format!("{name}{}", sonde_app::visible(value)).trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Of the column of names, at least.
const WIDTH: usize = 9;

fn names(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn as_json(pending: &PendingApproval) -> String {
    let mut json = JsonText::object();
    json.value("approved", &pending.server);
    match &pending.asked {
        Asked::Command { binary, args, folder, env_names } => {
            json.value("binary", binary).value("args", args).value("folder", folder).value("env_names", env_names);
        }
        Asked::Url(launch) => {
            json.value("url", launch);
        }
    }
    json.value("file", &pending.file);
    json.finish()
}
