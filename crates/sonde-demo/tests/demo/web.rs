//! The demo over HTTP, seen from the other end of its sockets: requests by hand, answers event by event.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};

use crate::peer::Peer;

/// No wait of these tests is longer; a machine under load may need most of it.
const LIMIT: Duration = Duration::from_secs(60);

/// A server process and the port it listens on.
pub struct Web {
    pub peer: Peer,
    port: u16,
}

/// A connection that stays.
pub struct Connection(TcpStream);

/// A session as its client sees it.
pub struct Session {
    port: u16,
    id: String,
    next_id: u64,
    pub greeting: Value,
}

/// What came back: the head, and the body as it arrives.
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    body: Body,
}

#[derive(Debug)]
pub struct Event {
    pub data: String,
    pub id: Option<String>,
}

struct Body {
    stream: BufReader<TcpStream>,
    /// How many bytes are left of the chunk, or of the body where it has a length.
    left: usize,
    is_chunked: bool,
}

impl Web {
    pub fn demo() -> Self {
        Self::start(env!("CARGO_BIN_EXE_sonde-demo"), &["--http", "0"])
    }

    pub fn start(program: &str, options: &[&str]) -> Self {
        let peer = Peer::start(program, options);
        let line = String::from_utf8(peer.line().expect("the address is the first line")).expect("an address is text");
        let port = line
            .strip_prefix("listening on http://127.0.0.1:")
            .and_then(|rest| rest.strip_suffix("/mcp"))
            .and_then(|port| port.parse().ok())
            .unwrap_or_else(|| panic!("no address: {line}"));
        Self { peer, port }
    }

    /// Shakes hands at the newest revision.
    pub fn session(&self, capabilities: Value) -> Session {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": "raw", "version": "0" },
        });
        let request = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let mut answer = self.send("POST", &[], &request.to_string());
        assert_eq!(answer.status, 200, "initialize is answered");
        let id = answer.header("mcp-session-id").expect("a session has an id").to_owned();
        let greeting = answer.message()["result"].take();
        let session = Session { port: self.port, id, next_id: 1, greeting };
        let accepted = session.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert_eq!(accepted.status, 202, "a notification has no answer");
        session
    }

    /// A request in one connection of its own. `headers` replace those that a client sends by itself.
    pub fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        send(self.port, method, "/mcp", headers, body)
    }

    /// One connection for several requests.
    pub fn connection(&self) -> Connection {
        Connection(connect(self.port))
    }

    pub fn send_to(&self, path: &str, body: &str) -> Answer {
        send(self.port, "POST", path, &[], body)
    }
}

impl Connection {
    /// The answer's body must be read before the next request is sent.
    pub fn send(&mut self, method: &str, body: &str) -> Answer {
        let stream = self.0.try_clone().expect("a socket has a second handle");
        exchange(stream, method, "/mcp", &[("connection", "keep-alive")], body)
    }
}

impl Session {
    pub fn post(&self, message: &Value) -> Answer {
        send(self.port, "POST", "/mcp", &[("mcp-session-id", &self.id)], &message.to_string())
    }

    /// Opens the stream of what belongs to no request, or goes on with one behind this event.
    pub fn listen(&self, last_event_id: Option<&str>) -> Answer {
        let mut headers = vec![("mcp-session-id", self.id.as_str()), ("accept", "text/event-stream")];
        headers.extend(last_event_id.map(|id| ("last-event-id", id)));
        let answer = send(self.port, "GET", "/mcp", &headers, "");
        assert_eq!(answer.status, 200, "there is a stream");
        answer
    }

    pub fn end(&self) -> u16 {
        send(self.port, "DELETE", "/mcp", &[("mcp-session-id", &self.id)], "").status
    }

