//! Many servers that start at once share the cores: their handshakes come before anybody's lists.

use std::time::Duration;

use tokio::sync::watch;

/// The handshakes that are under way. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Rush {
    handshakes: watch::Sender<usize>,
    /// A slow server holds up the lists of the others no longer than this.
    longest: Duration,
}

impl Default for Rush {
    fn default() -> Self {
        Rush { handshakes: watch::Sender::new(0), longest: Duration::from_millis(250) }
    }
}

/// A handshake, as long as it is held.
pub(super) struct Handshake(Rush);

impl Rush {
    pub(super) fn handshake(&self) -> Handshake {
        self.handshakes.send_modify(|count| *count += 1);
        Handshake(self.clone())
    }

    /// Waits until every handshake is done, and not for long.
    pub(super) async fn over(&self) {
        let mut handshakes = self.handshakes.subscribe();
        // It ends by the count or by the clock, and either is as good.
        tokio::time::timeout(self.longest, handshakes.wait_for(|count| *count == 0)).await.ok();
    }
}

impl Drop for Handshake {
    fn drop(&mut self) {
        self.0.handshakes.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lists_wait_for_every_handshake() {
        let rush = Rush { longest: Duration::from_secs(3600), ..Rush::default() };
        rush.over().await;
        let (first, second) = (rush.handshake(), rush.handshake());
        let lists = tokio::spawn({
            let rush = rush.clone();
            async move { rush.over().await }
        });
        tokio::task::yield_now().await;
        drop(first);
        tokio::task::yield_now().await;
        assert!(!lists.is_finished(), "one handshake is still under way");
        drop(second);
        lists.await.unwrap();
    }

    #[tokio::test]
    async fn a_server_that_never_answers_holds_nobody_up_for_ever() {
        let rush = Rush { longest: Duration::ZERO, ..Rush::default() };
        let _never_done = rush.handshake();
        rush.over().await;
    }
}
