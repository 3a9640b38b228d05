//! The two families of systems, and what differs between them where a server is found and given its variables.
//!
//! A value and not a condition of compilation: the rules of each are tested on the other.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    Unix,
    Windows,
}

impl Platform {
    /// The one that this program was made for.
    pub const HERE: Platform = if cfg!(windows) { Platform::Windows } else { Platform::Unix };

    /// Whether two names mean the same variable.
    pub(crate) fn same_name(self, one: &str, other: &str) -> bool {
        match self {
            Platform::Unix => one == other,
            Platform::Windows => one.eq_ignore_ascii_case(other),
        }
    }

    /// Whether a command names a place, and not only a program.
    pub(crate) fn is_path(self, command: &str) -> bool {
        match self {
            Platform::Unix => Path::new(command).components().count() > 1 || command.starts_with('.'),
            Platform::Windows => command.contains(['\\', '/', ':']) || command.starts_with('.'),
        }
    }

    pub(crate) fn is_absolute(self, path: &Path) -> bool {
        match self {
            Platform::Unix => path.is_absolute(),
            Platform::Windows => path.to_str().is_some_and(|path| {
                let separator = |at| matches!(path.as_bytes().get(at), Some(b'\\' | b'/'));
                let drive = path.starts_with(|letter: char| letter.is_ascii_alphabetic());
                (separator(0) && separator(1)) || (drive && path.as_bytes().get(1) == Some(&b':') && separator(2))
            }),
        }
    }

    pub(crate) fn join(self, folder: &Path, name: &str) -> PathBuf {
        match self {
            Platform::Unix => folder.join(name),
            Platform::Windows if self.is_absolute(Path::new(name)) => PathBuf::from(name),
            Platform::Windows => {
                let folder = folder.to_string_lossy();
                PathBuf::from(format!("{}\\{name}", folder.trim_end_matches(['\\', '/'])))
            }
        }
    }

    /// The folder that a file is in.
    pub(crate) fn parent(self, path: &Path) -> Option<PathBuf> {
        match self {
            Platform::Unix => path.parent().map(Path::to_owned),
            Platform::Windows => {
                let (folder, _) = path.to_str()?.rsplit_once(['\\', '/'])?;
                Some(PathBuf::from(folder))
            }
        }
    }

    /// The folders that a search path names. A relative one would mean another folder to us than to the server.
    pub(crate) fn folders(self, path: &std::ffi::OsStr) -> Vec<PathBuf> {
        let folders: Vec<PathBuf> = match self {
            Platform::Unix => std::env::split_paths(path).collect(),
            // An entry may stand in quotation marks, because its name may contain the separator.
            Platform::Windows => split_outside_quotes(&path.to_string_lossy()).into_iter().map(PathBuf::from).collect(),
        };
        folders.into_iter().filter(|folder| self.is_absolute(folder)).collect()
    }
}

fn split_outside_quotes(path: &str) -> Vec<String> {
    let mut entries = vec![String::new()];
    let mut quoted = false;
    for letter in path.chars() {
        match letter {
            '"' => quoted = !quoted,
            ';' if !quoted => entries.push(String::new()),
            other => entries.iter_mut().last().into_iter().for_each(|entry| entry.push(other)),
        }
    }
    entries
}
