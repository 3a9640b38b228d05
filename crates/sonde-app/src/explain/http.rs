//! What a failure of HTTP means to a person: what the server wants, and what to do about it.

use sonde_protocol::{Challenge, challenges};
use sonde_registry::ServerSpec;
use sonde_transport::{HttpFailure, OpenError};

use super::server::{facts, named};
use crate::api::error::{ApiError, ErrorCode};

/// Challenges that are told.
const MOST_CHALLENGES: usize = 4;

/// A server at an address that can't even be tried.
pub(crate) fn open(spec: &ServerSpec, error: &OpenError) -> ApiError {
    let hint = match error {
        OpenError::Trust(_) => "check the files of certificates in the server's entry",
        OpenError::Header { .. } => "a header's value is visible text on one line",
        OpenError::Proxy(_) => "a proxy is written like `http://proxy.example:3128`",
        OpenError::Library(_) => "check the certificates of this system",
    };
    let told = ApiError::new(ErrorCode::StartFailed, "Server could not be reached", named(spec, &error.to_string()));
    facts(told.because(error).hint(hint), spec)
}

/// A server at an address that did not become ready, or was lost.
pub(crate) fn unreachable(spec: &ServerSpec, code: ErrorCode, failure: &HttpFailure) -> ApiError {
    let told = facts(ApiError::new(code, title(failure), named(spec, &failure.to_string())), spec);
    match failure {
        HttpFailure::SessionLost => {
            told.hint("it forgot several sessions in a row: connect again, or look at the server")
        }
        failure => with_advice(told, failure),
    }
}

/// A request that got no answer.
pub(crate) fn request(spec: &ServerSpec, failure: &HttpFailure) -> ApiError {
    let code = match failure {
        HttpFailure::SessionLost | HttpFailure::StreamEnded | HttpFailure::Closed => ErrorCode::ConnectionLost,
        HttpFailure::GivenUp { .. } => ErrorCode::Cancelled,
        HttpFailure::TooLarge { .. } | HttpFailure::Oversized { .. } | HttpFailure::Bomb { .. } => ErrorCode::TooLarge,
        _ => ErrorCode::HttpFailed,
    };
    let told = ApiError::new(code, title(failure), named(spec, &failure.to_string()));
    with_advice(facts(told, spec), failure)
}

fn title(failure: &HttpFailure) -> &'static str {
    match failure {
        HttpFailure::Unresolved { .. } => "Name not found",
        HttpFailure::Unconnected { .. } | HttpFailure::ConnectTimeout { .. } => "Not reachable",
        HttpFailure::Untrusted { .. } => "Certificate not trusted",
        HttpFailure::Handshake { .. } => "No encryption",
        HttpFailure::Proxy { .. } => "Proxy refused",
        HttpFailure::Broken { .. } | HttpFailure::Idle(_) => "Connection broke",
        HttpFailure::Status { status: 401, .. } => "Authorization needed",
        HttpFailure::Status { status: 403, .. } => "Not allowed",
        HttpFailure::Status { .. } => "HTTP error",
        HttpFailure::Redirected { .. } => "Redirect not followed",
        HttpFailure::ContentType { .. } | HttpFailure::AnotherAnswer { .. } | HttpFailure::Empty { .. } => {
            "Not an answer"
        }
        HttpFailure::Encoding { .. } | HttpFailure::Decompression { .. } => "Body not readable",
        HttpFailure::Bomb { .. } | HttpFailure::TooLarge { .. } | HttpFailure::Oversized { .. } => "Answer too large",
        HttpFailure::Headers { .. } | HttpFailure::SessionId { .. } => "Headers not usable",
        HttpFailure::NotResumable | HttpFailure::NotResumed { .. } | HttpFailure::StreamEnded => "Stream ended",
        HttpFailure::SessionLost => "Session lost",
        HttpFailure::NoEndpoint(_) | HttpFailure::Endpoint { .. } => "No address for messages",
        HttpFailure::GivenUp { .. } => "Given up",
        HttpFailure::Closed => "Disconnected",
    }
}

