//! Answers that are no event stream: a JSON body, an error, or nothing.

use std::pin::pin;

use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER, WWW_AUTHENTICATE};
use sonde_protocol::{Code, Finding, HttpPlace, HttpTraffic, Message, Outcome, parse};
use tokio::select;

use super::body::{Body, Waiting};
use super::connection::{Connection, LARGE, answers_in};
use super::exchange::Exchange;
use super::failure::{HttpFailure, Moment};
use super::remote::Proxying;
use super::response::Response;
use super::until::Until;
use crate::capped::Capped;
use crate::lines::{Line, LineLimits};
use crate::redact::End;
use crate::tap::Tap;

/// Characters of a body that an error shows.
const PREVIEW: usize = 1000;
/// Challenges of one answer that are told, and characters of each.
const MOST_CHALLENGES: usize = 10;
const LONGEST_CHALLENGE: usize = 2000;
/// Characters of a type that is none of ours.
const LONGEST_TYPE: usize = 200;

/// What a body is said to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Media {
    Json,
    Events,
    Other(String),
    /// Nothing is said.
    Unsaid,
}

impl Media {
    fn words(&self) -> String {
        match self {
            Media::Other(found) => format!("`{found}`"),
            Media::Unsaid => "a body of no said type".to_owned(),
            Media::Json => "JSON".to_owned(),
            Media::Events => "an event stream".to_owned(),
        }
    }

    pub fn of(headers: &HeaderMap) -> Self {
        let Some(value) = headers.get(CONTENT_TYPE) else { return Media::Unsaid };
        let text = String::from_utf8_lossy(value.as_bytes());
        let essence = text.split(';').next().unwrap_or_default().trim();
        let ending = essence.get(essence.len().saturating_sub("+json".len())..);
        match essence {
            "" => Media::Unsaid,
            json if json.eq_ignore_ascii_case("application/json") => Media::Json,
            events if events.eq_ignore_ascii_case("text/event-stream") => Media::Events,
            _ if ending.is_some_and(|ending| ending.eq_ignore_ascii_case("+json")) => Media::Json,
            _ => Media::Other(text.into_owned()),
        }
    }
}

/// A body that was read as a whole.
pub(super) struct Whole {
    pub data: Line,
    pub traffic: HttpTraffic,
    /// Why there is no more of it.
    pub problem: Option<HttpFailure>,
}

/// Reads a body of at most `limit` bytes.
pub(super) async fn read_whole(
    exchange: &Exchange,
    response: Response,
    connection: &Connection,
    limit: usize,
    until: &Until,
) -> Whole {
    let limits = connection.wire.remote.limits;
    let mut kept = Capped::new(LineLimits::up_to(limit));
    let mut appended = 0;
    let mut large = None;
    let mut stopped = pin!(until.stopped(Moment::Reading));
    let mut soon = pin!(connection.wire.pulse.soon());
    let mut told = false;
    let mut body = match Body::of(response, limits) {
        Ok(body) => body,
        Err(failure) => {
            return Whole { data: Line::whole(Vec::new()), traffic: HttpTraffic::default(), problem: Some(failure) };
        }
    };
    let problem = loop {
        if large.is_none() && kept.held() > LARGE {
            large = select! {
                turn = connection.large.clone().acquire_owned() => turn.ok(),
                failure = &mut stopped => break Some(failure),
            };
        }
        let part = select! {
            biased;
            failure = &mut stopped => break Some(failure),
            part = body.part(Waiting::AtMost(limits.idle)) => part,
            // The log should say that the headers came, though the body takes its time.
            () = &mut soon, if !told => {
                told = true;
                exchange.tell().await;
                continue;
            }
        };
        match part {
            Err(failure) => break Some(failure),
            Ok(None) => break None,
            Ok(Some(part)) => {
                appended += part.len() as u64;
                kept.append(&part);
            }
        }
        if body.read > limit as u64 {
            break Some(HttpFailure::TooLarge { limit: limit as u64 });
        }
    };
    let (bytes, cut) = kept.end();
    let traffic = HttpTraffic {
        body: body.read,
        recorded: appended,
        dropped: body.read - appended,
        compressed: body.compressed().unwrap_or(0),
        ..HttpTraffic::default()
    };
    Whole { data: Line { bytes, cut, terminated: problem.is_none() }, traffic, problem }
}

