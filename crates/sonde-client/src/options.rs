//! How we present ourselves to a server, and how long we wait for it.

use std::time::Duration;

use serde_json::value::RawValue;
use sonde_protocol::Revision;

use crate::wire::literal;

/// What one connection is opened with.
#[derive(Debug, Clone)]
pub struct Options {
    /// The `clientInfo` of `initialize`, sent as it is written.
    pub client_info: Box<RawValue>,
    /// The `capabilities` of `initialize`, sent as they are written. What is not in them is refused when a server asks.
    pub capabilities: Box<RawValue>,
    pub negotiation: Negotiation,
    /// For connecting, `initialize` included.
    pub connect_limit: Duration,
    /// For any other request that does not say otherwise.
    pub patience: Patience,
}

/// How the revision is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Negotiation {
    /// The newest that both speak.
    Auto,
    /// This one is offered, and no other is taken.
    Pinned(Revision),
    /// Nothing is sent, and this one is assumed. Nothing is gated either: what the server can do was never said.
    Skip(Revision),
}

/// How long an answer is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Longest time without a word; progress renews it.
    pub silence: Option<Duration>,
    /// Longest time in all, whatever the server reports meanwhile.
    pub limit: Duration,
}

impl Default for Options {
    fn default() -> Self {
        let info = format!(r#"{{"name":"sonde","title":"Sonde","version":"{}"}}"#, env!("CARGO_PKG_VERSION"));
        Options {
            client_info: literal(info),
            capabilities: literal("{}"),
            negotiation: Negotiation::Auto,
            connect_limit: Duration::from_secs(30),
            patience: Patience::default(),
        }
    }
}

impl Default for Patience {
    fn default() -> Self {
        Patience { silence: None, limit: Duration::from_secs(600) }
    }
}

impl Negotiation {
    /// What we offer, or assume.
    pub(crate) fn revision(self) -> Revision {
        match self {
            Negotiation::Auto => Revision::LATEST,
            Negotiation::Pinned(revision) | Negotiation::Skip(revision) => revision,
        }
    }

    /// Whether an answered revision is one we go on with.
    pub(crate) fn accepts(self, revision: Revision) -> bool {
        match self {
            Negotiation::Auto | Negotiation::Skip(_) => true,
            Negotiation::Pinned(pinned) => revision == pinned,
        }
    }
}
