//! What looks like a secret, by its name and by itself.

use std::ops::Range;
use std::path::Path;

use crate::expand::{DEEPEST, Reference};

/// Whether the value of a variable or of a header is a secret as far as one can tell. A path is none, nor is an address
/// without a password, nor what only refers to a value; but a default may be one.
pub fn looks_secret(name: &str, value: &str) -> bool {
    looks_secret_within(name, value, 0)
}

/// Defaults within defaults are looked at as deep as they are filled in.
pub(super) fn looks_secret_within(name: &str, value: &str, depth: usize) -> bool {
    let (_, bare) = split_scheme(value.trim());
    let default = |(variable, range): (&str, Range<usize>)| {
        let default = bare.get(range).unwrap_or_default();
        looks_secret_within(more_secret(variable, name), default, depth + 1)
    };
    if depth < DEEPEST && Reference::defaults_in(bare).into_iter().any(default) {
        return true;
    }
    let says_nothing = bare.is_empty() || is_reference(bare) || is_setting(bare);
    if says_nothing || is_path(name, bare) {
        return false;
    }
    match address(bare) {
        Some(has_password) => has_password,
        None => is_secret_name(name) || has_secret_look(bare),
    }
}

/// Of the name of a variable and that of the field which falls back to its default, the one that says more.
pub(super) fn more_secret<'a>(variable: &'a str, field: &'a str) -> &'a str {
    if is_secret_name(variable) { variable } else { field }
}

/// Whether the value of a header is a secret whatever it looks like: by the parts of its name, and not by words, for
/// nobody is harmed by one header too many.
pub fn is_secret_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["auth", "token", "key", "secret", "cookie", "session", "password"].iter().any(|word| name.contains(word))
}

/// The scheme of an authorization with the space behind it, and the rest.
pub fn split_scheme(value: &str) -> (&str, &str) {
    const SCHEMES: [&str; 5] = ["bearer", "basic", "token", "apikey", "digest"];
    match value.split_once(' ') {
        Some((scheme, _)) if SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) => {
            value.split_at(scheme.len() + 1)
        }
        _ => ("", value),
    }
}

fn is_secret_name(name: &str) -> bool {
    const WORDS: [&str; 22] = [
        "key",
        "keys",
        "token",
        "secret",
        "secrets",
        "password",
        "passwd",
        "pwd",
        "pass",
        "passphrase",
        "auth",
        "authorization",
        "authentication",
        "cookie",
        "cookies",
        "credential",
        "credentials",
        "creds",
        "bearer",
        "jwt",
        "pat",
        "session",
    ];
    const ENDS: [&str; 6] = ["key", "token", "secret", "password", "auth", "credentials"];
    words(name).any(|word| WORDS.contains(&word.as_str()) || ENDS.iter().any(|end| word.ends_with(end)))
}

/// `API_KEY`, `api-key` and `apiKey` are all of two words.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in name.chars() {
        let begins = !character.is_alphanumeric() || (before.is_lowercase() && character.is_uppercase());
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
        before = character;
    }
    words.into_iter().filter(|word| !word.is_empty())
}

fn has_secret_look(value: &str) -> bool {
    const BEGINNINGS: [&str; 36] = [
        "sk-",
        "sk_",
        "rk_",
        "pk_live_",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "xoxa-",
        "xoxb-",
        "xoxp-",
        "xoxr-",
        "xoxs-",
        "xapp-",
        "eyJ",
        "AKIA",
        "ASIA",
        "AIza",
        "ya29.",
        "hf_",
        "npm_",
        "pypi-",
        "dop_v1_",
        "SG.",
        "lin_api_",
        "ntn_",
        "figd_",
        "shpat_",
        "nvapi-",
        "gsk_",
        "pplx-",
        "tvly-",
        "secret_",
    ];
    let begins = |start: &&str| value.strip_prefix(*start).is_some_and(|rest| rest.len() >= 8 && !rest.contains(' '));
    BEGINNINGS.iter().any(begins) || (value.starts_with("-----BEGIN") && value.contains("PRIVATE KEY"))
}

/// Nothing but references, and what may stand between them.
fn is_reference(value: &str) -> bool {
    !Reference::all_in(value).is_empty()
        && !Reference::replaced_in(value, |_| "").chars().any(|character| character.is_alphanumeric())
}

/// A switch or a small number, whatever it is called.
fn is_setting(value: &str) -> bool {
    const SWITCHES: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "none", "null", "auto"];
    let is_count = value.len() < 6 && value.parse::<u32>().is_ok();
    is_count || SWITCHES.contains(&value.to_ascii_lowercase().as_str())
}

/// A value with a secret's name that begins with `/` may be a password as well as a path. It is a path if the name says
/// so, or if something is there.
fn is_path(name: &str, value: &str) -> bool {
    let is_drive = value.get(1..3).is_some_and(|after| matches!(after, ":\\" | ":/"));
    let is_relative = ["./", "../", "~/", "~\\", ".\\", "..\\"].iter().any(|start| value.starts_with(start));
    let is_plain = |character: char| character.is_alphanumeric() || "/\\._-: @()".contains(character);
    if value.len() < 2 || !value.chars().all(is_plain) {
        return false;
    }
    match value.starts_with('/') {
        true => !is_secret_name(name) || names_a_path(name) || Path::new(value).symlink_metadata().is_ok(),
        false => is_drive || is_relative,
    }
}

