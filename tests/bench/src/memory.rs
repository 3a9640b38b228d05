//! P6: how far our own memory grows while a server floods us; 1 GB unless told otherwise.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::clients::Recorded;
use crate::report::{Report, Unit};
use crate::rounds::{Spread, Stopwatch};

pub const MEBIBYTE: f64 = 1_048_576.0;

/// What a flood is made of. Small notifications cost us the most bookkeeping, large ones the most memory at once.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Bytes of a notification.
    pub size: u64,
    /// How much of the whole flood is sent in this shape: small ones take long, and tell as much sooner.
    pub percent: u64,
}

pub const SMALL: Shape = Shape { size: 100, percent: 10 };
pub const MIDDLE: Shape = Shape { size: 1000, percent: 100 };
pub const LARGE: Shape = Shape { size: 60_000, percent: 50 };

/// `thousands` is the flood in notifications of 1,000 bytes.
pub async fn measure(shape: Shape, thousands: u64) -> Result<Report> {
    let mut report = Report::default();
    let size = shape.size;
    let count = thousands * 1000 * shape.percent / 100 / size;
    let client = Recorded::start(&[]).await?;
    // The first page brings the readers' buffers, which belong to the idle state.
    client.flood(1, size).await?;
    let idle = resident()?;
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
    Ok(report)
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
