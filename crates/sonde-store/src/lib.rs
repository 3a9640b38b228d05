//! The log on disk.
//!
//! Owns: all SQL, the recorder that writes frames and the rows made of them, and the queries of the log.
//! Must not know: clients, transports, server configuration, the window.
//! Start reading at [`Store::open`], then [`Recorder`], then `ledger.rs`.

mod batch;
mod http;
mod ledger;
mod log;
mod open;
mod recorder;
mod row;
mod write;

pub use http::{KeptExchange, KeptHead};
pub use log::{FrameHead, Page, RowFrames, View};
pub use open::{Store, StoreError};
pub use recorder::{Entrance, LogState, Recorder};
pub use row::{Row, RowKind, RowStatus};
