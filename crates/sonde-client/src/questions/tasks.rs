//! Questions that the server asked to be tasks: it gets a name at once, looks after it, and fetches the answer later.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sonde_protocol::{Request, Stamp};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::time::Instant;

use super::{Reply, write_reply};
use crate::answers::{INTERNAL_ERROR, INVALID_PARAMS, Refusal, Way, own_id};
use crate::client::Client;
use crate::events::Event;
use crate::wire;

/// Tasks of one server, running and over.
const MOST: usize = 100;
/// Requests for results that may wait, for all tasks together.
const MOST_WAITERS: usize = 100;
/// The longest id of such a request: each is kept for as long as it waits.
const LONGEST_ID: usize = 4096;
/// The longest a task is kept, also where the server asks for more or for no end.
const LONGEST_TTL: Duration = Duration::from_secs(60 * 60);
/// How often we suggest to ask.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The tasks of one connection, oldest first.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    list: Vec<Task>,
}

#[derive(Debug)]
struct Task {
    /// Random, so that nobody who was not told can name it.
    id: String,
    /// The question that it is.
    question: u64,
    status: Status,
    message: Option<String>,
    created: String,
    updated: String,
    ttl: Duration,
    expires: Instant,
    /// What the question was answered with.
    outcome: Option<Reply>,
    /// Requests for the result that wait for it.
    waiters: Vec<(Box<RawValue>, Way)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Working,
    Completed,
    Failed,
    Cancelled,
}

/// A new task: its id, and the result that tells the server of it.
pub(super) struct Created {
    pub id: String,
    pub result: String,
}

/// A task as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct View<'a> {
    task_id: &'a str,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_message: Option<&'a str>,
    created_at: &'a str,
    last_updated_at: &'a str,
    ttl: u64,
    poll_interval: u64,
}

impl Task {
    fn view(&self) -> View<'_> {
        View {
            task_id: &self.id,
            status: self.status,
            status_message: self.message.as_deref(),
            created_at: &self.created,
            last_updated_at: &self.updated,
            ttl: millis(self.ttl),
            poll_interval: millis(POLL_INTERVAL),
        }
    }

    /// Enters a last status, and gives the requests that waited for it.
    fn end(&mut self, status: Status, message: Option<&str>, outcome: Reply, now: Stamp) -> Vec<(Box<RawValue>, Way)> {
        self.status = status;
        self.message = message.map(ToOwned::to_owned);
        self.updated = written(now);
        self.outcome = Some(outcome);
        std::mem::take(&mut self.waiters)
    }
}

impl Tasks {
    pub fn earliest(&self) -> Option<Instant> {
        self.list.iter().map(|task| task.expires).min()
    }

    pub fn create(&mut self, question: u64, wish: &RawValue, now: Stamp) -> Result<Created, Refusal> {
        #[derive(Deserialize, Default)]
        struct Wish {
            ttl: Option<f64>,
        }
        if self.list.len() >= MOST {
            let over = self.list.iter().position(|task| task.status != Status::Working);
            let Some(oldest) = over else {
                return Err(Refusal::new(INTERNAL_ERROR, "too many tasks are running already"));
            };
            self.list.remove(oldest);
        }
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|_| Refusal::new(INTERNAL_ERROR, "no task id could be made"))?;
        let id: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let wish: Wish = serde_json::from_str(wish.get()).unwrap_or_default();
        let asked = wish.ttl.and_then(|millis| Duration::try_from_secs_f64(millis / 1e3).ok());
        let ttl = asked.unwrap_or(LONGEST_TTL).min(LONGEST_TTL);
        let task = Task {
            id: id.clone(),
            question,
            status: Status::Working,
            message: None,
            created: written(now),
            updated: written(now),
            ttl,
            expires: Instant::now() + ttl,
            outcome: None,
            waiters: Vec::new(),
        };
        let result = format!(r#"{{"task":{}}}"#, text(&task.view())?);
        self.list.push(task);
        Ok(Created { id, result })
    }

    /// The server no longer waits for a result.
    pub fn withdraw_waiter(&mut self, id: &str) -> Option<Way> {
        self.list.iter_mut().find_map(|task| {
            let place = task.waiters.iter().position(|(waiter, _)| waiter.get() == id)?;
            Some(task.waiters.swap_remove(place).1)
        })
    }

