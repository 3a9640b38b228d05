//! How long each part of an exchange takes, seen from inside the library that makes it.
//!
//! The library looks names up, connects and shakes hands within the task that sends the request, so a stopwatch of the
//! task finds them. A connection that was open already shows none of the three.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use sonde_protocol::HttpPhases;
use tower_layer::Layer;
use tower_service::Service;

tokio::task_local! {
    static STOPWATCH: Arc<Stopwatch>;
}

/// Runs `exchange` with a stopwatch.
pub(super) async fn timed<T>(watch: &Arc<Stopwatch>, exchange: impl Future<Output = T>) -> T {
    STOPWATCH.scope(watch.clone(), exchange).await
}

/// A handshake begins in this task.
pub(super) fn handshake_begins() {
    running(|times| times.handshake = Some(Instant::now()));
}

fn running(note: impl FnOnce(&mut Times)) {
    // Outside of an exchange nobody measures.
    STOPWATCH.try_with(|watch| note(&mut watch.times())).ok();
}

/// The moments of one exchange.
#[derive(Debug)]
pub(super) struct Stopwatch {
    begun: Instant,
    times: Mutex<Times>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Times {
    looked_up: Option<(Instant, Instant)>,
    connecting: Option<Instant>,
    handshake: Option<Instant>,
    connected: Option<Instant>,
    head: Option<Instant>,
    end: Option<Instant>,
}

impl Stopwatch {
    pub fn start() -> Arc<Self> {
        Arc::new(Stopwatch { begun: Instant::now(), times: Mutex::default() })
    }

    /// A name was looked up from then until now.
    pub fn looked_up(&self, begun: Instant) {
        self.times().looked_up = Some((begun, Instant::now()));
    }

    pub fn connects(&self) {
        self.times().connecting = Some(Instant::now());
    }

    pub fn connected(&self) {
        self.times().connected = Some(Instant::now());
    }

    pub fn head_came(&self) {
        self.times().head = Some(Instant::now());
    }

    pub fn ended(&self) {
        self.times().end = Some(Instant::now());
    }

    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Whether a connection was being made when this is asked.
    pub fn is_connecting(&self) -> bool {
        let times = self.times();
        times.connecting.is_some() && times.connected.is_none() && times.head.is_none()
    }

    pub fn phases(&self) -> HttpPhases {
        let times = *self.times();
        let span = |from: Option<Instant>, to: Option<Instant>| Some(nanoseconds(to?.saturating_duration_since(from?)));
        // An answer without a connection of its own came by one that was free again before ours was made.
        let borrowed = times.head.is_some() && times.connected.is_none();
        let times = if borrowed { Times { looked_up: None, handshake: None, ..times } } else { times };
        let addressed = times.looked_up.map(|(_, end)| end).or(times.connecting);
        HttpPhases {
            dns: times.looked_up.and_then(|(from, to)| span(Some(from), Some(to))),
            connect: span(addressed, times.handshake.or(times.connected)),
            tls: span(times.handshake, times.connected),
            first_byte: span(times.connected.or(Some(self.begun)), times.head),
            body: span(times.head, times.end),
        }
    }

    fn times(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Looks names up as the system does, and takes the time.
#[derive(Debug)]
pub(super) struct TimedResolver;

impl Resolve for TimedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let begun = Instant::now();
            let found = tokio::net::lookup_host((name.as_str(), 0)).await;
            running(|times| times.looked_up = Some((begun, Instant::now())));
            let addresses: Vec<_> = found.map_err(|error| Unresolved(error.to_string()))?.collect();
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// The look-up failed; found again in the library's error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unresolved(pub String);

/// Takes the time of making a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimedConnect;

impl<S> Layer<S> for TimedConnect {
    type Service = TimedConnector<S>;

    fn layer(&self, inner: S) -> Self::Service {
        TimedConnector(inner)
    }
}

#[derive(Debug, Clone)]
pub(super) struct TimedConnector<S>(S);

impl<S, Request> Service<Request> for TimedConnector<S>
where
    S: Service<Request>,
    S::Future: Send + 'static,
    S::Response: 'static,
    S::Error: 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let connect = self.0.call(request);
        Box::pin(async move {
            running(|times| times.connecting = Some(Instant::now()));
            let connected = connect.await;
            running(|times| times.connected = connected.is_ok().then(Instant::now));
            connected
        })
    }
}
