//! Finding and signalling the processes of a tree.

use rustix::process::{Pid, Signal};

/// Whether a process with this id exists.
pub fn is_alive(pid: u32) -> bool {
    i32::try_from(pid).ok().and_then(Pid::from_raw).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

/// Signals everything that descends from this process, whatever group or session it moved to. By process, not by
/// group: the number of a group whose members are gone may be another's by now.
#[cfg(target_os = "linux")]
pub(super) fn signal(_server: Pid, signal: Signal) {
    let parents = parents();
    let mut found = vec![rustix::process::getpid().as_raw_nonzero().get()];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    for pid in found.into_iter().skip(1).filter_map(Pid::from_raw) {
        // That it is gone already is what we want anyway.
        rustix::process::kill_process(pid, signal).ok();
    }
}

/// Without a subreaper an orphan is nobody's: the group is all we can name.
#[cfg(not(target_os = "linux"))]
pub(super) fn signal(server: Pid, signal: Signal) {
    rustix::process::kill_process_group(server, signal).ok();
}

/// Every process and its parent.
#[cfg(target_os = "linux")]
fn parents() -> Vec<(i32, i32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // The name stands in parentheses and may contain anything; the fields follow the last one.
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            Some((pid, parent))
        })
        .collect()
}
