//! The forms of one secret that are looked for as they stand.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::Redactor;

/// One sequence of bytes that must not be seen.
pub(super) struct Form {
    pub bytes: Vec<u8>,
    /// The number of the secret.
    pub secret: usize,
}

pub(super) fn of(value: &str, secret: usize) -> Vec<Form> {
    let mut forms = plain(value);
    // A key of several lines comes line by line where lines are what is read.
    let lines = value
        .lines()
        .map(str::trim)
        .filter(|line| line.len() >= Redactor::SHORTEST && line.len() < value.len() && !line.starts_with("-----"));
    forms.extend(lines.flat_map(plain));
    // Escapes are undone, but what stands before one may make it look like another; so the usual ones are here, too.
    let escaped = escaped(value).into_iter().filter(|escaped| escaped != value);
    forms.extend(escaped.flat_map(|escaped| base64(escaped.as_bytes()).chain([escaped.into_bytes()])));
    forms.into_iter().map(|bytes| Form { bytes, secret }).collect()
}

/// The text as it is, as UTF-16, and in base64.
fn plain(value: &str) -> Vec<Vec<u8>> {
    let wide = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
    [value.as_bytes().to_vec(), wide].into_iter().chain(base64(value.as_bytes())).collect()
}

/// In both alphabets, at each place within three bytes: the characters that do not depend on what stands around them.
fn base64(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> + use<> {
    let mut forms = Vec::new();
    for before in 0..3_usize {
        let shifted = [vec![0; before], bytes.to_vec()].concat();
        let inner = (before * 8).div_ceil(6)..shifted.len() * 8 / 6;
        for encoded in [STANDARD_NO_PAD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)] {
            forms.push(encoded.as_bytes().get(inner.clone()).unwrap_or_default().to_vec());
        }
    }
    forms.into_iter().filter(|form| form.len() >= Redactor::SHORTEST)
}

/// As the usual writers of JSON, of addresses and of forms would have it.
fn escaped(value: &str) -> [String; 7] {
    let json: String = value.chars().map(json).collect();
    let ascii = |number: fn(u16) -> String| {
        let mut text = String::with_capacity(json.len());
        for character in json.chars() {
            match character.is_ascii() {
                true => text.push(character),
                false => text.extend(character.encode_utf16(&mut [0; 2]).iter().map(|unit| number(*unit))),
            }
        }
        text
    };
    let percent = |space: &str, number: fn(u8) -> String| {
        let byte = |byte: u8| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            b' ' => space.to_owned(),
            other => number(other),
        };
        value.bytes().map(byte).collect::<String>()
    };
    [
        ascii(|unit| format!("\\u{unit:04x}")),
        ascii(|unit| format!("\\u{unit:04X}")),
        json.replace('/', "\\/"),
        percent("%20", |byte| format!("%{byte:02X}")),
        percent("%20", |byte| format!("%{byte:02x}")),
        percent("+", |byte| format!("%{byte:02X}")),
        json,
    ]
}

/// With no more escapes than there must be.
fn json(character: char) -> String {
    match character {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        control if control < ' ' => format!("\\u{:04x}", u32::from(control)),
        other => other.to_string(),
    }
}
