//! Both servers of this crate, as processes: raw lines in, raw lines out.
//!
//! `peer.rs` starts a process and bounds every wait. The demo: `server.rs` its tools, `features.rs` what it offers
//! beside them, `questions.rs` what it asks its client, `tasks.rs` its tasks, `tour.rs` the rooms that show
//! one thing each, `http.rs` all of it over HTTP, with the
//! client of `web.rs`. `load.rs` tests `sonde-load` while it behaves and `misbehaviour.rs` while it does not.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on should stop where it is")]

mod features;
mod http;
mod load;
mod misbehaviour;
mod peer;
mod questions;
mod server;
mod tasks;
mod tour;
mod web;
