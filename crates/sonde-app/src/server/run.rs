//! One connection, from the process's start to its last byte.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sonde_client::{Catalog, Client, ConnectError, Ending, Gate};
use sonde_protocol::{ConnectionId, Record};
use sonde_store::Recorder;
use sonde_transport::{Exit, HttpFailure, Link, Peer, Tap, open_http, start_stdio};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::launch::Start;
use super::shelves::{KEPT, Shelves, keep_current};
use super::{Live, Server, is_gone};
use crate::api::error::ApiError;
use crate::api::servers::ServerState;
use crate::app::{App, Keeping};
use crate::explain;
use crate::posture::Posture;
use crate::questions;
use crate::subscriptions::{self, Subscriptions};

/// One connection after the other, as long as the server does nothing but forget them.
pub(super) async fn sessions(
    app: &App,
    server: &Arc<Server>,
    launch: &Start,
    posture: &Posture,
    closing: &CancellationToken,
    life: &mut Life,
) -> End {
    let mut sessions = Sessions::default();
    loop {
        match live(app, server, launch, posture.clone(), closing.child_token(), life).await {
            End::Failed(_, Some(Ending { loss: Some(HttpFailure::SessionLost), .. }), _)
                if sessions.may_begin_another() && !closing.is_cancelled() =>
            {
                let mut standing = server.standing();
                // A person may have had enough of it meanwhile.
                if standing.state == ServerState::Stopping {
                    return End::Stopped(None);
                }
                standing.live = None;
                standing.catalog_revision += 1;
                standing.enter(ServerState::Starting);
                standing.phase = Some("the server forgot the session: a new one is begun".to_owned());
            }
            end => return end,
        }
        app.inner.changes.server_changed();
    }
}

/// What is known of a connection beside its end.
pub(super) struct Life {
    /// Which of the tries in a row it is; none for the first, which a person began.
    pub attempt: Option<u32>,
    /// Since when it has been ready.
    pub ready: Option<Instant>,
}

pub(super) enum End {
    /// A person wanted it.
    Stopped(Option<Ending>),
    /// It ended by itself, in good order.
    Left(Ending),
    Failed(ApiError, Option<Ending>, Hope),
}

/// Whether the same may go better the next time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hope {
    Some,
    /// The server said clearly that it does not want us, or we that we do not want it.
    None,
}

async fn live(
    app: &App,
    server: &Arc<Server>,
    launch: &Start,
    posture: Posture,
    closing: CancellationToken,
    life: &mut Life,
) -> End {
    // A disk that refuses holds this up, so it must be possible to give up; a disk that works gets its mark.
    let given_up = async || {
        closing.cancelled().await;
        tokio::time::sleep(STUCK).await;
    };
    let tap = tokio::select! {
        tap = open_tap(app, server) => tap,
        () = given_up() => return End::Stopped(None),
    };
    let tap = match tap {
        Ok(tap) => tap,
        Err(problem) => return End::Failed(problem, None, Hope::Some),
    };
    if let Some(attempt) = life.attempt {
        tap.mark(format!("started again because it ended · try {attempt} of {}", app.inner.pace.most)).await;
    }
    let in_handshake = app.inner.rush.handshake();
    // A start that was begun is seen to its end, unless that hangs: a process that runs by now may have said something,
    // and whatever it said is recorded.
    let started = match closing.is_cancelled() {
        true => None,
        false => tokio::select! {
            started = start(app, server, launch, tap.clone()) => Some(started),
            () = given_up() => None,
        },
    };
    let link = match started {
        Some(Ok(link)) => link,
        Some(Err(problem)) => {
            tap.end().await;
            return End::Failed(problem, None, Hope::Some);
        }
        None => {
            tap.mark("cancelled before the process had started".to_owned()).await;
            tap.end().await;
            return End::Stopped(None);
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
            return End::Failed(explain::connect(&server.spec, &posture, &error), ending_of(error), Hope::Some);
        }
        Err(error) => {
            let hope = match error {
                ConnectError::Refused { .. } | ConnectError::Version { .. } => Hope::None,
                _ => Hope::Some,
            };
            return End::Failed(explain::connect(&server.spec, &posture, &error), ending_of(error), hope);
        }
    };
    drop(in_handshake);
    let mut shelves = Shelves::default();
    if server.spec.fail_if_no_tools
        && let Err(problem) = required_tools(server, &client, &mut shelves).await
    {
        client.close();
        let ending = client.ended().await;
        return match server.standing().state {
            ServerState::Stopping => End::Stopped(Some(ending)),
            _ => End::Failed(problem, Some(ending), Hope::Some),
        };
    }
    let doubt = Arc::new(Notify::new());
    let mut helpers = JoinSet::new();
    {
        let mut standing = server.standing();
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
        let doubt = doubt.clone();
        standing.notices.retain(|notice| notice != SILENT);
        standing.live = Some(Live {
            client: client.clone(),
            handshake,
            remote,
            posture,
            shelves,
            subscriptions: Subscriptions::default(),
            log_level: None,
            doubt,
        });
        standing.news_revision += 1;
        standing.told.clear();
        // A person may have asked to disconnect while the server answered.
        if standing.state == ServerState::Starting {
            standing.enter(ServerState::Ready);
        }
    }
    life.ready.get_or_insert_with(Instant::now);
    helpers.spawn(questions::follow(app.clone(), server.clone(), client.clone()));
    helpers.spawn(subscriptions::follow(app.clone(), server.clone(), client.clone()));
    app.inner.changes.server_changed();
    let dead = async {
        loop {
            let dead = client.until_dead(server.spec.ping, &doubt).await;
            // One that only says nothing may be busy: it is given up where somebody asked for that, and told of elsewhere.
            if server.spec.ping.is_some() || is_gone(&dead.last) {
                return dead;
            }
            tap.mark(format!("still connected · {SILENT}")).await;
            server.note(SILENT);
            app.inner.changes.server_changed();
        }
    };
    let (ending, dead) = tokio::select! {
        ending = client.ended() => (ending, None),
        dead = dead => {
            tap.mark(format!("given up · {dead}")).await;
            client.close();
            (client.ended().await, Some(dead))
        }
    };
    helpers.shutdown().await;
    app.forget_questions(&server.spec.id);
    match (ending, dead) {
        (ending, Some(dead)) if server.standing().state != ServerState::Stopping => {
            End::Failed(explain::life::dead(&server.spec, &dead), Some(ending), Hope::Some)
        }
        (ending @ Ending { by_us: true, .. }, _) => End::Stopped(Some(ending)),
        (ending @ Ending { exit: Some(Exit::Code(0)), .. }, _) => End::Left(ending),
        (ending, _) => End::Failed(explain::lost(&server.spec, &ending), Some(ending), Hope::Some),
    }
}

