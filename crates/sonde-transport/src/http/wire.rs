//! One exchange after another: what is asked, how it is written down, and what is told when it fails.

use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, LOCATION, USER_AGENT,
};
use reqwest::{Client, Method, Request, redirect, retry};
use sonde_protocol::{Headers, HttpLoad, TlsFacts};
use url::{Position, Url};

use super::direct::{self, Direct, is_loopback};
use super::exchange::{self, Exchange};
use super::failure::{HttpFailure, Moment};
use super::head::{SESSION, next_hop, too_much};
use super::mask::{Secrecy, mask_header, shown_url, without};
use super::phases::{Stopwatch, TimedConnect, TimedResolver, timed};
use super::pulse::Pulse;
use super::remote::{Proxying, Remote};
use super::response::Response;
use super::tls::{self, Encryption, Judge, Need, TrustError};
use super::trouble;
use super::until::Until;
use crate::tap::Tap;

/// Connections that are kept open for the next request.
const IDLE_CONNECTIONS: usize = 16;
/// How long an HTTP/2 connection may be silent before it is asked, and may take to answer.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Redirects that are followed, one after another.
const MOST_HOPS: usize = 10;

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Why a server can't even be tried.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error("the header `{name}` can't be sent")]
    Header { name: String },
    #[error("the proxy can't be used: {0}")]
    Proxy(String),
    #[error("HTTP can't be spoken here: {0}")]
    Library(String),
}

/// The HTTP side of one connection.
pub(super) struct Wire {
    pub tap: Tap,
    pub remote: Remote,
    /// What is waited for longer than a moment is told to the log at once.
    pub pulse: Arc<Pulse>,
    client: Client,
    /// The shorter way to a server on this machine.
    direct: Option<Direct>,
    judge: Arc<Judge>,
    /// What a person wants to be sent with everything, and how it may be shown.
    own: HeaderMap,
    shown: Vec<(String, String)>,
    numbers: AtomicU32,
    agreed: Mutex<Agreed>,
    /// The newest headers of an answer: many have the same, and what may be shown of them takes longer to find.
    answered: Mutex<(Vec<Header>, Headers)>,
    /// The newest certificate, and what is told of it: reading one takes longer than a small exchange.
    certificate: Mutex<Option<(Vec<u8>, TlsFacts)>>,
}

/// What goes with every request once it is known.
#[derive(Debug, Default, Clone)]
pub(super) struct Agreed {
    /// The id, and how it may be shown.
    pub session: Option<(HeaderValue, String)>,
    pub version: Option<HeaderValue>,
    /// True once a revision was agreed on: from then on the session stays as it is.
    pub settled: bool,
    /// The headers of a message, once made: they are the same until something else is agreed on.
    posting: Option<Told>,
}

/// The headers of a request, and how they may be shown.
type Told = (HeaderMap, Headers);

/// A header of an answer. What the library has of it lies in the room that the whole answer was read into.
type Header = (HeaderName, Box<[u8]>);

impl Agreed {
    pub fn take_session(&mut self, session: HeaderValue, shown: String) {
        (self.session, self.posting) = (Some((session, shown)), None);
    }

    pub fn settle(&mut self, version: Option<HeaderValue>) {
        (self.settled, self.version, self.posting) = (true, version, None);
    }
}

/// One request that is to be made.
#[derive(Debug, Clone)]
pub(super) struct Asking {
    pub method: Method,
    pub url: Url,
    /// The address as it may be written down.
    pub shown: String,
    pub body: Option<Bytes>,
    pub accept: &'static str,
    pub last_event: Option<String>,
    pub number: u32,
    pub follows: Option<u32>,
}

pub(super) const BOTH: &str = "application/json, text/event-stream";
pub(super) const EVENTS: &str = "text/event-stream";

