//! The variables that a server gets from its entry: what of them a person is told, and what must not change unseen.

use sonde_registry::{CommandLine, LaunchVariable, Reference, looks_secret};

use super::risks;

/// What a yes is given for. A value may change as tokens do, where it looks like one or is what a person gives; every
/// other one may decide what a program does.
pub(super) fn guarded(line: &CommandLine) -> Vec<LaunchVariable> {
    let guarded = |((name, value), (_, written)): (&(String, String), &(String, String))| LaunchVariable {
        name: name.clone(),
        written: written.clone(),
        guarded: match written.as_str() {
            // Where it comes from does not matter if it decides which code is run.
            _ if risks::loads_code(name) => value.clone(),
            written if is_free(name, written) => place_of(written).unwrap_or_default(),
            written => written.to_owned(),
        },
    };
    line.env.iter().zip(&line.written_env).map(guarded).collect()
}

/// Those whose values a person may read, as they are written.
pub(super) fn plain(line: &CommandLine) -> Vec<(String, String)> {
    line.written_env.iter().filter(|(name, written)| !is_free(name, written)).cloned().collect()
}

/// In words, which variables of ours each of the server's own takes.
pub(super) fn taken(line: &CommandLine) -> Vec<String> {
    let taken = line.written_env.iter().filter_map(|(name, written)| {
        let ours = Reference::all_in(written).into_iter().filter_map(|reference| match reference {
            Reference::Env("pathSeparator" | "/" | "workspaceFolderBasename") => None,
            Reference::Env(ours) => Some(ours),
            _ => None,
        });
        let ours: Vec<&str> = ours.collect();
        (!ours.is_empty()).then(|| format!("{name} takes your {}", ours.join(" and ")))
    });
    taken.collect()
}

/// A text as a person who is asked sees it: with everything filled in that does not look secret.
pub(super) fn shown(written: &str, filled: &str) -> String {
    shown_by(&|name| std::env::var(name).ok(), written, filled)
}

fn shown_by(ours: &dyn Fn(&str) -> Option<String>, written: &str, filled: &str) -> String {
    let is_secret = |reference: &Reference| match reference {
        Reference::Env(name) => ours(name).is_some_and(|value| looks_secret(name, &value)),
        _ => false,
    };
    let hides = Reference::all_in(written).iter().any(is_secret);
    if hides { written.to_owned() } else { filled.to_owned() }
}

/// Whether another value is nothing that a person must see.
fn is_free(name: &str, written: &str) -> bool {
    let is_given = |reference: &Reference| reference.is_given() && written == format!("${{{reference}}}");
    looks_secret(name, written) || Reference::all_in(written).first().is_some_and(is_given)
}

/// Where an address leads, whose password and parameters may change.
fn place_of(written: &str) -> Option<String> {
    let (scheme, rest) = written.split_once("://")?;
    let place = rest.split('?').next()?;
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    Some(format!("{scheme}://{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(env: &[(&str, &str, &str)]) -> CommandLine {
        CommandLine {
            env: env.iter().map(|(name, _, value)| ((*name).into(), (*value).into())).collect(),
            written_env: env.iter().map(|(name, written, _)| ((*name).into(), (*written).into())).collect(),
            ..CommandLine::default()
        }
    }

    #[test]
    fn every_value_is_guarded_but_those_that_change_as_tokens_do() {
        let line = line(&[
            ("LOG_LEVEL", "debug", "debug"),
            ("XDG_CONFIG_HOME", "/x", "/x"),
            ("API_KEY", "sk-0123456789", "sk-0123456789"),
            ("TOKEN", "${secret:TOKEN}", "${secret:TOKEN}"),
            ("WHERE", "${input:where:-/x}", "${input:where:-/x}"),
            ("DATABASE", "postgres://ada:pw@db/shop?key=x", "postgres://ada:pw@db/shop?key=x"),
            ("MINE", "${GITHUB_TOKEN}", "ghp_0123456789"),
            ("NODE_OPTIONS", "--require ${WHERE}/x.js", "--require /here/x.js"),
        ]);
        let guarded = guarded(&line);
        let guarded: Vec<(&str, &str)> =
            guarded.iter().map(|variable| (variable.name.as_str(), variable.guarded.as_str())).collect();
        assert_eq!(
            guarded,
            [
                ("LOG_LEVEL", "debug"),
                ("XDG_CONFIG_HOME", "/x"),
                ("API_KEY", ""),
                ("TOKEN", ""),
                ("WHERE", "${input:where:-/x}"),
                ("DATABASE", "postgres://db/shop"),
                ("MINE", "${GITHUB_TOKEN}"),
                ("NODE_OPTIONS", "--require /here/x.js"),
            ]
        );
        assert_eq!(taken(&line), ["MINE takes your GITHUB_TOKEN", "NODE_OPTIONS takes your WHERE"]);
        assert!(plain(&line).iter().all(|(name, _)| name != "API_KEY" && name != "TOKEN"), "{:?}", plain(&line));
    }

    #[test]
    fn what_looks_secret_is_not_shown_to_whoever_is_asked() {
        let ours = |name: &str| match name {
            "GITHUB_TOKEN" => Some("hunter2".to_owned()),
            "WHERE" => Some("/here".to_owned()),
            _ => None,
        };
        let shown = |written: &str, filled: &str| shown_by(&ours, written, filled);
        assert_eq!(shown("--token=${GITHUB_TOKEN}", "--token=hunter2"), "--token=${GITHUB_TOKEN}");
        assert_eq!(shown("${X:-${env:GITHUB_TOKEN}}", "hunter2"), "${X:-${env:GITHUB_TOKEN}}", "also in a default");
        assert_eq!(shown("${WHERE}/x", "/here/x"), "/here/x", "everything else is as it is run");
        assert_eq!(shown("ghp_0123456789", "ghp_0123456789"), "ghp_0123456789", "what is in the file is known");
    }
}
