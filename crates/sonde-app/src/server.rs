//! A server's life: stopped, starting, ready, stopping, failed.

mod launch;
mod run;
mod view;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sonde_client::{Client, Handshake, Tools};
use sonde_registry::ServerSpec;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::servers::{ServerRequest, ServerState};
use crate::app::App;
pub use launch::PendingApproval;

/// One entry of the registry and how it stands.
pub(crate) struct Server {
    pub spec: ServerSpec,
    /// The folder it runs in.
    pub folder: PathBuf,
    standing: Mutex<Standing>,
    /// True while a task looks after a connection.
    running: watch::Sender<bool>,
}

/// Everything about a server that changes.
pub(crate) struct Standing {
    pub state: ServerState,
    /// When the state began.
    pub since_ms: i64,
    pub phase: Option<String>,
    pub problem: Option<ApiError>,
    pub pid: Option<u32>,
    pub exit: Option<String>,
    pub stderr_tail: Vec<String>,
    /// There while the server is ready.
    pub live: Option<Live>,
    /// Never goes back, so that a window can tell old tools from new ones.
    pub catalog_revision: u64,
    /// Ends the connection that is being made or used.
    closing: CancellationToken,
}

pub(crate) struct Live {
    pub client: Client,
    pub handshake: Handshake,
    /// None until the first listing is done.
    pub tools: Option<Arc<Tools>>,
}

impl Server {
    pub fn new(spec: ServerSpec, project: &Path) -> Self {
        let folder = spec.folder.as_ref().map_or_else(|| project.to_owned(), |folder| project.join(folder));
        let standing = Standing {
            state: ServerState::Stopped,
            since_ms: now_ms(),
            phase: None,
            problem: None,
            pid: None,
            exit: None,
            stderr_tail: Vec::new(),
            live: None,
            catalog_revision: 0,
            closing: CancellationToken::new(),
        };
        Server { spec, folder, standing: Mutex::new(standing), running: watch::channel(false).0 }
    }

    pub fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to end the connection, if there is one.
    pub fn stop(&self) {
        let mut standing = self.standing();
        if matches!(standing.state, ServerState::Starting | ServerState::Ready) {
            standing.enter(ServerState::Stopping);
            standing.phase = Some("waiting for the server to end".to_owned());
        }
        standing.closing.cancel();
    }

    /// Waits until nobody looks after a connection any more.
    pub async fn stopped(&self) {
        let mut running = self.running.subscribe();
        // The sender is ours, so it can't be gone.
        running.wait_for(|running| !running).await.ok();
    }

    /// The connected client, or why there is none.
    pub fn client(&self) -> Result<Client, ApiError> {
        self.standing().live.as_ref().map(|live| live.client.clone()).ok_or_else(|| {
            ApiError::new(ErrorCode::NotReady, "Not connected", format!("server `{}` is not connected", self.spec.id))
                .hint("connect it first")
        })
    }
}

impl Standing {
    pub fn enter(&mut self, state: ServerState) {
        self.state = state;
        self.since_ms = now_ms();
        self.phase = None;
    }
}

pub(crate) fn now_ms() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

impl App {
    pub(crate) fn server(&self, id: &str) -> Result<&Arc<Server>, ApiError> {
        self.inner.servers.iter().find(|server| server.spec.id.as_str() == id).ok_or_else(|| {
            ApiError::new(ErrorCode::UnknownServer, "No such server", format!("there is no server `{id}`"))
        })
    }

    pub(crate) async fn connect_server(&self, request: ServerRequest) -> Result<Nothing, ApiError> {
        self.connect(&request.server).await.map(|()| Nothing {})
    }

    /// Starts a server if a person has approved its command line. Returns when it is on its way.
    pub async fn connect(&self, id: &str) -> Result<(), ApiError> {
        let server = self.server(id)?.clone();
        let launch = match server.launch() {
            Ok(launch) => launch,
            Err(problem) => {
                server.fail_to_start(problem.clone());
                self.inner.changes.server_changed();
                return Err(problem);
            }
        };
        self.require_approval(&server, &launch)?;
        let closing = {
            let mut standing = server.standing();
            match standing.state {
                ServerState::Starting | ServerState::Ready => return Ok(()),
                ServerState::Stopping => {
                    let message = format!("server `{id}` is still stopping");
                    return Err(ApiError::new(ErrorCode::Busy, "Still stopping", message).hint("try again in a moment"));
                }
                ServerState::Stopped | ServerState::Failed => {}
            }
            standing.enter(ServerState::Starting);
            standing.phase = Some("starting the process".to_owned());
            standing.problem = None;
            standing.exit = None;
            standing.stderr_tail.clear();
            standing.closing = CancellationToken::new();
            server.running.send_replace(true);
            standing.closing.clone()
        };
        self.inner.changes.server_changed();
        tokio::spawn(run::look_after(self.clone(), server, launch, closing));
        Ok(())
    }

    pub(crate) async fn disconnect_server(&self, request: ServerRequest) -> Result<Nothing, ApiError> {
        self.server(&request.server)?.stop();
        self.inner.changes.server_changed();
        Ok(Nothing {})
    }
}
