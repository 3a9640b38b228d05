//! The load server over HTTP, as a process of its own.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context, Result};

use crate::binaries;

pub struct HttpLoad {
    process: Child,
    /// Taken to end it.
    stdin: Option<ChildStdin>,
    url: String,
}

impl HttpLoad {
    pub fn start() -> Result<Self> {
        let mut process = Command::new(binaries::load_server()?)
            .args(["--http", "0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the load server could not be started")?;
        let (Some(stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
            anyhow::bail!("the load server has no pipes");
        };
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let url = line.trim().strip_prefix("listening on ").with_context(|| format!("no address: `{line}`"))?;
        Ok(HttpLoad { process, stdin: Some(stdin), url: url.to_owned() })
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Host and port.
    pub fn authority(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches("/mcp")
    }

    pub fn end(mut self) -> Result<()> {
        drop(self.stdin.take());
        self.process.wait()?;
        Ok(())
    }
}
