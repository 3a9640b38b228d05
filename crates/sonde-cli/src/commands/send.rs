//! `sonde send`

use std::sync::Arc;
use std::time::Duration;

use sonde_app::{Answer, ApiError, Direction, Ended, LogRequest, LogRow, LogView, RowKind, RowStatus};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::pick;
use crate::arguments::{Format, Place, Send, bytes_of};
use crate::console::Console;
use crate::failure::{Exit, Failure, exit_after_ready};
use crate::output::json::JsonText;
use crate::output::rows::{self, WholeRow};
use crate::session::{self, Session};

/// Nothing new for this long is quiet. A row is written at most 50 ms after its bytes passed.
const QUIET: Duration = Duration::from_millis(500);
/// The same while an answer that came is not yet among the rows: a busy disk may take its time.
const LONG_QUIET: Duration = Duration::from_secs(5);
/// A server that is never quiet is listened to for this long.
const LONGEST: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(50);
const PAGE: i64 = 500;
/// Rows that are shown of what came back; the log has all of them.
const MOST_ROWS: usize = 10_000;

pub async fn run(place: &Place, send: Send, console: &Arc<Console>) -> Result<Exit, Failure> {
    let (server, what) = pick::server_and(&send.target, &send.words, "message")?;
    let mut bytes = bytes_of(&what).map_err(Failure::usage)?;
    let is_typed = !what.starts_with('@') && what != "-";
    if is_typed && !send.exact {
        bytes.push(b'\n');
    }
    session::run(place, Some(&send.target), console, async |session| {
        let id = server.id(&session.app)?;
        session.ready(&id).await?;
        until_recorded(session, &id).await?;
        let sent = session.app.send_raw(&id, bytes).await.map_err(Failure::after_ready)?;
        let view = LogView { connection: Some(sent.connection), after: Some(sent.after), ..LogView::default() };
        let mut answers = JoinSet::new();
        for call in sent.calls {
            let session = session.clone();
            answers.spawn(async move { session.end_silently(call).await });
        }
        let mut exit = Exit::Ok;
        let mut answered = 0;
        let mut note = |ended: Result<Ended, ApiError>| {
            answered += usize::from(ended.is_ok());
            exit = exit.max(exit_of(ended));
        };
        match send.wait {
            Some(wait) => {
                tokio::time::sleep(wait).await;
                while let Some(Ok(ended)) = answers.try_join_next() {
                    note(ended);
                }
                if !answers.is_empty() {
                    exit = exit.max(Exit::TimedOut);
                }
            }
            None => {
                while let Some(Ok(ended)) = answers.join_next().await {
                    note(ended);
                }
                until_quiet(session, &view, answered).await?;
            }
        }
        show(session, &view).await?;
        Ok(exit)
    })
    .await
}

/// Waits until the log has what passed before: what comes after it is then an answer to these bytes.
async fn until_recorded(session: &Session, server: &str) -> Result<(), Failure> {
    /// The last words of connecting.
    const READY: [&str; 2] = ["initialized", "connected without negotiation"];
    let limit = Instant::now() + LONGEST;
    let connection = session.app.connection(server);
    while Instant::now() < limit {
        let view = LogView { connection, kind: Some(RowKind::Mark), ..LogView::default() };
        let page = session.app.query_log(LogRequest { view, first: 0, count: PAGE }).await;
        let marks = page.map_err(Failure::after_ready)?.rows.into_iter().filter_map(|row| row.target);
        if marks.into_iter().any(|mark| READY.iter().any(|words| mark.starts_with(words))) {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

fn exit_of(ended: Result<Ended, ApiError>) -> Exit {
    match ended.map(|ended| ended.answer) {
        Ok(Answer::Result(_)) => Exit::Ok,
        Ok(Answer::Error { .. }) => Exit::Failed,
        Err(error) => exit_after_ready(error.code),
    }
}

/// Waits until nothing has been added for a while, and every answer that came has been written.
async fn until_quiet(session: &Session, view: &LogView, answered: usize) -> Result<(), Failure> {
    let limit = Instant::now() + LONGEST;
    let mut seen = (0, 0);
    let mut since = Instant::now();
    while Instant::now() < limit {
        let rows = all_rows(session, view).await?;
        let ours = rows.iter().filter(|row| row.dir == Direction::Out && row.kind == RowKind::Exchange);
        let settled = ours.filter(|row| row.status != Some(RowStatus::Pending)).count();
        if (rows.len(), settled) != seen {
            seen = (rows.len(), settled);
            since = Instant::now();
        }
        // Requests that share an id may share a row, so not each answer is sure to have one of its own.
        let quiet = if settled >= answered { QUIET } else { LONG_QUIET };
        if since.elapsed() >= quiet {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    session.console.say("sonde: it did not become quiet; this is what came until now");
    Ok(())
}

async fn all_rows(session: &Session, view: &LogView) -> Result<Vec<LogRow>, Failure> {
    let mut found: Vec<LogRow> = Vec::new();
    loop {
        let after = found.last().map_or(view.after, |row| Some(row.seq));
        let view = LogView { connection: view.connection, after, ..LogView::default() };
        let page = session.app.query_log(LogRequest { view, first: 0, count: PAGE }).await;
        let page = page.map_err(Failure::after_ready)?;
        let is_last = (page.rows.len() as i64) < PAGE;
        found.extend(page.rows);
        if is_last || found.len() >= MOST_ROWS {
            return Ok(found);
        }
    }
}

async fn show(session: &Session, view: &LogView) -> Result<(), Failure> {
    let console = &session.console;
    let mut whole = Vec::new();
    for row in all_rows(session, view).await? {
        whole.push(rows::whole(&session.app, row.seq).await.map_err(Failure::after_ready)?);
    }
    match console.format {
        Format::Json => {
            let mut json = JsonText::object();
            json.value("rows", &whole).value("total", &whole.len());
            console.print_line(&json.finish())?;
        }
        Format::Text => show_as_text(console, &whole)?,
    }
    Ok(())
}

/// What the server wrote, line by line, in the order it came; what it said besides goes to standard error.
fn show_as_text(console: &Console, rows: &[WholeRow]) -> Result<(), Failure> {
    let mut lines: Vec<(&str, &WholeRow, &rows::WholeFrame)> = Vec::new();
    for row in rows.iter().filter(|row| row.row.kind != RowKind::Mark) {
        let from_server = row.frames.iter().filter(|frame| frame.dir == Direction::In);
        lines.extend(from_server.map(|frame| (frame.time.as_str(), row, frame)));
    }
    lines.sort_by_key(|(time, ..)| *time);
    if lines.is_empty() {
        console.say("sonde: nothing came back");
    }
    for (_, row, frame) in lines {
        let text = frame.text.as_deref().or(frame.base64.as_deref()).unwrap_or_default();
        match row.row.kind {
            RowKind::Stderr => console.say(&format!("stderr: {}", console.err.line(text))),
            _ => console.print_line(&console.out.line(text))?,
        }
    }
    for row in rows {
        for finding in &row.row.findings {
            console.say(&format!("! {}: {}", finding.code, console.err.line(&finding.message)));
        }
    }
    Ok(())
}
