//! The core against real servers, through the API of its front doors.
//!
//! `demo`: what a person does with a good server. `misbehaviour`: what bad servers do. `lifecycle`: starting, ending,
//! approving, and what is left behind. `api`: requests that are wrong or too many. `requests`: anything that can be
//! sent. `clicking`: what a window does with what a server offers. `posture`: how a server is spoken to. `questions`:
//! what it asks of a person. `secrets`: who gets to know them. `life`: how servers are kept alive, and what all of them
//! offer. `configure`: files that change, forms, approvals. `doctor`: what is told of servers that can't be used, and
//! what the launch doctor finds. `cli`: the program `sonde`. `import`: servers from other clients. `peers`: servers
//! that nobody here wrote (feature `peers`). `wire`: every message of the protocol, the journey speaking for the
//! server. `http`: the same with servers over HTTP. What needs no server is tested in the crate that owns it.

mod api;
mod cli;
mod clicking;
mod configure;
mod demo;
mod doctor;
mod http;
mod import;
mod life;
mod lifecycle;
mod misbehaviour;
#[cfg(feature = "peers")]
mod peers;
mod posture;
mod questions;
mod requests;
mod secrets;
mod wire;
