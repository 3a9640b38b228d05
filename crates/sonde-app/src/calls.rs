//! Calls of tools: started here, looked at by number, kept for a while after they ended.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::value::RawValue;
use sonde_client::{Answer, CallError, Client};
use sonde_protocol::{Outcome, Verdict, judge};

use crate::api::calls::{
    Call, CallList, CallRequest, CallStatus, CallToolRequest, Payload, Progress, ToolCallsRequest,
};
use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::app::App;
use crate::explain;
use crate::server::now_ms;

/// Ended calls that are kept, per tool and in all; the log has every one.
const KEPT_PER_TOOL: usize = 20;
const KEPT: usize = 500;
/// Bytes of a result that are kept; the log has the rest.
const KEPT_RESULT: usize = 256 << 10;

#[derive(Default)]
pub(crate) struct Calls {
    next: AtomicU64,
    entries: Mutex<BTreeMap<u64, Entry>>,
}

struct Entry {
    call: Call,
    /// What cancelling needs.
    client: Client,
    wire_id: Box<RawValue>,
}

impl Calls {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<u64, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl App {
    pub(crate) async fn call_tool(&self, request: CallToolRequest) -> Result<Call, ApiError> {
        let client = self.server(&request.server)?.client()?;
        let arguments = read_arguments(&request.arguments)?;
        let started = Instant::now();
        let sent = client.call_tool(&request.tool, &arguments).await.map_err(|error| explain::call(&error))?;
        let call = Call {
            id: self.inner.calls.next.fetch_add(1, Ordering::Relaxed) + 1,
            server: request.server,
            tool: request.tool,
            arguments: request.arguments,
            status: CallStatus::Running,
            started: now_ms(),
            elapsed_ms: None,
            progress: None,
            result: None,
            error: None,
            request_id: sent.id.get().to_owned(),
        };
        let entry = Entry { call: call.clone(), client, wire_id: sent.id.clone() };
        self.inner.calls.entries().insert(call.id, entry);
        self.forget_old_calls(&call.server, &call.tool);
        self.inner.changes.call_changed(call.id);
        tokio::spawn(self.clone().follow(call.id, sent, started));
        Ok(call)
    }

    pub(crate) async fn read_call(&self, request: CallRequest) -> Result<Call, ApiError> {
        let entries = self.inner.calls.entries();
        entries.get(&request.call).map(|entry| entry.call.clone()).ok_or_else(|| unknown(request.call))
    }

    /// The calls of one tool that are kept, newest first.
    pub(crate) async fn list_calls(&self, request: ToolCallsRequest) -> Result<CallList, ApiError> {
        let entries = self.inner.calls.entries();
        let of_tool = |call: &&Entry| call.call.server == request.server && call.call.tool == request.tool;
        Ok(CallList { calls: entries.values().rev().filter(of_tool).map(|entry| entry.call.clone()).collect() })
    }

    pub(crate) async fn cancel_call(&self, request: CallRequest) -> Result<Nothing, ApiError> {
        let (client, id) = {
            let entries = self.inner.calls.entries();
            let entry = entries.get(&request.call).ok_or_else(|| unknown(request.call))?;
            (entry.client.clone(), entry.wire_id.clone())
        };
        // Not waited for: a server that does not read its input would keep the command for ever.
        tokio::spawn(async move { client.cancel(&id).await });
        Ok(Nothing {})
    }

    /// Notes progress and the end of one call.
    async fn follow(self, id: u64, call: sonde_client::Call, started: Instant) {
        let mut progress = call.progress();
        let mut end = std::pin::pin!(call.end());
        let end = loop {
            tokio::select! {
                end = &mut end => break end,
                Ok(()) = progress.changed() => {
                    let newest = progress.borrow_and_update().clone();
                    self.change(id, |call| call.progress = newest.map(convert));
                }
            }
        };
        let elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        self.change(id, |call| {
            call.elapsed_ms = Some(elapsed_ms);
            finish(call, end);
        });
    }

    fn change(&self, id: u64, change: impl FnOnce(&mut Call)) {
        if let Some(entry) = self.inner.calls.entries().get_mut(&id) {
            change(&mut entry.call);
        }
        self.inner.changes.call_changed(id);
    }

    fn forget_old_calls(&self, server: &str, tool: &str) {
        let mut entries = self.inner.calls.entries();
        let ended = entries.values().map(|entry| &entry.call).filter(|call| call.status != CallStatus::Running);
        let (of_tool, others): (Vec<&Call>, Vec<&Call>) =
            ended.partition(|call| call.server == server && call.tool == tool);
        let surplus = of_tool.len().saturating_sub(KEPT_PER_TOOL);
        let too_many = others.len().saturating_sub(KEPT);
        let old: Vec<u64> =
            of_tool.iter().take(surplus).chain(others.iter().take(too_many)).map(|call| call.id).collect();
        for id in old {
            entries.remove(&id);
            self.inner.changes.forget_call(id);
        }
    }
}

fn finish(call: &mut Call, end: Result<Answer, CallError>) {
    match end {
        Ok(Answer::Result(result)) => {
            call.status = match judge("tools/call", &Outcome::Result(&result)) {
                Verdict::ToolError => CallStatus::ToolError,
                Verdict::Ok | Verdict::ProtocolError => CallStatus::Ok,
            };
            call.result = Some(payload(result.get()));
        }
        Ok(Answer::Error { code, message, raw }) => {
            call.status = CallStatus::ProtocolError;
            call.error = Some(explain::protocol_error(code, &message));
            call.result = Some(payload(raw.get()));
        }
        Err(error) => {
            call.status = match error {
                CallError::Cancelled => CallStatus::Cancelled,
                CallError::TimedOut(_) => CallStatus::Timeout,
                CallError::Lost | CallError::NotRead | CallError::Unwritable(_) => CallStatus::Lost,
            };
            call.error = Some(explain::call(&error));
        }
    }
}

fn payload(text: &str) -> Payload {
    let mut end = KEPT_RESULT.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end).unwrap_or_default();
    Payload { text: head.to_owned(), shown: head.len() as u64, size: text.len() as u64 }
}

fn convert(progress: sonde_client::Progress) -> Progress {
    Progress { progress: progress.progress, total: progress.total, message: progress.message }
}

/// The arguments go out as they were typed, so they must be JSON; and a tool takes an object.
fn read_arguments(text: &str) -> Result<Box<RawValue>, ApiError> {
    let invalid = |message: String| {
        ApiError::new(ErrorCode::InvalidRequest, "Invalid arguments", message)
            .hint("arguments are a JSON object: {\"name\": value}")
    };
    let arguments = RawValue::from_string(text.to_owned()).map_err(|error| invalid(error.to_string()))?;
    if !arguments.get().trim_start().starts_with('{') {
        return Err(invalid("the arguments are JSON, but not an object".to_owned()));
    }
    // One message is one line.
    if !arguments.get().contains(['\n', '\r']) {
        return Ok(arguments);
    }
    RawValue::from_string(arguments.get().replace(['\n', '\r'], " ")).map_err(|error| invalid(error.to_string()))
}

fn unknown(call: u64) -> ApiError {
    ApiError::new(ErrorCode::UnknownCall, "No such call", format!("call {call} is not known, or was long ago"))
        .hint("the log has every call")
}
