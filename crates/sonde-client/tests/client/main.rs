//! The client against a server whose every byte the test decides: a real process under the real supervisor, which
//! passes everything on to the test.
//!
//! `handshake`: how a connection begins. `calls`: requests of ours and their ends. `questions`: requests of the
//! server. `tasks`: both directions. `lists`: pages, news and events. `liveness`:
//! whether it is still there. `peer` is what they share.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first thing that is not as it says")]

mod calls;
mod handshake;
mod lists;
mod liveness;
mod peer;
mod questions;
mod tasks;
