//! Frames in, messages out.
//!
//! Owns: what a JSON-RPC/MCP message is, what is wrong with one, which answer belongs to which request, and what each
//! side may send.
//! Must not know: processes, sockets, clocks, async, SQL, the window.
//! Start reading at [`parse`], then [`Correlator`], then [`Conduct`].

mod capabilities;
mod challenge;
mod conduct;
mod finding;
mod frame;
mod headers;
mod http;
mod members;
mod message;
mod method;
mod pairing;
mod parse;
mod revision;
mod rules;
mod schema;
mod summary;
mod template;

pub use capabilities::Capabilities;
pub use challenge::{Challenge, challenges};
pub use conduct::{Asked, Conduct};
pub use finding::{Code, Finding, Severity};
pub use frame::{Body, Channel, ConnectionId, Cut, Direction, Frame, Record, Settlement, Stamp};
pub use headers::Headers;
pub use http::{HttpEnd, HttpExchange, HttpHead, HttpLoad, HttpPhases, HttpPlace, HttpTraffic, SseEvent, TlsFacts};
pub use members::FirstItems;
pub use message::{ErrorObject, Id, Item, Message, Notification, Outcome, Request, Response};
pub use method::{Agreement, Holder, METHODS, Method, Need, Objection, Party, Shape, method};
pub use pairing::{Correlator, Exchange, Settled};
pub use parse::parse;
pub use revision::Revision;
pub use rules::Rules;
pub use schema::{Schema, SchemaProblem, Violation};
pub use summary::{Verdict, answer_target, judge, request_target};
pub use template::{TemplateProblem, UriTemplate};
