//! Frames in, messages out.
//!
//! Owns: what a JSON-RPC/MCP message is, what is wrong with one, and which answer belongs to which request.
//! Must not know: processes, sockets, clocks, async, SQL, the window.
//! Start reading at [`parse`], then [`Correlator`].

mod finding;
mod frame;
mod message;
mod pairing;
mod parse;
mod revision;
mod summary;

pub use finding::{Code, Finding, Severity};
pub use frame::{Body, Channel, ConnectionId, Cut, Direction, Frame, Record, Settlement, Stamp};
pub use message::{ErrorObject, Id, Item, Message, Notification, Outcome, Request, Response};
pub use pairing::{Correlator, Exchange, Settled};
pub use parse::parse;
pub use revision::Revision;
pub use summary::{Verdict, answer_target, judge, request_target};
