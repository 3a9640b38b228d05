//! Where programs are found: in the PATH that a server gets, then in that of the person's login shell, then where
//! version managers and other tools put them. A window is started by a desktop, whose PATH knows little of all that.

mod login;
mod usual;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::OnceCell;

pub use login::login_shell;

use crate::command::{Found, LaunchError, look};
use crate::platform::Platform;
use crate::process::Supervisor;

/// How programs are looked for. Cheap to clone; what a login shell said is kept for all.
#[derive(Debug, Clone)]
pub struct SearchPath {
    login: Option<Login>,
}

#[derive(Debug, Clone)]
struct Login {
    supervisor: Supervisor,
    shell: PathBuf,
    /// Empty until somebody asks, then what the shell said, if it said anything.
    said: Arc<OnceCell<Option<OsString>>>,
}

/// A program, and by what it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Absolute.
    pub binary: PathBuf,
    pub source: Source,
}

/// A folder in which programs are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchFolder {
    pub folder: PathBuf,
    pub source: Source,
}

/// Why a program is looked for in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The command is a path.
    Written,
    /// It is in the PATH that the server gets anyway.
    Path,
    /// It is in the PATH of the person's login shell.
    LoginShell,
    /// A version manager or another tool puts its programs there.
    Tool(&'static str),
}

impl std::fmt::Display for Source {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Source::Written => "as written",
            Source::Path => "PATH",
            Source::LoginShell => "login shell",
            Source::Tool(name) => name,
        })
    }
}

impl Source {
    /// Whether a server finds there what it was not told of.
    fn is_in_path(self) -> bool {
        matches!(self, Source::Written | Source::Path)
    }
}

/// The files of a machine, as far as a search asks for them.
pub trait Files {
    fn look(&self, path: &Path) -> Found;

    /// What stands in a folder; nothing where there is none.
    fn names(&self, _folder: &Path) -> Vec<String> {
        Vec::new()
    }

    /// What a small text file says.
    fn text(&self, _path: &Path) -> Option<String> {
        None
    }
}

impl<F: Fn(&Path) -> Found> Files for F {
    fn look(&self, path: &Path) -> Found {
        self(path)
    }
}

impl SearchPath {
    /// For a terminal: its PATH is that of a shell already.
    pub fn without_login_shell() -> Self {
        SearchPath { login: None }
    }

    /// For a window. The shell is started when the first program is not found without it, and never again.
    pub fn with_login_shell(supervisor: &Supervisor, shell: PathBuf) -> Self {
        SearchPath { login: Some(Login { supervisor: supervisor.clone(), shell, said: Arc::default() }) }
    }

    /// Makes sure that the login shell was asked, if `command` is not found before it.
    pub async fn settle(&self, command: &str, folder: &Path, env: &[(String, OsString)]) {
        let found = Platform::HERE.resolve(command, folder, env, &Vec::new, &Disk);
        if matches!(found, Err(LaunchError::NotFound { .. } | LaunchError::NotExecutable { .. })) {
            self.ask_login_shell().await;
        }
    }

    /// Makes sure that the login shell was asked, where it may be.
    pub async fn ask_login_shell(&self) {
        if let Some(Login { supervisor, shell, said }) = &self.login {
            said.get_or_init(|| login::path(supervisor, shell)).await;
        }
    }

    /// Finds the binary that `command` names: a path is taken relative to `folder`, a bare name is looked up in the
    /// PATH of `env`, the server's own variables, and then elsewhere. A folder that only the latter knew goes into that
    /// PATH: a script beside `node` needs the `node` beside it, and no other.
    pub fn resolve(
        &self,
        command: &str,
        folder: &Path,
        env: &mut Vec<(String, OsString)>,
    ) -> Result<Located, LaunchError> {
        let found = Platform::HERE.resolve(command, folder, env, &|| self.further(Platform::HERE), &Disk)?;
        Platform::HERE.equip(&found, env);
        Ok(found)
    }

    /// Every folder in which a bare name is looked up, in this order.
    pub fn folders(&self, env: &[(String, OsString)]) -> Vec<SearchFolder> {
        let own = Platform::HERE.path_folders(env);
        without_repeats(own.into_iter().chain(self.further(Platform::HERE)))
    }

    /// Every program that a bare name could mean, in that order.
    pub fn all(&self, command: &str, env: &[(String, OsString)]) -> Vec<Located> {
        Platform::HERE.candidates(command, env, &self.folders(env), &Disk)
    }

    fn further(&self, platform: Platform) -> Vec<SearchFolder> {
        let said = self.login.as_ref().and_then(|login| login.said.get()).and_then(Option::as_deref);
        platform.further_folders(said, &|name| std::env::var_os(name), &Disk)
    }
}

impl Platform {
    /// The folders beside a server's own PATH, none of them twice: those of a login shell that said its PATH, and
    /// those of tools that are there, as the variables of `ours` say where.
    pub fn further_folders(
        self,
        login: Option<&OsStr>,
        ours: &dyn Fn(&str) -> Option<OsString>,
        files: &dyn Files,
    ) -> Vec<SearchFolder> {
        let login = login.map(|path| self.folders(path)).unwrap_or_default();
        let login = login.into_iter().map(|folder| SearchFolder { folder, source: Source::LoginShell });
        let usual = usual::folders(self, ours, files);
        without_repeats(login.chain(usual))
    }

    pub(crate) fn path_folders(self, env: &[(String, OsString)]) -> Vec<SearchFolder> {
        let folders = self.variable(env, "PATH").map(|path| self.folders(path)).unwrap_or_default();
        folders.into_iter().map(|folder| SearchFolder { folder, source: Source::Path }).collect()
    }

    /// Puts the folder of a program before the PATH of whoever is to run it, where it is not in it.
    pub fn equip(self, found: &Located, env: &mut Vec<(String, OsString)>) {
        let Some(folder) = self.parent(&found.binary).filter(|_| !found.source.is_in_path()) else { return };
        let separator = match self {
            Platform::Unix => ":",
            Platform::Windows => ";",
        };
        match env.iter_mut().find(|(name, _)| self.same_name(name, "PATH")) {
            Some((_, path)) if !path.is_empty() => {
                let mut longer = folder.into_os_string();
                longer.push(separator);
                longer.push(&*path);
                *path = longer;
            }
            Some((_, path)) => *path = folder.into_os_string(),
            None => env.push(("PATH".to_owned(), folder.into_os_string())),
        }
    }
}

/// The first of each folder.
fn without_repeats(folders: impl Iterator<Item = SearchFolder>) -> Vec<SearchFolder> {
    let mut kept: Vec<SearchFolder> = Vec::new();
    for place in folders {
        if kept.iter().all(|known| known.folder != place.folder) {
            kept.push(place);
        }
    }
    kept
}

/// The files of this machine.
pub(crate) struct Disk;

/// A folder of versions has a few dozen; whatever has more is none.
const MOST_NAMES: usize = 2000;
/// The files that are read hold one word.
const LONGEST_TEXT: u64 = 4096;

impl Files for Disk {
    fn look(&self, path: &Path) -> Found {
        look(path)
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let names = entries.take(MOST_NAMES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.collect()
    }

    fn text(&self, path: &Path) -> Option<String> {
        let facts = path.metadata().ok()?;
        let small = facts.is_file() && facts.len() <= LONGEST_TEXT;
        small.then(|| std::fs::read_to_string(path).ok()).flatten()
    }
}
