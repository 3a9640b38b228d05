//! What a server's process gets to see of our environment: an allow-list, and what its configuration adds.

use std::ffi::OsString;

/// Names every server may see, because programs do not start without them.
const ALLOWED: &[&str] =
    &["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ", "XDG_RUNTIME_DIR"];

/// Whether a variable of ours reaches a server that did not ask for it. Exported shell functions never do.
pub fn inherited(name: &str, value: &OsString) -> bool {
    let shell_function = value.to_string_lossy().starts_with("()");
    (ALLOWED.contains(&name) || name.starts_with("LC_")) && !shell_function
}

/// The whole environment of a server: the allow-list, the names it passes through, and its own values, which win.
pub fn variables(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    passed_through: &[String],
    own: &[(String, String)],
) -> Vec<(String, OsString)> {
    let mut variables: Vec<(String, OsString)> = ours
        .into_iter()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, value)| inherited(name, value) || passed_through.contains(name))
        .filter(|(name, _)| own.iter().all(|(own, _)| own != name))
        .collect();
    variables.extend(own.iter().map(|(name, value)| (name.clone(), OsString::from(value))));
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_of_ours_reaches_only_the_server_that_asks_for_it() {
        let ours = || {
            [("PATH", "/bin"), ("OPENAI_API_KEY", "sk-1"), ("LC_ALL", "C"), ("SHELL", "() { :; }")]
                .map(|(name, value)| (OsString::from(name), OsString::from(value)))
        };
        let names = |passed: &[String], own: &[(String, String)]| {
            variables(ours(), passed, own).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(&[], &[]), ["PATH", "LC_ALL"], "neither secrets nor shell functions are on the list");
        assert_eq!(names(&["OPENAI_API_KEY".into()], &[]), ["PATH", "OPENAI_API_KEY", "LC_ALL"]);
        assert_eq!(variables(ours(), &[], &[("PATH".into(), "/opt".into())])[1].1, "/opt", "the configuration wins");
    }
}
