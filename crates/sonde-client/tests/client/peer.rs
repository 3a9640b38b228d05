//! The server's side of a connection, spoken by the test.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Once};
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use sonde_client::{Client, ConnectError, Handshake, Negotiation, Options};
use sonde_protocol::{Body, ConnectionId, Frame, Record, Revision};
use sonde_transport::{Clock, InFlight, Launch, LineLimits, Supervisor, Tap, Verbatim, start_stdio};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes; it ends a test that hangs.
const LIMIT: Duration = Duration::from_secs(60);

pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(LIMIT, future).await {
        Ok(done) => done,
        Err(_elapsed) => panic!("{what}: nothing within {} s", LIMIT.as_secs()),
    }
}

pub fn raw(value: Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(&value).unwrap()
}

/// The program between the client and the test. Cargo builds it with the tests, but not with one of them alone.
fn relay() -> PathBuf {
    static BUILT: Once = Once::new();
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let program = folder.join("examples/relay");
    BUILT.call_once(|| {
        if !program.exists() {
            let mut cargo = Command::new(env!("CARGO"));
            let built = cargo.args(["build", "--quiet", "-p", "sonde-client", "--example", "relay"]).status();
            assert!(built.unwrap().success(), "the relay does not build");
        }
    });
    program
}

/// A whole frame holds a share of the budget for bytes on their way to the disk; the test only wants its beginning.
fn shorten(record: Record) -> Record {
    match record {
        Record::Frame(frame) => {
            let head = frame.body.bytes.get(..300).unwrap_or(&frame.body.bytes).to_vec();
            Record::Frame(Frame { body: Body::whole(head), ..frame })
        }
        other => other,
    }
}

/// What the server hears and says.
pub struct Peer {
    lines: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    /// Everything that was recorded, in the background.
    recorded: JoinHandle<Vec<Record>>,
    _folder: TempDir,
}

pub type Connected = Result<(Client, Handshake), ConnectError>;

impl Peer {
    /// Starts a server and a client that connects to it.
    pub async fn start(options: Options) -> (Peer, JoinHandle<Connected>) {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("peer");
        let listener = UnixListener::bind(&socket).unwrap();
        let (sink, mut records) = mpsc::channel(64);
        let recorded = tokio::spawn(async move {
            let mut all = Vec::new();
            while let Some(record) = records.recv().await {
                all.push(shorten(record));
            }
            all
        });
        let tap = Tap::new(ConnectionId(1), Clock::start(), sink, InFlight::default(), Arc::new(Verbatim));
        let launch = Launch {
            binary: relay(),
            args: vec![socket.display().to_string()],
            folder: folder.path().to_owned(),
            env: Vec::new(),
            longest_line: LineLimits::MESSAGE.longest,
        };
        let link = within("a start", start_stdio(&launch, &Supervisor::at(relay()), tap)).await.unwrap();
        let (stream, _): (UnixStream, _) = within("the relay", listener.accept()).await.unwrap();
        let (reader, writer) = stream.into_split();
        let connecting = tokio::spawn(async move { Client::connect(link, &options, CancellationToken::new()).await });
        (Peer { lines: BufReader::new(reader), writer, recorded, _folder: folder }, connecting)
    }

    /// A connection that agreed on `revision`, with what each side declared.
    pub async fn ready(revision: Revision, client: Value, server: Value) -> (Peer, Client) {
        let (mut peer, connecting) = Peer::start(Options { capabilities: raw(client), ..Options::default() }).await;
        let initialize = peer.read().await;
        let result = json!({ "protocolVersion": revision.as_str(), "capabilities": server, "serverInfo": {} });
        peer.result(&initialize, result).await;
        assert_eq!(peer.read().await["method"], "notifications/initialized");
        let (client, _) = connecting.await.unwrap().unwrap();
        (peer, client)
    }

    /// A connection where nothing was negotiated.
    pub async fn skipped(revision: Revision) -> (Peer, Client) {
        let options = Options { negotiation: Negotiation::Skip(revision), ..Options::default() };
        let (peer, connecting) = Peer::start(options).await;
        let (client, _) = connecting.await.unwrap().unwrap();
        (peer, client)
    }

    /// The next line, as it was written; None when our input was closed.
    pub async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        within("a line", self.lines.read_line(&mut line)).await.unwrap();
        (!line.is_empty()).then_some(line)
    }

    pub async fn read(&mut self) -> Value {
        let line = self.line().await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    pub async fn write(&mut self, line: &str) {
        self.writer.write_all(line.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    pub async fn say(&mut self, message: Value) {
        self.write(&message.to_string()).await;
    }

    /// Answers a request.
    pub async fn result(&mut self, request: &Value, result: Value) {
        self.say(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })).await;
    }

    pub async fn ask(&mut self, id: Value, method: &str, params: Value) {
        self.say(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    }

    pub async fn notify(&mut self, method: &str, params: Value) {
        self.say(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// The server has said its last word.
    pub async fn hang_up(self) -> JoinHandle<Vec<Record>> {
        drop(self.writer);
        self.recorded
    }
}
