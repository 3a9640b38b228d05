//! Every message of the protocol, through the API and into the log; the journey speaks for the server.
//!
//! The client's own tests say what goes over the wire; here it is held against what a person is given and what the log
//! keeps of it. `negotiation`: how a connection begins. `gating`: what may be sent. `envelopes`: ids, batches, raw
//! bytes. `lists`: pages and news. `features`: resources, prompts, completion, logging. `waiting`: progress,
//! cancellation, time. `questions`: sampling, elicitation, roots. `tasks`: both directions. `schemas`: arguments and
//! results. `kept`: what nobody knows. `conduct`: servers that break rules. `conforming`: servers that break none.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a journey stops at the first thing that is not as it says"
)]

mod conduct;
mod conforming;
mod envelopes;
mod features;
mod gating;
mod kept;
mod lists;
mod negotiation;
mod questions;
mod schemas;
mod tasks;
mod waiting;

/// The revisions that we speak, oldest first.
const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const LATEST: &str = REVISIONS[3];