/// Lists the tools of a server that must have some, before anybody is told that it is ready.
async fn required_tools(server: &Server, client: &Client, shelves: &mut Shelves) -> Result<(), ApiError> {
    let listed = shelves.fetch(&server.spec, client, Catalog::Tools, Gate::Keep).await;
    let has_some = shelves.tools.as_ref().is_some_and(|shelf| !shelf.list.is_empty());
    match has_some {
        true => Ok(()),
        false => Err(explain::life::no_tools(&server.spec, listed.as_ref())),
    }
}

/// Starts the process, or gets ready to speak to the address.
pub(super) async fn start(app: &App, server: &Server, launch: &Start, tap: Tap) -> Result<Link, ApiError> {
    match launch {
        Start::Process(launch) => {
            // The name says enough here; the whole command is on the server's own page.
            let program = launch.binary.file_name().unwrap_or_default();
            tap.mark(format!("starting · {}", program.to_string_lossy())).await;
            let notices = server.standing().notices.clone();
            for notice in notices {
                tap.mark(notice).await;
            }
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

const SILENT: &str = "it answered neither a request nor two pings after it: it hangs, or is busy";

const NOT_LISTED: &str = "not listed: the server was connected without negotiation";

/// How long the log may take to give a connection its number, and the system to start a process, before a disconnect no
/// longer waits for it.
const STUCK: Duration = Duration::from_secs(2);

async fn open_tap(app: &App, server: &Server) -> Result<Tap, ApiError> {
    let (tap, connection) = tap_by(app, server, |sink| sink).await?;
    server.standing().connection = Some(connection.0);
    Ok(tap)
}

/// The tap of a new connection, and its number. `way` is where its records go; it must lead to the recorder.
pub(super) async fn tap_by(
    app: &App,
    server: &Server,
    way: impl FnOnce(mpsc::Sender<Record>) -> mpsc::Sender<Record>,
) -> Result<(Tap, ConnectionId), ApiError> {
    let now = app.inner.clock.now().wall_ns;
    // Not held while the disk works: others start meanwhile, and one transaction takes all of them.
    let entrance = app.inner.recorder.lock().await.as_ref().map(Recorder::entrance).ok_or_else(explain::ending)?;
    let connection = entrance.open_connection(server.spec.id.as_str(), now).await;
    let connection = connection.map_err(|error| explain::storage(&error))?;
    let sink = way(entrance.sink());
    let redactor = app.redactor(&server.spec.id);
    let tap = Tap::new(connection, app.inner.clock, sink, app.inner.in_flight.clone(), redactor);
    Ok((tap, connection))
}

pub(super) fn ending_of(error: ConnectError) -> Option<Ending> {
    match error {
        ConnectError::EndedEarly { ending, .. }
        | ConnectError::NoAnswer { ending, .. }
        | ConnectError::Refused { ending, .. }
        | ConnectError::Version { ending, .. }
        | ConnectError::Unclear { ending, .. } => Some(ending),
        ConnectError::Http { .. } | ConnectError::Call(_) => None,
    }
}
