//! Sending a request: what a person wants, checked as far as it can be, and on its way.

use std::time::{Duration, Instant};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sonde_client::{CallError, Gate, Patience, Progress, TaskWish};
use sonde_protocol::request_target;
use tokio::sync::{oneshot, watch};

use super::checks::{Expectation, Manner};
use super::finish::Ended;
use super::task::Whole;
use super::{Entry, finish};
use crate::api::calls::{Call, CallStatus, CallToolRequest, SendRequest};
use crate::api::error::{ApiError, ErrorCode};
use crate::app::App;
use crate::explain;
use crate::server::now_ms;
use crate::text;

/// One request as a person wants it.
#[derive(Debug, Clone)]
pub struct Ask {
    pub server: String,
    pub method: String,
    /// JSON text, sent as it is written.
    pub params: Option<String>,
    /// JSON text of an object whose members go into `_meta`.
    pub meta: Option<String>,
    /// None is what the server's posture says.
    pub timeout: Option<Duration>,
    /// How long it may go without progress.
    pub silence: Option<Duration>,
    pub task: Option<TaskWish>,
    /// Sent even if it does not fit what was agreed.
    pub anyway: bool,
    /// Arguments that do not fit the tool's schema are refused.
    pub validate: bool,
    /// Where a task is wanted and the server makes one of it, its end is that of the task.
    pub follow: bool,
}

/// A request that was sent. It goes on whether or not anybody waits for it; [`App::cancel`] ends it.
#[derive(Debug)]
pub struct Begun {
    pub call: u64,
    /// The id on the wire, verbatim.
    pub request_id: String,
    pub progress: watch::Receiver<Option<Progress>>,
    pub(super) end: oneshot::Receiver<Result<Ended, ApiError>>,
}

/// Bytes of arguments that are kept; the log has the rest.
const KEPT_ARGUMENTS: usize = 1 << 20;

impl Ask {
    pub fn new(server: impl Into<String>, method: impl Into<String>) -> Self {
        Ask {
            server: server.into(),
            method: method.into(),
            params: None,
            meta: None,
            timeout: None,
            silence: None,
            task: None,
            anyway: false,
            validate: true,
            follow: false,
        }
    }
}

impl Begun {
    /// Waits for the end: the answer, whole, or why there is none.
    pub async fn end(self) -> Result<Ended, ApiError> {
        // The sender is gone without a word only where the app ends.
        self.end.await.unwrap_or_else(|_| Err(explain::ending()))
    }
}

impl App {
    pub(crate) async fn call_tool(&self, request: CallToolRequest) -> Result<Call, ApiError> {
        self.check_pin(&request.server, &request.tool).await?;
        let server = self.server(&request.server)?;
        if request.task.is_some()
            && let Some(objection) = server.client()?.task_objection("tools/call")
        {
            let error = CallError::Objected { method: "tools/call".to_owned(), objection };
            return Err(explain::call(&server.spec, &error));
        }
        let ask = Ask {
            params: Some(tool_params_of(&request.tool, &request.arguments)?),
            meta: request.meta,
            timeout: request.timeout_ms.map(Duration::from_millis),
            task: request.task.map(|task| TaskWish { ttl: task.ttl_ms }),
            follow: true,
            // What the server did not declare is its own affair: a person who names a tool wants it called.
            anyway: true,
            validate: request.validate.unwrap_or(false),
            ..Ask::new(request.server, "tools/call")
        };
        let begun = self.begin(ask).await?;
        self.remember(&server, "tools/call", request.tool, request.arguments);
        self.call(begun.call)
    }

    pub(crate) async fn send_request(&self, request: SendRequest) -> Result<Call, ApiError> {
        let named = request.params.as_deref().and_then(|params| RawValue::from_string(params.to_owned()).ok());
        if !request.anyway
            && let Some(called) = named.and_then(|params| tool_params(&request.method, &params))
        {
            self.check_pin(&request.server, &called.name).await?;
        }
        let ask = Ask {
            server: request.server,
            method: request.method,
            params: request.params,
            meta: request.meta,
            timeout: request.timeout_ms.map(Duration::from_millis),
            silence: request.silence_ms.map(Duration::from_millis),
            task: request.task.map(|task| TaskWish { ttl: task.ttl_ms }),
            anyway: request.anyway,
            validate: request.validate,
            follow: false,
        };
        let begun = self.begin(ask).await?;
        self.call(begun.call)
    }

    /// Sends a request.
    pub async fn begin(&self, ask: Ask) -> Result<Begun, ApiError> {
        let server = self.server(&ask.server)?.clone();
        let (client, patience) = server.client_and_patience().inspect_err(|_| self.revive(&server))?;
        self.inner.calls.admit()?;
        let params = ask.params.as_deref().map(|text| read_json("params", text)).transpose()?;
        let meta = ask.meta.as_deref().map(|text| read_object("meta", text)).transpose()?;
        let mut expectation = None;
        if ask.method == "tools/call" {
            expectation = self.expectation(&server, &client, &ask, params.as_deref()).await?;
        }
        let started = Instant::now();
        let asked = sonde_client::Ask {
            params: params.clone(),
            meta,
            patience: Some(Patience {
                silence: ask.silence.or(patience.silence),
                limit: ask.timeout.unwrap_or(patience.limit),
            }),
            task: ask.task,
            gate: if ask.anyway { Gate::Open } else { Gate::Keep },
            ..sonde_client::Ask::new(ask.method.as_str())
        };
        let sent = client.ask(asked).await.map_err(|error| explain::call(&server.spec, &error))?;
        let call = Call::begun(self.inner.calls.next(), server.spec.id.as_str(), &ask.method, params.as_deref(), &sent);
        let entry = Entry { call: call.clone(), client: client.clone(), wire_id: sent.id.clone(), task: None };
        self.enter(entry);
        let progress = sent.progress();
        let (told, end) = oneshot::channel();
        let ending =
            finish::Ending { app: self.clone(), server, client, call: call.id, method: ask.method, expectation };
        let tasks = ending.client.agreement().revision.rules().tasks;
        let task = (ask.follow && ask.task.is_some() && tasks).then_some(ask.timeout);
        let whole = Whole { app: self.clone(), client: ending.client.clone(), call: call.id, task };
        tokio::spawn(ending.follow(progress.clone(), whole.end(sent), started, told));
        Ok(Begun { call: call.id, request_id: call.request_id, progress, end })
    }

