//! The API of every front door.
//!
//! Owns: the one list of commands, the types that cross a front door, and the composition of the parts below.
//! Must not know: which window or terminal is in front of it.
//! Start reading at `router.rs` for the commands, then [`App::open`], then `server.rs` for a server's life.

mod answers;
mod api;
mod app;
mod arrange;
mod ask_now;
mod book;
mod calls;
mod changes;
mod configure;
mod content;
mod data_folder;
mod demo;
mod differences;
mod doctor;
mod explain;
mod full_name;
mod import;
mod journal;
mod links;
mod log;
mod posture;
mod questions;
mod repeats;
mod roster;
mod router;
mod schemas;
mod search;
mod secrets;
mod server;
mod shown;
mod subscriptions;
mod text;
mod watch;

pub use answers::AnswerRules;
pub use api::calls::{CallStatus, Violation};
pub use api::configuration::{Saved, Target};
pub use api::doctor::{Examination, PathEntry, Step, StepOutcome, VariableFact, Verdict};
pub use api::error::{ApiError, ErrorCode, Fact};
pub use api::http::{HttpDetail, SseEvent};
pub use api::import::{
    Exported, FoundFile, FoundFiles, ImportChoice, ImportConflict, Importable, Imported, LookedAt, Offer, Shape, Shapes,
};
pub use api::log::{
    Direction, Finding, FrameDetail, FramePart, FrameRequest, LogPage, LogRequest, LogRow, LogView, RowDetail, RowKind,
    RowRequest, RowStatus, Severity,
};
pub use api::questions::Question;
pub use api::secrets::{Keeper, KeeperKind, SecretKind, SecretList, SecretState};
pub use api::servers::{
    CommandLaunch, ConfigProblem, Launch, Layer, Origin, ServerDetail, ServerList, ServerState, ServerSummary,
    ShownHeader, UrlLaunch,
};
pub use app::{App, Keeping, LoginShell, Setup, Watching};
pub use calls::{Ask, Begun, Ended, RawSent};
pub use data_folder::DataFolder;
pub use full_name::{full_name, split_full_name};
pub use import::{Clear, Source, is_client};
pub use journal::{start_journal, tell_panics};
pub use posture::{Posture, revisions};
pub use repeats::percentile;
pub use router::{COMMANDS, LARGEST_REQUEST, bindings, check_size};
pub use secrets::Lasting;
pub use server::{Asked, AskedFile, Pace, PendingApproval};
pub use sonde_client::{Answer, Catalog, Event, Gate, Listing, Negotiation, Patience, Progress, Reply, TaskWish};
pub use sonde_registry::{
    Dialect, JsonObject, Profile, Secret, ServerId, TypedCommand, TypedServer, TypedUrl, parse_duration, parse_size,
};
pub use sonde_transport::{Supervisor, run_supervisor};
pub use text::visible;
