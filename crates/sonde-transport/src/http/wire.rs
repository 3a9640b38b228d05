//! One exchange after another: what is asked, how it is written down, and what is told when it fails.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, USER_AGENT,
};
use reqwest::{Client, Method, Request, Response, redirect, retry};
use sonde_protocol::{HttpLoad, TlsFacts};
use url::Url;

use super::exchange::Exchange;
use super::failure::{HttpFailure, Moment};
use super::mask::{mask_header, shown_url};
use super::phases::{Stopwatch, TimedConnect, TimedResolver, timed};
use super::remote::{Proxying, Remote};
use super::tls::{self, Encryption, Judge, Need, TrustError};
use super::trouble;
use super::until::Until;
use crate::tap::Tap;

/// Connections that are kept open for the next request.
const IDLE_CONNECTIONS: usize = 16;
/// Redirects that are followed, one after another.
const MOST_HOPS: usize = 10;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
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
    client: Client,
    judge: Arc<Judge>,
    /// What a person wants to be sent with everything, and how it may be shown.
    own: HeaderMap,
    shown: Vec<(String, String)>,
    numbers: AtomicU32,
    agreed: Mutex<Agreed>,
    /// The newest certificate, and what is told of it: reading one takes longer than a small exchange.
    certificate: Mutex<Option<(Vec<u8>, TlsFacts)>>,
}

/// What goes with every request once it is known.
#[derive(Debug, Default, Clone)]
pub(super) struct Agreed {
    pub session: Option<HeaderValue>,
    pub version: Option<HeaderValue>,
    /// True once a revision was agreed on: from then on the session stays as it is.
    pub settled: bool,
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
            shown.push((name.to_string(), mask_header(&header.name, &header.value, header.secret)));
            own.append(name, value);
        }
        Ok(Wire {
            tap,
            remote: remote.clone(),
            client,
            judge,
            own,
            shown,
            numbers: AtomicU32::new(1),
            agreed: Mutex::default(),
            certificate: Mutex::default(),
        })
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
        if *url == self.remote.url { self.remote.shown.clone() } else { shown_url(url) }
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
            match next_hop(&asking.url, status, response.headers().get(LOCATION)) {
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
        let mut exchange = Exchange::begin(self.tap.clone(), asking, load, shown, watch.clone()).await;
        let mut request = Request::new(asking.method.clone(), asking.url.clone());
        *request.headers_mut() = headers;
        *request.body_mut() = asking.body.clone().map(Into::into);
        let response = tokio::select! {
            biased;
            response = timed(&watch, self.client.execute(request)) => {
                response.map_err(|error| trouble::explain(error, asking, &watch, &self.judge, &self.remote))
            }
            failure = until.stopped(Moment::Asking) => Err(failure),
        };
        let response = match response {
            Ok(response) => response,
            Err(failure) => {
                exchange.end(Default::default(), Some(&failure)).await;
                return Err(failure);
            }
        };
        watch.head_came();
        exchange.take_head(&response, self.facts(&response));
        if let Some(failure) = too_much(response.headers(), self.remote.limits.headers) {
            exchange.end(Default::default(), Some(&failure)).await;
            return Err(failure);
        }
        Ok((exchange, response))
    }

    /// The headers of a request, and how they may be shown.
    fn headers(&self, asking: &Asking) -> (HeaderMap, Vec<(String, String)>) {
        let mut headers = self.own.clone();
        let mut shown = Vec::with_capacity(self.shown.len() + 8);
        let host = asking.url.host_str().unwrap_or_default();
        shown.push((
            "host".to_owned(),
            asking.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
        ));
        shown.extend(self.shown.iter().cloned());
        let mut set = |name: HeaderName, value: HeaderValue| {
            let text = String::from_utf8_lossy(value.as_bytes());
            shown.push((name.to_string(), mask_header(name.as_str(), &text, false)));
            headers.insert(name, value);
        };
        set(ACCEPT, HeaderValue::from_static(asking.accept));
        if !self.own.contains_key(ACCEPT_ENCODING) {
            set(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        if !self.own.contains_key(USER_AGENT) {
            set(USER_AGENT, HeaderValue::from_static(concat!("sonde/", env!("CARGO_PKG_VERSION"))));
        }
        if asking.body.is_some() {
            set(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let Agreed { session, version, .. } = self.agreed().clone();
        session.into_iter().for_each(|session| set(SESSION, session));
        version.into_iter().for_each(|version| set(VERSION, version));
        if let Some(id) = asking.last_event.as_ref().and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok()) {
            set(LAST_EVENT, id);
        }
        (headers, shown)
    }

    fn facts(&self, response: &Response) -> Option<TlsFacts> {
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

/// The session id that an answer brings, or why it can't be used.
pub(super) fn session_of(headers: &HeaderMap) -> Result<Option<HeaderValue>, HttpFailure> {
    const LONGEST: usize = 4 << 10;
    let problem = |problem: &str| Err(HttpFailure::SessionId { problem: problem.to_owned() });
    let mut values = headers.get_all(SESSION).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(_), Some(_)) => problem("there are several"),
        (Some(value), None) if value.is_empty() => problem("it is empty"),
        (Some(value), None) if value.len() > LONGEST => problem("it has more than 4 KiB"),
        (Some(value), None) if !value.as_bytes().iter().all(|byte| (0x21..=0x7e).contains(byte)) => {
            problem("it has characters other than visible ASCII in it")
        }
        (Some(value), None) => {
            let mut value = value.clone();
            value.set_sensitive(true);
            Ok(Some(value))
        }
    }
}

/// Where a redirect leads, if it may be followed.
fn next_hop(from: &Url, status: u16, location: Option<&HeaderValue>) -> Result<Url, HttpFailure> {
    let written = location.map(|location| String::from_utf8_lossy(location.as_bytes()).into_owned());
    let target = written.as_deref().and_then(|written| from.join(written).ok());
    let refuse = |reason| {
        let location = match (&target, &written) {
            (Some(url), _) => shown_url(url),
            (None, Some(written)) => super::mask::shown_address(written),
            (None, None) => "nowhere".to_owned(),
        };
        Err(HttpFailure::Redirected { status, location, reason })
    };
    match &target {
        _ if !matches!(status, 307 | 308) => refuse("only 307 and 308 keep the method and the body"),
        None => refuse("that is no address"),
        Some(url) if url.origin() != from.origin() => refuse("it is another origin, which may not see our headers"),
        Some(url) if !url.username().is_empty() || url.password().is_some() => refuse("it has a user in it"),
        Some(url) => Ok(url.clone()),
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

fn too_much(headers: &HeaderMap, limit: usize) -> Option<HttpFailure> {
    let size: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    (size > limit).then(|| HttpFailure::Headers { problem: format!("they have {size} bytes, {limit} at most") })
}
