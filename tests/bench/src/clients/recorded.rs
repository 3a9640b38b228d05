//! Sonde's own client as the app runs it: supervised server or HTTP, tap, recorder, a log on disk.

use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use serde_json::value::RawValue;
use sonde_client::{Answer, Client, Options};
use sonde_store::{Recorder, RowStatus, Store, View};
use sonde_transport::{
    Clock, Dialect, HttpLimits, InFlight, Launch, LineLimits, Link, Proxying, Remote, Supervisor, Tap, Trust, Verbatim,
    is_alive, open_http, process_start, start_stdio,
};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::binaries;

pub struct Recorded {
    client: Client,
    store: Store,
    recorder: Recorder,
    /// Holds the log; goes last.
    _folder: TempDir,
}

/// The log before anything is connected.
struct Log {
    store: Store,
    recorder: Recorder,
    folder: TempDir,
}

impl Log {
    async fn open() -> Result<Self> {
        let folder = binaries::scratch()?;
        let store = Store::open(&folder.path().join("log.sqlite"), process_start, is_alive).await?;
        let recorder = Recorder::start(&store).await?;
        Ok(Log { store, recorder, folder })
    }

    async fn tap(&self) -> Result<Tap> {
        let clock = Clock::start();
        let connection = self.recorder.open_connection("load", clock.now().wall_ns).await?;
        Ok(Tap::new(connection, clock, self.recorder.sink(), InFlight::default(), Arc::new(Verbatim)))
    }

    async fn connect(self, link: Link) -> Result<Recorded> {
        let (client, _) = Client::connect(link, &Options::default(), CancellationToken::new()).await?;
        // `initialize`, the notification after it and our own remark; later counts begin behind them.
        self.recorder.state().wait_for(|state| state.rows >= 3).await?;
        Ok(Recorded { client, store: self.store, recorder: self.recorder, _folder: self.folder })
    }
}

/// The params of `tools/call`.
#[derive(Serialize)]
struct Params<'a> {
    name: &'a str,
    arguments: &'a RawValue,
    #[serde(rename = "_meta")]
    meta: Meta,
}

#[derive(Serialize)]
struct Meta {
    #[serde(rename = "progressToken")]
    progress_token: u64,
}

/// Rows that a window shows.
const PAGE: i64 = 50;

impl Recorded {
    pub async fn start(options: &[&str]) -> Result<Self> {
        let log = Log::open().await?;
        let launch = Launch {
            binary: binaries::load_server()?,
            args: options.iter().map(|option| (*option).to_owned()).collect(),
            folder: log.folder.path().to_owned(),
            env: Vec::new(),
            longest_line: LineLimits::MESSAGE.longest,
        };
        let link = start_stdio(&launch, &Supervisor::at(binaries::supervisor()?), log.tap().await?).await?;
        log.connect(link).await
    }

    pub async fn over_http(url: &str) -> Result<Self> {
        let log = Log::open().await?;
        let remote = Remote {
            url: url.parse()?,
            shown: url.to_owned(),
            dialect: Dialect::Streamable,
            headers: Vec::new(),
            secrets: Vec::new(),
            proxy: Proxying::None,
            trust: Trust::default(),
            retries: 0,
            backoff: 1500,
            limits: HttpLimits::default(),
        };
        let link = open_http(&remote, log.tap().await?)?;
        log.connect(link).await
    }

    /// To call from many tasks at once.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Waits for its turn where many call at once: `Client::ask` would refuse what does not fit into the outbox.
    pub async fn call(client: &Client, tool: &str, arguments: &RawValue) -> Result<()> {
        let params = Params { name: tool, arguments, meta: Meta { progress_token: 1 } };
        match client.request("tools/call", params).await?.end().await? {
            Answer::Result(_) => Ok(()),
            Answer::Error { message, .. } => bail!("`{tool}` failed: {message}"),
        }
    }

    /// Calls `flood` and waits until the log's last page shows the last of its messages.
    pub async fn flood(&self, count: u64, size: u64) -> Result<()> {
        // The call itself is a row, too.
        let awaited = self.rows() + i64::try_from(count)? + 1;
        let arguments = raw(&serde_json::json!({ "count": count, "size": size }))?;
        Recorded::call(&self.client, "flood", &arguments).await?;
        self.recorder.state().wait_for(|state| state.rows >= awaited).await?;
        let page = self.store.page(&View::default(), i64::MAX, PAGE).await?;
        let last = page.rows.last().context("the last page is empty")?;
        ensure!(page.total == awaited && last.seq == awaited, "the log ends at {} of {awaited}", last.seq);
        Ok(())
    }

    fn rows(&self) -> i64 {
        self.recorder.state().borrow().rows
    }

    /// Waits until the last answer is in the log, so that recording it disturbs no one else.
    pub async fn settled(&self) -> Result<()> {
        let mut state = self.recorder.state();
        loop {
            state.borrow_and_update();
            let page = self.store.page(&View::default(), i64::MAX, PAGE).await?;
            if page.rows.iter().all(|row| row.status != Some(RowStatus::Pending)) {
                return Ok(());
            }
            state.changed().await?;
        }
    }

    pub async fn end(self) {
        self.client.close();
        self.client.ended().await;
        // The recorder waits for its last sink, which the client holds.
        drop(self.client);
        self.recorder.finish().await;
    }
}

pub fn raw(value: &serde_json::Value) -> Result<Box<RawValue>> {
    Ok(serde_json::value::to_raw_value(value)?)
}
