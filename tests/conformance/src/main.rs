//! The client that the official conformance suite runs: `sonde-conformance URL`.
//!
//! Owns: what a person would do in a scenario. The suite names the scenario in a variable and judges what it sees on
//! the wire; a failure here is only one that it could not see.
//! Must not know: the protocol. Everything is said by the core, through the API that the window and the terminal use.
//! Start reading at [`errand::Errand`].

mod arguments;
mod errand;
mod form;
mod offer;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use errand::Errand;

/// The suite's own limit ends only the shell around us, so we end ourselves before it.
const LIMIT: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sonde-conformance: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let url = std::env::args().nth(1).context("the address of a server is missing\nhint: sonde-conformance URL")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        match tokio::time::timeout(LIMIT, errand::run(&url, Errand::of(&scenario))).await {
            Ok(outcome) => outcome,
            Err(_elapsed) => bail!("`{scenario}` was not over after {} s", LIMIT.as_secs()),
        }
    });
    // Whatever still runs was given up: it must not hold up the suite.
    runtime.shutdown_background();
    outcome
}
