//! HTTP exchanges: those that are rows by themselves, and what the others tell of the messages they carried.

use std::collections::{BTreeMap, VecDeque};

use sonde_protocol::{Code, Direction, Finding, HttpEnd, HttpExchange, HttpLoad, Id};

use super::entry::Entry;
use crate::batch::{NewRow, RowState, clip};
use crate::row::{RowKind, RowStatus};

/// Carried messages whose rows are remembered; beyond them the oldest is forgotten.
const MOST_CARRIED: usize = 10_000;

/// Ended exchanges that are remembered, because another one may follow them.
const MOST_ENDED: usize = 256;

/// What the HTTP exchanges of one connection have to do with rows. Everything in it is found by the exchange's number.
#[derive(Debug, Default)]
pub(super) struct HttpAccount {
    /// Exchanges that carried no message. We open them, so they are few.
    own: BTreeMap<u32, OwnRow>,
    carried: BTreeMap<u32, Carried>,
    /// Which of both have ended, oldest first. At most [`MOST_ENDED`].
    ended: VecDeque<u32>,
    /// The highest number that became a row of its own.
    pub newest_own: u32,
}

#[derive(Debug)]
struct OwnRow {
    seq: i64,
    state: RowState,
}

/// The row of a message that an exchange took to the server.
#[derive(Debug, Clone)]
struct Carried {
    seq: i64,
    /// Its id, where it is a request: its row may wait for an answer, and whoever asked tells if none will come.
    request: Option<Box<str>>,
    told: Told,
}

/// What of an exchange has been told on the row of its message.
#[derive(Debug, Clone, Copy)]
enum Told {
    /// This many of its findings.
    Findings(usize),
    /// Everything.
    All,
}

impl HttpAccount {
    /// A message was handed to an exchange.
    pub fn carry(&mut self, exchange: u32, seq: i64, request: Option<&str>) {
        self.remember(exchange, Carried { seq, request: request.map(Box::from), told: Told::Findings(0) });
    }

    /// The numbers of rows that it remembers, to be changed in place.
    pub fn seqs_mut(&mut self) -> impl Iterator<Item = &mut i64> {
        let own = self.own.values_mut().map(|row| &mut row.seq);
        own.chain(self.carried.values_mut().map(|carried| &mut carried.seq))
    }

    /// The connection is over: the rows of its own that are remembered, with what is known of them.
    pub fn drain(&mut self) -> impl Iterator<Item = (i64, RowState)> {
        std::mem::take(&mut self.own).into_values().map(|row| (row.seq, row.state))
    }

    fn remember(&mut self, exchange: u32, carried: Carried) {
        self.carried.insert(exchange, carried);
        while self.carried.len() > MOST_CARRIED {
            self.carried.pop_first();
        }
    }

    /// What the exchange carries, itself or in the place of the one that it follows.
    fn carried_by(&mut self, exchange: &HttpExchange) -> Option<&mut Carried> {
        if !self.carried.contains_key(&exchange.number) {
            let first = self.carried.get(&exchange.follows?)?;
            self.remember(exchange.number, Carried { told: Told::Findings(0), ..first.clone() });
        }
        self.carried.get_mut(&exchange.number)
    }

    fn end(&mut self, exchange: u32) {
        if !self.ended.contains(&exchange) {
            self.ended.push_back(exchange);
        }
        if self.ended.len() > MOST_ENDED
            && let Some(oldest) = self.ended.pop_front()
        {
            self.own.remove(&oldest);
            self.carried.remove(&oldest);
        }
    }
}

impl Carried {
    /// What the exchange says that was not told before.
    fn news(&mut self, exchange: &HttpExchange) -> Vec<Finding> {
        let Told::Findings(told) = self.told else { return Vec::new() };
        let mut news = exchange.findings.get(told..).unwrap_or_default().to_vec();
        self.told = match &exchange.end {
            None => Told::Findings(exchange.findings.len().max(told)),
            Some(_) => Told::All,
        };
        if self.request.is_none() {
            news.extend(failure(exchange));
        }
        news
    }
}

impl Entry<'_> {
    pub fn enter_http(&mut self, exchange: &HttpExchange) {
        match exchange.load {
            HttpLoad::Nothing => self.enter_own(exchange),
            HttpLoad::Message => self.tell_of_message(exchange),
        }
        if exchange.end.is_some() {
            self.account.http.end(exchange.number);
        }
    }

    fn enter_own(&mut self, exchange: &HttpExchange) {
        let mut state = own_state(exchange);
        if let Some(row) = self.account.http.own.get_mut(&exchange.number) {
            row.state = state.clone();
            let seq = row.seq;
            self.batch.change(seq, state);
            return;
        }
        if self.account.ended {
            state.findings.push(Finding::new(Code::AfterTheEnd, "the connection had ended when this was seen"));
            if state.status == Some(RowStatus::Pending) {
                state.status = Some(RowStatus::Unanswered);
            }
        }
        let row = NewRow {
            connection: exchange.connection,
            server: 0,
            at_ns: exchange.started.wall_ns,
            direction: Direction::Out,
            kind: RowKind::Http,
            method: Some(exchange.method.to_owned()),
            target: Some(clip(path(&exchange.url))),
            id: Some(exchange.number.to_string()),
            request: None,
            state: RowState::default(),
        };
        let seq = self.push(row, state.clone());
        self.account.http.own.insert(exchange.number, OwnRow { seq, state });
        self.account.http.newest_own = self.account.http.newest_own.max(exchange.number);
    }

    /// An exchange that carried a message has no row, but what is wrong with it stands with the message.
    fn tell_of_message(&mut self, exchange: &HttpExchange) {
        let Some(carried) = self.account.http.carried_by(exchange) else { return };
        let news = carried.news(exchange);
        if news.is_empty() {
            return;
        }
        let seq = carried.seq;
        let id = carried.request.as_deref().map(Id);
        let open = id.and_then(|id| self.account.open.payload(Direction::Out, id)).filter(|open| open.seq == seq);
        match open {
            // Its answer will write the row again, and must not forget this.
            Some(open) => {
                open.state.findings.extend(news);
                self.batch.change(seq, open.state.clone());
            }
            None => news.into_iter().for_each(|finding| self.batch.remark(seq, finding)),
        }
    }
}

fn own_state(exchange: &HttpExchange) -> RowState {
    let status = match &exchange.end {
        None => RowStatus::Pending,
        Some(HttpEnd { problem: None, .. }) => RowStatus::Ok,
        Some(HttpEnd { problem: Some(_), .. }) => RowStatus::ProtocolError,
    };
    let mut findings = exchange.findings.clone();
    findings.extend(failure(exchange));
    RowState {
        status: Some(status),
        code: exchange.response.as_ref().map(|head| i64::from(head.status)),
        dur_ns: exchange.end.as_ref().map(|end| i64::try_from(end.after).unwrap_or(i64::MAX)),
        size: i64::try_from(exchange.traffic.sent.saturating_add(exchange.traffic.body)).unwrap_or(i64::MAX),
        findings,
        ..RowState::default()
    }
}

fn failure(exchange: &HttpExchange) -> Option<Finding> {
    let problem = exchange.end.as_ref()?.problem.as_ref()?;
    Some(Finding::new(Code::HttpFailed, problem.clone()))
}

/// `https://host/mcp?key=1` has `/mcp`.
fn path(url: &str) -> &str {
    let plain = url.split(['?', '#']).next().unwrap_or(url);
    let rest = plain.split_once("://").map_or(plain, |(_, rest)| rest);
    rest.find('/').and_then(|start| rest.get(start..)).unwrap_or("/")
}
