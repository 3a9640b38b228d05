//! One connection, from the process's start to its last byte.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sonde_client::{Client, ConnectError, Ending};
use sonde_transport::{Exit, HttpFailure, Link, Peer, Tap, Verbatim, open_http, start_stdio};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::launch::Start;
use super::shelves::{KEPT, Shelves, keep_current};
use super::{Live, Server};
use crate::api::error::ApiError;
use crate::api::servers::ServerState;
use crate::app::{App, Keeping};
use crate::explain;
use crate::posture::Posture;
use crate::questions;

/// Starts the server and stays with it until nothing of it is left.
pub(super) async fn look_after(
    app: App,
    server: Arc<Server>,
    launch: Start,
    posture: Posture,
    closing: CancellationToken,
) {
    let mut sessions = Sessions::default();
    let end = loop {
        match live(&app, &server, &launch, posture.clone(), closing.child_token()).await {
            End::Failed(_, Some(Ending { loss: Some(HttpFailure::SessionLost), .. }))
                if sessions.may_begin_another() && !closing.is_cancelled() =>
            {
                let mut standing = server.standing();
                // A person may have had enough of it meanwhile.
                if standing.state == ServerState::Stopping {
                    break End::Stopped(None);
                }
                standing.live = None;
                standing.catalog_revision += 1;
                standing.enter(ServerState::Starting);
                standing.phase = Some("the server forgot the session: a new one is begun".to_owned());
            }
            end => break end,
        }
        app.inner.changes.server_changed();
    };
    {
        let mut standing = server.standing();
        standing.live = None;
        standing.pid = None;
        standing.catalog_revision += 1;
        match end {
            End::Stopped(ending) => {
                standing.exit = ending.as_ref().and_then(|ending| ending.exit).map(|exit| exit.to_string());
                standing.stderr_tail = ending.map(|ending| ending.stderr_tail).unwrap_or_default();
                standing.enter(ServerState::Stopped);
            }
            End::Failed(problem, ending) => {
                // The message and the facts may quote the server; they are for the person, not for the journal.
                tracing::warn!(server = %server.spec.id, code = ?problem.code, title = %problem.title, "a server failed");
                standing.exit = ending.as_ref().and_then(|ending| ending.exit).map(|exit| exit.to_string());
                standing.stderr_tail = ending.map(|ending| ending.stderr_tail).unwrap_or_default();
                standing.problem = Some(problem);
                standing.enter(ServerState::Failed);
            }
        }
    }
    server.running.send_replace(false);
    app.inner.changes.server_changed();
}

enum End {
    Stopped(Option<Ending>),
    Failed(ApiError, Option<Ending>),
}

async fn live(app: &App, server: &Arc<Server>, launch: &Start, posture: Posture, closing: CancellationToken) -> End {
    // A disk that refuses holds this up, so it must be possible to give up; a disk that works gets its mark.
    let given_up = async {
        closing.cancelled().await;
        tokio::time::sleep(STUCK).await;
    };
    let tap = tokio::select! {
        tap = open_tap(app, server) => tap,
        () = given_up => return End::Stopped(None),
    };
    let tap = match tap {
        Ok(tap) => tap,
        Err(problem) => return End::Failed(problem, None),
    };
    let started = tokio::select! {
        started = start(app, server, launch, tap.clone()) => started,
        () = closing.cancelled() => {
            tap.mark("cancelled before the process had started".to_owned()).await;
            tap.end().await;
            return End::Stopped(None);
        }
    };
    let link = match started {
        Ok(link) => link,
        Err(problem) => {
            tap.end().await;
            return End::Failed(problem, None);
        }
    };
    let (pid, remote) = match &link.peer {
        Peer::Process(process) => (Some(process.pid), None),
        Peer::Remote(remote) => (None, Some(remote.clone())),
    };
    {
        let mut standing = server.standing();
        standing.pid = pid;
        standing.phase = Some("waiting for initialize".to_owned());
    }
    app.inner.changes.server_changed();
    tracing::info!(server = %server.spec.id, pid, "started");
    let (client, handshake) = match Client::connect(link, &posture.options(), closing.clone()).await {
        Ok(connected) => connected,
        Err(ConnectError::EndedEarly { mut ending, strays }) => {
            // The client ends a connection that fails, too; only the state knows whether a person wanted it.
            ending.by_us = server.standing().state == ServerState::Stopping;
            if ending.by_us {
                return End::Stopped(Some(ending));
            }
            let error = ConnectError::EndedEarly { ending, strays };
            return End::Failed(explain::connect(&server.spec, &posture, &error), ending_of(error));
        }
        Err(error) => return End::Failed(explain::connect(&server.spec, &posture, &error), ending_of(error)),
    };
    let mut helpers = JoinSet::new();
    {
        let mut standing = server.standing();
        let mut shelves = Shelves::default();
        if app.inner.keeping == Keeping::Current {
            // Without negotiation nothing was offered, and nothing is asked for that nobody asked for.
            let negotiated = handshake.negotiated;
            for catalog in KEPT {
                if !negotiated || client.objection(catalog.method()).is_some() {
                    shelves.leave_empty(catalog, (!negotiated).then(|| NOT_LISTED.to_owned()));
                    continue;
                }
                helpers.spawn(keep_current(app.clone(), server.clone(), client.clone(), catalog));
            }
        }
        standing.live = Some(Live { client: client.clone(), handshake, remote, posture, shelves });
        // A person may have asked to disconnect while the server answered.
        if standing.state == ServerState::Starting {
            standing.enter(ServerState::Ready);
        }
    }
    helpers.spawn(questions::follow(app.clone(), server.clone(), client.clone()));
    app.inner.changes.server_changed();
    let ending = client.ended().await;
    helpers.shutdown().await;
    app.forget_questions(&server.spec.id);
    match ending {
        Ending { by_us: true, .. } | Ending { exit: Some(Exit::Code(0)), .. } => End::Stopped(Some(ending)),
        _ => End::Failed(explain::lost(&server.spec, &ending), Some(ending)),
    }
}

