//! Packages that are fetched when a server starts: without a version, what runs may be another each time.

use super::Words;

pub(super) fn unpinned(words: &Words) -> Option<String> {
    words.each().find_map(|(_, name, rest)| {
        let rest: Vec<&str> = rest.iter().map(|(_, word)| *word).collect();
        let package = match name {
            "npx" | "bunx" | "pnpx" => package(&rest),
            "pnpm" | "yarn" => package(rest.strip_prefix(&["dlx"])?),
            "npm" => package(rest.strip_prefix(&["exec"]).or_else(|| rest.strip_prefix(&["x"]))?),
            "uvx" => package(&rest),
            "uv" => package(rest.strip_prefix(&["tool", "run"])?),
            "pipx" => package(rest.strip_prefix(&["run"])?),
            _ => None,
        }?;
        (!is_pinned(package))
            .then(|| format!("`{name}` takes whatever version of `{package}` is newest: what runs may change unasked"))
    })
}

/// The package that is named by a flag, or else the first word that is no flag.
fn package<'a>(words: &[&'a str]) -> Option<&'a str> {
    const NAMING: [&str; 4] = ["-p", "--package", "--from", "--spec"];
    /// Flags that are followed by a value of their own.
    const WITH_VALUE: [&str; 8] =
        ["-c", "--call", "--python", "--with", "--index-url", "--registry", "-w", "--workspace"];
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if let Some((flag, value)) = word.split_once('=')
            && NAMING.contains(&flag)
        {
            return Some(value);
        }
        match word {
            "--" => return words.next(),
            word if NAMING.contains(&word) => return words.next(),
            word if WITH_VALUE.contains(&word) => drop(words.next()),
            word if word.starts_with('-') => {}
            word => return Some(word),
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
