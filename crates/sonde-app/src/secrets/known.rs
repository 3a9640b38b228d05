//! Which values of a launch must be seen by nobody but the server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sonde_registry::{
    CommandLine, Proxy, Reach, RemoteSpec, Secret, ServerSpec, looks_secret, secret_words, split_scheme,
};

/// Names and values. `told` are those that were looked up, and that a person called secrets or that look like some.
pub(super) fn of(filled: &ServerSpec, told: &[(String, Secret)]) -> Vec<(String, String)> {
    let mut known = Known::default();
    for (name, value) in told {
        known.add(name, value.expose());
    }
    match &filled.reach {
        Reach::Command(line) => command(line, &mut known),
        Reach::Url(remote) => address(remote, &mut known),
    }
    known.values
}

/// A value, and the parts of it that may be said alone.
pub(super) fn parts(name: &str, value: &str) -> Vec<(String, String)> {
    let mut known = Known::default();
    known.add(name, value);
    known.values
}

#[derive(Default)]
struct Known {
    values: Vec<(String, String)>,
}

impl Known {
    /// With the parts of it that may be said alone; the scheme of an authorization is no part of the secret.
    fn add(&mut self, name: &str, value: &str) {
        let (scheme, bare) = split_scheme(value);
        let bare = bare.trim();
        if scheme.is_empty() {
            self.push(name, value);
            if let Some(password) = password_of(value) {
                self.push(name, password);
            }
            return;
        }
        self.push(name, bare);
        if scheme.trim_end().eq_ignore_ascii_case("basic")
            && let Some(pair) = STANDARD.decode(bare).ok().and_then(|pair| String::from_utf8(pair).ok())
            && let Some((_, password)) = pair.split_once(':')
        {
            self.push(name, password);
        }
    }

    fn push(&mut self, name: &str, value: &str) {
        let is_new = !self.values.iter().any(|(_, there)| there == value);
        if is_new && !is_protocol(value) {
            self.values.push((name.to_owned(), value.to_owned()));
        }
    }
}

fn command(line: &CommandLine, known: &mut Known) {
    for (name, value) in line.env.iter().filter(|(name, value)| looks_secret(name, value)) {
        known.add(name, value);
    }
    for name in &line.env_passthrough {
        if let Some(value) = std::env::var(name).ok().filter(|value| looks_secret(name, value)) {
            known.add(name, &value);
        }
    }
    for word in secret_words(line.args.iter().map(String::as_str)) {
        let name = word.option.trim_start_matches('-');
        known.add(if name.is_empty() { "argument" } else { name }, word.value);
    }
}

fn address(remote: &RemoteSpec, known: &mut Known) {
    for header in remote.headers.iter().filter(|header| header.secret || looks_secret(&header.name, &header.value)) {
        known.add(&header.name, &header.value);
    }
    remote.filled.iter().for_each(|value| known.add("url", value));
    for (name, value) in remote.url.query_pairs().filter(|(name, value)| looks_secret(name, value)) {
        known.add(&name, &value);
    }
    if let Proxy::By(url) = &remote.proxy
        && let Some(password) = url.password()
    {
        known.push("proxy", password);
    }
}

/// The password within an address.
fn password_of(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password)
}

/// Words without which no answer could be read. Who has one of them for a password has none.
fn is_protocol(value: &str) -> bool {
    const WORDS: [&str; 16] = [
        "jsonrpc",
        "method",
        "params",
        "result",
        "message",
        "content",
        "isError",
        "resources",
        "prompts",
        "messages",
        "arguments",
        "capabilities",
        "protocolVersion",
        "serverInfo",
        "inputSchema",
        "description",
    ];
    WORDS.contains(&value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(line: CommandLine) -> Vec<(String, String)> {
        let mut known = Known::default();
        command(&line, &mut known);
        known.values
    }

    #[test]
    fn variables_and_arguments_that_look_secret_are_known_with_their_parts() {
        let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let line = CommandLine {
            env: pairs(&[
                ("API_KEY", "abc123"),
                ("HOME", "/home/ada"),
                ("AUTH", "Basic YWRhOnNlc2FtZTE="),
                ("DB", "postgres://ada:sesame2@localhost/x"),
                ("KEY", "result"),
            ]),
            args: ["--api-key", "k-1", "--token=t-1", "ghp_0123456789", "--auth", "--verbose", "plain"]
                .map(str::to_owned)
                .to_vec(),
            ..CommandLine::default()
        };
        let expected = pairs(&[
            ("API_KEY", "abc123"),
            ("AUTH", "YWRhOnNlc2FtZTE="),
            ("AUTH", "sesame1"),
            ("DB", "postgres://ada:sesame2@localhost/x"),
            ("DB", "sesame2"),
            ("api-key", "k-1"),
            ("token", "t-1"),
            ("argument", "ghp_0123456789"),
        ]);
        assert_eq!(known(line), expected);
    }
}