/// Starts the process, or gets ready to speak to the address.
async fn start(app: &App, server: &Server, launch: &Start, tap: Tap) -> Result<Link, ApiError> {
    match launch {
        Start::Process(launch) => {
            // The name says enough here; the whole command is on the server's own page.
            let program = launch.binary.file_name().unwrap_or_default();
            tap.mark(format!("starting · {}", program.to_string_lossy())).await;
            match start_stdio(launch, &app.inner.supervisor, tap.clone()).await {
                Ok(link) => Ok(link),
                Err(error) => {
                    tap.mark(format!("could not be started: {error}")).await;
                    Err(explain::start(&server.spec, &server.folder, &error))
                }
            }
        }
        Start::Remote(remote) => {
            tap.mark(format!("connecting · {}", remote.shown)).await;
            // Files are read for it, and a file may be anything.
            let (remote, own) = (remote.clone(), tap.clone());
            match tokio::task::spawn_blocking(move || open_http(&remote, own)).await {
                Ok(Ok(link)) => Ok(link),
                Err(error) => Err(explain::unforeseen(&server.spec, &error)),
                Ok(Err(error)) => {
                    tap.mark(format!("could not be connected: {error}")).await;
                    Err(explain::http::open(&server.spec, &error))
                }
            }
        }
    }
}

/// How often a server has forgotten its session. One that forgets each of them at once is not asked for ever.
#[derive(Default)]
struct Sessions {
    lost: u32,
    begun: Option<Instant>,
}

impl Sessions {
    const MOST: u32 = 3;
    /// A session that lived this long was a good one.
    const LONG: Duration = Duration::from_secs(60);

    fn may_begin_another(&mut self) -> bool {
        let lived = self.begun.is_some_and(|begun| begun.elapsed() >= Self::LONG);
        self.lost = if lived { 1 } else { self.lost + 1 };
        self.begun = Some(Instant::now());
        self.lost <= Self::MOST
    }
}

const NOT_LISTED: &str = "not listed: the server was connected without negotiation";

/// How long the log may take to give a connection its number before a disconnect no longer waits for it.
const STUCK: Duration = Duration::from_secs(2);

async fn open_tap(app: &App, server: &Server) -> Result<Tap, ApiError> {
    let now = app.inner.clock.now().wall_ns;
    let recorder = app.inner.recorder.lock().await;
    let Some(recorder) = recorder.as_ref() else { return Err(explain::ending()) };
    let connection = recorder.open_connection(server.spec.id.as_str(), now).await;
    let connection = connection.map_err(|error| explain::storage(&error))?;
    server.standing().connection = Some(connection.0);
    Ok(Tap::new(connection, app.inner.clock, recorder.sink(), app.inner.in_flight.clone(), Arc::new(Verbatim)))
}

fn ending_of(error: ConnectError) -> Option<Ending> {
    match error {
        ConnectError::EndedEarly { ending, .. }
        | ConnectError::NoAnswer { ending, .. }
        | ConnectError::Refused { ending, .. }
        | ConnectError::Version { ending, .. }
        | ConnectError::Unclear { ending, .. } => Some(ending),
        ConnectError::Http { .. } | ConnectError::Call(_) => None,
    }
}
