//! How much of our own memory is in use, as the kernel tells it.

use anyhow::{Context, Result};

pub const MEBIBYTE: f64 = 1_048_576.0;

/// Bytes of ours that are in memory now.
pub fn resident() -> Result<u64> {
    field("VmRSS:")
}

/// The most that ever were since [`forget_peak`].
pub fn peak() -> Result<u64> {
    field("VmHWM:")
}

/// Lets the peak begin again at what is in use now.
pub fn forget_peak() -> Result<()> {
    std::fs::write("/proc/self/clear_refs", "5").context("the peak of the memory cannot be reset")
}

fn field(name: &str) -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").context("only Linux tells the memory of a process")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).context("the memory is not told")?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes * 1024)
}
