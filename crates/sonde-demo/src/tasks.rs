//! Tasks of revision 2025-11-25: calls that answer at once and are asked for later.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResult},
    service::RequestContext,
    task_manager::current_timestamp,
};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    client::Client,
    dialect,
    output::Output,
    pages,
    tools::{self, TaskSupport},
};

/// The member of `_meta` that ties a message to a task.
pub(crate) const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// The member of `_meta` with what a model may be told until there is a result.
const IMMEDIATE_RESPONSE: &str = "io.modelcontextprotocol/model-immediate-response";

/// More tasks than a person starts; beyond it, new ones are refused.
const MOST_TASKS: usize = 100;
const DEFAULT_TTL: u64 = 300_000;
const LONGEST_TTL: u64 = 3_600_000;
const POLL_INTERVAL: u64 = 500;
/// Tasks on a page of their list.
const PAGE: usize = 10;

/// The tasks of one connection.
#[derive(Default)]
pub(crate) struct Tasks {
    started: AtomicU64,
    /// In the order in which they were begun.
    kept: Mutex<Vec<Arc<Task>>>,
}

pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) cancelled: CancellationToken,
    created: String,
    /// When it may be forgotten.
    expires: Instant,
    /// In milliseconds, as it was granted.
    ttl: u64,
    state: watch::Sender<State>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Working,
    InputRequired,
    Completed,
    Failed,
    Cancelled,
}

/// Changes until the status is terminal, and never again.
#[derive(Clone)]
struct State {
    status: Status,
    message: String,
    updated: String,
    /// There once the task is completed or failed.
    result: Option<Value>,
}

impl Tasks {
    /// Answers one of the requests about tasks, or a call that asks to be one.
    pub(crate) async fn answer(
        &self,
        method: &str,
        params: Value,
        context: &RequestContext<RoleServer>,
        output: &Output,
    ) -> Result<Value, ErrorData> {
        match method {
            dialect::CALL_AS_TASK => self.begin(params, context, output),
            "tasks/list" => self.list(params["cursor"].as_str()),
            "tasks/get" => Ok(self.named(&params)?.describe()),
            "tasks/result" => self.named(&params)?.result(context).await,
            "tasks/cancel" => self.named(&params)?.cancel(&Client::of(context)).await,
            stranger => Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, stranger.to_owned(), None)),
        }
    }

    fn begin(&self, params: Value, context: &RequestContext<RoleServer>, output: &Output) -> Result<Value, ErrorData> {
        let ttl = params["task"]["ttl"].as_u64().unwrap_or(DEFAULT_TTL).min(LONGEST_TTL);
        let request: CallToolRequestParams =
            serde_json::from_value(params).map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        if !matches!(TaskSupport::of(&request.name), Some(TaskSupport::Optional | TaskSupport::Required)) {
            let message = format!("tool `{}` cannot be called as a task", request.name);
            return Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, message, None));
        }
        let task = Arc::new(Task::new(format!("task-{}", self.started.fetch_add(1, Ordering::Relaxed) + 1), ttl));
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            forget_expired(&mut kept);
            if kept.len() >= MOST_TASKS {
                let message = format!("there are already {MOST_TASKS} tasks");
                return Err(ErrorData::internal_error(message, None));
            }
            kept.push(task.clone());
        }
        let meanwhile = format!("`{}` was begun as `{}`; ask for its result later", request.name, task.id);
        let answer = json!({ "task": task.describe(), "_meta": { IMMEDIATE_RESPONSE: meanwhile } });
        let client = Client::of(context).on_behalf_of(task.clone());
        // Nobody should hear of a task before they hear that there is one.
        let answered = output.line_with(format!(r#""taskId":"{}""#, task.id));
        tokio::spawn(async move {
            // Over HTTP the answer may have found nobody there; whoever comes back asks for the result.
            answered.await.unwrap_or_default();
            let result = tools::call_as_task(request, &client).await;
            task.finish(result, &client).await;
        });
        Ok(answer)
    }

    fn list(&self, cursor: Option<&str>) -> Result<Value, ErrorData> {
        let all = self.all();
        let page = pages::page(cursor, all.len(), PAGE)?;
        let tasks: Vec<Value> = all.iter().take(page.end).skip(page.start).map(|task| task.describe()).collect();
        let mut result = json!({ "tasks": tasks });
        if let Some(next) = page.next {
            result["nextCursor"] = json!(next);
        }
        Ok(result)
    }

    fn all(&self) -> Vec<Arc<Task>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        forget_expired(&mut kept);
        kept.clone()
    }

    fn named(&self, params: &Value) -> Result<Arc<Task>, ErrorData> {
        let id = params["taskId"].as_str().unwrap_or_default();
        let found = self.all().into_iter().find(|task| task.id == id);
        found.ok_or_else(|| ErrorData::invalid_params(format!("there is no task `{id}`"), None))
    }
}

