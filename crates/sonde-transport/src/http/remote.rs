//! What will be connected to, exactly: decided before any socket is opened.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::mask::Secrecy;

/// A server that is reached by HTTP.
#[derive(Clone, PartialEq, Eq)]
pub struct Remote {
    /// `http` or `https`, with a host and without a user or a fragment; whoever makes one sees to it.
    pub url: Url,
    /// The address as it may be shown: where variables were filled in, as it was written without them.
    pub shown: String,
    pub dialect: Dialect,
    /// Sent with every request to the server's origin.
    pub headers: Vec<Header>,
    /// Values that are written down nowhere, wherever they turn up: those of secret headers, and those that were filled
    /// into the address.
    pub secrets: Vec<String>,
    pub proxy: Proxying,
    pub trust: Trust,
    /// How often a message that can't run twice is sent again to a server that is too busy for it.
    pub retries: u32,
    /// In thousandths: the pause before a try is this to the power of its number, in seconds. The usual is 1,500.
    pub backoff: u32,
    pub limits: HttpLimits,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Remote").field("shown", &self.shown).finish_non_exhaustive()
    }
}

/// Which of the two HTTP transports is spoken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Streamable HTTP; where the server refuses the first message with 400, 404 or 405, what it offers at the same
    /// address by HTTP with SSE.
    #[default]
    Auto,
    Streamable,
    /// HTTP with SSE, of revision 2024-11-05.
    Sse,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    pub name: String,
    pub value: String,
    /// True where nobody may read the value: neither a log nor a window.
    pub secret: bool,
}

impl Header {
    pub(super) fn secrecy(&self) -> Secrecy {
        if self.secret { Secrecy::Kept } else { Secrecy::ByName }
    }
}

impl std::fmt::Debug for Header {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Header").field("name", &self.name).finish_non_exhaustive()
    }
}

/// By which way the server is reached.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Proxying {
    /// As the environment says.
    #[default]
    System,
    /// Directly, whatever the environment says.
    None,
    /// By this proxy. The address may have a user and a password in it.
    By(String),
}

impl std::fmt::Debug for Proxying {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Proxying::System => "System",
            Proxying::None => "None",
            Proxying::By(_) => "By(..)",
        })
    }
}

/// Whom an encrypted connection trusts beside the authorities of the system, and how we show who we are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trust {
    /// PEM: certificates of further authorities.
    pub authorities: Option<PathBuf>,
    /// PEM: our certificate with its chain, and its key; the key may stand in the same file.
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
    /// SHA-256 of the one certificate that is trusted, whatever it says of itself. Nothing else is trusted then.
    pub pinned: Option<[u8; 32]>,
}

/// How much is taken of a server, and how long it may take. All of it is told when it is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpLimits {
    /// Bytes of a message: a JSON body, decompressed, or the data of an event.
    pub message: usize,
    /// Bytes of the body of an error.
    pub error_body: usize,
    /// Bytes of all headers of an answer together, and their number.
    pub headers: usize,
    pub header_count: usize,
    /// How many bytes one compressed byte may become, once there are more than a mebibyte of them.
    pub ratio: u64,
    /// To the open connection, its handshake included.
    pub connect: Duration,
    /// Between two parts of a body that is no event stream.
    pub idle: Duration,
    /// Requests that run at once; more wait for their turn.
    pub parallel: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        HttpLimits {
            message: 64 << 20,
            error_body: 64 << 10,
            headers: 64 << 10,
            header_count: 100,
            ratio: 100,
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(300),
            parallel: 256,
        }
    }
}
