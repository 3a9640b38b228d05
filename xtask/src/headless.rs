//! The window where there is no screen: on a virtual display, with a picture of it to look at.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::display::VirtualDisplay;
use crate::process::{self, Guarded};
use crate::repository::Repository;
use crate::run::Options;
use crate::screenshot;

/// How the app announces on stderr that the window can be used.
const READY: &str = "sonde: window ready";

/// From the start of the process to the window; a slow machine needs ten seconds of it.
const READY_WITHIN: Duration = Duration::from_secs(120);

/// How many of the app's last lines an error repeats.
const TAIL: usize = 20;

pub fn run(repository: &Repository, options: &Options, mut window: Command) -> Result<()> {
    // Declared before the app, so dropped after it: the display must not vanish under the window.
    let display = VirtualDisplay::start(repository)?;
    eprintln!("sonde: no display is used; the window opens on the virtual display {}", display.name());
    prepare(&mut window, &display);
    if options.once {
        start_afresh(repository, &mut window)?;
    }

    let mut app = Guarded::spawn("the window", window.stderr(Stdio::piped()))?;
    let messages = Messages::forward(app.child())?;
    wait_until_ready(&mut app, &messages)?;

    let picture = screenshot::take_when_still(display.name())?;
    if let Some(status) = app.ended()? {
        return Err(ended(status, &messages));
    }
    let file = repository.target().join("screenshot.png");
    screenshot::save(&picture, &file)?;
    eprintln!("sonde: screenshot saved as {}", file.display());
    if options.once {
        return Ok(());
    }

    eprintln!("sonde: running; Ctrl-C ends it");
    let status = app.wait()?;
    if status.success() { Ok(()) } else { Err(ended(status, &messages)) }
}

fn prepare(window: &mut Command, display: &VirtualDisplay) {
    window.env("DISPLAY", display.name()).env_remove("WAYLAND_DISPLAY").env("GDK_BACKEND", "x11").stdin(Stdio::null());
    // Xvfb has no GPU, and WebKitGTK's DMA-BUF renderer may draw nothing without one.
    if std::env::var_os("WEBKIT_DISABLE_DMABUF_RENDERER").is_none() {
        window.env("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
    }
}

/// The first start of someone who has never used Sonde, every time: no data, no configuration.
fn start_afresh(repository: &Repository, window: &mut Command) -> Result<()> {
    let home: PathBuf = repository.target().join("run-once");
    if home.exists() {
        fs::remove_dir_all(&home).with_context(|| format!("cannot remove {}", home.display()))?;
    }
    window.env("SONDE_DATA_DIR", &home).env("XDG_CONFIG_HOME", home.join("config"));
    Ok(())
}

fn wait_until_ready(app: &mut Guarded, messages: &Messages) -> Result<()> {
    let deadline = Instant::now() + READY_WITHIN;
    loop {
        if messages.ready.recv_timeout(process::TICK).is_ok() {
            return Ok(());
        }
        process::check_interrupted()?;
        if let Some(status) = app.ended()? {
            return Err(ended(status, messages));
        }
        if Instant::now() > deadline {
            bail!(
                "the window was not ready after {} s: no line began with `{READY}`\nhint: {}",
                READY_WITHIN.as_secs(),
                messages.tail()
            );
        }
        // A closed stderr answers at once instead of waiting.
        std::thread::sleep(process::TICK);
    }
}

fn ended(status: ExitStatus, messages: &Messages) -> anyhow::Error {
    // The last lines may still be on their way through the pipe.
    std::thread::sleep(Duration::from_millis(100));
    anyhow::anyhow!("the window ended by itself with {status}\nhint: {}", messages.tail())
}

/// The app's stderr: passed on line by line, watched for the ready line, its end kept for errors.
struct Messages {
    ready: mpsc::Receiver<()>,
    /// At most [`TAIL`] lines.
    last: Arc<Mutex<VecDeque<String>>>,
}

impl Messages {
    fn forward(app: &mut Child) -> Result<Self> {
        let stderr = app.stderr.take().context("the window's messages are not readable")?;
        let (announce, ready) = mpsc::sync_channel(1);
        let last = Arc::new(Mutex::new(VecDeque::with_capacity(TAIL)));
        let keep = Arc::clone(&last);
        std::thread::spawn(move || {
            let mut is_readable = true;
            for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
                // Whoever reads us may have gone; the app must not block on a full pipe because of it.
                is_readable = is_readable && std::io::stderr().write_all(&[&line, b"\n".as_slice()].concat()).is_ok();
                let line = String::from_utf8_lossy(&line).into_owned();
                if line.starts_with(READY) && announce.try_send(()).is_err() {
                    continue;
                }
                let mut last = keep.lock().unwrap_or_else(PoisonError::into_inner);
                if last.len() == TAIL {
                    last.pop_front();
                }
                last.push_back(line);
            }
        });
        Ok(Messages { ready, last })
    }

    fn tail(&self) -> String {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_empty() {
            return "it printed nothing".to_owned();
        }
        let lines: Vec<_> = last.iter().map(String::as_str).collect();
        format!("its last messages were:\n  {}", lines.join("\n  "))
    }
}
