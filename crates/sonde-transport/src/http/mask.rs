//! What may be shown of an address and of a header: all of it but its secrets.

use sha2::{Digest, Sha256};
use url::Url;

const MASKED: &str = "‹masked›";

/// An address for a log, a window or a terminal.
pub fn shown_url(url: &Url) -> String {
    shown_address(url.as_str())
}

/// The same for text that need not be a valid address, like one whose variables are not filled in. A value that is
/// nothing but the name of a variable says no secret.
pub fn shown_address(address: &str) -> String {
    let (address, fragment) = split(address, '#');
    let (place, query) = split(address, '?');
    let mut shown = without_user(place);
    for (mark, pairs) in [('?', query), ('#', fragment)] {
        if let Some(pairs) = pairs {
            shown.push(mark);
            shown.push_str(&pairs.split('&').map(shown_pair).collect::<Vec<_>>().join("&"));
        }
    }
    shown
}

/// Whether a header may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// Its name decides.
    ByName,
    /// Nobody may read it, whatever its name.
    Kept,
}

/// The value of a header for a log, a window or a terminal.
pub fn mask_header(name: &str, value: &str, secrecy: Secrecy) -> String {
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "authorization" => match value.trim().split_once(' ') {
            Some((scheme, _)) if is_scheme(scheme) => format!("{scheme} {MASKED}"),
            _ => MASKED.to_owned(),
        },
        // Two that are the same can be seen to be, and no more than that.
        "mcp-session-id" => {
            let digest: String =
                Sha256::digest(value.as_bytes()).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            format!("‹session:{digest}›")
        }
        _ if secrecy == Secrecy::Kept || is_secret(&name) => MASKED.to_owned(),
        "location" | "content-location" | "referer" => shown_address(value),
        _ => value.to_owned(),
    }
}

/// A text without these values in it.
pub(super) fn without(text: String, secrets: &[String]) -> String {
    secrets
        .iter()
        .fold(text, |text, secret| if text.contains(secret.as_str()) { text.replace(secret, MASKED) } else { text })
}

/// An address that a server named for one session: all of it that its own address has not may be that session.
pub(super) fn shown_endpoint(base: &Url, url: &Url) -> String {
    let known: Vec<&str> = base.path_segments().into_iter().flatten().collect();
    let is_word = |segment: &str| {
        segment.len() <= 16 && segment.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_.".contains(&byte))
    };
    let segments = url.path_segments().into_iter().flatten();
    let path: Vec<&str> =
        segments.map(|segment| if known.contains(&segment) || is_word(segment) { segment } else { MASKED }).collect();
    let query = url.query().map(|query| {
        let pairs = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) => format!("{name}={MASKED}"),
            None => MASKED.to_owned(),
        });
        format!("?{}", pairs.collect::<Vec<_>>().join("&"))
    });
    format!("{}/{}{}", url.origin().ascii_serialization(), path.join("/"), query.unwrap_or_default())
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn without_user(place: &str) -> String {
    let (scheme, rest) = match place.find("//") {
        Some(end) => place.split_at(end + 2),
        None => ("", place),
    };
    let authority = rest.find(['/', '\\']).unwrap_or(rest.len());
    let user = rest.get(..authority).and_then(|authority| authority.rfind('@'));
    match user.and_then(|end| rest.get(end..)) {
        Some(host) => format!("{scheme}{MASKED}{host}"),
        None => place.to_owned(),
    }
}

fn shown_pair(pair: &str) -> String {
    // What stands alone may be anything.
    let Some((name, value)) = pair.split_once('=') else {
        return if pair.is_empty() || is_variable(pair) { pair.to_owned() } else { MASKED.to_owned() };
    };
    let plain = url::form_urlencoded::parse(name.as_bytes()).next().map(|(name, _)| name.to_ascii_lowercase());
    let says_nothing = value.is_empty() || is_variable(value);
    match plain.is_some_and(|name| is_secret_parameter(&name)) && !says_nothing {
        true => format!("{name}={MASKED}"),
        false => pair.to_owned(),
    }
}

