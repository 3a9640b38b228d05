//! The nursery: one small process of ours that forks a supervisor for each server, and outlives it.
//!
//! It is our own binary, run again, so that it has one thread and nothing to lose. It is a subreaper: where a
//! supervisor is killed, what it left becomes the nursery's and is ended.

use std::collections::HashMap;
use std::io::{IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::io::FdFlags;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use rustix::process::{Pid, WaitOptions};

use super::keeper::{self, Descriptors};
use super::signals::Bell;
use super::tree;

/// The word that makes our binaries act as a nursery.
pub(super) const WORD: &str = "supervise";

/// How often what a killed supervisor left is looked for, and for how long at most.
const AGAIN: Duration = Duration::from_millis(10);
const LONGEST_KILLING: Duration = Duration::from_secs(5);

/// If this process was started as a nursery, keeps it and gives the exit code; otherwise gives None at once.
/// Must be the first call of `main`, before any thread and any window.
pub fn run_supervisor() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != WORD || args.next().is_some() {
        return None;
    }
    Some(match take_orders().and_then(Nursery::keep) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_nobody_hears_it) => ExitCode::FAILURE,
    })
}

struct Nursery {
    /// Where the orders come from; None once nobody can give one.
    orders: Option<UnixStream>,
    bell: Bell,
    /// The supervisors, each with a copy of its socket: that ends only when nothing of the server is left.
    supervisors: HashMap<Pid, OwnedFd>,
    /// Sockets of supervisors that were killed, until what they left is ended.
    killed: Vec<OwnedFd>,
    /// When to stop trying to end it.
    give_up: Instant,
}

impl Nursery {
    fn keep(orders: UnixStream) -> std::io::Result<()> {
        // Whatever else came down to us from whoever started the program: a server gets none of it.
        close_all_but_the_first_three()?;
        // Nobody should find a folder in use because of us.
        std::env::set_current_dir("/")?;
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let bell = Bell::hang()?;
        let mut nursery = Nursery {
            orders: Some(orders),
            bell,
            supervisors: HashMap::new(),
            killed: Vec::new(),
            give_up: Instant::now(),
        };
        while nursery.orders.is_some() || !nursery.supervisors.is_empty() || !nursery.killed.is_empty() {
            nursery.reap();
            nursery.end_orphans();
            let patience = (!nursery.killed.is_empty()).then_some(AGAIN);
            if nursery.orders.is_none() && nursery.supervisors.is_empty() && patience.is_none() {
                break;
            }
            let readable = nursery.bell.wait(nursery.orders.as_ref().map(|orders| orders as &dyn AsFd), patience);
            if readable {
                nursery.take_order();
            }
        }
        Ok(())
    }

    fn reap(&mut self) {
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            let Some(control) = self.supervisors.remove(&pid) else { continue };
            if status.exit_status() != Some(0) {
                self.killed.push(control);
                self.give_up = Instant::now() + LONGEST_KILLING;
            }
        }
    }

    /// Ends what killed supervisors left. What their servers started becomes ours only when its own parents are
    /// dead, so it is looked for until there is nothing.
    fn end_orphans(&mut self) {
        if self.killed.is_empty() {
            return;
        }
        let left = tree::kill_orphans(&|pid| self.supervisors.contains_key(&pid));
        if left == 0 || Instant::now() >= self.give_up {
            self.killed.clear();
        }
    }

    fn take_order(&mut self) {
        let Some(orders) = &self.orders else { return };
        match receive(orders) {
            Ok(Received::Order(descriptors)) => self.start(descriptors),
            // Not for us, or not all of it: the sockets in it end here, which tells whoever waits.
            Ok(Received::Something) | Err(rustix::io::Errno::INTR) => {}
            Ok(Received::End) | Err(_) => self.orders = None,
        }
    }

    fn start(&mut self, descriptors: Descriptors) {
        let Ok(copy) = descriptors.control.as_fd().try_clone_to_owned() else { return };
        match fork() {
            Ok(Fork::Child) => {
                // The sockets of others end when their own supervisors do, and not with this one.
                drop((
                    copy,
                    self.orders.take(),
                    std::mem::take(&mut self.supervisors),
                    std::mem::take(&mut self.killed),
                ));
                std::process::exit(match keeper::supervise(descriptors) {
                    Ok(()) => 0,
                    Err(_the_socket_tells) => 1,
                });
            }
            Ok(Fork::Parent(pid)) => {
                self.supervisors.insert(pid, copy);
            }
            Err(error) => {
                let mut control = UnixStream::from(copy);
                // If nobody is there to hear it, nobody waits for it.
                writeln!(control, "failed room {}", error.raw_os_error().unwrap_or(libc::EAGAIN)).ok();
            }
        }
    }
}

