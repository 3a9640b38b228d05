//! Staying with a task of a server until its result is there.

use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use sonde_client::{Answer, CallError, Client};
use tokio::sync::{oneshot, watch};

use super::{Begun, Entry, finish};
use crate::api::calls::{Call, CallStatus};
use crate::api::error::ApiError;
use crate::app::App;
use crate::ask_now::summary;
use crate::server::now_ms;

/// Waits for the end of a request, and where the server makes a task of it, for the end of that.
pub(super) struct Whole {
    pub app: App,
    pub client: Client,
    pub call: u64,
    /// There where a task was asked for: how long it may take in all, if there is a limit.
    pub task: Option<Option<Duration>>,
}

/// How long a server that was told to cancel a task may take to say that it did.
const LAST_WORD: Duration = Duration::from_secs(1);

impl Whole {
    pub async fn end(self, sent: sonde_client::Call) -> Result<Answer, CallError> {
        let begun = tokio::time::Instant::now();
        let answer = sent.end().await?;
        let Some((limit, task)) = self.task.zip(answer.task_id()) else { return Ok(answer) };
        let run = self.client.follow_task(task.as_str());
        let enough = self.app.adopt_task(self.call, &task);
        let mut status = run.status();
        let mut end = std::pin::pin!(run.end());
        let mut deadline = begun.checked_add(limit.unwrap_or(Duration::MAX));
        let mut given_up = None;
        loop {
            let over = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                // Before the end: a task may be over before it was looked at once.
                Ok(()) = status.changed() => {
                    let newest = status.borrow_and_update().clone().map(summary);
                    if newest.as_ref().is_some_and(|task| task.status == "cancelled") {
                        given_up = given_up.or(Some(CallError::Cancelled));
                    }
                    self.app.change(self.call, |call| call.task = newest);
                }
                end = &mut end => return given_up.map_or(end, Err),
                () = enough.notified() => {
                    given_up = Some(CallError::Cancelled);
                    deadline = Some(tokio::time::Instant::now() + LAST_WORD);
                }
                () = over => match given_up {
                    Some(reason) => return Err(reason),
                    None => {
                        given_up = Some(CallError::TimedOut(limit.unwrap_or_default()));
                        self.client.follow_task(task.as_str()).cancel().await;
                        deadline = Some(tokio::time::Instant::now() + LAST_WORD);
                    }
                },
            }
        }
    }
}

impl App {
    /// Follows a task of the server. Its end is that of the request that began the task.
    pub async fn follow_task(&self, id: &str, task: &str) -> Result<Begun, ApiError> {
        let server = self.server(id)?.clone();
        let (client, _patience) = server.client_and_patience()?;
        self.inner.calls.admit()?;
        let run = client.follow_task(task);
        let call = Call {
            id: self.inner.calls.next(),
            server: server.spec.id.to_string(),
            method: "tasks/result".to_owned(),
            target: Some(task.to_owned()),
            tool: String::new(),
            arguments: String::new(),
            status: CallStatus::Running,
            started: now_ms(),
            elapsed_ms: None,
            progress: None,
            task: None,
            result: None,
            error: None,
            violations: Vec::new(),
            note: None,
            request_id: String::new(),
        };
        // It asks many times, each under an id of its own.
        let wire_id = RawValue::NULL.to_owned();
        self.enter(Entry { call: call.clone(), client: client.clone(), wire_id, task: Some(task.to_owned()) });
        let progress = run.progress().unwrap_or_else(|| watch::channel(None).1);
        let (told, end) = oneshot::channel();
        let ending = finish::Ending {
            app: self.clone(),
            server,
            client,
            call: call.id,
            // The result is that of a tool, and says so in the same way.
            method: "tools/call".to_owned(),
            expectation: None,
        };
        tokio::spawn(ending.follow(progress.clone(), run.end(), Instant::now(), told));
        Ok(Begun { call: call.id, request_id: call.request_id, progress, end })
    }
}
