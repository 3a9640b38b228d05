//! The floor: SQLite with the same tables and indexes, prepared statements and large transactions, nothing else.

use std::path::Path;

use anyhow::Result;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::rounds::{Sample, Stopwatch};

/// The log's own schema, so that the indexes are the same.
const SCHEMA: &str = include_str!("../../../../crates/sonde-store/migrations/1.sql");
/// Rows of each table that one transaction takes.
const BATCH: usize = 5000;

/// The rows of one table as they stand in the log.
pub struct Table {
    insert: String,
    rows: Vec<Vec<Value>>,
}

/// Reads what the recorder wrote.
pub fn read(path: &Path) -> Result<Vec<Table>> {
    let log = Connection::open(path)?;
    ["server", "connection", "row", "frame"].iter().map(|name| read_table(&log, name)).collect()
}

fn read_table(log: &Connection, name: &str) -> Result<Table> {
    let mut select = log.prepare(&format!("SELECT * FROM {name} ORDER BY 1"))?;
    let columns = select.column_count();
    let places = vec!["?"; columns].join(",");
    let rows = select
        .query_map([], |row| (0..columns).map(|column| row.get(column)).collect())?
        .collect::<Result<_, rusqlite::Error>>()?;
    Ok(Table { insert: format!("INSERT INTO {name} VALUES ({places})"), rows })
}

/// Writes the tables into a new file, some of each in every transaction.
pub fn write(path: &Path, tables: &[Table]) -> Result<Sample> {
    let mut log = Connection::open(path)?;
    log.pragma_update(None, "journal_mode", "wal")?;
    log.pragma_update(None, "synchronous", "full")?;
    log.execute_batch(SCHEMA)?;
    let watch = Stopwatch::start();
    let longest = tables.iter().map(|table| table.rows.len()).max().unwrap_or(0);
    for start in (0..longest).step_by(BATCH) {
        let transaction = log.transaction()?;
        for table in tables {
            let mut insert = transaction.prepare_cached(&table.insert)?;
            for row in table.rows.iter().skip(start).take(BATCH) {
                insert.execute(params_from_iter(row))?;
            }
        }
        transaction.commit()?;
    }
    Ok(watch.sample())
}
