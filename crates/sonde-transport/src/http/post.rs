//! One message of ours on its way: a POST, the tries that it takes, and the answer in whatever form it comes.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use sonde_protocol::{Code, Finding, HttpPlace};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::answer::{self, Media, Whole, read_whole};
use super::connection::{Connection, Endpoint, answers_in};
use super::events::{self, Cursor, Purpose};
use super::exchange::Exchange;
use super::failure::{HttpFailure, Moment};
use super::head::session_of;
use super::legacy;
use super::mask::{Secrecy, mask_header};
use super::remote::Dialect;
use super::response::Response;
use super::resume;
use super::tries::pause;
use super::until::Until;
use super::wire::{Asking, BOTH};
use crate::link::Repeat;

/// How long the body of a status that says all may take.
const AFTERWORD: Duration = Duration::from_secs(2);

/// How long a server may take to say that it took a message.
const ACCEPTANCE: Duration = Duration::from_secs(60);

/// A message that is to be posted.
pub(super) struct Post {
    pub connection: Arc<Connection>,
    pub message: Vec<u8>,
    /// The requests in it, which are entered as awaited already.
    pub asked: Vec<Box<str>>,
    pub given_up: CancellationToken,
    pub repeat: Repeat,
    /// Told once the server took the message, or why it did not.
    pub accepted: Option<oneshot::Sender<Result<(), HttpFailure>>>,
}

impl Post {
    pub async fn run(self) {
        let Post { connection, message, asked, given_up, repeat, accepted } = self;
        // What answers the server must not wait behind what waits for it, and is not cut off by our leaving.
        let (turns, closing) = match asked.is_empty() {
            true => (&connection.unawaited, &connection.cut),
            false => (&connection.parallel, &connection.closing),
        };
        let until = Until { closing: closing.clone(), given_up };
        let turn = tokio::select! {
            biased;
            // What nobody waits for any more is not sent at all.
            () = until.pointless() => return connection.forget(&asked),
            turn = turns.clone().acquire_owned() => turn.ok(),
        };
        connection.note_sent(&asked);
        let number = connection.wire.number();
        let place = HttpPlace { exchange: number, event: None, findings: Vec::new() };
        let body = connection.wire.tap.posted(message, place).await;
        let mut awaited = asked.clone();
        let mut task = Delivery { connection: &connection, body, number, follows: None, repeat, accepted, until };
        let limit = patience(&asked, task.until.given_up.clone());
        let outcome = tokio::select! {
            outcome = task.deliver(&mut awaited) => outcome,
            never = limit => match never {},
        };
        drop(turn);
        let unanswered: Vec<Box<str>> = awaited.into_iter().filter(|id| connection.is_awaited(id)).collect();
        connection.forget(&asked);
        task.told(outcome.clone());
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
    accepted: Option<oneshot::Sender<Result<(), HttpFailure>>>,
    until: Until,
}

impl Delivery<'_> {
    /// Tells whoever waits whether the server took the message; the first word counts.
    fn told(&mut self, outcome: Result<(), HttpFailure>) {
        let outcome = outcome.map_err(|failure| failure.cleaned(&self.connection.wire.tap));
        if self.accepted.take().is_some_and(|accepted| accepted.send(outcome).is_err()) {
            tracing::trace!("nobody waits to hear whether a message was taken");
        }
    }

