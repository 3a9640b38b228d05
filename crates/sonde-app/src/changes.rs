//! The revision: one number that grows whenever anything a front door can ask for has changed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sonde_store::LogState;
use sonde_transport::InFlight;
use tokio::sync::watch;

use crate::api::changes::{Changes, ChangesRequest};
use crate::api::error::ApiError;
use crate::app::App;

/// A front door that hears nothing for this long is answered anyway, so that a dead one is found out.
const LONGEST_WAIT: Duration = Duration::from_secs(25);

#[derive(Clone)]
pub(crate) struct ChangeClock {
    /// Starts at 1, so that asking since 0 is answered at once.
    revision: Arc<watch::Sender<u64>>,
    servers: Arc<AtomicU64>,
    questions: Arc<watch::Sender<u64>>,
    /// When each call last changed.
    calls: Arc<Mutex<HashMap<u64, u64>>>,
    log: watch::Receiver<LogState>,
    in_flight: InFlight,
}

impl ChangeClock {
    pub fn new(log: watch::Receiver<LogState>, in_flight: InFlight) -> Self {
        let clock = ChangeClock {
            revision: Arc::new(watch::channel(1).0),
            servers: Arc::default(),
            questions: Arc::new(watch::channel(0).0),
            calls: Arc::default(),
            log: log.clone(),
            in_flight,
        };
        tokio::spawn(clock.clone().follow(log));
        clock
    }

    /// Every commit is news.
    async fn follow(self, mut log: watch::Receiver<LogState>) {
        while log.changed().await.is_ok() {
            self.bump();
        }
    }

    pub fn server_changed(&self) {
        self.servers.fetch_add(1, Ordering::Relaxed);
        self.bump();
    }

    pub fn questions_changed(&self) {
        self.questions.send_modify(|revision| *revision += 1);
        self.bump();
    }

    /// Changes when a question is asked, answered or withdrawn.
    pub fn questions(&self) -> watch::Receiver<u64> {
        self.questions.subscribe()
    }

    pub fn call_changed(&self, call: u64) {
        // Entered while the revision moves: at any revision a front door can have seen, the call is either told
        // already or told next time.
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        self.revision.send_modify(|revision| {
            *revision += 1;
            calls.insert(call, *revision);
        });
    }

    pub fn forget_call(&self, call: u64) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).remove(&call);
    }

    pub fn log(&self) -> LogState {
        self.log.borrow().clone()
    }

    fn bump(&self) {
        self.revision.send_modify(|revision| *revision += 1);
    }

    fn since(&self, since: u64) -> Changes {
        // The revision first: whatever changes while we look is told again, never missed.
        let revision = *self.revision.borrow();
        let log = self.log();
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        Changes {
            revision,
            log_total: log.rows,
            log_bytes: log.bytes_on_disk,
            log_lost: self.in_flight.lost(),
            recording_problem: log.problem,
            servers_revision: self.servers.load(Ordering::Relaxed),
            questions_revision: *self.questions.borrow(),
            calls: calls.iter().filter(|(_, changed)| **changed > since).map(|(call, _)| *call).collect(),
        }
    }
}

impl App {
    pub(crate) async fn wait_changes(&self, request: ChangesRequest) -> Result<Changes, ApiError> {
        let mut revision = self.inner.changes.revision.subscribe();
        // Both an elapsed wait and an ended core are answered with how things stand.
        let news = revision.wait_for(|revision| *revision > request.since);
        drop(tokio::time::timeout(LONGEST_WAIT, news).await);
        Ok(self.inner.changes.since(request.since))
    }
}
