//! P14: the recorder against bare inserts of the rows it made.

mod bare;

use std::path::Path;

use anyhow::Result;
use sonde_protocol::Record;
use sonde_store::{Recorder, Store};
use sonde_transport::{is_alive, process_start};

use crate::binaries;
use crate::frames::{SERVERS, Traffic};
use crate::report::{Report, Unit};
use crate::rounds::{self, Contest, Sample, Stopwatch};
use bare::Copy;

const ROWS: usize = 20_000;

pub async fn measure(rounds: usize) -> Result<Report> {
    let mut traffic = Traffic::new(14);
    let mut records = Vec::new();
    for _ in 0..ROWS {
        records.extend(traffic.next_row());
    }
    let folder = binaries::scratch()?;
    let path = folder.path().join("log.sqlite");
    record(&path, records.clone()).await?;
    let copy = tokio::task::block_in_place(|| bare::read(&path))?;
    let mut ingest = Ingest { records, copy };
    let outcome = rounds::hold(&mut ingest, rounds).await?;

    let mut report = Report::default();
    let ratio = outcome.ratio(Writer::Recorder, Writer::Bare);
    report.judge("P14", "ingest: recorder / bare inserts", Unit::Ratio, ratio, 2.0);
    for writer in ingest.contenders() {
        let rows = outcome.wall(writer).map(|seconds| ROWS as f64 / seconds);
        report.tell(format!("ingest: {writer:?}, rows committed"), Unit::RowsPerSecond, rows);
        report.tell(format!("ingest: {writer:?}, CPU"), Unit::Seconds, outcome.cpu(writer));
    }
    report.note(format!("ingest: {}", traffic.describe()));
    Ok(report)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Writer {
    Recorder,
    Bare,
}

struct Ingest {
    records: Vec<Record>,
    /// What the recorder made of the records.
    copy: Copy,
}

impl Contest for Ingest {
    type Contender = Writer;

    fn contenders(&self) -> Vec<Writer> {
        vec![Writer::Recorder, Writer::Bare]
    }

    async fn run(&mut self, writer: Writer) -> Result<Sample> {
        // A new log each time: neither may profit from how far the other's has grown.
        let folder = binaries::scratch()?;
        let path = folder.path().join("log.sqlite");
        match writer {
            Writer::Recorder => record(&path, self.records.clone()).await,
            Writer::Bare => tokio::task::block_in_place(|| bare::write(&path, &self.copy)),
        }
    }
}

/// Records until everything is committed.
async fn record(path: &Path, records: Vec<Record>) -> Result<Sample> {
    let store = Store::open(path, process_start, is_alive).await?;
    let recorder = start(&store).await?;
    let sink = recorder.sink();
    let watch = Stopwatch::start();
    for record in records {
        sink.send(record).await?;
    }
    drop(sink);
    // Without a sink the recorder ends with its last commit.
    recorder.finish().await;
    Ok(watch.sample())
}

/// A recorder that knows the connections of [`Traffic`].
pub async fn start(store: &Store) -> Result<Recorder> {
    let recorder = Recorder::start(store).await?;
    for number in 1..=SERVERS {
        let id = recorder.open_connection(&format!("server-{number}"), 0).await?;
        anyhow::ensure!(id.0 == number as i64, "a new log numbers its connections from 1");
    }
    Ok(recorder)
}
