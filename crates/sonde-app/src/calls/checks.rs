//! A call of a tool against the tool's own schemas: its arguments before, its structured content after.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use sonde_client::{Catalog, Client};
use sonde_registry::ServerSpec;

use crate::api::calls::{ArgumentsCheck, CheckArgumentsRequest};
use crate::api::error::{ApiError, ErrorCode};
use crate::app::App;
use crate::calls::begin::read_json;
use crate::schemas::{Checked, Checker};
use crate::server::Server;
use crate::server::shelves::{OfferedTool, Shelf};

/// What a tool promised when it was called.
pub(super) struct Expectation {
    tool: Option<(Arc<Shelf<OfferedTool>>, usize)>,
    /// Whether the agreed revision has `structuredContent` at all.
    structured: bool,
    /// What could not be checked so far.
    note: Option<String>,
}

/// How a tool is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Plain,
    Task,
}

/// How long a call waits for the list of tools, to check itself against it.
const LONGEST_LISTING: Duration = Duration::from_secs(10);

impl App {
    /// Says what the tool's schema finds wrong with arguments, and sends nothing.
    pub(crate) async fn check_arguments(&self, request: CheckArgumentsRequest) -> Result<ArgumentsCheck, ApiError> {
        let arguments = read_json("arguments", &request.arguments)?;
        let server = self.server(&request.server)?.clone();
        let tool = server.standing().live.as_ref().and_then(|live| live.shelves.tool(&request.tool));
        let Some((shelf, place)) = tool else {
            return Ok(told(Checked::not("the server does not list this tool now")));
        };
        Ok(told(self.inner.checks.run(move || check_input(&shelf, place, &arguments)).await))
    }

    /// What is known of the tool. None where nothing is, and nobody wants more to be found out.
    pub(super) async fn expect_of_tool(
        &self,
        server: &Server,
        client: &Client,
        name: &str,
        find_out: bool,
    ) -> Option<Expectation> {
        let structured = client.agreement().revision.rules().structured_content;
        let known = || server.standing().live.as_ref().and_then(|live| live.shelves.tool(name));
        let mut note = None;
        if find_out && client.objection(Catalog::Tools.method()).is_none() {
            let listing = server.list_if_stale(self, client, Catalog::Tools);
            if tokio::time::timeout(LONGEST_LISTING, listing).await.is_err() {
                note = Some("the arguments were not checked: the server did not list its tools".to_owned());
            }
        }
        let tool = known();
        if tool.is_none() && note.is_none() {
            return None;
        }
        Some(Expectation { tool, structured, note })
    }
}

impl Expectation {
    /// Refuses arguments that the tool does not take.
    pub async fn check_arguments(
        mut self,
        app: &App,
        spec: &ServerSpec,
        arguments: Option<Box<RawValue>>,
    ) -> Result<Self, ApiError> {
        let Some((shelf, place)) = self.tool.clone() else { return Ok(self) };
        let name = self.name();
        let work = move || match (arguments, RawValue::from_string("{}".to_owned())) {
            (Some(arguments), _) | (None, Ok(arguments)) => check_input(&shelf, place, &arguments),
            (None, Err(_)) => Checked::default(),
        };
        let checked = app.inner.checks.run(work).await;
        if checked.violations.is_empty() {
            self.note = checked.note.map(|note| format!("the arguments were {note}"));
            return Ok(self);
        }
        let message = format!("tool `{name}` of server `{}` does not take these arguments", spec.id);
        let told = ApiError::new(ErrorCode::InvalidArguments, "Invalid arguments", message)
            .hint("correct them, or send them without validation (`--no-validate`)");
        Err(checked.violations.into_iter().fold(told, |told, violation| {
            let path = if violation.path.is_empty() { "arguments".to_owned() } else { violation.path };
            told.fact(&path, violation.message)
        }))
    }

    /// Refuses a task of a tool that is none, and a plain call of a tool that is nothing else. The server takes tasks;
    /// each tool says for itself whether it becomes one.
    pub fn check_manner(&self, spec: &ServerSpec, manner: Manner) -> Result<(), ApiError> {
        let Some((shelf, place)) = &self.tool else { return Ok(()) };
        let support = shelf.list.get(*place).and_then(|offered| offered.tool.task_support.as_deref());
        let (problem, hint) = match (support, manner) {
            (None | Some("forbidden"), Manner::Task) => ("does not run as a task", "call it without a task"),
            (Some("required"), Manner::Plain) => ("runs only as a task", "ask for a task (`--task`)"),
            _ => return Ok(()),
        };
        let message = format!("tool `{}` of server `{}` {problem}", self.name(), spec.id);
        let hint = format!("{hint}, or send it anyway (`--anyway`)");
        Err(ApiError::new(ErrorCode::Objected, "Not sent", message).hint(hint))
    }

    /// Looks whether the result keeps what the `outputSchema` promised.
    pub async fn check_result(&self, app: &App, result: &RawValue) -> Checked {
        let Some((shelf, place)) = self.tool.clone().filter(|_| self.structured) else { return self.unchecked() };
        if shelf.list.get(place).is_none_or(|offered| offered.tool.output_schema.is_none()) {
            return self.unchecked();
        }
        let Ok(members) = serde_json::from_str::<Members<'_>>(result.get()) else { return self.unchecked() };
        // The server made a task of it: what it answered is no result of the tool.
        if members.task.is_some() {
            return self.unchecked();
        }
        let Some(content) = members.structured_content.map(ToOwned::to_owned) else {
            return Checked::violation("there is no `structuredContent`, though the tool has an `outputSchema`");
        };
        let work = move || {
            let offered = shelf.list.get(place).map(|offered| (&offered.tool.output_schema, &offered.output));
            match offered {
                Some((Some(schema), output)) => output.get_or_init(|| Checker::compile(schema)).check(&content),
                Some((None, _)) | None => Checked::default(),
            }
        };
        let checked = app.inner.checks.run(work).await;
        let note = checked.note.map(|note| format!("the structured content was {note}"));
        Checked { note: self.note.clone().or(note), ..checked }
    }

    /// What is told where the result has nothing to be checked.
    pub fn unchecked(&self) -> Checked {
        Checked { violations: Vec::new(), note: self.note.clone() }
    }

    fn name(&self) -> String {
        let tool = self.tool.as_ref().and_then(|(shelf, place)| shelf.list.get(*place));
        tool.map(|offered| offered.tool.name.clone()).unwrap_or_default()
    }
}

fn check_input(shelf: &Shelf<OfferedTool>, place: usize, arguments: &RawValue) -> Checked {
    let Some(offered) = shelf.list.get(place) else { return Checked::default() };
    let Some(schema) = &offered.tool.input_schema else { return Checked::default() };
    offered.input.get_or_init(|| Checker::compile(schema)).check(arguments)
}

fn told(checked: Checked) -> ArgumentsCheck {
    ArgumentsCheck { violations: checked.violations, note: checked.note }
}

#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, rename = "structuredContent")]
    structured_content: Option<&'a RawValue>,
    #[serde(borrow)]
    task: Option<&'a RawValue>,
}
