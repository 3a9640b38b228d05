//! Giving up: because a person cancels, or because the time is up.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use sonde_protocol::Settlement;
use sonde_transport::Sent;
use tokio::time::Instant;

use crate::ask::{Ask, unwritable};
use crate::call::{Call, CallError};
use crate::client::{Client, ROOM};
use crate::options::Patience;
use crate::pending::{Waiting, Withdrawal};

/// How long the server may take to answer `tasks/cancel`.
const CANCELLING: Patience = Patience { silence: None, limit: Duration::from_secs(30) };

impl Client {
    /// Ends the wait for a request of ours and asks the server to stop working on it: by `notifications/cancelled`, or
    /// by `tasks/cancel` where it is a task, also after the server has named that task.
    pub async fn cancel(&self, id: &RawValue, reason: &str) {
        let waiting = self.pending().take(id.get());
        match waiting {
            Some(waiting) => {
                waiting.slot.finish(Err(CallError::Cancelled));
                self.withdraw(id.get(), &waiting, reason).await;
            }
            // Answered already, or given up before: only a task can still be running.
            None => {
                let task = self.running().of_request(id.get());
                if let Some(task) = task {
                    self.abandon_task(&task).await;
                }
            }
        }
    }

    /// Tells the server that nobody waits any more. The wait is over already, so a server that does not read holds
    /// nobody.
    async fn withdraw(&self, id: &str, waiting: &Waiting, reason: &str) {
        #[derive(Serialize)]
        struct Cancelled<'a> {
            #[serde(rename = "requestId")]
            request_id: &'a RawValue,
            reason: &'a str,
        }
        let sent = self.shared().outbound.give_up(id);
        match waiting.withdrawal {
            // Of what never left us the server need not hear that it is over.
            _ if sent == Sent::No => {}
            Withdrawal::Never => {}
            // The task has no name yet. When the server gives it one, it is cancelled.
            Withdrawal::Task => self.running().abandon(id),
            Withdrawal::Notify => {
                let Ok(request_id) = serde_json::from_str::<&RawValue>(id) else { return };
                let params = Cancelled { request_id, reason };
                if let Err(error) = self.notify("notifications/cancelled", Some(&params)).await {
                    tracing::debug!(%error, "a cancellation could not be sent");
                }
            }
        }
    }

    /// Asks the server to cancel a task. The call ends with the server's word on it.
    pub async fn cancel_task(&self, task: &str) -> Result<Call, CallError> {
        #[derive(Serialize)]
        struct Params<'a> {
            #[serde(rename = "taskId")]
            task: &'a str,
        }
        let params = serde_json::value::to_raw_value(&Params { task }).map_err(unwritable)?;
        self.ask(Ask { patience: Some(CANCELLING), ..Ask::new("tasks/cancel").with_params(params) }).await
    }

    /// The same, where nobody waits for what becomes of it; the log has it.
    pub(crate) async fn abandon_task(&self, task: &str) {
        if let Err(error) = self.cancel_task(task).await {
            tracing::debug!(%error, "a task could not be cancelled");
        }
    }

    /// A request that waited too long.
    async fn expire(self, id: Box<str>, waiting: Waiting, error: CallError) {
        let tap = self.shared().tap.clone();
        let told: Arc<str> = Arc::from(&*id);
        // The log is told first, but a disk that refuses must not hold whoever waits.
        let settled = tokio::spawn(async move { tap.settle(&told, Settlement::TimedOut).await });
        if tokio::time::timeout(ROOM, settled).await.is_err() {
            tracing::debug!("the log is behind; a timeout will be told to it later");
        }
        waiting.slot.finish(Err(error));
        self.withdraw(&id, &waiting, "the client timed out").await;
    }
}

/// Watches the clock for all requests of a connection at once, so that each of them costs no timer of its own.
pub(crate) async fn keep_time(client: Client) {
    loop {
        let requests = client.pending().earliest();
        let tasks = client.waiting_questions().earliest();
        let due = async {
            match requests.into_iter().chain(tasks).min() {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = due => {}
            () = client.shared().alarm.notified() => continue,
        }
        let now = Instant::now();
        let expired = client.pending().expire(now);
        for (id, waiting) in expired {
            let error = waiting.overdue(now);
            tokio::spawn(client.clone().expire(id, waiting, error));
        }
        client.expire_tasks(now);
    }
}
