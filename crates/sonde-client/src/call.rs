//! One request of ours, from sending to its end.

use std::time::Duration;

use serde_json::value::RawValue;
use sonde_protocol::Settlement;
use tokio::sync::{oneshot, watch};

use crate::client::Client;

/// What the server answered, verbatim.
#[derive(Debug, Clone)]
pub enum Answer {
    Result(Box<RawValue>),
    Error { code: Option<i64>, message: String, raw: Box<RawValue> },
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error("the connection ended before the server answered")]
    Lost,
    #[error("the server does not read its input, and too many messages wait for it already")]
    NotRead,
    #[error("the request was cancelled")]
    Cancelled,
    #[error("the server did not answer within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    #[error("the request could not be written as JSON: {0}")]
    Unwritable(String),
}

/// The newest word on how far a call has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    pub progress: f64,
    pub total: Option<f64>,
    pub message: Option<String>,
}

/// A request that was sent.
#[derive(Debug)]
pub struct Call {
    /// The id on the wire, verbatim.
    pub id: Box<RawValue>,
    pub(crate) client: Client,
    pub(crate) answer: oneshot::Receiver<Result<Answer, CallError>>,
    pub(crate) progress: watch::Receiver<Option<Progress>>,
    pub(crate) limit: Duration,
}

impl Call {
    /// The progress that the server reports; changes while the call runs.
    pub fn progress(&self) -> watch::Receiver<Option<Progress>> {
        self.progress.clone()
    }

    /// Waits for the end. When the time is up, tells the server and the log.
    pub async fn end(self) -> Result<Answer, CallError> {
        match tokio::time::timeout(self.limit, self.answer).await {
            Ok(Ok(end)) => end,
            Ok(Err(_dropped)) => Err(CallError::Lost),
            Err(_elapsed) => {
                self.client.shared().tap.settle(self.id.get(), Settlement::TimedOut).await;
                self.client.give_up(&self.id, CallError::TimedOut(self.limit), "the client timed out").await;
                Err(CallError::TimedOut(self.limit))
            }
        }
    }
}
