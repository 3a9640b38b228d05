//! Taking up a stream again where it broke, and listening to what the server says by itself.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use reqwest::Method;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::answer::{self, Media};
use super::connection::Connection;
use super::events::{self, Cursor, Purpose, StreamEnd};
use super::exchange::Exchange;
use super::failure::{HttpFailure, Moment};
use super::pace::Yield;
use super::response::Response;
use super::until::Until;
use super::wire::{Asking, EVENTS};

type Opened = (Exchange, Response);

/// Opens the stream again behind its newest event, as often as it takes. None where no event had an id.
pub(super) async fn again(
    connection: &Arc<Connection>,
    cursor: &mut Cursor,
    end: &StreamEnd,
    broken: u32,
    until: &Until,
) -> Option<Result<Opened, HttpFailure>> {
    cursor.last_event.as_ref()?;
    let mut yielded = end.yielded;
    let mut follows = broken;
    loop {
        let pause = pause(connection, cursor, yielded);
        connection.wire.tap.mark(words("the stream ended before its answer", cursor, pause)).await;
        if !until.pause(pause).await {
            return Some(Err(until.stopped(Moment::Reading).await));
        }
        match open(connection, cursor, Some(follows), until).await {
            Ok(opened) => {
                cursor.resumed = true;
                return Some(Ok(opened));
            }
            Err(Refusal { failure, temporary: true, number }) => {
                tracing::debug!(%failure, "a stream could not be opened again yet");
                (yielded, follows) = (Yield::Nothing, number);
            }
            Err(Refusal { failure: failure @ HttpFailure::Status { .. }, .. }) => {
                return Some(Err(HttpFailure::NotResumed { refusal: failure.to_string() }));
            }
            Err(Refusal { failure, .. }) => return Some(Err(failure)),
        }
    }
}

/// Keeps a stream open for what the server says by itself, as long as the server offers one.
///
/// Tells `opened` as soon as the first answer is there: what a server says by itself before that, it may say to nobody.
pub(super) async fn listen(connection: Arc<Connection>, opened: oneshot::Sender<()>) {
    let mut opened = Some(opened);
    let until = Until { closing: connection.closing.clone(), given_up: CancellationToken::new() };
    let mut cursor = Cursor::default();
    let mut follows = None;
    let mut complained = false;
    loop {
        let stream = open(&connection, &cursor, follows, &until).await;
        if opened.take().is_some_and(|opened| opened.send(()).is_err()) {
            tracing::trace!("nobody waits for the stream any more");
        }
        let (yielded, number) = match stream {
            Ok((exchange, response)) => {
                let number = exchange.number();
                let end = events::read(&connection, exchange, response, &mut cursor, Purpose::Listening, &until).await;
                (end.yielded, number)
            }
            Err(Refusal { temporary: true, number, .. }) => (Yield::Nothing, number),
            // What it said is in the log; without the stream everything else works.
            Err(_) => return,
        };
        if connection.closing.is_cancelled() {
            return;
        }
        follows = Some(number);
        cursor.resumed = cursor.last_event.is_some();
        let pause = pause(&connection, &mut cursor, yielded);
        if cursor.pace.is_fruitless() && !std::mem::replace(&mut complained, true) {
            connection.wire.tap.mark("the server keeps closing the stream: it is asked less often".to_owned()).await;
        }
        complained &= cursor.pace.is_fruitless();
        connection.wire.tap.mark(words("the server's own stream ended", &cursor, pause)).await;
        if !until.pause(pause).await {
            return;
        }
    }
}

/// Why a stream was not opened.
struct Refusal {
    failure: HttpFailure,
    /// True where it is worth trying again.
    temporary: bool,
    number: u32,
}

async fn open(
    connection: &Arc<Connection>,
    cursor: &Cursor,
    follows: Option<u32>,
    until: &Until,
) -> Result<Opened, Refusal> {
    let had_session = connection.wire.agreed().session.is_some();
    let asking =
        Asking { last_event: cursor.last_event.clone(), follows, ..connection.wire.empty(Method::GET, EVENTS) };
    let number = asking.number;
    let (exchange, response) = match connection.wire.ask(asking, until).await {
        Ok(opened) => opened,
        Err(failure) => {
            let temporary = matches!(
                failure,
                HttpFailure::Unconnected { .. }
                    | HttpFailure::ConnectTimeout { .. }
                    | HttpFailure::Broken { .. }
                    | HttpFailure::Unresolved { .. }
            );
            return Err(Refusal { failure, temporary, number });
        }
    };
    let status = response.status().as_u16();
    if response.status().is_success() && Media::of(response.headers()) == Media::Events {
        return Ok((exchange, response));
    }
    // A server need not offer a stream, and says so in more than one way. Once it did, a 404 means something else.
    if matches!(status, 405 | 501) || (follows.is_none() && matches!(status, 400 | 404)) {
        let body =
            answer::read_whole(&exchange, response, connection, connection.wire.remote.limits.error_body, until).await;
        exchange.end(answer::ignored(body.traffic), None).await;
        let failure = HttpFailure::bare(status);
        return Err(Refusal { failure, temporary: false, number });
    }
    let (_, failure) = answer::refuse(connection, exchange, response, until).await;
    if status == 404 && had_session {
        connection.lose(HttpFailure::SessionLost);
        return Err(Refusal { failure: HttpFailure::SessionLost, temporary: false, number });
    }
    Err(Refusal { failure, temporary: status == 429 || status >= 500, number })
}

fn pause(connection: &Connection, cursor: &mut Cursor, yielded: Yield) -> Duration {
    let mut attempts = connection.attempts.lock().unwrap_or_else(PoisonError::into_inner);
    cursor.pace.pause(yielded, &mut attempts, Instant::now())
}

fn words(what: &str, cursor: &Cursor, pause: Duration) -> String {
    let from = if cursor.last_event.is_some() { " behind its newest event" } else { "" };
    format!("{what} · opened again in {:.1} s{from}", pause.as_secs_f64())
}
