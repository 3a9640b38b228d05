//! The core against real servers, through the API of its front doors.
//!
//! `demo`: what a person does with a good server. `misbehaviour`: what bad servers do. `lifecycle`: starting, ending,
//! approving, and what is left behind. `api`: requests that are wrong or too many. `requests`: anything that can be
//! sent. `posture`: how a server is spoken to. `cli`: the program `sonde`. `peers`: servers that nobody here wrote
//! (feature `peers`). `wire`: every message of the protocol, the journey speaking for the server. `http`: the same with
//! servers over HTTP. What needs no server is tested in the crate that owns it.

mod api;
mod cli;
mod demo;
mod http;
mod lifecycle;
mod misbehaviour;
#[cfg(feature = "peers")]
mod peers;
mod posture;
mod requests;
mod wire;
