//! The commands of the repository. The Makefile is their index; this is what they do.
//!
//! Owns: set-up of a fresh machine, starting the window, running checks and tests.
//! Must not know: any crate of Sonde, so that it compiles in seconds and works when they do not.
//! Start reading at [`COMMANDS`], then `run.rs`.

mod checks;
mod conformance;
#[cfg(target_os = "linux")]
mod display;
mod fuzz;
#[cfg(target_os = "linux")]
mod headless;
mod hostile;
mod mutants;
mod packages;
mod parts;
mod peers;
mod process;
mod repository;
mod run;
#[cfg(target_os = "linux")]
mod screenshot;
mod setup;
mod stamp;
mod step;
mod suite;
mod toolchain;
mod torture;
mod ui;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::repository::Repository;

struct Command {
    name: &'static str,
    about: &'static str,
    perform: fn(&Repository, &[String]) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "run",
        about: "build and open the window: run [--once] [-- ARGS]",
        perform: |repository, arguments| run::run(repository, &run::Options::parse(arguments)?),
    },
    Command {
        name: "test",
        about: "every test: order, UI, workspace, the real window",
        perform: |repository, _| checks::test(repository),
    },
    Command {
        name: "check",
        about: "formatting, lints and types, of Rust and of the UI",
        perform: |repository, _| checks::check(repository),
    },
    Command {
        name: "setup",
        about: "install what the other commands need",
        perform: |repository, _| {
            setup::prepare(repository, setup::Purpose::Test)?;
            toolchain::ensure_components()?;
            peers::install(repository)?;
            conformance::install(repository)
        },
    },
    Command {
        name: "peers",
        about: "tests against foreign servers, installed once",
        perform: |repository, _| peers::test(repository),
    },
    Command {
        name: "conformance",
        about: "the official suite, one scenario at a time: conformance [client | server | SCENARIO…]",
        perform: conformance::conformance,
    },
    Command {
        name: "bindings",
        about: "write the TypeScript types of the API",
        perform: |repository, _| checks::write_bindings(repository),
    },
    Command { name: "bench", about: "measure: bench [ARGS]", perform: checks::bench },
    Command {
        name: "hostile",
        about: "play the hostile cases: hostile [--case ID] [--seed N] [--json]",
        perform: hostile::hostile,
    },
    Command {
        name: "torture",
        about: "kill connections and apps, and look for leftovers: torture [ARGS]",
        perform: torture::torture,
    },
    Command {
        name: "fuzz",
        about: "look for inputs that break a property: fuzz [--seconds N] [--keep] [TARGET…]",
        perform: fuzz::fuzz,
    },
    Command {
        name: "mutants",
        about: "see whether the tests of framing and pairing notice mistakes: mutants [ARGS]",
        perform: mutants::mutants,
    },
];

fn main() -> ExitCode {
    match dispatch(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<process::Interrupted>() => ExitCode::from(130),
        Err(error) => {
            report(&error);
            ExitCode::FAILURE
        }
    }
}

/// What happened, then why, then what to do about it, in the order a person reads.
fn report(error: &anyhow::Error) {
    let mut hints = Vec::new();
    for (depth, cause) in error.chain().enumerate() {
        let text = cause.to_string();
        let (problem, hint) =
            text.split_once("\nhint: ").map_or((text.as_str(), None), |(p, h)| (p, Some(h.to_owned())));
        eprintln!("{}: {problem}", if depth == 0 { "error" } else { "cause" });
        hints.extend(hint);
    }
    for hint in hints {
        eprintln!("hint: {hint}");
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let Some((name, rest)) = arguments.split_first() else {
        print_index();
        return Ok(());
    };
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        print_index();
        bail!("`{name}` is not a command of xtask\nhint: choose one of the above");
    };
    process::listen_for_interrupts()?;
    (command.perform)(&Repository::locate()?, rest)
}

fn print_index() {
    for command in COMMANDS {
        eprintln!("  cargo xtask {:<11} {}", command.name, command.about);
    }
}
