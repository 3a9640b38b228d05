//! What a client does with a connection by HTTP: it posts, listens, and ends.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderValue;
use sonde_protocol::TlsFacts;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::connection::Connection;
use super::failure::HttpFailure;
use super::post::Post;
use super::remote::Dialect;
use super::resume;
use crate::link::{Closed, Repeat};

/// Messages, and bytes of them, that may be on their way at once.
const OUTBOX: usize = 2048;
const OUTBOX_BYTES: usize = 64 << 20;

/// How long the server's own stream is waited for. Some servers answer only with its first event.
const OPENING: Duration = Duration::from_secs(1);

/// The way to the server. Each message is a task of its own, so that none waits for another.
#[derive(Clone)]
pub(crate) struct Outbox {
    connection: Arc<Connection>,
    places: Arc<Semaphore>,
    room: Arc<Semaphore>,
}

impl Outbox {
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        Outbox { connection, places: Arc::new(Semaphore::new(OUTBOX)), room: Arc::new(Semaphore::new(OUTBOX_BYTES)) }
    }

    pub fn try_send(&self, message: Vec<u8>, repeat: Repeat) -> Result<(), Vec<u8>> {
        if self.connection.closing.is_cancelled() {
            return Err(message);
        }
        let place = self.places.clone().try_acquire_owned();
        let room = self.room.clone().try_acquire_many_owned(share(&message));
        match (place, room) {
            (Ok(place), Ok(room)) => {
                self.post(message, repeat, None, (place, room));
                Ok(())
            }
            _ => Err(message),
        }
    }

    pub async fn send(&self, message: Vec<u8>, repeat: Repeat) -> Result<(), Closed> {
        let permits = self.permits(&message).await?;
        self.post(message, repeat, None, permits);
        Ok(())
    }

    /// Sends a message and waits until the server took it.
    pub async fn deliver(&self, message: Vec<u8>) -> Result<(), HttpFailure> {
        let permits = self.permits(&message).await.map_err(|Closed| HttpFailure::Closed)?;
        let (accepted, outcome) = oneshot::channel();
        self.post(message, Repeat::Never, Some(accepted), permits);
        outcome.await.unwrap_or(Err(HttpFailure::Closed))
    }

    /// Both sides agreed: from now on every request names the revision, where it has that header, and the session
    /// stays as it is.
    pub fn agree(&self, version: Option<&'static str>) {
        let mut agreed = self.connection.wire.agreed();
        agreed.settled = true;
        agreed.version = version.map(HeaderValue::from_static);
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

    pub fn give_up(&self, id: &str) {
        self.connection.give_up(id);
    }

    pub fn unsent(&self) -> usize {
        OUTBOX_BYTES - self.room.available_permits()
    }

    pub fn close(&self) {
        self.connection.closing.cancel();
    }

    async fn permits(&self, message: &[u8]) -> Result<(OwnedSemaphorePermit, OwnedSemaphorePermit), Closed> {
        let permits = async {
            let place = self.places.clone().acquire_owned().await.map_err(|_| Closed)?;
            let room = self.room.clone().acquire_many_owned(share(message)).await.map_err(|_| Closed)?;
            Ok((place, room))
        };
        tokio::select! {
            biased;
            () = self.connection.closing.cancelled() => Err(Closed),
            permits = permits => permits,
        }
    }

    fn post(
        &self,
        message: Vec<u8>,
        repeat: Repeat,
        accepted: Option<oneshot::Sender<Result<(), HttpFailure>>>,
        permits: (OwnedSemaphorePermit, OwnedSemaphorePermit),
    ) {
        let post = Post { connection: self.connection.clone(), message, repeat, accepted };
        self.connection.tasks.spawn(async move {
            post.run().await;
            drop(permits);
        });
    }
}

/// A message larger than all the room takes all of it.
fn share(message: &[u8]) -> u32 {
    u32::try_from(message.len().min(OUTBOX_BYTES)).unwrap_or(u32::MAX)
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
