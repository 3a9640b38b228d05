//! Packages that are fetched when a server starts: without a version, what runs may be another each time.

use super::{Word, Words};
use crate::text::visible;

pub(super) fn unpinned(words: &Words) -> Option<String> {
    words.each().find_map(|(_, name, rest)| {
        let package = match name {
            "npx" | "bunx" | "pnpx" | "uvx" => package(rest),
            "pnpm" | "yarn" => package(after(rest, &["dlx"])?),
            "npm" => package(after(rest, &["exec"]).or_else(|| after(rest, &["x"]))?),
            "uv" => package(after(rest, &["tool", "run"])?),
            "pipx" => package(after(rest, &["run"])?),
            _ => None,
        }?;
        (!is_pinned(package.text)).then(|| {
            let written = visible(package.written);
            format!("`{name}` takes whatever version of `{written}` is newest: what runs may change unasked")
        })
    })
}

/// What follows these words, where the others begin with them.
fn after<'w, 'a>(words: &'w [Word<'a>], beginning: &[&str]) -> Option<&'w [Word<'a>]> {
    let (first, rest) = words.split_at_checked(beginning.len())?;
    first.iter().map(|word| word.text).eq(beginning.iter().copied()).then_some(rest)
}

/// The name of a package.
struct Package<'a> {
    text: &'a str,
    written: &'a str,
}

/// The package that is named by a flag, or else the first word that is no flag.
fn package<'a>(words: &[Word<'a>]) -> Option<Package<'a>> {
    const NAMING: [&str; 4] = ["-p", "--package", "--from", "--spec"];
    /// Flags that are followed by a value of their own.
    const WITH_VALUE: [&str; 8] =
        ["-c", "--call", "--python", "--with", "--index-url", "--registry", "-w", "--workspace"];
    let whole = |word: &Word<'a>| Package { text: word.text, written: word.written };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if let Some((flag, text)) = word.text.split_once('=')
            && NAMING.contains(&flag)
        {
            let written = word.written.split_once('=').map_or(word.written, |(_, value)| value);
            return Some(Package { text, written });
        }
        match word.text {
            "--" => return words.next().map(whole),
            text if NAMING.contains(&text) => return words.next().map(whole),
            text if WITH_VALUE.contains(&text) => drop(words.next()),
            text if text.starts_with('-') => {}
            _ => return Some(whole(word)),
        }
    }
    None
}

/// Whether the name says which version is meant. A path is what it is.
fn is_pinned(package: &str) -> bool {
    if package.starts_with(['.', '/', '~']) || package.contains('\\') {
        return true;
    }
    let version = match package.split_once("==") {
        Some((_, version)) => Some(version),
        // The first sign of a scoped name is part of it.
        None => package.get(1..).and_then(|rest| rest.rsplit_once('@')).map(|(_, version)| version),
    };
    version.is_some_and(|version| {
        let begins = version.trim_start_matches('v').starts_with(|first: char| first.is_ascii_digit());
        begins && !version.contains(['x', '*', '^', '~', '>', '<', ' ']) || is_commit(version)
    })
}

fn is_commit(version: &str) -> bool {
    version.len() == 40 && version.bytes().all(|byte| byte.is_ascii_hexdigit())
}
