//! The whole core behind its API, as a front door sees it.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use sonde_app::{
    ApiError, App, Ask, DataFolder, FrameRequest, LogRequest, LogView, RowKind, RowStatus, Setup, Supervisor,
    TypedCommand,
};
use tempfile::TempDir;

use crate::binaries;

pub struct Front {
    app: App,
    server: String,
    /// The last row that was looked at.
    seq: i64,
    /// Holds the data folder; goes last.
    _folder: TempDir,
}

impl Front {
    pub async fn start(options: &[&str]) -> Result<Self> {
        let folder = binaries::scratch()?;
        let data = DataFolder::open(Some(folder.path().join("data")))?;
        let mut setup = Setup::here(data, Some(folder.path().to_owned()))?.for_terminal();
        setup.config = None;
        setup.supervisor = Supervisor::at(binaries::supervisor()?);
        let server = binaries::load_server()?.to_str().context("the path is not UTF-8")?.to_owned();
        let command = std::iter::once(server).chain(options.iter().map(|option| (*option).to_owned())).collect();
        setup.typed = Some(TypedCommand { command, env: Vec::new(), folder: None }.into());
        let app = App::open(setup).await.map_err(told)?;
        let server = app.typed().context("the typed server is not there")?;
        app.connect(&server).await.map_err(told)?;
        app.until_ready(&server).await.map_err(told)?;
        Ok(Front { app, server, seq: 0, _folder: folder })
    }

    /// Calls a tool and waits until its answer is committed and the first part of it can be read back.
    pub async fn call_and_read(&mut self, tool: &str, arguments: Value) -> Result<()> {
        let mut ask = Ask::new(&self.server, "tools/call");
        ask.params = Some(json!({ "name": tool, "arguments": arguments }).to_string());
        let ended = self.app.begin(ask).await.map_err(told)?.end().await.map_err(told)?;
        ensure!(ended.error.is_none(), "`{tool}` failed");
        self.seq = self.committed(tool).await?;
        let answer = FrameRequest { seq: self.seq, index: 1, offset: 0 };
        let part = self.app.read_frame(answer).await.map_err(told)?;
        ensure!(part.size > 0, "the answer of `{tool}` can't be read");
        Ok(())
    }

    /// Waits for the row of the newest call.
    async fn committed(&self, tool: &str) -> Result<i64> {
        let mut since = Value::from(0);
        loop {
            let request = json!({ "since": since }).to_string();
            let changes = self.app.dispatch("wait_changes", request.as_bytes()).await.map_err(told)?;
            let view = LogView { kind: Some(RowKind::Exchange), ..LogView::default() };
            let page = self.app.query_log(LogRequest { view, first: i64::MAX, count: 1 }).await.map_err(told)?;
            let row = page.rows.first().filter(|row| row.seq > self.seq && row.status == Some(RowStatus::Ok));
            if let Some(row) = row.filter(|row| row.target.as_deref() == Some(tool)) {
                return Ok(row.seq);
            }
            since = serde_json::from_slice::<Value>(&changes)?["revision"].take();
        }
    }

    pub async fn end(self) {
        self.app.close().await;
    }
}

fn told(error: ApiError) -> anyhow::Error {
    anyhow::anyhow!("{error}")
}
