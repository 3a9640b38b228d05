//! What the head of an answer says beside its status: a session, another address, too much.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::failure::HttpFailure;
use super::mask::{shown_address, shown_url, without};

pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

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
pub(super) fn next_hop(
    from: &Url,
    status: u16,
    location: Option<&HeaderValue>,
    secrets: &[String],
) -> Result<Url, HttpFailure> {
    let written = location.map(|location| String::from_utf8_lossy(location.as_bytes()).into_owned());
    let target = written.as_deref().and_then(|written| from.join(written).ok());
    let refuse = |reason| {
        let location = match (&target, &written) {
            (Some(url), _) => shown_url(url),
            (None, Some(written)) => shown_address(written),
            (None, None) => "nowhere".to_owned(),
        };
        Err(HttpFailure::Redirected { status, location: without(location, secrets), reason })
    };
    match &target {
        _ if !matches!(status, 307 | 308) => refuse("only 307 and 308 keep the method and the body"),
        None => refuse("that is no address"),
        Some(url) if url.origin() != from.origin() => refuse("it is another origin, which may not see our headers"),
        Some(url) if !url.username().is_empty() || url.password().is_some() => refuse("it has a user in it"),
        Some(url) => Ok(url.clone()),
    }
}

pub(super) fn too_much(headers: &HeaderMap, limit: usize) -> Option<HttpFailure> {
    let size: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    (size > limit).then(|| HttpFailure::Headers { problem: format!("they have {size} bytes, {limit} at most") })
}
