//! The supervisor: a process between us and a server that outlives us just long enough to end the server.
//!
//! Plain blocking code on two threads; it must work while everything else is failing.

use std::ffi::{CString, OsStr, OsString};
use std::io::{Read, Write};
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

use super::tree;
use super::{CONTROL, SERVERS, WORD};

/// How long a server may take after its input was closed, and again after TERM.
const PATIENCE: Duration = Duration::from_secs(2);

/// A process of another user can't be killed; nobody is helped by trying for ever.
const LONGEST_KILLING: Duration = Duration::from_secs(5);

/// If this process was started as a supervisor, supervises and gives the exit code; otherwise gives None at once.
/// Must be the first call of `main`, before any thread and any window.
pub fn run_supervisor() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != WORD {
        return None;
    }
    let binary = args.next()?;
    Some(match supervise(binary, args.collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sonde: the supervisor failed: {error}");
            ExitCode::FAILURE
        }
    })
}

/// What the main thread waits for.
enum Event {
    /// A child was reaped: the server itself or an orphan of its tree.
    Reaped(Pid, WaitStatus),
    /// There is no child left.
    Childless,
    /// We are told to stop, or whoever would tell us is dead.
    Stop,
}

fn supervise(binary: OsString, args: Vec<OsString>) -> std::io::Result<()> {
    let mut control = take_control()?;
    keep_descriptors_from_the_server()?;
    // Orphans of the server become our children, so that even a daemon of its own session is found and ended.
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;

    let server = match start(&binary, &args) {
        Ok(server) => server,
        Err(error) => {
            // 2 is ENOENT: the nearest to the truth for an error without a number.
            return writeln!(control, "failed {}", error.raw_os_error().unwrap_or(2));
        }
    };
    // If nobody is there to hear it, the socket is at its end, and that is the order to end the tree.
    writeln!(control, "started {}", server.as_raw_nonzero()).ok();
    let_go_of_the_pipes()?;

    // Bounded like every queue of ours; a full one only makes the watchers wait.
    let (sender, events) = mpsc::sync_channel(64);
    watch_control(control.try_clone()?, sender.clone());
    watch_children(sender);
    let mut keeper = Keeper { server, control, events, childless: false };
    keeper.until_stopped_or_exited();
    keeper.end_the_tree();
    Ok(())
}

struct Keeper {
    /// The first process, which is also its group's id.
    server: Pid,
    control: UnixStream,
    events: mpsc::Receiver<Event>,
    /// True once nothing is left to end.
    childless: bool,
}

impl Keeper {
    fn until_stopped_or_exited(&mut self) {
        while let Ok(event) = self.events.recv() {
            match event {
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
                Event::Reaped(..) => {}
            }
        }
    }

    /// TERM to the group, then KILL to everything that descends from us.
    fn end_the_tree(&mut self) {
        if self.childless {
            return;
        }
        tree::signal(self.server, Signal::TERM);
        self.wait(PATIENCE, |_, _| false);
        // New processes may appear while we kill: go on until there are none, or until it is plain that we may not
        // kill what is left.
        let end = Instant::now() + LONGEST_KILLING;
        while !self.childless && Instant::now() < end {
            tree::signal(self.server, Signal::KILL);
            self.wait(Duration::from_millis(20), |_, _| false);
        }
    }

    /// Takes events for at most `patience`, or until there is no child, or until one that is `enough` was reaped.
    fn wait(&mut self, patience: Duration, enough: fn(Pid, Pid) -> bool) {
        let end = Instant::now() + patience;
        while !self.childless {
            match self.events.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(Event::Reaped(pid, status)) => {
                    if pid == self.server {
                        self.report(status);
                    }
                    if enough(pid, self.server) {
                        return;
                    }
                }
                Ok(Event::Childless) => self.childless = true,
                Ok(Event::Stop) => {}
                Err(_timeout) => return,
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

fn start(binary: &OsStr, args: &[OsString]) -> std::io::Result<Pid> {
    let mut command = Command::new(binary);
    command.process_group(0);
    become_the_server(&mut command, binary, args)?;
    let child = command.spawn()?;
    Ok(Pid::from_child(&child))
}

/// Makes the child bind its life to ours and then run the server by `execve`. The library's own way would hand a
/// file that is no program to a shell, and no shell may ever see a command of ours.
#[expect(unsafe_code, reason = "what runs between fork and exec cannot be checked by the compiler")]
fn become_the_server(command: &mut Command, binary: &OsStr, args: &[OsString]) -> std::io::Result<()> {
    let path = CString::new(binary.as_bytes())?;
    let words = std::iter::once(binary).chain(args.iter().map(OsString::as_os_str));
    let words = words.map(|word| CString::new(word.as_bytes())).collect::<Result<Vec<_>, _>>()?;
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| {
            let name = name.as_bytes().strip_prefix(SERVERS.as_bytes())?;
            Some(CString::new([name, b"=", value.as_bytes()].concat()))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let run = move || {
        // The signal comes when this thread ends, which is the supervisor's main one and ends only with the process.
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        let list = |of: &[CString]| of.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect::<Vec<_>>();
        // SAFETY: both lists end with null and point into strings that live until the process is replaced.
        unsafe { libc::execve(path.as_ptr(), list(&words).as_ptr(), list(&variables).as_ptr()) };
        Err(std::io::Error::last_os_error())
    };
    // SAFETY: the supervisor has one thread when it forks, so no lock can be held by another and allocating is safe.
    unsafe { command.pre_exec(run) };
    Ok(())
}

#[expect(unsafe_code, reason = "a descriptor inherited by number has no safe owner")]
fn take_control() -> std::io::Result<UnixStream> {
    // SAFETY: whoever starts a supervisor puts the control socket at this number, and nothing else here owns it.
    let control = unsafe { OwnedFd::from_raw_fd(CONTROL) };
    Ok(UnixStream::from(control))
}

/// A server gets the standard three. The control socket is ours, and so is whatever else came down to us from
/// whoever started the program.
#[expect(unsafe_code, reason = "a descriptor inherited by number has no safe owner")]
fn keep_descriptors_from_the_server() -> std::io::Result<()> {
    let numbers: Vec<i32> = std::fs::read_dir("/dev/fd")?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2)
        .collect();
    for number in numbers {
        // SAFETY: this thread is the only one, so none of them can be closed meanwhile but the one that listed them.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        match rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::CLOEXEC) {
            Ok(()) | Err(rustix::io::Errno::BADF) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// The pipes belong to the server alone: with our copies open, their ends would never be seen.
fn let_go_of_the_pipes() -> std::io::Result<()> {
    let nothing = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

fn watch_control(mut control: UnixStream, events: mpsc::SyncSender<Event>) {
    std::thread::spawn(move || {
        let mut byte = [0];
        while matches!(control.read(&mut byte), Ok(size) if size > 0) {}
        events.send(Event::Stop).ok();
    });
}

fn watch_children(events: mpsc::SyncSender<Event>) {
    std::thread::spawn(move || {
        loop {
            let event = match rustix::process::wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) => Event::Reaped(pid, status),
                Ok(None) | Err(rustix::io::Errno::INTR) => continue,
                Err(_no_child) => Event::Childless,
            };
            let over = matches!(event, Event::Childless);
            if events.send(event).is_err() || over {
                return;
            }
        }
    });
}
