//! A server looked at from outside: whether its host is found and reached, and what it publishes about itself.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use sonde_protocol::HttpTraffic;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use url::{Host, Url};

use super::body::{Body, Waiting};
use super::direct::is_loopback;
use super::failure::{HttpFailure, clip};
use super::mask::shown_url;
use super::remote::{Proxying, Remote};
use super::trouble::names_proxy;
use super::until::Until;
use super::wire::{Asking, OpenError, Wire};
use crate::tap::Tap;

/// How long a look-up, one connection, and one document may take.
const LONGEST: Duration = Duration::from_secs(5);
/// Addresses of a host that are tried, one after another.
const MOST_ADDRESSES: usize = 4;
/// Bytes of a document that are read.
const LARGEST: usize = 64 << 10;
/// Characters of a type that are told.
const LONGEST_TYPE: usize = 200;

/// What was found on the way to a server.
#[derive(Debug, Clone)]
pub enum Reached {
    /// A proxy finds the host and connects to it.
    ByProxy,
    Directly {
        /// The addresses of the host, or why there are none.
        addresses: Result<Vec<IpAddr>, String>,
        looked_up: Duration,
        /// Each address that was tried, up to the first that could be connected to.
        attempts: Vec<Attempt>,
    },
}

#[derive(Debug, Clone)]
pub struct Attempt {
    pub address: SocketAddr,
    /// How long it took, or what the system said.
    pub outcome: Result<Duration, String>,
}

/// A document that was asked for.
#[derive(Debug)]
pub struct Document {
    pub url: String,
    pub took: Duration,
    pub answer: Result<Published, HttpFailure>,
}

#[derive(Debug)]
pub struct Published {
    pub status: u16,
    pub content_type: Option<String>,
    pub body: Vec<u8>,
    /// True where there was more of it than is read.
    pub cut: bool,
}

/// Looks the host up and connects to it, without a word.
pub async fn reach(remote: &Remote) -> Reached {
    let by_proxy = match &remote.proxy {
        Proxying::By(_) => true,
        Proxying::System => names_proxy() && !is_loopback(&remote.url),
        Proxying::None => false,
    };
    if by_proxy {
        return Reached::ByProxy;
    }
    let port = remote.url.port_or_known_default().unwrap_or_default();
    let begun = Instant::now();
    let addresses = addresses(&remote.url).await;
    let looked_up = begun.elapsed();
    let mut attempts = Vec::new();
    for address in addresses.iter().flatten().take(MOST_ADDRESSES) {
        let address = SocketAddr::new(*address, port);
        let begun = Instant::now();
        let outcome = match tokio::time::timeout(LONGEST, TcpStream::connect(address)).await {
            Ok(Ok(_connected)) => Ok(begun.elapsed()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_elapsed) => Err(format!("nothing came back within {} s", LONGEST.as_secs())),
        };
        let is_there = outcome.is_ok();
        attempts.push(Attempt { address, outcome });
        if is_there {
            break;
        }
    }
    Reached::Directly { addresses, looked_up, attempts }
}

async fn addresses(url: &Url) -> Result<Vec<IpAddr>, String> {
    let name = match url.host() {
        Some(Host::Ipv4(address)) => return Ok(vec![address.into()]),
        Some(Host::Ipv6(address)) => return Ok(vec![address.into()]),
        Some(Host::Domain(name)) => name,
        None => return Err("the address has no host".to_owned()),
    };
    match tokio::time::timeout(LONGEST, tokio::net::lookup_host((name, 0))).await {
        Ok(Ok(found)) => {
            let mut addresses: Vec<IpAddr> = Vec::new();
            for address in found.map(|address| address.ip()) {
                if !addresses.contains(&address) {
                    addresses.push(address);
                }
            }
            if addresses.is_empty() { Err("it has no address".to_owned()) } else { Ok(addresses) }
        }
        Ok(Err(error)) => Err(error.to_string()),
        Err(_elapsed) => Err(format!("no answer within {} s", LONGEST.as_secs())),
    }
}

/// Asks the server's origin for documents, by their paths, one after another. Nothing that is meant for the server alone
/// goes with it. The tap is that of a connection for this alone.
pub async fn documents(remote: &Remote, paths: &[String], tap: Tap) -> Result<Vec<Document>, OpenError> {
    let bare = Remote { headers: Vec::new(), ..remote.clone() };
    // Files are read for it, and a file may be anything.
    let opened = tokio::task::spawn_blocking(move || Wire::open(&bare, tap)).await;
    let wire = opened.map_err(|error| OpenError::Library(error.to_string()))??;
    let mut documents = Vec::new();
    for path in paths {
        let mut url = remote.url.clone();
        url.set_path(path);
        url.set_query(None);
        let begun = Instant::now();
        let until = Until { closing: CancellationToken::new(), given_up: CancellationToken::new() };
        let answer = until.at_most(LONGEST, document(&wire, &url, &until)).await;
        let answer = match answer {
            Err(HttpFailure::Closed) => Err(HttpFailure::Idle(LONGEST)),
            answer => answer,
        };
        documents.push(Document { url: shown_url(&url), took: begun.elapsed(), answer });
    }
    Ok(documents)
}

async fn document(wire: &Wire, url: &Url, until: &Until) -> Result<Published, HttpFailure> {
    let asking = wire.empty(Method::GET, "application/json");
    let asking = Asking { url: url.clone(), shown: wire.shown_url(url), ..asking };
    let (exchange, response) = wire.ask(asking, until).await?;
    let status = response.status().as_u16();
    let content_type = response.headers().get(CONTENT_TYPE);
    let content_type = content_type.map(|value| clip(&String::from_utf8_lossy(value.as_bytes()), LONGEST_TYPE));
    let mut body = Vec::new();
    let read = async {
        let mut parts = Body::of(response, wire.remote.limits)?;
        while let Some(part) = parts.part(Waiting::AtMost(LONGEST)).await? {
            body.extend_from_slice(part.get(..part.len().min(LARGEST - body.len())).unwrap_or_default());
            if parts.read > LARGEST as u64 {
                return Ok((parts.read, true));
            }
        }
        Ok((parts.read, false))
    };
    let read = tokio::select! {
        read = read => read,
        failure = until.stopped(super::failure::Moment::Reading) => Err(failure),
    };
    let size = read.as_ref().map_or(body.len() as u64, |(size, _)| *size);
    // It is no message of the server, so the log counts it.
    let traffic = HttpTraffic { body: size, dropped: size, ..HttpTraffic::default() };
    exchange.end(traffic, read.as_ref().err()).await;
    let (_, cut) = read?;
    Ok(Published { status, content_type, body, cut })
}
