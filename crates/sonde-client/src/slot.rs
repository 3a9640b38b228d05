//! Where the end of a call and its progress are put for whoever waits.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::sync::watch;

use crate::call::{Answer, CallError, Progress};

/// One allocation for the answer, the waker and the progress.
#[derive(Debug, Default)]
pub(crate) struct Slot(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    end: Option<Result<Answer, CallError>>,
    /// True once there was an end, taken or not.
    over: bool,
    waker: Option<Waker>,
    /// Made when someone asks for the progress or when there is some: most calls see neither.
    progress: Option<watch::Sender<Option<Progress>>>,
}

impl Slot {
    /// The first end counts.
    pub fn finish(&self, end: Result<Answer, CallError>) {
        let waker = {
            let mut state = self.state();
            if state.over {
                return;
            }
            state.over = true;
            state.end = Some(end);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub fn poll_end(&self, context: &mut Context<'_>) -> Poll<Result<Answer, CallError>> {
        let mut state = self.state();
        match state.end.take() {
            Some(end) => Poll::Ready(end),
            None if state.over => Poll::Ready(Err(CallError::Lost)),
            None => {
                match &mut state.waker {
                    Some(waker) => waker.clone_from(context.waker()),
                    None => state.waker = Some(context.waker().clone()),
                }
                Poll::Pending
            }
        }
    }

    pub fn report(&self, progress: Progress) {
        let mut state = self.state();
        match &state.progress {
            Some(sender) => {
                sender.send_replace(Some(progress));
            }
            None => state.progress = Some(watch::channel(Some(progress)).0),
        }
    }

    /// What was reported before anybody asked is news, too.
    pub fn progress(&self) -> watch::Receiver<Option<Progress>> {
        let mut progress = self.state().progress.get_or_insert_with(|| watch::channel(None).0).subscribe();
        if progress.borrow().is_some() {
            progress.mark_changed();
        }
        progress
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_that_came_before_anybody_asked_is_news() {
        let slot = Slot::default();
        assert!(!slot.progress().has_changed().unwrap(), "nothing was reported");
        slot.report(Progress { progress: 1.0, total: None, message: None });
        assert!(slot.progress().has_changed().unwrap(), "a server may be faster than whoever asked it");
    }
}
