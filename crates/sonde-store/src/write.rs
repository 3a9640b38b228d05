//! One batch, one transaction.
//!
//! A statement takes many rows at once: crossing to SQLite's thread costs more than inserting a row does.

use std::sync::{Arc, LazyLock};

use sonde_protocol::Finding;
use sqlx::{
    AssertSqlSafe, Connection, Row, Sqlite, SqliteConnection, Transaction, query::Query, sqlite::SqliteArguments,
};

use crate::batch::{Batch, NewFrame, NewRow};
use crate::http::{put_exchanges, write_event};
use crate::ledger::Ledger;
use crate::row::direction_number;

/// Rows that one statement inserts. Few sizes, so that all of them stay prepared.
const CHUNKS: &[usize] = &[512, 64, 8, 1];

/// Bytes of a frame that one value holds. On its way into the database a value is copied three times, so a frame of
/// 64 MiB would take 256 with its own; in parts it takes 12 more.
pub(crate) const LARGEST_VALUE: usize = 4 << 20;

/// The statements, one for each size.
pub(crate) struct Inserts(Vec<(usize, Arc<str>)>);

static ROWS: LazyLock<Inserts> = LazyLock::new(|| Inserts::into("row", ROW_COLUMNS));
static FRAMES: LazyLock<Inserts> = LazyLock::new(|| Inserts::into("frame", FRAME_COLUMNS));

const ROW_COLUMNS: &str =
    "seq, connection, server, at, dir, kind, method, target, id, status, code, dur, size, findings, request, response";
const FRAME_COLUMNS: &str = "id, row, dir, at, size, sha256, bytes, http, event";

