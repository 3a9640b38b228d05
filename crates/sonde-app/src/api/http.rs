//! What the log knows of HTTP beside the messages.

use serde::Serialize;
use ts_rs::TS;

/// One HTTP request and what came of it. Secrets are masked.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct HttpDetail {
    /// Counted from 1 within the connection.
    pub number: u32,
    /// The exchange that this one repeats or goes on with: after a redirect, a retry, or the break of a stream.
    pub follows: Option<u32>,
    pub method: String,
    pub url: String,
    /// RFC 3339 with nanoseconds, UTC.
    pub started: String,
    pub request_headers: Vec<HttpHeader>,
    /// None until the server answered, as are version and headers.
    pub status: Option<u16>,
    /// `HTTP/1.1`, `HTTP/2.0`.
    pub version: Option<String>,
    pub response_headers: Vec<HttpHeader>,
    pub phases_ms: HttpPhases,
    /// None where the connection is not encrypted.
    pub tls: Option<TlsFacts>,
    pub traffic: HttpTraffic,
    /// Milliseconds from the start to the end; None while it goes on.
    pub after_ms: Option<f64>,
    /// Why it did not do what it was for.
    pub problem: Option<String>,
}

/// A header as it was on the wire; the same name may come several times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct HttpHeader {
    pub name: String,
    pub value: String,
}

/// How long each part of an exchange took, in milliseconds. What did not happen is absent: on a connection that was
/// used before there is neither look-up nor handshake.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct HttpPhases {
    pub dns: Option<f64>,
    pub connect: Option<f64>,
    pub tls: Option<f64>,
    pub first_byte: Option<f64>,
    pub body: Option<f64>,
}

/// What was seen of the server's certificate and of the encryption.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct TlsFacts {
    /// `TLS 1.3`.
    pub version: Option<String>,
    pub subject: String,
    pub issuer: String,
    /// The names that the certificate is for.
    pub names: Vec<String>,
    /// RFC 3339, UTC; empty where it is no time.
    pub not_before: String,
    pub not_after: String,
    /// SHA-256 of the certificate, in hexadecimal.
    pub fingerprint: String,
    /// Why it was trusted, in words.
    pub trusted: String,
}

/// Bytes, by what became of them. `body` is the sum of recorded, comments, framing and dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct HttpTraffic {
    /// Of our body.
    pub sent: i64,
    /// Of the server's body, decompressed where it was compressed.
    pub body: i64,
    /// Kept as frames, whole or with the digest of what was cut.
    pub recorded: i64,
    /// Of comments in an event stream.
    pub comments: i64,
    /// Names of fields, ids, line ends and the like.
    pub framing: i64,
    /// Read and not kept, because a limit was passed.
    pub dropped: i64,
    pub events: i64,
    pub comment_lines: i64,
    /// Of the body on the wire, where it was compressed.
    pub compressed: i64,
}

/// The fields of an event beside its data, as they stood in the stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct SseEvent {
    pub id: Option<String>,
    pub name: Option<String>,
    /// Milliseconds.
    pub retry: Option<i64>,
}
