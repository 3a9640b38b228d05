//! Plain connections to this machine, each driven by whoever uses it.
//!
//! The library has a task for every connection: a request wakes it, and it wakes back with the answer, each time across
//! cores. Between two programs of one machine that takes longer than the exchange itself. Here the connection is polled
//! within the task that waits for its answer. What is spoken on it is written and read by the same code as there.

use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, response};
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::client::conn::{TrySendError, http1};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use url::{Host, Position, Url};

use super::failure::HttpFailure;
use super::phases::Stopwatch;
use super::remote::{Proxying, Remote};
use super::trouble;
use super::wire::Asking;

/// Connections that are kept open for the next request, and for how long.
const IDLE_CONNECTIONS: usize = 16;
const LONGEST_IDLE: Duration = Duration::from_secs(90);

/// The connections to one server.
#[derive(Debug)]
pub(super) struct Direct {
    host: String,
    port: u16,
    connect_limit: Duration,
    settings: http1::Builder,
    idle: Arc<Pool>,
}

/// Those that nobody uses, the newest last.
#[derive(Debug, Default)]
struct Pool(Mutex<Vec<(Instant, Box<Line>)>>);

/// A connection with both of its ends: where requests are put, and what writes and reads.
#[derive(Debug)]
struct Line {
    requests: http1::SendRequest<Full<Bytes>>,
    /// None once it has ended. It is gone then, for whatever is still put to it would wait for ever.
    works: Option<http1::Connection<TokioIo<TcpStream>, Full<Bytes>>>,
}

/// An answer whose body is still on its way.
#[derive(Debug)]
pub(super) struct Response {
    pub head: response::Parts,
    body: Incoming,
    /// None once the connection is free again.
    line: Option<Box<Line>>,
    idle: Arc<Pool>,
}

impl Direct {
    /// None where the server is elsewhere, where the connection is encrypted, or where a proxy may stand between.
    pub fn to(remote: &Remote) -> Option<Self> {
        let straight = match &remote.proxy {
            Proxying::None => true,
            // Elsewhere the system has settings of its own.
            Proxying::System => cfg!(target_os = "linux") && !trouble::names_proxy(),
            Proxying::By(_) => false,
        };
        if !straight || remote.url.scheme() != "http" || !is_loopback(&remote.url) {
            return None;
        }
        let mut settings = http1::Builder::new();
        // As many as it takes by itself are taken without an allocation.
        if remote.limits.header_count != 100 {
            settings.max_headers(remote.limits.header_count);
        }
        Some(Direct {
            host: remote.url.host_str()?.trim_matches(['[', ']']).to_owned(),
            port: remote.url.port_or_known_default()?,
            connect_limit: remote.limits.connect,
            settings,
            idle: Arc::default(),
        })
    }

    /// Makes a request and gives the head of its answer.
    pub async fn ask(&self, request: Request<Full<Bytes>>, watch: &Stopwatch) -> Result<Response, HttpFailure> {
        let mut request = request;
        // The server may have closed what is idle; what it can't have heard of is sent again on another.
        while let Some(line) = self.idle.take() {
            match line.ask(request, &self.idle).await {
                Ok(response) => return Ok(response),
                Err(mut unanswered) => match unanswered.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(trouble::explain_plain(unanswered.error(), watch)),
                },
            }
        }
        let line = Box::pin(self.connect(watch)).await?;
        line.ask(request, &self.idle).await.map_err(|unanswered| trouble::explain_plain(unanswered.error(), watch))
    }

    async fn connect(&self, watch: &Stopwatch) -> Result<Box<Line>, HttpFailure> {
        let address = || format!("{}:{}", self.host, self.port);
        let connected = tokio::time::timeout(self.connect_limit, self.reach(watch)).await;
        let limit = self.connect_limit;
        let stream = connected.map_err(|_| HttpFailure::ConnectTimeout { address: address(), limit })??;
        let unconnected = |problem: String| HttpFailure::Unconnected { address: address(), problem };
        stream.set_nodelay(true).map_err(|error| unconnected(error.to_string()))?;
        let made = self.settings.handshake(TokioIo::new(stream)).await;
        let (requests, works) = made.map_err(|error| unconnected(trouble::chain(&error)))?;
        Ok(Box::new(Line { requests, works: Some(works) }))
    }

    /// Tries one address of the host after the other.
    async fn reach(&self, watch: &Stopwatch) -> Result<TcpStream, HttpFailure> {
        let addresses: Vec<SocketAddr> = match self.host.parse() {
            Ok(address) => vec![SocketAddr::new(address, self.port)],
            Err(_name) => {
                let begun = Instant::now();
                let found = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
                watch.looked_up(begun);
                let problem = |error: std::io::Error| error.to_string();
                found
                    .map_err(|error| HttpFailure::Unresolved { host: self.host.clone(), problem: problem(error) })?
                    .collect()
            }
        };
        watch.connects();
        let mut problem = "the name has no address".to_owned();
        for address in addresses {
            match TcpStream::connect(address).await {
                Ok(stream) => {
                    watch.connected();
                    return Ok(stream);
                }
                Err(error) => problem = error.to_string(),
            }
        }
        Err(HttpFailure::Unconnected { address: format!("{}:{}", self.host, self.port), problem })
    }
}

