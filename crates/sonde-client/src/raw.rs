//! Sending whatever a person wrote, and finding what answers it.

use std::sync::Arc;

use serde_json::value::RawValue;
use sonde_protocol::{Message, Request, parse};
use tokio::time::Instant;

use crate::call::{Call, CallError};
use crate::client::{Client, ROOM};
use crate::pending::{Waiting, Withdrawal};
use crate::slot::Slot;
use crate::wire::{self, Token};

impl Client {
    /// Sends bytes exactly as they are. Each request in them whose id is not waited for already becomes a call.
    pub async fn send_raw(&self, bytes: Vec<u8>) -> Result<Vec<Call>, CallError> {
        let mut calls = Vec::new();
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            match parse(line).0 {
                Message::Request(request) => calls.extend(self.expect(&request)?),
                Message::Batch(items) => {
                    for item in &items {
                        if let Message::Request(request) = &item.message {
                            calls.extend(self.expect(request)?);
                        }
                    }
                }
                Message::Notification(_) | Message::Response(_) | Message::Opaque => {}
            }
        }
        let sent = match tokio::time::timeout(ROOM, self.shared().outbound.send_raw(bytes)).await {
            Ok(Ok(())) => return Ok(calls),
            Ok(Err(_closed)) => CallError::Lost,
            Err(_elapsed) => CallError::NotRead,
        };
        calls.iter().for_each(|call| self.forget(call));
        Err(sent)
    }

    /// Enters a request that a person wrote.
    fn expect(&self, request: &Request<'_>) -> Result<Option<Call>, CallError> {
        let id = request.id.0;
        let Ok(own) = RawValue::from_string(id.to_owned()) else { return Ok(None) };
        // The earlier one keeps its place: which of the two an answer means, nobody can tell.
        if self.pending().contains(id) {
            return Ok(None);
        }
        let now = Instant::now();
        let slot = Arc::<Slot>::default();
        let task = wire::wishes_task(&request.method, request.params) && self.task_objection(&request.method).is_none();
        let withdrawal = match &*request.method {
            "initialize" => Withdrawal::Never,
            _ if task => Withdrawal::Task,
            _ => Withdrawal::Notify,
        };
        let waiting = Waiting {
            slot: slot.clone(),
            patience: self.shared().patience,
            started: now,
            heard: now,
            withdrawal,
            token: token(request.params),
        };
        self.open(id, waiting)?;
        Ok(Some(Call { id: own, slot }))
    }
}

/// The progress token of a request that a person wrote.
fn token(params: Option<&RawValue>) -> Token {
    #[derive(serde::Deserialize)]
    struct Params<'a> {
        #[serde(borrow, rename = "_meta")]
        meta: Meta<'a>,
    }
    #[derive(serde::Deserialize)]
    struct Meta<'a> {
        #[serde(borrow, rename = "progressToken")]
        token: &'a RawValue,
    }
    match params.and_then(|params| serde_json::from_str::<Params<'_>>(params.get()).ok()) {
        Some(Params { meta }) => Token::Given(meta.token.get().into()),
        None => Token::None,
    }
}
