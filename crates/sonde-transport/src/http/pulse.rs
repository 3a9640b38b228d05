//! A coarse clock that many look at and one timer drives.
//!
//! A timer of its own for each exchange would wake the thread that keeps the time for every one of them, and nearly all
//! are over long before. This one beats while anybody looks at it, and stops by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

/// From one beat to the next.
const BEAT: Duration = Duration::from_millis(20);

#[derive(Debug, Default)]
pub(super) struct Pulse {
    beat: Notify,
    beats: AtomicBool,
    /// Who looks at it now, and who has since the last beat.
    looking: AtomicUsize,
    looked: AtomicBool,
}

impl Pulse {
    /// Waits for one whole beat: what takes no longer than that is told to the log once.
    pub async fn soon(self: &Arc<Self>) {
        let _look = self.look();
        self.beat.notified().await;
        self.beat.notified().await;
    }

    fn look(self: &Arc<Self>) -> Look<'_> {
        self.looking.fetch_add(1, Ordering::SeqCst);
        self.looked.store(true, Ordering::SeqCst);
        if !self.beats.swap(true, Ordering::SeqCst) {
            tokio::spawn(self.clone().run());
        }
        Look(self)
    }

    async fn run(self: Arc<Self>) {
        loop {
            tokio::time::sleep(BEAT).await;
            self.beat.notify_waiters();
            if self.looked.swap(false, Ordering::SeqCst) || self.looking.load(Ordering::SeqCst) > 0 {
                continue;
            }
            self.beats.store(false, Ordering::SeqCst);
            // Whoever came in between saw it beat; it must not stop for them, unless another began already.
            let late = self.looking.load(Ordering::SeqCst) > 0;
            if !late || self.beats.swap(true, Ordering::SeqCst) {
                return;
            }
        }
    }
}

struct Look<'a>(&'a Pulse);

impl Drop for Look<'_> {
    fn drop(&mut self) {
        self.0.looking.fetch_sub(1, Ordering::SeqCst);
    }
}
