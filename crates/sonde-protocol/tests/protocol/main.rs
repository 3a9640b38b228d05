//! What a message is, from the outside: bytes in, messages and findings out.
//!
//! `parse`: every shape of input. `conduct`: what a conversation shows. `pairing`: which answer belongs to which
//! request. `finding` and `summary`: the words of the log. `schema` and `template`: what a server describes, from itself;
//! `schema_suite`: the official suite of JSON Schema.
//! `challenge`: what it asks for before it lets anyone in.
//! Properties stand beside the examples that they generalise.

#![expect(clippy::expect_used, reason = "a test stops at the first thing that is not as it says")]

mod challenge;
mod conduct;
mod finding;
mod method;
mod pairing;
mod parse;
mod schema;
mod schema_suite;
mod summary;
mod template;
