//! The tap: every frame passes it once, is stamped, and is handed to the recorder before anyone else sees it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use sonde_protocol::{
    Body, Channel, ConnectionId, Direction, Frame, HttpExchange, HttpPlace, Record, Settlement, Stamp,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::lines::Line;

/// Reads both clocks. One per process, so that the stamps of all connections compare.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    started: Instant,
}

impl Clock {
    pub fn start() -> Self {
        Clock { started: Instant::now() }
    }

    pub fn now(&self) -> Stamp {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Stamp {
            monotonic_ns: u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX),
            wall_ns: i64::try_from(wall.as_nanos()).unwrap_or(i64::MAX),
        }
    }
}

/// Decides what of a frame may be written down. The seam where secrets are taken out.
pub trait Redact: Send + Sync {
    /// The body to record instead, or None to record the frame as it is.
    fn redact(&self, frame: &Frame) -> Option<Body>;
}

/// Records everything as it is.
#[derive(Debug)]
pub struct Verbatim;

impl Redact for Verbatim {
    fn redact(&self, _frame: &Frame) -> Option<Body> {
        None
    }
}

/// What the taps of one process share. Cheap to clone.
#[derive(Debug, Clone)]
pub struct InFlight {
    /// One budget for the bytes of all frames between a pipe and the disk, whatever their number.
    budget: Arc<Semaphore>,
    /// Records that came after the recorder had ended.
    lost: Arc<AtomicU64>,
}

impl Default for InFlight {
    fn default() -> Self {
        InFlight { budget: Arc::new(Semaphore::new(BUDGET)), lost: Arc::default() }
    }
}

impl InFlight {
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

/// The way of one connection's frames to the recorder.
#[derive(Clone)]
pub struct Tap {
    connection: ConnectionId,
    clock: Clock,
    /// Bounded: a full queue holds back the reader, and with it the server, but loses nothing.
    sink: mpsc::Sender<Record>,
    in_flight: InFlight,
    /// What of budget and queue this connection may hold: whoever floods us leaves room for the others.
    own: Arc<Semaphore>,
    /// What a frame takes of that at least, so that many small ones do not fill the queue.
    least: usize,
    redact: Arc<dyn Redact>,
}

/// Bytes that all frames between a pipe and the disk may hold together, and how many of them those of one connection.
const BUDGET: usize = 48 << 20;
const OWN: usize = 40 << 20;

impl Tap {
    pub fn new(
        connection: ConnectionId,
        clock: Clock,
        sink: mpsc::Sender<Record>,
        in_flight: InFlight,
        redact: Arc<dyn Redact>,
    ) -> Self {
        // A sixteenth of the queue is beyond the reach of any one connection.
        let places = sink.max_capacity() - sink.max_capacity().div_ceil(16);
        let least = OWN.div_ceil(places.max(1));
        Tap { connection, clock, sink, in_flight, own: Arc::new(Semaphore::new(OWN)), least, redact }
    }

    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Records a line and gives back the frame. Waits while the recorder is behind.
    pub(crate) async fn line(&self, direction: Direction, channel: Channel, line: Line) -> Frame {
        let body = Body { bytes: self.lease(line.bytes).await, cut: line.cut, terminated: line.terminated };
        self.frame(direction, channel, body).await
    }

    /// Records what we are about to write, a frame for each line of it, and gives it back to be written. Waits while
    /// the recorder is behind.
    pub(crate) async fn written(&self, bytes: Vec<u8>) -> Bytes {
        let bytes = self.lease(bytes).await;
        let mut rest = bytes.clone();
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', &rest);
            let mut line = rest.split_to(end.map_or(rest.len(), |end| end + 1));
            line.truncate(end.unwrap_or(line.len()));
            let body = Body { bytes: line, cut: None, terminated: end.is_some() };
            self.frame(Direction::Out, Channel::Message, body).await;
        }
        bytes
    }

    /// The same for one line with its line feed, if the recorder takes it at once; otherwise the line comes back.
    pub(crate) fn try_written(&self, line: Vec<u8>) -> Result<Bytes, Vec<u8>> {
        let Ok(place) = self.sink.try_reserve() else { return Err(line) };
        let own = self.own.clone().try_acquire_many_owned(self.own_share_of(&line));
        let share = self.in_flight.budget.clone().try_acquire_many_owned(share_of(&line));
        let (Ok(own), Ok(share)) = (own, share) else { return Err(line) };
        let bytes = Bytes::from_owner(Leased { bytes: line.into(), _shares: [own, share] });
        let body = Body { bytes: bytes.slice(..bytes.len().saturating_sub(1)), cut: None, terminated: true };
        place.send(Record::Frame(self.stamp(Direction::Out, Channel::Message, body).1));
        Ok(bytes)
    }

    /// Records a message that came by HTTP and gives back its frame. Waits while the recorder is behind.
    pub(crate) async fn message(&self, line: Line, place: HttpPlace) -> Frame {
        let body = Body { bytes: self.lease(line.bytes).await, cut: line.cut, terminated: line.terminated };
        self.placed(Direction::In, Channel::Message, body, place).await
    }

