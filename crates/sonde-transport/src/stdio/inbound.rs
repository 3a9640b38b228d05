//! The server's stdout.

use std::ops::Range;

use bytes::BufMut;
use sonde_protocol::{Channel, Direction, Frame};
use tokio::io::AsyncReadExt;

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
    tap: Tap,
}

#[derive(PartialEq, Eq)]
enum PipeSize {
    Usual,
    Enlarged,
}

impl Inbound {
    pub(super) fn new(pipe: Stdout, limits: LineLimits, tap: Tap) -> Self {
        let splitter = LineSplitter::new(limits);
        Inbound { pipe, splitter, chunk: vec![0; CHUNK], unread: 0..0, size: PipeSize::Usual, tap }
    }

    /// The next frame; None when the server closed its output.
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
                    let read = self.pipe.read_buf(&mut line.limit(room)).await;
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
                    let read = self.pipe.read(&mut self.chunk).await;
                    self.unread = 0..*read.as_ref().unwrap_or(&0);
                    read
                }
            };
            // A broken pipe and a closed one are both the end of what the server has to say.
            if !matches!(read, Ok(size) if size > 0) {
                let line = self.splitter.finish()?;
                return Some(self.tap.line(Direction::In, Channel::Message, line).await);
            }
        }
    }
}
