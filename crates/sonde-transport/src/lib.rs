//! Bytes and processes.
//!
//! Owns: starting a server and ending all of its processes, splitting its output into frames, and the tap that
//! hands every frame to the recorder before anyone interprets it.
//! Must not know: method names, what a message means, SQL, the window.
//! Start reading at [`start_stdio`], then [`Tap`], then `process/supervisor.rs`.

mod command;
mod environment;
mod lines;
mod process;
mod stdio;
mod tap;

pub use command::{Launch, LaunchError, resolve};
pub use environment::{inherited, variables};
pub use lines::{LineLimits, LineSplitter};
pub use process::{Exit, Process, Supervisor, is_alive, run_supervisor};
pub use stdio::{Closed, Inbound, Link, Outbound, StartError, StderrTail, start_stdio};
pub use tap::{Clock, InFlight, Redact, Tap, Verbatim};
