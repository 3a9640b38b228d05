//! The recorder: one bounded queue, one writer, group commit.

use std::time::Duration;

use sonde_protocol::{ConnectionId, Record};
use sqlx::{Connection, Row, SqliteConnection};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::ledger::Ledger;
use crate::log::bounds;
use crate::open::{Store, StoreError};
use crate::write::{last_numbers, write};

/// Records that may wait for the writer. When it is full, whoever reads a server's output waits.
const QUEUE: usize = 8192;
/// Records, and rows made of them, that one transaction takes. No connection may have more in queue and transaction
/// together than the queue holds, so half of it lets one half be filled while the other is written.
const LARGEST_BATCH: usize = QUEUE / 2;
/// How long the first record of a batch waits for company. A commit costs a sync of the disk whatever its size.
const LINGER: Duration = Duration::from_millis(15);
/// A batch of this size has company enough.
const FULL_ENOUGH: usize = 1024;
/// Orders that may wait; of those that open connections one transaction takes all.
const MOST_ORDERS: usize = 128;
const RETRY: Duration = Duration::from_millis(500);

/// What is known of the log after the newest commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogState {
    /// Grows with every commit, so a waiter can tell that something happened.
    pub commits: u64,
    pub rows: i64,
    pub bytes_on_disk: u64,
    /// Why recording is held up, if it is. Nothing is lost: the servers wait with us.
    pub problem: Option<String>,
}

/// The one writer of this process.
#[derive(Debug)]
pub struct Recorder {
    records: mpsc::Sender<Record>,
    orders: mpsc::Sender<Order>,
    state: watch::Receiver<LogState>,
    /// Dropped to say that nothing more is to come.
    open: oneshot::Sender<()>,
    writer: JoinHandle<()>,
}

/// The way in for new connections. Many may wait in it at once; once the recorder has ended, it is shut.
#[derive(Debug, Clone)]
pub struct Entrance {
    records: mpsc::Sender<Record>,
    orders: mpsc::Sender<Order>,
}

impl Entrance {
    /// Gives a new connection its number.
    pub async fn open_connection(&self, server: &str, at_ns: i64) -> Result<ConnectionId, StoreError> {
        let (reply, answer) = oneshot::channel();
        let opening = Opening { server: server.to_owned(), at_ns, reply };
        self.orders.send(Order::Open(opening)).await.map_err(|_| sqlx::Error::WorkerCrashed)?;
        Ok(answer.await.map_err(|_| sqlx::Error::WorkerCrashed)??)
    }

    /// Where the taps put what they see.
    pub fn sink(&self) -> mpsc::Sender<Record> {
        self.records.clone()
    }
}

/// What the writer is asked for besides writing.
#[derive(Debug)]
enum Order {
    Open(Opening),
    /// Write what is queued now, and say when it is written.
    Flush(oneshot::Sender<()>),
}

/// A request for a new connection's number.
#[derive(Debug)]
struct Opening {
    server: String,
    at_ns: i64,
    reply: oneshot::Sender<Result<ConnectionId, sqlx::Error>>,
}

impl Recorder {
    pub async fn start(store: &Store) -> Result<Self, StoreError> {
        let mut connection = store.writer().await?;
        let (last_row, last_frame) = last_numbers(&mut connection).await?;
        let mut ledger = Ledger::default();
        ledger.begin(last_row, last_frame);
        let (_oldest, rows) = bounds(&mut connection).await?;
        let state = LogState { rows, bytes_on_disk: store.size_on_disk(), ..LogState::default() };
        let (records, record_queue) = mpsc::channel(QUEUE);
        let (orders, order_queue) = mpsc::channel(MOST_ORDERS);
        let (state_sender, state) = watch::channel(state);
        let writer = Writer { connection, ledger, store: store.clone(), state: state_sender };
        let (open, ending) = oneshot::channel();
        let writer = tokio::spawn(writer.run(record_queue, order_queue, ending));
        Ok(Recorder { records, orders, state, open, writer })
    }

    /// Where the taps put what they see.
    pub fn sink(&self) -> mpsc::Sender<Record> {
        self.records.clone()
    }

