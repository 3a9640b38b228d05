//! The log on disk, from the outside: records in, rows and bytes out, on a real file.
//!
//! `ledger`: which rows records become. `http`: which those of HTTP, and how its exchanges are kept. `log`: pages,
//! views and frames. `lines`: what servers say of their work. `kept`: what a person keeps beside it. `open`: whose file it is, and who else uses it. `scribe` is what they share.

#![expect(clippy::unwrap_used, reason = "a test stops at the first thing that is not as it says")]

mod http;
mod kept;
mod ledger;
mod lines;
mod log;
mod open;
mod scribe;
