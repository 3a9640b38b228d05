//! What the official conformance suite asks a server for, under the names that it has for it.
//!
//! The tour does not need these: each shows what another room shows too. They stand at the end of the lists, and say
//! word for word what the suite's own descriptions of its scenarios want.

mod forms;
mod prompts;
mod reconnection;
mod resources;
mod tools;

pub(crate) use prompts::{all as prompts, candidates, get as prompt};
pub(crate) use resources::{TEMPLATE, WATCHED_URI, all as resources, read, template};
pub(crate) use tools::{all as tools, call};
