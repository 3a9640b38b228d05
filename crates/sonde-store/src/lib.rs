//! The log on disk.
//!
//! Owns: all SQL, the recorder that writes frames and the rows made of them, the queries of the log, and what a person
//! keeps beside it.
//! Must not know: clients, transports, server configuration, the window.
//! Start reading at [`Store::open`], then [`Recorder`], then `ledger.rs`.

mod batch;
mod book;
mod http;
mod ledger;
mod log;
mod open;
mod recorder;
mod row;
mod seen;
mod write;

pub use book::{SavedCall, Subject};
pub use http::{KeptExchange, KeptHead};
pub use log::{FrameHead, Level, Lines, OpenRows, Page, RowFrames, View};
pub use open::{Store, StoreError};
pub use recorder::{Entrance, LogState, Recorder};
pub use row::{Row, RowKind, RowStatus};
pub use seen::SeenTool;
