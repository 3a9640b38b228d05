//! Both servers of this crate, as processes: raw lines in, raw lines out.
//!
//! `peer.rs` starts a process and bounds every wait; `server.rs` tests the demo; `load.rs` tests
//! `sonde-load` while it behaves and `misbehaviour.rs` while it does not.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on should stop where it is")]

mod load;
mod misbehaviour;
mod peer;
mod server;
