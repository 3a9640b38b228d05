//! The unit that is recorded: bytes with a direction and a time, not yet understood.

use bytes::Bytes;

use crate::http::{HttpExchange, HttpPlace};

/// One connection to one server, from its start to its end. The store numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConnectionId(pub i64);

/// Seen from us: `Out` goes to the server, `In` comes from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    Out,
    In,
}

impl Direction {
    /// The way an answer travels.
    pub fn reverse(self) -> Self {
        match self {
            Direction::Out => Direction::In,
            Direction::In => Direction::Out,
        }
    }
}

/// Where on the connection the bytes were seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The protocol's own stream.
    Message,
    /// What the server's process wrote to its standard error.
    Stderr,
    /// A remark of ours: connected, negotiated, ended.
    Mark,
}

/// When, by both clocks. Whoever reads the clocks passes the values in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Nanoseconds since an arbitrary moment of this process; never goes back.
    pub monotonic_ns: u64,
    /// Nanoseconds since 1970; may jump.
    pub wall_ns: i64,
}

/// What a line that was longer than the limit leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The length of the whole line.
    pub size: u64,
    /// SHA-256 of the whole line.
    pub sha256: [u8; 32],
}

/// The bytes of one line, without its line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    pub bytes: Bytes,
    /// Set when `bytes` is only the first part.
    pub cut: Option<Cut>,
    /// False when the stream ended before a line feed.
    pub terminated: bool,
    /// The length on the wire, where secrets were taken out of `bytes`.
    pub redacted: Option<u64>,
}

impl Body {
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        Body { bytes: bytes.into(), cut: None, terminated: true, redacted: None }
    }

    /// How long the line was on the wire, whatever part of it was kept.
    pub fn size(&self) -> u64 {
        let wire = self.cut.map(|cut| cut.size).or(self.redacted);
        wire.unwrap_or(self.bytes.len() as u64)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub connection: ConnectionId,
    pub direction: Direction,
    pub channel: Channel,
    pub stamp: Stamp,
    pub body: Body,
    /// Set where it travelled by HTTP.
    pub http: Option<Box<HttpPlace>>,
}

/// Everything the recorder is told, in the order it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    Frame(Frame),
    /// We stopped waiting for the answer to our request `id`, and nothing on the wire says why.
    Settled {
        connection: ConnectionId,
        id: Box<str>,
        how: Settlement,
    },
    /// What is known of an HTTP exchange by now.
    Http(Box<HttpExchange>),
    /// The connection is over; what is still pending will never be answered.
    Ended {
        connection: ConnectionId,
        stamp: Stamp,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    TimedOut,
    /// There will be no answer, and this is why.
    Failed(Box<str>),
    /// An answer of so many bytes came, which is more than is taken.
    Oversized(u64),
}
