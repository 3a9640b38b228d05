//! Staying with a task of a server until its result is there.

use std::time::Instant;

use serde_json::value::RawValue;
use tokio::sync::{oneshot, watch};

use super::{Begun, Entry, finish};
use crate::api::calls::{Call, CallStatus};
use crate::api::error::ApiError;
use crate::app::App;
use crate::server::now_ms;

impl App {
    /// Follows a task of the server. Its end is that of the request that began the task.
    pub async fn follow_task(&self, id: &str, task: &str) -> Result<Begun, ApiError> {
        let server = self.server(id)?.clone();
        let (client, _patience) = server.client_and_patience()?;
        self.inner.calls.admit()?;
        let run = client.follow_task(task);
        let call = Call {
            id: self.inner.calls.next(),
            server: server.spec.id.to_string(),
            method: "tasks/result".to_owned(),
            target: Some(task.to_owned()),
            tool: String::new(),
            arguments: String::new(),
            status: CallStatus::Running,
            started: now_ms(),
            elapsed_ms: None,
            progress: None,
            result: None,
            error: None,
            violations: Vec::new(),
            note: None,
            request_id: String::new(),
        };
        // It asks many times, each under an id of its own.
        let wire_id = RawValue::NULL.to_owned();
        self.enter(Entry { call: call.clone(), client: client.clone(), wire_id, task: Some(task.to_owned()) });
        let progress = run.progress().unwrap_or_else(|| watch::channel(None).1);
        let (told, end) = oneshot::channel();
        let ending = finish::Ending {
            app: self.clone(),
            server,
            client,
            call: call.id,
            // The result is that of a tool, and says so in the same way.
            method: "tools/call".to_owned(),
            expectation: None,
        };
        tokio::spawn(ending.follow(progress.clone(), run.end(), Instant::now(), told));
        Ok(Begun { call: call.id, request_id: call.request_id, progress, end })
    }
}