    async fn deliver(&mut self, awaited: &mut Vec<Box<str>>) -> Result<(), HttpFailure> {
        let spoken = *self.connection.spoken.borrow();
        if spoken == Dialect::Sse {
            return Box::pin(self.post_to_endpoint()).await;
        }
        let outcome = self.post(awaited).await;
        let undecided = *self.connection.spoken.borrow() == Dialect::Auto;
        match outcome {
            Err(failure) if undecided && failure.allows_fallback() && !awaited.is_empty() => {
                self.connection.wire.tap.mark(format!("{failure} · trying HTTP with SSE at the same address")).await;
                match Box::pin(legacy::open(self.connection)).await {
                    Ok(()) => {
                        self.connection
                            .wire
                            .tap
                            .mark("the server speaks HTTP with SSE, of 2024-11-05".to_owned())
                            .await;
                        (self.follows, self.number) = (Some(self.number), self.connection.wire.number());
                        Box::pin(self.post_to_endpoint()).await
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
            let remote = &self.connection.wire.remote;
            let had_session = self.connection.wire.agreed().session.is_some();
            let (exchange, response) = self.ask(remote.url.clone(), remote.shown.clone()).await?;
            let status = response.status().as_u16();
            let busy = matches!(status, 429 | 500 | 502 | 503 | 504);
            if busy && self.repeat == Repeat::Allowed && tries < self.connection.wire.remote.retries {
                tries += 1;
                let pause = pause(&response, tries, remote.backoff);
                let (answers, _) = self.refuse(exchange, response).await;
                awaited.retain(|id| !answers.contains(id));
                if awaited.is_empty() {
                    return Ok(());
                }
                let words = format!("HTTP {status} · try {tries} again in {:.1} s", pause.as_secs_f64());
                self.connection.wire.tap.mark(words).await;
                if !self.until.pause(pause).await {
                    return Err(self.until.stopped(Moment::Waiting).await);
                }
                (self.follows, self.number) = (Some(self.number), self.connection.wire.number());
                continue;
            }
            if status == 404 && had_session {
                let (answers, _) = self.refuse(exchange, response).await;
                awaited.retain(|id| !answers.contains(id));
                self.connection.lose(HttpFailure::SessionLost);
                return Err(HttpFailure::SessionLost);
            }
            return match response.status().is_success() {
                true => self.take(exchange, response, awaited).await,
                false => {
                    let (answers, failure) = self.refuse(exchange, response).await;
                    awaited.retain(|id| !answers.contains(id));
                    match awaited.is_empty() && !answers.is_empty() {
                        true => Ok(()),
                        false => Err(failure),
                    }
                }
            };
        }
    }

    /// What is no answer. In a box of its own, so that the usual way does not carry the room that it takes.
    async fn refuse(&self, exchange: Exchange, response: Response) -> (Vec<Box<str>>, HttpFailure) {
        Box::pin(answer::refuse(self.connection, exchange, response, &self.until)).await
    }

    async fn ask(&self, url: Url, shown: String) -> Result<(Exchange, Response), HttpFailure> {
        let asking = Asking {
            method: Method::POST,
            url,
            shown,
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
        self.told(Ok(()));
        let media = Media::of(response.headers());
        if response.headers().get_all(reqwest::header::CONTENT_TYPE).iter().count() > 1 {
            exchange.find(Finding::new(Code::HttpHeader, "there are several headers `Content-Type`; the first counts"));
        }
        match media {
            Media::Events => Box::pin(self.follow(exchange, response, awaited)).await,
            _ if awaited.is_empty() => Box::pin(self.take_acceptance(exchange, response, &media)).await,
            Media::Json | Media::Unsaid => self.take_json(exchange, response, awaited, &media).await,
            Media::Other(_) => Err(self.refuse(exchange, response).await.1),
        }
    }

    fn take_session(&self, response: &Response) -> Result<(), HttpFailure> {
        let mut agreed = self.connection.wire.agreed();
        if !agreed.settled
            && let Some(session) = session_of(response.headers())?
        {
            let shown = mask_header("mcp-session-id", &String::from_utf8_lossy(session.as_bytes()), Secrecy::Kept);
            agreed.take_session(session, shown);
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
        let Whole { data, traffic, problem } = self.afterword(&exchange, response).await;
        let problem = problem.filter(|problem| *problem != HttpFailure::Closed);
        if status != 202 && status != 204 {
            let words = format!("HTTP {status} answers a message that awaits no answer; 202 says that it was taken");
            exchange.find(Finding::new(Code::HttpHeader, words));
        }
        if *media == Media::Json && !data.bytes.trim_ascii().is_empty() && data.bytes.trim_ascii() != b"null" {
            let place = HttpPlace { exchange: exchange.number(), event: None, findings: Vec::new() };
            self.connection.take_message(data, place).await;
            exchange.end(traffic, problem.as_ref()).await;
        } else {
            exchange.end(answer::ignored(traffic), problem.as_ref()).await;
        }
        Ok(())
    }

    /// What follows a status that says all. It is not waited for.
    async fn afterword(&self, exchange: &Exchange, response: Response) -> Whole {
        let limit = self.connection.wire.remote.limits.error_body;
        let until = Until { closing: self.until.closing.child_token(), given_up: self.until.given_up.clone() };
        until.at_most(AFTERWORD, read_whole(exchange, response, self.connection, limit, &until)).await
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
        let Whole { data, traffic, problem } =
            read_whole(&exchange, response, self.connection, limit, &self.until).await;
        if data.bytes.trim_ascii().is_empty() && problem.is_none() {
            let failure = HttpFailure::Empty { status };
            exchange.end(answer::ignored(traffic), Some(&failure)).await;
            return Err(failure);
        }
        let answers = if problem.is_none() { answers_in(&data.bytes).unwrap_or_default() } else { Vec::new() };
        let mut findings = Vec::new();
        if *media == Media::Unsaid {
            findings.push(Finding::new(Code::HttpHeader, "the body has no `Content-Type`"));
        }
        let preview = match awaited.iter().all(|id| answers.contains(id)) {
            true => String::new(),
            false => answer::preview(&data.bytes, &self.connection.wire.tap),
        };
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
            // What is wrong with the content would be so again.
            if let Some(problem) = end.problem.clone().filter(|problem| !matches!(problem, HttpFailure::Broken { .. }))
            {
                return Err(problem);
            }
            let cannot = end.problem.clone().unwrap_or(HttpFailure::NotResumable);
            (exchange, response) =
                resume::again(self.connection, &mut cursor, &end, number, &self.until).await.ok_or(cannot)??;
        }
    }

    async fn post_to_endpoint(&mut self) -> Result<(), HttpFailure> {
        let mut endpoint = self.connection.endpoint.subscribe();
        let endpoint = tokio::select! {
            biased;
            () = self.until.pointless() => None,
            named = endpoint.wait_for(Option::is_some) => named.ok().and_then(|endpoint| endpoint.clone()),
        };
        let Some(Endpoint { url, shown }) = endpoint else {
            return Err(self.connection.loss().unwrap_or(HttpFailure::Closed));
        };
        let (exchange, response) = self.ask(url, shown).await?;
        if !response.status().is_success() {
            return Err(self.refuse(exchange, response).await.1);
        }
        // The answer comes on the stream; what stands here says only that the message arrived.
        self.told(Ok(()));
        let Whole { traffic, .. } = self.afterword(&exchange, response).await;
        exchange.end(answer::ignored(traffic), None).await;
        Ok(())
    }
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
