//! The real window: opened, closed, killed and opened again on the same folders.

use std::fs::OpenOptions;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use thirtyfour::{Capabilities, WebDriver};

use crate::binaries::binary;
use crate::display::Display;
use crate::place::Place;
use crate::process::{Identity, Owned, TICK, descendants, listening_sockets, still_alive};

const DRIVER_WITHIN: Duration = Duration::from_secs(20);
/// The window may take its time to end servers that do not want to.
const CLOSE_WITHIN: Duration = Duration::from_secs(15);
/// How long the journal may take to tell of something.
const NOTED_WITHIN: Duration = Duration::from_secs(60);
const PRESS_AGAIN: Duration = Duration::from_secs(5);
/// The longest answer that is waited for: beyond it the driver itself hangs.
const ANSWER_WITHIN: Duration = Duration::from_secs(180);

pub struct Window {
    /// Declared first, so that the app ends before its display and its folders go.
    session: Option<Session>,
    pub(crate) display: Display,
    pub(crate) place: Place,
    /// Added to the app's environment.
    pub(crate) variables: Vec<(&'static str, &'static str)>,
}

/// One life of the app.
struct Session {
    client: WebDriver,
    app: Identity,
    driver: Owned,
}

impl Window {
    pub(crate) fn new(display: Display, place: Place, variables: Vec<(&'static str, &'static str)>) -> Self {
        Window { session: None, display, place, variables }
    }

    /// Starts the app and waits until its page shows the first revision.
    pub async fn open(&mut self) -> Result<()> {
        ensure!(self.session.is_none(), "the window is open already");
        self.session = Some(self.start().await?);
        self.shows_a_revision().await
    }

    /// Loads the page anew while all else goes on, as if it had come to an end.
    pub async fn reload(&self) -> Result<()> {
        self.client()?.refresh().await?;
        self.shows_a_revision().await
    }

    async fn shows_a_revision(&self) -> Result<()> {
        self.until("the first revision", "Number($('[data-revision]')?.dataset.revision) > 0").await?;
        Ok(())
    }

    async fn start(&self) -> Result<Session> {
        let port = free_port()?;
        let output = OpenOptions::new().create(true).append(true).open(self.place.output())?;
        let mut command = Command::new("WebKitWebDriver");
        // The app is a child of the driver and gets its environment.
        command
            .arg(format!("--port={port}"))
            .env_clear()
            .envs(self.place.environment())
            .env("DISPLAY", self.display.name())
            .env("GDK_BACKEND", "x11")
            .env("NO_AT_BRIDGE", "1")
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            // There is no GPU, and the DMA-BUF renderer may draw nothing without one.
            .env("WEBKIT_DISABLE_DMABUF_RENDERER", "1")
            .envs(self.variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output);
        let driver = Owned::spawn(&mut command)?;
        listens(port).await?;

        let program = binary("sonde-desktop")?;
        let arguments = [
            "--data-dir".into(),
            self.place.data().display().to_string(),
            "--project".into(),
            self.place.project().display().to_string(),
        ];
        let mut capabilities = Capabilities::new();
        capabilities.set("webkitgtk:browserOptions", json!({ "binary": program, "args": arguments }))?;
        let client = WebDriver::builder(format!("http://127.0.0.1:{port}"), capabilities)
            .request_timeout(ANSWER_WITHIN)
            .await
            .context("the driver could not open the window")?;
        client.set_script_timeout(ANSWER_WITHIN).await?;
        let children = descendants(driver.pid());
        let app = children.into_iter().find(|child| child.program().as_deref() == Some(&program));
        let app = app.context("the driver has no child that is the app")?;
        Ok(Session { client, app, driver })
    }

    /// Ends the app politely, as a desktop does that shuts down. Nothing that it started may remain.
    pub async fn close(&mut self) -> Result<()> {
        let started = self.processes()?;
        self.session()?.app.end();
        self.ended(started).await
    }

    /// Closes the window with the keys of the window manager, as a person does.
    pub async fn close_by_keyboard(&mut self) -> Result<()> {
        let started = self.processes()?;
        self.type_at("^Sonde$", &["alt+F4"]).await?;
        // A key that comes while the window manager is busy can be lost; a person would press it again.
        if !still_alive(&started, PRESS_AGAIN).await.is_empty()
            && self.is_open()
            && let Err(error) = self.type_at("^Sonde$", &["alt+F4"]).await
        {
            eprintln!("the window was gone before the second press: {error:#}");
        }
        self.ended(started).await
    }

    async fn ended(&mut self, started: Vec<Identity>) -> Result<()> {
        let left = still_alive(&started, CLOSE_WITHIN).await;
        self.end().await;
        ensure!(left.is_empty(), "these still ran {} s after the window was closed: {left:?}", CLOSE_WITHIN.as_secs());
        Ok(())
    }

