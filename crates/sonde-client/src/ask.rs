//! Sending requests: what is asked, whether it may be asked, and what goes on the wire.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use sonde_protocol::Objection;
use sonde_transport::Repeat;
use tokio::time::Instant;

use crate::call::{Call, CallError};
use crate::client::{Client, ROOM};
use crate::options::Patience;
use crate::pending::{Alarm, Waiting, Withdrawal};
use crate::slot::Slot;
use crate::wire::{self, Extras};

/// One request that is to be sent.
#[derive(Debug, Clone)]
pub struct Ask {
    pub method: String,
    /// Sent as they are written.
    pub params: Option<Box<RawValue>>,
    /// An object whose members go into the `_meta` of the params.
    pub meta: Option<Box<RawValue>>,
    /// None is the patience of the connection.
    pub patience: Option<Patience>,
    pub task: Option<TaskWish>,
    pub gate: Gate,
    pub progress: Progressing,
}

/// The wish that the server makes a task of the request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskWish {
    /// How long the server should keep the task, in milliseconds.
    pub ttl: Option<u64>,
}

/// What becomes of a request that does not fit what was agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// It is not sent.
    Keep,
    /// It is sent anyway.
    Open,
}

/// Whether the server is asked to report progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progressing {
    Wanted,
    Unwanted,
}

/// Requests that do work of their own, and may tell how far they are.
const LONG: &[&str] = &["tools/call", "resources/read", "prompts/get"];

/// Requests that change nothing, or come to the same when they are made twice.
const REPEATABLE: &[&str] = &[
    "initialize",
    "ping",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "tasks/list",
    "tasks/get",
];

impl Ask {
    pub fn new(method: impl Into<String>) -> Self {
        let method = method.into();
        let progress = if LONG.contains(&&*method) { Progressing::Wanted } else { Progressing::Unwanted };
        Ask { method, params: None, meta: None, patience: None, task: None, gate: Gate::Keep, progress }
    }

    pub fn with_params(mut self, params: impl Into<Option<Box<RawValue>>>) -> Self {
        self.params = params.into();
        self
    }

    fn withdrawal(&self) -> Withdrawal {
        match self.is_task() {
            true => Withdrawal::Task,
            false if self.method == "initialize" => Withdrawal::Never,
            false => Withdrawal::Notify,
        }
    }

    /// Whether it may be sent a second time to a server that was too busy for it.
    fn repeat(&self) -> Repeat {
        if REPEATABLE.contains(&&*self.method) && !self.is_task() { Repeat::Allowed } else { Repeat::Never }
    }

    /// Whether it is to be a task, because that is wished for or because the params say so by themselves.
    fn is_task(&self) -> bool {
        self.task.is_some() || wire::wishes_task(&self.method, self.params.as_deref())
    }
}

impl Client {
    /// Sends a request. While too much waits for the server, the request is refused after a moment: whoever asks
    /// must not be held.
    pub async fn ask(&self, ask: Ask) -> Result<Call, CallError> {
        self.check(&ask)?;
        let (call, message) = self.enter(&ask)?;
        self.deliver(message, ask.repeat()).await.inspect_err(|_| self.forget(&call))?;
        Ok(call)
    }

    /// Sends many requests as one JSON array.
    pub async fn ask_batch(&self, asks: Vec<Ask>) -> Result<Vec<Call>, CallError> {
        let open = asks.iter().all(|ask| ask.gate == Gate::Open);
        if !open && !self.agreed().revision.rules().batches {
            return Err(CallError::NoBatches);
        }
        if asks.is_empty() || (!open && asks.iter().any(|ask| ask.method == "initialize")) {
            return Err(CallError::Unwritable("a batch is not empty and never has `initialize` in it".to_owned()));
        }
        asks.iter().try_for_each(|ask| self.check(ask))?;
        let (mut calls, mut messages) = (Vec::with_capacity(asks.len()), Vec::with_capacity(asks.len()));
        for ask in &asks {
            let (call, message) = self.enter(ask).inspect_err(|_| calls.iter().for_each(|call| self.forget(call)))?;
            calls.push(call);
            messages.push(message);
        }
        let array = wire::array(messages.iter().map(Vec::as_slice));
        self.deliver(array, Repeat::Never).await.inspect_err(|_| calls.iter().for_each(|call| self.forget(call)))?;
        Ok(calls)
    }

