//! What the messages of one connection show about how both sides keep to the protocol, ours included.
//!
//! Told messages in their order, it gives findings. It looks only into what a rule is about, and what it remembers
//! of a connection is bounded.

mod meta;
mod objections;
mod params;
mod progress;
mod results;
mod tasks;

use serde_json::value::RawValue;

use objections::Objections;
use params::Level;
use progress::Tokens;
use tasks::Tasks;

use crate::capabilities::Capabilities;
use crate::finding::{Code, Finding};
use crate::frame::Direction;
use crate::members::Members;
use crate::message::{Item, Message, Notification, Outcome, Request, Response};
use crate::method::{Agreement, Shape};
use crate::revision::Revision;
use crate::rules::Rules;

/// What one connection has shown so far.
#[derive(Debug, Default)]
pub struct Conduct {
    stage: Stage,
    /// None before it is reached, where an answer made none, and where nobody negotiated. No rule that depends on it
    /// is applied then.
    agreement: Option<Agreement>,
    objections: Objections,
    tokens: Tokens,
    tasks: Tasks,
    /// The lowest level of log messages that the server may send.
    level: Option<Level>,
}

/// How far initialization has come.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
enum Stage {
    /// Nobody has asked; perhaps nobody will.
    #[default]
    Silent,
    Asked {
        id: Box<str>,
    },
    Answered,
    Initialized,
}

/// What must be remembered of a request until its answer comes. The caller keeps it and gives it back.
#[derive(Debug, Default)]
pub struct Asked(Option<Box<Details>>);

#[derive(Debug, Default)]
struct Details {
    token: Option<Box<str>>,
    /// The answer is a task, and the result comes later.
    task: bool,
    level: Option<Level>,
    version: Option<Box<str>>,
    capabilities: Option<Capabilities>,
}

impl Conduct {
    /// A request was seen, travelling in `direction`.
    pub fn request(&mut self, direction: Direction, request: &Request<'_>, findings: &mut Vec<Finding>) -> Asked {
        self.objections.judge(self.agreement.as_ref(), direction, &request.method, Shape::Request, findings);
        self.judge_time(direction, &request.method, Shape::Request, findings);
        let mut details = Details::default();
        if let Some(params) = request.params {
            self.judge_meta(params, findings);
            details.token = self.tokens.open(direction, params, findings);
            details.task = self.judge_task_wish(direction, &request.method, params, findings);
        }
        match &*request.method {
            "initialize" => self.enter_initialize(direction, request, &mut details, findings),
            "logging/setLevel" => details.level = params::set_level(request.params, findings),
            "elicitation/create" => params::elicitation(self.agreement.as_ref(), request.params, findings),
            "sampling/createMessage" => params::sampling(self.agreement.as_ref(), request.params, findings),
            other => params::required(other, request.params, findings),
        }
        let nothing = details.token.is_none() && !details.task && details.level.is_none() && details.version.is_none();
        Asked((!nothing || details.capabilities.is_some()).then(|| Box::new(details)))
    }

    /// A notification was seen, travelling in `direction`.
    pub fn notification(&mut self, direction: Direction, note: &Notification<'_>, findings: &mut Vec<Finding>) {
        self.objections.judge(self.agreement.as_ref(), direction, &note.method, Shape::Notification, findings);
        self.judge_time(direction, &note.method, Shape::Notification, findings);
        match &*note.method {
            "notifications/initialized" if direction == Direction::Out && self.stage == Stage::Answered => {
                self.stage = Stage::Initialized;
            }
            "notifications/progress" => self.tokens.progress(direction, note.params, findings),
            "notifications/message" => params::log_message(self.level, note.params, findings),
            "notifications/tasks/status" => {
                if let Some(params) = note.params {
                    self.tasks.observe(direction, params, findings);
                }
            }
            "notifications/cancelled" => self.judge_cancelling(direction, note.params, findings),
            _ => {}
        }
        if let Some(params) = note.params {
            self.judge_meta(params, findings);
        }
    }

    /// An answer was seen, travelling in `direction`, to a request of `method`.
    pub fn answer(
        &mut self,
        direction: Direction,
        method: &str,
        asked: Asked,
        response: &Response<'_>,
        findings: &mut Vec<Finding>,
    ) {
        let details = asked.0.map(|details| *details).unwrap_or_default();
        // The token of a task lives as long as the task.
        if let Some(token) = details.token.as_ref().filter(|_| !details.task) {
            self.tokens.close(direction.reverse(), token);
        }
        let Outcome::Result(result) = response.outcome else {
            if method == "initialize" && matches!(self.stage, Stage::Asked { .. }) {
                self.stage = Stage::Silent;
            }
            return;
        };
        if !result.get().starts_with('{') {
            let message = format!("`result` is {}, not an object", kind(result.get()));
            findings.push(Finding::new(Code::BadResult, message));
            return;
        }
        self.judge_meta(result, findings);
        match method {
            "initialize" => self.enter_agreement(details, result, findings),
            "logging/setLevel" => self.level = details.level.or(self.level),
            "tasks/get" | "tasks/cancel" => self.tasks.observe(direction, result, findings),
            "tasks/result" => tasks::judge_result(result, findings),
            _ if details.task => self.tasks.created(direction, result, findings),
            _ => results::judge(method, self.rules(), result, findings),
        }
    }

