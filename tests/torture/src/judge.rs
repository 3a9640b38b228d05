//! The judge of everything: starts the processes that do the work, and at the end asks the kernel whether anything is left.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::arguments::Plan;
use crate::door::LIMIT;
use crate::kernel::{self, Process};
use crate::report::Report;

/// Judges of killed apps that work at the same time. Most of their time they wait for stubborn servers to be ended.
const LANES: u32 = 8;

pub fn hold(plan: &Plan) -> Result<ExitCode> {
    kernel::adopt_orphans()?;
    let folder = tempfile::Builder::new().prefix("torture-").tempdir()?;
    // Links on the way would give the processes another folder than the one we look for.
    let folder = folder.path().canonicalize().map(|path| (folder, path))?;
    println!("torture: seed {}", plan.seed);
    let mut failed = false;
    if plan.cycles > 0 {
        let begun = Instant::now();
        let mut report = finish(start("cycles", &folder.1.join("cycles"), plan.cycles, plan.seed)?)?;
        look_for_leftovers(&mut report)?;
        report.note(format!("took {} s", begun.elapsed().as_secs()));
        report.print("connections");
        failed |= !report.problems.is_empty() || report.done != plan.cycles;
    }
    if plan.kills > 0 {
        let begun = Instant::now();
        let mut report = Report::default();
        let lanes: Vec<_> = (0..LANES)
            .map(|lane| (lane, plan.kills / LANES + u32::from(lane < plan.kills % LANES)))
            .filter(|(_, count)| *count > 0)
            .map(|(lane, count)| {
                start("kills", &folder.1.join(format!("kills-{lane}")), count, plan.seed + u64::from(lane))
            })
            .collect::<Result<_>>()?;
        for lane in lanes {
            report.join(finish(lane)?);
        }
        look_for_leftovers(&mut report)?;
        report.note(format!("took {} s", begun.elapsed().as_secs()));
        report.print("kills");
        failed |= !report.problems.is_empty() || report.done != plan.kills;
    }
    println!("{}", if failed { "something was left behind or went wrong" } else { "nothing was left behind" });
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn start(part: &str, folder: &Path, count: u32, seed: u64) -> Result<Child> {
    let project = folder.join("project");
    fs::create_dir_all(&project).with_context(|| format!("cannot create {}", project.display()))?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(part).arg(folder).args([count.to_string(), seed.to_string()]);
    command.current_dir(project).stdin(Stdio::null()).stdout(Stdio::piped());
    command.spawn().with_context(|| format!("`{part}` could not be started"))
}

fn finish(child: Child) -> Result<Report> {
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "a process of the run ended with {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap_or_default()).context("a process of the run printed no report")
}

/// What became ours and has not ended is what everybody else has left behind.
fn look_for_leftovers(report: &mut Report) -> Result<()> {
    let (_, left) = kernel::until_childless(LIMIT)?;
    for process in &left {
        report.problem(format!("still there at the end: {}", Process::to_string(process)));
    }
    if !left.is_empty() {
        kernel::clear_away()?;
    }
    report.note(format!("processes left at the end: {}", left.len()));
    Ok(())
}
