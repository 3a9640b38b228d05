//! The official TypeScript client, where `make peers` installed it.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::binaries;

pub struct Typescript {
    node: Child,
    /// Taken to end it.
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

/// What it says when an order is done.
#[derive(Deserialize)]
struct Done {
    cpu: f64,
}

impl Typescript {
    /// `None` where it is not installed.
    pub fn start(options: &[&str]) -> Result<Option<Self>> {
        let server = binaries::load_server()?.into_os_string();
        Typescript::speak_to(std::iter::once(server).chain(options.iter().map(OsString::from)))
    }

    pub fn over_http(url: &str) -> Result<Option<Self>> {
        Typescript::speak_to(["--url", url].into_iter().map(OsString::from))
    }

    fn speak_to(server: impl Iterator<Item = OsString>) -> Result<Option<Self>> {
        let Some(peers) = std::env::var_os("SONDE_PEERS") else { return Ok(None) };
        if !Path::new(&peers).join("node_modules/@modelcontextprotocol/client").is_dir() {
            return Ok(None);
        }
        let mut node = Command::new("node")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/client.mjs"))
            .args(server)
            // A thousand calls at once are more than it thinks anybody makes.
            .env("NODE_NO_WARNINGS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("`node` could not be started")?;
        let (Some(stdin), Some(stdout)) = (node.stdin.take(), node.stdout.take()) else {
            anyhow::bail!("`node` has no pipes");
        };
        let mut client = Typescript { node, stdin: Some(stdin), stdout: BufReader::new(stdout) };
        client.done().context("the TypeScript client does not connect")?;
        Ok(Some(client))
    }

    /// Has it carry out an order; gives the CPU time it took.
    pub fn order(&mut self, order: &Value) -> Result<Duration> {
        let stdin = self.stdin.as_mut().context("its input is closed")?;
        writeln!(stdin, "{order}")?;
        self.done()
    }

    fn done(&mut self) -> Result<Duration> {
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        let done: Done = serde_json::from_str(&line).with_context(|| format!("it says `{line}`"))?;
        Ok(Duration::from_secs_f64(done.cpu))
    }

    pub fn end(mut self) -> Result<()> {
        drop(self.stdin.take());
        self.node.wait()?;
        Ok(())
    }
}
