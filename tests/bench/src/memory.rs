//! P6: how far our own memory grows while a server floods us; 1 GB unless told otherwise.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::clients::Recorded;
use crate::report::{Report, Unit};
use crate::rounds::{Spread, Stopwatch};

/// Bytes of a notification, and the share of the whole flood that is made of these. Small ones cost us the most
/// bookkeeping, large ones the most memory at once.
const SHAPES: &[(u64, u64)] = &[(100, 10), (1000, 100), (60_000, 50)];
pub const MEBIBYTE: f64 = 1_048_576.0;

pub async fn measure(count: u64) -> Result<Report> {
    let mut report = Report::default();
    let mut idle = None;
    for (size, percent) in SHAPES {
        // `count` is of notifications of 1,000 bytes.
        let bytes = count * 1000 * percent / 100;
        let client = Recorded::start(&[]).await?;
        // The first page brings the readers' buffers, which belong to the idle state.
        client.flood(1, *size).await?;
        // What an earlier flood left in the allocator does not belong to it.
        let idle = *idle.get_or_insert(resident()?);
        flood(client, bytes / size, *size, idle, &mut report).await?;
    }
    Ok(report)
}

async fn flood(client: Recorded, count: u64, size: u64, idle: u64, report: &mut Report) -> Result<()> {
    let peak = Peak::watch()?;
    let watch = Stopwatch::start();
    client.flood(count, size).await?;
    let seconds = watch.wall().as_secs_f64();
    let peak = peak.end()?;
    client.end().await;

    let growth = (peak.saturating_sub(idle)) as f64 / MEBIBYTE;
    let megabytes = count * size / 1_000_000;
    let name = |what: &str| format!("flood of {megabytes} MB in {size} B: {what}");
    report.judge("P6", name("memory over idle"), Unit::Mebibytes, Spread::single(growth), 128.0);
    report.tell(name("memory when idle"), Unit::Mebibytes, Spread::single(idle as f64 / MEBIBYTE));
    report.tell(name("rows committed"), Unit::RowsPerSecond, Spread::single(count as f64 / seconds));
    Ok(())
}

/// A thread that looks at our size all the time.
pub struct Peak {
    over: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<Result<u64>>,
}

impl Peak {
    pub fn watch() -> Result<Self> {
        let over = Arc::new(AtomicBool::new(false));
        let watched = over.clone();
        let thread = std::thread::Builder::new().spawn(move || {
            let mut peak = resident()?;
            while !watched.load(Ordering::Relaxed) {
                peak = peak.max(resident()?);
                std::thread::sleep(Duration::from_millis(5));
            }
            Ok(peak)
        })?;
        Ok(Peak { over, thread })
    }

    pub fn end(self) -> Result<u64> {
        self.over.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| anyhow::anyhow!("the watching thread ended early"))?
    }
}

/// Bytes of ours that are in memory.
pub fn resident() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").context("only Linux tells the memory of a process")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("the memory is not told")?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes * 1024)
}
