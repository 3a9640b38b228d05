//! Whether the server is still there: an idle connection is asked, and one that does not answer twice is dead.

use std::sync::atomic::Ordering;
use std::time::Duration;

use sonde_transport::HttpFailure;
use tokio::sync::Notify;

use crate::ask::{Ask, Gate};
use crate::call::{Answer, CallError};
use crate::client::Client;
use crate::options::Patience;

/// A server that no longer answers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the server did not answer `ping` {MOST_MISSED} times in a row: {last}")]
pub struct Dead {
    /// Why the last one had no answer.
    pub last: CallError,
}

/// So many pings in a row without an answer are the end.
const MOST_MISSED: u32 = 2;
/// A ping waits as long as the pause between two, but within these: a machine may be busy for a moment, and nobody
/// should wait for minutes to hear that a server is gone.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

impl Client {
    /// Asks for a sign of life whenever nothing passed for `pause`, or somebody has a doubt. Comes back only when the
    /// server is dead; the connection is left as it is.
    pub async fn until_dead(&self, pause: Option<Duration>, doubt: &Notify) -> Dead {
        loop {
            tokio::select! {
                () = self.idle_for(pause) => {}
                () = doubt.notified() => {}
            }
            if let Some(dead) = self.examine(pause).await {
                return dead;
            }
        }
    }

    /// Waits until the connection was idle for that long. A server that works on a request of ours is not idle: it may
    /// have but one thread.
    async fn idle_for(&self, pause: Option<Duration>) {
        let Some(pause) = pause else { return std::future::pending().await };
        loop {
            let quiet = self.quiet();
            if quiet < pause {
                tokio::time::sleep(pause - quiet).await;
            } else if self.pending().is_empty() {
                return;
            } else {
                tokio::time::sleep(pause).await;
            }
        }
    }

    /// Pings until an answer comes, or until too many did not.
    async fn examine(&self, pause: Option<Duration>) -> Option<Dead> {
        let wait = pause.unwrap_or(LONGEST_WAIT).clamp(SHORTEST_WAIT, LONGEST_WAIT);
        let mut missed = 0;
        loop {
            let asked = self.now_ns();
            match self.ping(wait).await {
                // Also an error is an answer, and whoever says anything else meanwhile lives as well.
                Ok(_) => return None,
                Err(_) if self.shared().heard_ns.load(Ordering::Relaxed) > asked => return None,
                // Whoever waits for the end of the connection learns it there, with its reason.
                Err(CallError::Lost) => return std::future::pending().await,
                Err(last) => {
                    missed += 1;
                    // Where nobody takes a connection, asking a second time at once tells nothing new.
                    if missed == MOST_MISSED || is_final(&last) {
                        return Some(Dead { last });
                    }
                }
            }
        }
    }

    /// Asks for a sign of life, whatever was agreed.
    async fn ping(&self, limit: Duration) -> Result<Answer, CallError> {
        let ask = Ask { patience: Some(Patience { silence: None, limit }), gate: Gate::Open, ..Ask::new("ping") };
        self.ask(ask).await?.end().await
    }

    /// How long the server has said nothing.
    fn quiet(&self) -> Duration {
        Duration::from_nanos(self.now_ns().saturating_sub(self.shared().heard_ns.load(Ordering::Relaxed)))
    }

    fn now_ns(&self) -> u64 {
        self.shared().tap.clock().now().monotonic_ns
    }
}

/// Whether nobody is there to be asked.
fn is_final(error: &CallError) -> bool {
    matches!(
        error,
        CallError::Http(
            HttpFailure::Unresolved { .. } | HttpFailure::Unconnected { .. } | HttpFailure::ConnectTimeout { .. }
        )
    )
}
