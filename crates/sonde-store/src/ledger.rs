//! Interpretation: records in, rows out. Runs behind the recording, never before it.

use std::collections::HashMap;

use sonde_protocol::{
    Channel, Code, ConnectionId, Correlator, Direction, Exchange, Finding, Frame, Id, Message, Outcome, Record,
    Response, Settled, Settlement, Verdict, answer_target, judge, parse, request_target,
};

use crate::batch::{Batch, NewFrame, NewRow, RowState, Seen, Update, clip, preview};
use crate::row::{RowKind, RowStatus};

/// A longer id is no name but a load.
const LONGEST_ID: usize = 4096;

/// Requests of one server that are remembered. Beyond them a server that asks and never reads would fill the memory.
const MOST_OPEN: usize = 10_000;

/// An open exchange as the ledger remembers it.
#[derive(Debug)]
struct OpenRow {
    seq: i64,
    state: RowState,
}

/// What the recorder knows of one connection.
#[derive(Debug, Default)]
struct Account {
    server: i64,
    open: Correlator<OpenRow>,
    /// A straggler of an ended connection still finds its server here, but nobody waits for its answer.
    ended: bool,
}

/// Turns records into rows, and remembers which rows wait for an answer.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    accounts: HashMap<ConnectionId, Account>,
    pub batch: Batch,
}

impl Ledger {
    pub fn register(&mut self, connection: ConnectionId, server: i64) {
        self.accounts.entry(connection).or_default().server = server;
    }

    /// Starts an empty batch whose rows and frames follow the given ones.
    pub fn begin(&mut self, last_row: i64, last_frame: i64) {
        self.batch = Batch { first_row: last_row + 1, first_frame: last_frame + 1, ..Batch::default() };
    }

    /// Another process wrote meanwhile: moves the batch, and what points into it, behind its rows.
    pub fn rebase(&mut self, last_row: i64, last_frame: i64) {
        let (from, rows) = (self.batch.first_row, last_row + 1 - self.batch.first_row);
        let (from_frame, frames) = (self.batch.first_frame, last_frame + 1 - self.batch.first_frame);
        let shift_frame = |id: &mut Option<i64>| {
            if let Some(id) = id.as_mut().filter(|id| **id >= from_frame) {
                *id += frames;
            }
        };
        for row in &mut self.batch.rows {
            shift_frame(&mut row.request);
            shift_frame(&mut row.state.response);
        }
        for update in &mut self.batch.updates {
            shift_frame(&mut update.state.response);
        }
        for frame in self.batch.frames.iter_mut().filter(|frame| frame.row >= from) {
            frame.row += rows;
        }
        for exchange in self.accounts.values_mut().flat_map(|account| account.open.payloads_mut()) {
            if exchange.seq >= from {
                exchange.seq += rows;
            }
        }
        self.batch.first_row += rows;
        self.batch.first_frame += frames;
    }

    pub fn enter(&mut self, record: Record) {
        match record {
            Record::Frame(frame) => self.enter_frame(frame),
            Record::Settled { connection, id, how: Settlement::TimedOut } => {
                self.give_up(connection, Direction::Out, &id, RowStatus::Timeout);
            }
            Record::Ended { connection, stamp } => {
                let account = self.accounts.entry(connection).or_default();
                account.ended = true;
                for exchange in account.open.drain() {
                    if exchange.payload.state.status == Some(RowStatus::Pending) {
                        let state = RowState { status: Some(RowStatus::Unanswered), ..exchange.payload.state };
                        self.change(exchange.payload.seq, state);
                    }
                }
                self.batch.ended.push((connection, stamp.wall_ns));
            }
        }
    }

    fn enter_frame(&mut self, frame: Frame) {
        // The bytes are cheap to share; parsing borrows from this copy while the frame moves into the batch.
        let body = frame.body.clone();
        let (message, mut findings) = match frame.channel {
            Channel::Message if body.cut.is_some() => (Message::Opaque, Vec::new()),
            Channel::Message => parse(&body.bytes),
            Channel::Stderr | Channel::Mark => (Message::Opaque, Vec::new()),
        };
        if let Some(cut) = body.cut {
            let kept = body.bytes.len();
            findings.push(Finding::new(
                Code::Oversized,
                format!("the line has {} bytes; the first {kept} and a digest of the whole were kept", cut.size),
            ));
        }
        if !body.terminated && frame.channel == Channel::Message {
            findings.push(Finding::new(Code::Unterminated, "the stream ended in the middle of this line"));
        }
        let frame_id = self.batch.first_frame + self.batch.frames.len() as i64;
        let next_row = self.batch.first_row + self.batch.rows.len() as i64;
        let seen = Seen {
            connection: frame.connection,
            direction: frame.direction,
            channel: frame.channel,
            frame_id,
            at_ns: frame.stamp.wall_ns,
            now_ns: frame.stamp.monotonic_ns,
            size: body.size() as i64,
        };
        let row = self.enter_message(&seen, &message, findings, &body.bytes).unwrap_or(next_row);
        self.batch.frames.push(NewFrame { row, frame });
    }

