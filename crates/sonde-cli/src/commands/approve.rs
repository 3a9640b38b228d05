//! `sonde approve`

use std::collections::BTreeMap;
use std::sync::Arc;

use sonde_app::{Asked, PendingApproval};

use crate::arguments::{Approve, Format, Place};
use crate::console::{Console, Surface};
use crate::failure::{Exit, Failure};
use crate::output::json::JsonText;
use crate::session;

pub async fn run(place: &Place, approve: Approve, console: &Arc<Console>) -> Result<Exit, Failure> {
    session::run(place, None, console, async |session| {
        session.app.look_for_program(&approve.server).await;
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

/// What is approved must be what is seen, on a terminal and in a file.
fn facts(surface: Surface, pending: &PendingApproval) -> String {
    let facts = pending.facts();
    let widest = facts.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let mut lines: Vec<String> = facts
        .iter()
        .map(|(name, value)| format!("{}{value}", surface.dim(&format!("{name:<widest$} "))).trim_end().to_owned())
        .collect();
    if let Some(again) = &pending.again {
        lines.push(format!("asked again: {}", sonde_app::visible(again)));
    }
    lines.extend(pending.risks.iter().map(|risk| format!("look twice: {risk}")));
    lines.join("\n")
}

fn as_json(pending: &PendingApproval) -> String {
    let mut json = JsonText::object();
    json.value("approved", &pending.server);
    match &pending.asked {
        Asked::Command {
            binary,
            links_to,
            args,
            folder,
            env_names,
            env_values,
            env_taken,
            env_passthrough,
            env_file,
        } => {
            json.value("binary", binary).value("links_to", links_to).value("args", args).value("folder", folder);
            json.value("env_names", env_names).value("env_passthrough", env_passthrough);
            let values: BTreeMap<&String, &String> = env_values.iter().map(|(name, value)| (name, value)).collect();
            json.value("env_values", &values).value("env_taken", env_taken);
            json.value("env_file", &env_file.as_ref().map(|file| &file.path));
            json.value("env_file_names", &env_file.as_ref().and_then(|file| file.names.as_ref().ok()));
        }
        Asked::Url(launch) => {
            json.value("url", launch);
        }
    }
    json.value("file", &pending.file).value("again", &pending.again).value("risks", &pending.risks);
    json.finish()
}
