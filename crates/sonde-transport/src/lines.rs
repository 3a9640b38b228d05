//! Bytes in, lines out, with a cap: whatever the chunks, the same bytes give the same lines.

use sha2::{Digest, Sha256};
use sonde_protocol::Cut;

/// How much of a line is kept.
#[derive(Debug, Clone, Copy)]
pub struct LineLimits {
    /// A longer line is cut.
    pub longest: usize,
    /// What is kept of a line that was cut.
    pub prefix: usize,
}

impl LineLimits {
    pub const MESSAGE: LineLimits = LineLimits { longest: 64 << 20, prefix: 1 << 20 };
    pub const STDERR: LineLimits = LineLimits { longest: 1 << 20, prefix: 64 << 10 };

    /// For messages of at most `longest` bytes. No log could take a line of a gigabyte, and would try for ever.
    pub fn up_to(longest: usize) -> Self {
        const LARGEST: usize = 512 << 20;
        let longest = longest.min(LARGEST);
        LineLimits { longest, prefix: LineLimits::MESSAGE.prefix.min(longest) }
    }
}

/// One line without its line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub bytes: Vec<u8>,
    pub cut: Option<Cut>,
    pub terminated: bool,
}

/// A line that has this much before its end is read straight into its own buffer.
const LONG: usize = 128 << 10;

/// Splits a stream at its line feeds. Holds at most `longest` bytes.
#[derive(Debug)]
pub struct LineSplitter {
    limits: LineLimits,
    /// The line so far, or its prefix once it grew too long.
    line: Vec<u8>,
    /// Length and digest of a line that grew too long.
    overflow: Option<(u64, Sha256)>,
}

/// What ended a line.
enum Ending {
    LineFeed,
    Stream,
}

impl LineSplitter {
    pub fn new(limits: LineLimits) -> Self {
        LineSplitter { limits, line: Vec::new(), overflow: None }
    }

    /// Takes the next chunk up to and including its first line feed. Gives the line that this ended, if any,
    /// and how many bytes were taken; call again with the rest.
    pub fn take(&mut self, chunk: &[u8]) -> (Option<Line>, usize) {
        match memchr::memchr(b'\n', chunk) {
            Some(end) => {
                self.append(&chunk[..end]);
                (Some(self.end(Ending::LineFeed)), end + 1)
            }
            None => {
                self.append(chunk);
                (None, chunk.len())
            }
        }
    }

    /// The line so far, and how much may be put at its end, where it is long enough to be read into directly. What
    /// is put there must be told by [`LineSplitter::put`].
    pub(crate) fn long(&mut self) -> Option<(&mut Vec<u8>, usize)> {
        let room = self.limits.longest.checked_sub(self.line.len()).filter(|room| *room > 0)?;
        (self.overflow.is_none() && self.line.len() >= LONG).then_some((&mut self.line, room))
    }

    /// Takes what was put at the end of the line, behind its first `before` bytes. Gives the line that this ended,
    /// if any, and what came behind it.
    pub(crate) fn put(&mut self, before: usize) -> Option<(Line, Vec<u8>)> {
        let end = before + memchr::memchr(b'\n', self.line.get(before..)?)?;
        let rest = self.line.split_off(end + 1);
        self.line.truncate(end);
        Some((self.end(Ending::LineFeed), rest))
    }

    /// The stream is over: what came after the last line feed.
    pub fn finish(&mut self) -> Option<Line> {
        (!self.line.is_empty() || self.overflow.is_some()).then(|| self.end(Ending::Stream))
    }

    fn append(&mut self, bytes: &[u8]) {
        if let Some((size, digest)) = &mut self.overflow {
            *size += bytes.len() as u64;
            digest.update(bytes);
        } else if self.line.len() + bytes.len() > self.limits.longest {
            let mut digest = Sha256::new();
            digest.update(&self.line);
            digest.update(bytes);
            self.overflow = Some((self.line.len() as u64 + bytes.len() as u64, digest));
            let room = self.limits.prefix.saturating_sub(self.line.len()).min(bytes.len());
            self.line.extend_from_slice(&bytes[..room]);
            self.line.truncate(self.limits.prefix);
            self.line.shrink_to_fit();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn end(&mut self, ending: Ending) -> Line {
        let cut = self.overflow.take().map(|(size, digest)| Cut { size, sha256: digest.finalize().into() });
        // A line grows by doubling; whoever holds a long one should not hold as much again.
        if self.line.capacity() - self.line.len() > LONG {
            self.line.shrink_to_fit();
        }
        Line { bytes: std::mem::take(&mut self.line), cut, terminated: matches!(ending, Ending::LineFeed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_longer_than_a_log_can_take() {
        assert_eq!(LineLimits::up_to(usize::MAX).longest, 512 << 20, "whatever a person wrote");
        assert_eq!(LineLimits::up_to(100).longest, 100);
    }
}
