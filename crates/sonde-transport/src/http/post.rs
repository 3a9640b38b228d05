//! One message of ours on its way: a POST, the tries that it takes, and the answer in whatever form it comes.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::RETRY_AFTER;
use reqwest::{Method, Response};
use sonde_protocol::{Code, Finding, HttpPlace};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::answer::{self, Media, Whole, read_whole};
use super::connection::{Connection, answers_in, requests_in};
use super::events::{self, Cursor, Purpose};
use super::exchange::Exchange;
use super::failure::{HttpFailure, Moment};
use super::legacy;
use super::remote::Dialect;
use super::resume;
use super::until::Until;
use super::wire::{Asking, BOTH, session_of};
use crate::link::Repeat;

/// The longest pause between two tries of our own choice, and the longest that a server may ask for.
const OWN_PAUSE: Duration = Duration::from_secs(10);
const WISHED_PAUSE: Duration = Duration::from_secs(60);

/// How long a server may take to say that it took a message.
const ACCEPTANCE: Duration = Duration::from_secs(60);

/// A message that is to be posted.
pub(super) struct Post {
    pub connection: Arc<Connection>,
    pub message: Vec<u8>,
    pub repeat: Repeat,
    /// Told once the server took the message, or why it did not.
    pub accepted: Option<oneshot::Sender<Result<(), HttpFailure>>>,
}

impl Post {
    pub async fn run(self) {
        let Post { connection, message, repeat, accepted } = self;
        let mut awaited = requests_in(&message);
        let given_up = connection.await_all(&awaited);
        let until = Until { closing: connection.closing.clone(), given_up };
        // What answers the server must not wait behind what waits for it.
        let turns = if awaited.is_empty() { &connection.unawaited } else { &connection.parallel };
        let turn = tokio::select! {
            turn = turns.clone().acquire_owned() => turn.ok(),
            failure = until.stopped(Moment::Waiting) => return connection.fail(awaited, failure).await,
        };
        let number = connection.wire.number();
        let place = HttpPlace { exchange: number, event: None, findings: Vec::new() };
        let body = connection.wire.tap.posted(message, place).await;
        let mut task = Delivery { connection: &connection, body, number, follows: None, repeat, until };
        let asked = awaited.clone();
        let limit = patience(&asked, task.until.given_up.clone());
        let outcome = tokio::select! {
            outcome = task.deliver(&mut awaited) => outcome,
            never = limit => match never {},
        };
        drop(turn);
        let unanswered: Vec<Box<str>> = awaited.into_iter().filter(|id| connection.is_awaited(id)).collect();
        connection.forget(&asked);
        if let Some(accepted) = accepted
            && accepted.send(outcome.clone()).is_err()
        {
            tracing::trace!("nobody waits to hear whether a message was taken");
        }
        if let Err(failure) = outcome {
            connection.fail(unanswered, failure).await;
        }
    }
}

/// A message that was recorded, on its way to the server.
struct Delivery<'a> {
    connection: &'a Arc<Connection>,
    body: Bytes,
    /// The number of the next exchange, and of the one before it.
    number: u32,
    follows: Option<u32>,
    repeat: Repeat,
    until: Until,
}

