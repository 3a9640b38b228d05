//! Which servers exist, and which may start.
//!
//! Owns: the configuration files with their layers, what a valid server entry is, the approvals, and what a person
//! edited about a server.
//! Must not know: connections, SQLite, the window.
//! Start reading at [`load`], then [`Approvals`], then [`Profiles`].

mod approvals;
mod arrangement;
pub mod clients;
mod command;
mod definition;
pub mod edit;
mod entry;
mod env_file;
mod expand;
mod fields;
mod file;
mod foreign;
pub mod language;
mod layers;
mod layout;
mod private;
mod profile;
mod profiles;
mod quantity;
mod reach;
mod remote;
mod secret;
pub mod shapes;
mod sound;
mod spec;
mod text;
mod typed;
mod vault;

pub use approvals::{Approval, Approvals, ApprovalsError, Fingerprint, LaunchShape, Verdict};
pub use arrangement::{ArrangementError, Arrangements, ServerGroup};
pub use definition::{Definition, Missing};
pub use expand::{Lookup, Reference, Surroundings, Variables};
pub use file::{EntryError, FileProblem, Severity, definitions};
pub use layers::{Places, Registry, SourceEntry, SourceFile, load};
pub use profile::{JsonObject, LONGEST_LINE, Profile};
pub use profiles::{Profiles, ProfilesError};
pub use quantity::{parse_duration, parse_size};
pub use reach::{CommandLine, Dialect, HeaderSpec, Proxy, Reach, RemoteSpec};
pub use secret::{Secret, TakenSecret, looks_secret, take_secrets};
pub use spec::{Layer, Origin, ServerId, ServerSpec};
pub use typed::{TypedCommand, TypedError, TypedServer, TypedUrl};
pub use vault::{Kept, Standing, Unusable, Vault, Wanted};