    /// Sends a notification. It has no answer; the log shows what follows.
    pub async fn notify(&self, id: &str, method: &str, params: Option<&str>, gate: Gate) -> Result<(), ApiError> {
        let server = self.server(id)?;
        let client = server.client()?;
        let params = params.map(|text| read_json("params", text)).transpose()?;
        if gate == Gate::Keep
            && let Some(objection) = client.objection(method)
        {
            let error = CallError::Objected { method: method.to_owned(), objection };
            return Err(explain::call(&server.spec, &error));
        }
        client.notify(method, params.as_ref()).await.map_err(|error| explain::call(&server.spec, &error))
    }

    async fn expectation(
        &self,
        server: &crate::server::Server,
        client: &sonde_client::Client,
        ask: &Ask,
        params: Option<&RawValue>,
    ) -> Result<Option<Expectation>, ApiError> {
        let Some(params) = params.and_then(|params| serde_json::from_str::<ToolParams>(params.get()).ok()) else {
            return Ok(None);
        };
        let Some(expectation) = self.expect_of_tool(server, client, &params.name, ask.validate).await else {
            return Ok(None);
        };
        // Where nothing was negotiated, nothing is held back.
        let negotiated = server.standing().live.as_ref().is_some_and(|live| live.handshake.negotiated);
        if negotiated && !ask.anyway && client.task_objection(&ask.method).is_none() {
            let wished = ask.task.is_some() || params.task.is_some();
            expectation.check_manner(&server.spec, if wished { Manner::Task } else { Manner::Plain })?;
        }
        match ask.validate {
            true => expectation.check_arguments(self, &server.spec, params.arguments).await.map(Some),
            false => Ok(Some(expectation)),
        }
    }
}

/// What of the params of a call is looked at.
#[derive(Deserialize)]
struct ToolParams {
    name: String,
    arguments: Option<Box<RawValue>>,
    task: Option<IgnoredAny>,
}

impl Call {
    pub(super) fn begun(
        id: u64,
        server: &str,
        method: &str,
        params: Option<&RawValue>,
        sent: &sonde_client::Call,
    ) -> Self {
        let called = params.and_then(|params| tool_params(method, params));
        // The name whole, and not as the log clips it: whoever asks for the calls of a tool names it so.
        let tool = called.as_ref().map(|called| called.name.clone()).unwrap_or_default();
        let arguments = called.and_then(|called| called.arguments);
        let arguments = arguments.as_deref().or(params).map(RawValue::get).unwrap_or_default();
        Call {
            id,
            server: server.to_owned(),
            method: method.to_owned(),
            target: params.and_then(|params| subject(method, params)).or_else(|| request_target(method, params)),
            tool,
            arguments: text::head(arguments, KEPT_ARGUMENTS).to_owned(),
            status: CallStatus::Running,
            started: now_ms(),
            elapsed_ms: None,
            progress: None,
            task: None,
            result: None,
            error: None,
            violations: Vec::new(),
            note: None,
            request_id: sent.id.get().to_owned(),
        }
    }
}

/// What a request is about, whole: lists are asked for by it.
fn subject(method: &str, params: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        name: Option<String>,
        uri: Option<String>,
    }
    let named = serde_json::from_str::<Named>(params.get()).ok()?;
    match method {
        "tools/call" | "prompts/get" => named.name,
        "resources/read" => named.uri,
        _ => None,
    }
}

/// The params of a call of a tool, with its arguments as they were written.
pub(crate) fn tool_params_of(tool: &str, arguments: &str) -> Result<String, ApiError> {
    #[derive(Serialize)]
    struct Params<'a> {
        name: &'a str,
        arguments: &'a RawValue,
    }
    let arguments = read_object("arguments", arguments)?;
    let params = serde_json::to_string(&Params { name: tool, arguments: &arguments });
    params.map_err(|error| invalid("arguments", error.to_string()))
}

fn tool_params(method: &str, params: &RawValue) -> Option<ToolParams> {
    (method == "tools/call").then(|| serde_json::from_str(params.get()).ok()).flatten()
}

/// JSON goes out as it was typed, but on one line: outside of strings a line feed is but a space.
pub(crate) fn read_json(what: &str, text: &str) -> Result<Box<RawValue>, ApiError> {
    let text = if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ") } else { text.to_owned() };
    RawValue::from_string(text).map_err(|error| invalid(what, error.to_string()))
}

fn read_object(what: &str, text: &str) -> Result<Box<RawValue>, ApiError> {
    let value = read_json(what, text)?;
    match value.get().trim_start().starts_with('{') {
        true => Ok(value),
        false => Err(invalid(what, format!("the {what} are JSON, but not an object"))),
    }
}

fn invalid(what: &str, problem: String) -> ApiError {
    let told = ApiError::new(ErrorCode::InvalidRequest, format!("Invalid {what}"), problem);
    match what {
        "params" => told.hint("params are JSON: {\"name\": value}"),
        _ => told.hint(format!("{what} are a JSON object: {{\"name\": value}}")),
    }
}
