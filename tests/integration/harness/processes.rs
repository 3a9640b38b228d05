//! What the kernel knows: which processes run, how many descriptors are open.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Processes whose working folder is `folder`, with their command lines. A zombie has no folder and is not among them.
pub fn processes_in(folder: &Path) -> Vec<(u32, String)> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    each_process()
        .filter(|pid| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == folder))
        .map(|pid| (pid, command_line(pid)))
        .collect()
}

/// Waits until nothing runs in `folder`; gives what still does when the time is up.
pub fn until_gone(folder: &Path, limit: Duration) -> Vec<(u32, String)> {
    let end = Instant::now() + limit;
    loop {
        let left = processes_in(folder);
        if left.is_empty() || Instant::now() > end {
            return left;
        }
        // Nobody tells of a change in /proc, so it is looked at again.
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Children of this process that ended and were not waited for.
pub fn zombies() -> Vec<u32> {
    let us = std::process::id();
    each_process()
        .filter(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
            fields.next() == Some("Z") && fields.next().and_then(|parent| parent.parse().ok()) == Some(us)
        })
        .collect()
}

/// Descriptors that this process has open.
pub fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map(Iterator::count).unwrap_or_default()
}

/// Runs the named test again in a process of its own, because it counts what the whole process has. True in there.
pub fn alone(test: &str) -> bool {
    const INSIDE: &str = "SONDE_JOURNEY_ALONE";
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().expect("the test binary knows its path"));
    let output = command.args(["--exact", test, "--nocapture"]).env(INSIDE, "1").output().expect("it can run again");
    let told = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("1 passed"), "alone in its process:\n{told}{complaint}");
    false
}

fn each_process() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc can be read");
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn command_line(pid: u32) -> String {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}
