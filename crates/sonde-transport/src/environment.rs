//! What a server's process gets to see of our environment: an allow-list, and what its configuration adds.

use std::ffi::{OsStr, OsString};

use crate::platform::Platform;

/// Names every server may see, because programs do not start, or start wrongly, without them.
const UNIX: &[&str] =
    &["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TMP", "TEMP", "TZ", "XDG_RUNTIME_DIR"];

const WINDOWS: &[&str] = &[
    "PATH",
    "PATHEXT",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "COMSPEC",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "USERNAME",
    "APPDATA",
    "LOCALAPPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "PROGRAMFILES",
    "PROCESSOR_ARCHITECTURE",
];

/// The whole environment of a server: the allow-list, the names it passes through, and its own values, which win.
pub fn variables(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    passed_through: &[String],
    own: &[(String, String)],
) -> Vec<(String, OsString)> {
    Platform::HERE.variables(ours, passed_through, own)
}

impl Platform {
    /// [`variables`] by the rules of this platform.
    pub fn variables(
        self,
        ours: impl IntoIterator<Item = (OsString, OsString)>,
        passed_through: &[String],
        own: &[(String, String)],
    ) -> Vec<(String, OsString)> {
        let asked_for = |name: &str| passed_through.iter().any(|passed| self.same_name(passed, name));
        let mut variables: Vec<(String, OsString)> = ours
            .into_iter()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, value)| !is_shell_function(value) && (self.allows(name) || asked_for(name)))
            .filter(|(name, _)| own.iter().all(|(own, _)| !self.same_name(own, name)))
            .collect();
        variables.extend(own.iter().map(|(name, value)| (name.clone(), OsString::from(value))));
        variables
    }

    /// Whether a variable of ours reaches a server that did not ask for it.
    pub fn allows(self, name: &str) -> bool {
        match self {
            Platform::Unix => UNIX.contains(&name) || name.starts_with("LC_"),
            Platform::Windows => WINDOWS.iter().any(|allowed| self.same_name(allowed, name)),
        }
    }
}

/// A shell that reads such a value may run it, so it never goes further than to us.
fn is_shell_function(value: &OsStr) -> bool {
    value.as_encoded_bytes().starts_with(b"()")
}
