//! Why an HTTP exchange did not do what it was for, in words that a person can act on.

use std::time::Duration;

use crate::tap::Tap;

/// What went wrong. None of the texts holds a secret; what a server said is clipped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpFailure {
    #[error("the name `{host}` could not be looked up: {problem}")]
    Unresolved { host: String, problem: String },
    #[error("`{address}` could not be connected to: {problem}")]
    Unconnected { address: String, problem: String },
    #[error("`{address}` could not be connected to within {} s", limit.as_secs_f64())]
    ConnectTimeout { address: String, limit: Duration },
    #[error("the certificate of `{host}` is not trusted: {problem}")]
    Untrusted {
        host: String,
        problem: String,
        /// SHA-256 of the certificate that the server showed, where it showed one.
        fingerprint: Option<String>,
    },
    #[error("no encrypted connection to `{host}` came about: {problem}")]
    Handshake { host: String, problem: String },
    #[error("the proxy did not let us through: {problem}")]
    Proxy { problem: String },
    #[error("the connection broke {when}: {problem}")]
    Broken { when: Moment, problem: String },
    #[error("the server answered HTTP {status}{}", meaning(*status, said))]
    Status {
        status: u16,
        /// What the server said: the message of a JSON-RPC error, or the beginning of the body.
        said: Option<String>,
        /// The values of `WWW-Authenticate`.
        challenges: Vec<String>,
        /// `Retry-After`, as it was written.
        retry_after: Option<String>,
    },
    #[error("the server redirects with HTTP {status} to `{location}`, which is not followed: {reason}")]
    Redirected { status: u16, location: String, reason: &'static str },
    #[error("the server answered with {found}, which is neither JSON nor an event stream")]
    ContentType {
        found: String,
        /// The beginning of the body.
        preview: String,
    },
    #[error("the server answered HTTP {status} without a body, though the request awaits an answer")]
    Empty { status: u16 },
    #[error("the body is encoded as `{encoding}`, which can't be read")]
    Encoding { encoding: String },
    #[error("the body could not be decompressed: {problem}")]
    Decompression { problem: String },
    #[error("the body grew to more than {ratio} times its compressed size")]
    Bomb { ratio: u64 },
    #[error("the body has more than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the headers of the answer can't be taken: {problem}")]
    Headers { problem: String },
    #[error("the session id of the server can't be used: {problem}")]
    SessionId { problem: String },
    #[error("nothing came for {} s in the middle of the answer", .0.as_secs_f64())]
    Idle(Duration),
    #[error("the event stream ended without the answer, and it can't be resumed: no event had an id")]
    NotResumable,
    #[error("the event stream ended without the answer, and the server does not let it be resumed: {refusal}")]
    NotResumed {
        /// What the server said to that, in words.
        refusal: String,
    },
    #[error("the server answered with JSON that does not answer this request")]
    AnotherAnswer {
        /// The beginning of the body.
        preview: String,
    },
    #[error("the server no longer knows the session")]
    SessionLost,
    #[error("the server named no endpoint for messages within {} s", .0.as_secs_f64())]
    NoEndpoint(Duration),
    #[error("the endpoint `{endpoint}` that the server named is not used: {reason}")]
    Endpoint { endpoint: String, reason: &'static str },
    #[error("the event stream of the server ended")]
    StreamEnded,
    #[error("the answer has more than {limit} bytes; the log has the beginning and a digest of it")]
    Oversized { limit: u64 },
    #[error("it was given up {when}")]
    GivenUp { when: Moment },
    #[error("the connection was closed by us")]
    Closed,
}

/// How far an exchange had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Too many others were under way.
    Waiting,
    Connecting,
    /// The request may or may not have reached the server.
    Asking,
    Reading,
}

impl std::fmt::Display for Moment {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Moment::Waiting => "before it was sent",
            Moment::Connecting => "while the connection was made",
            Moment::Asking => "before the headers of the answer came",
            Moment::Reading => "in the middle of the answer",
        })
    }
}

impl HttpFailure {
    /// A status that nothing is said about.
    pub(super) fn bare(status: u16) -> Self {
        HttpFailure::Status { status, said: None, challenges: Vec::new(), retry_after: None }
    }

    /// Without secrets, whatever the server or the library said.
    pub(super) fn cleaned(mut self, tap: &Tap) -> Self {
        for text in self.texts() {
            *text = tap.hide(std::mem::take(text));
        }
        self
    }

    fn texts(&mut self) -> Vec<&mut String> {
        match self {
            HttpFailure::Unresolved { problem, .. }
            | HttpFailure::Unconnected { problem, .. }
            | HttpFailure::Untrusted { problem, .. }
            | HttpFailure::Handshake { problem, .. }
            | HttpFailure::Proxy { problem }
            | HttpFailure::Broken { problem, .. }
            | HttpFailure::Decompression { problem }
            | HttpFailure::Headers { problem }
            | HttpFailure::SessionId { problem } => vec![problem],
            HttpFailure::Status { said, challenges, retry_after, .. } => {
                said.iter_mut().chain(challenges).chain(retry_after).collect()
            }
            HttpFailure::ContentType { found, preview } => vec![found, preview],
            HttpFailure::Redirected { location: text, .. }
            | HttpFailure::Encoding { encoding: text }
            | HttpFailure::NotResumed { refusal: text }
            | HttpFailure::AnotherAnswer { preview: text }
            | HttpFailure::Endpoint { endpoint: text, .. } => vec![text],
            HttpFailure::ConnectTimeout { .. }
            | HttpFailure::Empty { .. }
            | HttpFailure::Bomb { .. }
            | HttpFailure::TooLarge { .. }
            | HttpFailure::Idle(_)
            | HttpFailure::NotResumable
            | HttpFailure::SessionLost
            | HttpFailure::NoEndpoint(_)
            | HttpFailure::StreamEnded
            | HttpFailure::Oversized { .. }
            | HttpFailure::GivenUp { .. }
            | HttpFailure::Closed => Vec::new(),
        }
    }

    /// Whether it means what the specification says of a server that does not speak Streamable HTTP.
    pub(super) fn allows_fallback(&self) -> bool {
        matches!(self, HttpFailure::Status { status: 400 | 404 | 405, .. })
    }
}

/// The first characters of what a server said.
pub(super) fn clip(text: &str, longest: usize) -> String {
    text.chars().take(longest).collect()
}

fn meaning(status: u16, said: &Option<String>) -> String {
    let word = match status {
        400 => "the request was not understood",
        401 => "it wants to know who we are",
        403 => "it does not allow this",
        404 => "there is nothing at this address",
        405 => "this method is not offered here",
        406 => "it can't answer in a form that we take",
        408 => "it waited too long for the request",
        413 => "the request is too large for it",
        415 => "it does not take JSON",
        429 => "too many requests",
        500..=599 => "the fault is on its side",
        _ => "which is not an answer",
    };
    match said {
        Some(said) if !said.is_empty() => format!(" ({word}): {said}"),
        _ => format!(" ({word})"),
    }
}
