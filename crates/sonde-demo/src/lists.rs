//! Lists that change while the server runs.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether each of the three lists has one more entry.
#[derive(Default)]
pub(crate) struct Lists {
    grown: AtomicBool,
}

impl Lists {
    pub(crate) fn are_grown(&self) -> bool {
        self.grown.load(Ordering::Relaxed)
    }

    /// Adds the entries, or takes them away again; says which.
    pub(crate) fn change(&self) -> bool {
        !self.grown.fetch_not(Ordering::Relaxed)
    }
}
