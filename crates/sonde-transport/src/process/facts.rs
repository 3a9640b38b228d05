//! What the system tells of a running server: since when, how many processes, how much memory.

/// A server's processes at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessFacts {
    /// When the first one was started, in milliseconds since 1970.
    pub started_ms: i64,
    /// Bytes in memory of all of them; what they share counts for each.
    pub memory: u64,
    pub processes: u32,
}

/// The process and everything that it started, also what has left it since. None where it is gone, and where the
/// system does not tell.
pub fn process_facts(pid: u32) -> Option<ProcessFacts> {
    look(pid)
}

#[cfg(target_os = "linux")]
fn look(pid: u32) -> Option<ProcessFacts> {
    use super::{table, tree};

    let pid = i32::try_from(pid).ok()?;
    let first = table::entry(pid).filter(|entry| !entry.zombie)?;
    // What loses its parent goes to the supervisor, so all that is below that is the server's.
    let found = match is_supervisor(first.parent) {
        true => tree::below(first.parent),
        false => std::iter::once(first).chain(tree::below(pid)).collect(),
    };
    let page = u64::try_from(rustix::param::page_size()).ok()?;
    Some(ProcessFacts {
        started_ms: linux::started_ms(pid)?,
        memory: found.iter().filter_map(|entry| linux::resident_pages(entry.pid)).sum::<u64>() * page,
        processes: u32::try_from(found.len()).ok()?,
    })
}

/// A supervisor has one server, and is no shell or window that happened to start it: it is a child of the nursery,
/// which is ours.
#[cfg(target_os = "linux")]
fn is_supervisor(pid: i32) -> bool {
    let parent = |pid: i32| super::table::entry(pid).map(|entry| entry.parent);
    let grandparent = parent(pid).and_then(parent);
    grandparent.is_some() && grandparent == i32::try_from(std::process::id()).ok()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::time::{SystemTime, UNIX_EPOCH};

    /// The fields behind the name, which stands in parentheses and may contain anything.
    fn fields(pid: i32) -> Option<Vec<u64>> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields = stat.rsplit(')').next()?.split_ascii_whitespace();
        Some(fields.map(|field| field.parse().unwrap_or_default()).collect())
    }

    /// The 24th field of the line, of which two stand before the bracket.
    pub fn resident_pages(pid: i32) -> Option<u64> {
        fields(pid)?.get(21).copied()
    }

    /// The table counts from when the machine was switched on; that moment is found by the clock that does, too.
    pub fn started_ms(pid: i32) -> Option<i64> {
        let ticks = fields(pid)?.get(19).copied()?;
        let since_boot = ticks * 1000 / rustix::param::clock_ticks_per_second().max(1);
        let boot = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        let boot_ms = boot.tv_sec * 1000 + boot.tv_nsec / 1_000_000;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        Some(i64::try_from(now.as_millis()).ok()? - (boot_ms - i64::try_from(since_boot).ok()?))
    }
}

#[cfg(not(target_os = "linux"))]
fn look(_pid: u32) -> Option<ProcessFacts> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_with_what_it_started_and_nobody_else() {
        let mut shell = std::process::Command::new("/bin/sh")
            .args(["-c", "sleep 600 & sleep 600 & echo; wait"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = [0];
        std::io::Read::read_exact(shell.stdout.as_mut().unwrap(), &mut line).unwrap();
        let before = process_facts(std::process::id()).unwrap();
        let facts = process_facts(shell.id()).unwrap();
        assert_eq!(facts.processes, 3, "the shell and two that sleep");
        assert!(facts.memory > 100 << 10, "three programs have some pages: {}", facts.memory);
        assert!(facts.started_ms >= before.started_ms, "it is younger than whoever started it");
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64;
        assert!((now - facts.started_ms).abs() < 60_000, "by the clock on the wall");
        for pid in std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", shell.id())).unwrap().split(' ') {
            if let Some(pid) = pid.parse().ok().and_then(rustix::process::Pid::from_raw) {
                rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
            }
        }
        shell.kill().unwrap();
        shell.wait().unwrap();
        assert_eq!(process_facts(shell.id()), None, "what is gone has no facts");
    }
}
