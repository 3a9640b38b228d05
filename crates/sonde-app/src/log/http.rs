//! HTTP exchanges as a front door sees them.

use sonde_protocol as protocol;
use sonde_store::KeptExchange;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::rfc3339;
use crate::api::http::{HttpDetail, HttpHeader, HttpPhases, HttpTraffic, SseEvent, TlsFacts};

pub fn detail(kept: KeptExchange) -> HttpDetail {
    let (status, version, response_headers) = match kept.response {
        Some(head) => (Some(head.status), Some(head.version), head.headers),
        None => (None, None, Vec::new()),
    };
    let (after, problem) = kept.end.map(|end| (end.after, end.problem)).unzip();
    HttpDetail {
        number: kept.number,
        follows: kept.follows,
        method: kept.method,
        url: kept.url,
        started: rfc3339(kept.started_ns),
        request_headers: headers(kept.request_headers),
        status,
        version,
        response_headers: headers(response_headers),
        phases_ms: HttpPhases {
            dns: kept.phases.dns.map(milliseconds),
            connect: kept.phases.connect.map(milliseconds),
            tls: kept.phases.tls.map(milliseconds),
            first_byte: kept.phases.first_byte.map(milliseconds),
            body: kept.phases.body.map(milliseconds),
        },
        tls: kept.tls.map(tls),
        traffic: traffic(kept.traffic),
        after_ms: after.map(milliseconds),
        problem: problem.flatten(),
    }
}

pub fn event(event: protocol::SseEvent) -> SseEvent {
    SseEvent { id: event.id, name: event.name, retry: event.retry.map(signed) }
}

pub fn tls(facts: protocol::TlsFacts) -> TlsFacts {
    let protocol::TlsFacts { version, subject, issuer, names, not_before, not_after, fingerprint, trusted } = facts;
    TlsFacts {
        version,
        subject,
        issuer,
        names,
        not_before: in_seconds(not_before),
        not_after: in_seconds(not_after),
        fingerprint,
        trusted,
    }
}

fn traffic(traffic: protocol::HttpTraffic) -> HttpTraffic {
    HttpTraffic {
        sent: signed(traffic.sent),
        body: signed(traffic.body),
        recorded: signed(traffic.recorded),
        comments: signed(traffic.comments),
        framing: signed(traffic.framing),
        dropped: signed(traffic.dropped),
        events: signed(traffic.events),
        comment_lines: signed(traffic.comment_lines),
        compressed: signed(traffic.compressed),
    }
}

/// Certificates may name the year 9999, which has no nanoseconds here.
fn in_seconds(time: i64) -> String {
    let time = OffsetDateTime::from_unix_timestamp(time).ok();
    time.and_then(|time| time.format(&Rfc3339).ok()).unwrap_or_default()
}

fn headers(headers: Vec<(String, String)>) -> Vec<HttpHeader> {
    headers.into_iter().map(|(name, value)| HttpHeader { name, value }).collect()
}

fn milliseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e6
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
