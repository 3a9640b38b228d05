//! The client as a tool sees it: what it can do, what it can be asked and what it is told.

use std::{future::Future, sync::Arc};

use rmcp::{
    RoleServer,
    model::{
        ClientCapabilities, CustomNotification, CustomRequest, ProgressNotificationParam, ProgressToken,
        ServerNotification, ServerRequest,
    },
    service::{Peer, PeerRequestOptions, RequestContext, ServiceError},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    arguments::Refusal,
    tasks::{RELATED_TASK, Status, Task},
};

#[derive(Clone)]
pub(crate) struct Client {
    peer: Peer<RoleServer>,
    capabilities: ClientCapabilities,
    revision: String,
    progress: Option<ProgressToken>,
    cancelled: CancellationToken,
    /// The task in whose name everything is asked and told.
    task: Option<Arc<Task>>,
}

impl Client {
    /// The client that sent this request.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        Self {
            peer: context.peer.clone(),
            capabilities: context.client_capabilities().unwrap_or_default(),
            revision: context.protocol_version().map(|version| version.to_string()).unwrap_or_default(),
            progress: context.meta.get_progress_token(),
            cancelled: context.ct.clone(),
            task: None,
        }
    }

    /// The same client, spoken to by a task, which outlives the request that began it.
    pub(crate) fn on_behalf_of(mut self, task: Arc<Task>) -> Self {
        self.cancelled = task.cancelled.clone();
        self.task = Some(task);
        self
    }

    pub(crate) fn capabilities(&self) -> &ClientCapabilities {
        &self.capabilities
    }

    /// Refuses, unless the client declared this capability.
    pub(crate) fn offers(&self, capability: &str) -> Result<(), Refusal> {
        let declared = json!(self.capabilities);
        let path = format!("/{}", capability.replace('.', "/"));
        match declared.pointer(&path) {
            Some(_) => Ok(()),
            None => Err(format!("the client does not offer this: it did not declare `{capability}`")),
        }
    }

    /// Whether the agreed revision is `revision` or a later one.
    pub(crate) fn speaks(&self, revision: &str) -> bool {
        self.revision.as_str() >= revision
    }

    /// Sends a request to the client and waits for its answer, which may be as slow as a person.
    pub(crate) async fn ask(&self, method: &str, params: Option<Value>) -> Result<Value, Refusal> {
        let params = match &self.task {
            None => params,
            Some(task) => {
                task.set(Status::InputRequired, format!("waiting for an answer to `{method}`"), self).await;
                let mut params = params.unwrap_or_else(|| json!({}));
                params["_meta"] = json!({ RELATED_TASK: { "taskId": task.id } });
                Some(params)
            }
        };
        let request = ServerRequest::CustomRequest(CustomRequest::new(method, params));
        let failed = |error: ServiceError| format!("the client did not answer `{method}`: {error}");
        let mut asked =
            self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await.map_err(failed)?;
        let answer = match self.unless_cancelled(&mut asked.rx).await {
            Ok(answer) => answer.map_err(|_| failed(ServiceError::TransportClosed))?,
            Err(refusal) => {
                let reason = "the call that asked this was cancelled".to_owned();
                asked.cancel(Some(reason)).await.map_err(failed)?;
                return Err(refusal);
            }
        };
        if let Some(task) = &self.task {
            task.set(Status::Working, "answered".to_owned(), self).await;
        }
        serde_json::to_value(answer.map_err(failed)?).map_err(|error| error.to_string())
    }

    pub(crate) async fn tell(&self, method: &str, params: Value) -> Result<(), Refusal> {
        let notification = ServerNotification::CustomNotification(CustomNotification::new(method, Some(params)));
        let told = self.peer.send_notification(notification).await;
        told.map_err(|error| format!("`{method}` could not be sent: {error}"))
    }

    /// Tells that a step begins: by the task's status, and by progress where the client asked for it.
    pub(crate) async fn begin_step(&self, step: u32, steps: u32, message: String) -> Result<(), Refusal> {
        if let Some(task) = &self.task {
            task.set(Status::Working, message.clone(), self).await;
        }
        let Some(token) = &self.progress else { return Ok(()) };
        if let Some(task) = &self.task {
            // What belongs to a task says so; the library's own type has no room for that.
            let params = json!({
                "progressToken": token,
                "progress": step,
                "total": steps,
                "message": message,
                "_meta": { RELATED_TASK: { "taskId": task.id } },
            });
            return self.tell("notifications/progress", params).await;
        }
        let progress = ProgressNotificationParam::new(token.clone(), f64::from(step))
            .with_total(f64::from(steps))
            .with_message(message);
        let told = self.peer.notify_progress(progress).await;
        told.map_err(|error| format!("progress could not be sent: {error}"))
    }

    /// Tells how far it is towards an end that nobody knows.
    pub(crate) async fn wander(&self, progress: f64, message: String) -> Result<(), Refusal> {
        let Some(token) = &self.progress else { return Ok(()) };
        let told =
            self.peer.notify_progress(ProgressNotificationParam::new(token.clone(), progress).with_message(message));
        told.await.map_err(|error| format!("progress could not be sent: {error}"))
    }

    /// Waits for `work`, but no longer than anyone wants its result.
    pub(crate) async fn unless_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T, Refusal> {
        tokio::select! {
            biased;
            () = self.cancelled.cancelled() => Err("cancelled".to_owned()),
            done = work => Ok(done),
        }
    }
}