    /// Changes with every commit.
    pub fn state(&self) -> watch::Receiver<LogState> {
        self.state.clone()
    }

    /// Where connections get their numbers, for whoever can't hold on to the recorder meanwhile.
    pub fn entrance(&self) -> Entrance {
        Entrance { records: self.records.clone(), orders: self.orders.clone() }
    }

    /// Gives a new connection its number.
    pub async fn open_connection(&self, server: &str, at_ns: i64) -> Result<ConnectionId, StoreError> {
        self.entrance().open_connection(server, at_ns).await
    }

    /// Waits until everything that is queued now is on disk.
    pub async fn flush(&self) -> Result<(), StoreError> {
        let (reply, done) = oneshot::channel();
        self.orders.send(Order::Flush(reply)).await.map_err(|_| sqlx::Error::WorkerCrashed)?;
        Ok(done.await.map_err(|_| sqlx::Error::WorkerCrashed)?)
    }

    /// Writes what is queued and ends; whoever still holds a sink finds it closed.
    pub async fn finish(self) {
        drop(self.open);
        if let Err(error) = self.writer.await {
            tracing::error!(%error, "the recorder did not end in good order");
        }
    }
}

struct Writer {
    connection: SqliteConnection,
    ledger: Ledger,
    store: Store,
    state: watch::Sender<LogState>,
}

impl Writer {
    async fn run(
        mut self,
        mut records: mpsc::Receiver<Record>,
        mut orders: mpsc::Receiver<Order>,
        mut ending: oneshot::Receiver<()>,
    ) {
        let mut batch = Vec::new();
        loop {
            tokio::select! {
                biased;
                _ = &mut ending, if !records.is_closed() => records.close(),
                Some(order) = orders.recv() => self.obey(order, &mut orders, &mut records, &mut batch).await,
                taken = records.recv_many(&mut batch, LARGEST_BATCH) => {
                    if taken == 0 {
                        return;
                    }
                    // At the end nobody is to come, so nothing is waited for.
                    if batch.len() < FULL_ENOUGH && !records.is_closed() {
                        let company = tokio::time::sleep(LINGER);
                        tokio::pin!(company);
                        loop {
                            tokio::select! {
                                biased;
                                _ = &mut ending => {
                                    records.close();
                                    break;
                                }
                                // A server that is about to start waits for this, and need not wait for company.
                                Some(order) = orders.recv() => {
                                    self.obey(order, &mut orders, &mut records, &mut batch).await;
                                }
                                () = &mut company => break,
                            }
                        }
                        take(&mut records, &mut batch);
                    }
                    if !batch.is_empty() {
                        self.commit(&mut batch).await;
                    }
                }
            }
        }
    }

    /// Carries out an order, and those that wait behind it.
    async fn obey(
        &mut self,
        first: Order,
        orders: &mut mpsc::Receiver<Order>,
        records: &mut mpsc::Receiver<Record>,
        batch: &mut Vec<Record>,
    ) {
        let (mut openings, mut flushes) = (Vec::new(), Vec::new());
        let mut next = Some(first);
        while let Some(order) = next {
            match order {
                Order::Open(opening) => openings.push(opening),
                Order::Flush(reply) => flushes.push(reply),
            }
            next = orders.try_recv().ok();
        }
        self.open_connections(openings).await;
        if flushes.is_empty() {
            return;
        }
        take(records, batch);
        if !batch.is_empty() {
            self.commit(batch).await;
        }
        // Whoever asked may have gone meanwhile.
        for reply in flushes {
            reply.send(()).ok();
        }
    }

    /// Writes the batch, however long the disk refuses; the full queue holds the servers back meanwhile.
    async fn commit(&mut self, records: &mut Vec<Record>) {
        for record in records.drain(..) {
            self.ledger.enter(record);
            // One record can be a thousand rows.
            if self.ledger.batch.rows.len() >= LARGEST_BATCH {
                self.flush().await;
            }
        }
        self.flush().await;
    }

