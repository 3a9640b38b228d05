//! The tap: every frame passes it once, is stamped, and is handed to the recorder before anyone else sees it.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use sonde_protocol::{
    Body, Channel, ConnectionId, Direction, Frame, Headers, HttpExchange, HttpPlace, Record, Settlement, Stamp,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::lines::Line;
use crate::redact::{End, Redactor};

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

/// Decides what of some bytes may be written down and handed on. The seam where secrets are taken out.
pub trait Redact: Send + Sync {
    /// The bytes to use instead, or None where they may be used as they are.
    fn redact(&self, bytes: &[u8], end: End) -> Option<Vec<u8>>;

    /// Whether it looks at the bytes at all, which takes its time.
    fn looks(&self) -> bool {
        true
    }
}

impl Redact for Redactor {
    fn redact(&self, bytes: &[u8], end: End) -> Option<Vec<u8>> {
        Redactor::redact(self, bytes, end)
    }
}

/// Records everything as it is: nothing is copied, nothing looked at.
#[derive(Debug)]
pub struct Verbatim;

impl Redact for Verbatim {
    fn redact(&self, _bytes: &[u8], _end: End) -> Option<Vec<u8>> {
        None
    }

    fn looks(&self) -> bool {
        false
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
/// Longer lines are looked at where nobody has to wait for it.
const LONG: usize = 256 << 10;

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

    /// Records a line and gives back the frame, without secrets. Waits while the recorder is behind.
    pub(crate) async fn line(&self, direction: Direction, channel: Channel, line: Line) -> Frame {
        let body = self.cleaned(line.into()).await;
        self.frame(direction, channel, body).await
    }

    /// Records what we are about to write, a frame for each line of it, and gives it back to be written. Waits while
    /// the recorder is behind.
    pub(crate) async fn written(&self, bytes: Vec<u8>) -> Bytes {
        // Where what is recorded may be another thing, it holds the share alone: no line waits for its own message.
        let looks = self.redact.looks();
        let bytes = if looks { bytes.into() } else { self.lease(bytes).await };
        let mut rest = bytes.clone();
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', &rest);
            let mut line = rest.split_to(end.map_or(rest.len(), |end| end + 1));
            line.truncate(end.unwrap_or(line.len()));
            let body = Body { terminated: end.is_some(), ..Body::whole(line) };
            let body = if looks { self.cleaned(body).await } else { body };
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
        let shares = [own, share];
        let message = line.get(..line.len().saturating_sub(1)).unwrap_or_default();
        let (bytes, body) = match self.redact.redact(message, End::Whole) {
            // What is written and what is recorded are two; a share is held by the one that waits for the disk.
            Some(hidden) => {
                let redacted = Some(message.len() as u64);
                let hidden = Bytes::from_owner(Leased { bytes: hidden.into(), _shares: shares });
                (line.into(), Body { redacted, ..Body::whole(hidden) })
            }
            None => {
                let bytes = Bytes::from_owner(Leased { bytes: line.into(), _shares: shares });
                let message = bytes.slice(..bytes.len().saturating_sub(1));
                (bytes, Body::whole(message))
            }
        };
        place.send(Record::Frame(self.stamp(Direction::Out, Channel::Message, body)));
        Ok(bytes)
    }

    /// Records a message that came by HTTP and gives back its frame, without secrets. Waits while the recorder is
    /// behind.
    pub(crate) async fn message(&self, line: Line, place: HttpPlace) -> Frame {
        let body = self.cleaned(line.into()).await;
        self.placed(Direction::In, Channel::Message, body, place).await
    }

    /// Records what we are about to post, and gives it back to be sent. Only the recorder's copy holds a share of the
    /// budget: the answer needs one, too, and must not wait for its own request.
    pub(crate) async fn posted(&self, message: Vec<u8>, place: HttpPlace) -> Bytes {
        let bytes = Bytes::from(message);
        let body = self.cleaned(Body::whole(bytes.clone())).await;
        self.placed(Direction::Out, Channel::Message, body, place).await;
        bytes
    }

    async fn placed(&self, direction: Direction, channel: Channel, body: Body, mut place: HttpPlace) -> Frame {
        let frame = self.stamp(direction, channel, body);
        self.clean_place(&mut place);
        let recorded = Frame { http: Some(Box::new(place)), ..frame.clone() };
        self.send(Record::Frame(recorded)).await;
        frame
    }

    /// Writes a remark of ours about what was seen in an HTTP exchange.
    pub(crate) async fn mark_in(&self, text: String, place: HttpPlace) {
        self.placed(Direction::In, Channel::Mark, Body::whole(self.hide(text)), place).await;
    }

    /// Tells the recorder what is known of an HTTP exchange.
    pub(crate) async fn http(&self, mut exchange: Box<HttpExchange>) {
        exchange.connection = self.connection;
        self.clean_exchange(&mut exchange);
        self.send(Record::Http(exchange)).await;
    }

    /// Writes a remark of ours into the log.
    pub async fn mark(&self, text: String) {
        self.frame(Direction::In, Channel::Mark, Body::whole(self.hide(text))).await;
    }

    /// Tells the recorder that we stopped waiting for the answer to our request `id`.
    pub async fn settle(&self, id: &str, how: Settlement) {
        let how = match how {
            Settlement::Failed(why) => Settlement::Failed(self.hide(why.into()).into()),
            how @ (Settlement::TimedOut | Settlement::Oversized(_)) => how,
        };
        self.send(Record::Settled { connection: self.connection, id: id.into(), how }).await;
    }

    /// Tells the recorder that the connection is over.
    pub async fn end(&self) {
        self.send(Record::Ended { connection: self.connection, stamp: self.clock.now() }).await;
    }

    /// A text without secrets.
    pub(crate) fn hide(&self, text: String) -> String {
        match self.redact.redact(text.as_bytes(), End::Whole) {
            Some(hidden) => String::from_utf8_lossy(&hidden).into_owned(),
            None => text,
        }
    }

    /// Bytes without secrets.
    pub(crate) fn hidden<'a>(&self, bytes: &'a [u8], end: End) -> Cow<'a, [u8]> {
        self.redact.redact(bytes, end).map_or(Cow::Borrowed(bytes), Cow::Owned)
    }

    /// What may be recorded and handed on, tied to the budget.
    async fn cleaned(&self, body: Body) -> Body {
        let end = if body.cut.is_some() { End::Cut } else { End::Whole };
        let hidden = match self.redact.looks() && body.bytes.len() > LONG {
            false => self.redact.redact(&body.bytes, end),
            // Whoever looks at so much would keep others waiting.
            true => {
                let (redact, bytes) = (self.redact.clone(), body.bytes.clone());
                let looked = tokio::task::spawn_blocking(move || redact.redact(&bytes, end)).await;
                looked.unwrap_or_else(|_| Some(b"this could not be searched for secrets".to_vec()))
            }
        };
        let redacted = hidden.is_some().then_some(body.bytes.len() as u64);
        let bytes = hidden.map_or(body.bytes, Bytes::from);
        Body { bytes: self.lease(bytes).await, redacted, ..body }
    }

    fn clean_exchange(&self, exchange: &mut HttpExchange) {
        self.clean(&mut exchange.url);
        self.clean_headers(&mut exchange.request_headers);
        exchange.response.iter_mut().for_each(|head| self.clean_headers(&mut head.headers));
        exchange.end.iter_mut().filter_map(|end| end.problem.as_mut()).for_each(|problem| self.clean(problem));
        exchange.findings.iter_mut().for_each(|finding| self.clean(&mut finding.message));
    }

    fn clean_headers(&self, headers: &mut Headers) {
        // Their text has a secret where a value has one, in the same form or in that of a JSON string.
        if self.redact.redact(headers.as_json().as_bytes(), End::Whole).is_some() {
            *headers = headers.pairs().into_iter().map(|(name, value)| (name, self.hide(value))).collect();
        }
    }

    fn clean_place(&self, place: &mut HttpPlace) {
        place.findings.iter_mut().for_each(|finding| self.clean(&mut finding.message));
        let fields = place.event.iter_mut().flat_map(|event| [&mut event.id, &mut event.name]);
        fields.flatten().for_each(|field| self.clean(field));
    }

    fn clean(&self, text: &mut String) {
        if let Some(hidden) = self.redact.redact(text.as_bytes(), End::Whole) {
            *text = String::from_utf8_lossy(&hidden).into_owned();
        }
    }

    async fn frame(&self, direction: Direction, channel: Channel, body: Body) -> Frame {
        let frame = self.stamp(direction, channel, body);
        self.send(Record::Frame(frame.clone())).await;
        frame
    }

    fn stamp(&self, direction: Direction, channel: Channel, body: Body) -> Frame {
        Frame { connection: self.connection, direction, channel, stamp: self.clock.now(), body, http: None }
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

impl From<Line> for Body {
    fn from(line: Line) -> Self {
        Body { cut: line.cut, terminated: line.terminated, ..Body::whole(line.bytes) }
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

    #[tokio::test]
    async fn what_is_recorded_and_handed_on_has_no_secret_and_the_size_that_it_had_on_the_wire() {
        let (sink, mut records) = mpsc::channel(64);
        let redactor = Arc::new(Redactor::new([("TOKEN", "s3cr3t\"value")]).unwrap());
        let tap = Tap::new(ConnectionId(1), Clock::start(), sink, InFlight::default(), redactor);
        let said = br#"{"a":"s3cr3t\"value"}"#.to_vec();
        let clean = r#"{"a":"‹secret:TOKEN›"}"#;
        let text = |frame: &Frame| String::from_utf8(frame.body.bytes.to_vec()).unwrap();

        let given = tap.line(Direction::In, Channel::Message, Line::whole(said.clone())).await;
        assert_eq!((text(&given).as_str(), given.body.size()), (clean, said.len() as u64), "the client's");
        tap.line(Direction::In, Channel::Stderr, Line::whole(said.clone())).await;
        let long = [vec![b' '; LONG], said.clone()].concat();
        tap.line(Direction::In, Channel::Message, Line::whole(long.clone())).await;
        let place = || HttpPlace {
            exchange: 1,
            event: Some(sonde_protocol::SseEvent { id: Some("s3cr3t\"value".to_owned()), ..Default::default() }),
            findings: Vec::new(),
        };
        tap.message(Line::whole(said.clone()), place()).await;

        let line = [said.clone(), b"\n".to_vec()].concat();
        assert_eq!(tap.try_written(line.clone()).unwrap(), line, "what is written is what was to be written");
        assert_eq!(tap.written(line.clone()).await, line);
        assert_eq!(tap.posted(said.clone(), place()).await, said);
        tap.mark("it is s3cr3t\"value".to_owned()).await;
        drop(tap);

        let mut sizes = Vec::new();
        while let Some(record) = records.recv().await {
            let Record::Frame(frame) = record else { continue };
            assert!(text(&frame).trim() == clean || text(&frame) == "it is ‹secret:TOKEN›", "{}", text(&frame));
            let event = frame.http.as_ref().and_then(|place| place.event.clone());
            assert!(event.is_none_or(|event| event.id.as_deref() == Some("‹secret:TOKEN›")), "its id as well");
            sizes.push(frame.body.size());
        }
        let (size, long) = (said.len() as u64, long.len() as u64);
        // A remark is ours: nothing of it was on the wire.
        sizes.pop();
        assert_eq!(sizes, [size, size, long, size, size, size, size], "bytes are counted as they were on the wire");
    }

    #[tokio::test]
    async fn an_exchange_is_told_without_secrets_and_a_cut_line_without_the_head_of_one() {
        let (sink, mut records) = mpsc::channel(64);
        let redactor = Arc::new(Redactor::new([("TOKEN", "s3cr3t-value")]).unwrap());
        let tap = Tap::new(ConnectionId(1), Clock::start(), sink, InFlight::default(), redactor);
        let cut = Some(sonde_protocol::Cut { size: 99, sha256: [0; 32] });
        let given =
            tap.line(Direction::In, Channel::Message, Line { bytes: b"x s3cr3t-val".to_vec(), cut, terminated: true });
        let given = given.await.body;
        assert_eq!((given.bytes.as_ref(), given.size()), (&b"x "[..], 99), "its length is the one that it had");
        let headers: Headers = [("x-echo", "Bearer s3cr3t-value")].into_iter().collect();
        let exchange = HttpExchange {
            connection: ConnectionId(0),
            number: 1,
            follows: None,
            load: sonde_protocol::HttpLoad::Nothing,
            method: "GET",
            url: "https://example.com/s3cr3t-value".to_owned(),
            started: Stamp::default(),
            request_headers: headers.clone(),
            response: Some(sonde_protocol::HttpHead { status: 200, version: "HTTP/1.1", headers }),
            phases: Default::default(),
            tls: None,
            traffic: Default::default(),
            end: Some(sonde_protocol::HttpEnd { after: 1, problem: Some("it said s3cr3t-value".to_owned()) }),
            findings: Vec::new(),
        };
        tap.http(Box::new(exchange)).await;
        drop(tap);
        let mut told = String::new();
        while let Some(record) = records.recv().await {
            told += &format!("{record:?}");
        }
        assert!(!told.contains("s3cr3t"), "{told}");
        assert_eq!(told.matches("‹secret:TOKEN›").count(), 4, "address, both headers, problem: {told}");
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
