//! What a client does with a connection by HTTP: it posts, listens, and ends.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderValue;
use sonde_protocol::TlsFacts;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::connection::{Connection, requests_in};
use super::failure::HttpFailure;
use super::post::Post;
use super::remote::Dialect;
use super::resume;
use crate::link::{Closed, Repeat, Sent};

/// Requests, and bytes of them, that may be on their way at once, or wait for their turn.
const REQUESTS: usize = 2048;
const REQUEST_BYTES: usize = 64 << 20;
/// The same for what awaits no answer. What the server asks must be answered, however much we ask of it.
const OTHERS: usize = 1024;
const OTHER_BYTES: usize = 16 << 20;

/// How long the server's own stream is waited for. Some servers answer only with its first event.
const OPENING: Duration = Duration::from_secs(1);

/// The way to the server. Each message goes its own way, so that none waits for another.
#[derive(Clone)]
pub(crate) struct Outbox {
    connection: Arc<Connection>,
    requests: Lane,
    others: Lane,
}

/// Room for messages of one kind.
#[derive(Clone)]
struct Lane {
    places: Arc<Semaphore>,
    room: Arc<Semaphore>,
    bytes: usize,
}

type Permits = (OwnedSemaphorePermit, OwnedSemaphorePermit);

impl Lane {
    fn new(places: usize, bytes: usize) -> Self {
        Lane { places: Arc::new(Semaphore::new(places)), room: Arc::new(Semaphore::new(bytes)), bytes }
    }

    /// A message larger than all the room takes all of it.
    fn share(&self, message: &[u8]) -> u32 {
        u32::try_from(message.len().min(self.bytes)).unwrap_or(u32::MAX)
    }

    fn try_enter(&self, message: &[u8]) -> Option<Permits> {
        let place = self.places.clone().try_acquire_owned().ok()?;
        let room = self.room.clone().try_acquire_many_owned(self.share(message)).ok()?;
        Some((place, room))
    }

    async fn enter(&self, message: &[u8]) -> Option<Permits> {
        let place = self.places.clone().acquire_owned().await.ok()?;
        let room = self.room.clone().acquire_many_owned(self.share(message)).await.ok()?;
        Some((place, room))
    }
}

impl Outbox {
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        Outbox { connection, requests: Lane::new(REQUESTS, REQUEST_BYTES), others: Lane::new(OTHERS, OTHER_BYTES) }
    }

    pub fn try_send(&self, message: Vec<u8>, repeat: Repeat) -> Result<(), Vec<u8>> {
        if self.connection.closing.is_cancelled() {
            return Err(message);
        }
        let asked = requests_in(&message);
        match self.lane(&asked).try_enter(&message) {
            Some(permits) => {
                self.post(message, asked, repeat, None, permits);
                Ok(())
            }
            None => Err(message),
        }
    }

    pub async fn send(&self, message: Vec<u8>, repeat: Repeat) -> Result<(), Closed> {
        let asked = requests_in(&message);
        let permits = self.permits(&asked, &message).await?;
        self.post(message, asked, repeat, None, permits);
        Ok(())
    }

    /// Sends a message and waits until the server took it.
    pub async fn deliver(&self, message: Vec<u8>) -> Result<(), HttpFailure> {
        let asked = requests_in(&message);
        let permits = self.permits(&asked, &message).await.map_err(|Closed| HttpFailure::Closed)?;
        let (accepted, outcome) = oneshot::channel();
        self.post(message, asked, Repeat::Never, Some(accepted), permits);
        outcome.await.unwrap_or(Err(HttpFailure::Closed))
    }

    /// Both sides agreed: from now on every request names the revision, where it has that header, and the session
    /// stays as it is.
    pub fn agree(&self, version: Option<&'static str>) {
        self.connection.wire.agreed().settle(version.map(HeaderValue::from_static));
    }

    /// Opens the stream for what the server says by itself, and waits a moment for it to be open.
    pub async fn listen(&self) {
        if *self.connection.spoken.borrow() == Dialect::Sse {
            return;
        }
        let (opened, is_open) = oneshot::channel();
        self.connection.tasks.spawn(resume::listen(self.connection.clone(), opened));
        if tokio::time::timeout(OPENING, is_open).await.is_err() {
            tracing::debug!("the server has not answered the request for its stream yet");
        }
    }

    pub fn give_up(&self, id: &str) -> Sent {
        self.connection.give_up(id)
    }

    pub fn unsent(&self) -> usize {
        REQUEST_BYTES + OTHER_BYTES - self.requests.room.available_permits() - self.others.room.available_permits()
    }

    pub fn close(&self) {
        self.connection.closing.cancel();
    }

    fn lane(&self, asked: &[Box<str>]) -> &Lane {
        if asked.is_empty() { &self.others } else { &self.requests }
    }

    async fn permits(&self, asked: &[Box<str>], message: &[u8]) -> Result<Permits, Closed> {
        tokio::select! {
            biased;
            () = self.connection.closing.cancelled() => Err(Closed),
            permits = self.lane(asked).enter(message) => permits.ok_or(Closed),
        }
    }

    fn post(
        &self,
        message: Vec<u8>,
        asked: Vec<Box<str>>,
        repeat: Repeat,
        accepted: Option<oneshot::Sender<Result<(), HttpFailure>>>,
        permits: Permits,
    ) {
        // Before it is on its way, so that nobody can give it up too early to be heard.
        let given_up = self.connection.await_all(&asked);
        let tasks = if asked.is_empty() { &self.connection.last_words } else { &self.connection.tasks };
        let post = Post { connection: self.connection.clone(), message, asked, given_up, repeat, accepted };
        self.connection.couriers.carry(tasks.track_future(async move {
            post.run().await;
            drop(permits);
        }));
    }
}

/// The other end of a connection by HTTP.
#[derive(Clone)]
pub struct RemoteEnd {
    connection: Arc<Connection>,
}

impl RemoteEnd {
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        RemoteEnd { connection }
    }

    /// Begins to end the connection, and the session with it.
    pub fn stop(&self) {
        self.connection.closing.cancel();
    }

    /// Waits until nothing is under way any more.
    pub async fn gone(&self) {
        self.connection.gone().await;
    }

    /// Why the connection could not go on, where that is so.
    pub fn loss(&self) -> Option<HttpFailure> {
        self.connection.loss()
    }

    /// Which transport is spoken; `Auto` until that is known.
    pub fn spoken(&self) -> Dialect {
        *self.connection.spoken.borrow()
    }

    /// The session, as it may be shown.
    pub fn session(&self) -> Option<String> {
        self.connection.session_shown()
    }

    pub fn tls(&self) -> Option<TlsFacts> {
        self.connection.tls()
    }
}
