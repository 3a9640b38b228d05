//! One call, many times, with the figures of it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::api::calls::CallStatus;
use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::repeats::{Repeat, RepeatRequest, RepeatToolRequest};
use crate::app::App;
use crate::calls::{Ask, Begun, tool_params_of};

const MOST_TIMES: u32 = 100_000;
const MOST_AT_ONCE: u32 = 100;
/// Runs that are kept after they ended.
const KEPT: usize = 20;

#[derive(Default)]
pub(crate) struct Repeats {
    last: AtomicU64,
    runs: Mutex<BTreeMap<u64, Arc<Run>>>,
}

struct Run {
    id: u64,
    request: RepeatToolRequest,
    started: Instant,
    /// How many calls nobody has taken yet.
    left: AtomicU32,
    stopped: AtomicBool,
    tally: Mutex<Tally>,
}

#[derive(Default)]
struct Tally {
    /// Of every call that was answered, in milliseconds.
    times: Vec<f64>,
    tool_errors: u32,
    protocol_errors: u32,
    unanswered: u32,
    first_error: Option<ApiError>,
    took: Option<Duration>,
}

impl Run {
    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn told(&self) -> Repeat {
        let tally = self.tally();
        let mut times = tally.times.clone();
        times.sort_by(f64::total_cmp);
        Repeat {
            id: self.id,
            server: self.request.server.clone(),
            tool: self.request.tool.clone(),
            times: self.request.times,
            at_once: self.request.at_once,
            running: tally.took.is_none(),
            done: u32::try_from(times.len()).unwrap_or(u32::MAX).saturating_add(tally.unanswered),
            tool_errors: tally.tool_errors,
            protocol_errors: tally.protocol_errors,
            unanswered: tally.unanswered,
            elapsed_ms: tally.took.unwrap_or_else(|| self.started.elapsed()).as_secs_f64() * 1e3,
            shortest_ms: times.first().copied(),
            p50_ms: percentile(&times, 0.50),
            p95_ms: percentile(&times, 0.95),
            p99_ms: percentile(&times, 0.99),
            longest_ms: times.last().copied(),
            first_error: tally.first_error.clone(),
        }
    }

    fn take(&self) -> bool {
        let take = |left: u32| left.checked_sub(1);
        !self.stopped.load(Ordering::Relaxed)
            && self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }
}

/// The shortest time that this share of all calls did not exceed. The times are sorted.
pub fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

impl App {
    /// Begins; nobody waits for the end.
    pub(crate) async fn repeat_tool(&self, request: RepeatToolRequest) -> Result<Repeat, ApiError> {
        if !(1..=MOST_TIMES).contains(&request.times) || !(1..=MOST_AT_ONCE).contains(&request.at_once) {
            let message = format!("a call is repeated 1 to {MOST_TIMES} times, 1 to {MOST_AT_ONCE} at once");
            return Err(ApiError::new(ErrorCode::InvalidRequest, "Not repeated", message));
        }
        let pinned = self.check_pin(&request.server, &request.tool).await?;
        let ask = Ask {
            params: Some(tool_params_of(&request.tool, &request.arguments)?),
            anyway: true,
            validate: false,
            ..Ask::new(request.server.as_str(), "tools/call")
        };
        let run = Arc::new(Run {
            id: self.inner.repeats.last.fetch_add(1, Ordering::Relaxed) + 1,
            started: Instant::now(),
            left: AtomicU32::new(request.times),
            stopped: AtomicBool::new(false),
            tally: Mutex::default(),
            request,
        });
        {
            let mut runs = self.runs();
            runs.insert(run.id, run.clone());
            while runs.len() > KEPT {
                runs.pop_first().inspect(|(_, old)| old.stopped.store(true, Ordering::Relaxed));
            }
        }
        let (app, task) = (self.clone(), run.clone());
        tokio::spawn(async move {
            let mut workers = JoinSet::new();
            for _ in 0..task.request.at_once.min(task.request.times) {
                workers.spawn(work(app.clone(), task.clone(), ask.clone(), pinned.clone()));
            }
            while workers.join_next().await.is_some() {}
            task.tally().took = Some(task.started.elapsed());
            app.inner.changes.server_changed();
        });
        Ok(run.told())
    }

    pub(crate) async fn read_repeat(&self, request: RepeatRequest) -> Result<Repeat, ApiError> {
        self.run(request.repeat).map(|run| run.told())
    }

    /// What is under way still ends; nothing more is begun.
    pub(crate) async fn cancel_repeat(&self, request: RepeatRequest) -> Result<Nothing, ApiError> {
        self.run(request.repeat)?.stopped.store(true, Ordering::Relaxed);
        Ok(Nothing {})
    }

    fn runs(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Run>>> {
        self.inner.repeats.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, id: u64) -> Result<Arc<Run>, ApiError> {
        self.runs().get(&id).cloned().ok_or_else(|| {
            ApiError::new(ErrorCode::UnknownCall, "No such run", format!("run {id} is not known, or was long ago"))
        })
    }
}

/// Calls until none is left, or none can be sent.
async fn work(app: App, run: Arc<Run>, ask: Ask, pinned: Option<Vec<u8>>) {
    while run.take() {
        let ended = match begin(&app, &run, &ask, pinned.as_deref()).await {
            Ok(begun) => begun.end().await,
            Err(error) => Err(error),
        };
        let mut tally = run.tally();
        match ended {
            Ok(ended) => {
                tally.times.push(ended.elapsed.as_secs_f64() * 1e3);
                match ended.status {
                    CallStatus::ToolError => tally.tool_errors += 1,
                    CallStatus::ProtocolError => tally.protocol_errors += 1,
                    _ => {}
                }
                let error = ended.error;
                tally.first_error = tally.first_error.take().or(error);
            }
            Err(error) => {
                tally.unanswered += 1;
                // A connection that is gone answers none of the rest.
                if matches!(error.code, ErrorCode::ConnectionLost | ErrorCode::NotReady | ErrorCode::Pinned) {
                    run.stopped.store(true, Ordering::Relaxed);
                }
                tally.first_error = tally.first_error.take().or(Some(error));
            }
        }
    }
}

/// Begins a call, unless the tool is pinned and was changed meanwhile.
async fn begin(app: &App, run: &Run, ask: &Ask, pinned: Option<&[u8]>) -> Result<Begun, ApiError> {
    if let Some(pinned) = pinned {
        let shelf = app.server(&run.request.server)?.tools();
        let offered = shelf.as_ref().and_then(|shelf| shelf.named(&run.request.tool));
        if offered.is_none_or(|offered| offered.sha256 != pinned) {
            app.check_pin(&run.request.server, &run.request.tool).await?;
        }
    }
    app.begin(ask.clone()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let times: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&times, 0.50), Some(50.0));
        assert_eq!(percentile(&times, 0.99), Some(99.0));
        assert_eq!(percentile(&[7.0], 0.95), Some(7.0), "of one call each is that one");
        assert_eq!(percentile(&[], 0.5), None);
    }
}
