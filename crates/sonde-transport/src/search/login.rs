//! What the person's login shell has for a PATH. Their files of start-up are what adds version managers to it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::process::Supervisor;

#[cfg(not(unix))]
pub(super) async fn path(_supervisor: &Supervisor, _shell: &Path) -> Option<OsString> {
    // A program of a desktop has the whole PATH of the person there.
    None
}

#[cfg(unix)]
pub(super) use unix::path;

/// The person's shell: as the environment says, else as the list of users does. A window that a desktop or a service
/// started may have no `SHELL`.
pub fn login_shell() -> Option<PathBuf> {
    let said = std::env::var_os("SHELL").map(PathBuf::from).filter(|shell| shell.is_absolute());
    said.or_else(of_the_user)
}

#[cfg(unix)]
fn of_the_user() -> Option<PathBuf> {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let usual = cfg!(target_os = "macos").then(|| PathBuf::from("/bin/zsh"));
    shell_in(&users, rustix::process::getuid().as_raw()).or(usual)
}

#[cfg(not(unix))]
fn of_the_user() -> Option<PathBuf> {
    None
}

/// The shell of a user, by the lines `name:password:number:group:about:home:shell`.
#[cfg(unix)]
fn shell_in(users: &str, number: u32) -> Option<PathBuf> {
    let mut lines = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let line = lines.find(|fields| fields.get(2).is_some_and(|field| field.parse() == Ok(number)))?;
    line.get(6).map(PathBuf::from).filter(|shell| shell.is_absolute())
}

#[cfg(unix)]
mod unix {
    use std::os::unix::ffi::OsStringExt;
    use std::time::Duration;

    use tokio::io::AsyncReadExt;

    use super::{OsString, Path, PathBuf, Supervisor};
    use crate::command::{Found, Launch, look};
    use crate::environment::variables;
    use crate::lines::LineLimits;
    use crate::process::{self, Pipes};

    /// Whoever has such a slow shell waits for it in a terminal, too, but need not here.
    const LONGEST: Duration = Duration::from_secs(5);
    /// Bytes of what a shell says that are read: greetings may come before the PATH.
    const MOST: usize = 256 << 10;
    /// Stands before and behind the PATH, because files of start-up print what they like.
    const MARK: &str = "~sonde~path~";
    /// Where start-up files look, beside what every server sees.
    const PASSED: [&str; 4] = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR", "NVM_DIR"];

    /// Runs the shell without input, in a session of its own, and ends it with all that it started.
    pub async fn path(supervisor: &Supervisor, shell: &Path) -> Option<OsString> {
        if !shell.is_absolute() || look(shell) != Found::Program {
            return None;
        }
        let folder = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_dir());
        // A greeting that asks whether it may update itself would ask nobody.
        let own = [("TERM", "dumb"), ("DISABLE_AUTO_UPDATE", "true")].map(|(name, value)| (name.into(), value.into()));
        let script = format!("printf '%s%s%s' '{MARK}' \"$PATH\" '{MARK}'");
        let launch = Launch {
            binary: shell.to_owned(),
            args: ["-l", "-i", "-c", &script].map(str::to_owned).to_vec(),
            folder: folder.unwrap_or_else(|| PathBuf::from("/")),
            env: variables(std::env::vars_os(), &PASSED.map(str::to_owned), &own),
            longest_line: LineLimits::MESSAGE.longest,
        };
        let (shell, pipes) = match process::spawn(&launch, supervisor).await {
            Ok(started) => started,
            Err(error) => {
                tracing::info!(%error, "the login shell could not be asked for its PATH");
                return None;
            }
        };
        let said = tokio::time::timeout(LONGEST, listen(pipes)).await;
        shell.stop();
        match said {
            Ok(Some(path)) => Some(OsString::from_vec(path)),
            Ok(None) => {
                tracing::info!("the login shell did not say its PATH");
                None
            }
            Err(_elapsed) => {
                tracing::info!("the login shell did not say its PATH within {} s", LONGEST.as_secs());
                None
            }
        }
    }

    async fn listen(pipes: Pipes) -> Option<Vec<u8>> {
        let Pipes { stdin, mut stdout, mut stderr } = pipes;
        drop(stdin);
        let mut said = Vec::new();
        let mut heard = [0; 4096];
        let mut complaints = [0; 4096];
        let mut complaining = true;
        while said.len() < MOST {
            tokio::select! {
                read = stdout.read(&mut heard) => match read {
                    Ok(size) if size > 0 => said.extend_from_slice(heard.get(..size).unwrap_or_default()),
                    _ended => break,
                },
                // A shell that is not listened to would stop in the middle of a complaint.
                read = stderr.read(&mut complaints), if complaining => complaining = matches!(read, Ok(size) if size > 0),
            }
            if let Some(path) = between_marks(&said) {
                return Some(path.to_vec());
            }
        }
        between_marks(&said).map(<[u8]>::to_vec)
    }

    fn between_marks(said: &[u8]) -> Option<&[u8]> {
        let first = memchr::memmem::find(said, MARK.as_bytes())? + MARK.len();
        let rest = said.get(first..)?;
        let path = rest.get(..memchr::memmem::find(rest, MARK.as_bytes())?)?;
        (!path.is_empty()).then_some(path)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_path_stands_between_the_marks_whatever_else_is_said() {
            let said = format!("Welcome!\r\n{MARK}/opt/x:/bin{MARK}\nbye");
            assert_eq!(between_marks(said.as_bytes()), Some(b"/opt/x:/bin".as_slice()));
            assert_eq!(between_marks(format!("{MARK}/opt").as_bytes()), None, "it is not whole yet");
            assert_eq!(between_marks(format!("{MARK}{MARK}").as_bytes()), None, "no PATH is no answer");
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_user_without_a_shell_in_the_environment_has_one_in_the_list_of_users() {
        let users = "root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000::/home/ada:/usr/bin/zsh\nodd:x:7\nno:x:8:8:::\n";
        assert_eq!(shell_in(users, 1000), Some(PathBuf::from("/usr/bin/zsh")));
        assert_eq!(shell_in(users, 0), Some(PathBuf::from("/bin/bash")));
        assert_eq!(
            (shell_in(users, 7), shell_in(users, 8), shell_in(users, 9)),
            (None, None, None),
            "nothing is guessed"
        );
    }
}
