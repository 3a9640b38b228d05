//! A display that exists only in memory, and the hands of a person at it.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::process::Owned;

/// The size of the window's first start.
const SCREEN: &str = "1360x860x24";
const START_WITHIN: Duration = Duration::from_secs(20);

/// Each journey has one of its own: what is left on it by a failed journey is gone with it.
pub(crate) struct Display {
    name: String,
    /// Declared before the server, so that it goes first.
    _manager: Option<Owned>,
    _server: Owned,
}

impl Display {
    pub(crate) fn start() -> Result<Self> {
        let mut command = Command::new("Xvfb");
        // It takes a free number by itself and tells it on descriptor 1, once it accepts clients.
        command.args(["-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"]);
        let mut server = Owned::spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()))?;
        let stdout = server.child().stdout.take().context("the display's number is not readable")?;
        let (tell, number) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            let mut line = String::new();
            if BufReader::new(stdout).read_line(&mut line).is_ok() {
                tell.send(line).ok();
            }
        });
        let line = number.recv_timeout(START_WITHIN).context("the display did not start")?;
        let number: u32 = line.trim().parse().context("the display did not start")?;
        Ok(Display { name: format!(":{number}"), _manager: None, _server: server })
    }

    /// A small window manager, which gives dialogs the keyboard as a desktop does.
    pub(crate) fn manage(&mut self) -> Result<()> {
        let mut command = Command::new("openbox");
        command.env("DISPLAY", &self.name).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self._manager = Some(Owned::spawn(&mut command)?);
        Ok(())
    }

    /// What goes into `DISPLAY`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Keys and clicks that go through the display, as a person's do. Ends within the time, whatever happens.
    pub(crate) async fn xdotool(&self, arguments: &[&str], within: Duration) -> Result<String> {
        let mut command = tokio::process::Command::new("xdotool");
        command.args(arguments).env("DISPLAY", &self.name).stdin(Stdio::null()).kill_on_drop(true);
        let words = arguments.join(" ");
        let output = tokio::time::timeout(within, command.output())
            .await
            .with_context(|| format!("`xdotool {words}` did not end in {} s", within.as_secs()))?
            .context("`xdotool` could not be started")?;
        if !output.status.success() {
            bail!("`xdotool {words}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}
