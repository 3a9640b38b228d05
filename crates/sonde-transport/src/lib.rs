//! Bytes and processes.
//!
//! Owns: starting a server and ending all of its processes, splitting its output into frames, and the tap that
//! hands every frame to the recorder before anyone interprets it.
//! Must not know: method names, what a message means, SQL, the window.
//! Start reading at [`start_stdio`], then [`Tap`], then `process.rs`.

mod capped;
mod command;
mod environment;
mod http;
mod lines;
mod link;
mod platform;
mod process;
mod redact;
mod search;
mod sse;
mod stdio;
mod tap;

pub use command::{Found, Launch, LaunchError};
pub use environment::variables;
pub use http::{
    Attempt, Dialect, Document, Header, HttpFailure, HttpLimits, Moment, OpenError, Proxying, Published, Reached,
    Remote, RemoteEnd, Secrecy, Trust, TrustError, documents, mask_header, open_http, reach, shown_address, shown_url,
};
pub use lines::{LineLimits, LineSplitter};
pub use link::{Closed, Inbound, Incoming, Link, Outbound, Peer, Repeat, Sent};
pub use platform::Platform;
pub use process::{
    Exit, Process, ProcessFacts, StartError, Supervisor, Swept, is_alive, process_facts, process_start, run_supervisor,
    sweep,
};
pub use redact::{End, Redactor};
pub use search::{Files, Located, SearchFolder, SearchPath, Source, login_shell};
pub use sse::{Ended, Event, SseCounts, SseItem, SseParser};
pub use stdio::{StderrTail, start_stdio};
pub use tap::{Clock, InFlight, Redact, Tap, Verbatim};
