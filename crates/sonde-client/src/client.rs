//! A connected client: what its parts share, and how it ends.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use sonde_protocol::{Agreement, Capabilities, Objection, Party};
use sonde_transport::{Exit, HttpFailure, Outbound, Repeat, Tap};
use tokio::sync::{Notify, broadcast, watch};
use tokio_util::sync::CancellationToken;

use crate::events::{Event, KEPT_EVENTS};
use crate::listing::Catalog;
use crate::options::{Negotiation, Options, Patience};
use crate::pending::Pending;
use crate::questions::Questions;
use crate::running::Running;

/// How long whoever sends may wait for room among the messages that the server has not read yet.
pub(crate) const ROOM: Duration = Duration::from_secs(1);

/// How a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// How the process ended, where it did and we know.
    pub exit: Option<Exit>,
    /// Why a connection by HTTP could not go on.
    pub loss: Option<HttpFailure>,
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
    /// Our requests without an answer.
    pub pending: Mutex<Pending>,
    /// Tells whoever watches the clock that something is due earlier than it was.
    pub alarm: Notify,
    /// The server's requests that wait for an answer of ours.
    pub questions: Mutex<Questions>,
    /// Our requests that became tasks of the server.
    pub running: Mutex<Running>,
    /// What both sides agreed on, once they did; what we offered, until then.
    agreed: OnceLock<Agreement>,
    offered: Agreement,
    /// Without negotiation nothing was declared, so nothing can be objected to.
    negotiated: bool,
    /// Bumped when the server says that a list changed.
    changes: HashMap<Catalog, watch::Sender<u64>>,
    pub events: broadcast::Sender<Event>,
    /// Bumped when a question comes or goes.
    question_changes: watch::Sender<u64>,
    pub ending: watch::Sender<Option<Ending>>,
    /// Set once the person asks to disconnect.
    pub closing: CancellationToken,
    pub patience: Patience,
    /// Answers of ours that found no room, because the server does not read.
    pub unread: AtomicU64,
    /// When the server last said anything, by the monotonic clock of the tap.
    pub heard_ns: AtomicU64,
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

impl Client {
    pub(crate) fn new(tap: Tap, outbound: Outbound, options: &Options, closing: CancellationToken) -> Self {
        let offered = Agreement {
            revision: options.negotiation.revision(),
            client: Capabilities::read(&options.capabilities),
            server: Capabilities::none(),
        };
        let now = tap.clock().now().monotonic_ns;
        let shared = Shared {
            tap,
            outbound,
            pending: Mutex::default(),
            alarm: Notify::new(),
            questions: Mutex::default(),
            running: Mutex::default(),
            agreed: OnceLock::new(),
            offered,
            negotiated: !matches!(options.negotiation, Negotiation::Skip(_)),
            changes: Catalog::ALL.iter().map(|catalog| (*catalog, watch::channel(0).0)).collect(),
            events: broadcast::channel(KEPT_EVENTS).0,
            question_changes: watch::channel(0).0,
            ending: watch::channel(None).0,
            closing,
            patience: options.patience,
            unread: AtomicU64::new(0),
            heard_ns: AtomicU64::new(now),
            strays: Mutex::default(),
        };
        Client { shared: Arc::new(shared) }
    }

    /// Says something of the connection in the log.
    pub async fn mark(&self, text: String) {
        self.shared.tap.mark(text).await;
    }

    /// What both sides agreed on; without negotiation, what is assumed.
    pub fn agreement(&self) -> Agreement {
        self.agreed().clone()
    }

    /// Why a request or notification of ours would not fit what was agreed.
    pub fn objection(&self, method: &str) -> Option<Objection> {
        if self.shared.negotiated { self.agreed().objection(Party::Client, method) } else { None }
    }

    /// Why a request of ours should not be made a task.
    pub fn task_objection(&self, method: &str) -> Option<Objection> {
        if self.shared.negotiated { self.agreed().task_objection(Party::Client, method) } else { None }
    }

    /// Changes whenever the server says that a list of its changed.
    pub fn changes(&self, catalog: Catalog) -> watch::Receiver<u64> {
        match self.shared.changes.get(&catalog) {
            Some(sender) => sender.subscribe(),
            None => watch::channel(0).1,
        }
    }

    /// What the server reports, from now on. Whoever does not keep up is told how many were missed; the log has all.
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.shared.events.subscribe()
    }

    /// Changes whenever a question comes or goes. Unlike an event it can't be missed.
    pub fn question_changes(&self) -> watch::Receiver<u64> {
        self.shared.question_changes.subscribe()
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
            Ok(None) | Err(_) => Ending { exit: None, loss: None, by_us: false, stderr_tail: Vec::new() },
        }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(crate) fn agreed(&self) -> &Agreement {
        self.shared.agreed.get().unwrap_or(&self.shared.offered)
    }

    /// The first agreement stays: a connection has one revision.
    pub(crate) fn agree(&self, agreement: Agreement) {
        if self.shared.agreed.set(agreement).is_err() {
            tracing::debug!("a second agreement was ignored");
        }
    }

    pub(crate) fn changed(&self, catalog: Catalog) {
        if let Some(sender) = self.shared.changes.get(&catalog) {
            sender.send_modify(|version| *version += 1);
        }
    }

    /// Tells whoever listens. Making an event costs something, so none is made for nobody.
    pub(crate) fn tell(&self, event: impl FnOnce() -> Option<Event>) {
        if self.shared.events.receiver_count() > 0
            && let Some(event) = event()
            && self.shared.events.send(event).is_err()
        {
            tracing::trace!("nobody listens any more");
        }
    }

    /// A question came or went.
    pub(crate) fn question_changed(&self, event: Event) {
        self.shared.question_changes.send_modify(|version| *version += 1);
        self.tell(|| Some(event));
    }

    /// Sends an answer if there is room. Waiting for room would stop the reading, and a server that only writes would
    /// then stop us for good.
    pub(crate) fn post(&self, message: Vec<u8>) {
        if self.shared.outbound.try_send(message, Repeat::Never).is_ok() || self.shared.closing.is_cancelled() {
            return;
        }
        if self.shared.unread.fetch_add(1, Ordering::Relaxed) == 0 {
            self.remark("the server does not read its input: requests of it stay unanswered".to_owned());
        }
    }

    /// Writes into the log without waiting for it.
    pub(crate) fn remark(&self, text: String) {
        let tap = self.shared.tap.clone();
        tokio::spawn(async move { tap.mark(text).await });
    }

    pub(crate) fn pending(&self) -> MutexGuard<'_, Pending> {
        self.shared.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn running(&self) -> MutexGuard<'_, Running> {
        self.shared.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn waiting_questions(&self) -> MutexGuard<'_, Questions> {
        self.shared.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn strays(&self) -> MutexGuard<'_, Strays> {
        self.shared.strays.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
