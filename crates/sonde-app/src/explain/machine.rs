//! The machine on which something is told: how its paths are written, and how its shell is spoken to.

use std::path::{Path, PathBuf};

use sonde_transport::Platform;

/// A value and not a condition of compilation: the words for each platform are tested on the other.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub platform: Platform,
    /// Shown as `~`.
    pub home: Option<PathBuf>,
}

impl Machine {
    pub fn here() -> Self {
        Machine { platform: Platform::HERE, home: dirs::home_dir() }
    }

    /// A path as a person writes it: their home folder as `~`.
    pub fn path(&self, path: &Path) -> String {
        let shown = path.display().to_string();
        let home = self.home.as_ref().map(|home| home.display().to_string()).unwrap_or_default();
        match shown.strip_prefix(home.trim_end_matches(['/', '\\'])) {
            Some("") if !home.is_empty() => "~".to_owned(),
            Some(rest) if !home.is_empty() && rest.starts_with(['/', '\\']) => format!("~{rest}"),
            _ => shown,
        }
    }

    /// A command line that can be typed there as it stands.
    pub fn typed(&self, words: &[String]) -> String {
        let quoted = words.iter().map(|word| match self.platform {
            Platform::Unix => quoted_for_shell(word),
            Platform::Windows if word.is_empty() || word.contains([' ', '\t', '&', '|', '<', '>', '^', '"']) => {
                format!("\"{}\"", word.replace('"', "\\\""))
            }
            Platform::Windows => word.clone(),
        });
        quoted.collect::<Vec<_>>().join(" ")
    }

    /// What finds a program in a terminal.
    pub fn finder(&self) -> &'static str {
        match self.platform {
            Platform::Unix => "which",
            Platform::Windows => "where",
        }
    }
}

fn quoted_for_shell(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:@%+,=".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
