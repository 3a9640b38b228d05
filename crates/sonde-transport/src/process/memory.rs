//! Giving memory back to the system.
//!
//! What a server sent is freed when it is written and shown, but the allocator of glibc keeps what it was given for
//! the next time: after a few large messages some 40 MiB, in each of its arenas.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long the last frames of a connection may take to be written and dropped.
const LATER: Duration = Duration::from_secs(2);

/// Whether someone is about to do it.
static SOON: AtomicBool = AtomicBool::new(false);

/// Gives back what is free a moment after a connection ended. However many end, it is done once.
pub(super) fn give_back_soon() {
    if SOON.swap(true, Ordering::Relaxed) {
        return;
    }
    let about_to = AboutTo;
    tokio::spawn(async move {
        tokio::time::sleep(LATER).await;
        drop(about_to);
        // It takes a few milliseconds, which are too many for a task among others.
        tokio::task::spawn_blocking(give_back);
    });
}

/// Also where the runtime ends first, the next one may do it.
struct AboutTo;

impl Drop for AboutTo {
    fn drop(&mut self) {
        SOON.store(false, Ordering::Relaxed);
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator can only be asked by its own call")]
fn give_back() {
    // SAFETY: it may be called at any time from any thread.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators give back what is free by themselves, or can't be asked.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back() {}