/// The same request as it stands on the wire.
pub(super) fn written(asking: &Asking, headers: http::HeaderMap) -> Result<Request<Full<Bytes>>, http::Error> {
    let path = &asking.url[Position::BeforePath..Position::AfterQuery];
    let mut request = Request::new(Full::new(asking.body.clone().unwrap_or_default()));
    *request.method_mut() = asking.method.clone();
    *request.uri_mut() = path.parse()?;
    *request.headers_mut() = headers;
    Ok(request)
}

impl Line {
    async fn ask(
        mut self: Box<Self>,
        request: Request<Full<Bytes>>,
        idle: &Arc<Pool>,
    ) -> Result<Response, TrySendError<Request<Full<Bytes>>>> {
        let mut answered = pin!(self.requests.try_send_request(request));
        let response = std::future::poll_fn(|context| {
            self.work(context);
            answered.as_mut().poll(context)
        });
        let (head, body) = response.await?.into_parts();
        Ok(Response { head, body, line: Some(self), idle: idle.clone() })
    }

    /// Writes what is to be written and reads what is there.
    fn work(&mut self, context: &mut Context<'_>) {
        // How it ended is told to whoever waits for the answer.
        if self.works.as_mut().is_some_and(|works| Pin::new(works).poll(context).is_ready()) {
            self.works = None;
        }
    }

    fn is_free(&self) -> bool {
        self.works.is_some() && self.requests.is_ready()
    }
}

impl Response {
    /// The next part of the body; None at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, BrokenOff> {
        std::future::poll_fn(|context| self.poll_chunk(context)).await
    }

    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, BrokenOff>> {
        let mut worked = false;
        loop {
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => {
                    // What is no data stands behind all of it, and says nothing to us.
                    if let Ok(data) = frame.into_data() {
                        return Poll::Ready(Ok(Some(data)));
                    }
                }
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(BrokenOff(error))),
                Poll::Ready(None) => {
                    // They lie in the room that the connection reads into, and it would take new room because of them.
                    self.head.headers = http::HeaderMap::new();
                    self.release(context);
                    return Poll::Ready(Ok(None));
                }
                Poll::Pending if worked => return Poll::Pending,
                Poll::Pending => {
                    worked = true;
                    self.line.iter_mut().for_each(|line| line.work(context));
                }
            }
        }
    }

    /// The connection may be used again, if both sides think so.
    fn release(&mut self, context: &mut Context<'_>) {
        let Some(mut line) = self.line.take() else { return };
        if !line.is_free() {
            line.work(context);
        }
        if line.is_free() {
            self.idle.keep(line);
        }
    }
}

/// Why a body did not come to its end.
#[derive(Debug, thiserror::Error)]
#[error("the body broke off")]
pub(super) struct BrokenOff(#[source] hyper::Error);

impl Pool {
    fn take(&self) -> Option<Box<Line>> {
        let mut idle = self.idle();
        match idle.pop() {
            Some((since, line)) if since.elapsed() < LONGEST_IDLE => Some(line),
            // All the others are older.
            _ => {
                idle.clear();
                None
            }
        }
    }

    fn keep(&self, line: Box<Line>) {
        let mut idle = self.idle();
        if idle.len() == IDLE_CONNECTIONS {
            idle.remove(0);
        }
        idle.push((Instant::now(), line));
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(Instant, Box<Line>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}
