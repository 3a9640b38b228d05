//! Any bytes, conforming or not, and what comes back.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;
use sonde_protocol::{Message, parse};
use tokio::sync::oneshot;

use super::{Begun, Entry, finish};
use crate::api::calls::{Call, RawCalls, RawRequest};
use crate::api::error::{ApiError, ErrorCode};
use crate::app::App;
use crate::explain;

/// How long the log may take to write what is queued before something is sent all the same.
const STUCK: Duration = Duration::from_secs(2);

/// Bytes that were sent.
#[derive(Debug)]
pub struct RawSent {
    /// One for each request with an id among them.
    pub calls: Vec<Begun>,
    pub connection: i64,
    /// The last row of the log before them.
    pub after: i64,
}

impl App {
    /// Sends the bytes as they are; not even a line feed is added.
    pub async fn send_raw(&self, id: &str, bytes: Vec<u8>) -> Result<RawSent, ApiError> {
        let server = self.server(id)?.clone();
        let (client, _patience) = server.client_and_patience()?;
        self.inner.calls.admit()?;
        let after = self.newest_row().await?;
        let connection = server.standing().connection.unwrap_or_default();
        let requests = requests_in(&bytes);
        let started = Instant::now();
        let sent = client.send_raw(bytes).await.map_err(|error| explain::call(&server.spec, &error))?;
        let mut calls = Vec::with_capacity(sent.len());
        for sent in sent {
            let known = requests.get(sent.id.get());
            let (method, params) = known.map_or(("", None), |(method, params)| (method, params.as_deref()));
            let call = Call::begun(self.inner.calls.next(), server.spec.id.as_str(), method, params, &sent);
            let entry = Entry { call: call.clone(), client: client.clone(), wire_id: sent.id.clone(), task: None };
            self.enter(entry);
            let progress = sent.progress();
            let (told, end) = oneshot::channel();
            let ending = finish::Ending {
                app: self.clone(),
                server: server.clone(),
                client: client.clone(),
                call: call.id,
                method: method.to_owned(),
                expectation: None,
            };
            tokio::spawn(ending.follow(progress.clone(), sent.end(), started, told));
            calls.push(Begun { call: call.id, request_id: call.request_id, progress, end });
        }
        Ok(RawSent { calls, connection, after })
    }

    /// The number of the last row that the past has. A disk that refuses leaves it at what is written.
    async fn newest_row(&self) -> Result<i64, ApiError> {
        let flushed = async {
            match self.inner.recorder.lock().await.as_ref() {
                Some(recorder) => recorder.flush().await,
                None => Ok(()),
            }
        };
        if tokio::time::timeout(STUCK, flushed).await.is_err() {
            tracing::warn!("the log is behind: what was before may be taken for what came after");
        }
        self.inner.store.newest().await.map_err(|error| explain::storage(&error))
    }

    pub(crate) async fn send_bytes(&self, request: RawRequest) -> Result<RawCalls, ApiError> {
        let bytes = match (request.text, request.base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(base64)) => STANDARD.decode(base64).map_err(|error| invalid(&error.to_string()))?,
            _ => return Err(invalid("either `text` or `base64` is given")),
        };
        let sent = self.send_raw(&request.server, bytes).await?;
        let calls = sent.calls.iter().map(|begun| self.call(begun.call)).collect::<Result<_, _>>()?;
        Ok(RawCalls { calls, connection: sent.connection, after: sent.after })
    }
}

fn invalid(problem: &str) -> ApiError {
    ApiError::new(ErrorCode::InvalidRequest, "Invalid request", problem)
}

/// Requests among bytes by their ids: the method and the params of each.
type Found = HashMap<String, (String, Option<Box<RawValue>>)>;

/// The requests in the lines, so that a call can say what it is about. Of those that share an id the first counts.
fn requests_in(bytes: &[u8]) -> Found {
    let mut found = Found::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        collect(&parse(line).0, &mut found);
    }
    found
}

fn collect(message: &Message<'_>, found: &mut Found) {
    match message {
        Message::Request(request) => {
            let what = || (request.method.to_string(), request.params.map(ToOwned::to_owned));
            found.entry(request.id.0.to_owned()).or_insert_with(what);
        }
        Message::Batch(items) => items.iter().for_each(|item| collect(&item.message, found)),
        Message::Response(_) | Message::Notification(_) | Message::Opaque => {}
    }
}
