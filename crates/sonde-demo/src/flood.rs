//! `notifications/message` lines rendered straight into bytes.
//!
//! A flood measures the reader, so the writer must not spend its time in a serializer.

use std::io::Write;

/// How many bytes of lines make a batch worth a system call: the size of a Linux pipe.
pub const BATCH_BYTES: usize = 64 * 1024;

/// The longest line that may be asked for.
pub const LONGEST_LINE: usize = 64 * 1024;

const HEAD: &[u8] =
    br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"flood","data":{"n":"#;
const PAD: &[u8] = br#","pad":""#;
const PAD_END: &[u8] = b"\"";
const TAIL: &[u8] = b"}}}\n";

/// The lines of one flood that have not been rendered yet, numbered from 0.
#[derive(Debug, Clone)]
pub struct Flood {
    next: u64,
    count: u64,
    size: usize,
}

impl Flood {
    /// A flood of `count` lines of about `size` bytes each. The frame of a notification needs a bit
    /// more than 100 bytes, so lines never get shorter than that.
    #[must_use]
    pub fn new(count: u64, size: usize) -> Self {
        Self { next: 0, count, size: size.min(LONGEST_LINE) }
    }

    /// Appends whole lines to `batch` until it holds [`BATCH_BYTES`] or the flood is over.
    ///
    /// # Errors
    ///
    /// Writing into a vector does not fail; the result only passes on what `write!` returns.
    pub fn fill(&mut self, batch: &mut Vec<u8>) -> std::io::Result<()> {
        while self.next < self.count && batch.len() < BATCH_BYTES {
            let start = batch.len();
            batch.extend_from_slice(HEAD);
            write!(batch, "{}", self.next)?;
            let bare = batch.len() - start + TAIL.len();
            let padded = bare + PAD.len() + PAD_END.len();
            if self.size > padded {
                batch.extend_from_slice(PAD);
                batch.resize(batch.len() + self.size - padded, b'x');
                batch.extend_from_slice(PAD_END);
            }
            batch.extend_from_slice(TAIL);
            self.next += 1;
        }
        Ok(())
    }

    /// How many lines have been rendered so far.
    #[must_use]
    pub fn rendered(&self) -> u64 {
        self.next
    }

    #[must_use]
    pub fn is_over(&self) -> bool {
        self.next >= self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_padded_line_is_exactly_as_long_as_asked() {
        let mut batch = Vec::new();
        Flood::new(1, 300).fill(&mut batch).expect("a vector takes all bytes");
        assert_eq!(batch.len(), 300, "the newline counts as part of the line");
        let line: serde_json::Value = serde_json::from_slice(&batch).expect("the line is JSON");
        assert_eq!(line["params"]["data"]["n"], 0);
    }

    #[test]
    fn a_line_without_room_for_padding_keeps_its_frame() {
        let mut batch = Vec::new();
        Flood::new(1, 1).fill(&mut batch).expect("a vector takes all bytes");
        assert!(batch.len() < 112, "no padding was added, yet the line has {} bytes", batch.len());
    }
}
