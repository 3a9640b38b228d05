//! A server's processes, all of them, from the first to the last.
//!
//! On Unix a server is started by a supervisor, which leads the server's processes, learns of our death by the end
//! of a socket, and ends the whole tree: standard input closed, two seconds, TERM, two seconds, KILL. Supervisors
//! are children of one nursery, which is our own binary run again with the word `supervise`; it ends what is left
//! where a supervisor is killed. What survives even that is written down and swept at the next start. So nothing
//! survives us, however we die. On Windows a job object does all of this.

mod facts;
#[cfg(unix)]
mod keeper;
#[cfg(unix)]
mod memory;
#[cfg(unix)]
mod notes;
#[cfg(unix)]
mod nursery;
#[cfg(unix)]
mod order;
#[cfg(unix)]
mod pipes;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod supervised;
mod table;
#[cfg(unix)]
mod tree;
#[cfg(windows)]
mod windows;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub use facts::{ProcessFacts, process_facts};
#[cfg(unix)]
pub use notes::sweep;
#[cfg(unix)]
pub use nursery::run_supervisor;
#[cfg(unix)]
pub use supervised::Supervisor;
pub use table::{is_alive, process_start};
#[cfg(windows)]
pub(crate) use windows::{Stderr, Stdin, Stdout, enlarge, spawn};
#[cfg(windows)]
pub use windows::{Supervisor, run_supervisor, sweep};
#[cfg(unix)]
pub(crate) use {
    pipes::{Stderr, Stdin, Stdout, enlarge},
    supervised::spawn,
};

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

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("`{}` could not be started", binary.display())]
    Program { binary: std::path::PathBuf, source: std::io::Error },
    #[error("the working folder `{}` can't be entered", folder.display())]
    Folder { folder: std::path::PathBuf, source: std::io::Error },
    #[error("the system has no room for another process or another open file")]
    NoRoom { source: std::io::Error },
    #[error("argument {number} can't be given to `{}` unchanged", binary.display())]
    LostArgument { binary: std::path::PathBuf, number: usize },
    #[error("the program that watches over servers failed")]
    Supervisor { source: std::io::Error },
}

/// A process that an earlier run had left, and that was ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swept {
    pub pid: u32,
    /// What the system calls it.
    pub name: String,
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
    pub stdin: Stdin,
    pub stdout: Stdout,
    pub stderr: Stderr,
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
            tracing::debug!(pid = self.pid, "the follower of a server ended early");
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
