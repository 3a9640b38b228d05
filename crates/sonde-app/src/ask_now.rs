//! Small requests whose answer is waited for here: completions, subscriptions, levels, pings, tasks.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sonde_client::{Answer, Ask, Catalog, Gate, Listing, Task, read_task};
use sonde_protocol::FirstItems;

use crate::api::calls::Call;
use crate::api::catalog::{CompleteRequest, CompletionOf, Completions};
use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::servers::{LogLevelRequest, Pong, ServerRequest};
use crate::api::tasks::{TaskList, TaskName, TaskSummary};
use crate::app::App;
use crate::explain;
use crate::server::Server;
use crate::text::clip;

/// As many as a server may give at once.
const MOST_VALUES: usize = 100;
const LONGEST_VALUE: usize = 2000;
/// Characters of a task's entry that cross the door.
const LARGEST_TASK: usize = 8 << 10;
/// Tasks that cross it at once.
const MOST_TASKS: usize = 1000;
const LONGEST_WORD: usize = 500;
const LONGEST_TASK_ID: usize = 2000;

impl App {
    /// Asks and waits. What the server did not declare is held back with the reason where the gate is kept.
    pub(crate) async fn ask_now(
        &self,
        server: &Server,
        method: &str,
        params: Option<&impl Serialize>,
        gate: Gate,
    ) -> Result<(Box<RawValue>, Duration), ApiError> {
        let (client, patience) = server.client_and_patience()?;
        let unwritable = |error: serde_json::Error| {
            ApiError::new(ErrorCode::InvalidRequest, "Invalid request", format!("`{method}`: {error}"))
        };
        let params = params.map(serde_json::value::to_raw_value).transpose().map_err(unwritable)?;
        let ask = Ask { gate, patience: Some(patience), ..Ask::new(method).with_params(params) };
        let started = Instant::now();
        let told = |error| {
            server.doubt(&error);
            explain::call(&server.spec, &error)
        };
        match client.ask(ask).await.map_err(told)?.end().await.map_err(told)? {
            Answer::Result(result) => Ok((result, started.elapsed())),
            error @ Answer::Error { .. } => Err(explain::answered_error(&server.spec, method, &error)),
        }
    }

    pub(crate) async fn ping_server(&self, request: ServerRequest) -> Result<Pong, ApiError> {
        let server = self.server(&request.server)?;
        let (_, took) = self.ask_now(&server, "ping", None::<&()>, Gate::Open).await?;
        Ok(Pong { ms: took.as_secs_f64() * 1e3 })
    }

    pub(crate) async fn set_log_level(&self, request: LogLevelRequest) -> Result<Nothing, ApiError> {
        #[derive(Serialize)]
        struct Params<'a> {
            level: &'a str,
        }
        let server = self.server(&request.server)?;
        self.ask_now(&server, "logging/setLevel", Some(&Params { level: &request.level }), Gate::Keep).await?;
        server.standing().tell_news(|live| live.log_level = Some(request.level));
        self.inner.changes.server_changed();
        Ok(Nothing {})
    }

    pub(crate) async fn complete_argument(&self, request: CompleteRequest) -> Result<Completions, ApiError> {
        #[derive(Serialize)]
        struct Params<'a> {
            #[serde(rename = "ref")]
            of: Reference<'a>,
            argument: Argument<'a>,
            #[serde(skip_serializing_if = "Option::is_none")]
            context: Option<Context<'a>>,
        }
        #[derive(Serialize)]
        #[serde(tag = "type")]
        enum Reference<'a> {
            #[serde(rename = "ref/prompt")]
            Prompt { name: &'a str },
            #[serde(rename = "ref/resource")]
            Template { uri: &'a str },
        }
        #[derive(Serialize)]
        struct Argument<'a> {
            name: &'a str,
            value: &'a str,
        }
        #[derive(Serialize)]
        struct Context<'a> {
            arguments: &'a BTreeMap<String, String>,
        }
        let server = self.server(&request.server)?;
        let name = request.name.as_str();
        let params = Params {
            of: match request.of {
                CompletionOf::Prompt => Reference::Prompt { name },
                CompletionOf::Template => Reference::Template { uri: name },
            },
            argument: Argument { name: &request.argument, value: &request.value },
            // Older revisions know of no context, and an empty one says nothing.
            context: (!request.context.is_empty() && server.client()?.agreement().revision.rules().completion_context)
                .then_some(Context { arguments: &request.context }),
        };
        let (result, _) = self.ask_now(&server, "completion/complete", Some(&params), Gate::Keep).await?;
        read_completions(&result).ok_or_else(|| {
            let message =
                format!("server `{}` answered `completion/complete` without `completion.values`", server.spec.id);
            ApiError::new(ErrorCode::ServerError, "Nothing to complete", message)
                .hint("the log has the answer as it was sent")
        })
    }

    pub(crate) async fn list_tasks(&self, request: ServerRequest) -> Result<TaskList, ApiError> {
        // The page asks where tasks were declared, or where a person insists.
        let Listing { entries, problem, .. } = self.list(&request.server, Catalog::Tasks, Gate::Open).await?;
        let surplus = entries.len().saturating_sub(MOST_TASKS);
        let cut = (surplus > 0).then(|| format!("{surplus} more tasks are not shown; the log has them"));
        let tasks = entries.into_iter().take(MOST_TASKS).map(|entry| summary(read_task(entry))).collect();
        Ok(TaskList { tasks, problem: problem.or(cut) })
    }

    pub(crate) async fn await_task(&self, request: TaskName) -> Result<Call, ApiError> {
        let begun = self.follow_task(&request.server, &request.task).await?;
        self.call(begun.call)
    }

    pub(crate) async fn cancel_task(&self, request: TaskName) -> Result<Nothing, ApiError> {
        #[derive(Serialize)]
        struct Params<'a> {
            #[serde(rename = "taskId")]
            task: &'a str,
        }
        let server = self.server(&request.server)?;
        self.ask_now(&server, "tasks/cancel", Some(&Params { task: &request.task }), Gate::Keep).await?;
        server.standing().tell_news(|_| {});
        self.inner.changes.server_changed();
        Ok(Nothing {})
    }
}

