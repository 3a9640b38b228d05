//! Reading the log: pages of rows, one row with its frames, parts of a frame.

use std::collections::HashMap;
use std::sync::Mutex;

use sonde_protocol::{Code, ConnectionId, Direction, Finding, SseEvent};
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Row as _};

use crate::http::{KeptExchange, read_event};
use crate::open::{Store, StoreError};
use crate::row::{Row, RowKind, RowStatus, direction_from, direction_number};
use crate::write::LARGEST_VALUE;

/// Which rows are looked at. An absent field does not restrict.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct View {
    pub server: Option<String>,
    pub kind: Option<RowKind>,
    pub connection: Option<i64>,
    /// Only rows whose number is higher than this.
    pub after: Option<i64>,
    /// Only what servers say of their work.
    pub lines: Option<Lines>,
}

/// Log messages and lines of stderr.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Lines {
    pub messages: bool,
    pub stderr: bool,
    /// Messages of a lower level are left out; what has none, or one that nobody knows, is not.
    pub least: Option<Level>,
    /// What a line must have in its first 64 KiB, whatever the case of its Latin letters.
    pub text: Option<String>,
}

/// How grave a message is: the levels of RFC 5424, the lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(usize);

impl Level {
    const NAMES: [&'static str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|known| *known == name).map(Level)
    }

    /// The names of those below it.
    fn lower(self) -> &'static [&'static str] {
        Self::NAMES.get(..self.0).unwrap_or_default()
    }
}

/// Rows that stand next to each other in a view.
#[derive(Debug, PartialEq)]
pub struct Page {
    /// How many rows the view has.
    pub total: i64,
    /// The place of the first row, counted from the oldest.
    pub first: i64,
    pub rows: Vec<Row>,
}

/// Requests that were open at a moment, the nearest first.
#[derive(Debug, PartialEq)]
pub struct OpenRows {
    pub rows: Vec<Row>,
    /// How many there were beyond these.
    pub more: u32,
}

/// A row with the beginnings of its frames, and the HTTP exchanges that they travelled in or that it is itself.
#[derive(Debug)]
pub struct RowFrames {
    pub row: Row,
    pub frames: Vec<FrameHead>,
    pub http: Vec<KeptExchange>,
}

#[derive(Debug)]
pub struct FrameHead {
    pub direction: Direction,
    pub at_ns: i64,
    /// The length on the wire.
    pub size: i64,
    /// How many bytes of it were kept.
    pub kept: i64,
    /// SHA-256 of the whole, where only its first part was kept.
    pub sha256: Option<Vec<u8>>,
    /// The first bytes.
    pub head: Vec<u8>,
    /// The number of the HTTP exchange that it travelled in.
    pub http: Option<u32>,
    /// Set where it was an event of a stream.
    pub event: Option<SseEvent>,
}

const COLUMNS: &str = "row.seq, row.connection, server.name, row.at, row.dir, row.kind, row.method, row.target, row.id,
    row.status, row.code, row.dur, row.size, row.findings";

/// How many rows each view had when it was last counted, and up to where. Rows are only ever added at the end, so
/// the next count looks at the new ones alone.
#[derive(Debug, Default)]
pub(crate) struct Counts(Mutex<HashMap<View, (i64, i64)>>);

/// How far back a request that is still open is looked for, in rows, and how many are told.
const NEAR: i64 = 50_000;
const MOST_OPEN: i64 = 10;

/// Bytes of a long line that are searched.
const SEARCHED: i64 = 64 << 10;

/// Views whose count is remembered. A front door looks through a handful; one that makes up new ones counts anew.
const MOST_COUNTS: usize = 256;

impl Store {
    /// At most `count` rows of the view from place `first` on; a place beyond the end gives the last rows.
    pub async fn page(&self, view: &View, first: i64, count: i64) -> Result<Page, StoreError> {
        if let View { server: None, kind: None, connection: None, after, lines: None } = view {
            return self.page_of_all(after.unwrap_or(0), first, count).await;
        }
        let (total, upto) = self.count(view).await?;
        let first = first.clamp(0, (total - count).max(0));
        // Skipping costs a step per row: skip from the nearer end.
        let from_end = first > total / 2;
        let (order, skip) = if from_end { ("DESC", (total - first - count).max(0)) } else { ("ASC", first) };
        let sql = format!(
            "SELECT {COLUMNS} FROM (SELECT seq AS place FROM row WHERE {} AND seq <= ? ORDER BY seq {order} LIMIT ? OFFSET ?)
             JOIN row ON row.seq = place LEFT JOIN server ON server.id = row.server ORDER BY row.seq",
            condition(view)
        );
        // Rows that came after the count would move every place that is counted from the end.
        let rows = bind_view(sqlx::query(AssertSqlSafe(sql)), view)
            .bind(upto)
            .bind(count.min(total - first))
            .bind(skip)
            .fetch_all(&self.readers)
            .await?;
        Ok(Page { total, first, rows: rows.iter().map(read_row).collect::<Result<_, _>>()? })
    }

