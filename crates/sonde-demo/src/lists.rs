//! What changes while the server runs: the lists, and a note.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// Whether each of the three lists has one more entry, and what a tool wrote.
#[derive(Default)]
pub(crate) struct Lists {
    grown: AtomicBool,
    /// As long as the tool lets it be.
    note: Mutex<Option<String>>,
}

impl Lists {
    pub(crate) fn are_grown(&self) -> bool {
        self.grown.load(Ordering::Relaxed)
    }

    /// Adds the entries, or takes them away again; says which.
    pub(crate) fn change(&self) -> bool {
        !self.grown.fetch_not(Ordering::Relaxed)
    }

    pub(crate) fn note(&self) -> Option<String> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn write_note(&self, text: &str) {
        *self.note.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.to_owned());
    }
}
