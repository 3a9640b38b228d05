//! A live connection, whatever carries it: what comes in, what goes out, and who is at the other end.

use std::sync::{Arc, Mutex, PoisonError};

use sonde_protocol::Frame;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::http::{HttpFailure, Outbox, RemoteEnd, lines_of_messages};
use crate::process::{Exit, Process};
use crate::stdio::{self, StderrTail};
use crate::tap::Tap;

pub struct Link {
    pub inbound: Inbound,
    pub outbound: Outbound,
    pub peer: Peer,
    /// Empty where the server is no process of ours.
    pub stderr: StderrTail,
    pub tap: Tap,
}

/// What comes from the server.
#[derive(Debug)]
pub enum Incoming {
    Frame(Frame),
    /// Requests of ours that will get no answer.
    Failed {
        ids: Vec<Box<str>>,
        failure: HttpFailure,
    },
}

/// Whether a message may be sent a second time when the server was too busy for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    Allowed,
    /// It might run twice.
    Never,
}

/// Whether a request has left us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    Yes,
    No,
}

/// The server takes nothing any more.
#[derive(Debug, thiserror::Error)]
#[error("the server's input is closed")]
pub struct Closed;

/// What the server says, each part recorded before it is given out.
pub struct Inbound(From);

enum From {
    Pipe(Box<stdio::Inbound>),
    Remote { received: mpsc::Receiver<Incoming>, taker: Taker, overtime: CancellationToken },
}

/// Who takes a frame at once, within the task that received it. It must not wait for anything.
pub type Take = Arc<dyn Fn(&Frame) + Send + Sync>;

/// Where whoever takes frames at once is entered, and taken out at the end: both ends hold each other otherwise.
#[derive(Clone, Default)]
pub(crate) struct Taker(Arc<Mutex<Option<Take>>>);

impl Taker {
    pub fn get(&self) -> Option<Take> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set(&self, take: Option<Take>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = take;
    }
}

impl Inbound {
    pub(crate) fn pipe(pipe: stdio::Inbound) -> Self {
        Inbound(From::Pipe(Box::new(pipe)))
    }

    pub(crate) fn remote(received: mpsc::Receiver<Incoming>, taker: Taker) -> Self {
        Inbound(From::Remote { received, taker, overtime: CancellationToken::new() })
    }

    /// From now on what comes whole by HTTP, where no order binds one exchange to another, is taken by whoever receives
    /// it: waking the reader of a queue costs more than the taking. Everything else is given out by [`Inbound::next`].
    pub fn take_at_once(&self, take: Take) {
        if let From::Remote { taker, .. } = &self.0 {
            taker.set(Some(take));
        }
    }

    /// The next; None at the end. Must not be dropped before it is ready: what waits for the recorder would be lost.
    pub async fn next(&mut self) -> Option<Incoming> {
        match &mut self.0 {
            From::Pipe(pipe) => pipe.next().await.map(Incoming::Frame),
            From::Remote { received, .. } => received.recv().await,
        }
    }

    /// Cancelled by whoever knows that the server is gone: what it wrote is still given out, however long the recorder
    /// takes for it, but nothing is waited for any more. A process that is not ours may hold the output open for ever.
    pub fn overtime(&self) -> CancellationToken {
        match &self.0 {
            From::Pipe(pipe) => pipe.overtime(),
            From::Remote { overtime, .. } => overtime.clone(),
        }
    }

    /// Whether the output was still open when the reading ended.
    pub fn was_cut_short(&self) -> bool {
        match &self.0 {
            From::Pipe(pipe) => pipe.was_cut_short(),
            From::Remote { .. } => false,
        }
    }
}

/// The way to the server. By a pipe, messages arrive in the order they were sent; by HTTP, each goes its own way.
#[derive(Clone)]
pub struct Outbound(To);

#[derive(Clone)]
enum To {
    Pipe(stdio::Outbound),
    Remote(Outbox),
}

impl Outbound {
    pub(crate) fn pipe(pipe: stdio::Outbound) -> Self {
        Outbound(To::Pipe(pipe))
    }