    /// Several messages came as one array; they are told one by one after this.
    pub fn batch(&mut self, items: &[Item<'_>], findings: &mut Vec<Finding>) {
        if items.iter().any(|item| matches!(&item.message, Message::Request(request) if request.method == "initialize"))
        {
            findings.push(Finding::new(Code::InitializeInBatch, "`initialize` is part of a batch"));
        }
        if !items.is_empty() && self.rules().is_some_and(|rules| rules.batches) {
            findings.retain(|finding| finding.code != Code::Batch);
        }
    }

    /// The requestor cancels its own open request.
    pub fn cancelled(&self, asked: &Asked, findings: &mut Vec<Finding>) {
        if asked.0.as_ref().is_some_and(|details| details.task) {
            let message = "the request was made a task, which only `tasks/cancel` cancels";
            findings.push(Finding::new(Code::CancelledTask, message));
        }
    }

    /// What both sides agreed on, once they have.
    pub fn agreement(&self) -> Option<&Agreement> {
        self.agreement.as_ref()
    }

    fn rules(&self) -> Option<&'static Rules> {
        self.agreement.as_ref().map(|agreement| agreement.revision.rules())
    }

    fn judge_time(&self, direction: Direction, name: &str, shape: Shape, findings: &mut Vec<Finding>) {
        let problem = match (&self.stage, direction) {
            (Stage::Silent | Stage::Initialized, _) => return,
            (_, Direction::In) if matches!(name, "ping" | "notifications/message") => return,
            (_, Direction::In) => "the client had not yet sent `notifications/initialized`",
            (Stage::Asked { .. }, Direction::Out) if matches!(name, "initialize" | "ping") => return,
            (Stage::Asked { .. }, Direction::Out) if shape == Shape::Request || name.ends_with("/initialized") => {
                "the server had not yet answered `initialize`"
            }
            (_, Direction::Out) => return,
        };
        findings.push(Finding::new(Code::TooEarly, problem));
    }

    fn judge_meta(&self, object: &RawValue, findings: &mut Vec<Finding>) {
        if self.rules().is_some_and(|rules| rules.meta_keys) {
            meta::judge(object, findings);
        }
    }

    /// Whether the request asks to be a task.
    fn judge_task_wish(
        &self,
        direction: Direction,
        method: &str,
        params: &RawValue,
        findings: &mut Vec<Finding>,
    ) -> bool {
        if !contains(params, "\"task\"") {
            return false;
        }
        if Members::read(params, &["task"]).is_none_or(|members| members.get("task").is_none()) {
            return false;
        }
        let objection =
            self.agreement.as_ref().and_then(|agreement| agreement.task_objection(direction.into(), method));
        match objection {
            Some(objection) => {
                let (code, message) = objections::explain(objection);
                findings.push(Finding::new(code, format!("it asks to be a task: {message}")));
                // Whoever did not declare it answers as if nobody had asked.
                false
            }
            None => true,
        }
    }

    fn judge_cancelling(&self, direction: Direction, params: Option<&RawValue>, findings: &mut Vec<Finding>) {
        let Stage::Asked { id } = &self.stage else { return };
        let named = params.and_then(|params| Members::read(params, &["requestId"])?.raw("requestId"));
        if direction == Direction::Out && named == Some(&**id) {
            findings.push(Finding::new(Code::CancelledInitialize, "`initialize` must not be cancelled"));
        }
    }

    fn enter_initialize(
        &mut self,
        direction: Direction,
        request: &Request<'_>,
        details: &mut Details,
        findings: &mut Vec<Finding>,
    ) {
        if direction == Direction::In {
            return;
        }
        if self.stage != Stage::Silent {
            findings.push(Finding::new(Code::InitializeAgain, "the client had asked for this connection before"));
        }
        params::required("initialize", request.params, findings);
        let members = request.params.and_then(|params| Members::read(params, &["protocolVersion", "capabilities"]));
        let version = members.as_ref().and_then(|members| members.string("protocolVersion"));
        details.version = version.map(|version| clip(&version));
        details.capabilities = members.and_then(|members| members.get("capabilities")).map(Capabilities::read);
        self.stage = Stage::Asked { id: request.id.0.into() };
        self.agreement = None;
        self.objections = Objections::default();
    }

    fn enter_agreement(&mut self, details: Details, result: &RawValue, findings: &mut Vec<Finding>) {
        results::judge("initialize", None, result, findings);
        let members = Members::read(result, &["protocolVersion", "capabilities"]);
        let version = members.as_ref().and_then(|members| members.string("protocolVersion")).unwrap_or_default();
        let revision = Revision::parse(&version);
        let asked = details.version.as_deref().unwrap_or_default();
        if revision.is_none() {
            let message = format!("the server speaks `{}`, which is no revision that we know", clip(&version));
            findings.push(Finding::new(Code::UnknownVersion, message));
        } else if version != asked {
            let message = format!("the client asked for {asked}, the server answered with {version}");
            findings.push(Finding::new(Code::OtherVersion, message));
        }
        let server = members.and_then(|members| members.get("capabilities")).map(Capabilities::read);
        self.agreement = revision.map(|revision| Agreement {
            revision,
            client: details.capabilities.unwrap_or_default(),
            server: server.unwrap_or_default(),
        });
        self.stage = Stage::Answered;
        self.objections = Objections::default();
    }
}

/// Whether a text occurs at all, which is asked before anything is read.
fn contains(value: &RawValue, text: &str) -> bool {
    memchr::memmem::find(value.get().as_bytes(), text.as_bytes()).is_some()
}

/// Enough of a text to recognise it.
fn clip(text: &str) -> Box<str> {
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// What a JSON value is, in a word.
fn kind(value: &str) -> &'static str {
    match value.as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}
