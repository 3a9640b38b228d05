//! A program: what it is, where it was found, where it runs and what it gets to see.

use sonde_registry::CommandLine;
use sonde_transport::{Located, Platform, variables};

use super::environment;
use super::report::Report;
use crate::api::doctor::PathEntry;
use crate::app::App;
use crate::explain::{self, Machine};
use crate::server::Server;

/// What follows once it may be started.
pub(super) const STEPS: [&str; 3] = ["start the process", "wait for its first byte", "negotiate"];

pub(super) async fn look(app: &App, server: &Server, line: &CommandLine, report: &mut Report) {
    let machine = Machine::here();
    let folder = machine.path(&server.folder);
    match server.folder.is_dir() {
        true => report.well("look at the folder", format!("it runs in {folder}")),
        false => report.ill("look at the folder", format!("{folder} does not exist")),
    }
    let search = &app.inner.search;
    // Whoever asks a doctor wants to know all of it.
    search.ask_login_shell().await;
    let mut env = variables(std::env::vars_os(), &line.env_passthrough, &line.env);
    let folders = search.folders(&env);
    let everywhere = search.all(&line.command, &env);
    let path = folders.iter().map(|place| PathEntry {
        folder: machine.path(&place.folder),
        source: place.source.to_string(),
        exists: place.folder.is_dir(),
    });
    report.take_path(path.collect());
    let located = search.resolve(&line.command, &server.folder, &mut env);
    match &located {
        Ok(located) => found(&machine, line, located, &everywhere, report),
        Err(error) => report.fail("find the program", explain::launch(&server.spec, &server.folder, error)),
    }
    // What is filled in only when it is started may be missing; then it is shown as it is written.
    let filled = app.filled(server).await;
    let filled = match filled.as_ref().map(|spec| &spec.reach) {
        Ok(sonde_registry::Reach::Command(line)) => line,
        _ => line,
    };
    let mut env = variables(std::env::vars_os(), &filled.env_passthrough, &filled.env);
    if let Ok(located) = &located {
        Platform::HERE.equip(located, &mut env);
    }
    let facts = environment::facts(&server.spec, filled, &env);
    report.well("gather the environment", format!("it gets {} variables", facts.len()));
    report.take_environment(facts);
}

fn found(machine: &Machine, line: &CommandLine, located: &Located, everywhere: &[Located], report: &mut Report) {
    let binary = machine.path(&located.binary);
    report.well("find the program", format!("`{}` is {binary} ({})", line.command, located.source));
    report.fact("source", located.source.to_string());
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