fn names_a_path(name: &str) -> bool {
    const WORDS: [&str; 7] = ["file", "path", "dir", "directory", "folder", "home", "root"];
    words(name).last().is_some_and(|word| WORDS.iter().any(|end| word.ends_with(end)))
}

/// Whether an address holds a password, or a secret among its parameters; None where it is none.
fn address(value: &str) -> Option<bool> {
    let (scheme, _) = value.split_once("://")?;
    let is_scheme = !scheme.is_empty()
        && scheme.chars().all(|character| character.is_ascii_alphanumeric() || "+.-".contains(character));
    is_scheme.then(|| !address_parts(value).is_empty())
}

/// Where in an address a password stands, and each parameter with a secret's name; not those that only refer to one.
pub(super) fn address_parts(value: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let Some(start) = value.find("://").map(|end| end + 3) else { return found };
    let end_of_place = value.find('?').filter(|end| *end >= start).unwrap_or(value.len());
    let authority = value.get(start..end_of_place).and_then(|place| place.split('/').next()).unwrap_or_default();
    if let Some((user, _)) = authority.rsplit_once('@')
        && let Some((name, password)) = user.split_once(':')
    {
        let place = start + name.len() + 1;
        found.push(place..place + password.len());
    }
    let mut place = end_of_place + 1;
    for pair in value.get(place..).unwrap_or_default().split('&') {
        if let Some((name, given)) = pair.split_once('=').filter(|(name, _)| is_secret_name(name)) {
            let first = place + name.len() + 1;
            found.push(first..first + given.len());
        }
        place += pair.len() + 1;
    }
    found.into_iter().flat_map(|range| given_in(value, range)).collect()
}

/// What of a part is written there: all of it, or what its references fall back to.
fn given_in(value: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let text = value.get(range.clone()).unwrap_or_default();
    let is_given = |text: &str| !text.is_empty() && Reference::all_in(text).is_empty();
    if is_given(text) {
        return Vec::from([range]);
    }
    let defaults = Reference::defaults_in(text).into_iter().map(|(_, default)| default);
    let given = defaults.filter(|default| text.get(default.clone()).is_some_and(is_given));
    given.map(|default| range.start + default.start..range.start + default.end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_known_by_its_name_or_by_its_look() {
        for (name, value) in [
            ("OPENAI_API_KEY", "abc"),
            ("apiKey", "abc"),
            ("GITHUB_TOKEN", "abc"),
            ("DB_PASSWORD", "hunter2"),
            ("X-Auth", "Bearer abc"),
            ("Cookie", "a=b"),
            ("ACCESSTOKEN", "abc"),
            ("WHATEVER", "ghp_0123456789abcdef"),
            ("WHATEVER", "eyJhbGciOiJIUzI1NiJ9.e30.x"),
            ("WHATEVER", "Bearer sk-0123456789"),
            ("DATABASE_URL", "postgres://ada:pw@localhost/shop"),
            ("ENDPOINT", "https://example.com/?api_key=abc"),
            ("TOKEN", "123456"),
            ("AWS_SECRET_ACCESS_KEY", "/K7MDENGbPxRfiCYEXAMPLEKEYwJalrXUtnFEMI"),
            ("DB_PASSWORD", "/swordfish"),
            ("TOKEN", "${TOKEN:-ghp_0123456789}"),
            ("WHATEVER", "${TOKEN:-abcdef}"),
            ("WHATEVER", "${A:-${B:-sk-0123456789}}"),
            ("DATABASE_URL", "postgres://ada:${PW:-sesame}@localhost/shop"),
        ] {
            assert!(looks_secret(name, value), "{name}={value}");
        }
    }

    #[test]
    fn paths_addresses_references_and_settings_are_none() {
        for (name, value) in [
            ("KEY_FILE", "/home/ada/.ssh/id_ed25519"),
            ("SSH_KEY_PATH", "/no/such/file"),
            ("CREDENTIALS", "/etc/passwd"),
            ("TOKEN", "${TOKEN:-}"),
            ("TOKEN", "${TOKEN:-none}"),
            ("PORT", "${PORT:-8080}"),
            ("KEY_FILE", "C:\\keys\\id.pem"),
            ("AUTH_URL", "https://example.com/login"),
            ("TOKEN", "${TOKEN}"),
            ("Authorization", "Bearer ${secret:TOKEN}"),
            ("AUTH", "${USER}:${PASSWORD}"),
            ("MAX_TOKENS", "4096"),
            ("AUTH_ENABLED", "true"),
            ("GIT_AUTHOR_NAME", "Ada"),
            ("TOKENIZERS_PARALLELISM", "false"),
            ("KEYBOARD", "de"),
            ("LOG_LEVEL", "debug"),
            ("TOKEN", ""),
            ("DATABASE_URL", "postgres://ada:${PW}@localhost/shop"),
        ] {
            assert!(!looks_secret(name, value), "{name}={value}");
        }
    }
}
