//! An event stream: its messages are recorded and handed on, and what else it says is counted.

use std::hash::{BuildHasher, Hash, RandomState};
use std::pin::pin;
use std::time::Duration;

use reqwest::header::HeaderValue;
use sonde_protocol::{Code, Finding, HttpPlace, HttpTraffic, SseEvent};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::body::{Body, Waiting};
use super::connection::{Connection, LARGE, answers_in};
use super::exchange::Exchange;
use super::failure::{HttpFailure, Moment};
use super::legacy::{self, Wanted};
use super::pace::{Pace, Yield};
use super::response::Response;
use super::until::Until;
use crate::lines::Line;
use crate::sse::{Ended, Event, SseItem, SseParser};

/// How long a stream is read on after its last answer: the server should end it, and may have more to say.
const LINGER: Duration = Duration::from_millis(500);

/// What is remembered of a stream when it breaks.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    /// The id of its newest event: where to go on.
    pub last_event: Option<String>,
    pub pace: Pace,
    /// True once it was opened again with an event id, so that answers may come on it.
    pub resumed: bool,
}

/// What a stream is for.
#[derive(Debug)]
pub(super) enum Purpose<'a> {
    /// It answers these requests. Those that were answered are taken out.
    Answers(&'a mut Vec<Box<str>>),
    /// It brings what the server says by itself.
    Listening,
    /// It brings everything, and first the address for our messages.
    Everything,
}

/// How the reading of a stream ended.
#[derive(Debug)]
pub(super) struct StreamEnd {
    pub yielded: Yield,
    /// None where the server ended it in good order.
    pub problem: Option<HttpFailure>,
}

/// Reads a stream to its end.
pub(super) async fn read(
    connection: &Connection,
    exchange: Exchange,
    response: Response,
    cursor: &mut Cursor,
    purpose: Purpose<'_>,
    until: &Until,
) -> StreamEnd {
    let limits = connection.wire.remote.limits;
    let body = match Body::of(response, limits) {
        Ok(body) => body,
        Err(failure) => {
            exchange.end(HttpTraffic::default(), Some(&failure)).await;
            return StreamEnd { yielded: Yield::Nothing, problem: Some(failure) };
        }
    };
    exchange.tell().await;
    let parser = SseParser::new(limits.message);
    let reader =
        Reader { connection, exchange, body, parser, cursor, purpose, large: None, messages: 0, new_id: false };
    reader.run(until).await
}

struct Reader<'a> {
    connection: &'a Connection,
    exchange: Exchange,
    body: Body,
    parser: SseParser,
    cursor: &'a mut Cursor,
    purpose: Purpose<'a>,
    /// Held while it reads something large.
    large: Option<OwnedSemaphorePermit>,
    messages: u64,
    new_id: bool,
}

