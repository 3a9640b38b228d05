//! A store on a temporary file with a recorder, and short ways to say what happened.

use std::path::PathBuf;
use std::time::Duration;

use sonde_protocol::{Body, Channel, ConnectionId, Direction, Frame, Record, Settlement, Stamp};
use sonde_store::{Recorder, Row, Store, View};

pub const LIMIT: Duration = Duration::from_secs(30);

/// This process as the store is told of it.
pub const OWN_START: u64 = 77;

pub fn start_of(pid: u32) -> Option<u64> {
    (pid == std::process::id()).then_some(OWN_START)
}

pub struct Scribe {
    pub folder: tempfile::TempDir,
    pub store: Store,
    pub recorder: Recorder,
    pub connection: ConnectionId,
    /// Nanoseconds of both clocks; every frame is one millisecond later than the one before.
    now: u64,
}

impl Scribe {
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("log.db"), start_of, |_, _| true).await.unwrap();
        let recorder = Recorder::start(&store).await.unwrap();
        let connection = recorder.open_connection("alpha", 0).await.unwrap();
        Scribe { folder, store, recorder, connection, now: 0 }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("log.db")
    }

    pub fn stamp(&mut self) -> Stamp {
        self.now += 1_000_000;
        Stamp { monotonic_ns: self.now, wall_ns: 1_700_000_000_000_000_000 + self.now as i64 }
    }

    pub async fn record(&self, record: Record) {
        self.recorder.sink().send(record).await.unwrap();
    }

    pub async fn frame(&mut self, direction: Direction, channel: Channel, body: Body) {
        let frame = Frame { connection: self.connection, direction, channel, stamp: self.stamp(), body, http: None };
        self.record(Record::Frame(frame)).await;
    }

    pub async fn out(&mut self, text: &str) {
        self.frame(Direction::Out, Channel::Message, Body::whole(text.to_owned())).await;
    }

    pub async fn inward(&mut self, text: &str) {
        self.frame(Direction::In, Channel::Message, Body::whole(text.to_owned())).await;
    }

    pub async fn time_out(&self, id: &str) {
        self.record(Record::Settled { connection: self.connection, id: id.into(), how: Settlement::TimedOut }).await;
    }

    pub async fn end(&mut self) {
        let stamp = self.stamp();
        self.record(Record::Ended { connection: self.connection, stamp }).await;
    }

    /// Finishes recording and gives every row.
    pub async fn rows(self) -> (Vec<Row>, Store, tempfile::TempDir) {
        tokio::time::timeout(LIMIT, self.recorder.finish()).await.unwrap();
        let rows = all(&self.store, &View::default()).await;
        (rows, self.store, self.folder)
    }
}

/// Every row of a view.
pub async fn all(store: &Store, view: &View) -> Vec<Row> {
    store.page(view, 0, i64::from(u32::MAX)).await.unwrap().rows
}