/// `${NAME}`, without a default.
fn is_variable(value: &str) -> bool {
    let name = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
}

fn is_secret_parameter(name: &str) -> bool {
    ["key", "token", "secret", "auth", "password", "session", "sig"].iter().any(|word| name.contains(word))
}

fn is_secret(name: &str) -> bool {
    // What a server wants of us is no secret of ours.
    let asks = matches!(name, "www-authenticate" | "proxy-authenticate");
    !asks && ["auth", "token", "key", "secret", "cookie", "session", "password"].iter().any(|word| name.contains(word))
}

/// A word like `Bearer` or `Basic`, and not the first half of a secret.
fn is_scheme(word: &str) -> bool {
    (1..=16).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        for (address, shown) in [
            ("https://example.com/mcp?page=2&api_key=abc", "https://example.com/mcp?page=2&api_key=‹masked›"),
            ("https://example.com/?%6bey=abc&Signature=x", "https://example.com/?%6bey=‹masked›&Signature=‹masked›"),
            ("https://ada:pw@example.com/mcp", "https://‹masked›@example.com/mcp"),
            ("https://a@b:c@example.com", "https://‹masked›@example.com"),
            (
                "/messages?session_token=abc#access_token=d&x=1",
                "/messages?session_token=‹masked›#access_token=‹masked›&x=1",
            ),
            ("https://example.com/a@b", "https://example.com/a@b"),
            ("${BASE}/mcp?token=${TOKEN}&key=", "${BASE}/mcp?token=${TOKEN}&key="),
            ("${BASE}/mcp?token=${TOKEN:-abc}", "${BASE}/mcp?token=‹masked›"),
            ("", ""),
        ] {
            assert_eq!(shown_address(address), shown);
        }
        let url = Url::parse("https://example.com/mcp?token=${TOKEN}").unwrap();
        assert_eq!(shown_url(&url), "https://example.com/mcp?token=${TOKEN}", "no value was filled in");
    }

    #[test]
    fn the_address_of_a_session_shows_no_session() {
        let base = Url::parse("https://example.com/v1/sse").unwrap();
        for (url, shown) in [
            ("https://example.com/messages?sessionId=1&x", "https://example.com/messages?sessionId=‹masked›&‹masked›"),
            ("https://example.com/v1/messages/3fa2B1c0", "https://example.com/v1/messages/‹masked›"),
        ] {
            assert_eq!(shown_endpoint(&base, &Url::parse(url).unwrap()), shown);
        }
    }

    #[test]
    fn a_header_is_shown_without_its_secrets() {
        for (name, value, shown) in [
            ("Authorization", "Bearer abc.def", "Bearer ‹masked›"),
            ("authorization", "abcdef", "‹masked›"),
            ("authorization", "s3cret-with-a-space in it", "‹masked›"),
            ("Mcp-Session-Id", "abc", "‹session:ba7816bf›"),
            ("Cookie", "a=b", "‹masked›"),
            ("Set-Cookie", "a=b; Secure", "‹masked›"),
            ("Proxy-Authorization", "Basic abc", "‹masked›"),
            ("X-Api-Key", "abc", "‹masked›"),
            ("X-Shop-Token", "abc", "‹masked›"),
            ("WWW-Authenticate", "Bearer realm=\"x\"", "Bearer realm=\"x\""),
            ("Location", "https://example.com/?token=abc", "https://example.com/?token=‹masked›"),
            ("Content-Type", "text/event-stream", "text/event-stream"),
        ] {
            assert_eq!(mask_header(name, value, Secrecy::ByName), shown, "{name}: {value}");
        }
        assert_eq!(mask_header("X-Tenant", "abc", Secrecy::Kept), "‹masked›", "whoever set it knows best");
    }
}
