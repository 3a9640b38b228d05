//! Questions of servers, from all connections under one numbering. Roots are answered here; a person answers the rest.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;
use sonde_client::{AnswerError, Client, Event, Reply};
use sonde_registry::ServerId;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

use crate::api::calls::ArgumentsCheck;
use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::questions::{AnswerRequest, CheckAnswerRequest, Question, QuestionList, RefusedQuestions};
use crate::api::servers::ServerRequest;
use crate::app::App;
use crate::schemas::{Checked, Checker};
use crate::server::Server;
use crate::text::clip;

/// Characters of a question's params that cross the door, and of all questions of one server together; the log has the
/// whole of them.
const LARGEST_TEXT: usize = 256 << 10;
const LARGEST_TEXTS: usize = 2 * LARGEST_TEXT;

/// What waits for an answer. Each client bounds how many of its questions wait.
#[derive(Default)]
pub(crate) struct Questions {
    last: AtomicU64,
    open: Mutex<BTreeMap<u64, Open>>,
}

struct Open {
    server: ServerId,
    client: Client,
    question: Arc<sonde_client::Question>,
}

impl Questions {
    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl App {
    /// What waits for an answer, oldest first.
    pub fn questions(&self) -> Vec<Question> {
        let open = self.inner.questions.open();
        open.iter().map(|(number, open)| self.question(*number, open)).collect()
    }

    fn question(&self, number: u64, open: &Open) -> Question {
        let question = &open.question;
        let call = question.call.as_ref();
        Question {
            number,
            server: open.server.to_string(),
            method: question.method.clone(),
            params: question.params.as_ref().map(|params| params.get().to_owned()),
            clipped: false,
            size: question.params.as_ref().map_or(0, |params| params.get().len() as u64),
            asked: question.asked.wall_ns / 1_000_000,
            call: call.and_then(|id| self.inner.calls.by_wire_id(open.server.as_str(), id.get())),
            task: question.related_task.clone().or_else(|| question.task.clone()),
        }
    }

    /// Changes when a question is asked, answered or withdrawn.
    pub fn question_changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.questions()
    }

    /// Answers a question.
    pub async fn answer(&self, number: u64, reply: Reply) -> Result<(), ApiError> {
        let (client, theirs) = {
            let open = self.inner.questions.open();
            let open = open.get(&number).ok_or_else(|| unknown(number))?;
            (open.client.clone(), open.question.number)
        };
        match client.answer(theirs, reply).await {
            Ok(()) => {
                self.inner.questions.open().remove(&number);
                self.inner.changes.questions_changed();
                Ok(())
            }
            Err(AnswerError::Over(_)) => Err(unknown(number)),
            Err(error @ AnswerError::NotRead) => {
                Err(ApiError::new(ErrorCode::Busy, "Server is not reading", error.to_string()).hint("try again later"))
            }
            Err(error @ AnswerError::Lost) => {
                Err(ApiError::new(ErrorCode::ConnectionLost, "Connection lost", error.to_string()))
            }
            Err(error @ AnswerError::Unwritable(_)) => {
                Err(ApiError::new(ErrorCode::InvalidRequest, "Invalid answer", error.to_string()))
            }
        }
    }

    /// What a server reports besides answers, from now on. Whoever does not keep up is told how many were missed.
    pub fn events(&self, id: &str) -> Result<broadcast::Receiver<Event>, ApiError> {
        Ok(self.server(id)?.client()?.events())
    }

    pub(crate) async fn list_questions(&self, _request: Nothing) -> Result<QuestionList, ApiError> {
        let mut questions = self.questions();
        let mut room: BTreeMap<String, usize> = BTreeMap::new();
        for question in &mut questions {
            let room = room.entry(question.server.clone()).or_insert(LARGEST_TEXTS);
            let Some(params) = &mut question.params else { continue };
            let most = (*room).min(LARGEST_TEXT);
            if params.len() > most {
                (*params, question.clipped) = (clip(params, most), true);
            }
            *room -= params.len().min(most);
        }
        Ok(QuestionList { questions })
    }

    pub(crate) async fn answer_question(&self, request: AnswerRequest) -> Result<Nothing, ApiError> {
        let reply = match (request.result, request.error) {
            (Some(result), None) => Reply::Result(json("result", result)?),
            (None, Some(error)) => Reply::Error {
                code: error.code,
                message: error.message,
                data: error.data.map(|data| json("data", data)).transpose()?,
            },
            _ => return Err(invalid("an answer has either a result or an error".to_owned())),
        };
        self.answer(request.number, reply).await.map(|()| Nothing {})
    }

