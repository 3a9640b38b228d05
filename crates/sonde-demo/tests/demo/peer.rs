//! A server process seen from the other end of its pipes.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// No wait of these tests is longer; a machine under load may need most of it.
const LIMIT: Duration = Duration::from_secs(60);

pub struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
    next_id: u64,
}

impl Peer {
    pub fn demo() -> Self {
        let mut peer = Self::start(env!("CARGO_BIN_EXE_sonde-demo"), &[]);
        peer.initialize();
        peer
    }

    /// The demo, told that its client can do this and speaks that revision.
    pub fn demo_for(revision: &str, capabilities: Value) -> Self {
        let mut peer = Self::start(env!("CARGO_BIN_EXE_sonde-demo"), &[]);
        peer.shake_hands(revision, capabilities);
        peer
    }

    pub fn load(options: &[&str]) -> Self {
        Self::start(env!("CARGO_BIN_EXE_sonde-load"), options)
    }

    pub fn start(program: &str, options: &[&str]) -> Self {
        let mut child = Command::new(program)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        Self {
            stdin: child.stdin.take(),
            stdout: lines_of(child.stdout.take().expect("stdout is piped")),
            stderr: lines_of(child.stderr.take().expect("stderr is piped")),
            child,
            next_id: 1,
        }
    }

    pub fn initialize(&mut self) -> Value {
        self.shake_hands("2025-11-25", json!({}))
    }

    fn shake_hands(&mut self, revision: &str, capabilities: Value) -> Value {
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": revision,
                "capabilities": capabilities,
                "clientInfo": { "name": "raw", "version": "0" },
            }),
        );
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    pub fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("stdin is still open");
        writeln!(stdin, "{message}").expect("the server reads its input");
    }

    /// Sends a request and returns its id.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request and returns the next line, which must be its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.message();
        assert_eq!(answer["id"], id, "nothing else was expected: {answer}");
        answer
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let mut answer = self.request("tools/call", params);
        answer["result"].take()
    }

    /// Answers a request of the server's.
    pub fn answer(&mut self, request: &Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
    }

    /// The next message that answers `id`; what comes before it is passed to `meanwhile`.
    pub fn until_answered(&self, id: u64, mut meanwhile: impl FnMut(Value)) -> Value {
        loop {
            let message = self.message();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            meanwhile(message);
        }
    }

    pub fn cancel(&mut self, id: u64) {
        self.send(&json!({
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": { "requestId": id, "reason": "the test has seen enough" },
        }));
    }

    pub fn message(&self) -> Value {
        let line = self.line().expect("stdout has not ended");
        serde_json::from_slice(&line)
            .unwrap_or_else(|error| panic!("not JSON ({error}): {}", String::from_utf8_lossy(&line)))
    }

    /// The next line of stdout without its newline, or `None` at its end.
    pub fn line(&self) -> Option<Vec<u8>> {
        next(&self.stdout)
    }

    pub fn stderr_line(&self) -> Option<String> {
        next(&self.stderr).map(|line| String::from_utf8_lossy(&line).into_owned())
    }

    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Closes stdin and returns what the server still wrote, and how it ended.
    pub fn finish(mut self) -> (Vec<Vec<u8>>, ExitStatus) {
        self.close_stdin();
        let rest = std::iter::from_fn(|| self.line()).collect();
        let status = self.wait().expect("the server ends when its input ends");
        (rest, status)
    }

    /// Waits for the process to end; `None` when it does not.
    pub fn wait(&mut self) -> Option<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < LIMIT {
            if let Some(status) = self.child.try_wait().expect("the child can be waited for") {
                return Some(status);
            }
            thread::yield_now();
        }
        None
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("the child can be waited for").is_none()
    }

    pub fn kill(&mut self) {
        self.child.kill().expect("the child can be killed");
        self.child.wait().expect("a killed child ends");
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        if self.is_running() {
            self.kill();
        }
    }
}

/// A bounded queue, so that a flood that nobody reads stops at the pipe and not in our memory.
fn lines_of(stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(1024);
    thread::spawn(move || {
        for line in BufReader::new(stream).split(b'\n') {
            let line = line.expect("a pipe can be read");
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn next(lines: &Receiver<Vec<u8>>) -> Option<Vec<u8>> {
    match lines.recv_timeout(LIMIT) {
        Ok(line) => Some(line),
        Err(RecvTimeoutError::Disconnected) => None,
        Err(RecvTimeoutError::Timeout) => panic!("no line within {LIMIT:?}"),
    }
}
