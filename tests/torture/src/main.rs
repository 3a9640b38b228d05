//! Connections and apps, killed at any moment, again and again: what they leave behind must be nothing.
//!
//! One program plays every part: the supervisor, the servers, the app that is killed, and the judge. A judge is a
//! process that adopts the orphans of all it starts, so that the kernel itself tells it when the last of them is
//! gone; no look at a list of processes could, since each may start another while it is looked at.
//! Start reading at [`judge`], then `cycles.rs`, then `kills.rs`.

mod app;
mod arguments;
mod cycles;
mod door;
mod judge;
mod kernel;
mod kills;
mod lane;
mod memory;
mod report;
mod server;

use std::process::ExitCode;

use arguments::{Arguments, Part};

fn main() -> ExitCode {
    if let Some(code) = sonde_app::run_supervisor() {
        return code;
    }
    match Arguments::parse(std::env::args().skip(1)).and_then(play) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("torture: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn play(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.part {
        Part::Help => println!("{}", arguments::USAGE),
        Part::Judge(plan) => return judge::hold(&plan),
        Part::Server(life) => server::live(life)?,
        Part::Cycles(round) => cycles::run(&round)?,
        Part::Kills(round) => kills::run(&round)?,
        Part::App(round) => app::run(&round)?,
        Part::Inspect(round) => app::inspect(&round)?,
    }
    Ok(ExitCode::SUCCESS)
}
