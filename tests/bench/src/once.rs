//! P15: one call from the command line, the start of the server included.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::binaries;
use crate::report::{Report, Unit};
use crate::rounds::{self, Contest, Sample, Stopwatch};

pub async fn measure(rounds: usize) -> Result<Report> {
    let mut once = Once { folder: binaries::scratch()?, inspector: inspector() };
    let outcome = rounds::hold(&mut once, rounds).await?;

    let mut report = Report::default();
    let name = |what: &str| format!("one call, server start included: {what}");
    let minimal = outcome.ratio(Program::Sonde, Program::Minimal);
    report.judge("P15", name("sonde / minimal client"), Unit::Ratio, minimal, 4.0);
    match once.inspector {
        Some(_) => {
            let ratio = outcome.ratio(Program::Sonde, Program::Inspector);
            report.judge("P15", name("sonde / inspector"), Unit::Ratio, ratio, 1.0 / 25.0);
        }
        None => report.note("one call: the official inspector is not installed, so it was not measured".to_owned()),
    }
    for program in once.contenders() {
        report.tell(name(&format!("{program:?}")), Unit::Seconds, outcome.wall(program));
        report.tell(name(&format!("{program:?}, CPU with its server")), Unit::Seconds, outcome.cpu(program));
    }
    Ok(report)
}

/// The inspector's own launcher, where `make bench` installed it.
fn inspector() -> Option<PathBuf> {
    let rivals = PathBuf::from(std::env::var_os("SONDE_RIVALS")?);
    let launcher = rivals.join("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    launcher.is_file().then_some(launcher)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    Sonde,
    Minimal,
    Inspector,
}

impl Program {
    /// Calls in one turn: a call of a few milliseconds drowns in the noise of one.
    fn calls(self) -> u32 {
        match self {
            Program::Sonde | Program::Minimal => 10,
            Program::Inspector => 1,
        }
    }
}

struct Once {
    /// The data folder of `sonde`, where its log grows as it does for a person.
    folder: TempDir,
    inspector: Option<PathBuf>,
}

impl Once {
    fn command(&self, program: Program) -> Result<Command> {
        let server = binaries::load_server()?;
        let mut command;
        match program {
            Program::Sonde => {
                command = Command::new(binaries::supervisor()?);
                command.arg("--data-dir").arg(self.folder.path());
                command.args(["--output", "json", "call", "echo", "--arg", "text=once", "--"]).arg(server);
            }
            Program::Minimal => {
                command = Command::new(binaries::minimal()?);
                command.arg(server);
            }
            Program::Inspector => {
                command = Command::new("node");
                command.arg(self.inspector.as_ref().context("the inspector is not installed")?).arg("--cli");
                command.arg(server).args(["--method", "tools/call", "--tool-name", "echo", "--tool-arg", "text=once"]);
            }
        }
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        Ok(command)
    }
}

impl Contest for Once {
    type Contender = Program;

    fn contenders(&self) -> Vec<Program> {
        let mut contenders = vec![Program::Sonde, Program::Minimal];
        contenders.extend(self.inspector.as_ref().map(|_| Program::Inspector));
        contenders
    }

    async fn run(&mut self, program: Program) -> Result<Sample> {
        let calls = program.calls();
        tokio::task::block_in_place(|| {
            let cpu = cpu_of_children()?;
            let watch = Stopwatch::start();
            for _ in 0..calls {
                let output = self.command(program)?.output().with_context(|| format!("{program:?} does not start"))?;
                let (told, complaint) =
                    (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
                ensure!(output.status.success() && told.contains("once"), "{program:?} fails: {told}{complaint}");
            }
            Ok(Sample { wall: watch.wall() / calls, cpu: (cpu_of_children()? - cpu) / calls })
        })
    }
}

/// CPU time of all processes that we waited for, and of those that they waited for.
fn cpu_of_children() -> Result<Duration> {
    /// What the kernel counts in, whatever its own clock does.
    const TICKS_PER_SECOND: u64 = 100;
    let stat = std::fs::read_to_string("/proc/self/stat").context("only Linux tells the time of children")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    // The 16th and 17th field of the line, of which two stand before the bracket.
    let ticks = fields.iter().skip(13).take(2).map(|field| field.parse::<u64>()).sum::<Result<u64, _>>()?;
    Ok(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
}