    async fn flush(&mut self) {
        let rows_before = self.ledger.batch.first_row - 1;
        while let Err(error) = write(&mut self.connection, &mut self.ledger).await {
            tracing::error!(%error, "the log could not be written; trying again");
            self.state.send_modify(|state| state.problem = Some(error.to_string()));
            tokio::time::sleep(RETRY).await;
        }
        let batch = &self.ledger.batch;
        let last_row = batch.first_row + batch.rows.len() as i64 - 1;
        let last_frame = batch.first_frame + batch.frames.len() as i64 - 1;
        self.ledger.begin(last_row, last_frame);
        // Rows that another process wrote meanwhile count, too.
        let rows = last_row - rows_before;
        let bytes_on_disk = self.store.size_on_disk();
        self.state.send_modify(|state| {
            *state = LogState { commits: state.commits + 1, rows: state.rows + rows, bytes_on_disk, problem: None };
        });
    }

    /// All in one transaction, because each costs a sync of the disk; where that fails, each learns its own reason.
    async fn open_connections(&mut self, openings: Vec<Opening>) {
        let mut together = match self.insert_connections(&openings).await {
            Ok(numbers) => numbers,
            Err(error) => {
                tracing::warn!(%error, count = openings.len(), "connections could not be entered together");
                Vec::new()
            }
        }
        .into_iter();
        for opening in openings {
            let number = match together.next() {
                Some(number) => Ok(number),
                None => self.insert_connections(std::slice::from_ref(&opening)).await.and_then(only),
            };
            let result = number.map(|(id, server)| {
                self.ledger.register(id, server);
                id
            });
            // Whoever asked may have gone meanwhile.
            opening.reply.send(result).ok();
        }
    }

    async fn insert_connections(&mut self, openings: &[Opening]) -> Result<Vec<(ConnectionId, i64)>, sqlx::Error> {
        if openings.is_empty() {
            return Ok(Vec::new());
        }
        let owner = i64::from(std::process::id());
        let owner_start = self.store.own_start.and_then(|start| i64::try_from(start).ok());
        let asked: Vec<(&str, i64)> = openings.iter().map(|opening| (&*opening.server, opening.at_ns)).collect();
        let asked = serde_json::to_string(&asked).map_err(|error| sqlx::Error::Encode(error.into()))?;
        let mut transaction = self.connection.begin_with("BEGIN IMMEDIATE").await?;
        // Two statements, however many start at once.
        sqlx::query("INSERT INTO server (name) SELECT value ->> 0 FROM json_each(?) WHERE true ON CONFLICT DO NOTHING")
            .bind(&asked)
            .execute(&mut *transaction)
            .await?;
        let inserted = sqlx::query(
            "INSERT INTO connection (server, owner, owner_start, started, first_row)
             SELECT server.id, ?, ?, asked.value ->> 1, coalesce((SELECT max(seq) FROM row), 0)
             FROM json_each(?) AS asked JOIN server ON server.name = asked.value ->> 0 ORDER BY asked.key
             RETURNING id, server",
        )
        .bind(owner)
        .bind(owner_start)
        .bind(&asked)
        .fetch_all(&mut *transaction)
        .await?;
        transaction.commit().await?;
        let numbers = inserted.iter().map(|row| Ok((ConnectionId(row.try_get(0)?), row.try_get(1)?)));
        let mut numbers = numbers.collect::<Result<Vec<_>, sqlx::Error>>()?;
        // They were inserted in the order in which they were asked for, and are given back in any.
        numbers.sort_by_key(|(id, _)| id.0);
        Ok(numbers)
    }
}

fn only(numbers: Vec<(ConnectionId, i64)>) -> Result<(ConnectionId, i64), sqlx::Error> {
    numbers.into_iter().next().ok_or(sqlx::Error::RowNotFound)
}

/// Takes what is queued, as far as one transaction takes it.
fn take(records: &mut mpsc::Receiver<Record>, batch: &mut Vec<Record>) {
    while batch.len() < LARGEST_BATCH
        && let Ok(record) = records.try_recv()
    {
        batch.push(record);
    }
}
