//! A connected client: sends requests, owns what is open, and ends everything when the connection does.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use sonde_protocol::{Correlator, Direction, Id};
use sonde_transport::{Exit, Outbound, Tap};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::call::{Answer, Call, CallError, Progress};
use crate::wire;

/// How long a call may wait for room among the messages that the server has not read yet.
const ROOM: Duration = Duration::from_secs(1);

/// How a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// How the process ended, where it did and we know.
    pub exit: Option<Exit>,
    /// True when we closed the connection.
    pub by_us: bool,
    pub stderr_tail: Vec<String>,
}

/// One connection. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub tap: Tap,
    pub outbound: Outbound,
    /// Requests without an answer. A request is entered before it is sent, so no answer can be too early.
    pub open: Mutex<Correlator<Waiting>>,
    next_id: AtomicU64,
    /// Bumped when the server says that its tools changed.
    pub tools_changed: watch::Sender<u64>,
    pub ending: watch::Sender<Option<Ending>>,
    /// Set once the person asks to disconnect.
    pub closing: CancellationToken,
    /// How long a request may take.
    pub limit: Duration,
    /// Set once an answer of ours found no room, so that it is said once.
    pub unread: AtomicBool,
    /// Lines that were no messages, to explain a server that says nothing else.
    pub strays: Mutex<Strays>,
}

/// What came in place of messages.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Strays {
    pub count: u64,
    /// The beginning of the first one.
    pub first: Option<String>,
}

impl Strays {
    pub(crate) fn note(&mut self, line: &[u8]) {
        self.count += 1;
        self.first
            .get_or_insert_with(|| String::from_utf8_lossy(line.get(..200).unwrap_or(line)).trim_end().to_owned());
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Shared").finish_non_exhaustive()
    }
}

/// Who waits for an answer.
#[derive(Debug)]
pub(crate) struct Waiting {
    /// None once the waiter was told.
    pub answer: Option<oneshot::Sender<Result<Answer, CallError>>>,
    pub progress: watch::Sender<Option<Progress>>,
}

impl Client {
    pub(crate) fn new(tap: Tap, outbound: Outbound, limit: Duration, closing: CancellationToken) -> Self {
        let shared = Shared {
            tap,
            outbound,
            open: Mutex::default(),
            next_id: AtomicU64::new(1),
            tools_changed: watch::channel(0).0,
            ending: watch::channel(None).0,
            closing,
            limit,
            unread: AtomicBool::new(false),
            strays: Mutex::default(),
        };
        Client { shared: Arc::new(shared) }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Sends a request.
    pub async fn request(&self, method: &str, params: impl Serialize) -> Result<Call, CallError> {
        let (call, message) = self.enter(self.next_id()?, method, params)?;
        if self.shared.ending.borrow().is_some() || self.shared.outbound.send(message).await.is_err() {
            self.open().abandon(Direction::Out, Id(call.id.get()));
            return Err(CallError::Lost);
        }
        Ok(call)
    }

    /// Calls a tool with arguments that are sent exactly as they are written, and asks for progress.
    /// While too much is queued for the server, the call is refused after a moment: whoever calls must not be held.
    pub async fn call_tool(&self, name: &str, arguments: &RawValue) -> Result<Call, CallError> {
        #[derive(Serialize)]
        struct Params<'a> {
            name: &'a str,
            arguments: &'a RawValue,
            #[serde(rename = "_meta")]
            meta: Meta<'a>,
        }
        #[derive(Serialize)]
        struct Meta<'a> {
            #[serde(rename = "progressToken")]
            progress_token: &'a RawValue,
        }
        // The id is unique among what is open, which is all a token has to be.
        let id = self.next_id()?;
        let params = Params { name, arguments, meta: Meta { progress_token: &id } };
        let (call, message) = self.enter(id.clone(), "tools/call", params)?;
        let error = match tokio::time::timeout(ROOM, self.shared.outbound.send(message)).await {
            Ok(Ok(())) if self.shared.ending.borrow().is_none() => return Ok(call),
            Ok(_closed) => CallError::Lost,
            Err(_elapsed) => CallError::NotRead,
        };
        self.open().abandon(Direction::Out, Id(call.id.get()));
        Err(error)
    }

    fn next_id(&self) -> Result<Box<RawValue>, CallError> {
        let number = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        RawValue::from_string(number.to_string()).map_err(|error| CallError::Unwritable(error.to_string()))
    }

    /// Enters a request as open and gives the message that is to be sent.
    fn enter(&self, id: Box<RawValue>, method: &str, params: impl Serialize) -> Result<(Call, Vec<u8>), CallError> {
        let message =
            wire::request(&id, method, Some(&params)).map_err(|error| CallError::Unwritable(error.to_string()))?;
        let (sender, answer) = oneshot::channel();
        let (progress_sender, progress) = watch::channel(None);
        let waiting = Waiting { answer: Some(sender), progress: progress_sender };
        let now = self.shared.tap.clock().now().monotonic_ns;
        self.open().open(Direction::Out, Id(id.get()), method, now, waiting);
        Ok((Call { id, client: self.clone(), answer, progress, limit: self.shared.limit }, message))
    }

    pub async fn notify(&self, method: &str, params: Option<&impl Serialize>) -> Result<(), CallError> {
        let message = wire::notification(method, params).map_err(|error| CallError::Unwritable(error.to_string()))?;
        self.shared.outbound.send(message).await.map_err(|_| CallError::Lost)
    }

    /// Asks the server to stop working on a request, and ends the wait for it.
    pub async fn cancel(&self, id: &RawValue) {
        self.give_up(id, CallError::Cancelled, "the person cancelled").await;
    }

    pub(crate) async fn give_up(&self, id: &RawValue, error: CallError, reason: &str) {
        #[derive(Serialize)]
        struct Cancelled<'a> {
            #[serde(rename = "requestId")]
            request_id: &'a RawValue,
            reason: &'a str,
        }
        let waiter =
            self.open().abandon(Direction::Out, Id(id.get())).and_then(|exchange| exchange.payload.answer.take());
        // Answered already, or given up before: nothing to tell anyone.
        let Some(waiter) = waiter else { return };
        waiter.send(Err(error)).ok();
        let params = Cancelled { request_id: id, reason };
        // The wait is over already; a server that does not read must not hold whoever gave up.
        if !matches!(
            tokio::time::timeout(ROOM, self.notify("notifications/cancelled", Some(&params))).await,
            Ok(Ok(()))
        ) {
            tracing::debug!("a cancellation could not be sent");
        }
    }

    /// Changes whenever the server says that its tools changed.
    pub fn tools_changed(&self) -> watch::Receiver<u64> {
        self.shared.tools_changed.subscribe()
    }

    /// Begins to disconnect: closes the server's input and ends its processes.
    pub fn close(&self) {
        self.shared.closing.cancel();
    }

    /// Waits for the end of the connection.
    pub async fn ended(&self) -> Ending {
        let mut ending = self.shared.ending.subscribe();
        match ending.wait_for(Option::is_some).await.map(|ending| ending.clone()) {
            Ok(Some(ending)) => ending,
            Ok(None) | Err(_) => Ending { exit: None, by_us: false, stderr_tail: Vec::new() },
        }
    }

    pub(crate) fn strays(&self) -> MutexGuard<'_, Strays> {
        self.shared.strays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn open(&self) -> MutexGuard<'_, Correlator<Waiting>> {
        self.shared.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
