//! Who may ask: only programs of this machine, and pages that came from it.
//!
//! A page of the web can make a browser send requests to 127.0.0.1, under its own name (`Origin`) or under a name of
//! its own that it had resolved to 127.0.0.1 (`Host`).

use hyper::{
    HeaderMap, Uri,
    header::{HOST, HeaderValue, ORIGIN},
};

/// Why the request is refused; `None` for one that may come in.
pub(crate) fn refusal(uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
    let hosts: Vec<_> = headers.get_all(HOST).iter().collect();
    let [host] = hosts.as_slice() else { return Some("a request names one `Host`") };
    let named = uri.authority().is_none_or(|authority| is_loopback(authority.as_str()));
    if !named || !text(host).is_some_and(is_loopback) {
        return Some("`Host` is none of this machine's own names");
    }
    let is_local = headers.get_all(ORIGIN).iter().all(|origin| text(origin).is_some_and(is_local_origin));
    (!is_local).then_some("`Origin` is no page of this machine")
}

fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()
}

fn is_local_origin(origin: &str) -> bool {
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(is_loopback)
}

/// Whether `authority` is `127.0.0.1`, `localhost` or `[::1]`, with or without a port.
fn is_loopback(authority: &str) -> bool {
    let name_ends = authority.rfind(']').map_or(0, |bracket| bracket + 1);
    let (host, port) = match authority.get(name_ends..).and_then(|rest| rest.rfind(':')) {
        Some(colon) => authority.split_at(name_ends + colon),
        None => (authority, ""),
    };
    let has_port = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    has_port && ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| host.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_machines_own_names_are_loopback() {
        for name in ["127.0.0.1", "127.0.0.1:80", "localhost", "LocalHost:8080", "[::1]", "[::1]:65535"] {
            assert!(is_loopback(name), "`{name}` is this machine");
        }
        for name in [
            "",
            ":80",
            "example.com",
            "127.0.0.1.example.com",
            "localhost.example.com:80",
            "localhost:",
            "localhost:port",
            "localhost:65536",
            "user@localhost",
            "::1",
            "[::1",
            "[::1]80",
            "127.0.0.2",
        ] {
            assert!(!is_loopback(name), "`{name}` is not this machine, or no name at all");
        }
    }

    #[test]
    fn an_origin_is_a_scheme_and_a_loopback_name() {
        for origin in ["http://localhost", "http://127.0.0.1:5173", "https://[::1]:8443"] {
            assert!(is_local_origin(origin), "`{origin}` is a page of this machine");
        }
        for origin in ["null", "localhost", "http://example.com", "file://localhost", "http://localhost/", ""] {
            assert!(!is_local_origin(origin), "`{origin}` is not");
        }
    }
}
