//! Interpretation: records in, rows out. Runs behind the recording, never before it.

mod entry;
mod http;

use std::collections::{BTreeMap, HashMap};

use sonde_protocol::{
    Channel, Code, Conduct, ConnectionId, Correlator, Direction, Finding, Frame, HttpExchange, HttpLoad, Message,
    Record, Settlement, parse,
};

use crate::batch::{Batch, NewFrame, RowState, Seen};
use crate::row::RowStatus;
use entry::{Entry, OpenRow};
use http::HttpAccount;

/// What the recorder knows of one connection.
#[derive(Debug, Default)]
struct Account {
    server: i64,
    open: Correlator<OpenRow>,
    conduct: Conduct,
    http: HttpAccount,
    /// Nobody waits for an answer to a straggler of an ended connection, and nobody judges it.
    ended: bool,
}

/// What is left of the account of an ended connection.
#[derive(Debug)]
struct Remains {
    /// A straggler still finds its server.
    server: i64,
    newest_own_http: u32,
}

/// Ended connections that are remembered, with a few bytes each; beyond them the oldest is forgotten.
const MOST_ENDED: usize = 100_000;

/// Turns records into rows, and remembers which rows wait for an answer.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    accounts: HashMap<ConnectionId, Account>,
    ended: BTreeMap<ConnectionId, Remains>,
    /// The account that stragglers are entered in, made anew for each.
    after_the_end: Account,
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
        for state in self.batch.updates.values_mut() {
            shift_frame(&mut state.response);
        }
        for frame in self.batch.frames.iter_mut().filter(|frame| frame.row >= from) {
            frame.row += rows;
        }
        for account in self.accounts.values_mut() {
            let open = account.open.payloads_mut().map(|exchange| &mut exchange.seq);
            for seq in open.chain(account.http.seqs_mut()).filter(|seq| **seq >= from) {
                *seq += rows;
            }
        }
        self.batch.first_row += rows;
        self.batch.first_frame += frames;
    }

    pub fn enter(&mut self, record: Record) {
        match record {
            Record::Frame(frame) => self.enter_frame(frame),
            Record::Settled { connection, id, how: Settlement::TimedOut } => {
                self.entry(connection).give_up(Direction::Out, &id, RowStatus::Timeout, None);
            }
            Record::Settled { connection, id, how: Settlement::Failed(why) } => {
                let why = Finding::new(Code::HttpFailed, why);
                self.entry(connection).give_up(Direction::Out, &id, RowStatus::Unanswered, Some(why));
            }
            Record::Settled { connection, id, how: Settlement::Oversized(size) } => {
                let why = Finding::new(Code::Oversized, format!("its answer has {size} bytes and was not taken"));
                self.entry(connection).give_up(Direction::Out, &id, RowStatus::Unanswered, Some(why));
            }
            Record::Http(exchange) => {
                self.enter_http(&exchange);
                self.batch.http.insert((exchange.connection, exchange.number), exchange);
            }
            Record::Ended { connection, stamp } => {
                self.end(connection);
                self.batch.ended.push((connection, stamp.wall_ns));
            }
        }
    }

    fn entry(&mut self, connection: ConnectionId) -> Entry<'_> {
        let account = match self.ended.get(&connection) {
            None => self.accounts.entry(connection).or_default(),
            Some(remains) => {
                self.after_the_end = Account { server: remains.server, ended: true, ..Account::default() };
                &mut self.after_the_end
            }
        };
        Entry { account, batch: &mut self.batch }
    }

    /// Nobody will answer any more: settles what is open and forgets the connection, but for its server.
    fn end(&mut self, connection: ConnectionId) {
        let Some(mut account) = self.accounts.remove(&connection) else { return };
        let open = account.open.drain().into_iter().map(|exchange| (exchange.payload.seq, exchange.payload.state));
        for (seq, state) in open.chain(account.http.drain()) {
            if state.status == Some(RowStatus::Pending) {
                self.batch.change(seq, RowState { status: Some(RowStatus::Unanswered), ..state });
            }
        }
        let remains = Remains { server: account.server, newest_own_http: account.http.newest_own };
        self.ended.insert(connection, remains);
        while self.ended.len() > MOST_ENDED {
            self.ended.pop_first();
        }
    }

    fn enter_http(&mut self, exchange: &HttpExchange) {
        if let Some(remains) = self.ended.get_mut(&exchange.connection) {
            // Its row was settled with the connection.
            if exchange.load == HttpLoad::Message || exchange.number <= remains.newest_own_http {
                return;
            }
            remains.newest_own_http = exchange.number;
        }
        self.entry(exchange.connection).enter_http(exchange);
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
        if let Some(place) = &frame.http {
            // What a pipe must not carry, a body may; it is then no answer, and that is another rule.
            for finding in findings.iter_mut().filter(|finding| finding.code == Code::NotJson) {
                finding.code = Code::HttpBody;
            }
            findings.extend(place.findings.iter().cloned());
        }
        let mut entry = self.entry(seen.connection);
        let row = entry.enter(&seen, &message, findings, &body.bytes).unwrap_or(next_row);
        if let Some(place) = &frame.http
            && seen.direction == Direction::Out
        {
            entry.account.http.carry(place.exchange, row, request_id(&message));
        }
        self.batch.frames.push(NewFrame { row, frame });
    }
}

/// Of a batch its first message stands for all, as with the findings of a whole line.
fn request_id<'a>(message: &Message<'a>) -> Option<&'a str> {
    match message {
        Message::Request(request) => Some(request.id.0),
        Message::Batch(items) => items.first().and_then(|item| request_id(&item.message)),
        _ => None,
    }
}
