//! A server whose words are spoken by a journey: the app starts a real process that passes everything on to us.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use sonde_app::{
    Ask, Begun, CallStatus, Ended, JsonObject, Keeping, Posture, Profile as Said, Question, Setup, TypedCommand,
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixListener;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Mutex;

use crate::{Door, LIMIT, Profile, binaries, within};

/// The name of the server, after its program.
pub const WIRE: &str = "relay";

/// An app whose only server is spoken by the journey. It can be connected again and again.
pub struct Stage {
    pub door: Door,
    pub profile: Profile,
    listener: UnixListener,
    /// The mouth of the newest server, so that it is closed when the app is: nobody need wait for it to be killed.
    mouth: Mutex<Mouth>,
}

type Mouth = Arc<Mutex<Option<OwnedWriteHalf>>>;

/// The server's end of one connection.
pub struct Peer {
    lines: BufReader<OwnedReadHalf>,
    mouth: Mouth,
    /// How many questions it has asked.
    questions: u64,
}

/// The rows of one connection, oldest first.
pub struct Log {
    pub rows: Vec<Value>,
}

impl Stage {
    /// As a terminal opens it: every capability is declared, and lists are fetched only when somebody asks.
    pub async fn open() -> Self {
        Stage::open_with(|_| {}).await
    }

    /// A terminal that declares these capabilities instead.
    pub async fn declaring(capabilities: Value) -> Self {
        let capabilities = JsonObject::parse(&capabilities.to_string());
        Stage::saying(Said { capabilities, ..Said::default() }).await
    }

    /// A terminal where this was said on the command line.
    pub async fn saying(overrides: Said) -> Self {
        Stage::open_with(|setup| setup.overrides = overrides).await
    }

    pub async fn open_with(adjust: impl FnOnce(&mut Setup)) -> Self {
        let profile = Profile::default();
        let socket = profile.project().join("wire");
        let listener = UnixListener::bind(&socket).expect("the socket can be made");
        let command = [binaries::relay(), socket].map(|path| path.to_str().expect("the path is UTF-8").to_owned());
        let typed = TypedCommand { command: command.to_vec(), folder: Some(profile.project()), ..Default::default() };
        let terminal = |setup: &mut Setup| {
            (setup.typed, setup.posture, setup.keeping) = (Some(typed.into()), Posture::terminal(), Keeping::OnDemand);
            adjust(setup);
        };
        let door = profile.open_with(terminal).await;
        Stage { door, profile, listener, mouth: Mutex::default() }
    }

    /// Starts the server. What the client says first has not been read yet.
    pub async fn meet(&self) -> Peer {
        self.door.app.connect(WIRE).await.unwrap_or_else(|error| panic!("it should start: {error}"));
        let (stream, _) = within(LIMIT, "the server to start", self.listener.accept()).await.expect("it connects");
        let (reader, writer) = stream.into_split();
        let mouth: Mouth = Arc::new(Mutex::new(Some(writer)));
        *self.mouth.lock().await = mouth.clone();
        Peer { lines: BufReader::new(reader), mouth, questions: 0 }
    }

    /// A connection that agreed on `revision`, the server declaring `capabilities`.
    pub async fn ready(&self, revision: &str, capabilities: Value) -> Peer {
        let mut peer = self.meet().await;
        peer.agree(revision, capabilities).await;
        self.until_ready().await;
        peer
    }

    pub async fn until_ready(&self) {
        let ready = within(LIMIT, "the server to be ready", self.door.app.until_ready(WIRE)).await;
        ready.unwrap_or_else(|error| panic!("it should connect: {error}"));
    }

    /// Sends a request that must be sendable; a tool's arguments are not checked.
    pub async fn begin(&self, method: &str, params: Value) -> Begun {
        self.send(Ask { validate: false, ..ask(method, params) }).await
    }

    pub async fn send(&self, ask: Ask) -> Begun {
        let begun = within(LIMIT, "a request to be sent", self.door.app.begin(ask)).await;
        begun.unwrap_or_else(|error| panic!("it should be sent: {error}"))
    }

    /// Sends a request and answers it with `reply`, which has a `result` or an `error`. Gives what the server read.
    pub async fn exchange(&self, peer: &mut Peer, method: &str, params: Value, reply: Value) -> (Value, Ended) {
        let begun = self.begin(method, params).await;
        let sent = peer.read().await;
        peer.reply(&sent, reply).await;
        (sent, ended(begun).await)
    }

    /// The newest question, once there are `count` of them.
    pub async fn question(&self, count: usize) -> Question {
        self.until_questions(count).await.pop().expect("there are some")
    }

    pub async fn until_questions(&self, count: usize) -> Vec<Question> {
        let mut news = self.door.app.question_changes();
        let search = async {
            loop {
                news.mark_unchanged();
                let questions = self.door.app.questions();
                if questions.len() == count {
                    return questions;
                }
                news.changed().await.expect("the app is there");
            }
        };
        within(LIMIT, "the questions", search).await
    }

    /// Waits until everything that was said before is in the log, and gives the rows of this connection.
    pub async fn log(&self, peer: &mut Peer) -> Log {
        let begun = self.begin("ping", Value::Null).await;
        let (id, sent) = (begun.request_id.clone(), peer.read().await);
        assert_eq!(sent["method"], "ping", "nothing else was on its way: {sent}");
        peer.reply(&sent, json!({ "result": {} })).await;
        ended(begun).await;
        let view = self.view();
        let answered = |row: &Value| row["id"] == id.as_str() && row["method"] == "ping" && row["status"] == "ok";
        self.door.until_row("the log to be up to date", view.clone(), answered).await;
        Log { rows: self.door.rows(view).await }
    }

