//! The forty secrets, and every form in which they could turn up.

use std::fmt::Write as _;
use std::path::Path;

use aho_corasick::{AhoCorasick, Match};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// One secret: where it is planted, under which name.
#[derive(Debug, Clone)]
pub struct Canary {
    pub name: String,
    pub value: String,
}

/// In the keyring, for variables of a server.
const KEPT: [&str; 14] = [
    "q7Xz!9",
    "kanarienvogel-gelb-01",
    "quote\"inside\"it-02",
    "back\\slash\\n-03",
    "grüße-aus-köln-04",
    "emoji-🐤-singt-05",
    "bGlrZS1iYXNlNjQtMDY=",
    "dXJsLXNhZmVfbG9va2luZy0wNw",
    "plus+and%20percent/08",
    "spaces in the middle 09",
    "<tag attr='x'>&amp;-10",
    "${NOT_A_VARIABLE}-11",
    "{\"json\":\"inside\",\"n\":12}",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG13\nAgEAAoIBAQC7VJTUt9Us13\n-----END PRIVATE KEY-----\n",
];

/// Inputs that a person types.
const TYPED: [&str; 6] = [
    "input-plain-14",
    "80915347",
    "tab\there-16",
    "\u{202e}backwards-17",
    "C:\\Users\\ada\\pass word-18",
    "über\"alles\\x-19",
];

/// In our own environment.
const OURS: [&str; 5] = [
    "env-token-with/slash-20",
    "env key, quote ' and \" 21",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIyMiJ9.c2lnbmF0dXJlLTIy",
    "tenant-value-23",
    "passed-on-ä-24",
];

/// In arguments of the command line.
const ARGUMENTS: [&str; 4] = ["arg-secret-25", "arg with \"quotes\" 26", "arg=equals&amp-27", "-begins-with-a-dash-28"];

/// In headers and in an address, which have fewer characters.
const SENT: [&str; 5] =
    ["header-token.29~", "header+key/30==", "sid=cookie-31", "in-the-address/32?&=+", "dXNlcjpwYXNzd29yZC0zMw=="];

/// In clear in what is imported.
const IMPORTED: [&str; 5] = [
    "sk-imported-0123456789-34",
    "ghp_importedByItsLook35",
    "postgres://ada:pw-of-the-url-36@localhost/db",
    "imported \"quoted\" \\ 37",
    "imported-header-38",
];

pub fn kept() -> Vec<Canary> {
    named("KEPT", &KEPT)
}

pub fn typed() -> Vec<Canary> {
    let mut typed = named("typed", &TYPED);
    // A long one: a whole certificate, or what people take for a password.
    typed.push(Canary { name: "typed_LONG".to_owned(), value: "lang-39-".repeat(400) });
    typed
}

pub fn ours() -> Vec<Canary> {
    named("CANARY_TOKEN_OURS", &OURS)
}

pub fn arguments() -> Vec<Canary> {
    named("ARG", &ARGUMENTS)
}

pub fn sent() -> Vec<Canary> {
    named("SENT", &SENT)
}

pub fn imported() -> Vec<Canary> {
    named("IMPORTED", &IMPORTED)
}

pub fn all() -> Vec<Canary> {
    [kept(), typed(), ours(), arguments(), sent(), imported()].concat()
}

/// A script that puts what is ours into the environment.
pub fn exports() -> String {
    let line = |canary: Canary| format!("export {}='{}'\n", canary.name, canary.value.replace('\'', r"'\''"));
    ours().into_iter().map(line).collect()
}

/// Looks for secrets in every form.
pub struct Search {
    automaton: AhoCorasick,
    /// The name of the secret and of the form, in the order of the patterns.
    names: Vec<(String, &'static str)>,
}

impl Search {
    pub fn of(canaries: Vec<Canary>) -> Self {
        let (mut names, mut patterns) = (Vec::new(), Vec::new());
        for canary in canaries {
            for (form, bytes) in forms(&canary.value) {
                names.push((canary.name.clone(), form));
                patterns.push(bytes);
            }
        }
        Search { automaton: AhoCorasick::new(patterns).unwrap(), names }
    }

    /// Where secrets stand in these bytes, in words.
    pub fn found_in(&self, place: &str, bytes: &[u8]) -> Vec<String> {
        let told = |found: Match| {
            let (name, form) = &self.names[found.pattern().as_usize()];
            let around = bytes.get(found.start().saturating_sub(60)..(found.end() + 20).min(bytes.len()));
            format!("{name} stands in {place} as {form}: …{}…", String::from_utf8_lossy(around.unwrap_or_default()))
        };
        self.automaton.find_iter(bytes).take(20).map(told).collect()
    }

    /// The same for every file under a folder.
    pub fn found_under(&self, folder: &Path, files: &mut Vec<String>) -> Vec<String> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                found.extend(self.found_under(&path, files));
            } else if path.is_file() {
                let bytes = std::fs::read(&path).unwrap_or_default();
                found.extend(self.found_in(&path.display().to_string(), &bytes));
                files.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
        found
    }
}

fn named(name: &str, values: &[&str]) -> Vec<Canary> {
    let canary =
        |(place, value): (usize, &&str)| Canary { name: format!("{name}_{place}"), value: (*value).to_owned() };
    values.iter().enumerate().map(canary).collect()
}

/// Raw, escaped for JSON once and twice, percent-encoded, base64 of both alphabets at each alignment, UTF-16.
fn forms(secret: &str) -> Vec<(&'static str, Vec<u8>)> {
    let json = |text: &str| {
        let text = serde_json::Value::from(text).to_string();
        text[1..text.len() - 1].to_owned()
    };
    let ascii = secret.chars().fold(String::new(), |mut text, character| {
        match character.is_ascii() {
            true => text += &json(&character.to_string()),
            false => character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| write!(text, "\\u{unit:04x}").unwrap()),
        }
        text
    });
    let percent = |encode: fn(u8) -> String| {
        let byte = |byte: u8| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            other => encode(other),
        };
        secret.bytes().map(byte).collect::<String>()
    };
    let upper = percent(|byte| format!("%{byte:02X}"));
    let mut forms = vec![
        ("it is", secret.as_bytes().to_vec()),
        ("JSON", json(secret).into_bytes()),
        ("JSON with slashes", json(secret).replace('/', "\\/").into_bytes()),
        ("JSON in ASCII", ascii.into_bytes()),
        ("JSON within JSON", json(&json(secret)).into_bytes()),
        ("a form", upper.replace("%20", "+").into_bytes()),
        ("an address", upper.into_bytes()),
        ("an address in small letters", percent(|byte| format!("%{byte:02x}")).into_bytes()),
        ("UTF-16", secret.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ];
    for before in 0..3 {
        let shifted = [vec![0; before], secret.as_bytes().to_vec()].concat();
        let inner = (before * 8).div_ceil(6)..shifted.len() * 8 / 6;
        forms.push(("base64", STANDARD_NO_PAD.encode(&shifted).as_bytes()[inner.clone()].to_vec()));
        forms.push(("base64 for addresses", URL_SAFE_NO_PAD.encode(&shifted).as_bytes()[inner].to_vec()));
    }
    forms
}

#[test]
fn there_are_forty_of_them_and_each_is_found_where_it_stands() {
    let all = all();
    assert_eq!(all.len(), 40);
    for canary in all {
        let (text, search) = (format!("x {} y", canary.value), Search::of(vec![canary]));
        assert_eq!(search.found_in("here", text.as_bytes()).len(), 1, "{text}");
        assert!(search.found_in("here", b"nothing of the kind").is_empty());
    }
}
