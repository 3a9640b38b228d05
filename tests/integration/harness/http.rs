//! A server over HTTP whose words are spoken by a journey: every request comes to it as it was on the wire, and every
//! byte of the answers is its own.

mod encryption;
mod stage;

pub use encryption::{Authority, Identity, hexadecimal};
pub use stage::{HttpStage, agreement};

use std::sync::{Arc, Mutex as Lock, PoisonError};

use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

use crate::{LIMIT, within};

/// A listener on the loopback interface; it ends with the journey.
pub struct Site {
    /// Where it is: scheme, host and port.
    pub origin: String,
    arrived: Mutex<Arrived>,
    record: Record,
    task: JoinHandle<()>,
}

type Record = Arc<Lock<Vec<Request>>>;

struct Arrived {
    queue: mpsc::Receiver<Visit>,
    /// What came while the journey waited for something else, oldest first.
    waiting: Vec<Visit>,
}

/// One request, as it was on the wire.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Which connection it came by, counted from 1.
    pub connection: usize,
}

/// A request that waits for its answer. Dropped without one, the connection is closed.
pub struct Visit {
    pub request: Request,
    answer: mpsc::Sender<Part>,
}

/// An answer that is an event stream, and goes on. Dropped before its end, it breaks off.
pub struct EventStream {
    answer: mpsc::Sender<Part>,
}

enum Part {
    Bytes(Vec<u8>),
    /// The answer is complete; the next request may come on the same connection.
    Done,
    /// The connection is closed, whatever was said on it.
    Close,
}

impl Site {
    pub async fn open() -> Self {
        Site::listen("http", None).await
    }

    /// One that shows this certificate, and lets in those alone whose own is signed by `clients`, where there is one.
    pub async fn encrypted(identity: &Identity, clients: Option<&Authority>) -> Self {
        Site::listen("https", Some(encryption::acceptor(identity, clients))).await
    }

    async fn listen(scheme: &str, encryption: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let origin = format!("{scheme}://{}", listener.local_addr().expect("it has an address"));
        let (arrivals, queue) = mpsc::channel(1024);
        let record = Record::default();
        let task = tokio::spawn(listen(listener, encryption, arrivals, record.clone()));
        Site { origin, arrived: Mutex::new(Arrived { queue, waiting: Vec::new() }), record, task }
    }

    /// The oldest request that is as `wanted` says and has not been taken yet. Others stay for later.
    pub async fn visit(&self, what: &str, wanted: impl Fn(&Request) -> bool) -> Visit {
        let mut arrived = self.arrived.lock().await;
        let search = async {
            loop {
                if let Some(place) = arrived.waiting.iter().position(|visit| wanted(&visit.request)) {
                    return arrived.waiting.remove(place);
                }
                let visit = arrived.queue.recv().await.expect("the site is open");
                arrived.waiting.push(visit);
            }
        };
        within(LIMIT, what, search).await
    }

    /// The next message of that method.
    pub async fn post(&self, method: &str) -> Visit {
        let wanted = |request: &Request| request.method == "POST" && request.message()["method"] == method;
        self.visit(&format!("POST of `{method}`"), wanted).await
    }

    /// The next answer of the client to a request of ours.
    pub async fn post_of_answer(&self, id: &Value) -> Visit {
        let wanted = |request: &Request| {
            let message = request.message();
            request.method == "POST" && message.get("method").is_none() && message["id"] == *id
        };
        self.visit(&format!("POST of the answer to {id}"), wanted).await
    }

    pub async fn get(&self) -> Visit {
        self.visit("GET", |request| request.method == "GET").await
    }

    pub async fn delete(&self) -> Visit {
        self.visit("DELETE", |request| request.method == "DELETE").await
    }

    /// Everything that ever came, in its order, taken or not.
    pub fn requests(&self) -> Vec<Request> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The JSON of the body; null where there is none.
    pub fn message(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// `POST tools/call`, `GET`: what it is, in few words.
    pub fn words(&self) -> String {
        let message = self.message();
        match message["method"].as_str() {
            Some(method) => format!("{} {method}", self.method),
            None if message.is_object() => format!("{} answer", self.method),
            None => self.method.clone(),
        }
    }
}

impl Visit {
    /// Answers with exactly this.
    pub async fn respond(self, status: u16, headers: &[(&str, &str)], body: &[u8]) {
        let mut bytes = head(status, headers);
        bytes.extend(format!("content-length: {}\r\n\r\n", body.len()).into_bytes());
        bytes.extend_from_slice(body);
        send(&self.answer, Part::Bytes(bytes)).await;
        send(&self.answer, Part::Done).await;
    }

    pub async fn status(self, status: u16) {
        self.respond(status, &[], b"").await;
    }

    /// Answers the request in it with a `result` or an `error`, as JSON.
    pub async fn reply(self, reply: Value) {
        self.reply_with(&[], reply).await;
    }

    pub async fn reply_with(self, headers: &[(&str, &str)], reply: Value) {
        let body = reply_to(&self.request.message(), reply).to_string();
        let headers = [&[("content-type", "application/json")], headers].concat();
        self.respond(200, &headers, body.as_bytes()).await;
    }

    /// Answers with an event stream, which has nothing in it yet.
    pub async fn stream(self) -> EventStream {
        self.stream_with(&[]).await
    }

