//! Which servers exist, and which may start.
//!
//! Owns: the configuration files with their layers, what a valid server entry is, and the approvals.
//! Must not know: connections, SQLite, the window.
//! Start reading at [`load`], then [`Approvals`].

mod approvals;
mod expand;
mod file;
mod layers;
mod spec;

pub use approvals::{Approvals, ApprovalsError, Fingerprint};
pub use file::{EntryError, FileProblem};
pub use layers::{Places, Registry, load};
pub use spec::{Layer, Origin, ServerId, ServerSpec};
