//! A display that exists only in memory.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::process::{self, Guarded};
use crate::repository::Repository;

/// The size of the window's first start, and so of every screenshot.
const SCREEN: &str = "1360x860x24";

const START_WITHIN: Duration = Duration::from_secs(20);

pub struct VirtualDisplay {
    name: String,
    /// Ends when dropped, and the display with it.
    _server: Guarded,
}

impl VirtualDisplay {
    pub fn start(repository: &Repository) -> Result<Self> {
        let log = repository.target().join("xvfb.log");
        let mut command = Command::new("Xvfb");
        // The server takes a free number by itself and tells it on descriptor 1, once it accepts clients.
        command
            .args(["-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).with_context(|| format!("cannot write {}", log.display()))?);
        let mut server = Guarded::spawn("the virtual display", &mut command)?;

        let stdout = server.child().stdout.take().context("the virtual display's number is not readable")?;
        let (tell, number) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            let mut line = String::new();
            if BufReader::new(stdout).read_line(&mut line).is_ok() && tell.send(line).is_err() {
                eprintln!("warning: the virtual display came too late");
            }
        });
        let deadline = Instant::now() + START_WITHIN;
        loop {
            if let Ok(line) = number.recv_timeout(process::TICK) {
                if let Ok(number) = line.trim().parse::<u32>() {
                    return Ok(VirtualDisplay { name: format!(":{number}"), _server: server });
                }
                bail!("the virtual display did not start\nhint: Xvfb said: {}", fs::read_to_string(&log)?.trim());
            }
            process::check_interrupted()?;
            if Instant::now() > deadline {
                bail!("the virtual display did not start in {} s\nhint: see {}", START_WITHIN.as_secs(), log.display());
            }
        }
    }

    /// What goes into `DISPLAY`.
    pub fn name(&self) -> &str {
        &self.name
    }
}
