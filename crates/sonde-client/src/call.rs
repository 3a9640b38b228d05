//! One request of ours, from sending to its end.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use sonde_protocol::{FirstItems, Objection};
use sonde_transport::HttpFailure;
use tokio::sync::watch;

use crate::slot::Slot;
use crate::wire::clip;

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
    #[error("the server neither answered nor reported progress for {} s", .0.as_secs_f64())]
    Silent(Duration),
    #[error("`{method}` was not sent: {objection}")]
    Objected { method: String, objection: Objection },
    #[error("a batch was not sent: the agreed revision has none")]
    NoBatches,
    #[error(transparent)]
    Http(HttpFailure),
    #[error("the answer has {0} bytes, which is more than is taken; the log has the beginning and a digest of it")]
    Oversized(u64),
    #[error("the request could not be written: {0}")]
    Unwritable(String),
}

/// The newest word on how far a call has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    pub progress: f64,
    pub total: Option<f64>,
    pub message: Option<String>,
}

/// A request that was sent. It ends by itself, whether anyone waits for its end or not.
#[derive(Debug)]
pub struct Call {
    /// The id on the wire, verbatim.
    pub id: Box<RawValue>,
    pub(crate) slot: Arc<Slot>,
}

impl Call {
    /// The progress that the server reports; changes while the call runs. For a task it goes on after the answer.
    pub fn progress(&self) -> watch::Receiver<Option<Progress>> {
        self.slot.progress()
    }

    /// Waits for the end: an answer, or the moment when the connection ends, the time is up or someone cancels.
    pub async fn end(self) -> Result<Answer, CallError> {
        std::future::poll_fn(|context| self.slot.poll_end(context)).await
    }
}

/// A page that the server wants a person to visit before it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequiredElicitation {
    pub id: String,
    pub url: String,
    pub message: String,
}

/// The error of a request that waits for pages to be visited.
const URL_ELICITATION_REQUIRED: i64 = -32042;
/// Pages of one error that are read.
const MOST_ELICITATIONS: usize = 100;

impl Answer {
    /// The pages to visit, where that is what the error says.
    pub fn elicitations(&self) -> Option<Vec<RequiredElicitation>> {
        #[derive(Deserialize)]
        struct Error<'a> {
            #[serde(borrow)]
            data: Data<'a>,
        }
        #[derive(Deserialize)]
        struct Data<'a> {
            #[serde(borrow)]
            elicitations: FirstItems<'a, MOST_ELICITATIONS>,
        }
        #[derive(Deserialize)]
        struct Entry {
            #[serde(rename = "elicitationId", default)]
            id: String,
            url: String,
            #[serde(default)]
            message: String,
        }
        let Answer::Error { code: Some(URL_ELICITATION_REQUIRED), raw, .. } = self else { return None };
        let entries = serde_json::from_str::<Error<'_>>(raw.get()).ok()?.data.elicitations;
        let entries = entries.first.iter().filter_map(|entry| {
            let Entry { id, url, message } = serde_json::from_str(entry.get()).ok()?;
            Some(RequiredElicitation { id, url, message: clip(&message) })
        });
        Some(entries.collect())
    }

    /// The id of the task, where the server made one of the request.
    pub fn task_id(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Created {
            task: Named,
        }
        #[derive(Deserialize)]
        struct Named {
            #[serde(rename = "taskId")]
            id: String,
        }
        let Answer::Result(result) = self else { return None };
        serde_json::from_str::<Created>(result.get()).ok().map(|created| created.task.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::literal;

    fn error(raw: &str) -> Answer {
        Answer::Error { code: Some(-32042), message: String::new(), raw: literal(raw) }
    }

    #[test]
    fn an_error_that_requires_pages_names_them() {
        let raw = r#"{"code":-32042,"message":"m","data":{"elicitations":[
            {"mode":"url","elicitationId":"e1","url":"https://a.example/1","message":"sign in"},7,{"url":"https://b.example"}]}}"#;
        let pages = error(raw).elicitations().unwrap_or_default();
        let ids: Vec<_> = pages.iter().map(|page| (page.id.as_str(), page.url.as_str())).collect();
        assert_eq!(ids, [("e1", "https://a.example/1"), ("", "https://b.example")], "what can be read is read");
        assert_eq!(error(r#"{"code":-32042}"#).elicitations(), None, "an error without data requires nothing");
        let other = Answer::Error { code: Some(-1), message: String::new(), raw: literal(raw) };
        assert_eq!(other.elicitations(), None, "another error requires nothing");
    }
}