impl Reader<'_> {
    async fn run(mut self, until: &Until) -> StreamEnd {
        let mut stopped = pin!(until.stopped(Moment::Reading));
        let mut lingering = None;
        let problem = loop {
            if lingering.is_none() && self.is_answered() {
                // Whoever leaves all of its streams open is not waited for.
                match self.connection.lingering.clone().try_acquire_owned() {
                    Ok(place) => lingering = Some((place, Instant::now() + LINGER)),
                    Err(_) => break None,
                }
            }
            if self.parser.held() <= LARGE {
                self.large = None;
            } else if self.large.is_none() {
                self.large = tokio::select! {
                    turn = self.connection.large.clone().acquire_owned() => turn.ok(),
                    failure = &mut stopped => break Some(failure),
                };
            }
            let deadline = lingering.as_ref().map(|(_, end)| *end);
            let part = tokio::select! {
                biased;
                failure = &mut stopped => break Some(failure),
                () = at(deadline) => break None,
                part = self.body.part(Waiting::Any) => part,
            };
            match part {
                Err(failure) => break Some(failure),
                Ok(None) => break None,
                Ok(Some(part)) => self.take(&part).await,
            }
        };
        if let Some(event) = self.parser.finish() {
            self.take_event(event).await;
        }
        let answered = self.is_answered();
        // A stream that broke after its answer did what it was for.
        let problem = problem.filter(|problem| !answered || matches!(problem, HttpFailure::Bomb { .. }));
        let yielded = match (self.messages, self.new_id, &problem) {
            (1.., _, _) => Yield::Something,
            (0, true, None) => Yield::Poll,
            (0, _, _) => Yield::Nothing,
        };
        let traffic = self.traffic();
        // A stream that we end ourselves did what it was for.
        let told = problem.as_ref().filter(|problem| **problem != HttpFailure::Closed);
        self.exchange.end(traffic, told).await;
        StreamEnd { yielded, problem }
    }

    fn is_answered(&self) -> bool {
        matches!(&self.purpose, Purpose::Answers(awaited) if awaited.is_empty())
    }

    async fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (item, taken) = self.parser.take(bytes);
            bytes = bytes.get(taken..).unwrap_or_default();
            if let Some(SseItem::Event(event)) = item {
                self.take_event(event).await;
            }
        }
    }

    async fn take_event(&mut self, event: Event) {
        let Event { data, cut, name, id, long_id, retry, ended } = event;
        let mut findings = Vec::new();
        if ended == Ended::Whole {
            retry.into_iter().for_each(|retry| self.cursor.pace.wish(retry));
            self.take_id(id.as_deref(), long_id, &mut findings);
        }
        // An event without data says only where to go on and when.
        let Some(data) = data.filter(|data| !data.is_empty() || cut.is_some()) else {
            return findings.into_iter().for_each(|finding| self.exchange.find(finding));
        };
        let is_message = name.as_deref().is_none_or(|name| name == "message");
        let place = HttpPlace {
            exchange: self.exchange.number(),
            event: Some(SseEvent { id, name: name.clone(), retry }),
            findings,
        };
        if name.as_deref() == Some("endpoint") && ended == Ended::Whole && cut.is_none() {
            let wanted = if matches!(self.purpose, Purpose::Everything) { Wanted::Yes } else { Wanted::No };
            return legacy::take_endpoint(self.connection, &data, wanted, place).await;
        }
        let data = Line { bytes: data, cut, terminated: ended == Ended::Whole };
        match is_message && ended == Ended::Whole {
            true => self.take_message(data, place).await,
            // Nobody would hear of it; the log has it.
            false => self.connection.record(data, place).await,
        }
    }

    async fn take_message(&mut self, data: Line, mut place: HttpPlace) {
        // What is too long to be read, or no message at all, is not what a stream is opened for.
        let answers = match data.cut {
            Some(_) => None,
            None => answers_in(&data.bytes),
        };
        self.messages += u64::from(answers.is_some());
        let answers = answers.unwrap_or_default();
        if !answers.is_empty() && matches!(self.purpose, Purpose::Listening) && !self.cursor.resumed {
            place.findings.push(Finding::new(
                Code::MisplacedResponse,
                "an answer came on the stream for what the server says by itself",
            ));
        }
        self.connection.take_message(data, place).await;
        // On whatever stream it comes, an answer is one.
        self.connection.forget(&answers);
        if let Purpose::Answers(awaited) = &mut self.purpose {
            awaited.retain(|id| !answers.contains(id));
        }
    }

    fn take_id(&mut self, id: Option<&str>, long_id: Option<u64>, findings: &mut Vec<Finding>) {
        if let Some(size) = long_id {
            findings.push(Finding::new(
                Code::HttpHeader,
                format!("the event id has {size} bytes; it is not repeated to the server"),
            ));
        }
        let Some(id) = id else { return };
        if id.is_empty() {
            self.cursor.last_event = None;
            return;
        }
        if HeaderValue::from_bytes(id.as_bytes()).is_err() {
            let words = "the event id can't stand in a header; a stream that breaks is not resumed behind it";
            findings.push(Finding::new(Code::HttpHeader, words));
            return;
        }
        self.new_id |= self.cursor.last_event.as_deref() != Some(id);
        if !self.connection.is_new_event(id) {
            findings.push(Finding::new(Code::ReusedEventId, "an earlier event of this session had the same id"));
        }
        self.cursor.last_event = Some(id.to_owned());
    }

    fn traffic(&self) -> HttpTraffic {
        let counts = self.parser.counts();
        HttpTraffic {
            sent: 0,
            body: self.body.read,
            recorded: counts.data,
            comments: counts.comments,
            framing: counts.framing,
            // What was read and not taken in, because the reading was stopped within a part.
            dropped: counts.dropped + self.body.read.saturating_sub(counts.bytes()),
            events: counts.events,
            comment_lines: counts.comment_lines,
            compressed: self.body.compressed().unwrap_or(0),
        }
    }
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Event ids that were seen, as far as a moderate memory goes.
#[derive(Debug, Default)]
pub(super) struct SeenIds {
    keys: RandomState,
    seen: std::collections::HashSet<u64>,
}

const MOST_IDS: usize = 50_000;

impl SeenIds {
    /// Whether it was not seen before.
    pub fn enter(&mut self, id: &str) -> bool {
        if self.seen.len() >= MOST_IDS {
            self.seen.clear();
        }
        let mut hasher = self.keys.build_hasher();
        id.hash(&mut hasher);
        self.seen.insert(std::hash::Hasher::finish(&hasher))
    }
}
