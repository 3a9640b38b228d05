//! What all exchanges of one connection share, and how it ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use sonde_protocol::{HttpPlace, Message, TlsFacts, parse};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use super::courier::Couriers;
use super::events::SeenIds;
use super::failure::HttpFailure;
use super::farewell;
use super::pace::Attempts;
use super::remote::Dialect;
use super::wire::Wire;
use crate::lines::Line;
use crate::link::{Incoming, Sent, Taker};

/// How long the end of a session may take.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long a server may take to say that it took what it is told at the last moment, such as an answer of ours.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How long requests that were under way may take to notice the end.
const NOTICING: Duration = Duration::from_secs(2);
/// Streams that are read on after their answer came.
const LINGERING: usize = 32;
/// Messages without an answer that are on their way at once.
const UNAWAITED: usize = 64;

/// Where messages go in HTTP with SSE.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    pub url: Url,
    /// The same without the session that stands in it.
    pub shown: String,
}

/// From this size on a body or an event is large.
pub(super) const LARGE: usize = 256 << 10;

/// A request whose answer is awaited.
struct Awaiting {
    given_up: CancellationToken,
    sent: Sent,
}

/// One connection to a server that is reached by HTTP.
pub(super) struct Connection {
    pub wire: Wire,
    /// Where what comes in goes; None once the connection is over.
    incoming: Mutex<Option<mpsc::Sender<Incoming>>>,
    /// Who takes it without a queue.
    taker: Taker,
    /// The requests whose answers are awaited, and the way to stop waiting.
    awaited: Mutex<HashMap<Box<str>, Awaiting>>,
    /// Which of the transports is spoken; the first answer decides it where nobody did.
    pub spoken: watch::Sender<Dialect>,
    /// Where messages go in HTTP with SSE, once the server said so.
    pub endpoint: watch::Sender<Option<Endpoint>>,
    pub attempts: Mutex<Attempts>,
    seen_ids: Mutex<SeenIds>,
    /// Requests that run at once.
    pub parallel: Arc<Semaphore>,
    /// The same for messages that await no answer.
    pub unawaited: Arc<Semaphore>,
    pub lingering: Arc<Semaphore>,
    /// Who reads something large. One at a time: many at once would fill the memory.
    pub large: Arc<Semaphore>,
    pub tasks: TaskTracker,
    /// Who carries our messages.
    pub couriers: Arc<Couriers>,
    /// The posts that await no answer.
    pub last_words: TaskTracker,
    /// Nothing new is begun, and no answer is awaited any more.
    pub closing: CancellationToken,
    /// What awaits no answer ends, too: a moment later where we close in good order, at once where we are lost.
    pub cut: CancellationToken,
    gone: CancellationToken,
    loss: OnceLock<HttpFailure>,
}

impl Connection {
    pub fn start(wire: Wire, incoming: mpsc::Sender<Incoming>, taker: Taker) -> Arc<Self> {
        let dialect = wire.remote.dialect;
        let connection = Arc::new(Connection {
            parallel: Arc::new(Semaphore::new(wire.remote.limits.parallel)),
            unawaited: Arc::new(Semaphore::new(UNAWAITED)),
            wire,
            incoming: Mutex::new(Some(incoming)),
            taker,
            awaited: Mutex::default(),
            spoken: watch::channel(dialect).0,
            endpoint: watch::channel(None).0,
            attempts: Mutex::default(),
            seen_ids: Mutex::default(),
            lingering: Arc::new(Semaphore::new(LINGERING)),
            large: Arc::new(Semaphore::new(1)),
            tasks: TaskTracker::new(),
            couriers: Arc::default(),
            last_words: TaskTracker::new(),
            closing: CancellationToken::new(),
            cut: CancellationToken::new(),
            gone: CancellationToken::new(),
            loss: OnceLock::new(),
        });
        tokio::spawn(connection.clone().end_when_asked());
        connection
    }

    /// Hands on what was recorded. Waits while the client is behind.
    pub async fn give(&self, incoming: Incoming) {
        let sender = self.incoming.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(sender) = sender
            && sender.send(incoming).await.is_err()
        {
            tracing::debug!("nobody takes what comes in any more");
        }
    }

    /// Records a message of the server and hands it on.
    pub async fn take_message(&self, message: Line, place: HttpPlace) {
        let frame = self.wire.tap.message(message, place).await;
        match self.taker.get() {
            // What was cut takes more than a glance.
            Some(take) if frame.body.cut.is_none() => take(&frame),
            _ => self.give(Incoming::Frame(frame)).await,
        }
    }

    /// Records what is no message, or not one that anybody would take.
    pub async fn record(&self, bytes: Line, place: HttpPlace) {
        self.wire.tap.message(bytes, place).await;
    }

    /// Whether no earlier event of the session had this id.
    pub fn is_new_event(&self, id: &str) -> bool {
        self.seen_ids.lock().unwrap_or_else(PoisonError::into_inner).enter(id)
    }

