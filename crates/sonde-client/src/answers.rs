//! The server's own requests: what we answer at once, what becomes a question, and how an answer travels.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::RawValue;
use sonde_protocol::{Objection, Party, Request, Shape, method};

use crate::check::check;
use crate::client::Client;
use crate::questions::LARGEST;
use crate::wire::{self, clip_to};

pub(crate) const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;
pub(crate) const INTERNAL_ERROR: i64 = -32603;

/// Longest name of a method that is quoted back.
const LONGEST_NAME: usize = 100;

/// An error that answers a request.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub code: i64,
    pub message: String,
}

impl Refusal {
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Refusal { code, message: message.into() }
    }
}

/// Answers a request, now or when someone has the answer. Never waits.
pub(crate) fn answer(client: &Client, request: &Request<'_>, way: &Way) {
    let id = request.id.0;
    if request.method == "ping" {
        return way.send(client, wire::result(id, "{}"));
    }
    if let Err(refusal) = take(client, request, way) {
        way.refuse(client, id, &refusal);
    }
}

fn take(client: &Client, request: &Request<'_>, way: &Way) -> Result<(), Refusal> {
    if let Some(objection) = client.agreed().objection(Party::Server, &request.method) {
        let message = match objection {
            Objection::UnknownMethod | Objection::WrongSender => {
                format!("this client has no method `{}`", clip_to(&request.method, LONGEST_NAME))
            }
            Objection::NotInRevision { .. } | Objection::Undeclared { .. } => {
                format!("`{}`: {objection}", request.method)
            }
        };
        return Err(Refusal::new(METHOD_NOT_FOUND, message));
    }
    // Nobody can answer it: no result of it would mean anything.
    if method(&request.method).is_some_and(|method| method.shape == Shape::Notification) {
        let message = format!("`{}` is a notification, which has no id", request.method);
        return Err(Refusal::new(INVALID_REQUEST, message));
    }
    match &*request.method {
        "tasks/get" => client.get_task(request, way),
        "tasks/result" => client.give_task_result(request, way),
        "tasks/list" => client.list_tasks(request, way),
        "tasks/cancel" => client.end_task(request, way),
        _ if request.params.is_some_and(|params| params.get().len() > LARGEST) => {
            Err(Refusal::new(INTERNAL_ERROR, "the request is too large to be put before a person"))
        }
        _ => {
            check(client.agreed(), &request.method, request.params)?;
            client.question(request, way)
        }
    }
}

/// How the answer to one request travels.
#[derive(Debug, Clone)]
pub(crate) enum Way {
    /// As a message of its own.
    Single,
    /// In one array with the other answers of its batch, once all of them are there.
    Batch(Arc<Mutex<Together>>),
}

/// The answers to a batch.
#[derive(Debug)]
pub(crate) struct Together {
    answers: Vec<Vec<u8>>,
    /// Requests of the batch that have neither been answered nor withdrawn.
    missing: usize,
}

/// Answers of a larger batch are sent one by one: a question among them would hold all of them in memory.
const LARGEST_BATCH: usize = 256 << 10;

impl Way {
    pub fn of_batch(requests: usize, bytes: usize) -> Self {
        if requests == 0 || bytes > LARGEST_BATCH {
            return Way::Single;
        }
        Way::Batch(Arc::new(Mutex::new(Together { answers: Vec::new(), missing: requests })))
    }

    /// Takes an answer, or the word that there will be none, and gives what is to be sent now.
    pub fn complete(&self, answer: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let Way::Batch(together) = self else { return answer };
        let mut together = together.lock().unwrap_or_else(PoisonError::into_inner);
        together.answers.extend(answer);
        together.missing = together.missing.saturating_sub(1);
        if together.missing > 0 || together.answers.is_empty() {
            return None;
        }
        Some(wire::array(std::mem::take(&mut together.answers).iter().map(Vec::as_slice)))
    }

    pub fn send(&self, client: &Client, answer: Vec<u8>) {
        if let Some(message) = self.complete(Some(answer)) {
            client.post(message);
        }
    }

    pub fn refuse(&self, client: &Client, id: &str, refusal: &Refusal) {
        match wire::error(id, refusal.code, &refusal.message, None) {
            Ok(answer) => self.send(client, answer),
            Err(error) => tracing::error!(%error, "an answer could not be written"),
        }
    }
}

/// An id as a value of its own.
pub(crate) fn own_id(id: &str) -> Box<RawValue> {
    wire::literal(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_of_a_batch_travel_together() {
        let way = Way::of_batch(3, 100);
        assert_eq!(way.complete(Some(b"1".to_vec())), None, "two are missing");
        assert_eq!(way.complete(None), None, "one was withdrawn");
        assert_eq!(way.complete(Some(b"3".to_vec())), Some(b"[1,3]".to_vec()));
        let withdrawn = Way::of_batch(1, 100);
        assert_eq!(withdrawn.complete(None), None, "an empty array is no answer");
    }

    #[test]
    fn a_large_batch_is_answered_one_by_one() {
        assert!(matches!(Way::of_batch(3, LARGEST_BATCH + 1), Way::Single));
        assert_eq!(Way::Single.complete(Some(b"1".to_vec())), Some(b"1".to_vec()));
    }
}
