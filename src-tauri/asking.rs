//! The right to open a native dialog. There is one at a time, whatever it asks.

use std::sync::atomic::{AtomicBool, Ordering};

use sonde_app::{ApiError, ErrorCode};
use tokio::sync::oneshot;

/// True while a dialog is open: a page that asks a thousand times gets one dialog.
static OPEN: AtomicBool = AtomicBool::new(false);

/// The right to ask, as long as the dialog is open. It goes with the answer, so whoever stops waiting for that neither
/// opens a second dialog nor keeps everybody from asking again.
pub(crate) struct Asking(&'static AtomicBool);

impl Asking {
    pub fn begin() -> Result<Self, ApiError> {
        Self::begin_with(&OPEN)
            .ok_or_else(|| ApiError::new(ErrorCode::Busy, "Another question is open", "answer the open dialog first"))
    }

    /// None while somebody else asks.
    fn begin_with(open: &'static AtomicBool) -> Option<Self> {
        (!open.swap(true, Ordering::AcqRel)).then_some(Asking(open))
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Where the answer of a dialog goes.
pub(crate) struct Answer<T> {
    sender: oneshot::Sender<T>,
    /// Held until the person has answered, or the dialog is gone.
    _asking: Asking,
}

impl<T> Answer<T> {
    pub fn new(sender: oneshot::Sender<T>, asking: Asking) -> Self {
        Answer { sender, _asking: asking }
    }

    pub fn give(self, answer: T) {
        // Whoever asked may be gone with the window.
        self.sender.send(answer).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_stops_waiting_for_an_answer_keeps_nobody_from_asking() {
        static OPEN: AtomicBool = AtomicBool::new(false);
        let (sender, answered) = oneshot::channel();
        let answer = Answer::new(sender, Asking::begin_with(&OPEN).expect("nobody asks yet"));
        drop(answered);
        assert!(Asking::begin_with(&OPEN).is_none(), "the dialog is still open");
        answer.give(true);
        drop(Asking::begin_with(&OPEN).expect("it was answered"));
        assert!(Asking::begin_with(&OPEN).is_some(), "a dialog that could not be opened asks nobody");
    }
}
