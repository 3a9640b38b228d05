//! Many connections, one after the other and several at a time, in one app that stays; then a look at what it still holds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::arguments::Round;
use crate::door::{self, Door, LIMIT};
use crate::kernel::{self, Process};
use crate::lane::{Cycle, Lane};
use crate::memory::Memory;
use crate::report::Report;

/// Connections that live at the same time.
const LANES: u32 = 8;

#[tokio::main]
pub async fn run(round: &Round) -> Result<()> {
    kernel::die_with_parent()?;
    let lanes = Lane::several(round, LANES);
    let servers: Vec<_> = lanes.iter().flat_map(Lane::servers).collect();
    door::configure(round, &servers)?;
    let door = Door::open(round).await?;
    for (name, _, _) in &servers {
        door.approve(name)?;
    }
    // The first connections open what stays open: readers of the log, the runtime's own.
    for lane in &lanes {
        lane.perform(&door, Cycle::GOOD, &mut Report::default()).await?;
    }
    let before = kernel::descriptors();

    let work = Arc::new(Work { door: door.clone(), next: AtomicU32::new(0), memory: Memory::default() });
    let mut report = Report::default();
    let lanes: Vec<_> =
        lanes.into_iter().map(|lane| tokio::spawn(work.clone().share(lane, round.count, round.seed))).collect();
    for lane in lanes {
        match lane.await? {
            Ok(done) => report.join(done),
            Err(error) => report.problem(format!("{error:#}")),
        }
    }

    look_at_descriptors(&before, &mut report).await;
    look_at_children(&mut report).await;
    report.note(work.memory.told());
    door.close().await?;
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// What all lanes have in common.
struct Work {
    door: Door,
    /// The next cycle that nobody has begun.
    next: AtomicU32,
    memory: Memory,
}

impl Work {
    async fn share(self: Arc<Self>, lane: Lane, count: u32, seed: u64) -> Result<Report> {
        let mut report = Report::default();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(report);
            }
            let cycle = Cycle::throw(seed, number);
            let done = lane.perform(&self.door, cycle, &mut report).await;
            done.with_context(|| format!("cycle {number}, {cycle:?}"))?;
            report.done += 1;
            self.memory.look(number);
        }
    }
}

/// No kind of descriptor is there more often than before. Files of the log are another matter: its readers are opened
/// when they are needed, up to a number of them.
async fn look_at_descriptors(before: &BTreeMap<String, usize>, report: &mut Report) {
    let grown = || {
        let after = kernel::descriptors().into_iter();
        let grown = after
            .filter(|(kind, count)| !kind.starts_with("log.db") && *count > before.get(kind).copied().unwrap_or(0));
        grown.map(|(kind, count)| format!("{kind}: {count}, not {}", before.get(&kind).copied().unwrap_or(0))).collect()
    };
    let left: Vec<String> = until_none(grown).await;
    if !left.is_empty() {
        report.problem(format!("descriptors are left: {}", left.join("; ")));
    }
    let sum = |of: &BTreeMap<String, usize>| of.values().sum::<usize>();
    report.note(format!("descriptors of the app: {} before, {} after", sum(before), sum(&kernel::descriptors())));
}

/// Children of ours, running or waiting to be waited for.
async fn look_at_children(report: &mut Report) {
    let left = until_none(|| kernel::children(std::process::id())).await;
    let zombies = left.iter().filter(|process| process.state == 'Z').count();
    if !left.is_empty() {
        let left: Vec<_> = left.iter().map(Process::to_string).collect();
        report.problem(format!("children of the app are left: {}", left.join("; ")));
    }
    report.note(format!("children of the app left: {}, zombies among them: {zombies}", left.len()));
}

/// Looks until there is nothing to see; gives what there still is when the time is up.
pub async fn until_none<T>(look: impl Fn() -> Vec<T>) -> Vec<T> {
    let end = Instant::now() + LIMIT;
    loop {
        let seen = look();
        if seen.is_empty() || Instant::now() > end {
            return seen;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
