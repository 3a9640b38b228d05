//! The foreign servers, and the foreign client.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::reach::{Listening, Over, Server};

/// All that our command line can answer.
pub const EVERY_CAPABILITY: &str = r#"{
    "roots": { "listChanged": true },
    "sampling": { "tools": {}, "context": {} },
    "elicitation": { "form": {}, "url": {} },
    "tasks": {
        "list": {}, "cancel": {},
        "requests": { "sampling": { "createMessage": {} }, "elicitation": { "create": {} } }
    }
}"#;

pub const REVISIONS: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The reference server, on the TypeScript SDK.
pub fn everything(over: Over) -> Server {
    let program = installed("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    match over {
        Over::Stdio => Server::Command(vec!["node".to_owned(), program, "stdio".to_owned()]),
        Over::Http => Server::Listening(Listening::start(&program, &["streamableHttp"], over, "/mcp")),
        Over::Sse => Server::Listening(Listening::start(&program, &["sse"], over, "/sse")),
    }
}

/// Answers with JSON alone, and has no stream of its own.
pub fn json_only() -> Server {
    example("jsonResponseStreamableHttp.js")
}

/// Closes the stream of a call before the call has ended, so that the client must come back for the answer.
pub fn polling() -> Server {
    example("ssePollingExample.js")
}

/// A server that the TypeScript SDK shows how to use it by.
fn example(file: &str) -> Server {
    let program = installed(&format!("node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/{file}"));
    Server::Listening(Listening::start(&program, &[], Over::Http, "/mcp"))
}

/// A small server on the newest Python SDK.
pub fn time() -> Server {
    Server::Command(vec![installed("time/bin/mcp-server-time")])
}

/// A server that was left on the Python SDK before. It keeps its database in `folder`.
pub fn sqlite(folder: &Path) -> Server {
    let database = folder.join("test.db").to_str().unwrap().to_owned();
    Server::Command(vec![installed("sqlite/bin/mcp-server-sqlite"), "--db-path".to_owned(), database])
}

/// What the second client lists, and what it agreed on.
pub fn listed_by_another_client(capabilities: &str, revision: &str, server: &Server) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/list.mjs");
    let mut node = Command::new("node");
    node.arg(script).args(["--capabilities", capabilities, "--protocol", revision]).args(server.words());
    let output = node.stdin(Stdio::null()).output().expect("node can be run");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the second client fails with {:?}: {complaint}", server.words());
    serde_json::from_slice(&output.stdout).expect("the second client prints JSON")
}

/// Where the foreign programs are.
pub fn folder() -> PathBuf {
    let folder = std::env::var("SONDE_PEERS");
    folder.expect("SONDE_PEERS names the folder of the foreign programs; `make peers` installs them and sets it").into()
}

fn installed(path: &str) -> String {
    let program = folder().join(path);
    assert!(program.exists(), "{} is not installed: run `make peers`", program.display());
    program.to_str().unwrap().to_owned()
}
