//! A program: what it is, where it was found, where it runs and what it gets to see.

use std::sync::Arc;

use sonde_registry::{CommandLine, Reach, ServerSpec};
use sonde_transport::{Located, Platform, variables};

use super::environment::{self, Values};
use super::report::Report;
use crate::api::doctor::PathEntry;
use crate::app::App;
use crate::explain::{self, Machine};
use crate::server::Server;
use crate::shown;
use crate::text::visible;

/// What follows once it may be started.
pub(super) const STEPS: [&str; 3] = ["start the process", "wait for its first byte", "negotiate"];

/// Gives the program, if it is there.
pub(super) async fn look(app: &App, server: &Arc<Server>, report: &mut Report) -> Option<Located> {
    let considered = match app.considered_soon(server).await {
        Ok(considered) => considered,
        Err(problem) => {
            report.fail("find the program", problem);
            return None;
        }
    };
    let Reach::Command(line) = &considered.reach else { return None };
    let machine = Machine::here();
    let meant = server.folder_of(line);
    let folder = machine.folder(&server.spec, &meant);
    match meant.is_dir() {
        true => report.well("look at the folder", format!("it runs in {folder}")),
        false => report.ill("look at the folder", format!("{folder} does not exist")),
    }
    let search = &app.inner.search;
    // Whoever asks a doctor wants to know all of it.
    search.ask_login_shell().await;
    let mut env = variables(std::env::vars_os(), &line.env_passthrough, &line.env);
    let folders = shown::searched(&server.spec, search.folders(&env));
    let everywhere = search.all(&line.command, &env);
    let path = folders.iter().map(|place| PathEntry {
        folder: machine.path(&place.folder),
        source: place.source.to_string(),
        exists: place.folder.is_dir(),
    });
    report.take_path(path.collect());
    let located = search.resolve(&line.command, &meant, &mut env);
    match &located {
        Ok(located) => found(&machine, server, line, located, &everywhere, report),
        Err(error) => report.fail("find the program", explain::launch(&server.spec, &meant, error)),
    }
    located.ok()
}

/// What it gets to see: with its values where a person has allowed them to be filled in, as it is written before that.
pub(super) fn gather(spec: &ServerSpec, filled: Option<&ServerSpec>, located: Option<&Located>, report: &mut Report) {
    let values = filled.map_or(Values::Written, |_| Values::Filled);
    let Reach::Command(line) = &filled.unwrap_or(spec).reach else { return };
    let mut env = variables(std::env::vars_os(), &line.env_passthrough, &line.env);
    if let Some(located) = located {
        Platform::HERE.equip(located, &mut env);
    }
    let facts = environment::facts(spec, line, values, &env);
    report.well("gather the environment", format!("it gets {} variables", facts.len()));
    if let (Values::Written, Some(file)) = (values, spec.written("envFile")) {
        report.fact("not read yet", visible(file));
    }
    report.take_environment(facts);
}

fn found(
    machine: &Machine,
    server: &Server,
    line: &CommandLine,
    located: &Located,
    everywhere: &[Located],
    report: &mut Report,
) {
    let command = line.written.first().map(String::as_str).unwrap_or_default();
    let source = located.source;
    if shown::binary(&server.spec, &located.binary).is_none() {
        report.well("find the program", format!("`{command}` is there ({source})"));
        report.fact("source", source.to_string());
        return;
    }
    report.well("find the program", format!("`{command}` is {} ({source})", machine.path(&located.binary)));
    report.fact("source", source.to_string());
    if let Ok(target) = located.binary.canonicalize()
        && target != located.binary
    {
        report.fact("links to", machine.path(&target));
    }
    let others = everywhere.iter().filter(|other| other.binary != located.binary);
    let others: Vec<String> =
        others.map(|other| format!("{} ({})", machine.path(&other.binary), other.source)).collect();
    if !others.is_empty() {
        report.fact("also at", others.join("\n"));
    }
}
