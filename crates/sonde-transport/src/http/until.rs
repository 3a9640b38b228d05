//! Until when an exchange goes on: until the connection is closed, or a moment after nobody waits for it any more.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::failure::{HttpFailure, Moment};

/// How long a late answer is still read, so that the log can show it.
const LATE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone)]
pub(super) struct Until {
    pub closing: CancellationToken,
    /// Cancelled when nobody waits for the answer any more.
    pub given_up: CancellationToken,
}

impl Until {
    /// Waits until it must stop, and says why.
    pub async fn stopped(&self, when: Moment) -> HttpFailure {
        let late = async {
            self.given_up.cancelled().await;
            tokio::time::sleep(LATE).await;
        };
        tokio::select! {
            () = self.closing.cancelled() => HttpFailure::Closed,
            () = late => HttpFailure::GivenUp { when },
        }
    }

    /// Waits for a pause to pass. False where it must stop.
    pub async fn pause(&self, pause: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(pause) => true,
            () = self.closing.cancelled() => false,
            () = self.given_up.cancelled() => false,
        }
    }
}
