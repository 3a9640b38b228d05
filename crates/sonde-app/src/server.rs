//! A server's life: stopped, starting, ready, stopping, failed.

mod launch;
mod lists;
mod posture;
mod run;
pub(crate) mod shelves;
mod view;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sonde_client::{Client, Handshake, Patience};
use sonde_registry::{Layer, ServerSpec};
use sonde_transport::RemoteEnd;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::servers::{ServerRequest, ServerState};
use crate::app::App;
use crate::explain;
use crate::posture::Posture;
use shelves::Shelves;

pub use launch::{Asked, PendingApproval};

/// One entry of the registry and how it stands.
pub(crate) struct Server {
    pub spec: ServerSpec,
    /// The folder it runs in.
    pub folder: PathBuf,
    standing: Mutex<Standing>,
    /// True while a task looks after a connection.
    running: watch::Sender<bool>,
    /// Held while a list is fetched, so that nobody fetches it a second time meanwhile.
    listings: [tokio::sync::Mutex<()>; shelves::KEPT.len()],
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
    /// The log's number of the newest connection.
    pub connection: Option<i64>,
    /// Never goes back, so that a window can tell old lists from new ones.
    pub catalog_revision: u64,
    /// The state once more, for whoever waits for another one.
    news: watch::Sender<ServerState>,
    /// Ends the connection that is being made or used.
    closing: CancellationToken,
}

pub(crate) struct Live {
    pub client: Client,
    pub handshake: Handshake,
    /// The other end, where it is reached by HTTP.
    pub remote: Option<RemoteEnd>,
    /// What it was connected with; its roots are those of now.
    pub posture: Posture,
    pub shelves: Shelves,
}

impl Server {
    pub fn new(spec: ServerSpec, project: &Path) -> Self {
        let folder = match (spec.folder(), spec.origin.layer) {
            (Some(folder), _) => project.join(folder),
            // Whoever types a command means it from where they are.
            (None, Layer::Typed) => std::env::current_dir().unwrap_or_else(|_| project.to_owned()),
            (None, _) => project.to_owned(),
        };
        let standing = Standing {
            state: ServerState::Stopped,
            since_ms: now_ms(),
            phase: None,
            problem: None,
            pid: None,
            exit: None,
            stderr_tail: Vec::new(),
            live: None,
            connection: None,
            catalog_revision: 0,
            news: watch::channel(ServerState::Stopped).0,
            closing: CancellationToken::new(),
        };
        Server {
            spec,
            folder,
            standing: Mutex::new(standing),
            running: watch::channel(false).0,
            listings: Default::default(),
        }
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
            let message = format!("server `{}` is not connected", self.spec.id);
            ApiError::new(ErrorCode::NotReady, "Not connected", message).hint("connect it first")
        })
    }

    /// The connected client, and how long it waits by default.
    pub fn client_and_patience(&self) -> Result<(Client, Patience), ApiError> {
        let client = self.client()?;
        let patience = self.standing().live.as_ref().map(|live| live.posture.patience);
        Ok((client, patience.unwrap_or_default()))
    }

    /// Waits until it is ready, or says why it will not be.
    async fn until_ready(&self) -> Result<(), ApiError> {
        let mut news = self.standing().news.subscribe();
        let decided = |state: &ServerState| !matches!(state, ServerState::Starting | ServerState::Stopping);
        // The sender lives as long as we do.
        news.wait_for(decided).await.ok();
        let standing = self.standing();
        match (standing.state, &standing.problem) {
            (ServerState::Ready, _) => Ok(()),
            (_, Some(problem)) => Err(problem.clone()),
            (_, None) => Err(explain::not_ready(&self.spec, &standing)),
        }
    }
}

impl Standing {
    pub fn enter(&mut self, state: ServerState) {
        self.state = state;
        self.since_ms = now_ms();
        self.phase = None;
        self.news.send_replace(state);
    }
}

pub(crate) fn now_ms() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

impl App {
    /// The server that a person means by its id, or by its name as it stands in the configuration.
    pub(crate) fn server(&self, name: &str) -> Result<Arc<Server>, ApiError> {
        let servers = self.inner.roster.servers();
        let by_id = servers.iter().find(|server| server.spec.id.as_str() == name);
        by_id
            .or_else(|| servers.iter().find(|server| server.spec.id.answers_to(name)))
            .cloned()
            .ok_or_else(|| explain::no_server(name, servers.iter().map(|server| &server.spec)))
    }

    pub(crate) async fn connect_server(&self, request: ServerRequest) -> Result<Nothing, ApiError> {
        self.connect(&request.server).await.map(|()| Nothing {})
    }

    /// Starts a server if a person has approved its command line. Returns when it is on its way.
    pub async fn connect(&self, id: &str) -> Result<(), ApiError> {
        let server = self.server(id)?;
        self.look_for_program(id).await;
        let launch = |posture| Ok((server.launch(&posture, &self.inner.search)?, posture));
        let ready = self.posture(&server).and_then(launch);
        let (launch, posture) = match ready {
            Ok(ready) => ready,
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
            standing.phase = Some(launch.first_phase().to_owned());
            standing.problem = None;
            standing.exit = None;
            standing.stderr_tail.clear();
            standing.closing = CancellationToken::new();
            server.running.send_replace(true);
            standing.closing.clone()
        };
        self.inner.changes.server_changed();
        self.inner.checks.warm();
        tokio::spawn(run::look_after(self.clone(), server, launch, posture, closing));
        Ok(())
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

    /// The number that the newest connection has in the log.
    pub fn connection(&self, id: &str) -> Option<i64> {
        self.server(id).ok()?.standing().connection
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
