//! Interpretation: records in, rows out. Runs behind the recording, never before it.

mod entry;

use std::collections::HashMap;

use sonde_protocol::{
    Channel, Code, Conduct, ConnectionId, Correlator, Direction, Finding, Frame, Message, Record, Settlement, parse,
};

use crate::batch::{Batch, NewFrame, RowState, Seen};
use crate::row::RowStatus;
use entry::{Entry, OpenRow};

/// What the recorder knows of one connection.
#[derive(Debug, Default)]
struct Account {
    server: i64,
    open: Correlator<OpenRow>,
    conduct: Conduct,
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
                self.entry(connection).give_up(Direction::Out, &id, RowStatus::Timeout);
            }
            Record::Settled { connection, id, how: Settlement::Failed(_) } => {
                self.entry(connection).give_up(Direction::Out, &id, RowStatus::Unanswered);
            }
            Record::Http(_) => {}
            Record::Ended { connection, stamp } => {
                let mut entry = self.entry(connection);
                entry.account.ended = true;
                entry.account.conduct = Conduct::default();
                for exchange in std::mem::take(&mut entry.account.open).drain() {
                    if exchange.payload.state.status == Some(RowStatus::Pending) {
                        let state = RowState { status: Some(RowStatus::Unanswered), ..exchange.payload.state };
                        entry.change(exchange.payload.seq, state);
                    }
                }
                self.batch.ended.push((connection, stamp.wall_ns));
            }
        }
    }

    fn entry(&mut self, connection: ConnectionId) -> Entry<'_> {
        Entry { account: self.accounts.entry(connection).or_default(), batch: &mut self.batch }
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
        let row = self.entry(seen.connection).enter(&seen, &message, findings, &body.bytes).unwrap_or(next_row);
        self.batch.frames.push(NewFrame { row, frame });
    }
}