    /// What the schema of a question says of an answer. It can be sent all the same.
    pub(crate) async fn check_answer(&self, request: CheckAnswerRequest) -> Result<ArgumentsCheck, ApiError> {
        #[derive(Deserialize)]
        struct Asked<'a> {
            #[serde(borrow, rename = "requestedSchema")]
            schema: Option<&'a RawValue>,
        }
        let params = self.params_of(request.number)?;
        let content = json("content", request.content)?;
        let work = move || {
            let asked = params.as_ref().and_then(|params| serde_json::from_str::<Asked<'_>>(params.get()).ok());
            match asked.and_then(|asked| asked.schema) {
                Some(schema) => Checker::compile(schema).check(&content),
                None => Checked::not("the question has no schema"),
            }
        };
        let checked = self.inner.checks.run(work).await;
        Ok(ArgumentsCheck { violations: checked.violations, note: checked.note })
    }

    /// Says no to everything that a server waits for, in the way that each method has for it.
    pub(crate) async fn refuse_questions(&self, request: ServerRequest) -> Result<RefusedQuestions, ApiError> {
        let waiting: Vec<(u64, String)> = {
            let open = self.inner.questions.open();
            let ours = open.iter().filter(|(_, open)| open.server.as_str() == request.server);
            ours.map(|(number, open)| (*number, open.question.method.clone())).collect()
        };
        let mut refused = 0;
        for (number, method) in waiting {
            let reply = match method.as_str() {
                "elicitation/create" => Reply::Result(json("result", r#"{"action":"decline"}"#.to_owned())?),
                _ => Reply::Error { code: -1, message: "the person refused".to_owned(), data: None },
            };
            match self.answer(number, reply).await {
                Ok(()) => refused += 1,
                // It was answered or withdrawn meanwhile.
                Err(error) if error.code == ErrorCode::UnknownQuestion => {}
                Err(error) => return Err(error),
            }
        }
        Ok(RefusedQuestions { refused })
    }

    /// What an open question asks, whole.
    pub(crate) fn params_of(&self, number: u64) -> Result<Option<Box<RawValue>>, ApiError> {
        let open = self.inner.questions.open();
        open.get(&number).map(|open| open.question.params.clone()).ok_or_else(|| unknown(number))
    }

    /// A connection is over, and its questions with it.
    pub(crate) fn forget_questions(&self, server: &ServerId) {
        self.inner.questions.open().retain(|_, open| open.server != *server);
        self.inner.changes.questions_changed();
    }

    /// Takes over what a client has open now.
    async fn collect_questions(&self, server: &Server, client: &Client) {
        let mut roots = Vec::new();
        {
            let mut open = self.inner.questions.open();
            // With ours held: a question that is answered meanwhile must not come back.
            let waiting = client.questions();
            let ours = |open: &Open| open.server == server.spec.id;
            open.retain(|_, known| !ours(known) || waiting.iter().any(|each| each.number == known.question.number));
            for question in waiting {
                if question.method == "roots/list" {
                    roots.push(question.number);
                } else if !open.values().any(|known| ours(known) && known.question.number == question.number) {
                    let number = self.inner.questions.last.fetch_add(1, Ordering::Relaxed) + 1;
                    open.insert(number, Open { server: server.spec.id.clone(), client: client.clone(), question });
                }
            }
        }
        for number in roots {
            if let Err(error) = client.answer(number, self.roots_of(server)).await {
                tracing::debug!(server = %server.spec.id, %error, "a question for the roots was not answered");
            }
        }
        self.inner.changes.questions_changed();
    }
}

/// Keeps the list of questions current for as long as the connection lasts.
pub(crate) async fn follow(app: App, server: Arc<Server>, client: Client) {
    let mut events = client.events();
    // What was asked before we listened is waiting already.
    app.collect_questions(&server, &client).await;
    loop {
        match events.recv().await {
            Ok(Event::QuestionAsked { .. } | Event::QuestionOver { .. }) | Err(RecvError::Lagged(_)) => {
                app.collect_questions(&server, &client).await;
            }
            Ok(_) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

fn json(what: &str, text: String) -> Result<Box<RawValue>, ApiError> {
    // One message is one line; outside of strings a line feed is but a space.
    let line = text.replace(['\n', '\r'], " ");
    RawValue::from_string(line).map_err(|error| invalid(format!("`{what}` is not JSON: {error}")))
}

fn invalid(problem: String) -> ApiError {
    ApiError::new(ErrorCode::InvalidRequest, "Invalid answer", problem)
}

fn unknown(number: u64) -> ApiError {
    let message = format!("question {number} is over: it was answered or withdrawn, or its server is gone");
    ApiError::new(ErrorCode::UnknownQuestion, "No such question", message)
}
