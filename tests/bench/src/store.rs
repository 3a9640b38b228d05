//! P10: what a large log costs to look at, against a small one.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use rusqlite::Connection;
use sonde_store::{RowKind, Store, View};
use sonde_transport::{is_alive, process_start};
use tempfile::TempDir;

use crate::binaries;
use crate::frames::Traffic;
use crate::ingest;
use crate::report::{Report, Unit};
use crate::rounds::{self, Contest, Sample, Spread, Stopwatch};

const SMALL: u64 = 10_000;
/// Rows that a window asks for.
const PAGE: i64 = 50;
const SCANS: usize = 5;

pub async fn measure(rounds: usize, rows: u64) -> Result<Report> {
    let mut report = Report::default();
    let (small, large) = (Log::fill(SMALL).await?, Log::fill(rows).await?);
    for question in Question::ALL {
        let name = question.name();
        let mut look = Look { question: *question, small: &small, large: &large };
        let outcome = rounds::hold(&mut look, rounds).await?;
        let ratio = outcome.ratio(Size::Large, Size::Small);
        report.judge("P10", format!("{name}: {rows} rows / {SMALL} rows"), Unit::Ratio, ratio, 3.0);
        report.tell(format!("{name}: {rows} rows"), Unit::Seconds, outcome.wall(Size::Large));
    }
    let scans = tokio::task::block_in_place(|| large.scan())?;
    report.tell(format!("substring in all bytes, bare SQL: {rows} rows"), Unit::Seconds, scans);
    let size = large.path.metadata()?.len() as f64;
    report.tell("log: size on disk / bytes of its frames", Unit::Ratio, Spread::single(size / large.traffic.bytes()));
    report.note(format!("log: {}", large.traffic.describe()));
    Ok(report)
}

/// A log that was recorded, then closed and opened again.
struct Log {
    store: Store,
    path: PathBuf,
    traffic: Traffic,
    _folder: TempDir,
}

impl Log {
    async fn fill(rows: u64) -> Result<Self> {
        let folder = binaries::scratch()?;
        let path = folder.path().join("log.sqlite");
        let mut traffic = Traffic::new(10);
        let recorder = ingest::start(&Store::open(&path, process_start, is_alive).await?).await?;
        let sink = recorder.sink();
        for _ in 0..rows {
            for record in traffic.next_row() {
                sink.send(record).await?;
            }
        }
        drop(sink);
        recorder.finish().await;
        // What has not been merged would be read from a second file.
        tokio::task::block_in_place(|| {
            Connection::open(&path)?.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        })?;
        Ok(Log { store: Store::open(&path, process_start, is_alive).await?, path, traffic, _folder: folder })
    }

    /// Searches every byte, as plainly as SQL can.
    fn scan(&self) -> Result<Spread> {
        let log = Connection::open(&self.path)?;
        let mut seconds = Vec::new();
        for _ in 0..SCANS {
            let watch = Stopwatch::start();
            // As bytes, because a text would be measured for its characters first.
            let sql = "SELECT count(*) FROM frame WHERE instr(bytes, CAST('not in there' AS BLOB)) > 0";
            let found: i64 = log.query_row(sql, [], |row| row.get(0))?;
            ensure!(found == 0, "the words are in the log");
            seconds.push(watch.wall().as_secs_f64());
        }
        Ok(Spread::of(seconds))
    }
}

/// What a window asks of the log.
#[derive(Debug, Clone, Copy)]
enum Question {
    Middle,
    End,
    ServerNearEnd,
    ServerMiddle,
    ServerFirstTime,
    Stderr,
}

impl Question {
    const ALL: &'static [Question] = &[
        Question::Middle,
        Question::End,
        Question::ServerNearEnd,
        Question::ServerMiddle,
        Question::ServerFirstTime,
        Question::Stderr,
    ];

    fn name(self) -> &'static str {
        match self {
            Question::Middle => "page in the middle",
            Question::End => "jump to the end",
            Question::ServerNearEnd => "by server, near the end",
            Question::ServerMiddle => "by server, in the middle",
            Question::ServerFirstTime => "by server, first look",
            Question::Stderr => "by kind stderr, at the end",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Size {
    Small,
    Large,
}

struct Look<'a> {
    question: Question,
    small: &'a Log,
    large: &'a Log,
}

impl Contest for Look<'_> {
    type Contender = Size;

    fn contenders(&self) -> Vec<Size> {
        vec![Size::Small, Size::Large]
    }

    async fn run(&mut self, size: Size) -> Result<Sample> {
        let log = match size {
            Size::Small => self.small,
            Size::Large => self.large,
        };
        let all = View::default();
        let server = View { server: Some("server-3".to_owned()), ..View::default() };
        let stderr = View { kind: Some(RowKind::Stderr), ..View::default() };
        // How many rows a view has is counted once and then known; only the first look pays for it.
        let mut store = log.store.clone();
        let (view, first) = match self.question {
            Question::Middle => (&all, store.page(&all, 0, 1).await?.total / 2),
            Question::End => (&all, i64::MAX),
            Question::ServerNearEnd => (&server, store.page(&server, 0, 1).await?.total - 1000),
            Question::ServerMiddle => (&server, store.page(&server, 0, 1).await?.total / 2),
            Question::ServerFirstTime => {
                store = Store::open(&log.path, process_start, is_alive).await?;
                // A connection that never read has its schema to parse, whatever the size of the log.
                store.page(&all, 0, 1).await?;
                (&server, i64::MAX)
            }
            Question::Stderr => {
                store.page(&stderr, 0, 1).await?;
                (&stderr, i64::MAX)
            }
        };
        let watch = Stopwatch::start();
        let page = store.page(view, first, PAGE).await?;
        let sample = watch.sample();
        ensure!(page.rows.len() as i64 == PAGE, "a page of {view:?} has {} rows", page.rows.len());
        Ok(sample)
    }
}
