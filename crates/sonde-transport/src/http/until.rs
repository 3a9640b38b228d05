//! Until when an exchange goes on: until the connection is closed, or a moment after nobody waits for it any more.

use std::convert::Infallible;
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
            biased;
            () = self.closing.cancelled() => HttpFailure::Closed,
            () = late => HttpFailure::GivenUp { when },
        }
    }

    /// Does the work, and stops it from within when the time is up.
    pub async fn at_most<T>(&self, limit: Duration, work: impl Future<Output = T>) -> T {
        let late = async {
            tokio::time::sleep(limit).await;
            self.closing.cancel();
            std::future::pending::<Infallible>().await
        };
        tokio::select! {
            done = work => done,
            never = late => match never {},
        }
    }

    /// Waits until nobody waits any more, or the connection ends.
    pub async fn pointless(&self) {
        tokio::select! {
            biased;
            () = self.closing.cancelled() => {}
            () = self.given_up.cancelled() => {}
        }
    }

    /// Waits for a pause to pass. False where it must stop.
    pub async fn pause(&self, pause: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(pause) => true,
            () = self.pointless() => false,
        }
    }
}
