//! The life of one connection.
//!
//! Owns: negotiation, calls with their ids, timeouts, progress and cancellation, answers to the server's own
//! requests, and the catalog of tools.
//! Must not know: SQLite, the window, configuration files.
//! Start reading at [`Client::connect`], then [`Client::request`].

mod call;
mod catalog;
mod client;
mod dispatch;
mod handshake;
mod wire;

pub use call::{Answer, Call, CallError, Progress};
pub use catalog::{Hints, Tool, Tools};
pub use client::{Client, Ending, Strays};
pub use handshake::{ConnectError, Handshake, Options};
