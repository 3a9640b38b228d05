//! The demo over HTTP: hyper reads the requests, rmcp keeps the sessions and their streams.
//!
//! What differs from standard streams stands here: who may ask (`admission.rs`), the dialect on the way in, and the
//! stream of each answer on the way out (`events.rs`, `listeners.rs`, `kept.rs`). One session is one [`DemoServer`], so sessions share nothing.

mod admission;
mod events;
mod kept;
mod listeners;

use std::{
    convert::Infallible,
    io::{self, Write},
    net::Ipv4Addr,
    pin::pin,
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited, combinators::BoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use serde_json::json;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use self::{
    events::{Events, Greets},
    kept::Kept,
    listeners::Listeners,
};
use crate::{DRAIN, dialect, output::Output, scale::Scale, server::DemoServer};

/// The one path; everything else is 404.
const PATH: &str = "/mcp";
/// As many connections as are served at once; the next ones wait to be accepted.
const MOST_CONNECTIONS: usize = 256;
const LONGEST_BODY: usize = 4 * 1024 * 1024;
/// An hour, because a person who reads a log sends nothing meanwhile, and a session that ends under them is a riddle.
const IDLE_SESSION: Duration = Duration::from_secs(3600);

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// What the requests of all connections share.
struct House {
    sessions: StreamableHttpService<DemoServer, LocalSessionManager>,
    listeners: Listeners,
    kept: Kept,
}

/// Serves MCP over Streamable HTTP on `port` of 127.0.0.1 (0: any free one) until SIGINT or SIGTERM. The first line on
/// standard output is `listening on http://127.0.0.1:PORT/mcp`; standard input is not read.
///
/// Needs a Tokio runtime with I/O and time enabled.
///
/// # Errors
///
/// Fails when the port can't be listened on, or when nobody reads the first line.
pub async fn serve_http(port: u16, scale: Scale) -> anyhow::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .with_context(|| format!("port {port} of 127.0.0.1 can't be listened on"))?;
    let mut ended = pin!(end_of_life().context("signals can't be waited for")?);
    announce(listener.local_addr()?.port()).context("standard output failed")?;

    let ending = CancellationToken::new();
    let house = Arc::new(House::new(ending.clone(), scale));
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let place = tokio::select! {
            () = &mut ended => break,
            place = room.clone().acquire_owned() => place?,
        };
        let accepted = tokio::select! {
            () = &mut ended => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        // A connection that was gone before it was accepted is nobody's loss.
        let Ok((stream, _)) = accepted else { continue };
        let (house, ending) = (house.clone(), ending.clone());
        connections.spawn(async move {
            serve(stream, house, ending).await;
            drop(place);
        });
    }
    ending.cancel();
    let all = async { while connections.join_next().await.is_some() {} };
    // A client that does not read its last answer must not keep this process alive.
    tokio::time::timeout(DRAIN, all).await.unwrap_or_default();
    Ok(())
}

fn announce(port: u16) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "listening on http://127.0.0.1:{port}{PATH}")?;
    stdout.flush()
}

/// Ready when the process is told to end; takes effect at once, so that no signal is missed.
fn end_of_life() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut term, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        Ok(async move {
            tokio::select! {
                _ = term.recv() => {}
                _ = interrupt.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async { tokio::signal::ctrl_c().await.unwrap_or_default() })
}

impl House {
    fn new(ending: CancellationToken, scale: Scale) -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(IDLE_SESSION);
        // Host and Origin were looked at before. rmcp's own first event would have the same id on every stream; the
        // sessions number theirs.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_sse_retry(None)
            .with_cancellation_token(ending);
        let sessions = StreamableHttpService::new(move || Ok(DemoServer::new(None, scale)), Arc::new(manager), config);
        Self { sessions, listeners: Listeners::default(), kept: Kept::default() }
    }
}

async fn serve(stream: TcpStream, house: Arc<House>, ending: CancellationToken) {
    // An event is small and somebody waits for it; a system that can't do this serves all the same.
    stream.set_nodelay(true).unwrap_or_default();
    // Events are small and written apart; held back, each would cost the forty milliseconds of a late acknowledgement.
    if let Err(error) = stream.set_nodelay(true) {
        eprintln!("a connection could not be made prompt: {error}");
    }
    let answering = service_fn(|request| {
        let house = house.clone();
        async move { Ok::<_, Infallible>(answer(request, &house).await) }
    });
    let connection = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), answering);
    let mut connection = pin!(connection);
    // How a connection ends is the client's business: there is nobody else to tell.
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = ending.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    ended.unwrap_or_default();
}

async fn answer(request: Request<Incoming>, house: &House) -> Answer {
    if let Some(reason) = admission::refusal(request.uri(), request.headers()) {
        return refused(StatusCode::FORBIDDEN, reason);
    }
    if request.uri().path() != PATH {
        return refused(StatusCode::NOT_FOUND, "there is nothing here but `/mcp`");
    }
    let (mut parts, body) = request.into_parts();
    let body = match Limited::new(body, LONGEST_BODY).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, "no message here is longer than 4 MiB");
        }
        Err(_) => return refused(StatusCode::BAD_REQUEST, "the body can't be read"),
    };
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (session, last_event_id) = (header("mcp-session-id"), header("last-event-id"));
    // An event id with a slash belongs to the stream of a POST.
    let is_listener = parts.method == Method::GET && last_event_id.as_ref().is_none_or(|id| !id.contains('/'));
    let listener = session.as_deref().filter(|_| is_listener);
    if let Some(session) = listener.filter(|_| last_event_id.is_some()) {
        house.listeners.take_over(session);
    }
    if let (Some(session), Some(id)) = (&session, &last_event_id)
        && let Some(events) = house.kept.behind(session, id)
    {
        let mut answer = Response::new(Full::new(events).boxed());
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        return answer;
    }
    let (output, lines) = Output::new();
    parts.extensions.insert(output);
    let body = dialect::inbound(&body).map_or(body, Bytes::from);

    let answer = house.sessions.handle(Request::from_parts(parts, Full::new(body))).await;
    let is_stream = |kind: &HeaderValue| kind.as_bytes().starts_with(b"text/event-stream");
    if !answer.headers().get(CONTENT_TYPE).is_some_and(is_stream) {
        return answer;
    }
    let greets = if session.is_none() { Greets::Yes } else { Greets::No };
    answer.map(|body| {
        let events = Events::new(body, lines, greets, last_event_id.as_deref());
        match (listener, session.as_deref()) {
            (Some(session), _) => house.listeners.listen(session, events).boxed(),
            (None, Some(session)) => events.kept_by(house.kept.keeper(session)).boxed(),
            (None, None) => events.boxed(),
        }
    })
}

/// An error of the protocol that answers no request in particular.
fn refused(status: StatusCode, reason: &str) -> Answer {
    let error = json!({ "jsonrpc": "2.0", "error": { "code": -32000, "message": reason } });
    let mut answer = Response::new(Full::new(Bytes::from(error.to_string())).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}
