//! What the kernel knows of our processes.

use std::collections::BTreeMap;
use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};

/// Nobody tells of a change in the list of processes, so it is looked at again.
pub const TICK: Duration = Duration::from_millis(5);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    /// In ticks of the machine: a number may be given again, a number with its start is not.
    pub started: u64,
    /// `Z` for one that ended and was not waited for.
    pub state: char,
    /// Empty for a zombie.
    pub command: String,
}

impl std::fmt::Display for Process {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {} {}", self.pid, self.state, self.command)
    }
}

impl Process {
    fn read(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name stands in parentheses and may contain anything; the fields follow the last one.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let (state, parent) = (fields.next()?.chars().next()?, fields.next()?.parse().ok()?);
        let started = fields.nth(17)?.parse().ok()?;
        let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        Some(Process { pid, parent, started, state, command })
    }

    /// Whether it is one of those that look after servers: a supervisor, or the nursery of all of them.
    pub fn supervises(&self) -> bool {
        self.command.split(' ').nth(1) == Some("supervise")
    }

    pub fn lives(&self) -> bool {
        Process::read(self.pid).is_some_and(|now| now.started == self.started && now.state != 'Z')
    }
}

/// From here on, what loses its parent becomes our child, however far below us it was started.
pub fn adopt_orphans() -> Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).context("orphans cannot be adopted")
}

/// From here on we die with whoever started us.
pub fn die_with_parent() -> Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).context("our death cannot be arranged")
}

/// The children of a process, zombies included.
pub fn children(parent: u32) -> Vec<Process> {
    everything().filter(|process| process.parent == parent).collect()
}

/// What runs in a folder. A zombie has none and is not among them.
pub fn running_in(folder: &Path) -> Vec<Process> {
    everything().filter(|process| is_in(process.pid, folder)).collect()
}

fn is_in(pid: u32, folder: &Path) -> bool {
    fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|found| found == folder)
}

fn everything() -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Process::read(entry.file_name().to_str()?.parse().ok()?))
}

/// Signals a process if it is still the one that was seen: numbers are given again.
pub fn signal(seen: &Process, signal: Signal) -> bool {
    let Some(handle) = handle(seen.pid) else { return false };
    // Opened before the look: if the number is still its own, so is the handle.
    seen.lives() && rustix::process::pidfd_send_signal(&handle, signal).is_ok()
}

fn handle(pid: u32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// Waits until this process has no child, which for a process that adopts orphans means: nothing is left of all it
/// started. Gives those that ended meanwhile, and those that had not when the time was up.
pub fn until_childless(limit: Duration) -> Result<(Vec<u32>, Vec<Process>)> {
    let end = Instant::now() + limit;
    let mut ended = Vec::new();
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((pid, _status))) => ended.push(pid.as_raw_nonzero().get().unsigned_abs()),
            Ok(None) if Instant::now() > end => return Ok((ended, children(std::process::id()))),
            Ok(None) => std::thread::sleep(TICK),
            Err(Errno::INTR) => {}
            Err(Errno::CHILD) => return Ok((ended, Vec::new())),
            Err(error) => return Err(error).context("children cannot be waited for"),
        }
    }
}

/// Ends what a run left behind, so that the next one begins with nothing.
pub fn clear_away() -> Result<()> {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        for process in children(std::process::id()) {
            signal(&process, Signal::KILL);
        }
        let (_, left) = until_childless(Duration::from_millis(50))?;
        if left.is_empty() || Instant::now() > end {
            return Ok(());
        }
    }
}

/// Our open descriptors, counted by what they are.
pub fn descriptors() -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for entry in fs::read_dir("/proc/self/fd").into_iter().flatten().flatten() {
        let Ok(target) = fs::read_link(entry.path()) else { continue };
        let target = target.to_string_lossy();
        // `pipe:[4711]` is a pipe, `anon_inode:[eventpoll]` is what it says, and a file is known by its name.
        let kind = match target.split_once(":[") {
            Some((kind @ ("pipe" | "socket"), _)) => kind.to_owned(),
            _ => target.rsplit('/').next().unwrap_or_default().to_owned(),
        };
        if !target.starts_with("/proc/") {
            *counts.entry(kind).or_default() += 1;
        }
    }
    counts
}

/// KiB of ours that are in memory.
pub fn resident() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("only Linux tells the memory of a process")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("the memory is not told")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
