//! Which servers exist, and which may start.
//!
//! Owns: the configuration files with their layers, what a valid server entry is, the approvals, and what a person
//! edited about a server.
//! Must not know: connections, SQLite, the window.
//! Start reading at [`load`], then [`Approvals`], then [`Profiles`].

mod approvals;
mod expand;
mod fields;
mod file;
mod layers;
mod private;
mod profile;
mod profiles;
mod quantity;
mod spec;

pub use approvals::{Approvals, ApprovalsError, Fingerprint};
pub use file::{EntryError, FileProblem};
pub use layers::{Places, Registry, load};
pub use profile::{JsonObject, Profile};
pub use profiles::{Profiles, ProfilesError};
pub use quantity::{parse_duration, parse_size};
pub use spec::{Layer, Origin, ServerId, ServerSpec, TypedServer};
