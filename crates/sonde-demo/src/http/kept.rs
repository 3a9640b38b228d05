//! Answers that were made while their client was away.
//!
//! rmcp forgets a request with its answer, whether anybody read it or not. So the rest of a stream that broke off is
//! read here, and given to whoever goes on behind one of its events.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use http_body_util::{BodyExt, combinators::BoxBody};
use hyper::body::Bytes;
use serde_json::Value;

/// How long a client may be away.
const LONGEST: Duration = Duration::from_secs(60);
/// More answers than a person leaves unread; beyond it, the oldest go.
const MOST_ANSWERS: usize = 64;
/// The newest events of a stream that are kept.
const MOST_EVENTS: usize = 64;

#[derive(Clone, Default)]
pub(crate) struct Kept(Arc<Mutex<VecDeque<Unread>>>);

struct Unread {
    session: String,
    events: VecDeque<Bytes>,
    since: Instant,
}

/// One stream, remembered as it is sent.
pub(crate) struct Keeper {
    kept: Kept,
    session: String,
    sent: VecDeque<Bytes>,
}

impl Kept {
    pub(crate) fn keeper(&self, session: &str) -> Keeper {
        Keeper { kept: self.clone(), session: session.to_owned(), sent: VecDeque::new() }
    }

    /// What stands behind this event, if its stream was answered meanwhile.
    pub(crate) fn behind(&self, session: &str, last_event_id: &str) -> Option<Bytes> {
        let (last, stream) = place(last_event_id)?;
        let index = |event: &Bytes| {
            let (index, of) = field(event, "id: ").and_then(place)?;
            (of == stream).then_some(index)
        };
        let mut kept = self.lock();
        let found = kept
            .iter()
            .position(|unread| unread.session == session && unread.events.iter().any(|event| index(event).is_some()))?;
        let events = kept.remove(found)?.events.into_iter();
        let behind = events.filter(|event| index(event).is_some_and(|index| index > last));
        Some(behind.collect::<Vec<_>>().concat().into())
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Unread>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|unread| unread.since.elapsed() < LONGEST);
        kept
    }
}

impl Keeper {
    pub(crate) fn remember(&mut self, event: Bytes) {
        if self.sent.len() == MOST_EVENTS {
            self.sent.pop_front();
        }
        self.sent.push_back(event);
    }

    /// Reads on for a client that went away, until the answer is there or somebody else reads.
    pub(crate) async fn read_on(mut self, mut rest: BoxBody<Bytes, Infallible>) {
        while let Some(Ok(frame)) = rest.frame().await {
            if let Ok(event) = frame.into_data() {
                self.remember(event);
            }
        }
        if !self.sent.iter().any(is_answer) {
            return;
        }
        let mut kept = self.kept.lock();
        if kept.len() == MOST_ANSWERS {
            kept.pop_front();
        }
        kept.push_back(Unread { session: self.session, events: self.sent, since: Instant::now() });
    }
}

/// `index/stream`.
fn place(id: &str) -> Option<(u64, &str)> {
    let (index, stream) = id.split_once('/')?;
    Some((index.parse().ok()?, stream))
}

fn is_answer(event: &Bytes) -> bool {
    let message = field(event, "data: ").and_then(|data| serde_json::from_str::<Value>(data).ok());
    message.is_some_and(|message| message.get("id").is_some() && message.get("method").is_none())
}

fn field<'a>(event: &'a Bytes, name: &str) -> Option<&'a str> {
    str::from_utf8(event).ok()?.lines().find_map(|line| line.strip_prefix(name))
}

#[cfg(test)]
mod tests {
    use http_body_util::Full;

    use super::*;

    #[tokio::test]
    async fn only_what_the_client_has_not_seen_is_given_and_only_once() {
        let kept = Kept::default();
        let mut keeper = kept.keeper("one");
        keeper.remember(Bytes::from_static(b"data: \nid: 0/7\nretry: 3000\n\n"));
        keeper.remember(Bytes::from_static(b"data: {\"method\":\"m\"}\nid: 1/7\n\n"));
        let answer = Bytes::from_static(b"data: {\"id\":3,\"result\":{}}\nid: 2/7\n\n");
        keeper.read_on(Full::new(answer.clone()).boxed()).await;
        assert_eq!(kept.behind("other", "1/7"), None, "another session has its own streams");
        assert_eq!(kept.behind("one", "1/8"), None, "and this one has others");
        assert_eq!(kept.behind("one", "1/7"), Some(answer));
        assert_eq!(kept.behind("one", "1/7"), None, "it was given");
    }

    #[tokio::test]
    async fn a_stream_that_somebody_else_reads_is_not_kept() {
        let kept = Kept::default();
        let mut keeper = kept.keeper("one");
        keeper.remember(Bytes::from_static(b"data: \nid: 0/7\nretry: 3000\n\n"));
        keeper.read_on(Full::new(Bytes::new()).boxed()).await;
        assert_eq!(kept.behind("one", "0/7"), None, "it ended without an answer");
    }
}
