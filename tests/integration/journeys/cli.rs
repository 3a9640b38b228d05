//! The real `sonde`: what it prints, where, and how it exits.
//!
//! `calling`: calls and every exit status. `listing`: lists, of one server and of all. `questions`: what a server asks,
//! answered by a rule, by nobody, and by a person at a pseudo-terminal. `raw`: bytes of one's own, and the log.
//! `inputs`: secrets and inputs that a person gives. `remote`: servers at an address. `repeating`: load. `program`: usage, approvals, completions and the manual.
//! `console`: how they run it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a journey stops at the first thing that is not as it says")]

mod calling;
pub(crate) mod console;
mod inputs;
mod listing;
mod program;
mod questions;
mod raw;
mod reading;
mod remote;
mod repeating;