fn with_advice(told: ApiError, failure: &HttpFailure) -> ApiError {
    let told = match failure {
        HttpFailure::Status { status, said, challenges, retry_after } => {
            let told = with_status(told, *status, challenges, retry_after.as_deref());
            match said.as_deref().filter(|said| !said.is_empty()) {
                Some(said) => told.fact("body", said),
                None => told,
            }
        }
        HttpFailure::Unresolved { .. } => told.hint("check the host name in `url`, and the network"),
        HttpFailure::Unconnected { .. } => told.hint("is the server running, and is this its port?"),
        HttpFailure::ConnectTimeout { .. } => told.hint("check host and port, and whether a firewall is in between"),
        HttpFailure::Untrusted { fingerprint: Some(fingerprint), .. } => {
            told.fact("fingerprint", format!("sha256:{fingerprint}")).hint(
                "give the authority's file with `caFile` or `--cacert`; or, if you have made sure that this is the \
                 server's own certificate, trust it alone with `trust` or `--trust` and the fingerprint",
            )
        }
        HttpFailure::Untrusted { .. } => told.hint("give the authority's file with `caFile` or `--cacert`"),
        HttpFailure::Handshake { problem, .. } if asks_for_certificate(problem) => told.hint(
            "the server wants a certificate of ours that it knows: `clientCertificate` and `clientKey`, or `--cert`",
        ),
        HttpFailure::Handshake { .. } => {
            told.hint("does this port speak TLS 1.2 or later? `http://` has no encryption")
        }
        HttpFailure::Proxy { .. } => {
            told.hint("check the proxy in the entry or in HTTPS_PROXY; `--proxy none` goes without one")
        }
        HttpFailure::Redirected { location, .. } => {
            told.fact("location", location.as_str()).hint("write the new address in `url`, if you trust it")
        }
        HttpFailure::ContentType { preview, .. } => {
            told.fact("body", preview.as_str()).hint("is this the address of an MCP server, and not of a page?")
        }
        HttpFailure::Empty { .. } => told.hint("a request is answered by JSON or by an event stream"),
        HttpFailure::Broken { .. } => {
            told.hint("the log has what came before; a request that may have run is not repeated")
        }
        HttpFailure::SessionLost => told.hint("a new session is begun; what was under way is not repeated"),
        HttpFailure::AnotherAnswer { preview } => {
            told.fact("body", preview.as_str()).hint("the answer must carry the id of its request")
        }
        HttpFailure::NotResumable | HttpFailure::NotResumed { .. } => {
            told.hint("the server ended its stream early; nothing says whether the request ran")
        }
        HttpFailure::Encoding { .. } => told.hint("known are gzip, deflate, br and zstd; none of them was asked for"),
        HttpFailure::NoEndpoint(_) => told.hint("does the server speak HTTP with SSE at this address?"),
        HttpFailure::Endpoint { .. } => told.hint("the server may name addresses of its own origin only"),
        HttpFailure::TooLarge { .. } | HttpFailure::Oversized { .. } => {
            told.hint("a larger `longestLine` in the server's entry takes more")
        }
        HttpFailure::StreamEnded => told.hint("connect again; the log has everything up to its last byte"),
        HttpFailure::Decompression { .. }
        | HttpFailure::Bomb { .. }
        | HttpFailure::Headers { .. }
        | HttpFailure::SessionId { .. }
        | HttpFailure::Idle(_)
        | HttpFailure::GivenUp { .. }
        | HttpFailure::Closed => told.hint("the log has the exchange, as far as it came"),
    };
    told.causes(causes(failure))
}

