//! A server's life: stopped, starting, ready, stopping, failed.

mod approval;
mod connect;
mod considered;
mod launch;
mod lists;
mod posture;
mod retry;
mod risks;
mod run;
pub(crate) mod rush;
mod seen;
pub(crate) mod shelves;
mod stay;
mod succession;
mod trial;
mod variables;
mod view;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sonde_client::{CallError, Client, Handshake, Patience};
use sonde_registry::{Layer, ServerSpec};
use sonde_transport::{HttpFailure, RemoteEnd};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::api::error::ApiError;
use crate::api::servers::{Retry, ServerState};
use crate::app::App;
use crate::explain;
use crate::posture::Posture;
use crate::subscriptions::Subscriptions;
use shelves::Shelves;
use succession::Succession;

pub(crate) use approval::deciding;
pub use approval::{Asked, AskedFile, PendingApproval};
pub(crate) use launch::{AllowedStart, Start};
pub use retry::Pace;
pub(crate) use succession::Next;
pub(crate) use trial::Trial;

/// One entry of the registry and how it stands.
pub(crate) struct Server {
    pub spec: ServerSpec,
    /// The folder it runs in.
    pub folder: PathBuf,
    /// What a folder that is named relative is meant from.
    pub project: PathBuf,
    standing: Mutex<Standing>,
    /// True while a task looks after a connection, or waits to make the next one.
    running: watch::Sender<bool>,
    /// Told when the wait for the next try is to end at once.
    again: Notify,
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
    /// Whether a person wants it connected: whoever disconnects it does not.
    pub wanted: bool,
    /// How often it was started again since a person started it.
    pub restarts: u32,
    /// There while it waits to be started again.
    pub retry: Option<Retry>,
    pub pid: Option<u32>,
    pub exit: Option<String>,
    pub stderr_tail: Vec<String>,
    /// What a person should know of the newest start, as that a script is not the one they approved.
    pub notices: Vec<String>,
    /// There while the server is ready.
    pub live: Option<Live>,
    /// The log's number of the newest connection.
    pub connection: Option<i64>,
    /// Never goes back, so that a window can tell old lists from new ones.
    pub catalog_revision: u64,
    /// Grows with every subscription, update, task and level.
    pub news_revision: u64,
    /// Changed tools that the log has told of, as they were then.
    told: std::collections::HashMap<String, [u8; 32]>,
    /// The state once more, for whoever waits for another one.
    news: watch::Sender<ServerState>,
    /// Ends the connection that is being made or used, or the wait for the next one.
    closing: CancellationToken,
    /// Numbers whoever looks after the server: an older one has no say any more.
    run: u64,
    /// How it stands to what is written down now.
    pub succession: Succession,
}

pub(crate) struct Live {
    pub client: Client,
    pub handshake: Handshake,
    /// The other end, where it is reached by HTTP.
    pub remote: Option<RemoteEnd>,
    /// What it was connected with; its roots are those of now.
    pub posture: Posture,
    pub shelves: Shelves,
    pub subscriptions: Subscriptions,
    /// The level that was last set.
    pub log_level: Option<String>,
    /// Told when a request fails as if nobody were there.
    doubt: Arc<Notify>,
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
            wanted: false,
            restarts: 0,
            retry: None,
            pid: None,
            exit: None,
            stderr_tail: Vec::new(),
            notices: Vec::new(),
            live: None,
            connection: None,
            catalog_revision: 0,
            news_revision: 0,
            told: Default::default(),
            news: watch::channel(ServerState::Stopped).0,
            closing: CancellationToken::new(),
            run: 0,
            succession: Succession::default(),
        };
        Server {
            spec,
            folder,
            project: project.to_owned(),
            standing: Mutex::new(standing),
            running: watch::channel(false).0,
            again: Notify::new(),
            listings: Default::default(),
        }
    }

    pub fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to end the connection, or the wait for one, if there is any.
    pub fn stop(&self) {
        let mut standing = self.standing();
        if matches!(standing.state, ServerState::Starting | ServerState::Ready) {
            standing.enter(ServerState::Stopping);
            standing.phase = Some("waiting for the server to end".to_owned());
        }
        if standing.retry.take().is_some() {
            standing.enter(ServerState::Stopped);
        }
        standing.wanted = false;
        standing.closing.cancel();
    }

    /// Waits until nobody looks after a connection any more.
    pub async fn stopped(&self) {
        let mut running = self.running.subscribe();
        // The sender is ours, so it can't be gone.
        running.wait_for(|running| !running).await.ok();
    }

    pub fn is_connected(&self) -> bool {
        matches!(self.standing().state, ServerState::Starting | ServerState::Ready)
    }

    /// The connected client, or why there is none.
    pub fn client(&self) -> Result<Client, ApiError> {
        let standing = self.standing();
        let live = standing.live.as_ref().map(|live| live.client.clone());
        live.ok_or_else(|| explain::life::absent(&self.spec, &standing))
    }

    /// Its tools, as they were last listed.
    pub fn tools(&self) -> Option<Arc<shelves::Shelf<shelves::OfferedTool>>> {
        self.standing().live.as_ref().and_then(|live| live.shelves.tools.clone())
    }

    /// A request failed. Where it did as if nobody were there, somebody looks whether that is so.
    pub fn doubt(&self, error: &CallError) {
        let is_silent = matches!(error, CallError::TimedOut(_) | CallError::Silent(_) | CallError::NotRead);
        if (is_silent || is_gone(error))
            && let Some(live) = &self.standing().live
        {
            live.doubt.notify_one();
        }
    }

    /// Something that a person should know of the connection, told once.
    fn note(&self, notice: &str) {
        let mut standing = self.standing();
        if !standing.notices.iter().any(|known| known == notice) {
            standing.notices.push(notice.to_owned());
        }
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
    /// Forgets the last connection, for the next one begins.
    fn begin(&mut self, phase: &str) {
        self.enter(ServerState::Starting);
        self.phase = Some(phase.to_owned());
        self.problem = None;
        self.retry = None;
        self.exit = None;
        self.stderr_tail.clear();
    }

    /// Whoever waits to start it again has no say any more.
    fn give_up(&mut self) {
        self.run += 1;
        self.wanted = false;
        self.retry = None;
        self.closing.cancel();
    }

    /// Whether it ended by itself and may be started again by itself.
    pub fn is_to_be_revived(&self, spec: &ServerSpec) -> bool {
        spec.reconnect && self.wanted && self.state == ServerState::Failed
    }

    /// Changes something about the connection that a window would want to know.
    pub fn tell_news(&mut self, change: impl FnOnce(&mut Live)) {
        if let Some(live) = &mut self.live {
            change(live);
            self.news_revision += 1;
        }
    }

    pub fn enter(&mut self, state: ServerState) {
        self.state = state;
        self.since_ms = now_ms();
        self.phase = None;
        self.news.send_replace(state);
    }
}

/// Whether an error says that the server, or the way to it, is not there.
fn is_gone(error: &CallError) -> bool {
    let CallError::Http(failure) = error else { return false };
    matches!(
        failure,
        HttpFailure::Unresolved { .. }
            | HttpFailure::Unconnected { .. }
            | HttpFailure::ConnectTimeout { .. }
            | HttpFailure::Broken { .. }
    )
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

    /// The number that the newest connection has in the log.
    pub fn connection(&self, id: &str) -> Option<i64> {
        self.server(id).ok()?.standing().connection
    }
}
