//! A `demo:` URI taken apart, with its escapes resolved.

/// What stands in a URI behind `demo://`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// The first word, which says what the rest means.
    pub(super) kind: String,
    pub(super) path: Vec<String>,
    /// Behind semicolons.
    pub(super) parameters: Vec<(String, String)>,
    /// Behind the question mark. A name may come more than once.
    pub(super) query: Vec<(String, String)>,
    pub(super) fragment: Option<String>,
}

impl Parts {
    pub(super) fn of(uri: &str) -> Option<Self> {
        let rest = uri.strip_prefix("demo://")?;
        let (rest, fragment) = split_off(rest, '#');
        let (rest, query) = split_off(rest, '?');
        let (rest, parameters) = split_off(rest, ';');
        let mut path = rest.split('/').map(decode);
        Some(Self {
            kind: path.next()?,
            path: path.collect(),
            parameters: parameters.map(|text| pairs(text, ';')).unwrap_or_default(),
            query: query.map(|text| pairs(text, '&')).unwrap_or_default(),
            fragment: fragment.map(decode),
        })
    }
}

fn split_off(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

/// A name without a value has an empty one.
fn pairs(text: &str, between: char) -> Vec<(String, String)> {
    let pair = |pair: &str| pair.split_once('=').map_or((decode(pair), String::new()), |(k, v)| (decode(k), decode(v)));
    text.split(between).filter(|part| !part.is_empty()).map(pair).collect()
}

/// Percent-decodes; what is no escape stays as it is.
fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, ..] => {
                std::str::from_utf8(&[*high, *low]).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok())
            }
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { rest.get(3..).unwrap_or_default() } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
