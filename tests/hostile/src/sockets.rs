//! Sockets of ours that lead out of the machine's memory: there must be none.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::processes;

/// Tables of everything that is not a pair of sockets between two processes of this machine.
const TABLES: &[&str] = &["tcp", "tcp6", "udp", "udp6", "udplite", "raw", "raw6", "icmp", "packet"];

/// A thread that looks all the time.
pub struct SocketWatch {
    over: Arc<AtomicBool>,
    seen: Arc<Mutex<BTreeSet<String>>>,
    thread: std::thread::JoinHandle<()>,
}

impl SocketWatch {
    /// `expected` are sockets of the case itself, as their descriptors name them.
    pub fn start(expected: Vec<String>) -> Self {
        let (over, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(BTreeSet::new())));
        let (ended, found) = (over.clone(), seen.clone());
        let thread = std::thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                let outside = outside(&expected);
                found.lock().unwrap_or_else(PoisonError::into_inner).extend(outside);
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        SocketWatch { over, seen, thread }
    }

    /// Every socket that was seen, by the table that has it.
    pub fn end(self) -> BTreeSet<String> {
        self.over.store(true, Ordering::Relaxed);
        // A watch that panicked has been counted by the hook; what it saw still counts.
        self.thread.join().ok();
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn outside(expected: &[String]) -> Vec<String> {
    let ours: Vec<String> = processes::targets()
        .into_iter()
        .filter(|target| target.starts_with("socket:[") && !expected.contains(target))
        .map(|target| target.trim_start_matches("socket:[").trim_end_matches(']').to_owned())
        .collect();
    let mut found = Vec::new();
    for table in TABLES {
        let text = std::fs::read_to_string(format!("/proc/self/net/{table}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            if let Some(inode) = line.split_whitespace().find(|field| ours.iter().any(|ours| ours == field)) {
                found.push(format!("{table} socket {inode}"));
            }
        }
    }
    found
}
