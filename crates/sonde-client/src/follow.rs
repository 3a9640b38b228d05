//! Staying with a task of the server until its result is there.

use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::ask::{Ask, Gate, Progressing};
use crate::call::{Answer, CallError, Progress};
use crate::client::Client;
use crate::entries::{Task, read_task};
use crate::listing::Catalog;
use crate::options::Patience;
use crate::slot::Slot;

/// How often a task is asked after, whatever the server suggests.
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(60);
/// Where it suggests nothing.
const USUAL: Duration = Duration::from_secs(1);
/// A result comes when the task is over, however long that takes.
const RESULT: Patience = Patience { silence: None, limit: Duration::MAX };

/// A task of the server that someone waits for.
#[derive(Debug)]
pub struct TaskRun {
    client: Client,
    task: String,
    status: watch::Sender<Option<Task>>,
    /// Where its progress arrives, under the token of the request that began it.
    slot: Option<std::sync::Arc<Slot>>,
}

impl Client {
    /// Follows a task: asks after it as often as the server suggests, and fetches its result.
    pub fn follow_task(&self, task: impl Into<String>) -> TaskRun {
        let task = task.into();
        let slot = self.running().slot_of(&task);
        TaskRun { client: self.clone(), task, status: watch::channel(None).0, slot }
    }
}

impl TaskRun {
    pub fn task_id(&self) -> &str {
        &self.task
    }

    /// The newest that the server said of the task.
    pub fn status(&self) -> watch::Receiver<Option<Task>> {
        self.status.subscribe()
    }

    /// The progress of the request that began the task, where this connection sent it.
    pub fn progress(&self) -> Option<watch::Receiver<Option<Progress>>> {
        self.slot.as_ref().map(|slot| slot.progress())
    }

    /// Asks the server to cancel the task. The wait ends when the server says that it is over.
    pub async fn cancel(&self) {
        self.client.abandon_task(&self.task).await;
    }

    /// Waits for the result of the task, which is that of the request that began it.
    pub async fn end(self) -> Result<Answer, CallError> {
        let end = self.result().await;
        self.client.running().end(&self.task);
        end
    }

    async fn result(&self) -> Result<Answer, CallError> {
        let mut news = self.client.changes(Catalog::Tasks);
        loop {
            let asked = Instant::now();
            news.mark_unchanged();
            let task = match self.ask("tasks/get", None).await?.end().await? {
                Answer::Result(result) => read_task(result),
                error @ Answer::Error { .. } => return Ok(error),
            };
            let pause = task.poll_interval.map_or(USUAL, Duration::from_millis).clamp(SHORTEST, LONGEST);
            let working = task.status == "working";
            self.status.send_replace(Some(task));
            // While it needs input, the server may ask only once somebody waits for the result.
            if !working {
                return self.ask("tasks/result", Some(RESULT)).await?.end().await;
            }
            // A notification is worth a look before the time, but never too many looks.
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = news.changed() => tokio::time::sleep_until(asked + SHORTEST).await,
                _ = self.client.ended() => return Err(CallError::Lost),
            }
        }
    }

    async fn ask(&self, method: &str, patience: Option<Patience>) -> Result<crate::call::Call, CallError> {
        #[derive(Serialize)]
        struct Params<'a> {
            #[serde(rename = "taskId")]
            task: &'a str,
        }
        let params: Box<RawValue> =
            serde_json::value::to_raw_value(&Params { task: &self.task }).map_err(crate::ask::unwritable)?;
        let ask = Ask {
            patience,
            // Whoever has a task of the server was given it, whatever the server declared.
            gate: Gate::Open,
            progress: Progressing::Unwanted,
            ..Ask::new(method).with_params(params)
        };
        self.client.ask(ask).await
    }
}
