//! P6, short form: how far our own memory grows while a server floods us.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::clients::Recorded;
use crate::report::{Report, Unit};
use crate::rounds::{Spread, Stopwatch};

const SIZE: u64 = 1000;
const MEBIBYTE: f64 = 1_048_576.0;

pub async fn measure(count: u64) -> Result<Report> {
    let client = Recorded::start(&[]).await?;
    // The first page brings the readers' buffers, which belong to the idle state.
    client.flood(1, SIZE).await?;
    let idle = resident()?;
    let peak = Peak::watch()?;
    let watch = Stopwatch::start();
    client.flood(count, SIZE).await?;
    let seconds = watch.wall().as_secs_f64();
    let peak = peak.end()?;
    client.end().await;

    let mut report = Report::default();
    let megabytes = count * SIZE / 1_000_000;
    let growth = (peak.saturating_sub(idle)) as f64 / MEBIBYTE;
    let name = |what: &str| format!("flood of {megabytes} MB: {what}");
    report.judge("P6", name("memory over idle"), Unit::Mebibytes, Spread::single(growth), 128.0);
    report.tell(name("memory when idle"), Unit::Mebibytes, Spread::single(idle as f64 / MEBIBYTE));
    report.tell(name("rows committed"), Unit::RowsPerSecond, Spread::single(count as f64 / seconds));
    Ok(report)
}

/// A thread that looks at our size all the time.
struct Peak {
    over: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<Result<u64>>,
}

impl Peak {
    fn watch() -> Result<Self> {
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

    fn end(self) -> Result<u64> {
        self.over.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| anyhow::anyhow!("the watching thread ended early"))?
    }
}

/// Bytes of ours that are in memory.
fn resident() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").context("only Linux tells the memory of a process")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("the memory is not told")?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes * 1024)
}
