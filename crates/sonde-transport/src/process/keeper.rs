//! The supervisor of one server: starts it, and outlives us just long enough to end all of its processes.
//!
//! Plain blocking code on one thread; it must work while everything else is failing.

use std::ffi::CString;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

use super::order::Order;
use super::signals::{self, Bell};
use super::{table, tree};

/// How long a server may take after its input was closed, and again after TERM.
const PATIENCE: Duration = Duration::from_secs(2);

/// A process of another user can't be killed; nobody is helped by trying for ever.
const LONGEST_KILLING: Duration = Duration::from_secs(5);

/// What a supervisor is given: its own socket, and the ends of the pipes that are the server's.
pub(super) struct Descriptors {
    pub control: UnixStream,
    pub stdin: OwnedFd,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
}

/// Starts the server of the order that comes by the socket, and stays until nothing of it is left.
pub(super) fn supervise(descriptors: Descriptors) -> std::io::Result<()> {
    let Descriptors { mut control, stdin, stdout, stderr } = descriptors;
    let bell = Bell::hang()?;
    // Orphans of the server become our children, so that even a daemon of its own session is found and ended.
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let order = Order::read(&mut control)?;
    if let Err(error) = rustix::process::chdir(order.folder.as_c_str()) {
        return writeln!(control, "failed folder {}", error.raw_os_error());
    }
    let server = match start(order, [stdin, stdout, stderr]) {
        Ok(server) => server,
        // 2 is ENOENT: the nearest to the truth for an error without a number.
        Err(error) => return writeln!(control, "failed program {}", error.raw_os_error().unwrap_or(2)),
    };
    let pid = server.as_raw_nonzero().get();
    let started = u32::try_from(pid).ok().and_then(table::process_start).unwrap_or_default();
    // If nobody is there to hear it, the socket is at its end, and that is the order to end the tree.
    writeln!(control, "started {pid} {started}").ok();
    let mut keeper = Keeper { server, control, bell, listening: true, childless: false };
    keeper.until_stopped_or_exited();
    keeper.end_the_tree();
    Ok(())
}

/// What the supervisor waits for.
enum Event {
    /// A child was reaped: the server itself or an orphan of its tree.
    Reaped(Pid, WaitStatus),
    /// There is no child left.
    Childless,
    /// We are told to stop, or whoever would tell us is dead.
    Stop,
    /// Nothing of this happened in time.
    Nothing,
}

struct Keeper {
    /// The first process, which is also its group's id and its session's.
    server: Pid,
    control: UnixStream,
    bell: Bell,
    /// False once the socket told us to stop.
    listening: bool,
    /// True once nothing is left to end.
    childless: bool,
}

impl Keeper {
    fn until_stopped_or_exited(&mut self) {
        loop {
            match self.next(None) {
                Event::Stop => {
                    // Our parent closed the server's input already; a good server ends by itself now.
                    self.wait(PATIENCE, |pid, server| pid == server);
                    return;
                }
                Event::Childless => {
                    self.childless = true;
                    return;
                }
                Event::Reaped(pid, status) if pid == self.server => {
                    self.report(status);
                    return;
                }
                Event::Reaped(..) | Event::Nothing => {}
            }
        }
    }

    /// TERM, then KILL, to everything that descends from us.
    fn end_the_tree(&mut self) {
        // What is dead already needs no TERM, and nobody should wait two seconds to learn that.
        self.wait(Duration::ZERO, |_, _| false);
        if self.childless {
            return;
        }
        tree::signal_descendants(self.server, Signal::TERM);
        // One that is stopped can't hear it; it hears KILL even so.
        self.wait(PATIENCE, |_, _| false);
        // New processes may appear while we kill: go on until there are none, or until it is plain that we may not
        // kill what is left.
        let end = Instant::now() + LONGEST_KILLING;
        while !self.childless && Instant::now() < end {
            tree::signal_descendants(self.server, Signal::KILL);
            self.wait(Duration::from_millis(20), |_, _| false);
        }
    }

    /// Takes events for at most `patience`, or until there is no child, or until one that is `enough` was reaped.
    fn wait(&mut self, patience: Duration, enough: fn(Pid, Pid) -> bool) {
        let end = Instant::now() + patience;
        while !self.childless {
            match self.next(Some(end)) {
                Event::Reaped(pid, status) => {
                    if pid == self.server {
                        self.report(status);
                    }
                    if enough(pid, self.server) {
                        return;
                    }
                }
                Event::Childless => self.childless = true,
                Event::Stop => {}
                Event::Nothing => return,
            }
        }
    }

    fn next(&mut self, end: Option<Instant>) -> Event {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => return Event::Reaped(pid, status),
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Err(_no_child) => return Event::Childless,
            }
            let patience = end.map(|end| end.saturating_duration_since(Instant::now()));
            let listen = self.listening.then_some(&self.control as &dyn AsFd);
            if self.bell.wait(listen, patience) {
                let heard = self.control.read(&mut [0; 64]);
                let over = match heard {
                    Ok(size) => size == 0,
                    Err(error) => error.kind() != std::io::ErrorKind::Interrupted,
                };
                if over {
                    self.listening = false;
                    return Event::Stop;
                }
            }
            if patience == Some(Duration::ZERO) {
                return Event::Nothing;
            }
        }
    }

    fn report(&mut self, status: WaitStatus) {
        let line = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => format!("exited code {code}\n"),
            (None, Some(signal)) => format!("exited signal {signal}\n"),
            (None, None) => return,
        };
        // Nobody may be there to read it any more, and that is no reason to stop ending the tree.
        self.control.write_all(line.as_bytes()).ok();
    }
}

/// The pipes are given away: with copies of ours open, their ends would never be seen.
fn start(order: Order, [stdin, stdout, stderr]: [OwnedFd; 3]) -> std::io::Result<Pid> {
    // The path is never used: what runs is decided by `execve` below.
    let mut command = Command::new("/");
    command.stdin(stdin).stdout(stdout).stderr(stderr);
    become_the_server(&mut command, order);
    let child = command.spawn()?;
    Ok(Pid::from_child(&child))
}

/// Makes the child bind its life to ours and then run the server by `execve`. The library's own way would hand a
/// file that is no program to a shell, and no shell may ever see a command of ours.
#[expect(unsafe_code, reason = "what runs between fork and exec cannot be checked by the compiler")]
fn become_the_server(command: &mut Command, order: Order) {
    let Order { binary, args, variables, .. } = order;
    let words: Vec<CString> = std::iter::once(binary.clone()).chain(args).collect();
    let supervisor = rustix::process::getpid();
    let run = move || {
        // A session of its own: no terminal of ours, and a group whose number is its own.
        rustix::process::setsid()?;
        signals::forget();
        // The signal comes when this thread ends, which is the supervisor's only one and ends with the process.
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // If it ended before it could be asked for that signal, nobody would send it.
        if rustix::process::getppid() != Some(supervisor) {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
        let list = |of: &[CString]| of.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect::<Vec<_>>();
        // SAFETY: both lists end with null and point into strings that live until the process is replaced.
        unsafe { libc::execve(binary.as_ptr(), list(&words).as_ptr(), list(&variables).as_ptr()) };
        Err(std::io::Error::last_os_error())
    };
    // SAFETY: the supervisor has one thread when it forks, so no lock can be held by another and allocating is safe.
    unsafe { command.pre_exec(run) };
}
