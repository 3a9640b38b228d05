//! A server's processes, all of them, from the first to the last.
//!
//! A server is started by a supervisor: our own binary, run again with the word `supervise`. It leads the server's
//! processes, learns of our death by the end of a socket, and ends the whole tree: standard input closed, two
//! seconds, TERM, two seconds, KILL. So nothing survives us, however we die.

mod supervisor;
mod tree;

use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::PathBuf;
use std::process::Stdio;

use command_fds::{CommandFdExt, FdMapping};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::UnixStream;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::command::Launch;
pub use supervisor::run_supervisor;
pub use tree::is_alive;

/// The word that makes our binaries act as a supervisor.
const WORD: &str = "supervise";

/// Stands before the name of each variable of the server while the supervisor has it: what the server's
/// configuration says to its loader must not be said to ours.
const SERVERS: &str = "server:";

/// The descriptor on which a supervisor finds its control socket.
const CONTROL: i32 = 3;

/// Which binary supervises: normally the one that is running.
#[derive(Debug, Clone)]
pub struct Supervisor {
    program: PathBuf,
}

impl Supervisor {
    /// This very program; its `main` must begin with [`run_supervisor`].
    pub fn current() -> std::io::Result<Self> {
        Ok(Supervisor { program: std::env::current_exe()? })
    }

    /// Another program whose `main` begins with [`run_supervisor`].
    pub fn at(program: PathBuf) -> Self {
        Supervisor { program }
    }
}

/// How a server's first process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

impl std::fmt::Display for Exit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Exit::Code(code) => write!(formatter, "exit code {code}"),
            Exit::Signal(signal) => write!(formatter, "signal {signal}"),
        }
    }
}

/// A running server. Dropping it stops the server, too.
#[derive(Debug)]
pub struct Process {
    pub pid: u32,
    exit: watch::Receiver<Option<Exit>>,
    gone: watch::Receiver<bool>,
    stop: CancellationToken,
}

/// The pipes of a server's first process.
pub(crate) struct Pipes {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

/// Starts a server under a supervisor.
pub(crate) async fn spawn(launch: &Launch, supervisor: &Supervisor) -> std::io::Result<(Process, Pipes)> {
    let (ours, theirs) = StdUnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let mut command = Command::new(&supervisor.program);
    command
        .arg(WORD)
        .arg(&launch.binary)
        .args(&launch.args)
        .current_dir(&launch.folder)
        .env_clear()
        .envs(launch.env.iter().map(|(name, value)| (format!("{SERVERS}{name}"), value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    command
        .fd_mappings(vec![FdMapping { parent_fd: theirs.into(), child_fd: CONTROL }])
        .map_err(std::io::Error::other)?;
    let mut child = command.spawn()?;
    // The command keeps our copy of the supervisor's end; the socket must end when the supervisor does.
    drop(command);
    let pipes = match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
        (Some(stdin), Some(stdout), Some(stderr)) => Pipes { stdin, stdout, stderr },
        _ => return Err(std::io::Error::other("the supervisor has no pipes")),
    };
    let mut reports = BufReader::new(UnixStream::from_std(ours)?);
    let mut first = String::new();
    reports.read_line(&mut first).await?;
    let pid = match first.trim().split_once(' ') {
        Some(("started", pid)) => pid.parse().map_err(std::io::Error::other)?,
        Some(("failed", number)) => {
            child.wait().await?;
            return Err(std::io::Error::from_raw_os_error(number.parse().map_err(std::io::Error::other)?));
        }
        _ => return Err(std::io::Error::other("the supervisor ended before it started the server")),
    };
    let (exit_sender, exit) = watch::channel(None);
    let (gone_sender, gone) = watch::channel(false);
    let stop = CancellationToken::new();
    tokio::spawn(follow(child, reports, exit_sender, gone_sender, stop.clone()));
    Ok((Process { pid, exit, gone, stop }, pipes))
}

/// Follows a supervisor until it ended, and reaps it.
async fn follow(
    mut child: Child,
    mut reports: BufReader<UnixStream>,
    exit: watch::Sender<Option<Exit>>,
    gone: watch::Sender<bool>,
    stop: CancellationToken,
) {
    let mut line = String::new();
    let mut stopping = false;
    loop {
        tokio::select! {
            read = reports.read_line(&mut line) => {
                if !matches!(read, Ok(size) if size > 0) {
                    break;
                }
                if let Some(report) = parse_exit(&line) {
                    exit.send_replace(Some(report));
                }
                line.clear();
            }
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                // The supervisor takes the end of our half as the order to end the tree.
                if let Err(error) = rustix::net::shutdown(reports.get_ref(), rustix::net::Shutdown::Write) {
                    tracing::warn!(%error, "the supervisor could not be told to stop");
                }
            }
        }
    }
    if let Err(error) = child.wait().await {
        tracing::warn!(%error, "the supervisor could not be waited for");
    }
    gone.send_replace(true);
}

fn parse_exit(line: &str) -> Option<Exit> {
    let mut words = line.split_whitespace();
    match (words.next()?, words.next()?, words.next()?.parse().ok()?) {
        ("exited", "code", code) => Some(Exit::Code(code)),
        ("exited", "signal", signal) => Some(Exit::Signal(signal)),
        _ => None,
    }
}

impl Process {
    /// How the first process ended, once it did.
    pub fn exit(&self) -> Option<Exit> {
        *self.exit.borrow()
    }

    /// Begins to end the server: its input is closed, then TERM after two seconds and KILL after two more.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits until every process of the server is gone.
    pub async fn gone(&self) {
        let mut gone = self.gone.clone();
        // An error means the follower is gone, which it is only after the supervisor is.
        if gone.wait_for(|gone| *gone).await.is_err() {
            tracing::debug!(pid = self.pid, "the supervisor's follower ended early");
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
