//! The end of a request: what came back, whether it is what was promised, and what a person is told.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sonde_client::{Answer, CallError, Client, Progress};
use sonde_protocol::{Outcome, Verdict, judge};
use tokio::sync::{oneshot, watch};

use super::checks::Expectation;
use crate::api::calls::{self as api, CallStatus, Payload, Violation};
use crate::api::error::ApiError;
use crate::app::App;
use crate::explain;
use crate::server::Server;
use crate::text;

/// A request that was answered.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Verbatim and whole.
    pub answer: Answer,
    pub status: CallStatus,
    pub elapsed: Duration,
    /// Where `structuredContent` is not what the tool's `outputSchema` says.
    pub violations: Vec<Violation>,
    /// What could not be checked, and why.
    pub note: Option<String>,
    /// An answer that is an error, as a person is told of it.
    pub error: Option<ApiError>,
}

/// Bytes of a result that are kept; the log has the rest.
const KEPT_RESULT: usize = 256 << 10;
/// Bytes of a result that are kept beside that, for its pictures and sounds.
const KEPT_WHOLE: usize = 24 << 20;
/// How long a lost call waits to hear how the connection ended.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// Everything that the end of one call needs.
pub(super) struct Ending {
    pub app: App,
    pub server: Arc<Server>,
    pub client: Client,
    pub call: u64,
    pub method: String,
    pub expectation: Option<Expectation>,
}

impl Ending {
    /// Notes progress and the end of the call, and tells whoever waits for it.
    pub async fn follow(
        self,
        mut progress: watch::Receiver<Option<Progress>>,
        end: impl Future<Output = Result<Answer, CallError>>,
        started: Instant,
        told: oneshot::Sender<Result<Ended, ApiError>>,
    ) {
        let mut end = std::pin::pin!(end);
        let end = loop {
            tokio::select! {
                biased;
                end = &mut end => break end,
                Ok(()) = progress.changed() => {
                    let newest = progress.borrow_and_update().clone();
                    self.app.change(self.call, |call| call.progress = newest.map(convert));
                }
            }
        };
        let elapsed = started.elapsed();
        let outcome = match end {
            Ok(answer) => Ok(self.judge(answer, elapsed).await),
            Err(error) => {
                self.server.doubt(&error);
                Err((status(&error), self.explain(&error).await))
            }
        };
        if let Ok(Ended { answer: Answer::Result(result), .. }) = &outcome
            && (KEPT_RESULT + 1..=KEPT_WHOLE).contains(&result.get().len())
        {
            self.app.keep_whole(self.call, Arc::from(result.clone()));
        }
        self.app.change(self.call, |call| {
            call.elapsed_ms = Some(elapsed.as_secs_f64() * 1e3);
            match &outcome {
                Ok(ended) => {
                    let text = match &ended.answer {
                        Answer::Result(result) => result.get(),
                        Answer::Error { raw, .. } => raw.get(),
                    };
                    call.result = Some(payload(text));
                    call.error = ended.error.clone();
                    call.violations = ended.violations.clone();
                    call.note = ended.note.clone();
                    call.status = ended.status;
                }
                Err((status, error)) => {
                    call.error = Some(error.clone());
                    call.status = *status;
                }
            }
        });
        // Whoever began it may not wait.
        told.send(outcome.map_err(|(_, error)| error)).ok();
    }

    async fn judge(&self, answer: Answer, elapsed: Duration) -> Ended {
        let (status, error) = match &answer {
            Answer::Result(result) => match judge(&self.method, &Outcome::Result(result)) {
                Verdict::ToolError => (CallStatus::ToolError, None),
                Verdict::Ok | Verdict::ProtocolError => (CallStatus::Ok, None),
            },
            Answer::Error { .. } => {
                (CallStatus::ProtocolError, Some(explain::answered_error(&self.server.spec, &self.method, &answer)))
            }
        };
        let checked = match (&self.expectation, &answer, status) {
            (Some(expectation), Answer::Result(result), CallStatus::Ok) => {
                expectation.check_result(&self.app, result).await
            }
            (Some(expectation), _, _) => expectation.unchecked(),
            (None, _, _) => Default::default(),
        };
        Ended { answer, status, elapsed, violations: checked.violations, note: checked.note, error }
    }

    /// A call that was lost tells how the server went, as soon as that is known.
    async fn explain(&self, error: &CallError) -> ApiError {
        if *error == CallError::Lost
            && let Ok(ending) = tokio::time::timeout(LAST_WORDS, self.client.ended()).await
        {
            return explain::lost_call(&self.server.spec, &self.method, &ending);
        }
        explain::call(&self.server.spec, error)
    }
}

fn status(error: &CallError) -> CallStatus {
    match error {
        CallError::Cancelled => CallStatus::Cancelled,
        CallError::TimedOut(_) | CallError::Silent(_) => CallStatus::Timeout,
        CallError::Lost
        | CallError::Http(_)
        | CallError::Oversized(_)
        | CallError::NotRead
        | CallError::Objected { .. }
        | CallError::NoBatches
        | CallError::Unwritable(_) => CallStatus::Lost,
    }
}

fn payload(result: &str) -> Payload {
    let head = text::head(result, KEPT_RESULT);
    Payload { text: head.to_owned(), shown: head.len() as u64, size: result.len() as u64 }
}

fn convert(progress: Progress) -> api::Progress {
    api::Progress { progress: progress.progress, total: progress.total, message: progress.message }
}
