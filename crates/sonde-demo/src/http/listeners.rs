//! The streams of GET, of which a session has one that tells anything.
//!
//! rmcp gives news to the first of a session's streams until it sees that stream end, and a client whose connection
//! broke is back before that. So whoever goes on behind an event takes over from whoever was there.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use hyper::body::{Body, Bytes, Frame};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::events::Events;

/// The open streams, each with its session.
#[derive(Default)]
pub(crate) struct Listeners(Mutex<Vec<(String, Place)>>);

/// Where the events of a stream come from, until somebody takes them away.
#[derive(Clone)]
struct Place {
    events: Arc<Mutex<Option<Events>>>,
    taken: CancellationToken,
}

/// The body of an answer to GET.
pub(crate) struct Listening {
    place: Place,
    taken: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Listeners {
    /// Ends the streams of `session`. rmcp sees their end before this returns.
    pub(crate) fn take_over(&self, session: &str) {
        for (_, place) in self.lock().extract_if(.., |(known, _)| known == session) {
            place.end();
        }
    }

    pub(crate) fn listen(&self, session: &str, events: Events) -> Listening {
        let place = Place { events: Arc::new(Mutex::new(Some(events))), taken: CancellationToken::new() };
        let mut places = self.lock();
        places.retain(|(_, place)| !place.taken.is_cancelled());
        places.push((session.to_owned(), place.clone()));
        Listening { taken: Box::pin(place.taken.clone().cancelled_owned()), place }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(String, Place)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    fn end(&self) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.taken.cancel();
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.place.end();
    }
}

impl Body for Listening {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.taken.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        let mut events = self.place.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.as_mut().map_or(Poll::Ready(None), |events| Pin::new(events).poll_frame(context))
    }
}
