//! What will be started, exactly: the resolved binary and every argument, decided before anything runs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::platform::Platform;

/// A command line that is ready to run. No shell ever sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Absolute path of the binary.
    pub binary: PathBuf,
    pub args: Vec<String>,
    pub folder: PathBuf,
    /// The whole environment of the child; nothing else is inherited.
    pub env: Vec<(String, OsString)>,
    /// The longest line of its output that is taken whole; [`crate::LineLimits::MESSAGE`] says what is usual.
    pub longest_line: usize,
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

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    Nothing,
    Folder,
    /// A file that may be run. On Windows its name must also say so, which is not asked here.
    Program,
    /// A file that may not be run.
    Plain,
}

/// Finds the binary that `command` names: a path is taken relative to `folder`, a bare name is looked up in the
/// PATH of `env`, the server's own variables.
pub fn resolve(command: &str, folder: &Path, env: &[(String, OsString)]) -> Result<PathBuf, LaunchError> {
    Platform::HERE.resolve(command, folder, env, &look)
}

impl Platform {
    /// [`resolve`] by the rules of this platform, on a machine whose files `look` knows.
    pub fn resolve(
        self,
        command: &str,
        folder: &Path,
        env: &[(String, OsString)],
        look: &dyn Fn(&Path) -> Found,
    ) -> Result<PathBuf, LaunchError> {
        if command.is_empty() {
            return Err(LaunchError::Empty);
        }
        if look(folder) != Found::Folder {
            return Err(LaunchError::NoFolder { path: folder.to_owned() });
        }
        let suffixes = self.suffixes(command, env);
        if self.is_path(command) {
            return self.among(&self.join(folder, command), &suffixes, look);
        }
        let searched = self.variable(env, "PATH").map(|path| self.folders(path)).unwrap_or_default();
        // A file of that name that can't be run is a better explanation than "not found".
        let mut near_miss = None;
        for folder in &searched {
            match self.among(&self.join(folder, command), &suffixes, look) {
                Ok(found) => return Ok(found),
                Err(error @ LaunchError::NotExecutable { .. }) => near_miss = Some(error),
                Err(_) => {}
            }
        }
        Err(near_miss.unwrap_or(LaunchError::NotFound { command: command.to_owned(), searched }))
    }

    /// The first of `path` with each of the suffixes that can be run, or why there is none.
    fn among(self, path: &Path, suffixes: &[String], look: &dyn Fn(&Path) -> Found) -> Result<PathBuf, LaunchError> {
        for suffix in suffixes {
            let mut candidate = path.as_os_str().to_owned();
            candidate.push(suffix);
            let candidate = PathBuf::from(candidate);
            if look(&candidate) == Found::Program {
                return Ok(candidate);
            }
        }
        Err(match look(path) {
            Found::Nothing => LaunchError::Missing { path: path.to_owned() },
            Found::Folder => LaunchError::IsAFolder { path: path.to_owned() },
            Found::Program | Found::Plain => LaunchError::NotExecutable { path: path.to_owned() },
        })
    }

    /// What may have to be added to a command to get the name of a file that can be run. The plain name is no such
    /// file on Windows: beside its `npx.cmd` npm puts an `npx` that is a script for another system.
    fn suffixes(self, command: &str, env: &[(String, OsString)]) -> Vec<String> {
        let own = command.rsplit_once('.').map(|(_, suffix)| format!(".{}", suffix.to_ascii_lowercase()));
        match self {
            Platform::Unix => vec![String::new()],
            Platform::Windows if own.is_some_and(|own| STARTED.contains(&own.as_str())) => vec![String::new()],
            Platform::Windows => {
                let listed = self.variable(env, "PATHEXT").map(|listed| listed.to_string_lossy().to_ascii_lowercase());
                let listed: Vec<String> =
                    listed.iter().flat_map(|listed| listed.split(';')).map(|one| one.trim().to_owned()).collect();
                // What else PATHEXT may list is opened by other programs; the system itself can't start it.
                let mut usable: Vec<String> =
                    listed.into_iter().filter(|one| STARTED.contains(&one.as_str())).collect();
                if usable.is_empty() {
                    usable.extend(STARTED.iter().map(|one| (*one).to_owned()));
                }
                usable
            }
        }
    }

    fn variable<'a>(self, env: &'a [(String, OsString)], name: &str) -> Option<&'a OsStr> {
        env.iter().find(|(own, _)| self.same_name(own, name)).map(|(_, value)| value.as_os_str())
    }

    /// The first argument that can't reach `binary` unchanged. A batch file is read by `cmd.exe`, for which the
    /// library that starts it escapes everything but the end of a line; that one would begin a command.
    pub fn lost_argument(self, binary: &Path, args: &[String]) -> Option<usize> {
        let batch = self == Platform::Windows
            && binary.to_str().is_some_and(|name| {
                let name = name.to_ascii_lowercase();
                name.ends_with(".cmd") || name.ends_with(".bat")
            });
        let lost = |arg: &String| arg.contains('\0') || (batch && arg.contains(['\r', '\n']));
        args.iter().position(lost)
    }
}

/// What Windows starts by itself, in the order in which it looks where nothing else is said.
const STARTED: &[&str] = &[".com", ".exe", ".bat", ".cmd"];

fn look(path: &Path) -> Found {
    match path.metadata() {
        Err(_) => Found::Nothing,
        Ok(facts) if facts.is_dir() => Found::Folder,
        Ok(_) if is_executable(path) => Found::Program,
        Ok(_) => Found::Plain,
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_executable(_path: &Path) -> bool {
    true
}
