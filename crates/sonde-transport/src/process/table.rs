//! Which process is which: a number may be used again, a number with its time of start may not.

/// Whether the process that had this number and this start still runs.
pub fn is_alive(pid: u32, started: u64) -> bool {
    running(pid) == Some(started)
}

/// When a process started, as a number that only compares: no other process of this machine had this number and
/// this start, also not before it was last switched on. Fits into 63 bits.
pub fn process_start(pid: u32) -> Option<u64> {
    start(pid)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::OnceLock;

    /// One line of the table of processes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) struct Entry {
        pub pid: i32,
        pub parent: i32,
        pub started: u64,
        /// Dead, and only waiting for its parent to notice.
        pub zombie: bool,
    }

    pub(crate) fn entry(pid: i32) -> Option<Entry> {
        let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        // The name stands in parentheses and may contain anything; the fields follow the last one.
        let end = stat.iter().rposition(|byte| *byte == b')')?;
        let fields = String::from_utf8_lossy(stat.get(end + 1..)?).into_owned();
        let mut fields = fields.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let ticks: u64 = fields.nth(17)?.parse().ok()?;
        let zombie = matches!(state, "Z" | "X" | "x");
        Some(Entry { pid, parent, started: boot().wrapping_add(ticks) & (u64::MAX >> 1), zombie })
    }

    pub(crate) fn entries() -> Vec<Entry> {
        let Ok(folder) = std::fs::read_dir("/proc") else { return Vec::new() };
        let pids = folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter_map(entry).collect()
    }

    /// The children of a process, of all its threads; none where it is gone. None where the kernel keeps no such lists.
    pub(crate) fn children(pid: i32) -> Option<Vec<i32>> {
        let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Some(Vec::new()) };
        let mut children = Vec::new();
        for thread in threads.flatten().map(|thread| thread.path()) {
            match std::fs::read_to_string(thread.join("children")) {
                Ok(list) => children.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok())),
                Err(_) if thread.exists() => return None,
                Err(_it_has_ended) => {}
            }
        }
        Some(children)
    }

    /// A number of this boot, so that the ticks since then mean this boot's.
    fn boot() -> u64 {
        static BOOT: OnceLock<u64> = OnceLock::new();
        *BOOT.get_or_init(|| {
            let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
            let digits: String = id.chars().filter(char::is_ascii_hexdigit).take(16).collect();
            u64::from_str_radix(&digits, 16).unwrap_or_default()
        })
    }
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{Entry, children, entries, entry};

#[cfg(target_os = "linux")]
fn start(pid: u32) -> Option<u64> {
    entry(i32::try_from(pid).ok()?).map(|entry| entry.started)
}

#[cfg(target_os = "linux")]
fn running(pid: u32) -> Option<u64> {
    entry(i32::try_from(pid).ok()?).filter(|entry| !entry.zombie).map(|entry| entry.started)
}

#[cfg(target_os = "macos")]
#[expect(unsafe_code, reason = "the table of processes is read by a call that fills a structure")]
fn start(pid: u32) -> Option<u64> {
    let pid = i32::try_from(pid).ok()?;
    let size = i32::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    let mut facts = std::mem::MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    // SAFETY: the structure is as large as we say, and all zeros is a value of it.
    let facts = unsafe {
        let filled = libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, facts.as_mut_ptr().cast(), size);
        (filled == size).then(|| facts.assume_init())?
    };
    Some(facts.pbi_start_tvsec.wrapping_mul(1_000_000).wrapping_add(facts.pbi_start_tvusec) & (u64::MAX >> 1))
}

#[cfg(windows)]
fn start(pid: u32) -> Option<u64> {
    super::windows::start(pid)
}

/// Where nothing is known about starts, a number is all there is: whoever has it is taken for the one that had it.
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
fn start(pid: u32) -> Option<u64> {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw)?;
    rustix::process::test_kill_process(pid).is_ok().then_some(0)
}

#[cfg(not(target_os = "linux"))]
fn running(pid: u32) -> Option<u64> {
    start(pid)
}
