//! Finding and signalling the processes of a tree.

#[cfg(target_os = "linux")]
use std::collections::BTreeMap;

use rustix::process::{Pid, Signal};

#[cfg(target_os = "linux")]
use super::table::{self, Entry};

/// Signals everything that descends from this process, whatever group or session it moved to. By process, not by
/// group: the number of a group whose members are gone may be another's by now.
#[cfg(target_os = "linux")]
pub(super) fn signal_descendants(_server: Pid, signal: Signal) {
    let table = table::entries();
    let here = rustix::process::getpid().as_raw_nonzero().get();
    for found in descendants(&table, &[here]) {
        send(&found, signal);
    }
}

/// Without a subreaper an orphan is nobody's: the group is all we can name. The server leads a session of its own
/// and so a group of its own, too.
#[cfg(not(target_os = "linux"))]
pub(super) fn signal_descendants(server: Pid, signal: Signal) {
    // That it is gone already is what we want anyway.
    rustix::process::kill_process_group(server, signal).ok();
}

/// Kills the children of this process that are none of `known`, with all that descends from them. Gives how many
/// were alive.
#[cfg(target_os = "linux")]
pub(super) fn kill_orphans(known: &dyn Fn(Pid) -> bool) -> usize {
    let table = table::entries();
    let here = rustix::process::getpid().as_raw_nonzero().get();
    let orphans: Vec<Entry> = table
        .iter()
        .filter(|entry| entry.parent == here && !entry.zombie && !Pid::from_raw(entry.pid).is_some_and(known))
        .copied()
        .collect();
    let roots: Vec<i32> = orphans.iter().map(|entry| entry.pid).collect();
    let below = descendants(&table, &roots);
    orphans.iter().chain(&below).for_each(|entry| send(entry, Signal::KILL));
    orphans.len() + below.len()
}

/// Orphans of a supervisor that was killed go to the first process of the system, where they are not ours to name.
#[cfg(not(target_os = "linux"))]
pub(super) fn kill_orphans(_known: &dyn Fn(Pid) -> bool) -> usize {
    0
}

/// All that descends from `roots`, without these.
#[cfg(target_os = "linux")]
pub(super) fn descendants(table: &[Entry], roots: &[i32]) -> Vec<Entry> {
    let mut children: BTreeMap<i32, Vec<Entry>> = BTreeMap::new();
    for entry in table {
        children.entry(entry.parent).or_default().push(*entry);
    }
    let mut found = Vec::new();
    let mut parents = roots.to_vec();
    while let Some(parent) = parents.pop() {
        // Taken out of the map: a table that was read while it changed must not lead us in a circle.
        for child in children.remove(&parent).unwrap_or_default() {
            parents.push(child.pid);
            found.push(child);
        }
    }
    found.retain(|entry| !entry.zombie);
    found
}

/// All that descends from `root`, without it, as the kernel lists each one's children. That costs a few files and not
/// the whole table of processes; one that changes parents meanwhile may be missed, so it is for counting only.
#[cfg(target_os = "linux")]
pub(super) fn below(root: i32) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        // Not every kernel has these lists, and then there is none for anybody.
        let Some(children) = table::children(parent) else { return descendants(&table::entries(), &[root]) };
        for child in children.into_iter().filter_map(table::entry) {
            if found.iter().all(|known| known.pid != child.pid) {
                parents.push(child.pid);
                found.push(child);
            }
        }
    }
    found.retain(|entry| !entry.zombie);
    found
}

/// Signals exactly the process that was in the table, and nobody who got its number since.
#[cfg(target_os = "linux")]
pub(super) fn send(to: &Entry, signal: Signal) {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let Some(pid) = Pid::from_raw(to.pid) else { return };
    let same = || table::entry(to.pid).is_some_and(|now| now.started == to.started);
    // That it is gone already is what we want anyway, so no error here is one to us.
    match pidfd_open(pid, PidfdFlags::empty()) {
        // The handle was opened before the look: if the number is still its own, so is the handle.
        Ok(handle) if same() => {
            pidfd_send_signal(handle, signal).ok();
        }
        // A kernel without such handles leaves a moment between the look and the signal.
        Err(rustix::io::Errno::NOSYS) if same() => {
            rustix::process::kill_process(pid, signal).ok();
        }
        Ok(_) | Err(_) => {}
    }
}