    /// Numbers are dense, so a place in the whole log is a rowid.
    async fn page_of_all(&self, after: i64, first: i64, count: i64) -> Result<Page, StoreError> {
        let (oldest, rows) = bounds(&self.readers).await?;
        let newest = oldest + rows - 1;
        let oldest = oldest.max(after.saturating_add(1));
        let total = newest.saturating_sub(oldest).saturating_add(1).max(0);
        let first = first.clamp(0, (total - count).max(0));
        let sql = format!(
            "SELECT {COLUMNS} FROM row LEFT JOIN server ON server.id = row.server
             WHERE row.seq >= ? AND row.seq < ? ORDER BY row.seq"
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(oldest.saturating_add(first))
            .bind(oldest.saturating_add(first).saturating_add(count))
            .fetch_all(&self.readers)
            .await?;
        Ok(Page { total, first, rows: rows.iter().map(read_row).collect::<Result<_, _>>()? })
    }

    /// The row with its frames, of each at most `head` bytes. None where there is no such row.
    pub async fn row(&self, seq: i64, head: i64) -> Result<Option<RowFrames>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, row.request, row.response FROM row LEFT JOIN server ON server.id = row.server
             WHERE row.seq = ?"
        );
        let Some(found) = sqlx::query(AssertSqlSafe(sql)).bind(seq).fetch_optional(&self.readers).await? else {
            return Ok(None);
        };
        let row = read_row(&found)?;
        let ids: [Option<i64>; 2] = [found.try_get("request")?, found.try_get("response")?];
        let mut frames = Vec::new();
        for id in ids.into_iter().flatten() {
            let frame = sqlx::query(
                "SELECT dir, at, size, sha256, substr(bytes, 1, ?), length(bytes) + coalesce(
                 (SELECT sum(length(frame_rest.bytes)) FROM frame_rest WHERE frame_rest.frame = frame.id), 0), http, event
                 FROM frame WHERE id = ?",
            )
            .bind(head)
            .bind(id)
            .fetch_one(&self.readers)
            .await?;
            frames.push(FrameHead {
                direction: direction_from(frame.try_get(0)?),
                at_ns: frame.try_get(1)?,
                size: frame.try_get(2)?,
                sha256: frame.try_get(3)?,
                head: frame.try_get(4)?,
                kept: frame.try_get(5)?,
                http: frame.try_get(6)?,
                event: frame.try_get::<Option<&str>, _>(7)?.and_then(read_event),
            });
        }
        let itself = row.id.as_deref().filter(|_| row.kind == RowKind::Http).and_then(|id| id.parse().ok());
        let numbers: Vec<u32> = frames.iter().filter_map(|frame| frame.http).chain(itself).collect();
        let http = self.exchanges(row.connection, &numbers).await?;
        Ok(Some(RowFrames { row, frames, http }))
    }

    /// At most `count` bytes of the row's frame number `index` from `offset` on. None where there is no such frame.
    pub async fn frame_part(
        &self,
        seq: i64,
        index: usize,
        offset: i64,
        count: i64,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let column = match index {
            0 => "coalesce(request, response)",
            1 => "response",
            _ => return Ok(None),
        };
        let sql = format!("SELECT id, length(bytes) FROM frame WHERE id = (SELECT {column} FROM row WHERE seq = ?)");
        let frame = sqlx::query(AssertSqlSafe(sql)).bind(seq).fetch_optional(&self.readers).await?;
        let Some(frame) = frame else { return Ok(None) };
        let (frame, first): (i64, i64) = (frame.try_get(0)?, frame.try_get(1)?);
        let offset = offset.max(0);
        let mut bytes = Vec::new();
        loop {
            let from = offset.saturating_add(bytes.len() as i64);
            let missing = count.saturating_sub(bytes.len() as i64);
            let part = self.value(frame, first, from, missing).await?;
            if part.is_empty() {
                return Ok(Some(bytes));
            }
            bytes.extend(part);
        }
    }

    /// At most `count` bytes of a frame whose first value has `first`, from `offset` on, as far as one value has them.
    async fn value(&self, frame: i64, first: i64, offset: i64, count: i64) -> Result<Vec<u8>, StoreError> {
        if count <= 0 {
            return Ok(Vec::new());
        }
        let beyond = offset - first;
        let (sql, part, skip) = if beyond < 0 {
            ("SELECT substr(bytes, ?, ?) FROM frame WHERE id = ? AND ? = 0", 0, offset)
        } else {
            let sql = "SELECT substr(bytes, ?, ?) FROM frame_rest WHERE frame = ? AND part = ?";
            (sql, beyond / LARGEST_VALUE as i64 + 1, beyond % LARGEST_VALUE as i64)
        };
        let part =
            sqlx::query(sql).bind(skip + 1).bind(count).bind(frame).bind(part).fetch_optional(&self.readers).await?;
        Ok(part.map(|part| part.try_get(0)).transpose()?.unwrap_or_default())
    }

    /// The requests of ours that were open on the same connection when this row came, the nearest first. Where its frame
    /// travelled in the HTTP exchange of one of them, only that one.
    pub async fn open_during(&self, seq: i64) -> Result<OpenRows, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, (SELECT http FROM frame WHERE id = row.request) AS own,
                (SELECT http FROM frame WHERE id = coalesce(line.request, line.response)) AS its, count(*) OVER () AS all_of_them
             FROM row AS line JOIN row ON row.connection = line.connection AND row.kind = {exchange} AND row.dir = {out}
                AND row.seq < line.seq AND row.seq > line.seq - {NEAR} AND row.at <= line.at
                AND (row.at + row.dur >= line.at OR row.dur IS NULL AND row.status IN ({pending}, {unanswered}, {lost}))
             LEFT JOIN server ON server.id = row.server WHERE line.seq = ?
             ORDER BY coalesce(own = its, 0) DESC, row.seq DESC LIMIT {MOST_OPEN}",
            exchange = RowKind::Exchange.number(),
            out = direction_number(Direction::Out),
            pending = RowStatus::Pending.number(),
            unanswered = RowStatus::Unanswered.number(),
            lost = RowStatus::Lost.number(),
        );
        let found = sqlx::query(AssertSqlSafe(sql)).bind(seq).fetch_all(&self.readers).await?;
        let mut open = OpenRows { rows: Vec::with_capacity(found.len()), more: 0 };
        for row in &found {
            let (own, its): (Option<i64>, Option<i64>) = (row.try_get("own")?, row.try_get("its")?);
            let read = read_row(row)?;
            if its.is_some() && own == its {
                return Ok(OpenRows { rows: vec![read], more: 0 });
            }
            open.rows.push(read);
            let all: i64 = row.try_get("all_of_them")?;
            open.more = u32::try_from(all).unwrap_or(u32::MAX).saturating_sub(found.len() as u32);
        }
        Ok(open)
    }

    /// The number of the newest row; zero where there is none.
    pub async fn newest(&self) -> Result<i64, StoreError> {
        let (oldest, total) = bounds(&self.readers).await?;
        Ok(oldest + total - 1)
    }

    /// How many rows the view has, and the last row that was counted.
    async fn count(&self, view: &View) -> Result<(i64, i64), StoreError> {
        let known = self.counts.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(view).copied();
        let (counted, upto) = known.unwrap_or((0, 0));
        let sql = format!("SELECT count(*), coalesce(max(seq), 0) FROM row WHERE {} AND seq > ?", condition(view));
        let found = bind_view(sqlx::query(AssertSqlSafe(sql)), view).bind(upto).fetch_one(&self.readers).await?;
        let (new, newest): (i64, i64) = (found.try_get(0)?, found.try_get(1)?);
        let now = (counted + new, newest.max(upto));
        let mut counts = self.counts.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if counts.len() >= MOST_COUNTS && !counts.contains_key(view) {
            counts.clear();
        }
        // Another reader may have counted further meanwhile.
        let entry = counts.entry(view.clone()).or_insert(now);
        *entry = (*entry).max(now);
        Ok(*entry)
    }
}