    pub(crate) fn remote(outbox: Outbox) -> Self {
        Outbound(To::Remote(outbox))
    }

    /// Sends one message. Waits while the server does not read.
    pub async fn send(&self, message: Vec<u8>, repeat: Repeat) -> Result<(), Closed> {
        match &self.0 {
            To::Pipe(pipe) => pipe.send(message).await,
            To::Remote(outbox) => outbox.send(message, repeat).await,
        }
    }

    /// Sends one message if there is room, and gives it back if there is none.
    pub fn try_send(&self, message: Vec<u8>, repeat: Repeat) -> Result<(), Vec<u8>> {
        match &self.0 {
            To::Pipe(pipe) => pipe.try_send(message),
            To::Remote(outbox) => outbox.try_send(message, repeat),
        }
    }

    /// Sends exactly these bytes: in their turn by a pipe; by HTTP as one body, unless they are messages on lines of
    /// their own, which no body may hold together.
    pub async fn send_raw(&self, bytes: Vec<u8>) -> Result<(), Closed> {
        match &self.0 {
            To::Pipe(pipe) => pipe.send_raw(bytes).await,
            To::Remote(outbox) => {
                let bodies = lines_of_messages(&bytes).unwrap_or_else(|| vec![bytes]);
                for body in bodies {
                    outbox.send(body, Repeat::Never).await?;
                }
                Ok(())
            }
        }
    }

    /// Sends one message, and waits until it may be said that later ones arrive after it.
    pub async fn deliver(&self, message: Vec<u8>) -> Result<(), HttpFailure> {
        match &self.0 {
            To::Pipe(pipe) => pipe.send(message).await.map_err(|Closed| HttpFailure::Closed),
            To::Remote(outbox) => outbox.deliver(message).await,
        }
    }

    /// Both sides agreed on a revision. `version` is what every request must name from now on, where it must.
    pub fn agree(&self, version: Option<&'static str>) {
        if let To::Remote(outbox) = &self.0 {
            outbox.agree(version);
        }
    }

    /// Listens to what the server says by itself, where that takes asking.
    pub async fn listen(&self) {
        if let To::Remote(outbox) = &self.0 {
            outbox.listen().await;
        }
    }

    /// Nobody waits for the answer to that request any more. Gives whether the server may have heard of it.
    pub fn give_up(&self, id: &str) -> Sent {
        match &self.0 {
            To::Pipe(_) => Sent::Yes,
            To::Remote(outbox) => outbox.give_up(id),
        }
    }

    /// Bytes that were sent and that the server has not taken: more than 0 for long means that it does not read.
    pub fn unread(&self) -> usize {
        match &self.0 {
            To::Pipe(pipe) => pipe.unread(),
            To::Remote(outbox) => outbox.unsent(),
        }
    }

    pub fn close(&self) {
        match &self.0 {
            To::Pipe(pipe) => pipe.close(),
            To::Remote(outbox) => outbox.close(),
        }
    }
}

/// Who is at the other end.
pub enum Peer {
    Process(Process),
    Remote(RemoteEnd),
}

impl Peer {
    /// Begins to end it: its processes, or the session.
    pub fn stop(&self) {
        match self {
            Peer::Process(process) => process.stop(),
            Peer::Remote(remote) => remote.stop(),
        }
    }

    /// Waits until nothing of it is left.
    pub async fn gone(&self) {
        match self {
            Peer::Process(process) => process.gone().await,
            Peer::Remote(remote) => remote.gone().await,
        }
    }

    pub fn exit(&self) -> Option<Exit> {
        match self {
            Peer::Process(process) => process.exit(),
            Peer::Remote(_) => None,
        }
    }

    pub fn pid(&self) -> Option<u32> {
        match self {
            Peer::Process(process) => Some(process.pid),
            Peer::Remote(_) => None,
        }
    }

    /// Why the connection could not go on, where it is one by HTTP.
    pub fn loss(&self) -> Option<HttpFailure> {
        match self {
            Peer::Process(_) => None,
            Peer::Remote(remote) => remote.loss(),
        }
    }
}
