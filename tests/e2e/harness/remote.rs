//! Servers that are there before the window and are no process of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::binaries::binary;
use crate::process::Owned;

const START_WITHIN: Duration = Duration::from_secs(60);

/// The demo server behind an address; dropping it ends it.
pub struct Demo {
    url: String,
    _process: Owned,
}

impl Demo {
    pub fn listen() -> Result<Self> {
        let mut command = Command::new(binary("sonde")?);
        command.args(["demo", "--http", "0"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Owned::spawn(&mut command)?;
        let stdout = process.child().stdout.take().context("the demo's address is not readable")?;
        let (tell, line) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            let mut line = String::new();
            if BufReader::new(stdout).read_line(&mut line).is_ok() {
                tell.send(line).ok();
            }
        });
        let line = line.recv_timeout(START_WITHIN).context("the demo does not listen")?;
        let url = line.trim().strip_prefix("listening on ").context("the demo says no address")?;
        Ok(Demo { url: url.to_owned(), _process: process })
    }

    pub fn url(&self) -> &str {
        &self.url
    }
}

/// An address where every request gets the same answer, for as long as the tests run.
pub fn answering(answer: String) -> Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is free")?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let mut request = [0; 64 * 1024];
            // One read takes the whole of a small request; who closes before gets no answer.
            if stream.read(&mut request).is_ok_and(|read| read > 0) {
                stream.write_all(answer.as_bytes()).ok();
            }
        }
    });
    Ok(url)
}
