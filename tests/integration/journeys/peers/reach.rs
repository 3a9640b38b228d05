//! How a foreign server is reached: started by us at the other end of a pipe, or listening already.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    Stdio,
    /// Streamable HTTP.
    Http,
    /// What came before it: a stream for all that the server says, and an address for what it is told.
    Sse,
}

pub enum Server {
    Command(Vec<String>),
    Listening(Listening),
}

/// A server on a free port of the loopback. It ends with the journey, however that ends.
pub struct Listening {
    child: Child,
    url: String,
    over: Over,
}

/// The same journey over each transport, a server for each.
macro_rules! over_each_transport {
    ($($journey:ident),+ $(,)?) => {
        $(mod $journey {
            use super::super::reach::Over;
            use super::super::servers::everything;

            #[test]
            fn over_stdio() {
                super::$journey(&everything(Over::Stdio));
            }

            #[test]
            fn over_http() {
                super::$journey(&everything(Over::Http));
            }

            #[test]
            fn over_sse() {
                super::$journey(&everything(Over::Sse));
            }
        })+
    };
}
pub(super) use over_each_transport;

impl Server {
    /// The end of a command line that reaches it, ours or that of the second client.
    pub fn words(&self) -> Vec<String> {
        match self {
            Server::Command(command) => [&["--".to_owned()], command.as_slice()].concat(),
            Server::Listening(Listening { url, over, .. }) => {
                let transport = if *over == Over::Sse { "sse" } else { "http" };
                ["--url", url, "--transport", transport].map(str::to_owned).to_vec()
            }
        }
    }

    /// The same as an entry of a configuration.
    pub fn entry(&self) -> Value {
        match self {
            Server::Command(command) => json!({ "command": command[0], "args": command[1..] }),
            Server::Listening(Listening { url, over, .. }) => {
                json!({ "type": if *over == Over::Sse { "sse" } else { "http" }, "url": url })
            }
        }
    }
}

impl Listening {
    /// Starts a program of Node and waits until it listens.
    pub fn start(program: &str, arguments: &[&str], over: Over, path: &str) -> Self {
        let preload = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/listen.mjs");
        let mut node = Command::new("node");
        node.arg("--import").arg(preload).arg(program).args(arguments);
        // Its input is held open by us alone, so it ends with us even where nobody is left to end it.
        node.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = node.spawn().expect("node can be run");
        let mut complaints = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = String::new();
        let port = loop {
            let Some(Ok(line)) = complaints.next() else { panic!("{program} does not listen: {said}") };
            match line.strip_prefix("listening on ") {
                Some(port) => break port.parse::<u16>().expect("a port is a number"),
                None => said += &line,
            }
        };
        // What it says later is read, or it would stand still once the pipe is full.
        std::thread::spawn(move || complaints.for_each(drop));
        Listening { child, url: format!("http://127.0.0.1:{port}{path}"), over }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
