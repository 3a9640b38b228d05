//! `sonde load`

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use sonde_app::{Answer, ApiError, Ask, CallStatus, Catalog, Ended, ErrorCode, Gate, Progress, percentile};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::{call, pick};
use crate::arguments::{Format, Load, Object, Place};
use crate::console::{Console, Surface};
use crate::failure::{Exit, Failure, exit_after_ready};
use crate::output::json::JsonText;
use crate::progress::Shown;
use crate::session::{self, Session};

pub async fn run(place: &Place, load: Load, console: &Arc<Console>) -> Result<Exit, Failure> {
    let (server, tool) = pick::dotted(&load.target, &load.words, "tool")?;
    let params = call::params(&tool, &load.given)?;
    let meta = Object::text_of(&load.given.meta)?;
    session::run(place, Some(&load.target), console, async |session| {
        let id = server.id(&session.app)?;
        session.ready(&id).await?;
        if !load.yes && !is_read_only(session, &id, &tool).await? {
            confirm(session, &tool, load.count).await?;
        }
        let mut ask = Ask::new(&id, "tools/call");
        ask.params = Some(params);
        ask.meta = meta;
        ask.anyway = load.anyway;
        ask.validate = !load.no_validate;
        let run = measure(session, ask, load.count, load.concurrency).await?;
        match console.format {
            Format::Json => console.print_line(&run.as_json())?,
            Format::Text => console.print(&run.as_text(console.out))?,
        }
        Ok(run.exit())
    })
    .await
}

/// Whether the tool says of itself that it changes nothing. A tool that is not listed has not said so.
async fn is_read_only(session: &Session, server: &str, tool: &str) -> Result<bool, Failure> {
    let listing = session.app.list(server, Catalog::Tools, Gate::Open).await.map_err(Failure::after_ready)?;
    let entries = listing.entries.iter().filter_map(|entry| serde_json::from_str::<Value>(entry.get()).ok());
    let of_that_name: Vec<Value> = entries.filter(|entry| entry["name"] == tool).collect();
    let says_so = |entry: &Value| entry["annotations"]["readOnlyHint"] == true;
    Ok(!of_that_name.is_empty() && of_that_name.iter().all(says_so))
}

async fn confirm(session: &Session, tool: &str, count: u32) -> Result<(), Failure> {
    let console = &session.console;
    let tool = console.err.line(tool).into_owned();
    let what = format!("`{tool}` does not say that it is read-only");
    if !console.can_ask() {
        return Err(Failure::usage(what).hint("add --yes to call it all the same"));
    }
    console.say(&format!("sonde: {what}, and would be called {count} times"));
    let typed = session.terminal.line(console, "Call it? Type yes: ").await;
    match typed.as_deref().map(str::trim) {
        Some("yes") => Ok(()),
        _ => Err(Failure::usage(format!("`{tool}` was not called"))),
    }
}

/// What many calls came to.
struct Run {
    concurrency: u32,
    took: Duration,
    /// Of every call that was answered, in milliseconds, shortest first.
    times: Vec<f64>,
    /// How many calls failed, by how.
    errors: BTreeMap<String, u64>,
    gravest: Exit,
    /// What the first failure said.
    first: Option<ApiError>,
}

#[derive(Default)]
struct Share {
    times: Vec<f64>,
    failures: Vec<(String, Exit)>,
    first: Option<ApiError>,
}

/// What the workers share.
struct Work {
    session: Session,
    ask: Ask,
    count: u32,
    /// How many calls nobody has taken yet.
    left: AtomicU32,
    done: watch::Sender<Option<Progress>>,
}

async fn measure(session: &Session, ask: Ask, count: u32, concurrency: u32) -> Result<Run, Failure> {
    let (done, progress) = watch::channel(None);
    let work = Arc::new(Work { session: session.clone(), ask, count, left: AtomicU32::new(count), done });
    let showing = Shown::start(&session.console, "load", progress);
    let started = Instant::now();
    let mut workers = JoinSet::new();
    for _ in 0..concurrency.min(count) {
        let work = work.clone();
        workers.spawn(async move { work.share().await });
    }
    let mut run = Run {
        concurrency,
        took: Duration::ZERO,
        times: Vec::new(),
        errors: BTreeMap::new(),
        gravest: Exit::Ok,
        first: None,
    };
    while let Some(share) = workers.join_next().await {
        let Ok(share) = share else { continue };
        let share = share?;
        run.times.extend(share.times);
        run.first = run.first.or(share.first);
        for (how, exit) in share.failures {
            *run.errors.entry(how).or_default() += 1;
            run.gravest = run.gravest.max(exit);
        }
    }
    run.took = started.elapsed();
    drop(showing);
    run.times.sort_by(f64::total_cmp);
    Ok(run)
}

