//! The foreign servers, each as the command that starts it, and the foreign client.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

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
pub fn everything() -> Vec<String> {
    let program = installed("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    vec!["node".to_owned(), program, "stdio".to_owned()]
}

/// A small server on the newest Python SDK.
pub fn time() -> Vec<String> {
    vec![installed("time/bin/mcp-server-time")]
}

/// A server that was left on the Python SDK before. It keeps its database in `folder`.
pub fn sqlite(folder: &Path) -> Vec<String> {
    let database = folder.join("test.db").to_str().unwrap().to_owned();
    vec![installed("sqlite/bin/mcp-server-sqlite"), "--db-path".to_owned(), database]
}

/// What the second client lists, and what it agreed on.
pub fn listed_by_another_client(capabilities: &str, revision: &str, server: &[String]) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/list.mjs");
    let mut node = Command::new("node");
    node.arg(script).args(["--capabilities", capabilities, "--protocol", revision, "--"]).args(server);
    let output = node.stdin(Stdio::null()).output().expect("node can be run");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the second client fails with {server:?}: {complaint}");
    serde_json::from_slice(&output.stdout).expect("the second client prints JSON")
}

fn installed(path: &str) -> String {
    let folder = std::env::var("SONDE_PEERS")
        .expect("SONDE_PEERS names the folder of the foreign programs; `make peers` installs them and sets it");
    let program = PathBuf::from(folder).join(path);
    assert!(program.exists(), "{} is not installed: run `make peers`", program.display());
    program.to_str().unwrap().to_owned()
}
