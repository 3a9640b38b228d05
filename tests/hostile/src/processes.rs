//! What the kernel knows of processes and descriptors.

use std::collections::BTreeMap;
use std::path::Path;

/// The variable that marks every process of a case's servers, wherever it goes and whatever it becomes.
pub const TAG: &str = "HOSTILE_TAG";

/// Processes that carry the tag in their environment, with their command lines. A zombie has no environment left.
pub fn tagged(tag: &str) -> Vec<(u32, String)> {
    let mark = format!("{TAG}={tag}");
    each()
        .filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            memchr::memmem::find(&environment, mark.as_bytes()).is_some()
        })
        .map(|pid| (pid, command_line(pid)))
        .collect()
}

/// Our own children, zombies included, with their states.
pub fn children() -> Vec<(u32, String)> {
    let us = std::process::id();
    each()
        .filter_map(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // The name stands in parentheses and may contain anything; the fields follow the last one.
            let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
            let state = fields.next()?.to_owned();
            (fields.next()?.parse() == Ok(us)).then(|| (pid, format!("{state} {}", command_line(pid))))
        })
        .collect()
}

/// How many descriptors of each kind this process has open. Readers of the log come and go as they are needed.
pub fn descriptors() -> BTreeMap<String, usize> {
    let mut kinds = BTreeMap::new();
    for target in targets() {
        let kind = target.split_once(':').map_or(target.as_str(), |(kind, _)| kind);
        if !kind.contains("/log.db") {
            *kinds.entry(kind.to_owned()).or_default() += 1;
        }
    }
    kinds
}

/// What our descriptors lead to.
pub fn targets() -> Vec<String> {
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(std::fs::read_link(entry.path()).ok()?.to_string_lossy().into_owned())).collect()
}

/// Seconds of processor time that this process has used.
pub fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields).unwrap_or_default();
    let ticks: u64 = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    // A hundred ticks make a second on every Linux there is.
    ticks as f64 / 100.0
}

/// The load of the machine over the last minute.
pub fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

pub fn is_running(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

fn each() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn command_line(pid: u32) -> String {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ").trim_end().to_owned()
}
