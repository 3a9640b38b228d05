//! Servers that misbehave, and what of the core must hold while they do.
//!
//! Owns: the list of cases, the server that plays them, the run of each in a process of its own, and the oracle that
//! judges every one of them by the same nine sentences.
//! Must not know: the inside of the core. A case drives it through the API of its front doors, as a window does.
//! Start reading at [`cases::CASES`], then `stage.rs` for what a case stands on, then `oracle.rs`.

pub mod cases;
mod figures;
mod inside;
mod latency;
mod memory;
mod oracle;
mod processes;
pub mod report;
pub mod runner;
pub mod script;
mod secrets;
mod sockets;
mod stage;
mod tallies;
mod victim;

pub use inside::play;
pub use stage::{Plan, Scale};
pub use victim::live as live_as_victim;