impl Work {
    /// Calls until none is left. What can't even be sent ends it.
    async fn share(&self) -> Result<Share, Failure> {
        let mut share = Share::default();
        while let Some(number) = self.take() {
            let begun = self.session.app.begin(self.ask.clone()).await;
            let begun = begun.map_err(|error| call::explain_arguments(Failure::after_ready(error)))?;
            let ended = self.session.end_silently(begun).await;
            let (progress, total) = (f64::from(number), Some(f64::from(self.count)));
            self.done.send_replace(Some(Progress { progress, total, message: None }));
            match ended {
                Ok(ended) => share.add(ended),
                Err(error) => {
                    share.failures.push((how(error.code).to_owned(), exit_after_ready(error.code)));
                    // A connection that is gone answers none of the rest.
                    let is_over = matches!(error.code, ErrorCode::ConnectionLost | ErrorCode::NotReady);
                    share.first = share.first.or(Some(error));
                    if is_over {
                        break;
                    }
                }
            }
        }
        Ok(share)
    }

    /// The number of the next call, from one; none when all are taken or nobody wants them any more.
    fn take(&self) -> Option<u32> {
        if self.session.is_interrupted() {
            return None;
        }
        let take = |left: u32| left.checked_sub(1);
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(self.count - left + 1)
    }
}

impl Share {
    fn add(&mut self, ended: Ended) {
        self.times.push(ended.elapsed.as_secs_f64() * 1e3);
        match (&ended.answer, ended.status) {
            (Answer::Error { code, .. }, _) => {
                let code = code.map_or_else(|| "without a code".to_owned(), |code| code.to_string());
                self.failures.push((format!("error {code}"), Exit::Failed));
                self.first = self.first.take().or(ended.error);
            }
            (_, CallStatus::ToolError) => self.failures.push(("tool error".to_owned(), Exit::ToolError)),
            _ => {}
        }
    }
}

fn how(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::Timeout => "timed out",
        ErrorCode::ConnectionLost => "lost",
        ErrorCode::Cancelled => "cancelled",
        ErrorCode::Busy => "not read",
        _ => "failed",
    }
}

impl Run {
    fn exit(&self) -> Exit {
        self.gravest
    }

    fn per_second(&self) -> f64 {
        self.times.len() as f64 / self.took.as_secs_f64().max(1e-9)
    }

    fn as_text(&self, surface: Surface) -> String {
        let ms = |share: f64| percentile(&self.times, share).map_or("-".to_owned(), |ms| format!("{ms:.3} ms"));
        let errors: u64 = self.errors.values().sum();
        let mut lines = vec![
            ("calls", self.times.len().to_string()),
            ("at once", self.concurrency.to_string()),
            ("took", format!("{:.3} s", self.took.as_secs_f64())),
            ("calls/s", format!("{:.1}", self.per_second())),
            ("p50", ms(0.50)),
            ("p95", ms(0.95)),
            ("p99", ms(0.99)),
            ("errors", errors.to_string()),
        ];
        let told: Vec<String> = self.errors.iter().map(|(how, count)| format!("{count} {how}")).collect();
        if !told.is_empty() {
            lines.push(("", told.join(", ")));
        }
        if let Some(first) = &self.first {
            lines.push(("the first", surface.line(&first.message).into_owned()));
        }
        lines.iter().map(|(name, value)| format!("{}{value}\n", surface.dim(&format!("{name:<11}")))).collect()
    }

    fn as_json(&self) -> String {
        let errors: u64 = self.errors.values().sum();
        let mut json = JsonText::object();
        json.value("calls", &self.times.len())
            .value("concurrency", &self.concurrency)
            .value("seconds", &self.took.as_secs_f64())
            .value("calls_per_second", &self.per_second())
            .value("p50_ms", &percentile(&self.times, 0.50))
            .value("p95_ms", &percentile(&self.times, 0.95))
            .value("p99_ms", &percentile(&self.times, 0.99))
            .value("errors", &errors)
            .value("errors_by_kind", &self.errors)
            .value("first_error", &self.first);
        json.finish()
    }
}
