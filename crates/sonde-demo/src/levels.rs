//! Which log messages the client wants.

use std::sync::atomic::{AtomicUsize, Ordering};

/// From the least to the most serious.
pub(crate) const LEVELS: &[&str] = &["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

pub(crate) struct Levels {
    /// The place in [`LEVELS`] of the least serious one that is wanted.
    least: AtomicUsize,
}

impl Default for Levels {
    /// `info`: a client that never asked gets the messages that are meant for people.
    fn default() -> Self {
        Self { least: AtomicUsize::new(1) }
    }
}

impl Levels {
    pub(crate) fn want(&self, level: &str) -> bool {
        place(level) >= self.least.load(Ordering::Relaxed)
    }

    pub(crate) fn want_from(&self, level: &str) {
        self.least.store(place(level), Ordering::Relaxed);
    }
}

fn place(level: &str) -> usize {
    LEVELS.iter().position(|known| *known == level).unwrap_or_default()
}
