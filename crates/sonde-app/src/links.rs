//! Addresses that a server asks a person to visit. This is the one gate to the system's browser: nothing else opens an
//! address, and nothing is opened that a question does not hold and a person did not ask for.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use url::{Host, Url};

use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::questions::{LinkDetail, QuestionRequest};
use crate::app::App;

/// From one opening to the next: whoever clicks like mad opens one page.
const PAUSE: Duration = Duration::from_secs(1);

/// When something was opened last.
#[derive(Debug, Default)]
pub(crate) struct Links(Mutex<Option<Instant>>);

impl Links {
    /// True where one may be opened now; it counts as opened then.
    fn may_open(&self, now: Instant) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let may = last.is_none_or(|last| now.saturating_duration_since(last) >= PAUSE);
        if may {
            *last = Some(now);
        }
        may
    }
}

impl App {
    /// What a person should know of the address of a question before they visit it. Nothing is fetched for it.
    pub(crate) async fn look_at_link(&self, request: QuestionRequest) -> Result<LinkDetail, ApiError> {
        let written = self.link_of(request.number)?;
        Ok(detail(&written))
    }

    /// Opens the address of a question in the system's browser.
    pub(crate) async fn open_link(&self, request: QuestionRequest) -> Result<Nothing, ApiError> {
        let LinkDetail { url, refusal, .. } = detail(&self.link_of(request.number)?);
        if let Some(refusal) = refusal {
            return Err(ApiError::new(ErrorCode::Objected, "Not opened", refusal));
        }
        if !self.inner.links.may_open(Instant::now()) {
            let words = "another page was opened a moment ago; at most one is opened in a second";
            return Err(ApiError::new(ErrorCode::Busy, "Not opened", words).hint("try again"));
        }
        // Programs are looked for, which is work for a thread that may wait.
        let opened = tokio::task::spawn_blocking(move || open::that_detached(url)).await;
        match opened {
            Ok(Ok(())) => Ok(Nothing {}),
            Ok(Err(error)) => Err(unopened(&error)),
            Err(error) => Err(unopened(&error)),
        }
    }

    fn link_of(&self, number: u64) -> Result<String, ApiError> {
        #[derive(Deserialize)]
        struct Asked {
            url: String,
        }
        let params = self.params_of(number)?;
        let asked = params.and_then(|params| serde_json::from_str::<Asked>(params.get()).ok());
        let none = || ApiError::new(ErrorCode::InvalidRequest, "No address", "the question names no address to visit");
        asked.map(|asked| asked.url).ok_or_else(none)
    }
}

fn unopened(error: &dyn std::error::Error) -> ApiError {
    ApiError::new(ErrorCode::Internal, "Not opened", format!("no browser could be started: {error}"))
        .hint("copy the address into a browser")
}

/// What the address is, as it would be opened, and what speaks against it.
fn detail(written: &str) -> LinkDetail {
    let refused = |refusal: String| LinkDetail {
        url: written.to_owned(),
        host: String::new(),
        warnings: Vec::new(),
        refusal: Some(refusal),
    };
    let url = match Url::parse(written) {
        Ok(url) => url,
        Err(error) => return refused(format!("it is not an address: {error}")),
    };
    let Some(host) = url.host() else {
        return refused(format!("an address of the kind `{}` is not opened", url.scheme()));
    };
    let refusal = match url.scheme() {
        "https" => None,
        "http" if is_this_machine(&host) => None,
        "http" => Some("the way to it is not encrypted; only `https`, or `http` on this machine, is opened".to_owned()),
        other => Some(format!("an address of the kind `{other}` is not opened; `https` is")),
    };
    LinkDetail { host: host.to_string(), warnings: warnings(&url, &host), url: url.into(), refusal }
}

fn warnings(url: &Url, host: &Host<&str>) -> Vec<String> {
    let mut warnings = Vec::new();
    if !url.username().is_empty() || url.password().is_some() {
        warnings.push(format!("a name stands before the host and may look like one: the host is `{host}`"));
    }
    match host {
        Host::Domain(name) if name.split('.').any(|label| label.starts_with("xn--")) => {
            let shown = url::quirks::domain_to_unicode(name);
            warnings.push(format!("the host has letters that may look like others: `{shown}` is `{name}`"));
        }
        Host::Ipv4(_) | Host::Ipv6(_) if !is_this_machine(host) => {
            warnings.push("the host is a number and not a name: nobody vouches for who it is".to_owned());
        }
        Host::Domain(_) | Host::Ipv4(_) | Host::Ipv6(_) => {}
    }
    if let Some(port) = url.port()
        && !is_this_machine(host)
    {
        warnings.push(format!("it is not at the usual port, but at {port}"));
    }
    warnings
}

fn is_this_machine(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_encrypted_addresses_and_those_of_this_machine_are_opened() {
        for good in ["https://example.com/a?b#c", "http://localhost:8080/", "http://127.0.0.1/x", "http://[::1]:1/"] {
            assert_eq!(detail(good).refusal, None, "{good}");
        }
        for bad in [
            "http://example.com/",
            "http://127.0.0.1.example.com/",
            "http://localhost.example.com/",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "vscode://file/x",
            "ssh://host/",
            "smb://host/share",
            "ms-settings://x",
            "blob:https://example.com/x",
            "about:blank",
            "\\\\host\\share",
            "/etc/passwd",
            "--help",
            "",
        ] {
            assert!(detail(bad).refusal.is_some(), "{bad}");
        }
    }

    #[test]
    fn what_deceives_is_told_in_words() {
        let told = |url: &str| detail(url).warnings.join("; ");
        assert_eq!(told("https://example.com/path"), "");
        assert!(told("https://accounts.example.com@evil.test/").contains("the host is `evil.test`"));
        // A Cyrillic letter in the place of a Latin one.
        let alike = detail("https://ex\u{430}mple.com/");
        assert!(alike.host.starts_with("xn--"), "the host as the system sees it: {}", alike.host);
        assert!(alike.warnings[0].contains("ex\u{430}mple.com"), "{:?}", alike.warnings);
        assert!(told("https://93.184.216.34/").contains("a number"));
        assert!(told("https://0x5db8d822/").contains("a number"), "however it is written");
        assert!(told("https://example.com:8443/").contains("8443"));
        assert_eq!(told("http://127.0.0.1:8080/"), "", "this machine is known");
        assert_eq!(detail("https://a.test/\u{202e}x y").url, "https://a.test/%E2%80%AEx%20y", "as it is opened");
    }

    #[test]
    fn one_page_is_opened_in_a_second() {
        let (links, now) = (Links::default(), Instant::now());
        let opened = (0..1000).filter(|_| links.may_open(now)).count();
        assert_eq!(opened, 1, "however often somebody clicks");
        assert!(!links.may_open(now + Duration::from_millis(999)));
        assert!(links.may_open(now + PAUSE));
    }
}
