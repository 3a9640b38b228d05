//! Apps that are killed. Each is a process with several servers; this process adopts whatever the dead leave behind.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::Signal;

use crate::app::SERVERS;
use crate::arguments::Round;
use crate::door::{self, LIMIT};
use crate::kernel::{self, Process};
use crate::report::Report;

/// When the app is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// So long after its start, whatever it is doing then.
    Start(Duration),
    /// So long after it told the judge of that many steps.
    Step(usize, Duration),
}

/// Who is killed, in that order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victims {
    App,
    SupervisorThenApp,
    AppThenSupervisor,
    NurseryThenApp,
    AppThenNursery,
    /// All that looks after servers, so that nobody is left to end a daemon: the next start of the app has to.
    Everybody,
}

pub fn run(round: &Round) -> Result<()> {
    kernel::die_with_parent()?;
    kernel::adopt_orphans()?;
    let servers: Vec<_> = SERVERS.iter().map(|(name, life)| ((*name).to_owned(), *life, round.project())).collect();
    door::configure(round, &servers)?;
    let mut dice = fastrand::Rng::with_seed(round.seed);
    let mut report = Report::default();
    for _ in 0..round.count {
        let moment = match dice.u8(..4) {
            0 => Moment::Start(Duration::from_millis(dice.u64(..500))),
            _ => Moment::Step(dice.usize(..25), Duration::from_millis(dice.u64(..30))),
        };
        let victims = match dice.u8(..12) {
            0 | 1 => Victims::SupervisorThenApp,
            2 | 3 => Victims::AppThenSupervisor,
            4 => Victims::NurseryThenApp,
            5 => Victims::AppThenNursery,
            6 => Victims::Everybody,
            _ => Victims::App,
        };
        let took = kill_once(round, moment, victims, &mut dice, &mut report)
            .with_context(|| format!("{moment:?}, {victims:?}"))?;
        report.highest("seconds until all was gone, at most", took.as_secs_f64());
        report.done += 1;
    }
    if round.count > 0 {
        inspect(round, &mut report)?;
    }
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// Starts an app, kills it, and waits until nothing of it is left; gives how long that took.
fn kill_once(
    round: &Round,
    moment: Moment,
    victims: Victims,
    dice: &mut fastrand::Rng,
    report: &mut Report,
) -> Result<Duration> {
    let mut app = start(round, dice.u64(..))?;
    let steps = Steps::of(&mut app)?;
    match moment {
        Moment::Start(pause) => std::thread::sleep(pause),
        Moment::Step(number, pause) => {
            if let Err(reason) = steps.wait_for(number) {
                report.problem(format!("an app ended or stood still by itself: {reason}"));
            }
            std::thread::sleep(pause);
        }
    }
    let nursery = Guards::below(app.id());
    match victims {
        Victims::SupervisorThenApp => nursery.kill_supervisor(dice, report),
        Victims::NurseryThenApp => nursery.kill_nursery(report),
        _ => {}
    }
    if let Some(status) = app.try_wait()? {
        report.problem(format!("an app ended by itself with {status}"));
    }
    app.kill().context("the app cannot be killed")?;
    let begun = Instant::now();
    app.wait()?;
    report.count("of the app");
    // Its children are ours now, and stay in the list until we have waited for them: the nursery, or what was about to
    // become one.
    let heirs: BTreeSet<u32> = kernel::children(std::process::id()).iter().map(|process| process.pid).collect();
    match victims {
        Victims::AppThenSupervisor => Guards::below(std::process::id()).kill_supervisor(dice, report),
        Victims::AppThenNursery => Guards::below(std::process::id()).kill_nursery(report),
        Victims::Everybody => {
            kill_everybody(report);
            // The next start finds the notes of this one and ends what they name.
            inspect(round, report)?;
        }
        _ => {}
    }

    let (ended, left) = kernel::until_childless(LIMIT)?;
    let took = begun.elapsed();
    if !left.is_empty() {
        let left: Vec<_> = left.iter().map(Process::to_string).collect();
        report.problem(format!("after {moment:?}, {victims:?} there still run: {}", left.join("; ")));
        kernel::clear_away()?;
    }
    let orphans = ended.iter().filter(|pid| !heirs.contains(pid)).count();
    if victims == Victims::App && orphans > 0 {
        report.problem(format!("{orphans} processes outlived their supervisor"));
    }
    Ok(took)
}

/// In the project's folder, as its servers are: so nothing of it is ever anywhere else.
fn start(round: &Round, seed: u64) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("app").arg(&round.folder).args(["0", &seed.to_string()]);
    let command = command.current_dir(round.project()).stdin(Stdio::null()).stdout(Stdio::piped());
    command.spawn().context("the app could not be started")
}