enum Received {
    Order(Descriptors),
    Something,
    End,
}

/// An order begins with one byte and four descriptors: its own socket and the server's three.
fn receive(orders: &UnixStream) -> rustix::io::Result<Received> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let received = rustix::net::recvmsg(orders, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::empty())?;
    if received.bytes == 0 {
        return Ok(Received::End);
    }
    let descriptors = ancillary.drain().flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
        _ => Vec::new(),
    });
    let descriptors: Vec<OwnedFd> = descriptors.collect();
    // No server may inherit them. There is one thread, so none can be started before this is said.
    for descriptor in &descriptors {
        rustix::io::fcntl_setfd(descriptor, FdFlags::CLOEXEC)?;
    }
    let mut descriptors = descriptors.into_iter();
    let mut next = || descriptors.next();
    Ok(match (next(), next(), next(), next()) {
        (Some(control), Some(stdin), Some(stdout), Some(stderr)) => {
            Received::Order(Descriptors { control: UnixStream::from(control), stdin, stdout, stderr })
        }
        _ => Received::Something,
    })
}

enum Fork {
    Child,
    Parent(Pid),
}

#[expect(unsafe_code, reason = "a copy of a process can only be made if nothing else runs in it")]
fn fork() -> std::io::Result<Fork> {
    // SAFETY: a nursery has one thread, so no lock is held by another and everything may be done in the copy.
    match unsafe { libc::fork() } {
        0 => Ok(Fork::Child),
        pid => Pid::from_raw(pid.max(0)).map(Fork::Parent).ok_or_else(std::io::Error::last_os_error),
    }
}

#[expect(unsafe_code, reason = "a descriptor inherited by number has no safe owner")]
fn take_orders() -> std::io::Result<UnixStream> {
    // Kept apart from the number of the standard input, which is opened again below.
    // SAFETY: nothing else uses the standard input, which whoever starts a nursery makes a socket.
    let given = unsafe { BorrowedFd::borrow_raw(0) };
    let orders = rustix::io::fcntl_dupfd_cloexec(given, 3)?;
    let nothing = std::fs::File::open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    // The lowest free number that is none of the standard three; the rest are closed behind it.
    drop(nothing);
    let orders = UnixStream::from(orders);
    // Someone may have typed the word on a terminal.
    orders.local_addr()?;
    Ok(orders)
}

/// Closes every descriptor that we inherited. Ours is the one that was just opened.
#[expect(unsafe_code, reason = "a descriptor inherited by number has no safe owner")]
fn close_all_but_the_first_three() -> std::io::Result<()> {
    let numbers: Vec<i32> = std::fs::read_dir("/dev/fd")?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2)
        .collect();
    for number in numbers {
        // SAFETY: this thread is the only one, and a descriptor without the mark is none that this program opened.
        unsafe {
            let inherited = BorrowedFd::borrow_raw(number);
            if matches!(rustix::io::fcntl_getfd(inherited), Ok(flags) if !flags.contains(FdFlags::CLOEXEC)) {
                drop(OwnedFd::from_raw_fd(number));
            }
        }
    }
    Ok(())
}
