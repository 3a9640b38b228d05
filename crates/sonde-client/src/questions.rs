//! The server's requests that only someone who drives the client can answer: sampling, elicitation, roots.
//!
//! A question waits for as long as it takes; the server may withdraw it, and the end of the connection ends it.

mod tasks;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use sonde_protocol::{Party, Request, Stamp};
use sonde_transport::Repeat;
use tokio::time::Instant;

use crate::answers::{INTERNAL_ERROR, INVALID_REQUEST, Refusal, Way, own_id};
use crate::call::CallError;
use crate::client::Client;
use crate::events::Event;
use crate::wire;
use tasks::Tasks;

/// A request of the server that waits for an answer.
#[derive(Debug, Clone)]
pub struct Question {
    /// Ours, for [`Client::answer`].
    pub number: u64,
    pub method: String,
    /// The id on the wire, verbatim.
    pub id: Box<RawValue>,
    pub params: Option<Box<RawValue>>,
    pub asked: Stamp,
    /// The id of our request that the server asks for, where there can be no other.
    pub call: Option<Box<RawValue>>,
    /// The task of ours that the question became, where the server asked for one.
    pub task: Option<String>,
    /// The task of the server that the question belongs to.
    pub related_task: Option<String>,
}

/// What a question is answered with.
#[derive(Debug, Clone)]
pub enum Reply {
    Result(Box<RawValue>),
    Error { code: i64, message: String, data: Option<Box<RawValue>> },
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("question {0} is over: it was answered or withdrawn")]
    Over(u64),
    #[error("the server does not read its input; the question stays open")]
    NotRead,
    #[error("the connection is over")]
    Lost,
    #[error("the answer could not be written: {0}")]
    Unwritable(String),
}

/// Questions of one server that may wait at once, and the bytes of all of them.
const MOST: usize = 100;
const MOST_BYTES: usize = 32 << 20;
/// The largest of them: a person can't read more, and checking it takes time.
pub(crate) const LARGEST: usize = 8 << 20;

/// The key under which a message names the task that it belongs to.
const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

#[derive(Debug, Default)]
pub(crate) struct Questions {
    last: u64,
    open: BTreeMap<u64, Open>,
    /// Bytes that the open questions hold.
    held: usize,
    /// Questions that were refused because too many waited.
    refused: u64,
    tasks: Tasks,
    closed: bool,
}

#[derive(Debug)]
struct Open {
    question: Arc<Question>,
    /// None where the server has its answer already: the task.
    way: Option<Way>,
    size: usize,
}

impl Questions {
    pub fn earliest(&self) -> Option<Instant> {
        self.tasks.earliest()
    }

    fn remove(&mut self, number: u64) -> Option<Open> {
        let open = self.open.remove(&number)?;
        self.held = self.held.saturating_sub(open.size);
        Some(open)
    }

    fn restore(&mut self, open: Open) {
        self.held += open.size;
        self.open.insert(open.question.number, open);
    }

    /// Why there is no room for one more.
    fn full(&mut self, id: &str, size: usize) -> Option<Refusal> {
        if self.open.values().any(|open| open.way.is_some() && open.question.id.get() == id) {
            return Some(Refusal::new(INVALID_REQUEST, "a request with this id is still open"));
        }
        if self.open.len() >= MOST || self.held + size > MOST_BYTES {
            self.refused += 1;
            return Some(Refusal::new(INTERNAL_ERROR, "too many requests wait for an answer already"));
        }
        None
    }
}

impl Client {
    /// The questions that wait, oldest first.
    pub fn questions(&self) -> Vec<Arc<Question>> {
        self.waiting_questions().open.values().map(|open| open.question.clone()).collect()
    }

    /// Questions that were refused because too many waited.
    pub fn refused_questions(&self) -> u64 {
        self.waiting_questions().refused
    }

    /// Answers a question.
    pub async fn answer(&self, number: u64, reply: Reply) -> Result<(), AnswerError> {
        let open = self.waiting_questions().remove(number).ok_or(AnswerError::Over(number))?;
        let sent = match (&open.way, &open.question.task) {
            (Some(way), _) => self.send_reply(&open.question, way, &reply).await,
            (None, Some(task)) => {
                self.finish_task(task, reply);
                Ok(())
            }
            (None, None) => Ok(()),
        };
        match sent {
            // Nothing left us, so whoever answers may try again.
            Err(error @ (AnswerError::NotRead | AnswerError::Unwritable(_)))
                if matches!(open.way, Some(Way::Single)) =>
            {
                self.waiting_questions().restore(open);
                Err(error)
            }
            sent => {
                self.question_changed(Event::QuestionOver { number });
                sent
            }
        }
    }

    async fn send_reply(&self, question: &Question, way: &Way, reply: &Reply) -> Result<(), AnswerError> {
        let related = question.related_task.as_deref();
        let message =
            write_reply(&question.id, reply, related).map_err(|error| AnswerError::Unwritable(error.to_string()))?;
        let Some(message) = way.complete(Some(message)) else { return Ok(()) };
        self.deliver(message, Repeat::Never).await.map_err(|error| match error {
            CallError::NotRead => AnswerError::NotRead,
            _ => AnswerError::Lost,
        })
    }

