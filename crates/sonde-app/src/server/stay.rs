//! Staying with a server: from a person's wish to have it until it is ended or given up, started again where it is to
//! be.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::launch::Start;
use super::retry::{Pace, Tries, Try};
use super::run::{End, Hope, Life, sessions};
use super::{Server, now_ms};
use crate::api::servers::{Retry, ServerState};
use crate::app::App;
use crate::explain;
use crate::posture::Posture;

/// Who looks after a server, from a person's wish to have it until it is wished or given up.
pub(super) struct Run {
    /// Another one may have taken over; then this one has no say any more.
    pub number: u64,
    /// Cancelled when nobody wants the server any more.
    pub closing: CancellationToken,
}

/// Starts the server and stays with it until nothing of it is left, and starts it again where it is to be.
pub(super) async fn look_after(app: App, server: Arc<Server>, mut launch: Start, mut posture: Posture, run: Run) {
    let mut tries = Tries::default();
    let mut attempt = None;
    loop {
        let mut life = Life { attempt, ready: None };
        let end = sessions(&app, &server, &launch, &posture, &run.closing, &mut life).await;
        let next = match &end {
            End::Stopped(_) | End::Failed(_, _, Hope::None) => None,
            _ if !server.spec.reconnect || run.closing.is_cancelled() => None,
            _ => tries.next(&app.inner.pace, life.ready.map(|ready| ready.elapsed())),
        };
        server.note_end(end, next, &app.inner.pace);
        app.inner.changes.server_changed();
        let Some(next) = next else { break };
        if !waited(&server, next.pause, &run.closing).await {
            break;
        }
        // As things stand by now: the program may be another one, or no longer be approved.
        let prepared = app.prepare(&server).await;
        {
            let mut standing = server.standing();
            if standing.run != run.number || run.closing.is_cancelled() {
                break;
            }
            match prepared {
                Ok(ready) => (launch, posture) = ready,
                Err(problem) => {
                    standing.retry = None;
                    standing.problem = Some(problem);
                    break;
                }
            }
            standing.restarts += 1;
            standing.begin(launch.first_phase());
        }
        attempt = Some(next.attempt);
        app.inner.changes.server_changed();
    }
    {
        let standing = server.standing();
        if standing.run != run.number {
            // Another one looks after it, unless nobody ever will.
            if standing.succession.retired {
                server.running.send_replace(false);
            }
            return;
        }
        server.running.send_replace(false);
    }
    app.inner.changes.server_changed();
}

/// Waits for the next try. False where nobody wants it any more.
async fn waited(server: &Server, pause: Duration, closing: &CancellationToken) -> bool {
    tokio::select! {
        biased;
        () = closing.cancelled() => false,
        () = tokio::time::sleep(pause) => true,
        () = server.again.notified() => true,
    }
}

impl Server {
    /// Writes down how a connection ended, and that another one follows where one does.
    fn note_end(&self, end: End, next: Option<Try>, pace: &Pace) {
        let mut standing = self.standing();
        standing.live = None;
        standing.pid = None;
        standing.catalog_revision += 1;
        let (problem, ending) = match (end, next) {
            (End::Stopped(ending), _) => (None, ending),
            // It ended in good order, and that is no failure unless it was to stay.
            (End::Left(ending), None) if !self.spec.reconnect => (None, Some(ending)),
            (End::Left(ending), _) => (Some(explain::lost(&self.spec, &ending)), Some(ending)),
            (End::Failed(problem, ending, _), _) => (Some(problem), ending),
        };
        standing.exit = ending.as_ref().and_then(|ending| ending.exit).map(|exit| exit.to_string());
        standing.stderr_tail = ending.map(|ending| ending.stderr_tail).unwrap_or_default();
        let Some(problem) = problem else {
            standing.enter(ServerState::Stopped);
            return;
        };
        // The message and the facts may quote the server; they are for the person, not for the journal.
        tracing::warn!(server = %self.spec.id, code = ?problem.code, title = %problem.title, "a server failed");
        standing.problem = Some(match (next, standing.restarts) {
            (None, 1..) => problem.fact("started again", format!("{} times, and no more", standing.restarts)),
            _ => problem,
        });
        standing.retry = next.map(|next| Retry {
            attempt: next.attempt,
            most: pace.most,
            at: now_ms().saturating_add(i64::try_from(next.pause.as_millis()).unwrap_or(i64::MAX)),
        });
        standing.enter(ServerState::Failed);
    }
}
