//! Bytes and processes, from the outside.
//!
//! `lines`, `sse`: splitting a stream. `command`, `environment`, `search`: finding what will be started and what it
//! may see, by the rules of each platform. `stdio`: what passes through the pipes of a real server. `process`: real processes under
//! the real supervisor, and that nothing of them is left. `survivors`: the same when those who should see to it are
//! killed. `harness`: what they share.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first thing that is not as it says")]

mod command;
mod environment;
mod harness;
mod lines;
mod process;
mod search;
mod sse;
mod stdio;
mod survivors;
