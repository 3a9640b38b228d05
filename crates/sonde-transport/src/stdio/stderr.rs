//! The server's stderr.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sonde_protocol::{Channel, Direction};
use tokio::io::AsyncReadExt;
use tokio::sync::oneshot;

use super::CHUNK;
use crate::lines::{Line, LineLimits, LineSplitter};
use crate::process::Stderr;
use crate::redact::End;
use crate::tap::Tap;

/// Lines that an error message shows.
const TAIL: usize = 20;
/// Longest part of a line in that tail; the log has more of it.
const TAIL_LINE: usize = 2000;
/// What one connection may put into the log. Beyond that lines are counted, not kept.
const RECORDED: u64 = 64 << 20;
/// What a line counts for at least: a row has its price, however short the line.
const SHORTEST: u64 = 128;

/// The newest lines of a server's stderr, for error messages. The log has the first 64 MiB.
#[derive(Debug, Default)]
pub struct StderrTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    /// Resolves when the server closed its stderr.
    drained: Option<oneshot::Receiver<()>>,
}

impl StderrTail {
    pub fn lines(&self) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }

    /// Waits until everything the server wrote has been read.
    pub async fn drained(&mut self) {
        if let Some(drained) = self.drained.take() {
            // An error means the reader is gone, so there is nothing to wait for either.
            drained.await.ok();
        }
    }

    /// A pipe that nobody reads would stop the server, so it is read for as long as it is open.
    pub(super) fn drain(mut pipe: Stderr, tap: Tap) -> Self {
        let (done, drained) = oneshot::channel();
        let lines = Arc::default();
        let mut drain = Drain { tap, lines: Arc::clone(&lines), left: RECORDED, beyond: Beyond::default() };
        tokio::spawn(async move {
            let mut splitter = LineSplitter::new(LineLimits::STDERR);
            let mut chunk = vec![0; CHUNK];
            while let Ok(size) = pipe.read(&mut chunk).await {
                if size == 0 {
                    break;
                }
                let mut rest = chunk.get(..size).unwrap_or_default();
                while !rest.is_empty() && drain.left > 0 {
                    let (line, taken) = splitter.take(rest);
                    rest = rest.get(taken..).unwrap_or_default();
                    if let Some(line) = line {
                        drain.record(line).await;
                    }
                }
                drain.count(rest);
            }
            if let Some(line) = splitter.finish() {
                drain.record(line).await;
            }
            drain.tell().await;
            done.send(()).ok();
        });
        StderrTail { lines, drained: Some(drained) }
    }
}

struct Drain {
    tap: Tap,
    lines: Arc<Mutex<VecDeque<String>>>,
    /// How much may still be recorded; once it is 0 it stays so.
    left: u64,
    beyond: Beyond,
}

/// What was read and not recorded.
#[derive(Default)]
struct Beyond {
    /// Line feeds included.
    bytes: u64,
    lines: u64,
    /// The beginning of the line that is not at its end yet.
    line: Vec<u8>,
}

impl Drain {
    /// Records a line; the one that passes the limit is the last.
    async fn record(&mut self, line: Line) {
        let price = (line.bytes.len() as u64).max(SHORTEST);
        let frame = self.tap.line(Direction::In, Channel::Stderr, line).await;
        self.keep(&frame.body.bytes);
        if self.left <= price && self.left > 0 {
            let limit = RECORDED >> 20;
            self.tap.mark(format!("stderr: {limit} MiB are recorded, what follows is only counted")).await;
        }
        self.left = self.left.saturating_sub(price);
    }

    /// Counts what is not recorded, and still keeps the newest lines for an error message.
    fn count(&mut self, mut bytes: &[u8]) {
        self.beyond.bytes += bytes.len() as u64;
        let ends = memchr::memchr_iter(b'\n', bytes).count();
        self.beyond.lines += ends as u64;
        // Lines that others of the same bytes push out of the tail need not be looked at.
        if let Some(first) = ends.checked_sub(TAIL + 1) {
            let start = memchr::memchr_iter(b'\n', bytes).nth(first).map_or(0, |end| end + 1);
            bytes = bytes.get(start..).unwrap_or_default();
            self.beyond.line.clear();
        }
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.begin(bytes.get(..end).unwrap_or_default());
            self.keep_begun();
            bytes = bytes.get(end + 1..).unwrap_or_default();
        }
        self.begin(bytes);
    }

    fn begin(&mut self, bytes: &[u8]) {
        let room = TAIL_LINE.saturating_sub(self.beyond.line.len()).min(bytes.len());
        self.beyond.line.extend_from_slice(bytes.get(..room).unwrap_or_default());
    }

    /// Says how much was not recorded.
    async fn tell(&mut self) {
        if !self.beyond.line.is_empty() {
            self.keep_begun();
            self.beyond.lines += 1;
        }
        let Beyond { bytes, lines, .. } = self.beyond;
        if bytes > 0 {
            self.tap.mark(format!("stderr: {bytes} bytes in {lines} lines were counted and not recorded")).await;
        }
    }

    /// The line that was only counted, which nobody has searched for secrets yet.
    fn keep_begun(&mut self) {
        let line = std::mem::take(&mut self.beyond.line);
        let end = if line.len() < TAIL_LINE { End::Whole } else { End::Cut };
        self.keep(&self.tap.hidden(&line, end));
    }

    fn keep(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line.get(..TAIL_LINE).unwrap_or(line)).trim_end().to_owned();
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == TAIL {
            lines.pop_front();
        }
        lines.push_back(text);
    }
}
