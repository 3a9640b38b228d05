//! What will be started, exactly: the resolved binary and every argument, decided before anything runs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A command line that is ready to run. No shell ever sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Absolute path of the binary.
    pub binary: PathBuf,
    pub args: Vec<String>,
    pub folder: PathBuf,
    /// The whole environment of the child; nothing else is inherited.
    pub env: Vec<(String, OsString)>,
}

#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("the command is empty")]
    Empty,
    #[error("command `{command}` was not found in PATH")]
    NotFound { command: String, searched: Vec<PathBuf> },
    #[error("`{}` does not exist", path.display())]
    Missing { path: PathBuf },
    #[error("`{}` is a folder, not a program", path.display())]
    IsAFolder { path: PathBuf },
    #[error("`{}` is not executable", path.display())]
    NotExecutable { path: PathBuf },
    #[error("the working folder `{}` does not exist", path.display())]
    NoFolder { path: PathBuf },
}

/// Finds the binary that `command` names: a path is taken relative to `folder`, a bare name is looked up in `path`.
pub fn resolve(command: &str, folder: &Path, path: Option<&OsString>) -> Result<PathBuf, LaunchError> {
    if command.is_empty() {
        return Err(LaunchError::Empty);
    }
    if !folder.is_dir() {
        return Err(LaunchError::NoFolder { path: folder.to_owned() });
    }
    if Path::new(command).components().count() > 1 || command.starts_with('.') {
        let path = folder.join(command);
        return check(&path).map(|()| path);
    }
    // A relative entry would mean another folder to us than to the server.
    let absolute = |folder: &PathBuf| folder.is_absolute();
    let searched: Vec<PathBuf> =
        path.map(|path| std::env::split_paths(path).filter(absolute).collect()).unwrap_or_default();
    // A file of that name that can't be run is a better explanation than "not found".
    let mut near_miss = None;
    for candidate in searched.iter().map(|folder| folder.join(command)) {
        match check(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(error @ LaunchError::NotExecutable { .. }) => near_miss = Some(error),
            Err(_) => {}
        }
    }
    Err(near_miss.unwrap_or(LaunchError::NotFound { command: command.to_owned(), searched }))
}

fn check(path: &Path) -> Result<(), LaunchError> {
    let Ok(facts) = path.metadata() else {
        return Err(LaunchError::Missing { path: path.to_owned() });
    };
    if facts.is_dir() {
        return Err(LaunchError::IsAFolder { path: path.to_owned() });
    }
    if !is_executable(path) {
        return Err(LaunchError::NotExecutable { path: path.to_owned() });
    }
    Ok(())
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_executable(_path: &Path) -> bool {
    true
}
