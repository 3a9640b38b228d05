//! What an address, a header and the rest of a remote server must be like. A problem never quotes a value that may be
//! a secret.

use url::Url;

use crate::reach::{HeaderSpec, Proxy};
use crate::secret::is_secret_header;

/// Headers that would break the transport if anybody else set them, and why.
const OURS: [(&str, &str); 11] = [
    ("accept", "the transport says which answers it can read"),
    ("accept-encoding", "the transport says how an answer may be compressed"),
    ("connection", "the transport keeps its connections"),
    ("content-length", "the transport knows the length of each message"),
    ("content-type", "every message is JSON"),
    ("host", "it is the host of the `url`"),
    ("last-event-id", "the transport resumes its streams"),
    ("mcp-protocol-version", "it is what was agreed in `initialize`"),
    ("mcp-session-id", "the server gives it"),
    ("te", "the transport frames each message"),
    ("transfer-encoding", "the transport frames each message"),
];

pub(crate) const TWICE: &str = "the header is there twice; leave one out";

/// The longest value of a header that a server can be expected to take.
const LONGEST_VALUE: usize = 16 << 10;

pub(crate) fn url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim())
        .map_err(|error| format!("it is no address ({error}); one looks like `https://example.com/mcp`"))?;
    if !matches!(url.scheme(), "http" | "https") {
        if !text.contains("://") {
            // `localhost:3000` is read as the scheme `localhost`.
            return Err("it must begin with `http://` or `https://`, as in `http://localhost:3000/mcp`".to_owned());
        }
        return Err(format!("only `http` and `https` can be spoken, not `{}`", url.scheme()));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err("the host is missing".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a user or a password must not stand in it; \
            give them in the header `Authorization`, from a variable like `${TOKEN}`"
            .to_owned());
    }
    if url.fragment().is_some() {
        return Err("what follows `#` is never sent; leave it out".to_owned());
    }
    Ok(url)
}

/// `written` is the value before its variables were filled in.
pub(crate) fn header(name: &str, value: String, written: String) -> Result<HeaderSpec, String> {
    if name.is_empty() {
        return Err("the name of the header is empty".to_owned());
    }
    if let Some(wrong) = name.chars().find(|character| !is_name_character(*character)) {
        return Err(format!("the name of a header can't have `{}` in it", wrong.escape_default()));
    }
    let plain = name.to_ascii_lowercase();
    if let Some((_, why)) = OURS.iter().find(|(ours, _)| *ours == plain) {
        return Err(format!("this header can't be set: {why}"));
    }
    if let Some(wrong) = value.chars().find(|character| !is_value_character(*character)) {
        let what = match wrong {
            '\r' | '\n' => "a line break".to_owned(),
            '\0' => "a NUL".to_owned(),
            wrong if wrong.is_ascii() => format!("the control character {:#04x}", u32::from(wrong)),
            _ => "a character outside ASCII".to_owned(),
        };
        return Err(format!("its value has {what} in it, which no header can carry"));
    }
    if value.len() > LONGEST_VALUE {
        return Err(format!("its value has {} bytes; at most {LONGEST_VALUE} can be sent", value.len()));
    }
    // Servers and proxies take spaces around a value away, and so the log must not show them.
    let value = value.trim().to_owned();
    let secret = is_secret_header(&plain) || written.contains("${");
    Ok(HeaderSpec { name: name.to_owned(), value, written, secret })
}

/// More tries would be a storm.
pub(crate) fn retries(text: &str) -> Option<u32> {
    text.parse().ok().filter(|retries| *retries <= 10)
}

/// By how much pauses grow, in thousandths: they never shrink, and soon reach their limit.
pub(crate) fn backoff(text: &str) -> Option<u32> {
    let factor: f64 = text.parse().ok().filter(|factor| (1.0..=10.0).contains(factor))?;
    Some((factor * 1000.0).round() as u32)
}

/// `none`, or the address of a proxy.
pub(crate) fn proxy(text: &str) -> Result<Proxy, String> {
    let text = text.trim();
    if text == "none" {
        return Ok(Proxy::Never);
    }
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(Proxy::By(url)),
        Ok(url) if url.has_host() => {
            Err(format!("a proxy is spoken to by `http` or `https`, not by `{}`", url.scheme()))
        }
        _ => Err("it must be `none` or an address like `http://proxy.example.com:3128`".to_owned()),
    }
}

/// `sha256:` and 64 digits, which may stand in groups divided by colons.
pub(crate) fn pin(text: &str) -> Result<[u8; 32], String> {
    let wrong = || "it must be `sha256:` and the 64 hexadecimal digits of the certificate's hash".to_owned();
    let digits = text.trim().strip_prefix("sha256:").ok_or_else(wrong)?;
    let digits: Vec<u32> = digits
        .chars()
        .filter(|character| *character != ':')
        .map(|character| character.to_digit(16).ok_or_else(wrong))
        .collect::<Result<_, _>>()?;
    let bytes: Vec<u8> = digits
        .chunks(2)
        .filter_map(|pair| match pair {
            [high, low] => u8::try_from(high * 16 + low).ok(),
            _ => None,
        })
        .collect();
    match digits.len() {
        64 => bytes.try_into().map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(character)
}

fn is_value_character(character: char) -> bool {
    character == '\t' || (' '..='~').contains(&character)
}
