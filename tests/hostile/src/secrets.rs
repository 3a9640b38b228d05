//! Secrets that must stay where they were put, and every form in which they could turn up elsewhere.

use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Names and values in our own environment that no server was granted.
pub const OURS: &[(&str, &str)] =
    &[("OPENAI_API_KEY", "sk-canary-one/\"7Qx+=é~Zk2"), ("AWS_SECRET_ACCESS_KEY", "aws-canary-two/\"9Lm+=ü~Vb4")];

/// What the hostile server is given as a variable of its own, and never says aloud.
pub const GRANTED: (&str, &str) = ("HOSTILE_TOKEN", "tok-canary-three/\"3Rt+=ß~Hn6");

/// Headers that an HTTP server is told, and that nobody else may ever see.
pub const HEADERS: &[(&str, &str)] =
    &[("Authorization", "Bearer hdr-canary-four/5Wd+=~Jp8"), ("X-Api-Key", "key-canary-six/8Yb+=~Tf2")];

/// The word by which a proxy knows us, as it stands in an address and as it is sent.
pub const PROXY: (&str, &str) = ("PROXY_PASSWORD", "prx-canary-seven.4Kc~Wq9");

/// Stands in every secret, and nowhere else. Looking for its few forms first is what makes large files bearable.
const MARK: &str = "canary-";

/// A secret in one of its forms.
struct Form {
    name: &'static str,
    bytes: Vec<u8>,
}

/// Where a secret turned up under `folder`, in words.
pub fn found_under(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot look into {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(found_under(&path)?);
        } else {
            found.extend(found_in_file(&path)?);
        }
    }
    Ok(found)
}

/// Where a secret turned up in a file, in words.
pub fn found_in_file(path: &Path) -> Result<Vec<String>> {
    let known = OURS.iter().chain([&GRANTED, &PROXY, &("SESSION", crate::script::SESSION)]).chain(HEADERS);
    Hidden::of(known.map(|(name, value)| (*name, *value))).found_in_file(path)
}

/// Values that must be found nowhere. Each has the mark in it.
pub struct Hidden {
    forms: Vec<(String, Form)>,
    marks: Vec<Form>,
}

impl Hidden {
    pub fn of<'a>(values: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let named = |(name, value): (&'a str, &'a str)| {
            forms(value).into_iter().map(move |form| (name.to_owned(), form)).collect::<Vec<_>>()
        };
        Hidden { forms: values.into_iter().flat_map(named).collect(), marks: forms(MARK) }
    }

    /// Where one of them stands under a folder, in words.
    pub fn found_under(&self, folder: &Path) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).with_context(|| format!("cannot look into {}", folder.display()))? {
            let path = entry?.path();
            found.extend(if path.is_dir() { self.found_under(&path)? } else { self.found_in_file(&path)? });
        }
        Ok(found)
    }

    pub fn found_in(&self, place: &str, bytes: &[u8]) -> Vec<String> {
        if !self.marks.iter().any(|mark| memchr::memmem::find(bytes, &mark.bytes).is_some()) {
            return Vec::new();
        }
        let stands = |(_, form): &&(String, Form)| memchr::memmem::find(bytes, &form.bytes).is_some();
        let words = |(name, form): &(String, Form)| format!("`{name}` stands in {place} as {}", form.name);
        self.forms.iter().filter(stands).map(words).collect()
    }

    fn found_in_file(&self, path: &Path) -> Result<Vec<String>> {
        /// The file is read in parts that overlap by more than any form is long.
        const PART: usize = 8 << 20;
        const OVERLAP: usize = 4096;
        let file = std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let (size, place) = (file.metadata()?.len(), path.display().to_string());
        let mut found = Vec::new();
        let mut buffer = vec![0; PART + OVERLAP];
        let mut offset = 0;
        while offset < size {
            let length = read_at(&file, &mut buffer, offset)?;
            found.extend(self.found_in(&place, buffer.get(..length).unwrap_or_default()));
            offset += PART as u64;
        }
        found.dedup();
        Ok(found)
    }
}

fn read_at(file: &std::fs::File, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match std::os::unix::fs::FileExt::read_at(file, rest, offset + length as u64)? {
            0 => break,
            size => length += size,
        }
    }
    Ok(length)
}

/// Raw, escaped for JSON, percent-encoded, base64 of both alphabets at each alignment, UTF-16.
fn forms(secret: &str) -> Vec<Form> {
    let form = |name, bytes: Vec<u8>| Form { name, bytes };
    let escaped = serde_json::Value::from(secret).to_string();
    let mut all = vec![
        form("it is", secret.as_bytes().to_vec()),
        form("JSON", escaped.trim_matches('"').as_bytes().to_vec()),
        form("a percent-encoded text", percent(secret, |byte| format!("%{byte:02X}"))),
        form("a percent-encoded text", percent(secret, |byte| format!("%{byte:02x}"))),
        form("UTF-16", secret.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ];
    for before in 0..3 {
        let bytes = [vec![0; before], secret.as_bytes().to_vec()].concat();
        // Only the characters in the middle do not depend on what stands before and after.
        let middle = |text: String| {
            text.get((before * 8).div_ceil(6)..bytes.len() * 8 / 6).unwrap_or_default().as_bytes().to_vec()
        };
        all.push(form("base64", middle(STANDARD_NO_PAD.encode(&bytes))));
        all.push(form("base64 for addresses", middle(URL_SAFE_NO_PAD.encode(&bytes))));
    }
    // What needs no escape is the same in several forms.
    all.sort_by(|one, other| one.bytes.cmp(&other.bytes));
    all.dedup_by(|one, other| one.bytes == other.bytes);
    all
}

fn percent(secret: &str, encode: fn(u8) -> String) -> Vec<u8> {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => encode(other),
    };
    secret.bytes().map(byte).collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_found_in_every_form_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let (name, secret) = OURS[0];
        let hide = |bytes: &[u8]| {
            let path = folder.path().join("file");
            std::fs::write(&path, [b"before ", bytes, b" after"].concat()).unwrap();
            found_in_file(&path).unwrap()
        };
        assert!(hide(b"a canary, and half of sk-canary-one").is_empty(), "what is not the secret is not found");
        for before in ["", "x", "xy"] {
            let encoded = STANDARD_NO_PAD.encode(format!("{before}{secret}z"));
            assert!(!hide(encoded.as_bytes()).is_empty(), "behind {} bytes in base64", before.len());
        }
        let wide: Vec<u8> = secret.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let escaped = serde_json::Value::from(secret).to_string();
        for bytes in [secret.as_bytes(), &wide, escaped.as_bytes(), &percent(secret, |byte| format!("%{byte:02X}"))] {
            let found = hide(bytes);
            assert!(found.iter().any(|found| found.contains(name)), "{}", String::from_utf8_lossy(bytes));
        }
    }
}