/// The number of the oldest row, and how many rows there are.
pub(crate) async fn bounds<'c>(
    log: impl sqlx::Executor<'c, Database = sqlx::Sqlite>,
) -> Result<(i64, i64), StoreError> {
    // Two look-ups, because one query for both ends would walk the whole table.
    let found = sqlx::query("SELECT (SELECT min(seq) FROM row), (SELECT max(seq) FROM row)").fetch_one(log).await?;
    let (oldest, newest): (Option<i64>, Option<i64>) = (found.try_get(0)?, found.try_get(1)?);
    Ok(match (oldest, newest) {
        (Some(oldest), Some(newest)) => (oldest, newest - oldest + 1),
        _ => (1, 0),
    })
}

fn condition(view: &View) -> String {
    let mut terms = Vec::new();
    if view.server.is_some() {
        terms.push("row.server = (SELECT id FROM server WHERE name = ?)".to_owned());
    }
    if let Some(kind) = view.kind {
        terms.push(format!("row.kind = {}", kind.number()));
        if kind.number() > 1 {
            // Said again in the words of the partial index, or it would not be used.
            terms.push("row.kind > 1".to_owned());
        }
    }
    if view.connection.is_some() {
        // The server's index leads to the rows, from where the connection began; it has no index of its own.
        terms.push("row.server = (SELECT server FROM connection WHERE id = ?)".to_owned());
        terms.push("row.seq > (SELECT first_row FROM connection WHERE id = ?)".to_owned());
        terms.push("row.connection = ?".to_owned());
    }
    if view.after.is_some() {
        terms.push("row.seq > ?".to_owned());
    }
    terms.extend(view.lines.iter().map(lines_condition));
    if terms.is_empty() { "1".to_owned() } else { terms.join(" AND ") }
}