    /// Records what we are about to post, and gives it back to be sent. Only the recorder's copy holds a share of the
    /// budget: the answer needs one, too, and must not wait for its own request.
    pub(crate) async fn posted(&self, message: Vec<u8>, place: HttpPlace) -> Bytes {
        let bytes = Bytes::from(message);
        let body = Body { bytes: self.lease(bytes.clone()).await, cut: None, terminated: true };
        self.placed(Direction::Out, Channel::Message, body, place).await;
        bytes
    }

    async fn placed(&self, direction: Direction, channel: Channel, body: Body, place: HttpPlace) -> Frame {
        let (frame, mut recorded) = self.stamp(direction, channel, body);
        recorded.http = Some(Box::new(place));
        self.send(Record::Frame(recorded)).await;
        frame
    }

    /// Writes a remark of ours about what was seen in an HTTP exchange.
    pub(crate) async fn mark_in(&self, text: String, place: HttpPlace) {
        self.placed(Direction::In, Channel::Mark, Body::whole(text), place).await;
    }

    /// Tells the recorder what is known of an HTTP exchange.
    pub(crate) async fn http(&self, exchange: HttpExchange) {
        self.send(Record::Http(Box::new(HttpExchange { connection: self.connection, ..exchange }))).await;
    }

    /// Writes a remark of ours into the log.
    pub async fn mark(&self, text: String) {
        self.frame(Direction::In, Channel::Mark, Body::whole(text)).await;
    }

    /// Tells the recorder that we stopped waiting for the answer to our request `id`.
    pub async fn settle(&self, id: &str, how: Settlement) {
        self.send(Record::Settled { connection: self.connection, id: id.into(), how }).await;
    }

    /// Tells the recorder that the connection is over.
    pub async fn end(&self) {
        self.send(Record::Ended { connection: self.connection, stamp: self.clock.now() }).await;
    }

    async fn frame(&self, direction: Direction, channel: Channel, body: Body) -> Frame {
        let (frame, recorded) = self.stamp(direction, channel, body);
        self.send(Record::Frame(recorded)).await;
        frame
    }

    /// The frame, and what of it may be written down.
    fn stamp(&self, direction: Direction, channel: Channel, body: Body) -> (Frame, Frame) {
        let frame =
            Frame { connection: self.connection, direction, channel, stamp: self.clock.now(), body, http: None };
        let mut recorded = frame.clone();
        if let Some(body) = self.redact.redact(&frame) {
            recorded.body = body;
        }
        (frame, recorded)
    }

    async fn send(&self, record: Record) {
        // The recorder outlives every connection; it is gone only while the process ends.
        if self.sink.send(record).await.is_err() {
            self.in_flight.lost.fetch_add(1, Ordering::Relaxed);
            tracing::error!(connection = self.connection.0, "the recorder is gone: a record was not written");
        }
    }

    /// Ties the bytes to the budget: their share comes back when the last copy is dropped.
    async fn lease(&self, bytes: impl Into<Bytes>) -> Bytes {
        let bytes = bytes.into();
        // The own share first: who waits for it stands in nobody's way.
        let own = self.own.clone().acquire_many_owned(self.own_share_of(&bytes)).await;
        let share = self.in_flight.budget.clone().acquire_many_owned(share_of(&bytes)).await;
        match (own, share) {
            (Ok(own), Ok(share)) => Bytes::from_owner(Leased { bytes, _shares: [own, share] }),
            _closed => bytes,
        }
    }

    fn own_share_of(&self, bytes: &[u8]) -> u32 {
        share_of(bytes).max(u32::try_from(self.least).unwrap_or(u32::MAX))
    }
}

/// What is larger than all that one connection may hold takes all of it.
fn share_of(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len().min(OWN)).unwrap_or(u32::MAX)
}

struct Leased {
    bytes: Bytes,
    _shares: [OwnedSemaphorePermit; 2],
}

impl AsRef<[u8]> for Leased {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taps(queue: usize) -> (Tap, Tap, mpsc::Receiver<Record>) {
        let (sink, records) = mpsc::channel(queue);
        let in_flight = InFlight::default();
        let tap = |number| {
            Tap::new(ConnectionId(number), Clock::start(), sink.clone(), in_flight.clone(), Arc::new(Verbatim))
        };
        (tap(1), tap(2), records)
    }

    #[test]
    fn whoever_fills_the_queue_leaves_room_for_others() {
        for size in [2, 10_000, 50 << 20] {
            let (flood, other, records) = taps(64);
            let mut count = 0;
            while flood.try_written(vec![b'x'; size]).is_ok() {
                count += 1;
            }
            assert!(count > 0, "there was room for lines of {size} bytes");
            assert!(other.try_written(b"still here\n".to_vec()).is_ok(), "{count} lines of {size} bytes left none");
            drop(records);
        }
    }
}
