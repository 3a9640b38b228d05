//! What signals mean to a nursery and to a supervisor, and what they mean again to a server.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec};

/// Signals that people and terminals send to whole groups. We end with our socket and not before: whoever is
/// between a server and its end must not be the first to go.
const IGNORED: [i32; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// Rings when a child ended, so that one wait covers children and sockets.
pub(super) struct Bell {
    rung: OwnedFd,
    /// What the handler writes to; closed only with the process.
    _rope: OwnedFd,
}

static ROPE: AtomicI32 = AtomicI32::new(-1);

extern "C" fn ring(_signal: i32) {
    // Nothing but one call to the system happens here. A full pipe has rung already.
    #[expect(unsafe_code, reason = "a signal handler can only call what the system allows in one")]
    // SAFETY: `write` is allowed in a handler, the byte lives, and a closed descriptor is only an error.
    unsafe {
        libc::write(ROPE.load(Ordering::Relaxed), [1u8].as_ptr().cast(), 1)
    };
}

impl Bell {
    /// Hangs a bell of this process's own. A fork has to do it again.
    #[expect(unsafe_code, reason = "the library has no safe way to say what a signal means")]
    pub fn hang() -> std::io::Result<Self> {
        let (rung, rope) = std::io::pipe()?;
        let (rung, rope) = (OwnedFd::from(rung), OwnedFd::from(rope));
        rustix::io::ioctl_fionbio(&rung, true)?;
        rustix::io::ioctl_fionbio(&rope, true)?;
        ROPE.store(rope.as_raw_fd(), Ordering::Relaxed);
        let handler: extern "C" fn(i32) = ring;
        // SAFETY: the handler does what a handler may, and lives as long as the program.
        unsafe { libc::signal(libc::SIGCHLD, handler as libc::sighandler_t) };
        for signal in IGNORED {
            // SAFETY: ignoring a signal runs no code.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
        Ok(Bell { rung, _rope: rope })
    }

    /// Waits for a ring, for something to read, or for the time to pass. True when there is something to read.
    pub fn wait(&self, read: Option<&dyn AsFd>, patience: Option<std::time::Duration>) -> bool {
        let patience = patience.map(|patience| Timespec {
            tv_sec: patience.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: patience.subsec_nanos().into(),
        });
        let mut polled = vec![PollFd::new(&self.rung, PollFlags::IN)];
        polled.extend(read.map(|read| PollFd::from_borrowed_fd(read.as_fd(), PollFlags::IN)));
        // An error is an interruption, and whoever waits looks at everything again anyway.
        rustix::event::poll(&mut polled, patience.as_ref()).ok();
        let readable = polled.get(1).is_some_and(|polled| !polled.revents().is_empty());
        let mut rings = [0; 64];
        while matches!(rustix::io::read(&self.rung, &mut rings), Ok(size) if size > 0) {}
        readable
    }
}

/// Gives the signals back the meaning that a program finds when it starts. For the time between fork and exec.
#[expect(unsafe_code, reason = "the library has no safe way to say what a signal means")]
pub(super) fn forget() {
    for signal in IGNORED.into_iter().chain([libc::SIGCHLD]) {
        // SAFETY: it is allowed between fork and exec and runs no code.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}
