//! From a started server to a ready one: `initialize`, the version both speak, `notifications/initialized`.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sonde_protocol::{Agreement, Capabilities, FirstItems, Revision};
use sonde_transport::{HttpFailure, Link};
use tokio_util::sync::CancellationToken;

use crate::ask::{Ask, Gate, Progressing, unwritable};
use crate::call::{Answer, CallError};
use crate::client::{Client, Ending, Strays};
use crate::dispatch::{dispatch, drive};
use crate::options::{Negotiation, Options, Patience};
use crate::wire::{self, clip, clip_to};

/// What the two sides agreed on.
#[derive(Debug, Clone)]
pub struct Handshake {
    pub revision: Revision,
    /// False where nothing was negotiated, so that the revision is assumed and the server said nothing of itself.
    pub negotiated: bool,
    /// The revision that was asked for, first or last.
    pub offered: Revision,
    /// JSON of both sides, verbatim.
    pub server_info: Option<Box<RawValue>>,
    pub server_capabilities: Option<Box<RawValue>>,
    pub client_capabilities: Box<RawValue>,
    pub instructions: Option<String>,
    /// How long the server took to answer.
    pub latency: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("the server ended before answering `initialize`")]
    EndedEarly { ending: Ending, strays: Strays },
    #[error("the server did not answer `initialize` within {} s", limit.as_secs_f64())]
    NoAnswer { limit: Duration, ending: Ending, strays: Strays },
    #[error("the server refused `initialize`: {message}{}", list(supported))]
    Refused { code: Option<i64>, message: String, supported: Vec<String>, ending: Ending },
    #[error("the server speaks revision `{answered}`, and we take {}", accepted.join(", "))]
    Version { answered: String, offered: Revision, accepted: Vec<&'static str>, ending: Ending },
    /// Nothing that a server of this protocol would say.
    #[error(transparent)]
    Http { failure: HttpFailure },
    #[error("the server's answer to `initialize` can't be understood: {problem}")]
    Unclear { problem: String, ending: Ending },
    #[error(transparent)]
    Call(#[from] CallError),
}

fn list(supported: &[String]) -> String {
    match supported {
        [] => String::new(),
        _ => format!("; it speaks {}", supported.join(", ")),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Initialize<'a> {
    protocol_version: &'a str,
    capabilities: &'a RawValue,
    client_info: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialized<'a> {
    protocol_version: String,
    #[serde(borrow)]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow)]
    server_info: Option<&'a RawValue>,
    #[serde(borrow)]
    instructions: Option<&'a RawValue>,
}

impl Client {
    /// Takes over a started server. Whatever goes wrong, the server's processes are ended before this returns.
    /// Cancelling `closing` disconnects, now or later.
    pub async fn connect(
        link: Link,
        options: &Options,
        closing: CancellationToken,
    ) -> Result<(Client, Handshake), ConnectError> {
        let Link { inbound, outbound, peer, stderr, tap } = link;
        let client = Client::new(tap, outbound, options, closing);
        let taker = client.clone();
        inbound.take_at_once(Arc::new(move |frame| dispatch(&taker, frame)));
        tokio::spawn(drive(client.clone(), inbound, peer, stderr));
        match client.negotiate(options).await {
            Ok(handshake) => Ok((client, handshake)),
            Err(failure) => {
                client.close();
                let ending = client.ended().await;
                let strays = client.strays().clone();
                Err(failure.explain(ending, strays))
            }
        }
    }

    async fn negotiate(&self, options: &Options) -> Result<Handshake, Failure> {
        if let Negotiation::Skip(revision) = options.negotiation {
            self.shared().tap.mark(format!("connected without negotiation · {revision} is assumed")).await;
            return Ok(Handshake {
                revision,
                negotiated: false,
                offered: revision,
                server_info: None,
                server_capabilities: None,
                client_capabilities: options.capabilities.clone(),
                instructions: None,
                latency: Duration::ZERO,
            });
        }
        let offered = options.negotiation.revision();
        match self.initialize(options, offered).await {
            // A server that refuses rather than answers with its own revision still says what it speaks.
            Err(Failure::Refused { supported, .. })
                if options.negotiation == Negotiation::Auto && newest(&supported, offered).is_some() =>
            {
                let mutual = newest(&supported, offered).unwrap_or(offered);
                self.shared().tap.mark(format!("the server refused {offered} and speaks {mutual}")).await;
                self.initialize(options, mutual).await
            }
            outcome => outcome,
        }
    }

    async fn initialize(&self, options: &Options, offered: Revision) -> Result<Handshake, Failure> {
        let params = Initialize {
            protocol_version: offered.as_str(),
            capabilities: &options.capabilities,
            client_info: &options.client_info,
        };
        let params = serde_json::value::to_raw_value(&params).map_err(unwritable)?;
        let started = self.shared().tap.clock().now().monotonic_ns;
        let ask = Ask {
            patience: Some(Patience { silence: None, limit: options.connect_limit }),
            gate: Gate::Open,
            progress: Progressing::Unwanted,
            ..Ask::new("initialize").with_params(params)
        };
        let answer = self.ask(ask).await?.end().await?;
        let latency = Duration::from_nanos(self.shared().tap.clock().now().monotonic_ns.saturating_sub(started));
        let result = match answer {
            Answer::Result(result) => result,
            Answer::Error { code, message, raw } => {
                return Err(Failure::Refused { code, message, supported: supported(&raw) });
            }
        };
        let initialized: Initialized<'_> =
            serde_json::from_str(result.get()).map_err(|error| Failure::Unclear(error.to_string()))?;
        let revision = Revision::parse(&initialized.protocol_version)
            .filter(|revision| options.negotiation.accepts(*revision))
            .ok_or_else(|| Failure::Version {
                answered: clip_to(&initialized.protocol_version, LONGEST_VERSION),
                offered,
                accepted: Revision::ALL
                    .iter()
                    .filter(|revision| options.negotiation.accepts(**revision))
                    .map(|revision| revision.as_str())
                    .collect(),
            })?;
        // Before the server hears of it, so that whatever it asks next is judged by it.
        self.agree(Agreement {
            revision,
            client: Capabilities::read(&options.capabilities),
            server: initialized.capabilities.map(Capabilities::read).unwrap_or_default(),
        });
        self.confirm(revision, options.connect_limit).await?;
        let instructions = initialized.instructions.and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
        Ok(Handshake {
            revision,
            negotiated: true,
            offered,
            server_info: initialized.server_info.map(ToOwned::to_owned),
            server_capabilities: initialized.capabilities.map(ToOwned::to_owned),
            client_capabilities: options.capabilities.clone(),
            instructions: instructions.map(|text| clip_to(&text, LONGEST_INSTRUCTIONS)),
            latency,
        })
    }
}

impl Client {
    /// Tells the server, and the transport, what was agreed on. What is sent later must not arrive earlier.
    async fn confirm(&self, revision: Revision, limit: Duration) -> Result<(), Failure> {
        let shared = self.shared();
        shared.outbound.agree(revision.rules().version_header.then(|| revision.as_str()));
        let message = wire::notification("notifications/initialized", None::<&()>).map_err(unwritable)?;
        match tokio::time::timeout(limit, shared.outbound.deliver(message)).await {
            Ok(Ok(())) => {}
            Ok(Err(HttpFailure::Closed)) => return Err(Failure::Call(CallError::Lost)),
            // Whoever answered `initialize` may still answer the rest; the log says what it made of this.
            Ok(Err(failure)) => shared.tap.mark(format!("`notifications/initialized` was not taken: {failure}")).await,
            Err(_elapsed) => {
                shared.tap.mark("`notifications/initialized` was not taken in time".to_owned()).await;
            }
        }
        shared.outbound.listen().await;
        shared.tap.mark(format!("initialized · {revision}")).await;
        Ok(())
    }
}

/// Longest text of a version that is told.
const LONGEST_VERSION: usize = 100;
/// Longest instructions that are kept, in characters; the log has the rest.
const LONGEST_INSTRUCTIONS: usize = 100_000;
/// Versions of a refusal that are told.
const MOST_VERSIONS: usize = 20;

/// The revisions that a refusal names.
fn supported(error: &RawValue) -> Vec<String> {
    #[derive(Deserialize)]
    struct Error<'a> {
        #[serde(borrow)]
        data: Data<'a>,
    }
    #[derive(Deserialize)]
    struct Data<'a> {
        #[serde(borrow)]
        supported: FirstItems<'a, MOST_VERSIONS>,
    }
    let Ok(Error { data }) = serde_json::from_str::<Error<'_>>(error.get()) else { return Vec::new() };
    let texts = data.supported.first.iter().filter_map(|raw| serde_json::from_str::<String>(raw.get()).ok());
    texts.map(|text| clip_to(&text, LONGEST_VERSION)).collect()
}