/// Nobody can ask for the result of a task that is forgotten, so there is no more work on it.
fn forget_expired(kept: &mut Vec<Arc<Task>>) {
    let now = Instant::now();
    for expired in kept.extract_if(.., |task| task.expires <= now) {
        expired.cancelled.cancel();
    }
}

impl Drop for Tasks {
    /// A task of a client that is gone has nobody to work for.
    fn drop(&mut self) {
        for task in self.kept.get_mut().unwrap_or_else(PoisonError::into_inner) {
            task.cancelled.cancel();
        }
    }
}

impl Task {
    fn new(id: String, ttl: u64) -> Self {
        let created = current_timestamp();
        let state =
            State { status: Status::Working, message: "begun".to_owned(), updated: created.clone(), result: None };
        Self {
            id,
            created,
            ttl,
            expires: Instant::now() + Duration::from_millis(ttl),
            cancelled: CancellationToken::new(),
            state: watch::Sender::new(state),
        }
    }

    /// Changes the status and tells the client, unless the task has ended.
    pub(crate) async fn set(&self, status: Status, message: String, client: &Client) {
        self.change(client, |state| (state.status, state.message) = (status, message)).await;
    }

    async fn finish(&self, result: CallToolResult, client: &Client) {
        let status = if result.is_error == Some(true) { Status::Failed } else { Status::Completed };
        let mut result = serde_json::to_value(result).unwrap_or_default();
        if let Some(result) = result.as_object_mut() {
            // Belongs to a later revision.
            result.remove("resultType");
            result.insert("_meta".to_owned(), json!({ RELATED_TASK: { "taskId": self.id } }));
        }
        self.change(client, |state| {
            state.status = status;
            state.message = status.name().to_owned();
            state.result = Some(result);
        })
        .await;
    }

    async fn change(&self, client: &Client, change: impl FnOnce(&mut State)) {
        let changed = self.state.send_if_modified(|state| {
            if state.status.is_terminal() {
                return false;
            }
            change(state);
            state.updated = current_timestamp();
            true
        });
        if changed {
            // A client that is gone needs no news.
            client.tell("notifications/tasks/status", self.describe()).await.unwrap_or_default();
        }
    }

    /// Waits for the end of the task and gives what the call would have given.
    async fn result(&self, context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
        let mut state = self.state.subscribe();
        let ended = tokio::select! {
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
            ended = state.wait_for(|state| state.status.is_terminal()) => ended,
        };
        let result = ended.ok().and_then(|state| state.result.clone());
        result.ok_or_else(|| ErrorData::internal_error(format!("task `{}` was cancelled", self.id), None))
    }

    async fn cancel(&self, client: &Client) -> Result<Value, ErrorData> {
        if self.state.borrow().status.is_terminal() {
            return Err(ErrorData::invalid_params(format!("task `{}` has already ended", self.id), None));
        }
        self.set(Status::Cancelled, "cancelled by the client".to_owned(), client).await;
        self.cancelled.cancel();
        Ok(self.describe())
    }

    fn describe(&self) -> Value {
        let state = self.state.borrow().clone();
        json!({
            "taskId": self.id,
            "status": state.status.name(),
            "statusMessage": state.message,
            "createdAt": self.created,
            "lastUpdatedAt": state.updated,
            "ttl": self.ttl,
            "pollInterval": POLL_INTERVAL,
        })
    }
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Working => "working",
            Status::InputRequired => "input_required",
            Status::Completed => "completed",
            Status::Failed => "failed",
            Status::Cancelled => "cancelled",
        }
    }

    fn is_terminal(self) -> bool {
        matches!(self, Status::Completed | Status::Failed | Status::Cancelled)
    }
}
