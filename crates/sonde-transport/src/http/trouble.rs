//! What an error of the library means.

use std::error::Error;

use super::failure::{HttpFailure, Moment};
use super::phases::{Stopwatch, Unresolved};
use super::remote::{Proxying, Remote};
use super::tls::Judge;
use super::wire::Asking;

/// Why a request got no answer.
pub(super) fn explain(
    error: reqwest::Error,
    asking: &Asking,
    watch: &Stopwatch,
    judge: &Judge,
    remote: &Remote,
) -> HttpFailure {
    // Its own words would repeat the address, with whatever secret is in it.
    let error = error.without_url();
    let host = asking.url.host_str().unwrap_or_default().to_owned();
    let port = asking.url.port_or_known_default().unwrap_or_default();
    let address = format!("{host}:{port}");
    let problem = chain(&error);
    if let Some(Unresolved(problem)) = find(&error) {
        return HttpFailure::Unresolved { host, problem: problem.clone() };
    }
    match find::<rustls::Error>(&error) {
        Some(rustls::Error::InvalidCertificate(_)) => {
            return HttpFailure::Untrusted { host, problem: rustls_words(&error), fingerprint: judge.take_refused() };
        }
        Some(_) => return HttpFailure::Handshake { host, problem: rustls_words(&error) },
        None => {}
    }
    if error.is_timeout() {
        return HttpFailure::ConnectTimeout { address, limit: remote.limits.connect };
    }
    if is_proxy_trouble(&problem) {
        return HttpFailure::Proxy { problem };
    }
    if error.is_connect() {
        return match &remote.proxy {
            Proxying::By(_) => HttpFailure::Proxy { problem },
            Proxying::System if names_proxy() => {
                let problem = io_words(&error, problem);
                let problem = format!("{problem} (the environment names a proxy, which may be what was not reached)");
                HttpFailure::Unconnected { address, problem }
            }
            Proxying::System | Proxying::None => {
                HttpFailure::Unconnected { address, problem: io_words(&error, problem) }
            }
        };
    }
    broken(problem, watch)
}

fn broken(problem: String, watch: &Stopwatch) -> HttpFailure {
    if problem.contains("message head is too large") || problem.contains("header") {
        return HttpFailure::Headers { problem };
    }
    let when = if watch.is_connecting() { Moment::Connecting } else { Moment::Asking };
    HttpFailure::Broken { when, problem }
}

/// Why a body did not come to its end.
pub(super) fn explain_body(error: &(dyn Error + Send + Sync + 'static)) -> HttpFailure {
    HttpFailure::Broken { when: Moment::Reading, problem: chain(error) }
}

/// Why a request on a plain connection got no answer.
pub(super) fn explain_plain(error: &hyper::Error, watch: &Stopwatch) -> HttpFailure {
    broken(with_causes(error).join(": "), watch)
}

/// The words of an error and of all that caused it, none of them twice.
pub(super) fn chain(error: &dyn Error) -> String {
    // The first says only that a request or a body had an error, which is why we are here.
    let words = with_causes(error);
    match words.split_first() {
        Some((_, rest)) if !rest.is_empty() => rest.join(": "),
        _ => words.join(": "),
    }
}

fn with_causes(error: &dyn Error) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        if words.last().is_none_or(|last| !last.contains(&text)) {
            words.push(text);
        }
        next = error.source();
    }
    words
}

fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        // An error of the system does not call the one that it holds its source, and may hold another of its kind.
        next = match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
            Some(held) => Some(held),
            None => error.source(),
        };
    }
    None
}

fn rustls_words(error: &reqwest::Error) -> String {
    find::<rustls::Error>(error).map(ToString::to_string).unwrap_or_default()
}

/// What the system said, where it said something.
fn io_words(error: &reqwest::Error, otherwise: String) -> String {
    match find::<std::io::Error>(error) {
        Some(error) => error.to_string(),
        None => otherwise,
    }
}

/// Whether the environment has a proxy for anything.
pub(super) fn names_proxy() -> bool {
    let names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    names.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

fn is_proxy_trouble(problem: &str) -> bool {
    problem.contains("tunnel") || problem.contains("proxy")
}
