//! Rows of the log as they come.

use std::collections::BTreeSet;
use std::time::Duration;

use sonde_app::{LogRequest, LogRow, LogView, RowRequest, RowStatus, ServerState};

use crate::arguments::Format;
use crate::failure::{Exit, Failure};
use crate::output::rows;
use crate::session::Session;

/// Shows each row once, and an exchange again when it has ended.
pub struct Follower {
    view: LogView,
    /// The newest row that was shown.
    after: i64,
    /// Exchanges that were shown without their answer; beyond [`MOST_PENDING`] the oldest is not waited for.
    pending: BTreeSet<i64>,
}

/// Rows may be written by another process, which tells nobody, so the log is looked at again and again.
const PAUSE: Duration = Duration::from_millis(100);
const PAGE: i64 = 500;
const MOST_PENDING: usize = 100;

impl Follower {
    /// Rows of the view after that one.
    pub fn from(view: LogView, after: i64) -> Self {
        Follower { view, after, pending: BTreeSet::new() }
    }

    /// Rows up to this one are not wanted.
    pub fn pass(&mut self, seq: i64) {
        self.after = self.after.max(seq);
    }

    /// A row that was shown already.
    pub fn note(&mut self, row: &LogRow) {
        self.pass(row.seq);
        if row.status == Some(RowStatus::Pending) {
            self.pending.insert(row.seq);
            while self.pending.len() > MOST_PENDING {
                self.pending.pop_first();
            }
        }
    }

    /// Until Ctrl+C, or until the server that is followed has gone.
    pub async fn follow(mut self, session: &Session, server: &str) -> Result<Exit, Failure> {
        loop {
            // Asked before the rows are shown: what it wrote last is then among them.
            let problem = ended(session, server);
            self.show_news(session).await?;
            if let Some(failure) = problem {
                return Err(failure);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// For ever: the log has no end.
    pub async fn follow_log(mut self, session: &Session) -> Result<Exit, Failure> {
        loop {
            self.show_news(session).await?;
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn show_news(&mut self, session: &Session) -> Result<(), Failure> {
        let settled: Vec<i64> = self.pending.iter().copied().collect();
        for seq in settled {
            let row = session.app.read_row(RowRequest { seq }).await.map_err(Failure::after_ready)?.row;
            if row.status != Some(RowStatus::Pending) {
                self.pending.remove(&seq);
                show(session, &row).await?;
            }
        }
        loop {
            let view = LogView { after: Some(self.after), ..copy(&self.view) };
            let request = LogRequest { view, first: 0, count: PAGE };
            let page = session.app.query_log(request).await.map_err(Failure::after_ready)?;
            for row in &page.rows {
                show(session, row).await?;
                self.note(row);
            }
            if (page.rows.len() as i64) < PAGE {
                return Ok(());
            }
        }
    }
}

pub fn copy(view: &LogView) -> LogView {
    LogView {
        server: view.server.clone(),
        kind: view.kind,
        connection: view.connection,
        after: view.after,
        lines: view.lines.clone(),
    }
}

async fn show(session: &Session, row: &LogRow) -> Result<(), Failure> {
    let console = &session.console;
    match console.format {
        Format::Text => console.print(&rows::line(console.out, row))?,
        Format::Json => {
            let whole = rows::whole(&session.app, row.seq).await.map_err(Failure::after_ready)?;
            console.print_line(&serde_json::to_string(&whole)?)?;
        }
    }
    Ok(())
}

/// How a server that was followed ended by itself, if it did.
fn ended(session: &Session, server: &str) -> Option<Failure> {
    let servers = session.app.servers().servers;
    let summary = servers.into_iter().find(|summary| summary.id == server)?;
    match (summary.state, summary.problem) {
        (ServerState::Failed, Some(problem)) => Some(Failure::told(Exit::Failed, problem)),
        (ServerState::Failed | ServerState::Stopped, _) => {
            let message = format!("server `{server}` ended by itself");
            let told = sonde_app::ApiError::new(sonde_app::ErrorCode::ConnectionLost, "Server ended", message);
            Some(Failure::told(Exit::Failed, told))
        }
        _ => None,
    }
}
