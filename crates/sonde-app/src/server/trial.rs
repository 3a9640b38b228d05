//! A start for the sake of looking: the same way as any other, through the tap and into the log, but the server's
//! standing is left as it is.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sonde_client::{Ask, Catalog, Client, ConnectError, Ending, Handshake, Patience};
use sonde_protocol::{Channel, Direction, HttpExchange, Record};
use sonde_transport::{Document, Peer, documents};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::launch::{AllowedStart, Start};
use super::run::{ending_of, start, tap_by};
use super::shelves::KEPT;
use super::{Server, ServerState};
use crate::api::error::ApiError;
use crate::app::App;
use crate::explain;
use crate::posture::Posture;
use crate::questions;

/// How long one list, or the answer to a ping, may take.
const LONGEST_ANSWER: Duration = Duration::from_secs(10);
/// How long the recorder may take for what was seen last.
const LONGEST_NOTE: Duration = Duration::from_secs(2);
/// Bytes of an answer by HTTP that are shown.
const FIRST_BYTES: usize = 300;
/// Exchanges by HTTP that are kept.
const MOST_EXCHANGES: usize = 20;

/// What came of it.
#[derive(Default)]
pub(crate) struct Trial {
    /// What starting the process took. None where none was started.
    pub started: Option<Duration>,
    pub pid: Option<u32>,
    /// From there to the first byte on stdout.
    pub first_byte: Option<Duration>,
    /// From there to the first line on stderr.
    pub first_complaint: Option<Duration>,
    pub handshake: Option<Handshake>,
    pub lists: Vec<TriedList>,
    /// How it ended, and what its end took.
    pub ending: Option<Ending>,
    pub ended: Option<Duration>,
    /// Why it did not become ready.
    pub problem: Option<ApiError>,
    /// What passed by HTTP, in its order.
    pub exchanges: Vec<HttpExchange>,
    /// The beginning of the first answer that came by HTTP.
    pub first_answer: Option<String>,
}

pub(crate) struct TriedList {
    pub catalog: Catalog,
    pub took: Duration,
    /// How many there are, or why that is not known.
    pub outcome: Result<usize, String>,
}

impl App {
    /// How it would be spoken to.
    pub(crate) fn posture_to_try(&self, server: &Server) -> Result<Posture, ApiError> {
        self.posture(server)
    }

    /// How the server would be reached now, if that is allowed.
    pub(crate) async fn launch_to_try(
        &self,
        server: &Arc<Server>,
        posture: &Posture,
    ) -> Result<AllowedStart, ApiError> {
        self.allowed_launch(server, posture).await
    }

    /// Starts the server, makes it ready, asks for its lists and ends it.
    pub(crate) async fn try_out(&self, server: &Arc<Server>, launch: &Start, posture: &Posture) -> Trial {
        let mut trial = Trial::default();
        let watch = Watch::default();
        let mut forwarding = None;
        let tap = tap_by(self, server, |sink| {
            let (way, task) = watch.clone().on_the_way_to(sink);
            forwarding = Some(task);
            way
        });
        let tap = match tap.await {
            Ok((tap, _)) => tap,
            Err(problem) => return Trial { problem: Some(problem), ..trial },
        };
        tap.mark("tried out by the launch doctor".to_owned()).await;
        let begun = Instant::now();
        match start(self, server, launch, tap.clone()).await {
            Ok(link) => {
                if let Peer::Process(process) = &link.peer {
                    trial.started = Some(begun.elapsed());
                    trial.pid = Some(process.pid);
                }
                let running = self.inner.clock.now().monotonic_ns;
                self.converse(server, link, posture, &mut trial).await;
                let since = |at: u64| Duration::from_nanos(at.saturating_sub(running));
                let seen = watch.seen();
                trial.first_byte = seen.first_byte.map(since);
                trial.first_complaint = seen.first_complaint.map(since);
            }
            Err(problem) => {
                tap.end().await;
                trial.problem = Some(problem);
            }
        }
        drop(tap);
        if let Some(task) = forwarding {
            // What is still on its way may be what is looked for.
            tokio::time::timeout(LONGEST_NOTE, task).await.ok();
        }
        let seen = watch.take();
        trial.exchanges = seen.exchanges.into_values().collect();
        trial.first_answer = seen.first_answer;
        trial
    }

