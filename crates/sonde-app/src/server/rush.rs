//! Many servers that start at once share the cores: their handshakes come before anybody's lists, and of those a few at
//! a time, so that whoever waits for anything else is served meanwhile.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

/// The handshakes and lists that are under way. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Rush {
    handshakes: watch::Sender<usize>,
    turns: Arc<Semaphore>,
    /// A slow server holds up the lists of the others no longer than this: by its handshake, and by a list.
    longest: Duration,
    longest_turn: Duration,
}

/// Lists that are fetched at once, as long as none of them is slow.
const TURNS: usize = 16;

impl Default for Rush {
    fn default() -> Self {
        Rush {
            handshakes: watch::Sender::new(0),
            turns: Arc::new(Semaphore::new(TURNS)),
            longest: Duration::from_millis(250),
            longest_turn: Duration::from_millis(25),
        }
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

    /// Does the work when it is its turn. What takes long gives its turn away and goes on without.
    pub(super) async fn in_turn<T>(&self, work: impl Future<Output = T>) -> T {
        let turn = self.turns.acquire().await;
        let mut work = pin!(work);
        match tokio::time::timeout(self.longest_turn, &mut work).await {
            Ok(done) => done,
            Err(_slow) => {
                drop(turn);
                work.await
            }
        }
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
    async fn a_list_that_never_comes_gives_its_turn_away() {
        let rush = Rush { longest_turn: Duration::ZERO, ..Rush::default() };
        let never = (0..TURNS).map(|_| {
            let rush = rush.clone();
            tokio::spawn(async move { rush.in_turn(std::future::pending::<()>()).await })
        });
        let never: Vec<_> = never.collect();
        tokio::task::yield_now().await;
        assert_eq!(rush.in_turn(async { 7 }).await, 7);
        never.iter().for_each(tokio::task::JoinHandle::abort);
    }

    #[tokio::test]
    async fn lists_beyond_the_turns_wait() {
        let rush = Rush { longest_turn: Duration::from_secs(3600), ..Rush::default() };
        let (done, finished) = watch::channel(false);
        let waiting = (0..TURNS).map(|_| {
            let (rush, mut finished) = (rush.clone(), finished.clone());
            tokio::spawn(
                async move { rush.in_turn(async move { finished.wait_for(|done| *done).await.is_ok() }).await },
            )
        });
        let waiting: Vec<_> = waiting.collect();
        tokio::task::yield_now().await;
        let one_more = tokio::spawn({
            let rush = rush.clone();
            async move { rush.in_turn(async {}).await }
        });
        tokio::task::yield_now().await;
        assert!(!one_more.is_finished(), "every turn is taken");
        done.send_replace(true);
        one_more.await.unwrap();
        for work in waiting {
            assert!(work.await.unwrap());
        }
    }

    #[tokio::test]
    async fn a_server_that_never_answers_holds_nobody_up_for_ever() {
        let rush = Rush { longest: Duration::ZERO, ..Rush::default() };
        let _never_done = rush.handshake();
        rush.over().await;
    }
}