    fn find(&mut self, params: Option<&RawValue>) -> Result<&mut Task, Refusal> {
        #[derive(Deserialize)]
        struct Params {
            #[serde(rename = "taskId")]
            id: String,
        }
        let params = params.and_then(|params| serde_json::from_str::<Params>(params.get()).ok());
        let Params { id } = params.ok_or_else(|| Refusal::new(INVALID_PARAMS, "`taskId` must be a string"))?;
        let unknown = || Refusal::new(INVALID_PARAMS, "there is no such task, or it has expired");
        self.list.iter_mut().find(|task| task.id == id).ok_or_else(unknown)
    }

    fn waiters(&self) -> usize {
        self.list.iter().map(|task| task.waiters.len()).sum()
    }
}

impl Client {
    pub(crate) fn get_task(&self, request: &Request<'_>, way: &Way) -> Result<(), Refusal> {
        let view = text(&self.waiting_questions().tasks.find(request.params)?.view())?;
        way.send(self, wire::result(request.id.0, &view));
        Ok(())
    }

    pub(crate) fn list_tasks(&self, request: &Request<'_>, way: &Way) -> Result<(), Refusal> {
        #[derive(Deserialize, Default)]
        struct Params<'a> {
            #[serde(borrow)]
            cursor: Option<&'a RawValue>,
        }
        #[derive(Serialize)]
        struct List<'a> {
            tasks: Vec<View<'a>>,
        }
        let params: Params<'_> =
            request.params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
        if params.cursor.is_some() {
            return Err(Refusal::new(INVALID_PARAMS, "no such cursor: the list has one page"));
        }
        let list = text(&List { tasks: self.waiting_questions().tasks.list.iter().map(Task::view).collect() })?;
        way.send(self, wire::result(request.id.0, &list));
        Ok(())
    }

    /// Gives the result of a task, now or when it is there.
    pub(crate) fn give_task_result(&self, request: &Request<'_>, way: &Way) -> Result<(), Refusal> {
        let answer = {
            let mut questions = self.waiting_questions();
            let waiters = questions.tasks.waiters();
            let task = questions.tasks.find(request.params)?;
            match &task.outcome {
                Some(outcome) => reply(&own_id(request.id.0), outcome, &task.id)?,
                None if waiters >= MOST_WAITERS || request.id.0.len() > LONGEST_ID => {
                    return Err(Refusal::new(
                        INTERNAL_ERROR,
                        "too many requests wait for a result already, or the id is too long to be kept",
                    ));
                }
                None => {
                    task.waiters.push((own_id(request.id.0), way.clone()));
                    return Ok(());
                }
            }
        };
        way.send(self, answer);
        Ok(())
    }

    /// The server cancels a task, and with it the question.
    pub(crate) fn end_task(&self, request: &Request<'_>, way: &Way) -> Result<(), Refusal> {
        let now = self.shared().tap.clock().now();
        let (number, id, view, waiters) = {
            let mut questions = self.waiting_questions();
            let task = questions.tasks.find(request.params)?;
            if task.status != Status::Working {
                return Err(Refusal::new(INVALID_PARAMS, "the task is over already"));
            }
            let waiters = task.end(Status::Cancelled, Some("cancelled by the server"), cancelled(), now);
            let (number, id, view) = (task.question, task.id.clone(), text(&task.view())?);
            questions.remove(number);
            (number, id, view, waiters)
        };
        way.send(self, wire::result(request.id.0, &view));
        self.end_waiters(waiters, &cancelled(), &id);
        self.announce(&view);
        self.question_changed(Event::QuestionOver { number });
        Ok(())
    }

    /// The question of a task was answered.
    pub(super) fn finish_task(&self, id: &str, outcome: Reply) {
        let now = self.shared().tap.clock().now();
        let ended = {
            let mut questions = self.waiting_questions();
            let task = questions.tasks.list.iter_mut().find(|task| task.id == id && task.status == Status::Working);
            task.map(|task| {
                let (status, message) = match &outcome {
                    Reply::Result(_) => (Status::Completed, None),
                    Reply::Error { message, .. } => (Status::Failed, Some(message.clone())),
                };
                let waiters = task.end(status, message.as_deref(), outcome.clone(), now);
                (text(&task.view()), waiters)
            })
        };
        let Some((view, waiters)) = ended else { return };
        self.end_waiters(waiters, &outcome, id);
        if let Ok(view) = view {
            self.announce(&view);
        }
    }

    /// Forgets the tasks whose time is over, and the questions that nobody would fetch the answer of.
    pub(crate) fn expire_tasks(&self, now: Instant) {
        let expired: Vec<Task> = {
            let mut questions = self.waiting_questions();
            let expired: Vec<Task> = questions.tasks.list.extract_if(.., |task| task.expires <= now).collect();
            for task in &expired {
                questions.remove(task.question);
            }
            expired
        };
        for task in expired {
            let gone = Reply::Error { code: INVALID_PARAMS, message: "the task has expired".to_owned(), data: None };
            self.end_waiters(task.waiters, &gone, &task.id);
            if task.status == Status::Working {
                self.question_changed(Event::QuestionOver { number: task.question });
            }
        }
    }

    fn end_waiters(&self, waiters: Vec<(Box<RawValue>, Way)>, outcome: &Reply, task: &str) {
        for (id, way) in waiters {
            match reply(&id, outcome, task) {
                Ok(answer) => way.send(self, answer),
                Err(refusal) => way.refuse(self, id.get(), &refusal),
            }
        }
    }

    /// Tells the server of a new status.
    fn announce(&self, view: &str) {
        match wire::notification("notifications/tasks/status", Some(&wire::literal(view))) {
            Ok(message) => self.post(message),
            Err(error) => tracing::error!(%error, "a status could not be written"),
        }
    }
}

