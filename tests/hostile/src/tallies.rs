//! What the servers say they wrote, against what the log has.

use std::path::Path;

use anyhow::{Context, Result};

/// Bytes without line feeds, and lines, that a server's processes wrote. A process that was killed while it wrote
/// leaves a range: what it had written for sure, and what it was about to have written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    pub least: u64,
    pub most: u64,
}

impl Written {
    fn add(&mut self, other: Written) {
        self.least += other.least;
        self.most += other.most;
    }

    pub fn allows(&self, bytes: u64) -> bool {
        (self.least..=self.most).contains(&bytes)
    }
}

/// The sums over all processes that left a tally in `folder`: stdout, then stderr.
pub fn read(folder: &Path) -> Result<(Written, Written)> {
    let (mut out, mut err) = (Written::default(), Written::default());
    for entry in std::fs::read_dir(folder).with_context(|| format!("no tallies in {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let bytes = std::fs::read(&path)?;
        out.add(stream(bytes.get(..32).unwrap_or_default()));
        err.add(stream(bytes.get(32..64).unwrap_or_default()));
    }
    Ok((out, err))
}

/// What servers complained of: a case whose server failed proves nothing.
pub fn complaints(folder: &Path) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("complaint")) {
            complaints.push(std::fs::read_to_string(&path)?);
        }
    }
    Ok(complaints)
}

/// Begun bytes and line feeds, done bytes and line feeds. A stream that was never written to has no record.
fn stream(record: &[u8]) -> Written {
    let number = |place: usize| {
        let bytes = record.get(place * 8..place * 8 + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    };
    Written { least: number(2) - number(3).min(number(2)), most: number(0) - number(1).min(number(0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_was_killed_while_it_wrote_leaves_a_range() {
        let folder = tempfile::tempdir().unwrap();
        let numbers: [u64; 8] = [100, 5, 60, 3, 10, 1, 10, 1];
        let record: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        std::fs::write(folder.path().join("17"), record).unwrap();
        std::fs::write(folder.path().join("digest"), "not a tally").unwrap();
        let (out, err) = read(folder.path()).unwrap();
        assert_eq!((out.least, out.most), (57, 95), "what it wrote for sure, and what it was about to");
        assert!(out.allows(57) && out.allows(95) && !out.allows(56) && !out.allows(96), "and nothing outside");
        assert_eq!((err.least, err.most), (9, 9), "a stream that was at rest is exact");
    }
}
