//! Connecting and disconnecting, as a person wishes.

use std::sync::Arc;

use sonde_registry::ServerSpec;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::launch::Start;
use super::{Server, stay};
use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::servers::{ServerRequest, ServerState};
use crate::app::App;
use crate::explain;
use crate::posture::Posture;

impl App {
    pub(crate) async fn connect_server(&self, request: ServerRequest) -> Result<Nothing, ApiError> {
        self.connect(&request.server).await.map(|()| Nothing {})
    }

    /// Starts a server if a person has approved its command line. Returns when it is on its way.
    pub async fn connect(&self, id: &str) -> Result<(), ApiError> {
        let server = self.server(id)?;
        if !server.spec.enabled {
            return Err(explain::life::disabled(&server.spec));
        }
        if server.is_connected() {
            return Ok(());
        }
        server.refuse_flawed()?;
        let (launch, posture) = match self.prepare(&server).await {
            Ok(ready) => ready,
            Err(problem) => {
                // A server that nobody has approved has not failed: it was not tried.
                if problem.code != ErrorCode::ApprovalNeeded {
                    server.fail_to_start(problem.clone());
                    self.inner.changes.server_changed();
                }
                return Err(problem);
            }
        };
        let run = {
            let mut standing = server.standing();
            match standing.state {
                ServerState::Starting | ServerState::Ready => return Ok(()),
                ServerState::Stopping => return Err(explain::life::still_stopping(&server.spec)),
                ServerState::Stopped | ServerState::Failed => {}
            }
            if standing.succession.retired {
                return Err(explain::life::just_changed(&server.spec));
            }
            // Whoever waits to start it again need not.
            standing.closing.cancel();
            standing.closing = CancellationToken::new();
            standing.run += 1;
            standing.wanted = true;
            standing.restarts = 0;
            standing.succession.connected();
            standing.begin(launch.first_phase());
            server.running.send_replace(true);
            stay::Run { number: standing.run, closing: standing.closing.clone() }
        };
        self.inner.changes.server_changed();
        self.inner.checks.warm();
        tokio::spawn(stay::look_after(self.clone(), server, launch, posture, run));
        Ok(())
    }

    /// Decides how the server is reached, and whether it may be, as things stand now.
    pub(super) async fn prepare(&self, server: &Arc<Server>) -> Result<(Start, Posture), ApiError> {
        self.look_for_program(server.spec.id.as_str()).await;
        let posture = self.posture(server)?;
        let allowed = self.allowed_launch(server, &posture).await?;
        Ok((allowed.start, posture))
    }

    /// Connects every server that is to be connected from the start, side by side. One that fails, or that nobody has
    /// approved, keeps no other from it.
    pub async fn start_all(&self) {
        let mut starting = JoinSet::new();
        let is_wanted = |spec: &ServerSpec| spec.auto_start && spec.enabled && spec.flaw.is_none();
        for server in self.inner.roster.servers().iter().filter(|server| is_wanted(&server.spec)) {
            let (app, server) = (self.clone(), server.clone());
            starting.spawn(async move {
                let id = server.spec.id.as_str();
                let Err(error) = app.connect(id).await else { return };
                tracing::warn!(server = id, code = ?error.code, title = %error.title, "a server could not be started");
                if error.code == ErrorCode::ApprovalNeeded {
                    server.await_approval(error);
                    app.inner.changes.server_changed();
                }
            });
        }
        starting.join_all().await;
    }

    /// Somebody wanted something of a server that is not connected. Where it may be started again by itself, it is.
    pub(crate) fn revive(&self, server: &Arc<Server>) {
        let (is_waiting, is_to_be_revived) = {
            let standing = server.standing();
            (standing.retry.is_some(), standing.is_to_be_revived(&server.spec))
        };
        if is_waiting {
            server.again.notify_one();
        } else if is_to_be_revived {
            let (app, id) = (self.clone(), server.spec.id.to_string());
            tokio::spawn(async move {
                if let Err(error) = app.connect(&id).await {
                    tracing::warn!(server = id, code = ?error.code, title = %error.title, "a server could not be started again");
                }
            });
        }
    }

    /// Waits until a server that was told to connect is ready, or says why it is not.
    pub async fn until_ready(&self, id: &str) -> Result<(), ApiError> {
        self.server(id)?.until_ready().await
    }

    /// Ends a connection, and waits until nothing of it is left.
    pub async fn disconnect(&self, id: &str) -> Result<(), ApiError> {
        let server = self.server(id)?;
        server.stop();
        self.inner.changes.server_changed();
        server.stopped().await;
        Ok(())
    }

    /// Ends every connection.
    pub(crate) async fn disconnect_all(&self, _request: Nothing) -> Result<Nothing, ApiError> {
        self.inner.roster.servers().iter().for_each(|server| server.stop());
        self.inner.changes.server_changed();
        Ok(Nothing {})
    }

    pub(crate) async fn disconnect_server(&self, request: ServerRequest) -> Result<Nothing, ApiError> {
        self.server(&request.server)?.stop();
        self.inner.changes.server_changed();
        Ok(Nothing {})
    }
}
