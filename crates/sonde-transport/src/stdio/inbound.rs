//! The server's stdout.

use std::ops::Range;
use std::pin::pin;
use std::time::Duration;

use bytes::BufMut;
use sonde_protocol::{Channel, Direction, Frame};
use tokio::io::AsyncReadExt;
use tokio_util::sync::CancellationToken;

use super::CHUNK;
use crate::lines::{LineLimits, LineSplitter};
use crate::process::{Stdout, enlarge};
use crate::tap::Tap;

/// By how much the buffer of a long line grows when it is full, at least.
const STRIDE: usize = 1 << 20;

/// The server's stdout, line by line, each recorded before it is given out.
pub struct Inbound {
    pipe: Stdout,
    splitter: LineSplitter,
    chunk: Vec<u8>,
    /// What of `chunk` was read but not yet split.
    unread: Range<usize>,
    /// How much the pipe holds.
    size: PipeSize,
    overtime: Overtime,
    tap: Tap,
}

/// The reading after the end of the server.
struct Overtime {
    begun: CancellationToken,
    /// What is read at most once it has begun.
    left: usize,
    cut_short: bool,
}

/// No pipe holds more of what a server wrote before it ended.
const LAST_BYTES: usize = 2 << 20;
/// What is in a pipe is there at once; this is for a busy machine.
const AT_ONCE: Duration = Duration::from_millis(100);

impl Overtime {
    /// How much was read; zero at the end.
    async fn read(&mut self, read: impl Future<Output = std::io::Result<usize>>) -> usize {
        let mut read = pin!(read);
        let in_time = tokio::select! {
            biased;
            read = &mut read, if self.left > 0 => Some(read),
            () = self.begun.cancelled() => None,
        };
        let read = match in_time {
            None if self.left > 0 => tokio::time::timeout(AT_ONCE, read).await.ok(),
            in_time => in_time,
        };
        self.cut_short |= read.is_none();
        // A broken pipe and a closed one are both the end of what the server has to say.
        let size = read.and_then(Result::ok).unwrap_or(0);
        if self.begun.is_cancelled() {
            self.left = self.left.saturating_sub(size);
        }
        size
    }
}

#[derive(PartialEq, Eq)]
enum PipeSize {
    Usual,
    Enlarged,
}

impl Inbound {
    pub(super) fn new(pipe: Stdout, limits: LineLimits, tap: Tap) -> Self {
        let splitter = LineSplitter::new(limits);
        let overtime = Overtime { begun: CancellationToken::new(), left: LAST_BYTES, cut_short: false };
        Inbound { pipe, splitter, chunk: vec![0; CHUNK], unread: 0..0, size: PipeSize::Usual, overtime, tap }
    }

    /// Cancelled by whoever knows that the server is gone: what it wrote is still given out, however long the recorder
    /// takes for it, but nothing is waited for any more. A process that is not ours may hold the output open for ever.
    pub fn overtime(&self) -> CancellationToken {
        self.overtime.begun.clone()
    }

    /// Whether the output was still open when the reading ended.
    pub fn was_cut_short(&self) -> bool {
        self.overtime.cut_short
    }

    /// The next frame; None when the server closed its output. Must not be dropped before it is ready: the line that
    /// waits for the recorder would be lost.
    pub async fn next(&mut self) -> Option<Frame> {
        loop {
            while !self.unread.is_empty() {
                let (line, taken) = self.splitter.take(self.chunk.get(self.unread.clone()).unwrap_or_default());
                self.unread.start += taken;
                if let Some(line) = line {
                    return Some(self.tap.line(Direction::In, Channel::Message, line).await);
                }
            }
            let read = match self.splitter.long() {
                Some((line, room)) => {
                    if self.size == PipeSize::Usual {
                        self.size = PipeSize::Enlarged;
                        enlarge(&self.pipe);
                    }
                    let before = line.len();
                    if line.capacity() - before < CHUNK {
                        line.reserve(STRIDE);
                    }
                    let read = self.overtime.read(self.pipe.read_buf(&mut line.limit(room))).await;
                    if let Some((line, rest)) = self.splitter.put(before) {
                        self.unread = 0..rest.len();
                        self.chunk = rest;
                        return Some(self.tap.line(Direction::In, Channel::Message, line).await);
                    }
                    read
                }
                None => {
                    // What came behind a long line is consumed; from here on it is small again.
                    if self.chunk.len() != CHUNK {
                        self.chunk = vec![0; CHUNK];
                    }
                    let read = self.overtime.read(self.pipe.read(&mut self.chunk)).await;
                    self.unread = 0..read;
                    read
                }
            };
            if read == 0 {
                let line = self.splitter.finish()?;
                return Some(self.tap.line(Direction::In, Channel::Message, line).await);
            }
        }
    }
}