    /// A request of the server becomes a question.
    pub(crate) fn question(&self, request: &Request<'_>, way: &Way) -> Result<(), Refusal> {
        let members = Members::of(request.params);
        let size = request.id.0.len() + request.params.map_or(0, |params| params.get().len());
        let related_task = members.related_task();
        let call = match &related_task {
            Some(task) => self.running().request_of(task).and_then(|id| RawValue::from_string(id.into()).ok()),
            None => self.pending().only(),
        };
        let as_task = members.task.filter(|_| self.agreed().task_objection(Party::Server, &request.method).is_none());
        let asked = self.shared().tap.clock().now();
        let mut questions = self.waiting_questions();
        let refused = questions.refused;
        if let Some(refusal) = questions.full(request.id.0, size) {
            // Said once: a server that asks without end must not be answered by as many remarks.
            let first = refused == 0 && questions.refused == 1;
            drop(questions);
            if first {
                self.remark(format!("more than {MOST} questions wait: further ones are refused"));
            }
            return Err(refusal);
        }
        if questions.closed {
            return Err(Refusal::new(INTERNAL_ERROR, "the connection is over"));
        }
        let number = questions.last + 1;
        let created = match as_task {
            Some(wish) => Some(questions.tasks.create(number, wish, asked)?),
            None => None,
        };
        questions.last = number;
        let question = Question {
            number,
            method: request.method.clone().into_owned(),
            id: own_id(request.id.0),
            params: request.params.map(ToOwned::to_owned),
            asked,
            call,
            task: created.as_ref().map(|created| created.id.clone()),
            related_task,
        };
        let waits = created.is_none().then(|| way.clone());
        questions.restore(Open { question: Arc::new(question), way: waits, size });
        drop(questions);
        if let Some(created) = created {
            self.shared().alarm.notify_one();
            way.send(self, wire::result(request.id.0, &created.result));
        }
        self.question_changed(Event::QuestionAsked { number });
        Ok(())
    }

    /// The server no longer wants an answer, so it gets none.
    pub(crate) fn withdraw_question(&self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow, rename = "requestId")]
            id: &'a RawValue,
        }
        let Some(Params { id }) = params.and_then(|params| serde_json::from_str(params.get()).ok()) else { return };
        let withdrawn = {
            let mut questions = self.waiting_questions();
            // A question that became a task has its answer; that task is ended by `tasks/cancel`.
            let mut waiting = questions.open.iter().filter(|(_, open)| open.way.is_some());
            let number = waiting.find(|(_, open)| open.question.id.get() == id.get()).map(|(number, _)| *number);
            match number {
                Some(number) => questions.remove(number).map(|open| (Some(number), open.way)),
                None => questions.tasks.withdraw_waiter(id.get()).map(|way| (None, Some(way))),
            }
        };
        let Some((number, way)) = withdrawn else { return };
        if let Some(rest) = way.and_then(|way| way.complete(None)) {
            self.post(rest);
        }
        if let Some(number) = number {
            self.question_changed(Event::QuestionOver { number });
        }
    }

    /// The connection is over, and every question with it.
    pub(crate) fn end_questions(&self) {
        let over: Vec<u64> = {
            let mut questions = self.waiting_questions();
            questions.closed = true;
            questions.held = 0;
            questions.tasks = Tasks::default();
            std::mem::take(&mut questions.open).into_keys().collect()
        };
        for number in over {
            self.question_changed(Event::QuestionOver { number });
        }
    }
}

/// Writes the answer to a request. Where it belongs to a task, it names that task.
fn write_reply(id: &RawValue, reply: &Reply, task: Option<&str>) -> Result<Vec<u8>, serde_json::Error> {
    match (reply, task) {
        (Reply::Result(result), None) => Ok(wire::result(id.get(), result.get())),
        (Reply::Result(result), Some(task)) => {
            let related = format!(r#"{{"taskId":{}}}"#, serde_json::to_string(task)?);
            Ok(wire::result(id.get(), &wire::with_meta(result, RELATED_TASK, &related)?))
        }
        (Reply::Error { code, message, data }, _) => wire::error(id.get(), *code, message, data.as_deref()),
    }
}

/// The members of a question that say how it is to be handled.
#[derive(Deserialize, Default)]
struct Members<'a> {
    #[serde(borrow)]
    task: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

impl<'a> Members<'a> {
    fn of(params: Option<&'a RawValue>) -> Self {
        params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default()
    }

    fn related_task(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Meta {
            #[serde(rename = "io.modelcontextprotocol/related-task")]
            related: Related,
        }
        #[derive(Deserialize)]
        struct Related {
            #[serde(rename = "taskId")]
            task: String,
        }
        serde_json::from_str::<Meta>(self.meta?.get()).ok().map(|meta| meta.related.task)
    }
}