    pub async fn stream_with(self, headers: &[(&str, &str)]) -> EventStream {
        self.part_by_part(&[&[("content-type", "text/event-stream")], headers].concat()).await
    }

    /// Answers with something that comes in parts, whatever it is.
    pub async fn part_by_part(self, headers: &[(&str, &str)]) -> EventStream {
        self.open_ended(200, headers).await
    }

    /// The same with another status.
    pub async fn open_ended(self, status: u16, headers: &[(&str, &str)]) -> EventStream {
        let mut bytes = head(status, &[&[("transfer-encoding", "chunked")], headers].concat());
        bytes.extend(b"\r\n");
        send(&self.answer, Part::Bytes(bytes)).await;
        EventStream { answer: self.answer }
    }

    /// Waits until the client has closed the connection.
    pub async fn until_closed(&self) {
        within(LIMIT, "the client to hang up", self.answer.closed()).await;
    }
}

impl EventStream {
    /// Says exactly this.
    pub async fn raw(&self, text: &str) {
        let chunk = format!("{:x}\r\n{text}\r\n", text.len());
        send(&self.answer, Part::Bytes(chunk.into_bytes())).await;
    }

    /// A message, as an event without an id.
    pub async fn message(&self, message: &Value) {
        self.raw(&format!("event: message\ndata: {message}\n\n")).await;
    }

    pub async fn message_with_id(&self, id: &str, message: &Value) {
        self.raw(&format!("id: {id}\ndata: {message}\n\n")).await;
    }

    /// The answer to a request, as an event without an id.
    pub async fn reply(&self, request: &Value, reply: Value) {
        self.message(&reply_to(request, reply)).await;
    }

    /// Ends in good order.
    pub async fn end(self) {
        send(&self.answer, Part::Bytes(b"0\r\n\r\n".to_vec())).await;
        send(&self.answer, Part::Done).await;
    }

    /// Closes the connection from this side, and waits until that has happened.
    pub async fn close(self) {
        send(&self.answer, Part::Close).await;
        within(LIMIT, "the site to hang up", self.answer.closed()).await;
    }

    /// Waits until the client has closed the connection.
    pub async fn until_closed(&self) {
        within(LIMIT, "the client to hang up", self.answer.closed()).await;
    }
}

/// The answer to `request` with a `result` or an `error`.
pub fn reply_to(request: &Value, reply: Value) -> Value {
    let mut message = json!({ "jsonrpc": "2.0", "id": request["id"] });
    let members = message.as_object_mut().expect("it is an object");
    members.extend(reply.as_object().expect("a reply is an object").clone());
    message
}

fn head(status: u16, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} Said\r\n");
    headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
    head.into_bytes()
}

async fn send(answer: &mpsc::Sender<Part>, part: Part) {
    // Whoever hung up has no need of it; what matters is what the client makes of that.
    drop(answer.send(part).await);
}

async fn listen(listener: TcpListener, encryption: Option<TlsAcceptor>, arrivals: mpsc::Sender<Visit>, record: Record) {
    let mut connections = JoinSet::new();
    for number in 1.. {
        let (stream, _) = listener.accept().await.expect("it can be accepted");
        stream.set_nodelay(true).expect("the socket is good");
        let connection = Connection { number, arrivals: arrivals.clone(), record: record.clone() };
        match encryption.clone() {
            None => connections.spawn(connection.serve(stream)),
            Some(acceptor) => connections.spawn(async move {
                if let Some(stream) = encryption::accept(&acceptor, stream).await {
                    connection.serve(stream).await;
                }
            }),
        };
        while connections.try_join_next().is_some() {}
    }
}

struct Connection {
    number: usize,
    arrivals: mpsc::Sender<Visit>,
    record: Record,
}

impl Connection {
    /// Request after request, until either side closes it.
    async fn serve(self, stream: impl AsyncRead + AsyncWrite) {
        let (reader, mut writer) = tokio::io::split(stream);
        let mut reader = BufReader::new(reader);
        while let Some(request) = read_request(&mut reader, self.number).await {
            self.record.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
            let (answer, mut parts) = mpsc::channel(64);
            if self.arrivals.send(Visit { request, answer }).await.is_err() {
                return;
            }
            loop {
                tokio::select! {
                    part = parts.recv() => match part {
                        Some(Part::Bytes(bytes)) if said(&mut writer, &bytes).await.is_ok() => {}
                        Some(Part::Done) => break,
                        Some(Part::Bytes(_) | Part::Close) | None => return,
                    },
                    // Nobody sends a second request before the first is answered; what comes is the end.
                    _end = reader.fill_buf() => return,
                }
            }
        }
    }
}

async fn said(writer: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> std::io::Result<()> {
    writer.write_all(bytes).await?;
    // What encrypts may keep some of it.
    writer.flush().await
}

/// None when the client has closed the connection.
async fn read_request(reader: &mut (impl AsyncBufRead + Unpin), connection: usize) -> Option<Request> {
    let first = read_line(reader).await?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let line = read_line(reader).await?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().expect("a length is a number"))];
    reader.read_exact(&mut body).await.ok()?;
    Some(Request { method, path, headers, body, connection })
}

async fn read_line(reader: &mut (impl AsyncBufRead + Unpin)) -> Option<String> {
    let mut line = String::new();
    let count = reader.read_line(&mut line).await.ok()?;
    (count > 0).then(|| line.trim_end().to_owned())
}