    /// Sends a request of our own making, whatever was agreed, and waits for room as long as it takes.
    pub async fn request(&self, method: &str, params: impl Serialize) -> Result<Call, CallError> {
        let params = serde_json::value::to_raw_value(&params).map_err(unwritable)?;
        let ask = Ask { progress: Progressing::Unwanted, ..Ask::new(method).with_params(params) };
        let (call, message) = self.enter(&ask)?;
        match self.shared().outbound.try_send(message, Repeat::Never) {
            Ok(()) => Ok(call),
            Err(message) => match self.shared().outbound.send(message, Repeat::Never).await {
                Ok(()) => Ok(call),
                Err(_closed) => {
                    self.forget(&call);
                    Err(CallError::Lost)
                }
            },
        }
    }

    /// Sends a notification, whatever was agreed; [`Client::objection`] says what was.
    pub async fn notify(&self, method: &str, params: Option<&impl Serialize>) -> Result<(), CallError> {
        self.deliver(wire::notification(method, params).map_err(unwritable)?, Repeat::Never).await
    }

    /// Hands a message to the transport, and waits a moment where there is no room.
    pub(crate) async fn deliver(&self, message: Vec<u8>, repeat: Repeat) -> Result<(), CallError> {
        let Err(message) = self.shared().outbound.try_send(message, repeat) else { return Ok(()) };
        match tokio::time::timeout(ROOM, self.shared().outbound.send(message, repeat)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_closed)) => Err(CallError::Lost),
            Err(_elapsed) => Err(CallError::NotRead),
        }
    }

    /// Enters a request as open and gives the message that is to be sent.
    fn enter(&self, ask: &Ask) -> Result<(Call, Vec<u8>), CallError> {
        let id = self.pending().next_id().to_string();
        let task = ask.task.map(|wish| match wish.ttl {
            Some(ttl) => wire::literal(format!(r#"{{"ttl":{ttl}}}"#)),
            None => wire::literal("{}"),
        });
        let extras = Extras {
            meta: ask.meta.as_deref(),
            token: (ask.progress == Progressing::Wanted).then_some(id.as_str()),
            task: task.as_deref(),
        };
        let (message, token) = wire::request(&id, &ask.method, ask.params.as_deref(), &extras).map_err(unwritable)?;
        let now = Instant::now();
        let slot = Arc::<Slot>::default();
        let waiting = Waiting {
            slot: slot.clone(),
            patience: ask.patience.unwrap_or(self.shared().patience),
            started: now,
            heard: now,
            withdrawal: ask.withdrawal(),
            token,
        };
        self.open(&id, waiting)?;
        Ok((Call { id: RawValue::from_string(id).map_err(unwritable)?, slot }, message))
    }

    pub(crate) fn open(&self, id: &str, waiting: Waiting) -> Result<(), CallError> {
        if self.pending().open(id, waiting)? == Alarm::Earlier {
            self.shared().alarm.notify_one();
        }
        Ok(())
    }

    /// A request that never left.
    pub(crate) fn forget(&self, call: &Call) {
        self.pending().take(call.id.get());
    }

    fn check(&self, ask: &Ask) -> Result<(), CallError> {
        if ask.gate == Gate::Open {
            return Ok(());
        }
        let objected = |objection: Objection| CallError::Objected { method: ask.method.clone(), objection };
        if let Some(objection) = self.objection(&ask.method) {
            return Err(objected(objection));
        }
        match self.task_objection(&ask.method) {
            Some(objection) if ask.is_task() => Err(objected(objection)),
            _ => Ok(()),
        }
    }
}

pub(crate) fn unwritable(error: serde_json::Error) -> CallError {
    CallError::Unwritable(error.to_string())
}