impl Wire {
    pub fn open(remote: &Remote, tap: Tap) -> Result<Self, OpenError> {
        // Without redirects to other origins a plain address stays plain, but for the way to a proxy.
        let direct = match &remote.proxy {
            Proxying::None => true,
            Proxying::System => is_loopback(&remote.url),
            Proxying::By(address) => !address.starts_with("https:"),
        };
        let need = if remote.url.scheme() == "http" && direct { Need::None } else { Need::Trust };
        let Encryption { config, judge } = Encryption::new(&remote.trust, need)?;
        let limits = &remote.limits;
        let builder = Client::builder()
            .tls_backend_preconfigured(config)
            .tls_info(true)
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .connect_timeout(limits.connect)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .http1_max_headers(limits.header_count)
            .http2_max_header_list_size(u32::try_from(limits.headers).unwrap_or(u32::MAX))
            // A connection that many requests share, and that says nothing any more, must be found out.
            .http2_keep_alive_interval(KEEP_ALIVE)
            .http2_keep_alive_timeout(KEEP_ALIVE)
            .dns_resolver(TimedResolver)
            .connector_layer(TimedConnect);
        let builder = match &remote.proxy {
            Proxying::System => builder,
            Proxying::None => builder.no_proxy(),
            Proxying::By(address) => {
                // The address may hold a password, so the library's own words are not passed on.
                let proxy = reqwest::Proxy::all(address.as_str());
                builder.proxy(proxy.map_err(|_| OpenError::Proxy("its address is not one".to_owned()))?)
            }
        };
        let client = builder.build().map_err(|error| OpenError::Library(trouble::chain(&error)))?;
        let mut own = HeaderMap::new();
        let mut shown = Vec::new();
        for header in &remote.headers {
            let bad = || OpenError::Header { name: header.name.clone() };
            let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(|_| bad())?;
            let mut value = HeaderValue::from_str(&header.value).map_err(|_| bad())?;
            value.set_sensitive(header.secret);
            shown.push((name.to_string(), mask_header(&header.name, &header.value, header.secrecy())));
            own.append(name, value);
        }
        Ok(Wire {
            tap,
            remote: remote.clone(),
            pulse: Arc::default(),
            client,
            direct: Direct::to(remote),
            judge,
            own,
            shown,
            numbers: AtomicU32::new(1),
            agreed: Mutex::default(),
            answered: Mutex::default(),
            certificate: Mutex::default(),
        })
    }

    /// A request to the server's address that carries nothing.
    pub fn empty(&self, method: Method, accept: &'static str) -> Asking {
        Asking {
            method,
            url: self.remote.url.clone(),
            shown: self.remote.shown.clone(),
            body: None,
            accept,
            last_event: None,
            number: self.number(),
            follows: None,
        }
    }

    /// A number for the next exchange.
    pub fn number(&self) -> u32 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    pub fn agreed(&self) -> MutexGuard<'_, Agreed> {
        self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An address of this server as it may be written down.
    pub fn shown_url(&self, url: &Url) -> String {
        match *url == self.remote.url {
            true => self.remote.shown.clone(),
            false => without(shown_url(url), &self.remote.secrets),
        }
    }

    /// What is known of the certificate of the newest encrypted exchange.
    pub fn tls(&self) -> Option<TlsFacts> {
        self.certificate().as_ref().map(|(_, facts)| facts.clone())
    }

    /// Makes a request and gives its answer, whatever its status. Redirects within the origin are followed where they
    /// keep method and body.
    pub async fn ask(&self, mut asking: Asking, until: &Until) -> Result<(Exchange, Response), HttpFailure> {
        let mut status = 0;
        for _ in 0..=MOST_HOPS {
            let (exchange, response) = self.ask_once(&asking, until).await?;
            status = response.status().as_u16();
            if !matches!(status, 301 | 302 | 303 | 307 | 308) {
                return Ok((exchange, response));
            }
            match next_hop(&asking.url, status, response.headers().get(LOCATION), &self.remote.secrets) {
                Ok(url) => {
                    let follows = exchange.number();
                    exchange.end(Default::default(), None).await;
                    let shown = self.shown_url(&url);
                    asking = Asking { url, shown, number: self.number(), follows: Some(follows), ..asking };
                }
                Err(failure) => {
                    exchange.end(Default::default(), Some(&failure)).await;
                    return Err(failure);
                }
            }
        }
        let location = asking.shown;
        Err(HttpFailure::Redirected { status, location, reason: "there were ten redirects before it" })
    }

    async fn ask_once(&self, asking: &Asking, until: &Until) -> Result<(Exchange, Response), HttpFailure> {
        let (headers, shown) = self.headers(asking);
        let watch = Stopwatch::start();
        let load = if asking.body.is_some() { HttpLoad::Message } else { HttpLoad::Nothing };
        let mut exchange = Exchange::begin(self.tap.clone(), asking, load, shown, watch.clone());
        let mut answered = pin!(self.request(asking, headers, &watch));
        let mut stopped = pin!(until.stopped(Moment::Asking));
        let mut soon = pin!(self.pulse.soon());
        let mut told = false;
        let response = loop {
            tokio::select! {
                biased;
                response = &mut answered => break response,
                failure = &mut stopped => break Err(failure),
                // The log should show what is waited for; what is over at once is told of at its end.
                () = &mut soon, if !told => {
                    told = true;
                    exchange.tell().await;
                }
            }
        };
        let response = match response {
            Ok(response) => response,
            Err(failure) => {
                exchange.end(Default::default(), Some(&failure)).await;
                return Err(failure);
            }
        };
        watch.head_came();
        exchange.take_head(&response, self.shown(response.headers()), self.facts(&response));
        if let Some(failure) = too_much(response.headers(), self.remote.limits.headers) {
            exchange.end(Default::default(), Some(&failure)).await;
            return Err(failure);
        }
        Ok((exchange, response))
    }

