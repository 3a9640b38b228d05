//! Traffic as servers make it: many small messages, a few large ones, words in them.

use bytes::Bytes;
use sonde_protocol::{Body, Channel, ConnectionId, Direction, Frame, Record, Stamp};

use crate::rounds::quantile;

/// Of a log-normal distribution this makes a median of 300 bytes and a 99th percentile of 20 kB.
const MEDIAN: f64 = 300.0;
const SIGMA: f64 = 1.806;

/// Servers that speak in turns.
pub const SERVERS: u64 = 5;
/// Of a hundred rows; the rest are notifications.
const EXCHANGES: u64 = 40;
const STDERR: u64 = 1;

/// Methods with the argument that names what they are about.
const METHODS: &[(&str, &str)] = &[
    ("tools/call", r#""name":"search_files","arguments":"#),
    ("tools/call", r#""name":"read_document","arguments":"#),
    ("tools/call", r#""name":"run_query","arguments":"#),
    ("resources/read", r#""uri":"file:///home/me/notes.md","_meta":"#),
    ("prompts/get", r#""name":"summary","arguments":"#),
];

const WORDS: &[&str] = &[
    "alpha", "branch", "commit", "delta", "error", "file", "graph", "http", "index", "json", "key", "line", "merge",
    "node", "open", "path", "query", "row", "search", "tree", "user", "value", "window", "yield", "zone", "0", "17",
    "2024", "of", "the", "in", "and",
];

/// Makes rows, each of one frame or of two.
pub struct Traffic {
    random: fastrand::Rng,
    /// Words to cut texts from.
    text: String,
    rows: u64,
    sizes: Vec<f64>,
}

impl Traffic {
    /// The same seed gives the same traffic.
    pub fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut text = String::new();
        while text.len() < 256 << 10 {
            text.push_str(WORDS.get(random.usize(..WORDS.len())).unwrap_or(&"word"));
            text.push(' ');
        }
        Traffic { random, text, rows: 0, sizes: Vec::new() }
    }

    /// The frames of the next row.
    pub fn next_row(&mut self) -> Vec<Record> {
        let id = self.rows;
        self.rows += 1;
        let kind = self.random.u64(..100);
        if kind < EXCHANGES {
            let (method, about) = METHODS.get(self.random.usize(..METHODS.len())).copied().unwrap_or(("ping", ""));
            let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{about}{{"query":""#);
            let request = self.frame(Direction::Out, Channel::Message, &head, r#""}}}"#);
            let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#);
            let response = self.frame(Direction::In, Channel::Message, &head, r#""}]}}"#);
            vec![request, response]
        } else if kind < EXCHANGES + STDERR {
            vec![self.frame(Direction::In, Channel::Stderr, "[info] ", "")]
        } else {
            let head = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":""#;
            vec![self.frame(Direction::In, Channel::Message, head, r#""}}"#)]
        }
    }

    fn frame(&mut self, direction: Direction, channel: Channel, head: &str, tail: &str) -> Record {
        let size = self.size();
        let mut text = head.to_owned();
        let mut missing = size.saturating_sub(head.len() + tail.len());
        while missing > 0 {
            let start = self.random.usize(..self.text.len());
            let part = self.text.get(start..).unwrap_or_default();
            let part = part.get(..missing).unwrap_or(part);
            text.push_str(part);
            missing -= part.len();
        }
        text.push_str(tail);
        self.sizes.push(text.len() as f64);
        // A millisecond between frames; the wall clock starts in 2024.
        let at = self.sizes.len() as u64 * 1_000_000;
        let stamp = Stamp { monotonic_ns: at, wall_ns: 1_704_067_200_000_000_000 + at as i64 };
        let connection = ConnectionId(1 + ((self.rows - 1) % SERVERS) as i64);
        Record::Frame(Frame { connection, direction, channel, stamp, body: Body::whole(Bytes::from(text)), http: None })
    }

    fn size(&mut self) -> usize {
        // Box and Muller: two even numbers make one that is normal. The first must not be zero.
        let (one, other) = (1.0 - self.random.f64(), self.random.f64());
        let normal = (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos();
        (MEDIAN * (SIGMA * normal).exp()) as usize
    }

    /// Bytes of all frames so far.
    pub fn bytes(&self) -> f64 {
        self.sizes.iter().sum()
    }

    /// The sizes that were really made, in a sentence.
    pub fn describe(&self) -> String {
        let mut sizes = self.sizes.clone();
        sizes.sort_by(f64::total_cmp);
        format!(
            "{} rows of {} frames: median {:.0} B, mean {:.0} B, p99 {:.0} B, largest {:.0} B, together {:.0} MB",
            self.rows,
            sizes.len(),
            quantile(&sizes, 0.5),
            self.bytes() / sizes.len() as f64,
            quantile(&sizes, 0.99),
            quantile(&sizes, 1.0),
            self.bytes() / 1e6,
        )
    }
}
