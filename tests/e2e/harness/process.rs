//! Processes as `/proc` shows them, and children that end with us.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};

/// How often a wait looks again where nothing can tell it to.
pub(crate) const TICK: Duration = Duration::from_millis(20);

/// A child of ours. Dropping it ends it.
pub(crate) struct Owned(Child);

impl Owned {
    pub(crate) fn spawn(command: &mut Command) -> Result<Self> {
        let program = Path::new(command.get_program()).display().to_string();
        Ok(Owned(command.spawn().with_context(|| format!("`{program}` could not be started"))?))
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if let Err(error) = self.0.kill().and_then(|()| self.0.wait()) {
            eprintln!("warning: process {} could not be ended: {error}", self.0.id());
        }
    }
}

/// One process, told apart from a later one of the same number by its start.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    pub pid: u32,
    pub name: String,
    started: u64,
}

impl Identity {
    /// The process of that number, unless it has ended.
    pub fn of(pid: u32) -> Option<Self> {
        stat(pid).map(|stat| Identity { pid, name: stat.name, started: stat.started })
    }

    pub fn is_alive(&self) -> bool {
        stat(self.pid).is_some_and(|stat| stat.started == self.started)
    }

    pub fn kill(&self) {
        self.send(Signal::KILL);
    }

    /// Asks it to end.
    pub(crate) fn end(&self) {
        self.send(Signal::TERM);
    }

    fn send(&self, signal: Signal) {
        let number = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        if let Some(pid) = number.filter(|_| self.is_alive())
            && let Err(error) = kill_process(pid, signal)
        {
            eprintln!("warning: process {} could not be signalled: {error}", self.pid);
        }
    }

    /// A variable of the environment that it was started with.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        let environment = fs::read(format!("/proc/{}/environ", self.pid)).ok()?;
        let environment = String::from_utf8_lossy(&environment).into_owned();
        environment.split('\0').find_map(|entry| entry.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned)
    }

    /// The path of its program.
    pub(crate) fn program(&self) -> Option<std::path::PathBuf> {
        fs::read_link(format!("/proc/{}/exe", self.pid)).ok()
    }
}

struct Stat {
    name: String,
    parent: u32,
    started: u64,
}

/// None for a process that has ended, also if nobody has waited for it yet.
fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may contain anything, brackets too, so what follows is counted from the last one.
    let (head, tail) = text.rsplit_once(") ")?;
    let mut fields = tail.split(' ');
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    let name = head.split_once('(')?.1.to_owned();
    (!matches!(state, "Z" | "X")).then_some(Stat { name, parent, started })
}

/// Every living process below that one, the nearest first.
pub fn descendants(pid: u32) -> Vec<Identity> {
    let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let all: Vec<_> = numbers.filter_map(|pid| stat(pid).map(|stat| (pid, stat))).collect();
    let mut parents = vec![pid];
    let mut found = Vec::new();
    while !parents.is_empty() {
        let children: Vec<_> = all.iter().filter(|(_, stat)| parents.contains(&stat.parent)).collect();
        parents = children.iter().map(|(pid, _)| *pid).collect();
        found.extend(children.into_iter().map(|(pid, stat)| Identity {
            pid: *pid,
            name: stat.name.clone(),
            started: stat.started,
        }));
    }
    found
}

/// Those that still live when all have gone or the time is over.
pub async fn still_alive(processes: &[Identity], within: Duration) -> Vec<Identity> {
    let deadline = Instant::now() + within;
    loop {
        let alive: Vec<_> = processes.iter().filter(|process| process.is_alive()).cloned().collect();
        if alive.is_empty() || Instant::now() > deadline {
            return alive;
        }
        tokio::time::sleep(TICK).await;
    }
}

/// The memory of these processes in bytes, where what they share is counted once.
pub fn pss(processes: &[Identity]) -> u64 {
    let of = |process: &Identity| -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", process.pid)).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    processes.iter().filter_map(of).map(|kibibytes| kibibytes * 1024).sum()
}

/// The local addresses of TCP sockets that these processes listen on.
pub(crate) fn listening_sockets(processes: &[Identity]) -> Result<Vec<String>> {
    const LISTEN: &str = "0A";
    let held: HashSet<String> = processes.iter().flat_map(|process| sockets(process.pid)).collect();
    let mut found = Vec::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let text = fs::read_to_string(table).with_context(|| format!("{table} is not readable"))?;
        for line in text.lines().skip(1) {
            let fields: Vec<_> = line.split_whitespace().collect();
            if let [_, local, _, LISTEN, _, _, _, _, _, inode, ..] = fields[..]
                && held.contains(inode)
            {
                found.push(readable(local).unwrap_or_else(|| local.to_owned()));
            }
        }
    }
    Ok(found)
}

/// `0100007F:1F90` as `127.0.0.1:8080`; the longer addresses of IPv6 stay as the kernel writes them.
fn readable(local: &str) -> Option<String> {
    let (address, port) = local.split_once(':').filter(|(address, _)| address.len() == 8)?;
    let address = std::net::Ipv4Addr::from(u32::from_str_radix(address, 16).ok()?.to_ne_bytes());
    Some(format!("{address}:{}", u16::from_str_radix(port, 16).ok()?))
}

/// The inodes of the sockets that the process holds open.
fn sockets(pid: u32) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let target = fs::read_link(entry.path()).ok()?;
        Some(target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
    })
}