    /// Requests of ours that will get no answer.
    pub async fn fail(&self, ids: Vec<Box<str>>, failure: HttpFailure) {
        self.forget(&ids);
        // Where we end everything ourselves, whoever waits hears of that.
        if !ids.is_empty() && failure != HttpFailure::Closed {
            let failure = failure.cleaned(&self.wire.tap);
            self.give(Incoming::Failed { ids, failure }).await;
        }
    }

    /// Enters requests as awaited. Gives what is cancelled when nobody waits for any of them.
    pub fn await_all(&self, ids: &[Box<str>]) -> CancellationToken {
        let given_up = CancellationToken::new();
        let mut awaited = self.awaited();
        for id in ids {
            awaited.insert(id.clone(), Awaiting { given_up: given_up.clone(), sent: Sent::No });
        }
        given_up
    }

    pub fn forget(&self, ids: &[Box<str>]) {
        let mut awaited = self.awaited();
        for id in ids {
            awaited.remove(id);
        }
    }

    /// Nobody waits for the answer to that request any more. Gives whether the server has heard of it.
    pub fn give_up(&self, id: &str) -> Sent {
        match self.awaited().get(id) {
            Some(awaiting) => {
                awaiting.given_up.cancel();
                awaiting.sent
            }
            None => Sent::Yes,
        }
    }

    /// These requests are on their way now.
    pub fn note_sent(&self, ids: &[Box<str>]) {
        let mut awaited = self.awaited();
        for id in ids {
            if let Some(awaiting) = awaited.get_mut(id) {
                awaiting.sent = Sent::Yes;
            }
        }
    }

    /// Whether the answer to that request has not come yet, on whatever stream.
    pub fn is_awaited(&self, id: &str) -> bool {
        self.awaited().contains_key(id)
    }

    /// The connection can't go on. Where we are closing it anyway, nothing follows from that.
    pub fn lose(&self, failure: HttpFailure) {
        if !self.closing.is_cancelled() && self.loss.set(failure.cleaned(&self.wire.tap)).is_ok() {
            self.cut.cancel();
            self.closing.cancel();
        }
    }

    pub fn loss(&self) -> Option<HttpFailure> {
        self.loss.get().cloned()
    }

    pub fn session_shown(&self) -> Option<String> {
        self.wire.agreed().session.as_ref().map(|(_, shown)| shown.clone())
    }

    pub fn tls(&self) -> Option<TlsFacts> {
        self.wire.tls()
    }

    pub async fn gone(&self) {
        self.gone.cancelled().await;
    }

    async fn end_when_asked(self: Arc<Self>) {
        self.closing.cancelled().await;
        self.tasks.close();
        self.last_words.close();
        if self.loss().is_none() && tokio::time::timeout(LAST_WORDS, self.last_words.wait()).await.is_err() {
            tracing::debug!("the server did not say in time that it took what it was told last");
        }
        self.cut.cancel();
        let noticed = async { tokio::join!(self.tasks.wait(), self.last_words.wait()) };
        if tokio::time::timeout(NOTICING, noticed).await.is_err() {
            self.wire.tap.mark("an HTTP request did not end in time".to_owned()).await;
        }
        if self.loss().is_none() {
            farewell::say(&self, FAREWELL).await;
        }
        self.incoming.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.taker.set(None);
        self.couriers.dismiss();
        self.gone.cancel();
    }

    fn awaited(&self) -> MutexGuard<'_, HashMap<Box<str>, Awaiting>> {
        self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a message of ours asks: the ids of its requests.
pub(super) fn requests_in(message: &[u8]) -> Vec<Box<str>> {
    match parse(message).0 {
        Message::Request(request) => vec![request.id.0.into()],
        Message::Batch(items) => {
            let ids = items.iter().filter_map(|item| match &item.message {
                Message::Request(request) => Some(request.id.0.into()),
                _ => None,
            });
            ids.collect()
        }
        // Whatever a person wrote goes out as it is, and what of it can be read is waited for.
        Message::Opaque if memchr::memchr(b'\n', message.trim_ascii()).is_some() => {
            message.split(|byte| *byte == b'\n').flat_map(requests_in).collect()
        }
        _ => Vec::new(),
    }
}

/// The messages that stand on the lines of what a person wrote, where there are several and nothing else.
pub(crate) fn lines_of_messages(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let lines: Vec<&[u8]> =
        bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()).collect();
    let messages = lines.len() > 1 && lines.iter().all(|line| !matches!(parse(line).0, Message::Opaque));
    messages.then(|| lines.into_iter().map(<[u8]>::to_vec).collect())
}

/// Which requests a message of the server answers; None where it is no message.
pub(super) fn answers_in(message: &[u8]) -> Option<Vec<Box<str>>> {
    match parse(message).0 {
        Message::Opaque => None,
        Message::Response(response) => Some(response.id.map(|id| id.0.into()).into_iter().collect()),
        Message::Batch(items) => {
            let ids = items.iter().filter_map(|item| match &item.message {
                Message::Response(response) => response.id.map(|id| id.0.into()),
                _ => None,
            });
            Some(ids.collect())
        }
        Message::Request(_) | Message::Notification(_) => Some(Vec::new()),
    }
}