impl Delivery<'_> {
    async fn deliver(&mut self, awaited: &mut Vec<Box<str>>) -> Result<(), HttpFailure> {
        let spoken = *self.connection.spoken.borrow();
        if spoken == Dialect::Sse {
            return self.post_to_endpoint().await;
        }
        let outcome = self.post(awaited).await;
        let undecided = *self.connection.spoken.borrow() == Dialect::Auto;
        match outcome {
            Err(failure) if undecided && failure.allows_fallback() && !awaited.is_empty() => {
                self.connection.wire.tap.mark(format!("{failure} · trying HTTP with SSE at the same address")).await;
                match legacy::open(self.connection).await {
                    Ok(()) => {
                        self.connection
                            .wire
                            .tap
                            .mark("the server speaks HTTP with SSE, of 2024-11-05".to_owned())
                            .await;
                        (self.follows, self.number) = (Some(self.number), self.connection.wire.number());
                        self.post_to_endpoint().await
                    }
                    Err(_neither) => Err(failure),
                }
            }
            outcome => outcome,
        }
    }

    /// Posts to the server's one address, again where that is safe and the server is only busy.
    async fn post(&mut self, awaited: &mut Vec<Box<str>>) -> Result<(), HttpFailure> {
        let mut tries = 0;
        loop {
            let url = self.connection.wire.remote.url.clone();
            let had_session = self.connection.wire.agreed().session.is_some();
            let (exchange, response) = self.ask(url).await?;
            let status = response.status().as_u16();
            let busy = matches!(status, 429 | 500 | 502 | 503 | 504);
            if busy && self.repeat == Repeat::Allowed && tries < self.connection.wire.remote.retries {
                tries += 1;
                let pause = pause(&response, tries);
                answer::refuse(self.connection, exchange, response, &self.until).await;
                let words = format!("HTTP {status} · try {tries} again in {:.1} s", pause.as_secs_f64());
                self.connection.wire.tap.mark(words).await;
                if !self.until.pause(pause).await {
                    return Err(self.until.stopped(Moment::Waiting).await);
                }
                (self.follows, self.number) = (Some(self.number), self.connection.wire.number());
                continue;
            }
            if status == 404 && had_session {
                let (answers, _) = answer::refuse(self.connection, exchange, response, &self.until).await;
                awaited.retain(|id| !answers.contains(id));
                self.connection.lose(HttpFailure::SessionLost);
                return Err(HttpFailure::SessionLost);
            }
            return match response.status().is_success() {
                true => self.take(exchange, response, awaited).await,
                false => {
                    let (answers, failure) = answer::refuse(self.connection, exchange, response, &self.until).await;
                    awaited.retain(|id| !answers.contains(id));
                    match awaited.is_empty() && !answers.is_empty() {
                        true => Ok(()),
                        false => Err(failure),
                    }
                }
            };
        }
    }

    async fn ask(&self, url: Url) -> Result<(Exchange, Response), HttpFailure> {
        let asking = Asking {
            method: Method::POST,
            shown: self.connection.wire.shown_url(&url),
            url,
            body: Some(self.body.clone()),
            accept: BOTH,
            last_event: None,
            number: self.number,
            follows: self.follows,
        };
        self.connection.wire.ask(asking, &self.until).await
    }

    /// An answer with a status of success.
    async fn take(
        &mut self,
        mut exchange: Exchange,
        response: Response,
        awaited: &mut Vec<Box<str>>,
    ) -> Result<(), HttpFailure> {
        if let Err(failure) = self.take_session(&response) {
            exchange.end(Default::default(), Some(&failure)).await;
            return Err(failure);
        }
        self.connection.spoken.send_if_modified(|spoken| {
            let undecided = *spoken == Dialect::Auto;
            *spoken = if undecided { Dialect::Streamable } else { *spoken };
            undecided
        });
        let media = Media::of(response.headers());
        if response.headers().get_all(reqwest::header::CONTENT_TYPE).iter().count() > 1 {
            exchange.find(Finding::new(Code::HttpHeader, "there are several headers `Content-Type`; the first counts"));
        }
        match media {
            Media::Events => self.follow(exchange, response, awaited).await,
            _ if awaited.is_empty() => self.take_acceptance(exchange, response, &media).await,
            Media::Json | Media::Unsaid => self.take_json(exchange, response, awaited, &media).await,
            Media::Other(_) => Err(answer::refuse(self.connection, exchange, response, &self.until).await.1),
        }
    }

    fn take_session(&self, response: &Response) -> Result<(), HttpFailure> {
        let mut agreed = self.connection.wire.agreed();
        if !agreed.settled
            && let Some(session) = session_of(response.headers())?
        {
            agreed.session = Some(session);
        }
        Ok(())
    }

    /// What a server answers to a message that awaits no answer.
    async fn take_acceptance(
        &self,
        mut exchange: Exchange,
        response: Response,
        media: &Media,
    ) -> Result<(), HttpFailure> {
        let status = response.status().as_u16();
        let limit = self.connection.wire.remote.limits.error_body;
        let Whole { data, traffic, .. } = read_whole(response, self.connection, limit, &self.until).await;
        if status != 202 && status != 204 {
            let words = format!("HTTP {status} answers a message that awaits no answer; 202 says that it was taken");
            exchange.find(Finding::new(Code::HttpHeader, words));
        }
        if *media == Media::Json && !data.bytes.trim_ascii().is_empty() && data.bytes.trim_ascii() != b"null" {
            let place = HttpPlace { exchange: exchange.number(), event: None, findings: Vec::new() };
            self.connection.take_message(data, place).await;
            exchange.end(traffic, None).await;
        } else {
            exchange.end(legacy::ignored(traffic.body), None).await;
        }
        Ok(())
    }

    async fn take_json(
        &self,
        exchange: Exchange,
        response: Response,
        awaited: &mut Vec<Box<str>>,
        media: &Media,
    ) -> Result<(), HttpFailure> {
        let status = response.status().as_u16();
        let limit = self.connection.wire.remote.limits.message;
        let Whole { data, traffic, problem } = read_whole(response, self.connection, limit, &self.until).await;
        if data.bytes.trim_ascii().is_empty() && problem.is_none() {
            let failure = HttpFailure::Empty { status };
            exchange.end(traffic, Some(&failure)).await;
            return Err(failure);
        }
        let answers = if problem.is_none() { answers_in(&data.bytes) } else { Vec::new() };
        let mut findings = Vec::new();
        if *media == Media::Unsaid {
            findings.push(Finding::new(Code::HttpHeader, "the body has no `Content-Type`"));
        }
        let preview: String = String::from_utf8_lossy(data.bytes.get(..1000).unwrap_or(&data.bytes)).into_owned();
        let place = HttpPlace { exchange: exchange.number(), event: None, findings };
        match &problem {
            None => self.connection.take_message(data, place).await,
            Some(_) if data.bytes.is_empty() => {}
            Some(_) => self.connection.record(data, place).await,
        }
        awaited.retain(|id| !answers.contains(id));
        self.connection.forget(&answers);
        let failure = match problem {
            Some(problem) => Some(problem),
            None if awaited.is_empty() => None,
            None => Some(HttpFailure::AnotherAnswer { preview }),
        };
        exchange.end(traffic, failure.as_ref()).await;
        failure.map_or(Ok(()), Err)
    }

    /// Reads the stream that answers, and goes on with it elsewhere where it breaks.
    async fn follow(
        &mut self,
        exchange: Exchange,
        response: Response,
        awaited: &mut Vec<Box<str>>,
    ) -> Result<(), HttpFailure> {
        let had_requests = !awaited.is_empty();
        let mut cursor = Cursor::default();
        let (mut exchange, mut response) = (exchange, response);
        loop {
            let number = exchange.number();
            let purpose = Purpose::Answers(awaited);
            let end = events::read(self.connection, exchange, response, &mut cursor, purpose, &self.until).await;
            awaited.retain(|id| self.connection.is_awaited(id));
            if awaited.is_empty() || !had_requests {
                return Ok(());
            }
            if let Some(stopped @ (HttpFailure::Closed | HttpFailure::GivenUp { .. })) = end.problem {
                return Err(stopped);
            }
            let cannot = end.problem.clone().unwrap_or(HttpFailure::NotResumable);
            (exchange, response) =
                resume::again(self.connection, &mut cursor, &end, number, &self.until).await.ok_or(cannot)??;
        }
    }

    async fn post_to_endpoint(&mut self) -> Result<(), HttpFailure> {
        let mut endpoint = self.connection.endpoint.subscribe();
        let url = tokio::select! {
            named = endpoint.wait_for(Option::is_some) => named.ok().and_then(|url| url.clone()),
            failure = self.until.stopped(Moment::Waiting) => return Err(self.connection.loss().unwrap_or(failure)),
        };
        let Some(url) = url else { return Err(HttpFailure::Closed) };
        let (exchange, response) = self.ask(url).await?;
        if !response.status().is_success() {
            return Err(answer::refuse(self.connection, exchange, response, &self.until).await.1);
        }
        // The answer comes on the stream; what stands here says only that the message arrived.
        let limit = self.connection.wire.remote.limits.error_body;
        let Whole { traffic, .. } = read_whole(response, self.connection, limit, &self.until).await;
        exchange.end(legacy::ignored(traffic.body), None).await;
        Ok(())
    }
}

/// What `Retry-After` says: seconds, or a date.
fn wished(said: &str) -> Option<Duration> {
    let said = said.trim();
    let seconds = said.parse::<u64>().ok().map(Duration::from_secs);
    let until = || httpdate::parse_http_date(said).ok()?.duration_since(std::time::SystemTime::now()).ok();
    seconds.or_else(until)
}

/// A server that does not say whether it took a message that awaits no answer is not waited for without end. Requests
/// have a patience of their own.
async fn patience(awaited: &[Box<str>], given_up: CancellationToken) -> std::convert::Infallible {
    if awaited.is_empty() {
        tokio::time::sleep(ACCEPTANCE).await;
        given_up.cancel();
    }
    std::future::pending().await
}

/// How long to wait before a try: as the server says, or a little longer each time.
fn pause(response: &Response, tries: u32) -> Duration {
    let said = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    match said.and_then(wished) {
        Some(wished) => wished.min(WISHED_PAUSE),
        None => Duration::from_secs_f64(1.5_f64.powi(tries.min(20) as i32)).min(OWN_PAUSE),
    }
}