fn lines_condition(lines: &Lines) -> String {
    let mut kinds = Vec::new();
    if lines.messages {
        let mut message = "row.method = 'notifications/message' AND row.kind = 1".to_owned();
        for name in lines.least.map(Level::lower).unwrap_or_default() {
            // The words are ours; a message's target begins with its level, and goes on with its logger or its text.
            message.push_str(&format!(
                " AND coalesce(row.target, '') NOT LIKE '{name}:%' AND coalesce(row.target, '') NOT LIKE '{name} %'"
            ));
        }
        kinds.push(format!("({message})"));
    }
    if lines.stderr {
        kinds.push(format!("row.kind = {}", RowKind::Stderr.number()));
    }
    let kinds = if kinds.is_empty() { "0".to_owned() } else { kinds.join(" OR ") };
    let text = match lines.text {
        // A target has but the beginning of a long line.
        Some(_) => format!(
            " AND (row.target LIKE ? ESCAPE '\\' OR row.size > 150 AND (SELECT CASE
               WHEN row.kind = 1 AND length(bytes) <= {SEARCHED} AND json_valid(CAST(bytes AS TEXT))
               THEN coalesce(json_extract(CAST(bytes AS TEXT), '$.params.logger'), '') || ' '
                 || coalesce(json_extract(CAST(bytes AS TEXT), '$.params.data'), '')
               ELSE CAST(substr(bytes, 1, {SEARCHED}) AS TEXT) END
               FROM frame WHERE id = coalesce(row.request, row.response)) LIKE ? ESCAPE '\\')"
        ),
        None => String::new(),
    };
    format!("({kinds}){text}")
}

/// A text to be found anywhere, for LIKE.
fn anywhere(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

type Select<'q> = sqlx::query::Query<'q, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>;

/// In the order in which [`condition`] asks.
fn bind_view<'q>(mut query: Select<'q>, view: &'q View) -> Select<'q> {
    if let Some(server) = &view.server {
        query = query.bind(server);
    }
    if let Some(connection) = view.connection {
        query = query.bind(connection).bind(connection).bind(connection);
    }
    if let Some(after) = view.after {
        query = query.bind(after);
    }
    if let Some(text) = view.lines.as_ref().and_then(|lines| lines.text.as_deref()) {
        query = query.bind(anywhere(text)).bind(anywhere(text));
    }
    query
}

fn read_row(found: &SqliteRow) -> Result<Row, sqlx::Error> {
    let findings: Option<String> = found.try_get(13)?;
    Ok(Row {
        seq: found.try_get(0)?,
        connection: ConnectionId(found.try_get(1)?),
        server: found.try_get::<Option<String>, _>(2)?.unwrap_or_default(),
        at_ns: found.try_get(3)?,
        direction: direction_from(found.try_get(4)?),
        kind: RowKind::from_number(found.try_get(5)?).unwrap_or(RowKind::Unparsable),
        method: found.try_get(6)?,
        target: found.try_get(7)?,
        id: found.try_get(8)?,
        status: found.try_get::<Option<i64>, _>(9)?.and_then(RowStatus::from_number),
        code: found.try_get(10)?,
        dur_ns: found.try_get(11)?,
        size: found.try_get(12)?,
        findings: findings.as_deref().map(read_findings).unwrap_or_default(),
    })
}

fn read_findings(text: &str) -> Vec<Finding> {
    let list: Vec<(String, String)> = serde_json::from_str(text).unwrap_or_default();
    list.into_iter().filter_map(|(slug, message)| Some(Finding { code: Code::from_slug(&slug)?, message })).collect()
}
