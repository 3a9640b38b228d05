//! The launch doctor: what would be launched, whether it starts, and what to do where it does not.
//!
//! It starts a server the way it is always started, but beside its standing: a server that is connected is not disturbed,
//! one that is not stays so. Nothing is started or spoken to that a person has not approved.

mod address;
mod command;
mod environment;
mod report;
mod trial;

use std::sync::Arc;
use std::time::Duration;

use sonde_registry::Reach;

use crate::api::doctor::Examination;
use crate::api::error::ApiError;
use crate::api::servers::{ServerRequest, ServerState};
use crate::app::App;
use crate::posture::Posture;
use crate::server::{AllowedStart, Server, Start};
use report::Report;

/// Beside what the server may take to become ready.
const LONGEST: Duration = Duration::from_secs(120);

impl App {
    pub(crate) async fn examine_server(&self, request: ServerRequest) -> Result<Examination, ApiError> {
        self.examine(&request.server).await
    }

    /// Looks at everything that decides whether a server becomes ready, tries it, and says what to do.
    pub async fn examine(&self, id: &str) -> Result<Examination, ApiError> {
        let server = self.server(id)?;
        let mut report = Report::new(&server.spec);
        if let Err(problem) = server.refuse_flawed() {
            report.fail("read the configuration", problem);
            return Ok(report.finish());
        }
        if !server.spec.enabled {
            let found = "it is disabled: it is not connected until somebody enables it";
            let advice = format!("`sonde enable {}`, or the switch in the window, enables it", server.spec.id);
            report.odd("read the configuration", None, found, &advice);
        }
        let posture = match self.posture_to_try(&server) {
            Ok(posture) => posture,
            Err(problem) => {
                report.fail("decide how to speak to it", problem);
                return Ok(report.finish());
            }
        };
        let limit = LONGEST + posture.connect_limit;
        let looked = tokio::time::timeout(limit, self.look_over(&server, &posture, &mut report)).await;
        if looked.is_err() {
            report.ill("end", format!("the examination did not come to its end within {} s", limit.as_secs()));
        }
        Ok(report.finish())
    }

    async fn look_over(&self, server: &Arc<Server>, posture: &Posture, report: &mut Report) {
        let located = match &server.spec.reach {
            Reach::Command(_) => command::look(self, server, report).await,
            Reach::Url(_) => None,
        };
        let steps: &[&str] = match &server.spec.reach {
            Reach::Command(_) => &command::STEPS,
            Reach::Url(_) => &address::STEPS,
        };
        if report.has_failed() {
            command::gather(&server.spec, None, located.as_ref(), report);
            report.skip_all(steps, "not done, because it can't be started");
            return;
        }
        // No secret is asked for and no file of variables is read for a server that nobody has allowed.
        let allowed = self.allowed(server, posture, steps, report).await;
        let filled = allowed.as_ref().map(|allowed| &allowed.filled);
        command::gather(&server.spec, filled, located.as_ref(), report);
        let Some(AllowedStart { start: launch, .. }) = allowed else { return };
        if let Start::Remote(remote) = &launch {
            address::look_from_outside(remote, report).await;
        }
        let state = server.standing().state;
        match state {
            ServerState::Stopped | ServerState::Failed => {
                let trial = self.try_out(server, &launch, posture).await;
                if let Start::Remote(remote) = &launch {
                    address::read_exchanges(remote, &trial, report);
                }
                trial::read(&trial, report);
            }
            state => self.look_at_the_connected(server, state, steps, report).await,
        }
        if let Start::Remote(remote) = &launch {
            address::read_documents(self, server, &launch, remote, report).await;
        }
    }

    /// How it is reached, if a person has allowed it and every value is there.
    async fn allowed(
        &self,
        server: &Arc<Server>,
        posture: &Posture,
        steps: &[&str],
        report: &mut Report,
    ) -> Option<AllowedStart> {
        const NAME: &str = "check the approval";
        match self.launch_to_try(server, posture).await {
            Ok(launch) => {
                let found = match server.spec.needs_approval() {
                    true => "a person has approved exactly this",
                    false => "it needs none: it was typed, or is built in",
                };
                report.well(NAME, found);
                Some(launch)
            }
            Err(problem) => {
                report.refuse(NAME, problem);
                report.skip_all(steps, "not done: nothing is started or spoken to before that");
                None
            }
        }
    }

    /// A server that is up is not started a second time, and not disturbed.
    async fn look_at_the_connected(
        &self,
        server: &Arc<Server>,
        state: ServerState,
        steps: &[&str],
        report: &mut Report,
    ) {
        let found = match state {
            ServerState::Ready => "not repeated: it is connected",
            _ => "not repeated: it is just being started or stopped",
        };
        report.skip_all(steps, found);
        match self.knock(server).await {
            Some((took, Ok(()))) => report.timed("ping the connection", took, "it answers"),
            Some((_, Err(problem))) => report.fail("ping the connection", problem),
            None => {}
        }
        report.take_stderr(server.standing().stderr_tail.clone());
    }
}
