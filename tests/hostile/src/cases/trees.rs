//! S4 to S10 and S25 to S27: processes, and what is left of them.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use super::fact;
use crate::figures::Outcome;
use crate::memory;
use crate::processes::{self, is_running, tagged};
use crate::stage::{LIMIT, Plan, Scale, Stage, prepare};

/// How long a tree may live on after its app or its connection.
const GONE: Duration = Duration::from_secs(5);

pub async fn app_is_killed(plan: Plan) -> Result<Outcome> {
    bring_down(plan, &["kill"]).await
}

pub async fn app_ends_badly(plan: Plan) -> Result<Outcome> {
    let ways: &[&str] = match plan.scale {
        Scale::Full => &["panic", "abort", "exit", "kill", "term", "hup", "int"],
        Scale::Quick => &["panic", "abort", "term"],
    };
    bring_down(plan, ways).await
}

/// An app in a process of its own, its server's tree, and the end of the app in each of these ways.
async fn bring_down(plan: Plan, ways: &[&str]) -> Result<Outcome> {
    let stage = Stage::open(&plan, Vec::new()).await?;
    for round in 0..plan.size(5, 1) {
        for way in ways {
            let folder = tempfile::tempdir()?;
            prepare(&plan, &[plan.server()], folder.path())?;
            let tag = folder.path().display().to_string();
            let victim = Victim::start(folder.path())?;
            // Server, child and grandchild.
            until_running(&tag, 3).await?;
            victim.end(way)?;
            let begun = Instant::now();
            let left = until_gone(&tag).await;
            ensure!(left.is_empty(), "O7: after {way}, round {round}, these still run: {left:?}");
            stage.within(&format!("the end of the tree after {way}"), begun.elapsed(), GONE);
        }
    }
    stage.conclude().await
}

/// Another app, to be brought down.
pub struct Victim {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Victim {
    /// Starts it over the profile in `folder`; it is ready when this returns.
    pub fn start(folder: &Path) -> Result<Self> {
        Self::start_with(folder, &[])
    }

    /// The same, with these variables in its environment.
    pub fn start_with(folder: &Path, variables: &[(&str, &str)]) -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--victim")
            .arg(folder)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the other app can be started")?;
        let answers = BufReader::new(child.stdout.take().context("it has an output")?);
        let mut victim = Victim { child, answers };
        ensure!(victim.answer()? == "ready", "the other app becomes ready");
        Ok(victim)
    }

    pub fn order(&mut self, order: &str) -> Result<()> {
        let input = self.child.stdin.as_mut().context("it has an input")?;
        Ok(writeln!(input, "{order}")?)
    }

