//! The API of every front door.
//!
//! Owns: the one list of commands, the types that cross a front door, and the composition of the parts below.
//! Must not know: which window or terminal is in front of it.
//! Start reading at `router.rs` for the commands, then [`App::open`], then `server.rs` for a server's life.

mod api;
mod app;
mod calls;
mod changes;
mod data_folder;
mod demo;
mod explain;
mod journal;
mod log;
mod router;
mod server;
mod text;

pub use api::error::{ApiError, ErrorCode, Fact};
pub use api::servers::{ConfigProblem, ServerList, ServerState, ServerSummary};
pub use app::{App, Setup};
pub use data_folder::DataFolder;
pub use journal::start_journal;
pub use router::{COMMANDS, LARGEST_REQUEST, bindings, check_size};
pub use server::PendingApproval;
pub use sonde_transport::{Supervisor, run_supervisor};
pub use text::visible;
