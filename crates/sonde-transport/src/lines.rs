//! Bytes in, lines out, with a cap: whatever the chunks, the same bytes give the same lines.

use sonde_protocol::Cut;

use crate::capped::Capped;

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

impl Line {
    pub(crate) fn whole(bytes: Vec<u8>) -> Self {
        Line { bytes, cut: None, terminated: true }
    }
}

/// Splits a stream at its line feeds. Holds at most `longest` bytes.
#[derive(Debug)]
pub struct LineSplitter {
    /// The line so far.
    line: Capped,
}

/// What ended a line.
enum Ending {
    LineFeed,
    Stream,
}

impl LineSplitter {
    pub fn new(limits: LineLimits) -> Self {
        LineSplitter { line: Capped::new(limits) }
    }

    /// Takes the next chunk up to and including its first line feed. Gives the line that this ended, if any,
    /// and how many bytes were taken; call again with the rest.
    pub fn take(&mut self, chunk: &[u8]) -> (Option<Line>, usize) {
        match memchr::memchr(b'\n', chunk) {
            Some(end) => {
                self.line.append(&chunk[..end]);
                (Some(self.end(Ending::LineFeed)), end + 1)
            }
            None => {
                self.line.append(chunk);
                (None, chunk.len())
            }
        }
    }

    /// The line so far, and how much may be put at its end, where it is long enough to be read into directly. What
    /// is put there must be told by [`LineSplitter::put`].
    pub(crate) fn long(&mut self) -> Option<(&mut Vec<u8>, usize)> {
        self.line.long()
    }

    /// Takes what was put at the end of the line, behind its first `before` bytes. Gives the line that this ended,
    /// if any, and what came behind it.
    pub(crate) fn put(&mut self, before: usize) -> Option<(Line, Vec<u8>)> {
        let rest = self.line.split_behind(b'\n', before)?;
        Some((self.end(Ending::LineFeed), rest))
    }

    /// The stream is over: what came after the last line feed.
    pub fn finish(&mut self) -> Option<Line> {
        (!self.line.is_empty()).then(|| self.end(Ending::Stream))
    }

    fn end(&mut self, ending: Ending) -> Line {
        let (bytes, cut) = self.line.end();
        Line { bytes, cut, terminated: matches!(ending, Ending::LineFeed) }
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
