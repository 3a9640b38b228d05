//! Which servers exist, and which may start.
//!
//! Owns: the configuration files with their layers, what a valid server entry is, the approvals, and what a person
//! edited about a server.
//! Must not know: connections, SQLite, the window.
//! Start reading at [`load`], then [`Approvals`], then [`Profiles`].

mod approvals;
mod arrangement;
mod broken;
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

pub use approvals::{Approval, Approvals, ApprovalsError, Fingerprint, LaunchShape, LaunchVariable, Verdict};
pub use arrangement::{ArrangementError, Arrangements, ServerGroup};
pub use definition::{Definition, InputAbout, Missing};
pub use env_file::{EnvContent, EnvFile};
pub use expand::{Lookup, Reference, Surroundings, Variables};
pub use file::{EntryError, FileProblem, Severity, definitions};
pub use layers::{Places, Readings, Registry, SourceEntry, SourceFile, load, load_again};
pub use profile::{JsonObject, LONGEST_LINE, Profile};
pub use profiles::{Profiles, ProfilesError};
pub use quantity::{parse_duration, parse_size};
pub use reach::{CommandLine, Dialect, HeaderSpec, Proxy, Reach, RemoteSpec};
pub use secret::{
    Secret, SecretWord, TakenSecret, free_name, is_secret_header, looks_secret, mask_secrets, masked_words,
    reference_name, secret_words, split_scheme, take_new_secrets, take_secrets,
};
pub use spec::{Layer, Origin, ServerId, ServerSpec};
pub use typed::{TypedCommand, TypedError, TypedServer, TypedUrl};
pub use vault::{Kept, Owner, Standing, Unusable, Vault, Wanted};