    /// The server hangs up; gives everything that was recorded of the connection.
    pub async fn end(&self, peer: Peer) -> Log {
        peer.hang_up().await;
        within(LIMIT, "the connection to end", self.door.app.disconnect(WIRE)).await.expect("it can be ended");
        let last = |row: &Value| {
            let words = row["target"].as_str().unwrap_or_default();
            row["kind"] == "mark" && ["disconnected", "the server "].iter().any(|last| words.starts_with(last))
        };
        let recorded = async || {
            let rows = self.door.rows(self.view()).await;
            (rows.iter().any(last) && rows.iter().all(|row| row["status"] != "pending")).then_some(rows)
        };
        Log { rows: self.door.until("the end of the connection in the log", recorded).await }
    }

    /// The rows of the newest connection.
    pub fn view(&self) -> Value {
        json!({ "server": WIRE, "kind": null, "connection": self.door.app.connection(WIRE) })
    }

    /// Ends whatever is connected, and the app.
    pub async fn close(self) {
        self.mouth.lock().await.lock().await.take();
        self.door.close().await;
    }
}

pub fn ask(method: &str, params: Value) -> Ask {
    Ask { params: (!params.is_null()).then(|| params.to_string()), ..Ask::new(WIRE, method) }
}

/// Waits for an answer that must come.
pub async fn ended(begun: Begun) -> Ended {
    let end = within(LIMIT, "an answer", begun.end()).await;
    end.unwrap_or_else(|error| panic!("it should be answered: {error}"))
}

/// The result of a call that went well.
pub fn result(ended: &Ended) -> Value {
    assert_eq!(ended.status, CallStatus::Ok, "{:?}", ended.answer);
    match &ended.answer {
        sonde_app::Answer::Result(result) => serde_json::from_str(result.get()).expect("a result is JSON"),
        error => panic!("it should be a result: {error:?}"),
    }
}

pub fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("a value can be written")
}

impl Peer {
    /// Answers `initialize`, and reads that the client took the answer. Gives the request.
    pub async fn agree(&mut self, revision: &str, capabilities: Value) -> Value {
        let initialize = self.read().await;
        assert_eq!(initialize["method"], "initialize", "it is the first thing that is said");
        let info = json!({ "name": "wire", "version": "1" });
        let result = json!({ "protocolVersion": revision, "capabilities": capabilities, "serverInfo": info });
        self.reply(&initialize, json!({ "result": result })).await;
        assert_eq!(self.read().await, json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        initialize
    }

    /// The next line with its line feed; None when our input was closed.
    pub async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        within(LIMIT, "a line", self.lines.read_line(&mut line)).await.expect("it is UTF-8");
        (!line.is_empty()).then_some(line)
    }

    pub async fn read(&mut self) -> Value {
        let line = self.line().await.expect("the client still speaks");
        serde_json::from_str(&line).expect("it speaks JSON")
    }

    /// Says exactly these bytes.
    pub async fn bytes(&mut self, bytes: &[u8]) {
        let mut mouth = self.mouth.lock().await;
        mouth.as_mut().expect("the server still speaks").write_all(bytes).await.expect("the relay reads");
    }

    /// The server has said its last word, and ends.
    pub async fn hang_up(self) {
        self.mouth.lock().await.take();
    }

    pub async fn line_of(&mut self, text: &str) {
        self.bytes(format!("{text}\n").as_bytes()).await;
    }

    pub async fn say(&mut self, message: Value) {
        self.line_of(&message.to_string()).await;
    }

    /// Answers a request with a `result` or an `error`.
    pub async fn reply(&mut self, request: &Value, reply: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "id": request["id"] });
        let members = message.as_object_mut().expect("it is an object");
        members.extend(reply.as_object().expect("a reply is an object").clone());
        self.say(message).await;
    }

    pub async fn notify(&mut self, method: &str, params: Value) {
        self.say(message(json!({ "jsonrpc": "2.0", "method": method }), params)).await;
    }

    /// Sends a request of the server's; gives its id.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.questions += 1;
        let id = json!(format!("q{}", self.questions));
        self.say(message(json!({ "jsonrpc": "2.0", "id": id, "method": method }), params)).await;
        id
    }

    /// Sends a request and reads the client's answer to it.
    pub async fn asked(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        let answer = self.read().await;
        assert_eq!(answer["id"], id, "it answers that request: {answer}");
        answer
    }
}

/// A message with its parameters, where there are any.
fn message(mut message: Value, params: Value) -> Value {
    if !params.is_null() {
        message["params"] = params;
    }
    message
}

impl Log {
    /// Each finding as `method code`, in the order of the rows; a row without a method is named by its kind.
    pub fn findings(&self) -> Vec<String> {
        let of_row = |row: &Value| {
            let name = row["method"].as_str().or(row["kind"].as_str()).unwrap_or_default().to_owned();
            let findings = row["findings"].as_array().cloned().unwrap_or_default();
            findings.into_iter().map(move |finding| format!("{name} {}", finding["code"].as_str().unwrap_or_default()))
        };
        self.rows.iter().flat_map(of_row).collect()
    }

    /// The rows of a method.
    pub fn of(&self, method: &str) -> Vec<&Value> {
        self.rows.iter().filter(|row| row["method"] == method).collect()
    }

    /// The only row of a method.
    pub fn one(&self, method: &str) -> &Value {
        match self.of(method).as_slice() {
            [row] => row,
            rows => panic!("there should be one row of `{method}`: {rows:?}"),
        }
    }

    /// The only row of a kind.
    pub fn kind(&self, kind: &str) -> &Value {
        let rows: Vec<_> = self.rows.iter().filter(|row| row["kind"] == kind).collect();
        match rows.as_slice() {
            [row] => row,
            rows => panic!("there should be one row of kind `{kind}`: {rows:?}"),
        }
    }
}