/// The newest revision that both speak, other than the one that was refused.
fn newest(supported: &[String], refused: Revision) -> Option<Revision> {
    supported.iter().filter_map(|text| Revision::parse(text)).filter(|revision| *revision != refused).max()
}

/// What went wrong, before it is known how the server ended.
enum Failure {
    Refused { code: Option<i64>, message: String, supported: Vec<String> },
    Version { answered: String, offered: Revision, accepted: Vec<&'static str> },
    Unclear(String),
    Call(CallError),
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Failure::Call(error)
    }
}

impl Failure {
    fn explain(self, ending: Ending, strays: Strays) -> ConnectError {
        match self {
            Failure::Refused { code, message, supported } => {
                ConnectError::Refused { code, message: clip(&message), supported, ending }
            }
            Failure::Version { answered, offered, accepted } => {
                ConnectError::Version { answered, offered, accepted, ending }
            }
            Failure::Unclear(problem) => ConnectError::Unclear { problem, ending },
            Failure::Call(CallError::Http(failure)) => ConnectError::Http { failure },
            Failure::Call(CallError::Lost) => match ending.loss {
                Some(failure) => ConnectError::Http { failure },
                None => ConnectError::EndedEarly { ending, strays },
            },
            Failure::Call(CallError::TimedOut(limit)) => ConnectError::NoAnswer { limit, ending, strays },
            Failure::Call(error) => ConnectError::Call(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::literal;

    #[test]
    fn a_refusal_names_what_the_server_speaks() {
        let raw = r#"{"code":-32602,"message":"m","data":{"supported":["2024-11-05",7,"2099-01-01","2025-03-26"]}}"#;
        let supported = supported(&literal(raw));
        assert_eq!(supported, ["2024-11-05", "2099-01-01", "2025-03-26"]);
        assert_eq!(newest(&supported, Revision::LATEST), Some(Revision::V2025_03_26));
        assert_eq!(newest(&supported, Revision::V2025_03_26), Some(Revision::V2024_11_05), "not the refused one again");
        assert_eq!(newest(&["2099-01-01".to_owned()], Revision::LATEST), None);
    }
}
