//! The well-behaved half of an HTTP server: sessions, handshake, tools, answers. A case changes what it wants different.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hostile::script;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc, watch};

use super::diary::Diary;
use super::exchange::Exchange;
use super::request::Request;
use crate::peer::{handshake, tools};

/// What becomes of the connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The next request may come on it.
    Next,
    Close,
    /// It ends without a goodbye.
    Reset,
}

/// What a case made of a request; none lets the well-behaved half answer.
pub type Act = io::Result<Option<Then>>;

/// What all connections share.
pub struct House {
    pub case: String,
    pub diary: Arc<Diary>,
    /// Our own port, and the one where nobody must ever knock.
    pub port: u16,
    pub stranger: u16,
    /// Sessions up to this one are forgotten.
    pub forgotten: AtomicU64,
    sessions: AtomicU64,
    /// Lets go the calls of `hold`.
    pub released: Notify,
    /// How often something happened, by its name.
    counts: Mutex<BTreeMap<String, u64>>,
    /// The way to the open stream of a client, where a case has one: events as they are.
    pub open_stream: Mutex<Option<mpsc::Sender<String>>>,
    /// Told when as many came as were to come.
    pub gathered: watch::Sender<bool>,
}

impl House {
    pub fn new(case: &str, diary: Arc<Diary>, port: u16, stranger: u16) -> Self {
        House {
            case: case.to_owned(),
            diary,
            port,
            stranger,
            forgotten: AtomicU64::new(0),
            sessions: AtomicU64::new(0),
            released: Notify::new(),
            counts: Mutex::default(),
            open_stream: Mutex::default(),
            gathered: watch::channel(false).0,
        }
    }

    /// The how-manieth time this happens, counted from 1.
    pub fn count(&self, what: &str) -> u64 {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(what.to_owned()).or_default();
        *count += 1;
        *count
    }

    /// A new session's id. It is a secret, and the log is searched for it.
    pub fn session(&self) -> String {
        format!("{}-{}", script::SESSION, self.sessions.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Forgets every session there is.
    pub fn forget(&self) {
        self.forgotten.store(self.sessions.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Whether the request is of a session that we forgot.
    pub fn is_forgotten(&self, request: &Request) -> bool {
        let session = request.header("mcp-session-id").and_then(|session| session.rsplit('-').next()?.parse().ok());
        session.is_some_and(|session: u64| session <= self.forgotten.load(Ordering::Relaxed))
    }

    /// Sends an event, as it is, into the open stream of the client.
    pub async fn push(&self, event: String) {
        let stream = self.open_stream.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(stream) = stream {
            // A stream that ended takes nothing more.
            stream.send(event).await.ok();
        }
    }

    /// Makes this the open stream; gives what is pushed into it.
    pub fn open(&self) -> mpsc::Receiver<String> {
        let (sender, receiver) = mpsc::channel(64);
        *self.open_stream.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        receiver
    }
}

/// Answers as a server should.
pub async fn answer(house: &House, exchange: &mut Exchange<'_>, request: &Request) -> io::Result<Then> {
    match (request.method.as_str(), request.id(), request.tool()) {
        ("POST", Some(_), _) if request.rpc() == "initialize" => {
            let session = house.session();
            exchange.json("200 OK", &[("Mcp-Session-Id", &session)], &reply(request)).await?;
        }
        ("POST", Some(_), Some("hold")) => {
            exchange.stream().await?;
            house.released.notified().await;
            exchange.event(None, &text(request, "released")).await?;
            exchange.end().await?;
        }
        ("POST", Some(_), Some("release")) => {
            house.released.notify_waiters();
            exchange.json("200 OK", &[], &text(request, "done")).await?;
        }
        ("POST", Some(_), _) if !request.rpc().is_empty() => exchange.json("200 OK", &[], &reply(request)).await?,
        ("POST", _, _) => exchange.answer("202 Accepted", &[], b"").await?,
        ("DELETE", _, _) => exchange.answer("200 OK", &[], b"").await?,
        _ => exchange.answer("405 Method Not Allowed", &[("Allow", "POST, DELETE")], b"").await?,
    }
    Ok(Then::Next)
}

/// The right answer to a request, as JSON.
pub fn reply(request: &Request) -> String {
    let result = match (request.rpc(), request.tool()) {
        ("initialize", _) => {
            let version = request.message["params"]["protocolVersion"].as_str().unwrap_or("2025-11-25");
            handshake(version, &json!({ "tools": { "listChanged": true }, "logging": {} }))
        }
        ("tools/list", _) => json!({ "tools": tools() }),
        (_, Some("echo")) => return text(request, request.argument("text").as_str().unwrap_or_default()),
        (_, Some(_)) => return text(request, "gone"),
        _ => json!({}),
    };
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.message["id"])
}

/// An answer to a call of a tool.
pub fn text(request: &Request, text: &str) -> String {
    let result = json!({ "content": [{ "type": "text", "text": text }] });
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.message["id"])
}

/// A notification with something in it.
pub fn notification(data: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":{data}}}}}"#)
}