/// The lines of an app, as they come.
struct Steps {
    lines: mpsc::Receiver<String>,
}

impl Steps {
    fn of(app: &mut Child) -> Result<Self> {
        let stdout = app.stdout.take().context("the app's steps are not readable")?;
        let (sender, lines) = mpsc::sync_channel(64);
        std::thread::spawn(move || {
            // Read to the end even when nobody listens any more: an app must not wait for a full pipe.
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                sender.try_send(line).ok();
            }
        });
        Ok(Steps { lines })
    }

    fn wait_for(&self, number: usize) -> Result<()> {
        let mut last = String::new();
        for _ in 0..number {
            last = self.lines.recv_timeout(LIMIT).with_context(|| format!("the last step was `{last}`"))?;
        }
        Ok(())
    }
}

/// Those who look after the servers of one app.
struct Guards {
    nurseries: Vec<Process>,
    supervisors: Vec<Process>,
}

impl Guards {
    /// `parent` is the app, or whoever its children were given to.
    fn below(parent: u32) -> Self {
        let nurseries: Vec<_> = kernel::children(parent).into_iter().filter(Process::supervises).collect();
        let supervisors = nurseries.iter().flat_map(|nursery| kernel::children(nursery.pid));
        Guards { supervisors: supervisors.filter(Process::supervises).collect(), nurseries }
    }

    fn kill_supervisor(&self, dice: &mut fastrand::Rng, report: &mut Report) {
        if dice.choice(&self.supervisors).is_some_and(|victim| kernel::signal(victim, Signal::KILL)) {
            report.count("of a supervisor with it");
        }
    }

    fn kill_nursery(&self, report: &mut Report) {
        if self.nurseries.iter().filter(|victim| kernel::signal(victim, Signal::KILL)).count() > 0 {
            report.count("of the nursery with it");
        }
    }
}

/// Kills the nursery and every supervisor. With their parents dead, all of them are children of ours.
fn kill_everybody(report: &mut Report) {
    let mut hit = 0;
    loop {
        let guards: Vec<_> = kernel::children(std::process::id()).into_iter().filter(Process::supervises).collect();
        if guards.is_empty() {
            break;
        }
        hit += guards.iter().filter(|guard| kernel::signal(guard, Signal::KILL)).count();
        std::thread::sleep(kernel::TICK);
    }
    if hit > 0 {
        report.count("of everybody at once");
    }
}

/// The log that all of them wrote can be opened and read.
fn inspect(round: &Round, report: &mut Report) -> Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("inspect").arg(&round.folder).args(["0", "0"]).current_dir(round.project()).stdin(Stdio::null());
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        report.problem(format!("the log cannot be read after the kills: {}", output.status));
        return Ok(());
    }
    let told = String::from_utf8_lossy(&output.stdout);
    let (rows, pending) = told.trim().split_once(' ').context("the log was not counted")?;
    report.highest("rows in a log that was killed again and again, at most", rows.parse()?);
    report.highest("rows that still wait for a dead server, of the newest 500, at most", pending.parse()?);
    Ok(())
}
