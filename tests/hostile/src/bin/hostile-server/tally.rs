//! The count of what was written, on disk before and after every write, so that even a kill leaves it behind.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

/// The counts of one stream: what a write began with and what it ended with.
pub struct Tally {
    file: Option<Arc<File>>,
    /// Where in the file this stream's four numbers stand.
    offset: u64,
    begun: Count,
    done: Count,
}

#[derive(Clone, Copy, Default)]
struct Count {
    bytes: u64,
    line_feeds: u64,
}

impl Count {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.line_feeds += memchr::memchr_iter(b'\n', bytes).count() as u64;
    }
}

/// The tallies of stdout and stderr, in one file named after this process.
pub fn open(folder: Option<&Path>) -> io::Result<(Tally, Tally)> {
    let file = match folder {
        Some(folder) => {
            let path = folder.join(std::process::id().to_string());
            Some(Arc::new(OpenOptions::new().create(true).write(true).truncate(true).open(path)?))
        }
        None => None,
    };
    let tally = |offset| Tally { file: file.clone(), offset, begun: Count::default(), done: Count::default() };
    Ok((tally(0), tally(32)))
}

impl Tally {
    /// One that leaves nothing behind.
    pub fn uncounted() -> Self {
        Tally { file: None, offset: 0, begun: Count::default(), done: Count::default() }
    }

    /// These bytes are about to be written.
    pub fn begin(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.begun.add(bytes);
        self.store()
    }

    /// These bytes are in the pipe.
    pub fn note(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.done.add(bytes);
        self.store()
    }

    fn store(&self) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let numbers = [self.begun.bytes, self.begun.line_feeds, self.done.bytes, self.done.line_feeds];
        let mut record = [0; 32];
        for (place, number) in record.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        file.write_all_at(&record, self.offset)
    }
}

/// Leaves a word beside the tally. Neither stdout nor stderr may carry it: both are counted.
pub fn leave(folder: Option<&Path>, name: &str, text: &str) -> io::Result<()> {
    match folder {
        Some(folder) => std::fs::write(folder.join(name), text),
        None => Ok(()),
    }
}

/// What went wrong in here, for whoever runs the case. Where even that fails, nobody is left to tell.
pub fn complain(folder: Option<&Path>, problem: &str) {
    leave(folder, &format!("complaint.{}", std::process::id()), problem).ok();
}
