//! Bytes and processes, from the outside.
//!
//! `lines`: splitting a stream. `command`: finding what will be started. `process`: real processes under the real
//! supervisor, and that nothing of them is left, however the end comes.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first thing that is not as it says")]

mod command;
mod lines;
mod process;
