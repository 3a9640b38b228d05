//! The facts of HTTP: what a log keeps of an exchange beside the messages that travelled in it.

use crate::finding::Finding;
use crate::frame::{ConnectionId, Stamp};
use crate::headers::Headers;

/// One HTTP request and what came of it. Told anew whenever more is known of it; the newest word counts. Secrets have
/// been masked before it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpExchange {
    pub connection: ConnectionId,
    /// Counted from 1 within the connection.
    pub number: u32,
    /// The exchange that this one repeats or goes on with: after a redirect, a retry, or the break of a stream.
    pub follows: Option<u32>,
    pub load: HttpLoad,
    pub method: &'static str,
    pub url: String,
    pub started: Stamp,
    pub request_headers: Headers,
    /// None until the server answered.
    pub response: Option<HttpHead>,
    pub phases: HttpPhases,
    /// None where the connection is not encrypted, or before it is known.
    pub tls: Option<TlsFacts>,
    pub traffic: HttpTraffic,
    /// None while it goes on.
    pub end: Option<HttpEnd>,
    pub findings: Vec<Finding>,
}

/// What a request carries to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpLoad {
    /// A message of ours, which has a row of its own.
    Message,
    /// Nothing: it opens a stream, or ends a session. The exchange is a row by itself.
    Nothing,
}

/// What a server answers before the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpHead {
    pub status: u16,
    /// `HTTP/1.1`, `HTTP/2.0`.
    pub version: &'static str,
    pub headers: Headers,
}

/// How long each part of an exchange took, in nanoseconds. What did not happen is absent: on a connection that was used
/// before there is neither look-up nor handshake.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HttpPhases {
    pub dns: Option<u64>,
    pub connect: Option<u64>,
    pub tls: Option<u64>,
    /// From the request, or from the new connection, to the status line.
    pub first_byte: Option<u64>,
    pub body: Option<u64>,
}

/// What was seen of the server's certificate and of the encryption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFacts {
    /// `TLS 1.3`.
    pub version: Option<String>,
    pub subject: String,
    pub issuer: String,
    /// The names that the certificate is for.
    pub names: Vec<String>,
    /// Seconds since 1970.
    pub not_before: i64,
    pub not_after: i64,
    /// SHA-256 of the certificate, in hexadecimal.
    pub fingerprint: String,
    /// Why it was trusted, in words.
    pub trusted: String,
}

/// Bytes, by what became of them. `body` is the sum of all others but `sent`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HttpTraffic {
    /// Of our body.
    pub sent: u64,
    /// Of the server's body, decompressed where it was compressed.
    pub body: u64,
    /// Handed to the log as frames, whole or with the digest of what was cut.
    pub recorded: u64,
    /// Of comments in an event stream.
    pub comments: u64,
    /// Names of fields, ids, line ends and the like.
    pub framing: u64,
    /// Read and not kept, because a limit was passed.
    pub dropped: u64,
    pub events: u64,
    pub comment_lines: u64,
    /// Of the body on the wire, where it was compressed.
    pub compressed: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpEnd {
    /// Nanoseconds from the start.
    pub after: u64,
    /// Why it did not do what it was for, in words; None where it did.
    pub problem: Option<String>,
}

/// Where on an HTTP connection a frame was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpPlace {
    /// The number of the exchange.
    pub exchange: u32,
    /// Set where the frame was an event of a stream.
    pub event: Option<SseEvent>,
    /// What is wrong with it that its bytes do not show.
    pub findings: Vec<Finding>,
}

/// The fields of an event beside its data, as they stood in the stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SseEvent {
    pub id: Option<String>,
    /// The event's name, where it had one.
    pub name: Option<String>,
    /// Milliseconds.
    pub retry: Option<u64>,
}