    async fn converse(&self, server: &Arc<Server>, link: sonde_transport::Link, posture: &Posture, trial: &mut Trial) {
        let closing = CancellationToken::new();
        // Whoever has had enough drops this, and then the server must not stay.
        let _guard = closing.clone().drop_guard();
        let client = match Client::connect(link, &posture.options(), closing).await {
            Ok((client, handshake)) => {
                trial.handshake = Some(handshake);
                client
            }
            Err(ConnectError::EndedEarly { mut ending, strays }) => {
                // The client ends a connection that fails; here nobody else could have.
                ending.by_us = false;
                let error = ConnectError::EndedEarly { ending, strays };
                trial.problem = Some(explain::connect(&server.spec, posture, &error));
                trial.ending = ending_of(error);
                return;
            }
            Err(error) => {
                trial.problem = Some(explain::connect(&server.spec, posture, &error));
                trial.ending = ending_of(error);
                return;
            }
        };
        let mut helpers = JoinSet::new();
        helpers.spawn(questions::follow(self.clone(), server.clone(), client.clone()));
        for catalog in KEPT {
            if client.objection(catalog.method()).is_some() {
                continue;
            }
            let begun = Instant::now();
            let listing = tokio::time::timeout(LONGEST_ANSWER, client.list(catalog)).await;
            let outcome = match listing {
                Ok(Ok(listing)) => listing.problem.map_or(Ok(listing.entries.len()), Err),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_elapsed) => Err(format!("no answer within {} s", LONGEST_ANSWER.as_secs())),
            };
            trial.lists.push(TriedList { catalog, took: begun.elapsed(), outcome });
        }
        helpers.shutdown().await;
        if !matches!(server.standing().state, ServerState::Starting | ServerState::Ready) {
            self.forget_questions(&server.spec.id);
        }
        let begun = Instant::now();
        client.close();
        trial.ending = Some(client.ended().await);
        trial.ended = Some(begun.elapsed());
    }

    /// Asks a connected server for a sign of life. None where it is not connected.
    pub(crate) async fn knock(&self, server: &Server) -> Option<(Duration, Result<(), ApiError>)> {
        let client = server.standing().live.as_ref().map(|live| live.client.clone())?;
        let begun = Instant::now();
        let patience = Some(Patience { silence: None, limit: LONGEST_ANSWER });
        let answered = match client.ask(Ask { patience, ..Ask::new("ping") }).await {
            Ok(call) => call.end().await.map(|_any_answer| ()),
            Err(error) => Err(error),
        };
        Some((begun.elapsed(), answered.map_err(|error| explain::call(&server.spec, &error))))
    }

    /// What the origin of a server at an address publishes at these paths.
    pub(crate) async fn published(
        &self,
        server: &Server,
        launch: &Start,
        paths: &[String],
    ) -> Result<Vec<Document>, ApiError> {
        let Start::Remote(remote) = launch else { return Ok(Vec::new()) };
        let (tap, _) = tap_by(self, server, |sink| sink).await?;
        tap.mark("well-known documents are asked for by the launch doctor".to_owned()).await;
        let documents = documents(remote, paths, tap.clone()).await;
        tap.end().await;
        documents.map_err(|error| explain::http::open(&server.spec, &error))
    }
}

/// Sees what passes on its way to the recorder.
#[derive(Clone, Default)]
struct Watch(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Seen {
    first_byte: Option<u64>,
    first_complaint: Option<u64>,
    exchanges: BTreeMap<u32, HttpExchange>,
    first_answer: Option<String>,
}

impl Watch {
    /// A queue as long as the recorder's, whose records go on to it. The task ends with the last sender.
    fn on_the_way_to(self, recorder: mpsc::Sender<Record>) -> (mpsc::Sender<Record>, JoinHandle<()>) {
        let (way, mut records) = mpsc::channel(recorder.max_capacity());
        let task = tokio::spawn(async move {
            while let Some(record) = records.recv().await {
                self.note(&record);
                if recorder.send(record).await.is_err() {
                    tracing::error!("the recorder is gone: a record was not written");
                }
            }
        });
        (way, task)
    }

    fn note(&self, record: &Record) {
        let mut seen = self.seen();
        match record {
            Record::Frame(frame) if frame.direction == Direction::In => {
                let at = frame.stamp.monotonic_ns;
                match frame.channel {
                    Channel::Message => {
                        seen.first_byte.get_or_insert(at);
                        if frame.http.is_some() && seen.first_answer.is_none() {
                            let bytes = frame.body.bytes.get(..FIRST_BYTES).unwrap_or(&frame.body.bytes);
                            seen.first_answer = Some(String::from_utf8_lossy(bytes).into_owned());
                        }
                    }
                    Channel::Stderr => {
                        seen.first_complaint.get_or_insert(at);
                    }
                    _ => {}
                }
            }
            Record::Http(exchange) => {
                let is_known = seen.exchanges.contains_key(&exchange.number);
                if is_known || seen.exchanges.len() < MOST_EXCHANGES {
                    seen.exchanges.insert(exchange.number, (**exchange).clone());
                }
            }
            _ => {}
        }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Seen {
        std::mem::take(&mut *self.seen())
    }
}