    /// Gives the row the message belongs to.
    fn enter_message(
        &mut self,
        seen: &Seen,
        message: &Message<'_>,
        mut findings: Vec<Finding>,
        bytes: &[u8],
    ) -> Option<i64> {
        match message {
            Message::Request(request) => {
                let row = seen
                    .row(RowKind::Exchange, Some(&request.method))
                    .about(request_target(&request.method, request.params))
                    .with_id(request.id.0);
                if let Some(problem) = self.reason_not_to_wait(seen, request.id) {
                    findings.push(problem);
                    let state = RowState { status: Some(RowStatus::Unanswered), ..seen.state(findings) };
                    return Some(self.push(row, state));
                }
                let state = RowState { status: Some(RowStatus::Pending), ..seen.state(findings) };
                let seq = self.push(row, state.clone());
                let account = self.accounts.entry(seen.connection).or_default();
                let reused =
                    account.open.open(seen.direction, request.id, &request.method, seen.now_ns, OpenRow { seq, state });
                if let Some(earlier) = reused {
                    self.note_reuse(earlier, &clip(request.id.0));
                }
                Some(seq)
            }
            Message::Notification(notification) => {
                if notification.method == "notifications/cancelled" {
                    self.note_cancellation(seen, notification.params);
                }
                let row = seen
                    .row(RowKind::Notification, Some(&notification.method))
                    .about(request_target(&notification.method, notification.params));
                Some(self.push(row, seen.state(findings)))
            }
            Message::Response(response) => Some(self.enter_response(seen, response, findings)),
            Message::Batch(items) if items.is_empty() => {
                Some(self.push(seen.row(RowKind::Unparsable, None), seen.state(findings)))
            }
            Message::Batch(items) => {
                let mut first = None;
                for item in items {
                    // What is wrong with the line as a whole is told at its first message.
                    let mut own = std::mem::take(&mut findings);
                    own.extend(item.findings.iter().cloned());
                    let part = Seen { size: item.text.len() as i64, ..*seen };
                    first = first.or(self.enter_message(&part, &item.message, own, item.text.as_bytes()));
                }
                first
            }
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

    fn enter_response(&mut self, seen: &Seen, response: &Response<'_>, mut findings: Vec<Finding>) -> i64 {
        let account = self.accounts.entry(seen.connection).or_default();
        let settled = response.id.map(|id| account.open.answer(seen.direction, id));
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
        let OpenRow { seq, mut state } = exchange.payload;
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
        self.change(seq, state);
        seq
    }

    /// Why an answer to this request would not be matched, if it would not.
    fn reason_not_to_wait(&mut self, seen: &Seen, id: Id<'_>) -> Option<Finding> {
        let account = self.accounts.entry(seen.connection).or_default();
        if account.ended {
            return Some(Finding::new(Code::AfterTheEnd, "the connection had ended when this was seen"));
        }
        if id.0.len() > LONGEST_ID {
            let problem = format!("the id has {} bytes; an answer to it will not be matched", id.0.len());
            return Some(Finding::new(Code::BadId, problem));
        }
        // Our own requests are bounded by us.
        if seen.direction == Direction::In && account.open.open_requests(Direction::In) >= MOST_OPEN {
            let problem = format!("{MOST_OPEN} requests are open; an answer to this one will not be matched");
            return Some(Finding::new(Code::TooManyOpen, problem));
        }
        None
    }

    fn note_cancellation(&mut self, seen: &Seen, params: Option<&serde_json::value::RawValue>) {
        #[derive(serde::Deserialize)]
        struct Cancelled<'a> {
            #[serde(borrow, rename = "requestId")]
            request_id: &'a serde_json::value::RawValue,
        }
        if let Some(cancelled) = params.and_then(|params| serde_json::from_str::<Cancelled<'_>>(params.get()).ok()) {
            self.give_up(seen.connection, seen.direction, cancelled.request_id.get(), RowStatus::Cancelled);
        }
    }

    /// The requestor stopped waiting. The first reason stays: a request that timed out is then also cancelled.
    fn give_up(&mut self, connection: ConnectionId, direction: Direction, id: &str, status: RowStatus) {
        let account = self.accounts.entry(connection).or_default();
        let Some(exchange) = account.open.abandon(direction, Id(id)) else { return };
        if exchange.payload.state.status == Some(RowStatus::Pending) {
            exchange.payload.state.status = Some(status);
            let (seq, state) = (exchange.payload.seq, exchange.payload.state.clone());
            self.change(seq, state);
        }
    }

    fn note_reuse(&mut self, earlier: Exchange<OpenRow>, id: &str) {
        let OpenRow { seq, mut state } = earlier.payload;
        state
            .findings
            .push(Finding::new(Code::ReusedId, format!("the id {id} was used again before this was answered")));
        if state.status == Some(RowStatus::Pending) {
            state.status = Some(RowStatus::Unanswered);
        }
        self.change(seq, state);
    }

    fn push(&mut self, mut row: NewRow, state: RowState) -> i64 {
        row.server = self.accounts.get(&row.connection).map_or(0, |account| account.server);
        row.state = state;
        self.batch.rows.push(row);
        self.batch.first_row + self.batch.rows.len() as i64 - 1
    }

    /// Changes a row where it is: in this batch, or on disk already.
    fn change(&mut self, seq: i64, state: RowState) {
        let place = usize::try_from(seq - self.batch.first_row).ok();
        match place.and_then(|place| self.batch.rows.get_mut(place)) {
            Some(row) => row.state = state,
            None => self.batch.updates.push(Update { seq, state }),
        }
    }
}