/// An answer that is none: a status that says so, or a body that can't be one. It is recorded, handed on where it is a
/// message, and explained. Gives the requests that it answers all the same, and what it means for the others.
pub(super) async fn refuse(
    connection: &Connection,
    exchange: Exchange,
    response: Response,
    until: &Until,
) -> (Vec<Box<str>>, HttpFailure) {
    let status = response.status().as_u16();
    let success = response.status().is_success();
    let tap = &connection.wire.tap;
    let media = match Media::of(response.headers()) {
        Media::Other(found) => Media::Other(tap.hide(found).chars().take(LONGEST_TYPE).collect()),
        media => media,
    };
    let challenges = texts(response.headers(), &WWW_AUTHENTICATE, tap);
    let retry_after = texts(response.headers(), &RETRY_AFTER, tap).into_iter().next();
    let encoding = |failure: &Option<HttpFailure>| {
        matches!(failure, Some(HttpFailure::Encoding { .. } | HttpFailure::Bomb { .. }))
    };
    let limit = connection.wire.remote.limits.error_body;
    let Whole { data, traffic, problem } = read_whole(&exchange, response, connection, limit, until).await;
    let end = if data.cut.is_some() { End::Cut } else { End::Whole };
    let clean = tap.hidden(&data.bytes, end);
    let preview = preview(&data.bytes, tap);
    let message = if data.cut.is_none() { said_in(&clean) } else { None };
    let answers = if message.is_some() { answers_in(&clean).unwrap_or_default() } else { Vec::new() };
    let is_message = message.is_some();
    let failure = match success {
        _ if encoding(&problem) => problem.unwrap_or(HttpFailure::Closed),
        false if status == 407 && connection.wire.remote.proxy != Proxying::None => {
            HttpFailure::Proxy { problem: "it answered HTTP 407 (it wants to know who we are)".to_owned() }
        }
        true => HttpFailure::ContentType { found: media.words(), preview },
        false => HttpFailure::Status {
            status,
            said:
                message
                    .or(Some(preview)
                        .filter(|_| matches!(media, Media::Other(ref text) if text.starts_with("text/plain")))),
            challenges,
            retry_after,
        },
    };
    if !data.bytes.is_empty() {
        let mut place = HttpPlace { exchange: exchange.number(), event: None, findings: Vec::new() };
        if success && is_message {
            let words = format!("an answer is said to be JSON or an event stream, and not {}", media.words());
            place.findings.push(Finding::new(Code::HttpHeader, words));
        }
        match is_message {
            true => connection.take_message(data, place).await,
            false => connection.record(data, place).await,
        }
    }
    exchange.end(traffic, Some(&failure)).await;
    (answers, failure)
}

/// What is counted where a body says nothing that matters.
pub(super) fn ignored(traffic: HttpTraffic) -> HttpTraffic {
    HttpTraffic { recorded: 0, dropped: traffic.body, ..traffic }
}

/// What a JSON-RPC message says in its error; empty where it is a message without one.
fn said_in(body: &[u8]) -> Option<String> {
    match parse(body).0 {
        Message::Response(response) => Some(match &response.outcome {
            Outcome::Error(error) => error.message.as_deref().unwrap_or_default().chars().take(PREVIEW).collect(),
            Outcome::Result(_) => String::new(),
        }),
        Message::Request(_) | Message::Notification(_) | Message::Batch(_) => Some(String::new()),
        Message::Opaque => None,
    }
}

/// The beginning of a body, as text without secrets.
pub(super) fn preview(body: &[u8], tap: &Tap) -> String {
    let (head, end) = match body.get(..4 * PREVIEW) {
        Some(head) => (head, End::Cut),
        None => (body, End::Whole),
    };
    String::from_utf8_lossy(&tap.hidden(head, end)).chars().take(PREVIEW).collect()
}

fn texts(headers: &HeaderMap, name: &reqwest::header::HeaderName, tap: &Tap) -> Vec<String> {
    let values = headers.get_all(name).iter().take(MOST_CHALLENGES);
    let texts = values.map(|value| tap.hide(String::from_utf8_lossy(value.as_bytes()).into_owned()));
    texts.map(|text| text.chars().take(LONGEST_CHALLENGE).collect()).collect()
}
