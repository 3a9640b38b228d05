//! From a started server to a ready one: `initialize`, the version both speak, `notifications/initialized`.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sonde_protocol::{Revision, Settlement};
use sonde_transport::Link;
use tokio_util::sync::CancellationToken;

use crate::call::{Answer, CallError};
use crate::client::{Client, Ending, Strays};
use crate::dispatch::drive;

/// How we present ourselves, and how long we wait.
#[derive(Debug, Clone)]
pub struct Options {
    pub client_name: &'static str,
    pub client_title: &'static str,
    pub client_version: &'static str,
    /// For connecting, `initialize` included.
    pub connect_limit: Duration,
    /// For any other request.
    pub request_limit: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            client_name: "sonde",
            client_title: "Sonde",
            client_version: env!("CARGO_PKG_VERSION"),
            connect_limit: Duration::from_secs(30),
            request_limit: Duration::from_secs(600),
        }
    }
}

/// What the two sides agreed on.
#[derive(Debug, Clone)]
pub struct Handshake {
    pub revision: Revision,
    /// JSON of both sides, verbatim.
    pub server_info: Option<Box<RawValue>>,
    pub server_capabilities: Option<Box<RawValue>>,
    pub client_capabilities: Box<RawValue>,
    pub instructions: Option<String>,
    /// How long the server took to answer.
    pub latency: Duration,
}

impl Handshake {
    /// Whether the server says that it has tools.
    pub fn offers_tools(&self) -> bool {
        #[derive(Deserialize)]
        struct Capabilities<'a> {
            #[serde(borrow)]
            tools: Option<&'a RawValue>,
        }
        let capabilities = self.server_capabilities.as_deref().map(RawValue::get).unwrap_or("{}");
        serde_json::from_str::<Capabilities<'_>>(capabilities).is_ok_and(|capabilities| capabilities.tools.is_some())
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("the server ended before answering `initialize`")]
    EndedEarly { ending: Ending, strays: Strays },
    #[error("the server did not answer `initialize` within {} s", limit.as_secs_f64())]
    NoAnswer { limit: Duration, ending: Ending, strays: Strays },
    #[error("the server refused `initialize`: {message}")]
    Refused { code: Option<i64>, message: String, ending: Ending },
    #[error("the server speaks revision `{answered}`, which is none of ours")]
    Version { answered: String, ending: Ending },
    #[error("the server's answer to `initialize` can't be understood: {problem}")]
    Unclear { problem: String, ending: Ending },
    #[error(transparent)]
    Call(#[from] CallError),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Initialize<'a> {
    protocol_version: &'a str,
    capabilities: &'a RawValue,
    client_info: ClientInfo<'a>,
}

#[derive(Serialize)]
struct ClientInfo<'a> {
    name: &'a str,
    title: &'a str,
    version: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialized {
    protocol_version: String,
    capabilities: Option<Box<RawValue>>,
    server_info: Option<Box<RawValue>>,
    instructions: Option<String>,
}

impl Client {
    /// Takes over a started server. Whatever goes wrong, the server's processes are ended before this returns.
    /// Cancelling `closing` disconnects, now or later.
    pub async fn connect(
        link: Link,
        options: &Options,
        closing: CancellationToken,
    ) -> Result<(Client, Handshake), ConnectError> {
        let Link { inbound, outbound, process, tap, stderr } = link;
        let client = Client::new(tap, outbound, options.request_limit, closing);
        tokio::spawn(drive(client.clone(), inbound, process, stderr));
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
        let capabilities =
            RawValue::from_string("{}".to_owned()).map_err(|error| Failure::Unclear(error.to_string()))?;
        let params = Initialize {
            protocol_version: Revision::LATEST.as_str(),
            capabilities: &capabilities,
            client_info: ClientInfo {
                name: options.client_name,
                title: options.client_title,
                version: options.client_version,
            },
        };
        let started = self.shared().tap.clock().now().monotonic_ns;
        let call = self.request("initialize", &params).await?;
        let id = call.id.clone();
        let answer = match tokio::time::timeout(options.connect_limit, call.end()).await {
            Ok(answer) => answer?,
            Err(_elapsed) => {
                // `initialize` must not be cancelled, so the log is told and the server is not.
                self.shared().tap.settle(id.get(), Settlement::TimedOut).await;
                return Err(Failure::NoAnswer(options.connect_limit));
            }
        };
        let latency = Duration::from_nanos(self.shared().tap.clock().now().monotonic_ns.saturating_sub(started));
        let result = match answer {
            Answer::Result(result) => result,
            Answer::Error { code, message, .. } => return Err(Failure::Refused(code, message)),
        };
        let initialized: Initialized =
            serde_json::from_str(result.get()).map_err(|error| Failure::Unclear(error.to_string()))?;
        let Some(revision) = Revision::parse(&initialized.protocol_version) else {
            return Err(Failure::Version(initialized.protocol_version));
        };
        let ready = self.notify("notifications/initialized", None::<&()>);
        match tokio::time::timeout(options.connect_limit, ready).await {
            Ok(sent) => sent?,
            Err(_elapsed) => return Err(Failure::NoAnswer(options.connect_limit)),
        }
        self.shared().tap.mark(format!("initialized · {revision}")).await;
        Ok(Handshake {
            revision,
            server_info: initialized.server_info,
            server_capabilities: initialized.capabilities,
            client_capabilities: capabilities,
            instructions: initialized.instructions,
            latency,
        })
    }
}

/// What went wrong, before it is known how the server ended.
enum Failure {
    NoAnswer(Duration),
    Refused(Option<i64>, String),
    Version(String),
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
            Failure::NoAnswer(limit) => ConnectError::NoAnswer { limit, ending, strays },
            Failure::Refused(code, message) => ConnectError::Refused { code, message, ending },
            Failure::Version(answered) => ConnectError::Version { answered, ending },
            Failure::Unclear(problem) => ConnectError::Unclear { problem, ending },
            Failure::Call(CallError::Lost) => ConnectError::EndedEarly { ending, strays },
            Failure::Call(error) => ConnectError::Call(error),
        }
    }
}
