//! The demo server at an address, for as long as a scenario lasts.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::process::{self, Guarded};
use crate::repository::Repository;

/// Its first line; a loaded machine may need most of the time.
const STARTS_WITHIN: Duration = Duration::from_secs(60);

/// Dropping it ends it.
pub struct Demo {
    url: String,
    _process: Guarded,
}

impl Demo {
    pub fn start(repository: &Repository) -> Result<Self> {
        let mut command = Command::new(repository.binary("sonde-demo"));
        command.args(["--http", "0"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = Guarded::spawn("the demo server", &mut command)?;
        let stdout = process.child().stdout.take().context("the demo's address is not readable")?;
        let (tell, first) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            let line = BufReader::new(stdout).lines().next().and_then(Result::ok).unwrap_or_default();
            // Whoever stopped waiting does not mind.
            tell.send(line).unwrap_or_default();
        });
        let deadline = Instant::now() + STARTS_WITHIN;
        let line = loop {
            match first.recv_timeout(process::TICK) {
                Ok(line) => break line,
                Err(_) if Instant::now() > deadline => bail!("the demo server does not listen"),
                Err(_) => process::check_interrupted()?,
            }
        };
        let url = line.strip_prefix("listening on ").context("the demo server told no address")?;
        Ok(Demo { url: url.to_owned(), _process: process })
    }

    pub fn url(&self) -> &str {
        &self.url
    }
}
