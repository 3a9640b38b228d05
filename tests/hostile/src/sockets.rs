//! Sockets of ours that lead out of the machine's memory: there must be none.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::processes;

/// Tables of everything that is not a pair of sockets between two processes of this machine.
const TABLES: &[&str] = &["tcp", "tcp6", "udp", "udp6", "udplite", "raw", "raw6", "icmp", "packet"];

/// Which sockets of ours may be open.
pub struct Sockets {
    /// Those of the case itself, as their descriptors name them.
    pub own: Vec<String>,
    /// Ports of this machine that may be connected to.
    pub peers: Vec<u16>,
}

/// A thread that looks all the time.
pub struct SocketWatch {
    over: Arc<AtomicBool>,
    seen: Arc<Mutex<BTreeSet<String>>>,
    thread: std::thread::JoinHandle<()>,
}

impl SocketWatch {
    pub fn start(expected: Sockets) -> Self {
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

fn outside(expected: &Sockets) -> Vec<String> {
    let ours: Vec<String> = processes::targets()
        .into_iter()
        .filter(|target| target.starts_with("socket:[") && !expected.own.contains(target))
        .map(|target| target.trim_start_matches("socket:[").trim_end_matches(']').to_owned())
        .collect();
    let mut found = Vec::new();
    for table in TABLES {
        let text = std::fs::read_to_string(format!("/proc/self/net/{table}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            let inode = line.split_whitespace().find(|field| ours.iter().any(|ours| ours == field));
            if let Some(inode) = inode.filter(|_| !(*table == "tcp" && leads_to(line, &expected.peers))) {
                found.push(format!("{table} socket {inode}"));
            }
        }
    }
    found
}

/// Whether a line of the table of TCP is a connection to one of these ports of this machine.
fn leads_to(line: &str, peers: &[u16]) -> bool {
    // The third field is where it leads to: the address in the machine's order of bytes, a colon, the port.
    let Some((address, port)) = line.split_whitespace().nth(2).and_then(|peer| peer.split_once(':')) else {
        return false;
    };
    let loopback = format!("{:08X}", u32::from_ne_bytes([127, 0, 0, 1]));
    address == loopback && u16::from_str_radix(port, 16).is_ok_and(|port| peers.contains(&port))
}