    /// Sends a request; gives its id and the stream of its answer.
    pub fn ask(&mut self, method: &str, params: Value) -> (u64, Answer) {
        let id = self.next_id;
        self.next_id += 1;
        (id, self.post(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })))
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let (id, mut answer) = self.ask(method, params);
        assert_eq!(answer.status, 200, "`{method}` is answered");
        answer.until_answered(id, |other| panic!("nothing else was expected: {other}"))
    }

    pub fn begin(&mut self, tool: &str, arguments: Value) -> (u64, Answer) {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": tool } });
        self.ask("tools/call", params)
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].take()
    }

    /// Answers a request of the server's.
    pub fn answer(&self, request: &Value, result: Value) {
        let accepted = self.post(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
        assert_eq!(accepted.status, 202, "an answer has no answer");
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn text(mut self) -> String {
        let mut text = String::new();
        while let Some(line) = self.body.line() {
            text.push_str(&line);
        }
        text
    }

    /// The next event; `None` at the end of the stream.
    pub fn event(&mut self) -> Option<Event> {
        let (mut data, mut id) = (None, None);
        loop {
            let line = self.body.line()?;
            match line.trim_end_matches('\n').split_once(": ") {
                Some(("data", value)) => data = Some(value.to_owned()),
                Some(("id", value)) => id = Some(value.to_owned()),
                None if line == "\n" && (data.is_some() || id.is_some()) => {
                    return Some(Event { data: data.unwrap_or_default(), id });
                }
                _ => {}
            }
        }
    }

    /// The next event that holds anything.
    pub fn full_event(&mut self) -> Option<Event> {
        std::iter::from_fn(|| self.event()).find(|event| !event.data.is_empty())
    }

    pub fn message(&mut self) -> Value {
        let event = self.full_event().expect("the stream has not ended");
        serde_json::from_str(&event.data).unwrap_or_else(|error| panic!("not JSON ({error}): {}", event.data))
    }

    /// The answer to `id`; what comes before it is passed to `meanwhile`.
    pub fn until_answered(&mut self, id: u64, mut meanwhile: impl FnMut(Value)) -> Value {
        loop {
            let message = self.message();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            meanwhile(message);
        }
    }
}

impl Body {
    /// The next line of the decoded body, with its newline; what a cut off body ends with is no line.
    fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        while !line.ends_with(b"\n") {
            let Some(byte) = self.byte() else { break };
            line.push(byte);
        }
        (!line.is_empty()).then(|| String::from_utf8(line).expect("everything here is text"))
    }

    fn byte(&mut self) -> Option<u8> {
        if self.left == 0 && self.is_chunked {
            let size = read_line(&mut self.stream)?;
            self.left = usize::from_str_radix(&size, 16).unwrap_or_else(|_| panic!("no size of a chunk: `{size}`"));
        }
        if self.left == 0 {
            return None;
        }
        let mut byte = [0];
        self.stream.read_exact(&mut byte).ok()?;
        self.left -= 1;
        if self.left == 0 && self.is_chunked {
            assert_eq!(read_line(&mut self.stream).as_deref(), Some(""), "a chunk ends with a line end");
        }
        Some(byte[0])
    }
}

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    stream.set_read_timeout(Some(LIMIT)).expect("a socket has a read timeout");
    stream
}

fn send(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    exchange(connect(port), method, path, headers, body)
}

fn exchange(mut stream: TcpStream, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let own = [
        ("host", "localhost"),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("mcp-protocol-version", "2025-11-25"),
        ("connection", "close"),
    ];
    let mut head = format!("{method} {path} HTTP/1.1\r\ncontent-length: {}\r\n", body.len());
    let kept = own.into_iter().filter(|(name, _)| !headers.iter().any(|(given, _)| given == name));
    for (name, value) in kept.chain(headers.iter().copied()).filter(|(_, value)| !value.is_empty()) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).expect("the server reads");
    read_head(BufReader::new(stream))
}

fn read_head(mut stream: BufReader<TcpStream>) -> Answer {
    let status = read_line(&mut stream).expect("an answer begins with its status");
    let status = status.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status is a number");
    let mut headers = Vec::new();
    while let Some(line) = read_line(&mut stream).filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').expect("a header has a name");
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let value = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let is_chunked = value("transfer-encoding") == Some("chunked");
    let left = value("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
    Answer { status, body: Body { stream, left, is_chunked }, headers }
}

fn read_line(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let size = stream.read_line(&mut line).expect("the server does not fall silent");
    (size > 0).then(|| line.trim_end().to_owned())
}