    async fn request(
        &self,
        asking: &Asking,
        headers: HeaderMap,
        watch: &Arc<Stopwatch>,
    ) -> Result<Response, HttpFailure> {
        if let Some(direct) = &self.direct {
            let unwritable =
                |error: http::Error| HttpFailure::Broken { when: Moment::Asking, problem: error.to_string() };
            let request = direct::written(asking, headers).map_err(unwritable)?;
            return direct.ask(request, watch).await.map(Response::Direct);
        }
        let mut request = Request::new(asking.method.clone(), asking.url.clone());
        *request.headers_mut() = headers;
        *request.body_mut() = asking.body.clone().map(Into::into);
        // In a box: the library's way takes more room than everything else that waits here.
        let response = Box::pin(timed(watch, self.client.execute(request))).await;
        let explain = |error| trouble::explain(error, asking, watch, &self.judge, &self.remote);
        response.map(Response::Library).map_err(explain)
    }

    fn headers(&self, asking: &Asking) -> Told {
        let mut agreed = self.agreed();
        if asking.body.is_none() || asking.last_event.is_some() {
            return self.compose(asking, &agreed);
        }
        // All messages go to one origin.
        if agreed.posting.is_none() {
            agreed.posting = Some(self.compose(asking, &agreed));
        }
        agreed.posting.clone().unwrap_or_default()
    }

    fn compose(&self, asking: &Asking, agreed: &Agreed) -> Told {
        let mut headers = self.own.clone();
        let mut shown = Vec::with_capacity(self.shown.len() + 8);
        let host = &asking.url[Position::BeforeHost..Position::AfterPort];
        shown.push(("host".to_owned(), host.to_owned()));
        // The library says it by itself.
        if self.direct.is_some()
            && !headers.contains_key(HOST)
            && let Ok(host) = HeaderValue::from_str(host)
        {
            headers.insert(HOST, host);
        }
        shown.extend(self.shown.iter().cloned());
        let mut set = |name: HeaderName, value: HeaderValue| {
            let text = String::from_utf8_lossy(value.as_bytes());
            shown.push((name.to_string(), mask_header(name.as_str(), &text, Secrecy::ByName)));
            headers.insert(name, value);
        };
        set(ACCEPT, HeaderValue::from_static(asking.accept));
        set(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if !self.own.contains_key(USER_AGENT) {
            set(USER_AGENT, HeaderValue::from_static(concat!("sonde/", env!("CARGO_PKG_VERSION"))));
        }
        if asking.body.is_some() {
            set(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        agreed.version.iter().for_each(|version| set(VERSION, version.clone()));
        if let Some(id) = asking.last_event.as_ref().and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok()) {
            set(LAST_EVENT, id);
        }
        if let Some((session, masked)) = &agreed.session {
            shown.push((SESSION.to_string(), masked.clone()));
            headers.insert(SESSION, session.clone());
        }
        (headers, shown.into_iter().collect())
    }

    /// The headers of an answer as they may be written down.
    fn shown(&self, headers: &HeaderMap) -> Headers {
        let mut newest = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let known = newest.0.iter().map(|(name, value)| (name, &**value));
        if !known.eq(headers.iter().map(|(name, value)| (name, value.as_bytes()))) {
            let own = headers.iter().map(|(name, value)| (name.clone(), value.as_bytes().into())).collect();
            *newest = (own, exchange::shown(headers, &self.remote.secrets, &self.tap));
        }
        newest.1.clone()
    }

    fn facts(&self, response: &Response) -> Option<TlsFacts> {
        let Response::Library(response) = response else { return None };
        let info = response.extensions().get::<reqwest::tls::TlsInfo>();
        // Of a connection through a proxy the library tells nothing.
        let trusted = || match response.url().scheme() {
            "https" => self.judge.trusted(response.url().host_str()?),
            _ => None,
        };
        let certificate = info.and_then(|info| info.peer_certificate().map(<[u8]>::to_vec)).or_else(trusted)?;
        let mut newest = self.certificate();
        match newest.as_ref() {
            Some((known, facts)) if *known == certificate => Some(facts.clone()),
            _ => {
                let version = info.and_then(reqwest::tls::TlsInfo::version).map(tls_version);
                let facts = tls::facts(&certificate, version, self.judge.words());
                *newest = Some((certificate, facts.clone()));
                Some(facts)
            }
        }
    }

    fn certificate(&self) -> MutexGuard<'_, Option<(Vec<u8>, TlsFacts)>> {
        self.certificate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tls_version(version: reqwest::tls::Version) -> String {
    match version {
        reqwest::tls::Version::TLS_1_2 => "TLS 1.2".to_owned(),
        reqwest::tls::Version::TLS_1_3 => "TLS 1.3".to_owned(),
        other => format!("{other:?}"),
    }
}