/// What may be why.
fn causes(failure: &HttpFailure) -> &'static [&'static str] {
    match failure {
        HttpFailure::Unresolved { .. } => &["the host in `url` is misspelt", "there is no network, or no name service"],
        HttpFailure::Unconnected { .. } => &["the server is not running", "it listens on another port or address"],
        HttpFailure::ConnectTimeout { .. } => &["a firewall drops what is sent there", "the host is down"],
        HttpFailure::Untrusted { .. } => &[
            "the certificate is the server's own, or of an authority that this system does not know",
            "it has expired",
        ],
        HttpFailure::Handshake { .. } => {
            &["the port speaks no TLS", "it speaks an old TLS only, or wants our certificate"]
        }
        HttpFailure::Proxy { .. } => &["the proxy is not running, or wants a password", "it does not let us go there"],
        HttpFailure::Broken { .. } => {
            &["the server ended, or was started anew", "something in between cut the connection"]
        }
        HttpFailure::Redirected { .. } => &["the server has moved", "`http://` is written where it wants `https://`"],
        HttpFailure::ContentType { .. } => &["the address is that of a page, and not of an MCP server"],
        HttpFailure::Empty { .. } | HttpFailure::AnotherAnswer { .. } => {
            &["the server does not follow the protocol here"]
        }
        HttpFailure::SessionLost => &["the server was started anew, or keeps its sessions for a short time"],
        HttpFailure::NoEndpoint(_) => &["the server speaks Streamable HTTP, and not HTTP with SSE"],
        HttpFailure::Status { status, .. } => match status {
            400 => &["the server does not speak this transport or this revision", "a header that it wants is missing"],
            401 => &["no token was sent", "the token has expired, or is for another server"],
            403 => &["the token is not enough for this", "the server refuses this host or origin"],
            404 => &["the path in `url` is not that of an MCP server", "the session has ended"],
            405 => &["the path in `url` is not that of an MCP server", "it speaks HTTP with SSE only"],
            406 | 415 => &["the server, or what stands before it, does not take what MCP sends"],
            408 | 504 => &["the server is slow, and what stands before it has no patience"],
            413 => &["the arguments are larger than the server takes"],
            429 => &["too much was asked in a short time"],
            502 | 503 => &["the server is being started, or is down behind its proxy"],
            500..=599 => &["a fault in the server"],
            _ => &["the address is not that of an MCP server"],
        },
        _ => &[],
    }
}

fn with_status(told: ApiError, status: u16, values: &[String], retry_after: Option<&str>) -> ApiError {
    let told = told.fact("status", status.to_string());
    let told = match retry_after {
        Some(after) => told.fact("retry after", after),
        None => told,
    };
    let asked: Vec<Challenge> = values.iter().flat_map(|value| challenges(value)).take(MOST_CHALLENGES).collect();
    let told = asked.iter().fold(told, |told, challenge| {
        let params = challenge.params.iter().map(|(name, value)| format!("{name}={value}"));
        let words: Vec<String> = std::iter::once(challenge.scheme.clone()).chain(params).collect();
        told.fact("asks for", words.join(" · "))
    });
    match (status, asked.first()) {
        (401, Some(challenge)) => told.hint(how_to_get_in(challenge)),
        (401, None) => told.hint(
            "it does not say what it wants (no `WWW-Authenticate`); most servers take a header \
             `Authorization: Bearer TOKEN`, given in `headers` or with `--header`",
        ),
        (403, Some(challenge)) if challenge.param("error") == Some("insufficient_scope") => {
            told.hint(match challenge.param("scope") {
                Some(scope) => format!("the token lacks a scope: it must have `{scope}`"),
                None => "the token lacks a scope".to_owned(),
            })
        }
        (403, _) => told.hint("the credentials are not enough, or the server refuses this host or origin"),
        (404, _) => told.hint("check the path in `url`: most servers use `/mcp`, older ones `/sse`"),
        (405, _) => told.hint("the server offers neither Streamable HTTP nor HTTP with SSE at this address"),
        (406 | 415, _) => told.hint("the server wants another form than JSON and event streams"),
        (429, _) => told.hint("wait before asking again"),
        (400, _) => told.hint("the body says what it misses, if anything does; another `type` may be what it speaks"),
        (500..=599, _) => told.hint("look at the server's own log"),
        _ => told.hint("check the address, and look at the server's own log"),
    }
}

/// What a person must send, by the scheme that the server names.
fn how_to_get_in(challenge: &Challenge) -> String {
    let scheme = challenge.scheme.to_ascii_lowercase();
    match (scheme.as_str(), challenge.param("resource_metadata")) {
        ("bearer", Some(metadata)) => format!(
            "it wants an OAuth token; where to get one is described at {metadata}; one that you have goes into \
             a header `Authorization: Bearer TOKEN`, given in `headers` or with `--header`"
        ),
        ("bearer", None) => "it wants a token: give a header `Authorization: Bearer TOKEN` in `headers` or with \
             `--header`"
            .to_owned(),
        ("basic", _) => "it wants a user and a password: give a header `Authorization: Basic BASE64` in `headers` \
             or with `--header`"
            .to_owned(),
        (_, _) => format!("it wants the scheme `{}`, given in a header `Authorization`", challenge.scheme),
    }
}

/// Whether the server ended a handshake because of who we are.
fn asks_for_certificate(problem: &str) -> bool {
    ["CertificateRequired", "UnknownCA", "BadCertificate"].iter().any(|alert| problem.contains(alert))
}
