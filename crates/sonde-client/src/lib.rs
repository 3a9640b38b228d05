//! The life of one connection.
//!
//! Owns: negotiation, calls with their ids, timeouts, progress and cancellation, the server's own requests and the
//! questions among them, tasks in both directions, and the lists of what a server offers.
//! Must not know: SQLite, the window, configuration files.
//! Start reading at [`Client::connect`], then [`Client::ask`]; for the way in, `dispatch.rs` and then `answers.rs`.

mod answers;
mod ask;
mod call;
mod check;
mod client;
mod dispatch;
mod entries;
mod events;
mod follow;
mod handshake;
mod listing;
mod liveness;
mod options;
mod oversized;
mod pending;
mod questions;
mod raw;
mod running;
mod slot;
mod wire;
mod withdraw;

pub use ask::{Ask, Gate, Progressing, TaskWish};
pub use call::{Answer, Call, CallError, Progress, RequiredElicitation};
pub use client::{Client, Ending, Strays};
pub use entries::{
    Hints, Prompt, PromptArgument, Resource, ResourceTemplate, Task, Tool, read_prompt, read_resource, read_task,
    read_template, read_tool,
};
pub use events::Event;
pub use follow::TaskRun;
pub use handshake::{ConnectError, Handshake};
pub use listing::{Catalog, Listing};
pub use liveness::Dead;
pub use options::{Negotiation, Options, Patience};
pub use questions::{AnswerError, Question, Reply};
