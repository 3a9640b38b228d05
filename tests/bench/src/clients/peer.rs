//! The peer: rmcp's client over a child process or over HTTP.

#![expect(deprecated, reason = "logging leaves the protocol in a later revision; servers of today still flood with it")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};
use rmcp::model::{CallToolRequestParams, JsonObject, LoggingMessageNotificationParam};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, Peer as Connection, RoleClient, ServiceExt};
use serde_json::Value;
use tokio::sync::Notify;

use crate::binaries;

pub struct Peer {
    service: RunningService<RoleClient, Counting>,
    counted: Arc<Counted>,
}

/// Counts the messages that the server logs, which have been parsed to get there.
#[derive(Clone)]
struct Counting(Arc<Counted>);

#[derive(Default)]
struct Counted {
    messages: AtomicU64,
    /// The count that is waited for.
    awaited: AtomicU64,
    reached: Notify,
}

impl ClientHandler for Counting {
    async fn on_logging_message(&self, _: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        let count = self.0.messages.fetch_add(1, Ordering::SeqCst) + 1;
        if count == self.0.awaited.load(Ordering::SeqCst) {
            self.0.reached.notify_one();
        }
    }
}

impl Peer {
    pub async fn start(options: &[&str]) -> Result<Self> {
        let mut command = tokio::process::Command::new(binaries::load_server()?);
        command.args(options);
        let counted = Arc::new(Counted::default());
        let service = Counting(counted.clone()).serve(TokioChildProcess::new(command)?).await?;
        Ok(Peer { service, counted })
    }

    pub async fn over_http(url: &str) -> Result<Self> {
        // Without this, its client of HTTP does not start, though nothing here is encrypted. A second call finds the
        // first one's choice, which is the same.
        rustls::crypto::ring::default_provider().install_default().unwrap_or_default();
        let counted = Arc::new(Counted::default());
        let client = reqwest::Client::builder().no_proxy().build()?;
        let config = StreamableHttpClientTransportConfig::with_uri(url);
        let transport = StreamableHttpClientTransport::with_client(client, config);
        let service = Counting(counted.clone()).serve(transport).await?;
        Ok(Peer { service, counted })
    }

    /// To call from many tasks at once.
    pub fn connection(&self) -> Connection<RoleClient> {
        self.service.peer().clone()
    }

    pub async fn call(connection: &Connection<RoleClient>, tool: &'static str, arguments: &JsonObject) -> Result<()> {
        let params = CallToolRequestParams::new(tool).with_arguments(arguments.clone());
        let result = connection.call_tool(params).await?;
        anyhow::ensure!(!result.content.is_empty(), "the answer of `{tool}` is empty");
        Ok(())
    }

    /// Calls `flood` and waits until the last of its messages was handled.
    pub async fn flood(&self, count: u64, size: u64) -> Result<()> {
        let awaited = self.counted.messages.load(Ordering::SeqCst) + count;
        self.counted.awaited.store(awaited, Ordering::SeqCst);
        let arguments = object(serde_json::json!({ "count": count, "size": size }))?;
        Peer::call(self.service.peer(), "flood", &arguments).await?;
        self.counted.reached.notified().await;
        Ok(())
    }

    pub async fn end(self) -> Result<()> {
        self.service.cancel().await?;
        Ok(())
    }
}

pub fn object(value: Value) -> Result<JsonObject> {
    match value {
        Value::Object(object) => Ok(object),
        _ => None.context("arguments are an object"),
    }
}