    /// Ends the app without a word, as a crash would, and gives what it had started.
    pub async fn kill(&mut self) -> Result<Vec<Identity>> {
        let app = self.session()?.app.clone();
        let started = descendants(app.pid);
        app.kill();
        ensure!(still_alive(std::slice::from_ref(&app), CLOSE_WITHIN).await.is_empty(), "the app survived SIGKILL");
        self.end().await;
        Ok(started)
    }

    pub fn is_open(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.app.is_alive())
    }

    /// The app and everything that it has started.
    pub fn processes(&self) -> Result<Vec<Identity>> {
        let app = &self.session()?.app;
        let mut all = descendants(app.pid);
        all.insert(0, app.clone());
        Ok(all)
    }

    /// Keys for the window with that title, once it is on the screen, by way of the display and the window manager:
    /// native dialogs get them as they get those of a person.
    pub async fn type_at(&self, title: &str, keys: &[&str]) -> Result<()> {
        let found = self.xdotool(&["search", "--sync", "--onlyvisible", "--name", title]).await?;
        let window = found.lines().next().with_context(|| format!("no window is called `{title}`"))?;
        self.xdotool(&["windowactivate", "--sync", window]).await?;
        for key in keys {
            // Without the name of a window, the key goes through the display to whoever has the focus.
            self.xdotool(&["key", "--clearmodifiers", key]).await?;
        }
        Ok(())
    }

    /// What the app has noted for whoever looks after it; complete once it has ended.
    pub fn journal(&self) -> Result<String> {
        std::fs::read_to_string(self.place.data().join("app.log")).context("app.log is not readable")
    }

    /// Waits until the journal holds so many lines with these words: the one witness of what no page can tell.
    pub async fn until_noted(&self, words: &str, times: usize) -> Result<()> {
        let end = Instant::now() + NOTED_WITHIN;
        while self.journal()?.lines().filter(|line| line.contains(words)).count() < times {
            ensure!(Instant::now() < end, "the journal does not hold `{words}` {times} times");
            tokio::time::sleep(TICK).await;
        }
        Ok(())
    }

    /// The home of the person who sits before it.
    pub fn home(&self) -> PathBuf {
        self.place.home()
    }

    /// How many windows are on the screen.
    pub async fn windows(&self) -> Result<usize> {
        Ok(self.xdotool(&["search", "--onlyvisible", "--name", "."]).await?.lines().count())
    }

    /// Waits until the desktop was asked to open that address.
    pub async fn until_opened(&self, address: &str) -> Result<()> {
        let end = Instant::now() + NOTED_WITHIN;
        while !self.place.noted()?.iter().any(|noted| noted == &format!("xdg-open {address}")) {
            ensure!(Instant::now() < end, "`{address}` was not opened");
            tokio::time::sleep(TICK).await;
        }
        Ok(())
    }

    /// Fails if the desktop was asked to open anything, and unless that is noticed.
    pub fn opened_nothing(&self) -> Result<()> {
        let opened = self.place.opened("control")?;
        ensure!(opened == ["xdg-open control"], "nothing is opened that nobody asked for: {opened:?}");
        Ok(())
    }

    /// The addresses that the app and what it started listen on, but for the one that the driver speaks to.
    pub fn listening(&self) -> Result<Vec<String>> {
        let driven = self.session()?.app.variable("WEBKIT_INSPECTOR_SERVER");
        let mut listening = listening_sockets(&self.processes()?)?;
        listening.retain(|address| Some(address) != driven.as_ref());
        Ok(listening)
    }

    async fn xdotool(&self, arguments: &[&str]) -> Result<String> {
        self.display.xdotool(arguments, Duration::from_secs(30)).await
    }

    pub(crate) fn client(&self) -> Result<&WebDriver> {
        Ok(&self.session()?.client)
    }

    fn session(&self) -> Result<&Session> {
        self.session.as_ref().context("the window is not open")
    }

    /// Takes care that nothing of this life remains, however it came to its end.
    pub(crate) async fn end(&mut self) {
        let Some(Session { client, app, driver }) = self.session.take() else { return };
        // Quitting a session kills the app, which is dead or about to be.
        client.leak().ok();
        let mut started = descendants(driver.pid());
        app.kill();
        // What the app's supervisors have to end by themselves gets the time for it.
        started.retain(|process| *process != app);
        drop(driver);
        for process in still_alive(&started, CLOSE_WITHIN).await {
            eprintln!("warning: process {} ({}) had to be killed", process.pid, process.name);
            process.kill();
        }
    }
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is free")?;
    Ok(listener.local_addr()?.port())
}

/// The driver says nothing when it is ready; it listens.
async fn listens(port: u16) -> Result<()> {
    let deadline = Instant::now() + DRIVER_WITHIN;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    while tokio::net::TcpStream::connect(address).await.is_err() {
        if Instant::now() > deadline {
            bail!("the driver did not listen after {} s", DRIVER_WITHIN.as_secs());
        }
        tokio::time::sleep(TICK).await;
    }
    Ok(())
}