fn cancelled() -> Reply {
    Reply::Error { code: INTERNAL_ERROR, message: "the task was cancelled".to_owned(), data: None }
}

fn reply(id: &RawValue, outcome: &Reply, task: &str) -> Result<Vec<u8>, Refusal> {
    write_reply(id, outcome, Some(task)).map_err(|error| Refusal::new(INTERNAL_ERROR, error.to_string()))
}

fn text(value: &impl Serialize) -> Result<String, Refusal> {
    serde_json::to_string(value).map_err(|error| Refusal::new(INTERNAL_ERROR, error.to_string()))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A moment as the protocol writes it.
fn written(stamp: Stamp) -> String {
    let moment = OffsetDateTime::from_unix_timestamp_nanos(i128::from(stamp.wall_ns) / 1_000_000 * 1_000_000);
    moment.ok().and_then(|moment| moment.format(&Rfc3339).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::literal;

    fn create(tasks: &mut Tasks, wish: &str) -> Result<Created, Refusal> {
        tasks.create(1, &literal(wish), Stamp { monotonic_ns: 0, wall_ns: 1_700_000_000_123_456_789 })
    }

    #[test]
    fn a_task_has_all_that_the_protocol_requires() {
        let created = create(&mut Tasks::default(), r#"{"ttl":60000}"#).unwrap();
        let result: serde_json::Value = serde_json::from_str(&created.result).unwrap();
        let task = &result["task"];
        assert_eq!(task["taskId"], created.id.as_str());
        assert_eq!(created.id.len(), 32, "16 random bytes");
        assert_eq!(task["status"], "working");
        assert_eq!(task["ttl"], 60000);
        assert_eq!(task["createdAt"], "2023-11-14T22:13:20.123Z");
        assert_eq!(task["lastUpdatedAt"], task["createdAt"]);
    }

    #[test]
    fn no_task_is_kept_longer_than_our_own_limit() {
        for wish in [r#"{"ttl":1e300}"#, r#"{"ttl":null}"#, "{}", r#"{"ttl":"x"}"#, r#"{"ttl":-5}"#, "7"] {
            let created = create(&mut Tasks::default(), wish).unwrap();
            let result: serde_json::Value = serde_json::from_str(&created.result).unwrap();
            assert_eq!(result["task"]["ttl"], 3_600_000, "{wish}");
        }
    }

    #[test]
    fn a_hundred_tasks_are_the_most() {
        let mut tasks = Tasks::default();
        let first = create(&mut tasks, "{}").unwrap().id;
        for _ in 1..MOST {
            create(&mut tasks, "{}").unwrap();
        }
        assert!(create(&mut tasks, "{}").is_err(), "all of them are running");
        tasks.list[0].status = Status::Completed;
        create(&mut tasks, "{}").unwrap();
        assert!(tasks.list.len() == MOST && tasks.list.iter().all(|task| task.id != first), "what is over makes room");
    }
}
