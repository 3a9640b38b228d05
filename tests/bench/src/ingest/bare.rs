//! The floor: SQLite with the same tables and indexes, prepared statements and large transactions, nothing else.

use std::path::Path;

use anyhow::Result;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::rounds::{Sample, Stopwatch};

/// Rows of each table that one transaction takes.
const BATCH: usize = 5000;

/// What the recorder wrote: the log's own schema, so that the indexes are the same, and the rows as they stand in it.
pub struct Copy {
    schema: Vec<String>,
    tables: Vec<Table>,
}

struct Table {
    insert: String,
    rows: Vec<Vec<Value>>,
}

pub fn read(path: &Path) -> Result<Copy> {
    let log = Connection::open(path)?;
    let words = |sql: &str| -> Result<Vec<String>> {
        Ok(log.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    };
    let schema =
        words("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid")?;
    let names =
        words("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid")?;
    let tables = names.iter().map(|name| read_table(&log, name)).collect::<Result<_>>()?;
    Ok(Copy { schema, tables })
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
pub fn write(path: &Path, copy: &Copy) -> Result<Sample> {
    let mut log = Connection::open(path)?;
    log.pragma_update(None, "journal_mode", "wal")?;
    log.pragma_update(None, "synchronous", "full")?;
    for statement in &copy.schema {
        log.execute_batch(statement)?;
    }
    let watch = Stopwatch::start();
    let longest = copy.tables.iter().map(|table| table.rows.len()).max().unwrap_or(0);
    for start in (0..longest).step_by(BATCH) {
        let transaction = log.transaction()?;
        for table in &copy.tables {
            let mut insert = transaction.prepare_cached(&table.insert)?;
            for row in table.rows.iter().skip(start).take(BATCH) {
                insert.execute(params_from_iter(row))?;
            }
        }
        transaction.commit()?;
    }
    Ok(watch.sample())
}
