//! Bytes that grow up to a limit. What is longer keeps a prefix, its length and its digest.

use sha2::{Digest, Sha256};
use sonde_protocol::Cut;

use crate::lines::LineLimits;

/// Something with this much before its end is worth reading into directly, and worth a copy to give back its room.
pub(crate) const LONG: usize = 128 << 10;

/// Holds at most `longest` bytes.
#[derive(Debug)]
pub(crate) struct Capped {
    limits: LineLimits,
    /// All of it so far, or the prefix once it grew too long.
    bytes: Vec<u8>,
    /// Length and digest of what grew too long.
    overflow: Option<(u64, Sha256)>,
}

impl Capped {
    pub fn new(limits: LineLimits) -> Self {
        Capped { limits, bytes: Vec::new(), overflow: None }
    }

    pub fn append(&mut self, bytes: &[u8]) {
        if let Some((size, digest)) = &mut self.overflow {
            *size += bytes.len() as u64;
            digest.update(bytes);
        } else if self.bytes.len() + bytes.len() > self.limits.longest {
            let mut digest = Sha256::new();
            digest.update(&self.bytes);
            digest.update(bytes);
            self.overflow = Some((self.bytes.len() as u64 + bytes.len() as u64, digest));
            let room = self.limits.prefix.saturating_sub(self.bytes.len()).min(bytes.len());
            self.bytes.extend_from_slice(&bytes[..room]);
            self.bytes.truncate(self.limits.prefix);
            self.bytes.shrink_to_fit();
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Bytes that it holds.
    pub fn held(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.overflow.is_none()
    }

    /// The bytes so far, and how much may be put at their end, where they are long enough to be read into directly.
    pub fn long(&mut self) -> Option<(&mut Vec<u8>, usize)> {
        let room = self.limits.longest.checked_sub(self.bytes.len()).filter(|room| *room > 0)?;
        (self.overflow.is_none() && self.bytes.len() >= LONG).then_some((&mut self.bytes, room))
    }

    /// Cuts at the first such byte behind the first `before` bytes. Gives what came behind it, if there is one.
    pub fn split_behind(&mut self, byte: u8, before: usize) -> Option<Vec<u8>> {
        let end = before + memchr::memchr(byte, self.bytes.get(before..)?)?;
        let rest = self.bytes.split_off(end + 1);
        self.bytes.truncate(end);
        Some(rest)
    }

    /// All of it, or its prefix and what it was cut from. Begins anew.
    pub fn end(&mut self) -> (Vec<u8>, Option<Cut>) {
        let cut = self.overflow.take().map(|(size, digest)| Cut { size, sha256: digest.finalize().into() });
        // It grows by doubling; whoever holds a long one should not hold as much again.
        if self.bytes.capacity() - self.bytes.len() > LONG {
            self.bytes.shrink_to_fit();
        }
        (std::mem::take(&mut self.bytes), cut)
    }
}
