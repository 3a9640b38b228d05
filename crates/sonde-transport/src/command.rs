//! What will be started, exactly: the resolved binary and every argument, decided before anything runs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::platform::Platform;
use crate::search::{Files, Located, SearchFolder, Source};

/// A command line that is ready to run. No shell ever sees it.
#[derive(Clone, PartialEq, Eq)]
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

impl std::fmt::Debug for Launch {
    /// Arguments and values may be secrets.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Launch").field("binary", &self.binary).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum LaunchError {
    #[error("the command is empty")]
    Empty,
    #[error("the command `{command}` was not found")]
    NotFound {
        command: String,
        /// Where it was looked for, in this order.
        searched: Vec<SearchFolder>,
    },
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

impl Platform {
    /// [`crate::SearchPath::resolve`] by the rules of this platform, on a machine that has these files. The folders
    /// beside the PATH of `env` are asked for only where that does not have the program.
    pub fn resolve(
        self,
        command: &str,
        folder: &Path,
        env: &[(String, OsString)],
        further: &dyn Fn() -> Vec<SearchFolder>,
        files: &dyn Files,
    ) -> Result<Located, LaunchError> {
        if command.is_empty() {
            return Err(LaunchError::Empty);
        }
        if files.look(folder) != Found::Folder {
            return Err(LaunchError::NoFolder { path: folder.to_owned() });
        }
        let suffixes = self.suffixes(command, env);
        if self.is_path(command) {
            let binary = self.among(&self.join(folder, command), &suffixes, files)?;
            return Ok(Located { binary, source: Source::Written });
        }
        let mut searched = Vec::new();
        // A file of that name that can't be run is a better explanation than "not found".
        let mut near_miss = None;
        for folders in [&|| self.path_folders(env), further] as [&dyn Fn() -> Vec<SearchFolder>; 2] {
            for place in folders() {
                match self.among(&self.join(&place.folder, command), &suffixes, files) {
                    Ok(binary) => return Ok(Located { binary, source: place.source }),
                    Err(error @ LaunchError::NotExecutable { .. }) => near_miss = near_miss.or(Some(error)),
                    Err(_) => {}
                }
                searched.push(place);
            }
        }
        Err(near_miss.unwrap_or(LaunchError::NotFound { command: command.to_owned(), searched }))
    }

    /// Every program that a bare name could mean in these folders, none of them twice.
    pub(crate) fn candidates(
        self,
        command: &str,
        env: &[(String, OsString)],
        folders: &[SearchFolder],
        files: &dyn Files,
    ) -> Vec<Located> {
        if command.is_empty() || self.is_path(command) {
            return Vec::new();
        }
        let suffixes = self.suffixes(command, env);
        let mut found: Vec<Located> = Vec::new();
        for place in folders {
            if let Ok(binary) = self.among(&self.join(&place.folder, command), &suffixes, files)
                && found.iter().all(|known| known.binary != binary)
            {
                found.push(Located { binary, source: place.source });
            }
        }
        found
    }

    /// The first of `path` with each of the suffixes that can be run, or why there is none.
    fn among(self, path: &Path, suffixes: &[String], files: &dyn Files) -> Result<PathBuf, LaunchError> {
        for suffix in suffixes {
            let mut candidate = path.as_os_str().to_owned();
            candidate.push(suffix);
            let candidate = PathBuf::from(candidate);
            if files.look(&candidate) == Found::Program {
                return Ok(candidate);
            }
        }
        Err(match files.look(path) {
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

    pub(crate) fn variable<'a>(self, env: &'a [(String, OsString)], name: &str) -> Option<&'a OsStr> {
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

/// What stands at a path of this machine.
pub(crate) fn look(path: &Path) -> Found {
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