/// Writes the ledger's batch. On an error nothing is written and the same batch can be tried again.
pub(crate) async fn write(writer: &mut SqliteConnection, ledger: &mut Ledger) -> Result<(), sqlx::Error> {
    let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await?;
    // Only now is it sure that no other process takes the numbers that this batch counts on.
    let (last_row, last_frame) = last_numbers(&mut transaction).await?;
    if (last_row + 1, last_frame + 1) != (ledger.batch.first_row, ledger.batch.first_frame) {
        ledger.rebase(last_row, last_frame);
    }
    let batch = &ledger.batch;
    insert_rows(&mut transaction, batch).await?;
    insert_frames(&mut transaction, batch).await?;
    insert_rests(&mut transaction, batch).await?;
    put_exchanges(&mut transaction, batch).await?;
    for (seq, state) in &batch.updates {
        sqlx::query(
            "UPDATE row SET status = ?, code = ?, dur = ?, size = ?, findings = ?, response = ?,
             target = coalesce(?, target) WHERE seq = ?",
        )
        .bind(state.status.map(|status| status.number()))
        .bind(state.code)
        .bind(state.dur_ns)
        .bind(state.size)
        .bind(write_findings(&state.findings))
        .bind(state.response)
        .bind(state.answer_target.as_deref())
        .bind(seq)
        .execute(&mut *transaction)
        .await?;
    }
    for (seq, finding) in &batch.remarks {
        // Whatever somebody did to the file, it must not become an error here: the batch would be tried for ever.
        sqlx::query(
            "UPDATE row SET findings = json_insert(iif(json_valid(findings), findings, '[]'), '$[#]', json_array(?, ?))
             WHERE seq = ?",
        )
        .bind(finding.code.slug())
        .bind(&finding.message)
        .bind(seq)
        .execute(&mut *transaction)
        .await?;
    }
    for (connection, at) in &batch.ended {
        sqlx::query("UPDATE connection SET ended = ? WHERE id = ?")
            .bind(at)
            .bind(connection.0)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await
}

pub(crate) async fn last_numbers(connection: &mut SqliteConnection) -> Result<(i64, i64), sqlx::Error> {
    let last = sqlx::query("SELECT coalesce((SELECT max(seq) FROM row), 0), coalesce((SELECT max(id) FROM frame), 0)")
        .fetch_one(connection)
        .await?;
    Ok((last.try_get(0)?, last.try_get(1)?))
}

pub(crate) type Insert<'q> = Query<'q, Sqlite, SqliteArguments>;

async fn insert_rows(transaction: &mut Transaction<'_, Sqlite>, batch: &Batch) -> Result<(), sqlx::Error> {
    let mut seq = batch.first_row;
    for part in in_chunks(&batch.rows) {
        let mut insert = ROWS.of(part.len());
        for row in part {
            insert = bind_row(insert, seq, row);
            seq += 1;
        }
        insert.execute(&mut **transaction).await?;
    }
    Ok(())
}

async fn insert_frames(transaction: &mut Transaction<'_, Sqlite>, batch: &Batch) -> Result<(), sqlx::Error> {
    let mut id = batch.first_frame;
    for part in in_chunks(&batch.frames) {
        let mut insert = FRAMES.of(part.len());
        for frame in part {
            insert = bind_frame(insert, id, frame);
            id += 1;
        }
        insert.execute(&mut **transaction).await?;
    }
    Ok(())
}

/// What long frames have behind their first parts.
async fn insert_rests(transaction: &mut Transaction<'_, Sqlite>, batch: &Batch) -> Result<(), sqlx::Error> {
    for (id, entry) in (batch.first_frame..).zip(&batch.frames) {
        for (part, bytes) in (1_i64..).zip(entry.frame.body.bytes.chunks(LARGEST_VALUE).skip(1)) {
            sqlx::query("INSERT INTO frame_rest (frame, part, bytes) VALUES (?, ?, ?)")
                .bind(id)
                .bind(part)
                .bind(bytes)
                .execute(&mut **transaction)
                .await?;
        }
    }
    Ok(())
}

fn bind_row<'q>(insert: Insert<'q>, seq: i64, row: &'q NewRow) -> Insert<'q> {
    let state = &row.state;
    insert
        .bind(seq)
        .bind(row.connection.0)
        .bind(row.server)
        .bind(row.at_ns)
        .bind(direction_number(row.direction))
        .bind(row.kind.number())
        .bind(row.method.as_deref())
        .bind(state.answer_target.as_deref().or(row.target.as_deref()))
        .bind(row.id.as_deref())
        .bind(state.status.map(|status| status.number()))
        .bind(state.code)
        .bind(state.dur_ns)
        .bind(state.size)
        .bind(write_findings(&state.findings))
        .bind(row.request)
        .bind(state.response)
}

fn bind_frame<'q>(insert: Insert<'q>, id: i64, entry: &'q NewFrame) -> Insert<'q> {
    let body = &entry.frame.body;
    let place = entry.frame.http.as_deref();
    insert
        .bind(id)
        .bind(entry.row)
        .bind(direction_number(entry.frame.direction))
        .bind(entry.frame.stamp.wall_ns)
        .bind(body.size() as i64)
        .bind(body.cut.as_ref().map(|cut| &cut.sha256[..]))
        .bind(body.bytes.get(..LARGEST_VALUE).unwrap_or(&body.bytes))
        .bind(place.map(|place| place.exchange))
        .bind(place.and_then(|place| place.event.as_ref()).and_then(write_event))
}

impl Inserts {
    fn into(table: &str, columns: &str) -> Self {
        Inserts::ending(table, columns, "")
    }

    /// Writes over a row that is there with the same key.
    pub fn into_or_over(table: &str, key: &str, others: &str) -> Self {
        let newer = others.split(',').map(|column| format!("{0} = excluded.{0}", column.trim()));
        let newer = newer.collect::<Vec<_>>().join(", ");
        Inserts::ending(table, &format!("{key}, {others}"), &format!("ON CONFLICT ({key}) DO UPDATE SET {newer}"))
    }

    fn ending(table: &str, columns: &str, end: &str) -> Self {
        let places = vec!["?"; columns.split(',').count()].join(",");
        let statement = |rows| {
            let values = vec![format!("({places})"); rows].join(",");
            format!("INSERT INTO {table} ({columns}) VALUES {values} {end}").into()
        };
        Inserts(CHUNKS.iter().map(|rows| (*rows, statement(*rows))).collect())
    }

    pub fn of<'q>(&self, rows: usize) -> Insert<'q> {
        let statement = self.0.iter().find(|(size, _)| *size == rows).map(|(_, statement)| statement.clone());
        // Table, columns and number of places are all ours.
        sqlx::query(AssertSqlSafe(statement.unwrap_or_default()))
    }
}

pub(crate) fn in_chunks<T>(mut items: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = CHUNKS.iter().find(|size| **size <= items.len())?;
        let (part, rest) = items.split_at(*size);
        items = rest;
        Some(part)
    })
}

/// Code and message of each finding; severity and rule follow from the code.
fn write_findings(findings: &[Finding]) -> Option<String> {
    let list: Vec<_> = findings.iter().map(|finding| (finding.code.slug(), &finding.message)).collect();
    (!list.is_empty()).then(|| serde_json::to_string(&list).ok()).flatten()
}