    /// The next line it says.
    pub fn answer(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    pub fn signal(&self, signal: Signal) -> Result<()> {
        Ok(rustix::process::kill_process(Pid::from_child(&self.child), signal)?)
    }

    /// Ends it this way, and sees it out.
    pub fn end(mut self, way: &str) -> Result<()> {
        match way {
            "kill" => self.signal(Signal::KILL)?,
            "term" => self.signal(Signal::TERM)?,
            "hup" => self.signal(Signal::HUP)?,
            "int" => self.signal(Signal::INT)?,
            order => self.order(order)?,
        }
        self.child.wait()?;
        Ok(())
    }
}

/// Waits until so many carry the tag. A process that was just started has no environment for a moment.
async fn until_running(tag: &str, count: usize) -> Result<()> {
    let end = Instant::now() + LIMIT;
    while tagged(tag).len() < count {
        ensure!(Instant::now() < end, "{count} processes should run: {:?}", tagged(tag));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

/// Waits until nothing carries the tag; gives what still does when the time is up.
async fn until_gone(tag: &str) -> Vec<(u32, String)> {
    let end = Instant::now() + LIMIT;
    loop {
        let left = tagged(tag);
        if left.is_empty() || Instant::now() > end {
            return left;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub async fn wrappers(plan: Plan) -> Result<Outcome> {
    let scripts = [
        ("background", "exec 3<&0; \"$@\" <&3 & wait"),
        ("foreground", "\"$@\"; exit $?"),
        ("replaced", "exec \"$@\""),
        ("nested", "sh -c 'sh -c \"\\\"\\$@\\\"; true\" sh \"$@\"; true' sh \"$@\""),
    ];
    let entries = scripts.map(|(id, script)| plan.variant(id, "").under_shell(script));
    let stage = Stage::open(&plan, entries.into()).await?;
    for (id, _) in scripts {
        stage.connect(id).await?;
        // Server, child and grandchild at least.
        until_running(&stage.tag(), 3).await?;
        let begun = Instant::now();
        stage.disconnect(id).await?;
        let left = until_gone(&stage.tag()).await;
        ensure!(left.is_empty(), "O7: `{id}`: these still run: {left:?}");
        stage.within(&format!("the end of `{id}`"), begun.elapsed(), GONE);
    }
    stage.conclude().await
}

pub async fn drifters(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.variant("setsid", "setsid"), plan.variant("daemon", "daemon")]).await?;
    for id in ["setsid", "daemon"] {
        stage.connect(id).await?;
        // The server and the one that drifted off.
        until_running(&stage.tag(), 2).await?;
        stage.disconnect(id).await?;
        let left = until_gone(&stage.tag()).await;
        ensure!(left.is_empty(), "O7: `{id}`: these still run: {left:?}");
    }
    stage.conclude().await
}

pub async fn stubborn(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    let took = stage.disconnect("hostile").await?;
    stage.within("the disconnect", took, Duration::from_secs(6));
    let server = stage.ask("describe_server", json!({ "server": "hostile" })).await?;
    ensure!(server["exit"] == "signal 9", "that it had to be killed is told: {}", server["exit"]);
    stage.conclude().await
}

pub async fn reused_number(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.variant("hostile", "zero")]).await?;
    let pid = u32::try_from(stage.connect("hostile").await?["pid"].as_u64().context("it has a process")?)?;
    let call = stage.start("hostile", "go", json!({})).await?;
    stage.ended(&call).await?;
    stage.until_server("hostile", &["stopped"]).await?;
    let left = until_gone(&stage.tag()).await;
    ensure!(left.is_empty(), "O7: nobody is left who could signal that number: {left:?}");
    match stranger_with(&plan, pid) {
        Ok(mut stranger) => {
            stage.disconnect("hostile").await?;
            stage.connect("hostile").await?;
            stage.disconnect("hostile").await?;
            ensure!(
                is_running(pid) && stranger.try_wait()?.is_none(),
                "a stranger with the number {pid} was signalled"
            );
            stranger.kill()?;
            stranger.wait()?;
        }
        Err(error) => stage.note(format!("simulated: no stranger could be given the number: {error:#}")),
    }
    stage.conclude().await
}

/// A process that has nothing to do with us but the number.
fn stranger_with(plan: &Plan, pid: u32) -> Result<Child> {
    for _ in 0..500 {
        std::fs::write("/proc/sys/kernel/ns_last_pid", (pid - 1).to_string())
            .context("the next number is not ours to choose")?;
        let mut command = Command::new(plan.program("hostile-server"));
        let mut stranger = command
            .args(["--case", "sleeper", "--variant", "stranger"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        if stranger.id() == pid {
            return Ok(stranger);
        }
        stranger.kill()?;
        stranger.wait()?;
    }
    bail!("others were faster every time")
}

pub async fn exits(plan: Plan) -> Result<Outcome> {
    let variants = [("zero", "exit code 0"), ("one", "exit code 1"), ("segv", "signal 11"), ("before", "exit code 3")];
    let stage = Stage::open(&plan, variants.map(|(id, _)| plan.variant(id, id)).into()).await?;
    for (id, exit) in variants {
        if id == "before" {
            let problem = stage.connect_in_vain(id).await?;
            last_words(id, &problem, exit)?;
            continue;
        }
        stage.connect(id).await?;
        let held = stage.start(id, "hold", json!({})).await?;
        let going = stage.start(id, "go", json!({})).await?;
        for call in [held, going] {
            let call = stage.ended(&call).await?;
            ensure!(call["status"] == "lost" && call["error"]["code"] == "connection-lost", "`{id}`: {call}");
        }
        let server = stage.until_server(id, &["stopped", "failed"]).await?;
        let detail = stage.ask("describe_server", json!({ "server": id })).await?;
        ensure!(detail["exit"] == exit, "`{id}`: how it ended is told: {}", detail["exit"]);
        match id {
            "zero" => ensure!(server["state"] == "stopped", "an exit in good order is no crash: {server}"),
            _ => {
                ensure!(server["state"] == "failed", "`{id}`: nobody asked it to end: {server}");
                last_words(id, &server["problem"], exit)?;
            }
        }
    }
    stage.conclude().await
}

/// The problem names the exit and the last twenty lines of stderr.
fn last_words(id: &str, problem: &Value, exit: &str) -> Result<()> {
    // A signal has a name, too.
    let told = fact(problem, "ended with").and_then(|told| told.strip_prefix(exit));
    ensure!(told.is_some_and(|rest| rest.is_empty() || rest.starts_with(" (")), "`{id}` tells how it ended: {problem}");
    let lines: Vec<&str> = fact(problem, "stderr").unwrap_or_default().lines().collect();
    ensure!(lines.len() == 20 && lines.last() == Some(&"last words, line 30"), "`{id}`: the last twenty: {lines:?}");
    Ok(())
}

pub async fn cycles(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    let count = plan.size(1000, 24);
    let mut settled = (0, 0);
    for cycle in 0..count {
        stage.begin("hostile").await?;
        // Every fourth is ended while it starts.
        if cycle % 4 != 3 {
            stage.until_server("hostile", &["ready"]).await?;
        }
        stage.disconnect("hostile").await?;
        if cycle == count / 4 {
            settled = (cycle, memory::resident()?);
        }
    }
    let grown = memory::resident()?.saturating_sub(settled.1) as f64 / 1024.0;
    let slope = grown / (count - settled.0) as f64;
    stage.note(format!("{count} cycles, {slope:.1} KiB of memory each"));
    // A short run shows how memory settles, not how it grows.
    ensure!(count < 100 || slope <= 16.0, "O4: memory grows by {slope:.1} KiB with every cycle");
    stage.conclude().await
}

pub async fn hundred(plan: Plan) -> Result<Outcome> {
    /// Tries in a row, after the first start.
    const TRIES: u64 = 5;
    let (good, bad) = (plan.size(80, 16), plan.size(20, 4));
    let ids: Vec<(String, &str)> = (0..good)
        .map(|number| (format!("good{number}"), ""))
        .chain((0..bad).map(|number| (format!("bad{number}"), "before")))
        .collect();
    let entry = |(id, variant): &(String, &str)| plan.variant(id, variant).with("auto_start", json!(true));
    let stage = Stage::open(&plan, ids.iter().map(entry).collect()).await?;
    stage.begin_all().await?;
    for (id, _) in ids.iter().filter(|(_, variant)| variant.is_empty()) {
        let server = stage.until_server(id, &["ready", "failed", "stopped"]).await?;
        ensure!(server["state"] == "ready" && server["restarts"] == 0, "`{id}` should be ready: {server}");
    }
    stage.still_answers("good0").await?;
    // The pauses before the tries are 31 s in all.
    let long = 2 * LIMIT;
    for (id, _) in ids.iter().filter(|(_, variant)| !variant.is_empty()) {
        stage
            .until_within(long, "the last try", async || {
                let server = stage.server(id).await?;
                ensure!(server["state"] != "ready", "`{id}` can't be ready: {server}");
                let last = server["state"] == "failed" && server["retry"].is_null() && server["restarts"] == TRIES;
                Ok(last.then_some(()))
            })
            .await?;
        let starts = stage.tally(id).read_dir()?.count() as u64;
        ensure!(starts == 1 + TRIES, "`{id}` was started {starts} times, and told of {TRIES} tries");
    }
    stage.still_answers("good0").await?;
    stage.conclude().await
}

pub async fn stopped(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    let pid = stage.connect("hostile").await?["pid"].as_i64().context("it has a process")?;
    let pid = Pid::from_raw(i32::try_from(pid)?).context("a process has a number")?;
    rustix::process::kill_process(pid, Signal::STOP)?;
    let call = stage.start_limited("hostile", "echo", json!({ "text": "x" }), Duration::from_secs(2)).await?;
    let call = stage.ended(&call).await?;
    ensure!(call["status"] == "timeout", "the call is given up when its time is over");
    let took = stage.disconnect("hostile").await?;
    stage.within("the disconnect", took, Duration::from_secs(6));
    ensure!(
        !processes::tagged(&stage.tag())
            .iter()
            .any(|(running, _)| i64::from(*running) == i64::from(pid.as_raw_nonzero().get())),
        "O7: it still runs"
    );
    stage.conclude().await
}
