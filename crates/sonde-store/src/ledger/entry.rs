//! One message, the account of its connection, and the rows that it makes or changes.

use serde_json::value::RawValue;
use sonde_protocol::{
    Asked, Channel, Code, Direction, Exchange, Finding, Id, Item, Message, Notification, Outcome, Request, Response,
    Settled, Verdict, answer_target, judge, request_target,
};

use super::Account;
use crate::batch::{Batch, NewRow, RowState, Seen, clip, prefix, preview};
use crate::row::{RowKind, RowStatus};

/// A longer id is no name but a load.
const LONGEST_ID: usize = 4096;

/// Requests of one server that are remembered. Beyond them a server that asks and never reads would fill the memory.
const MOST_OPEN: usize = 10_000;

/// An open exchange as the ledger remembers it.
#[derive(Debug)]
pub(super) struct OpenRow {
    pub seq: i64,
    pub state: RowState,
    /// What its answer will be judged by.
    asked: Asked,
}

pub(super) struct Entry<'a> {
    pub account: &'a mut Account,
    pub batch: &'a mut Batch,
}

impl Entry<'_> {
    /// Gives the row the message belongs to.
    pub fn enter(&mut self, seen: &Seen, message: &Message<'_>, findings: Vec<Finding>, bytes: &[u8]) -> Option<i64> {
        match message {
            Message::Request(request) => Some(self.enter_request(seen, request, findings)),
            Message::Notification(notification) => Some(self.enter_notification(seen, notification, findings)),
            Message::Response(response) => Some(self.enter_response(seen, response, findings)),
            Message::Batch(items) => self.enter_batch(seen, items, findings),
            Message::Opaque => {
                let kind = match seen.channel {
                    Channel::Message => RowKind::Unparsable,
                    Channel::Stderr => RowKind::Stderr,
                    Channel::Mark => RowKind::Mark,
                };
                Some(self.push(seen.row(kind, None).about(Some(preview(bytes))), seen.state(findings)))
            }
        }
    }

    fn enter_request(&mut self, seen: &Seen, request: &Request<'_>, mut findings: Vec<Finding>) -> i64 {
        let row = seen
            .row(RowKind::Exchange, Some(&request.method))
            .about(request_target(&request.method, request.params))
            .with_id(request.id.0);
        if let Some(problem) = self.reason_not_to_wait(seen, request.id) {
            findings.push(problem);
            let state = RowState { status: Some(RowStatus::Unanswered), ..seen.state(findings) };
            return self.push(row, state);
        }
        if self.account.open.was_answered(seen.direction, request.id) {
            let problem = format!("the id {} was used before on this connection", clip(request.id.0));
            findings.push(Finding::new(Code::ReusedId, problem));
        }
        let asked = self.account.conduct.request(seen.direction, request, &mut findings);
        let state = RowState { status: Some(RowStatus::Pending), ..seen.state(findings) };
        let seq = self.push(row, state.clone());
        // A method may be as long as a message; what no method is called need not be remembered.
        let method = prefix(&request.method);
        let open = OpenRow { seq, state, asked };
        let reused = self.account.open.open(seen.direction, request.id, method, seen.now_ns, open);
        if let Some(earlier) = reused {
            self.note_reuse(earlier, &clip(request.id.0));
        }
        seq
    }

    fn enter_notification(&mut self, seen: &Seen, note: &Notification<'_>, mut findings: Vec<Finding>) -> i64 {
        if !self.account.ended {
            self.account.conduct.notification(seen.direction, note, &mut findings);
        }
        if note.method == "notifications/cancelled" {
            self.note_cancellation(seen, note.params, &mut findings);
        }
        let row = seen.row(RowKind::Notification, Some(&note.method)).about(request_target(&note.method, note.params));
        self.push(row, seen.state(findings))
    }

    fn enter_batch(&mut self, seen: &Seen, items: &[Item<'_>], mut findings: Vec<Finding>) -> Option<i64> {
        // Messages that only share a line are no batch.
        if findings.iter().any(|finding| finding.code == Code::Batch) {
            self.account.conduct.batch(items, &mut findings);
        }
        if items.is_empty() {
            return Some(self.push(seen.row(RowKind::Unparsable, None), seen.state(findings)));
        }
        let mut first = None;
        for item in items {
            // What is wrong with the line as a whole is told at its first message.
            let mut own = std::mem::take(&mut findings);
            own.extend(item.findings.iter().cloned());
            let part = Seen { size: item.text.len() as i64, ..*seen };
            first = first.or(self.enter(&part, &item.message, own, item.text.as_bytes()));
        }
        first
    }

    fn enter_response(&mut self, seen: &Seen, response: &Response<'_>, mut findings: Vec<Finding>) -> i64 {
        let settled = response.id.map(|id| self.account.open.answer(seen.direction, id));
        let exchange = match settled {
            Some(Settled::Answered(exchange)) => exchange,
            other => {
                let id = &clip(response.id.map_or("null", |id| id.0));
                findings.push(match other {
                    Some(Settled::Duplicate) => {
                        Finding::new(Code::DuplicateResponse, format!("request {id} was answered before"))
                    }
                    _ => Finding::new(Code::UnknownId, format!("no open request has the id {id}")),
                });
                let row = seen.row(RowKind::Orphan, None).with_id(id);
                let code = match &response.outcome {
                    Outcome::Error(error) => error.code,
                    Outcome::Result(_) => None,
                };
                return self.push(row, RowState { code, ..seen.state(findings) });
            }
        };
        let OpenRow { seq, mut state, asked } = exchange.payload;
        self.account.conduct.answer(seen.direction, &exchange.method, asked, response, &mut findings);
        state.size += seen.size;
        state.response = Some(seen.frame_id);
        state.dur_ns = Some(i64::try_from(seen.now_ns.saturating_sub(exchange.opened_ns)).unwrap_or(i64::MAX));
        state.status = Some(match judge(&exchange.method, &response.outcome) {
            _ if exchange.abandoned => {
                findings.push(Finding::new(Code::LateResponse, "the answer came after the request was given up"));
                RowStatus::Late
            }
            Verdict::Ok => RowStatus::Ok,
            Verdict::ToolError => RowStatus::ToolError,
            Verdict::ProtocolError => RowStatus::ProtocolError,
        });
        match &response.outcome {
            Outcome::Error(error) => state.code = error.code,
            Outcome::Result(result) => state.answer_target = answer_target(&exchange.method, result),
        }
        state.findings.append(&mut findings);
        self.batch.change(seq, state);
        seq
    }

    /// Why an answer to this request would not be matched, if it would not.
    fn reason_not_to_wait(&mut self, seen: &Seen, id: Id<'_>) -> Option<Finding> {
        if self.account.ended {
            return Some(Finding::new(Code::AfterTheEnd, "the connection had ended when this was seen"));
        }
        if id.0.len() > LONGEST_ID {
            let problem = format!("the id has {} bytes; an answer to it will not be matched", id.0.len());
            return Some(Finding::new(Code::BadId, problem));
        }
        // Our own requests are bounded by us.
        if seen.direction == Direction::In && self.account.open.open_requests(Direction::In) >= MOST_OPEN {
            let problem = format!("{MOST_OPEN} requests are open; an answer to this one will not be matched");
            return Some(Finding::new(Code::TooManyOpen, problem));
        }
        None
    }

    fn note_cancellation(&mut self, seen: &Seen, params: Option<&RawValue>, findings: &mut Vec<Finding>) {
        #[derive(serde::Deserialize)]
        struct Cancelled<'a> {
            #[serde(borrow, rename = "requestId")]
            request_id: &'a RawValue,
        }
        let Some(cancelled) = params.and_then(|params| serde_json::from_str::<Cancelled<'_>>(params.get()).ok()) else {
            return;
        };
        let id = cancelled.request_id.get();
        if let Some(open) = self.account.open.payload(seen.direction, Id(id)) {
            self.account.conduct.cancelled(&open.asked, findings);
        }
        self.give_up(seen.direction, id, RowStatus::Cancelled, None);
    }

    /// The requestor stopped waiting. The first reason stays: a request that timed out is then also cancelled.
    pub fn give_up(&mut self, direction: Direction, id: &str, status: RowStatus, why: Option<Finding>) {
        let Some(exchange) = self.account.open.abandon(direction, Id(id)) else { return };
        let OpenRow { seq, state, .. } = &mut exchange.payload;
        if state.status == Some(RowStatus::Pending) {
            state.status = Some(status);
        } else if why.is_none() {
            return;
        }
        state.findings.extend(why);
        self.batch.change(*seq, state.clone());
    }

    fn note_reuse(&mut self, earlier: Exchange<OpenRow>, id: &str) {
        let OpenRow { seq, mut state, .. } = earlier.payload;
        state
            .findings
            .push(Finding::new(Code::ReusedId, format!("the id {id} was used again before this was answered")));
        if state.status == Some(RowStatus::Pending) {
            state.status = Some(RowStatus::Unanswered);
        }
        self.batch.change(seq, state);
    }

    pub fn push(&mut self, mut row: NewRow, state: RowState) -> i64 {
        row.server = self.account.server;
        row.state = state;
        self.batch.rows.push(row);
        self.batch.first_row + self.batch.rows.len() as i64 - 1
    }
}
