//! HTTP with SSE, as it was before Streamable HTTP: one stream brings everything, and names the address for our messages.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use sonde_protocol::{Code, Finding, HttpPlace};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::answer::{self, Media};
use super::connection::{Connection, Endpoint};
use super::events::{self, Cursor, Purpose};
use super::failure::{HttpFailure, clip};
use super::mask::{shown_address, shown_endpoint, without};
use super::remote::Dialect;
use super::until::Until;
use super::wire::EVENTS;

/// Characters of an address that are told.
const LONGEST_ENDPOINT: usize = 300;
/// How long the server may take to name the address.
const NAMING: Duration = Duration::from_secs(10);

/// Opens the stream and waits for the address. Where that fails, nothing is spoken.
pub(super) async fn open(connection: &Arc<Connection>) -> Result<(), HttpFailure> {
    let wire = &connection.wire;
    // Where no address comes, the stream ends with the attempt. Otherwise it ends last: without it there is no session.
    let closing = connection.cut.child_token();
    let ending = closing.clone().drop_guard();
    let until = Until { closing, given_up: CancellationToken::new() };
    let deadline = Instant::now() + NAMING;
    let asked = until.at_most(NAMING, wire.ask(wire.empty(Method::GET, EVENTS), &until)).await;
    let late = until.closing.is_cancelled() && !connection.cut.is_cancelled();
    let (exchange, response) = if late { Err(HttpFailure::NoEndpoint(NAMING)) } else { asked }?;
    if !response.status().is_success() || Media::of(response.headers()) != Media::Events {
        let (_, failure) = answer::refuse(connection, exchange, response, &until).await;
        return Err(failure);
    }
    let mut endpoint = connection.endpoint.subscribe();
    let stream = connection.clone();
    let over = CancellationToken::new();
    let told = over.clone();
    connection.tasks.spawn(async move {
        let mut cursor = Cursor::default();
        let end = events::read(&stream, exchange, response, &mut cursor, Purpose::Everything, &until).await;
        // There is no session without the stream, and no way to take it up again.
        if !stream.closing.is_cancelled() && *stream.spoken.borrow() == Dialect::Sse {
            stream.lose(end.problem.unwrap_or(HttpFailure::StreamEnded));
        }
        told.cancel();
    });
    let named = tokio::time::timeout_at(deadline, endpoint.wait_for(Option::is_some));
    tokio::select! {
        biased;
        named = named => match named {
            Ok(Ok(_)) => {
                ending.disarm();
                Ok(())
            }
            _ => Err(HttpFailure::NoEndpoint(NAMING)),
        },
        () = over.cancelled() => Err(connection.loss().unwrap_or(HttpFailure::StreamEnded)),
        () = connection.closing.cancelled() => Err(connection.loss().unwrap_or(HttpFailure::Closed)),
    }
}

/// The event that names the address. It is no message; the log is told of it without the session that stands in it.
pub(super) async fn take_endpoint(connection: &Connection, data: &[u8], wanted: Wanted, mut place: HttpPlace) {
    let written = String::from_utf8_lossy(data).trim().to_owned();
    let resolved = resolve(&connection.wire.remote.url, &written);
    let shown = match &resolved {
        Ok(url) => shown_endpoint(&connection.wire.remote.url, url),
        Err(_) => without(shown_address(&written), &connection.wire.remote.secrets),
    };
    let shown = connection.wire.tap.hide(shown);
    let known = wanted == Wanted::No || connection.endpoint.borrow().is_some();
    if known {
        place.findings.push(Finding::new(Code::SecondEndpoint, "the address was named before; this one is not used"));
    }
    connection.wire.tap.mark_in(format!("messages go to {}", clip(&shown, LONGEST_ENDPOINT)), place).await;
    if known {
        return;
    }
    match resolved {
        Ok(url) => {
            connection.spoken.send_replace(Dialect::Sse);
            connection.endpoint.send_replace(Some(Endpoint { url, shown }));
        }
        Err(reason) => connection.lose(HttpFailure::Endpoint { endpoint: clip(&shown, LONGEST_ENDPOINT), reason }),
    }
}

/// Whether a stream is one that names an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Yes,
    No,
}

fn resolve(base: &Url, written: &str) -> Result<Url, &'static str> {
    let url = base.join(written).map_err(|_| "it is no address")?;
    match url {
        _ if url.origin() != base.origin() => Err("it is of another origin than the stream"),
        _ if !url.username().is_empty() || url.password().is_some() => Err("it has a user in it"),
        url => Ok(url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_only_where_the_stream_came_from() {
        let base = Url::parse("https://example.com/a/sse").unwrap();
        for (written, url) in [
            ("/messages?sessionId=1", "https://example.com/messages?sessionId=1"),
            ("messages", "https://example.com/a/messages"),
            ("?session=2", "https://example.com/a/sse?session=2"),
            ("https://example.com:443/m", "https://example.com/m"),
        ] {
            assert_eq!(resolve(&base, written).unwrap().as_str(), url, "{written}");
        }
        for written in [
            "https://evil.example/m",
            "//evil.example/m",
            "http://example.com/m",
            "https://example.com:8443/m",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://user@example.com/m",
            "https://example.com@evil.example/",
        ] {
            assert!(resolve(&base, written).is_err(), "{written} must not be used");
        }
    }
}