/// A task as a front door sees it.
pub(crate) fn summary(task: Task) -> TaskSummary {
    let word = |text: &str| clip(text, LONGEST_WORD);
    // What a page can't hold as a number is nobody's time.
    let time = |ms: Option<u64>| ms.filter(|ms| *ms < 1 << 53);
    TaskSummary {
        id: clip(&task.id, LONGEST_TASK_ID),
        status: word(&task.status),
        message: task.status_message.as_deref().map(word),
        created: task.created_at.as_deref().map(word),
        updated: task.last_updated_at.as_deref().map(word),
        ttl_ms: time(task.ttl),
        poll_ms: time(task.poll_interval),
        definition: clip(task.definition.get(), LARGEST_TASK),
        problem: task.problem,
    }
}

fn read_completions(result: &RawValue) -> Option<Completions> {
    #[derive(Deserialize)]
    struct Answered<'a> {
        #[serde(borrow)]
        completion: Members<'a>,
    }
    #[derive(Deserialize)]
    struct Members<'a> {
        #[serde(borrow)]
        values: FirstItems<'a, MOST_VALUES>,
        total: Option<&'a RawValue>,
        #[serde(rename = "hasMore")]
        has_more: Option<&'a RawValue>,
    }
    let Answered { completion } = serde_json::from_str(result.get()).ok()?;
    // A value that is cut would be another one.
    let text =
        |raw: &&RawValue| serde_json::from_str(raw.get()).ok().filter(|text: &String| text.len() <= LONGEST_VALUE);
    let number = |raw: &RawValue| serde_json::from_str::<u64>(raw.get()).ok().filter(|number| *number < 1 << 53);
    let more = completion.has_more.is_some_and(|raw| raw.get() == "true");
    let values: Vec<String> = completion.values.first.iter().filter_map(text).collect();
    let has_more = more || completion.values.count > values.len();
    Some(Completions { values, total: completion.total.and_then(number), has_more })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Completions> {
        read_completions(&RawValue::from_string(text.to_owned()).unwrap())
    }

    #[test]
    fn values_are_read_as_far_as_they_are_texts_and_the_rest_is_said_to_be_more() {
        let read_ok = read(r#"{"completion":{"values":["a",7,"b"],"total":12,"hasMore":true}}"#).unwrap();
        assert_eq!((read_ok.values, read_ok.total, read_ok.has_more), (vec!["a".into(), "b".into()], Some(12), true));
        let many: Vec<String> = (0..150).map(|number| format!("\"{number}\"")).collect();
        let many = read(&format!(r#"{{"completion":{{"values":[{}]}}}}"#, many.join(","))).unwrap();
        assert_eq!((many.values.len(), many.has_more), (100, true), "a server may not give more, and this one did");
        let long = read(&format!(r#"{{"completion":{{"values":["a","{}"]}}}}"#, "x".repeat(3000))).unwrap();
        assert_eq!(
            (long.values.len(), long.has_more),
            (1, true),
            "what is too long to be chosen is not proposed in part"
        );
        assert_eq!(read(r#"{"completion":{}}"#), None);
        assert_eq!(read("[]"), None);
    }
}
