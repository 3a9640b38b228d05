//! What looks like a secret, by its name and by itself.

use crate::expand::Reference;

/// Whether the value of a variable or of a header is a secret as far as one can tell. A path is none, nor is an address
/// without a password, nor what only refers to a value.
pub fn looks_secret(name: &str, value: &str) -> bool {
    let (_, bare) = split_scheme(value.trim());
    let says_nothing = bare.is_empty() || is_reference(bare) || is_setting(bare);
    if says_nothing || is_path(bare) {
        return false;
    }
    match address(bare) {
        Some(has_password) => has_password,
        None => is_secret_name(name) || has_secret_look(bare),
    }
}

/// The scheme of an authorization with the space behind it, and the rest.
pub(super) fn split_scheme(value: &str) -> (&str, &str) {
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

fn is_path(value: &str) -> bool {
    let is_drive = value.get(1..3).is_some_and(|after| matches!(after, ":\\" | ":/"));
    let is_rooted = ["/", "./", "../", "~/", "~\\", ".\\", "..\\"].iter().any(|start| value.starts_with(start));
    let is_plain = |character: char| character.is_alphanumeric() || "/\\._-: @()".contains(character);
    (is_drive || is_rooted) && value.chars().all(is_plain) && value.len() > 1
}

/// Whether an address holds a password, or a secret among its parameters; None where it is none.
fn address(value: &str) -> Option<bool> {
    let (scheme, rest) = value.split_once("://")?;
    let is_scheme = !scheme.is_empty()
        && scheme.chars().all(|character| character.is_ascii_alphanumeric() || "+.-".contains(character));
    if !is_scheme {
        return None;
    }
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = place.split('/').next().unwrap_or_default();
    let password = authority.rsplit_once('@').and_then(|(user, _)| user.split_once(':')).map(|(_, password)| password);
    let given = |text: &str| !text.is_empty() && !is_reference(text);
    let in_query = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .any(|(name, value)| is_secret_name(name) && given(value));
    Some(password.is_some_and(given) || in_query)
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
        ] {
            assert!(looks_secret(name, value), "{name}={value}");
        }
    }

    #[test]
    fn paths_addresses_references_and_settings_are_none() {
        for (name, value) in [
            ("KEY_FILE", "/home/ada/.ssh/id_ed25519"),
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
