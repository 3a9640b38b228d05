//! What the log is told of one exchange, from its beginning to its end.

use std::sync::Arc;

use reqwest::Version;
use reqwest::header::HeaderMap;
use sonde_protocol::{
    ConnectionId, Finding, Headers, HttpEnd, HttpExchange, HttpHead, HttpLoad, HttpPhases, HttpTraffic, TlsFacts,
};

use super::failure::HttpFailure;
use super::mask::{Secrecy, mask_header, without};
use super::phases::{Stopwatch, nanoseconds};
use super::response::Response;
use super::wire::Asking;
use crate::tap::Tap;

/// The account of one exchange. Whoever has it must end it.
#[must_use = "an exchange that is not ended stays open in the log"]
pub(super) struct Exchange {
    facts: Box<HttpExchange>,
    watch: Arc<Stopwatch>,
    tap: Tap,
}

/// Findings about one exchange that are kept.
const MOST_FINDINGS: usize = 20;
/// Bytes of all headers of an answer that are kept.
const MOST_KEPT: usize = 16 << 10;
/// Characters of a header's value that are kept.
const LONGEST_VALUE: usize = 8 << 10;

impl Exchange {
    pub fn begin(tap: Tap, asking: &Asking, load: HttpLoad, request_headers: Headers, watch: Arc<Stopwatch>) -> Self {
        let sent = asking.body.as_ref().map_or(0, |body| body.len() as u64);
        let facts = Box::new(HttpExchange {
            connection: ConnectionId(0),
            number: asking.number,
            follows: asking.follows,
            load,
            method: method_name(&asking.method),
            url: asking.shown.clone(),
            started: tap.clock().now(),
            request_headers,
            response: None,
            phases: HttpPhases::default(),
            tls: None,
            traffic: HttpTraffic { sent, ..HttpTraffic::default() },
            end: None,
            findings: Vec::new(),
        });
        Exchange { facts, watch, tap }
    }

    pub fn number(&self) -> u32 {
        self.facts.number
    }

    pub fn take_head(&mut self, response: &Response, headers: Headers, tls: Option<TlsFacts>) {
        let (status, version) = (response.status().as_u16(), version(response.version()));
        self.facts.response = Some(HttpHead { status, version, headers });
        self.facts.tls = tls;
        self.facts.phases = self.watch.phases();
    }

    pub fn find(&mut self, finding: Finding) {
        // A stream may have one in each of its events; the first of them tell enough.
        if self.facts.findings.len() < MOST_FINDINGS {
            self.facts.findings.push(finding);
        }
    }

    /// Tells the log what is known by now.
    pub async fn tell(&self) {
        self.tap.http(self.facts.clone()).await;
    }

    pub async fn end(mut self, traffic: HttpTraffic, problem: Option<&HttpFailure>) {
        self.watch.ended();
        let sent = self.facts.traffic.sent;
        self.facts.traffic = HttpTraffic { sent, ..traffic };
        self.facts.phases = self.watch.phases();
        self.facts.end =
            Some(HttpEnd { after: nanoseconds(self.watch.elapsed()), problem: problem.map(ToString::to_string) });
        self.tap.http(self.facts).await;
    }
}

/// The headers as they may be written down. They wait for the disk outside of its budget, so there is a limit to them.
pub(super) fn shown(headers: &HeaderMap, secrets: &[String], tap: &Tap) -> Headers {
    let mut shown = Vec::with_capacity(headers.len());
    let mut room = MOST_KEPT;
    for (count, (name, value)) in headers.iter().enumerate() {
        let text = String::from_utf8_lossy(value.as_bytes());
        let value = clip(tap.hide(without(mask_header(name.as_str(), &text, Secrecy::ByName), secrets)));
        let Some(left) = room.checked_sub(name.as_str().len() + value.len()) else {
            let more = headers.len() - count;
            shown.push(("…", format!("{more} more headers are not kept, because these have {MOST_KEPT} bytes")));
            break;
        };
        room = left;
        shown.push((name.as_str(), value));
    }
    shown.into_iter().collect()
}

fn clip(value: String) -> String {
    match value.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}…", value.get(..end).unwrap_or_default()),
        None => value,
    }
}

fn method_name(method: &reqwest::Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "DELETE" => "DELETE",
        _ => "POST",
    }
}

fn version(version: Version) -> &'static str {
    match version {
        Version::HTTP_09 => "HTTP/0.9",
        Version::HTTP_10 => "HTTP/1.0",
        Version::HTTP_2 => "HTTP/2.0",
        Version::HTTP_3 => "HTTP/3.0",
        _ => "HTTP/1.1",
    }
}
