//! The command line against servers that nobody here wrote, and beside a client that nobody here wrote.
//!
//! `make peers` installs both and names their folder in `SONDE_PEERS`; nothing here needs a network. `lists`: what both
//! clients see. `calls`: every tool once. `questions`: what servers ask. `news`: what they tell unasked. `matrix`: what
//! each side declares, with and without. All of these over each transport. `remote`: what only a server that listens
//! does. Start reading at [`sonde::Sonde`], then [`reach::Server`], then `lists`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a journey stops at the first thing that is not as it says"
)]

mod calls;
mod conversation;
mod lists;
mod matrix;
mod news;
mod questions;
mod reach;
mod remote;
mod servers;
mod sonde;
