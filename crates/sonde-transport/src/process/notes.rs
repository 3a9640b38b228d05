//! What runs, written down, for the next start: if everything of ours is killed at once, nobody is left to end a
//! server's processes.
//!
//! A note is a file named after its run. Its lines: our own number and start, then those of the server's first
//! process. The run is also a variable of the server's, and so of everything that it starts.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Swept, table};

/// The variable that names a run.
pub(super) const TAG: &str = "SONDE_RUN";

/// One server that runs. Removed when it is dropped, which it is only after the server.
#[derive(Debug)]
pub(super) struct Note {
    path: PathBuf,
    run: String,
}

impl Note {
    /// Writes down that a server is about to start. A folder that can't be written to keeps no server from starting.
    pub fn open(folder: &Path) -> Option<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let pid = std::process::id();
        let started = table::process_start(pid)?;
        // No other start of a server has this name: not of this process, and no other process has this start.
        let run = format!("{pid}-{started:x}-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let note = Note { path: folder.join(&run), run };
        match create_private(folder).and_then(|()| std::fs::write(&note.path, format!("{pid} {started}\n"))) {
            Ok(()) => Some(note),
            Err(error) => {
                tracing::warn!(%error, "a server could not be written down: no sweep will find it");
                None
            }
        }
    }

    pub fn run(&self) -> &str {
        &self.run
    }

    /// Adds the server's first process.
    pub fn add(&self, pid: u32, started: u64) {
        let file = std::fs::OpenOptions::new().append(true).open(&self.path);
        if let Err(error) = file.and_then(|mut file| writeln!(file, "{pid} {started}")) {
            tracing::warn!(%error, "a server's process could not be written down");
        }
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "a note of a server that is gone could not be removed");
        }
    }
}

fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Ends what servers of earlier runs left, as written down in `folder`, and removes those notes. Whoever is still
/// there to look after its own servers is left alone. Waits until what it ended is gone, at most five seconds.
pub fn sweep(folder: &Path) -> Vec<Swept> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut swept = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        let Some(left) = Left::read(&path) else { continue };
        if table::is_alive(left.owner.0, left.owner.1) {
            continue;
        }
        swept.extend(end(&left));
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::warn!(%error, "a note of an earlier run could not be removed");
        }
    }
    swept
}

/// What a note says.
struct Left {
    run: String,
    owner: (u32, u64),
    first: Option<(u32, u64)>,
}

impl Left {
    /// No note of ours is larger than this; another file in the folder may be.
    const LONGEST: u64 = 4096;

    fn read(path: &Path) -> Option<Self> {
        let facts = path.symlink_metadata().ok().filter(|facts| facts.is_file() && facts.len() <= Left::LONGEST)?;
        let text = (facts.len() > 0).then(|| std::fs::read_to_string(path).ok())??;
        let mut lines = text.lines().map(|line| {
            let (pid, started) = line.split_once(' ')?;
            Some((pid.parse().ok()?, started.parse().ok()?))
        });
        let owner = lines.next()??;
        let run = path.file_name()?.to_str()?.to_owned();
        run.starts_with(&format!("{}-", owner.0)).then(|| Left { run, owner, first: lines.next().flatten() })
    }
}

/// Kills everything that has the run among its variables or descends from the first process, until it is gone.
#[cfg(target_os = "linux")]
fn end(left: &Left) -> Vec<Swept> {
    use std::time::{Duration, Instant};
    const LONGEST: Duration = Duration::from_secs(5);

    let mut swept: Vec<Swept> = Vec::new();
    let give_up = Instant::now() + LONGEST;
    loop {
        let found = found(left);
        if found.is_empty() || Instant::now() >= give_up {
            return swept;
        }
        for entry in found {
            let pid = u32::try_from(entry.pid).unwrap_or_default();
            if swept.iter().all(|known| known.pid != pid) {
                let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
                swept.push(Swept { pid, name: name.trim_end().to_owned() });
            }
            super::tree::send(&entry, rustix::process::Signal::KILL);
        }
        // Nobody tells of the end of what is not our child.
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Elsewhere the variables of another process can't be read; its first process leads a group, which has a name.
#[cfg(not(target_os = "linux"))]
fn end(left: &Left) -> Vec<Swept> {
    let alive = left.first.filter(|(pid, started)| table::is_alive(*pid, *started));
    let group = alive.and_then(|(pid, _)| rustix::process::Pid::from_raw(i32::try_from(pid).ok()?));
    let ended =
        group.filter(|group| rustix::process::kill_process_group(*group, rustix::process::Signal::KILL).is_ok());
    alive.filter(|_| ended.is_some()).map(|(pid, _)| Swept { pid, name: left.run.clone() }).into_iter().collect()
}

#[cfg(target_os = "linux")]
fn found(left: &Left) -> Vec<table::Entry> {
    let table = table::entries();
    let tag = format!("{TAG}={}", left.run);
    let is_first = |entry: &table::Entry| {
        left.first.is_some_and(|(pid, started)| u32::try_from(entry.pid) == Ok(pid) && entry.started == started)
    };
    let is_tagged = |entry: &table::Entry| {
        let variables = std::fs::read(format!("/proc/{}/environ", entry.pid)).unwrap_or_default();
        variables.split(|byte| *byte == 0).any(|variable| variable == tag.as_bytes())
    };
    let alive = table.iter().filter(|entry| !entry.zombie);
    let mut found: Vec<table::Entry> = alive.filter(|entry| is_first(entry) || is_tagged(entry)).copied().collect();
    let roots: Vec<i32> = found.iter().map(|entry| entry.pid).collect();
    for below in super::tree::descendants(&table, &roots) {
        if !found.contains(&below) {
            found.push(below);
        }
    }
    found
}
