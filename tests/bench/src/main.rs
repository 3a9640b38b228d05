//! The budgets, measured.
//!
//! Owns: contests between Sonde's core, a peer and the limit of the machine, within one run, and the table of what
//! came out. It never fails for a figure: a clock is no assertion.
//! Start reading at [`rounds::hold`], then `echo.rs`, then `report.rs`.

mod arguments;
mod binaries;
mod clients;
mod concurrent;
mod echo;
mod flood;
mod frames;
mod hundred;
mod ingest;
mod large;
mod memory;
mod once;
mod report;
mod rounds;
mod store;

use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};

use arguments::{Arguments, Measure};
use report::Report;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sonde-bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    match arguments.here {
        Some(measure) => {
            let report = measure_here(measure, &arguments)?;
            println!("{}", serde_json::to_string(&report)?);
            Ok(())
        }
        None if arguments.help => {
            println!("{}", arguments::USAGE);
            Ok(())
        }
        None => measure_all(&arguments),
    }
}

/// Every measure gets a process of its own, so that none inherits the memory or the threads of another.
fn measure_all(arguments: &Arguments) -> Result<()> {
    binaries::check()?;
    let mut report = Report::default();
    report.note(circumstances(arguments.rounds));
    for measure in &arguments.only {
        eprintln!("measuring {} …", measure.name());
        match measure_apart(*measure, arguments) {
            Ok(part) => report.join(part),
            // What could be measured is worth more than what could not.
            Err(error) => report.note(format!("{} was not measured: {error:#}", measure.name())),
        }
    }
    print!("{report}");
    let path = binaries::target_folder()?.join("bench.json");
    let text = serde_json::to_string_pretty(&report)?;
    std::fs::write(&path, text).with_context(|| format!("`{}` could not be written", path.display()))?;
    println!("\nwritten to {}", path.display());
    Ok(())
}

/// Whoever reads the figures must know whether the machine had other things to do.
fn circumstances(rounds: usize) -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown");
    format!("{rounds} rounds on {cores} cores; the load of the minute before was {load}")
}

fn measure_apart(measure: Measure, arguments: &Arguments) -> Result<Report> {
    let program = std::env::current_exe()?;
    let mut command = match measure {
        Measure::EchoOneCore | Measure::EchoHttpOneCore => {
            let mut command = Command::new("taskset");
            command.args(["-c", "0"]).arg(program);
            command
        }
        _ => Command::new(program),
    };
    let output = command
        .args(arguments.for_one(measure))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("the measuring process could not be started")?;
    anyhow::ensure!(output.status.success(), "the measuring process ended with {}", output.status);
    serde_json::from_slice(&output.stdout).context("the measuring process printed no report")
}

fn measure_here(measure: Measure, arguments: &Arguments) -> Result<Report> {
    let arguments = arguments.clone();
    let measuring = async move {
        match measure {
            Measure::Echo => echo::measure(arguments.rounds, "").await,
            Measure::EchoOneCore => echo::measure(arguments.rounds, ", one core").await,
            Measure::EchoHttp => echo::measure_http(arguments.rounds, "").await,
            Measure::EchoHttpOneCore => echo::measure_http(arguments.rounds, ", one core").await,
            Measure::Flood => flood::measure(arguments.rounds).await,
            Measure::Concurrent => concurrent::measure(arguments.rounds).await,
            Measure::Large => large::measure(arguments.rounds).await,
            Measure::Once => once::measure(arguments.rounds).await,
            Measure::HundredServers => hundred::measure(arguments.rounds).await,
            Measure::Ingest => ingest::measure(arguments.rounds).await,
            Measure::Store => store::measure(arguments.queries(), arguments.rows).await,
            Measure::Memory => memory::measure(memory::MIDDLE, arguments.flood).await,
            Measure::MemorySmall => memory::measure(memory::SMALL, arguments.flood).await,
            Measure::MemoryLarge => memory::measure(memory::LARGE, arguments.flood).await,
        }
    };
    let runtime = tokio::runtime::Runtime::new()?;
    // In a task of its own: the thread that blocks here is none of the runtime's, and every wake-up of it would be
    // charged to the clients.
    runtime.block_on(async { tokio::spawn(measuring).await })?
}
