//! `sonde log`

use std::sync::Arc;

use sonde_app::{LogPage, LogRequest, LogView, RowKind, ServerId};

use super::follow::{Follower, copy};
use crate::arguments::{Format, Kind, Log, Place};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::json::JsonText;
use crate::output::rows;
use crate::session::{self, Session};

/// Rows that are asked for at once.
const PAGE: i64 = 500;

pub async fn run(place: &Place, log: Log, console: &Arc<Console>) -> Result<Exit, Failure> {
    session::run(place, None, console, async |session| {
        // The log may have servers that are configured no longer.
        let server = log.server.map(|name| ServerId::meant(&name).map_or(name, |id| id.to_string()));
        let view = LogView { server, kind: log.kind.map(kind), ..LogView::default() };
        let wanted = i64::from(log.limit);
        let total = page(session, &view, 0, 0).await?.total;
        let mut follower = Follower::from(copy(&view), 0);
        let in_lines = console.format == Format::Json && log.follow;
        let mut first = (total - wanted).max(0);
        if wanted == 0 && total > 0 {
            // None of the old ones is wanted: it goes on after the newest of them.
            page(session, &view, total - 1, 1).await?.rows.iter().for_each(|row| follower.pass(row.seq));
        }
        if console.format == Format::Json && !in_lines {
            console.print("{\"rows\":[")?;
        }
        let mut is_first = true;
        while first < total {
            let page = page(session, &view, first, PAGE.min(total - first)).await?;
            for row in &page.rows {
                match console.format {
                    Format::Text => console.print(&rows::line(console.out, row))?,
                    Format::Json => {
                        let whole = rows::whole(&session.app, row.seq).await.map_err(Failure::before_ready)?;
                        let before = if is_first || in_lines { "" } else { "," };
                        let after = if in_lines { "\n" } else { "" };
                        console.print(&format!("{before}{}{after}", serde_json::to_string(&whole)?))?;
                    }
                }
                is_first = false;
                follower.note(row);
            }
            if page.rows.is_empty() {
                break;
            }
            first += page.rows.len() as i64;
        }
        if console.format == Format::Json && !in_lines {
            let mut rest = JsonText::object();
            rest.value("total", &total);
            console.print_line(&format!("],{}", rest.finish().trim_start_matches('{')))?;
        }
        if total == 0 && console.format == Format::Text && !log.follow {
            console.say("sonde: there are no such rows; a server started after `--` has the name of its program, and one of --url that of its host");
        }
        match log.follow {
            true => follower.follow_log(session).await,
            false => Ok(Exit::Ok),
        }
    })
    .await
}

async fn page(session: &Session, view: &LogView, first: i64, count: i64) -> Result<LogPage, Failure> {
    let request = LogRequest { view: copy(view), first, count };
    session.app.query_log(request).await.map_err(Failure::before_ready)
}

fn kind(kind: Kind) -> RowKind {
    match kind {
        Kind::Exchange => RowKind::Exchange,
        Kind::Notification => RowKind::Notification,
        Kind::Orphan => RowKind::Orphan,
        Kind::Unparsable => RowKind::Unparsable,
        Kind::Stderr => RowKind::Stderr,
        Kind::Mark => RowKind::Mark,
        Kind::Http => RowKind::Http,
    }
}
