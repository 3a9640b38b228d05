//! Journeys through the real window, each a sentence about what a person meets.
//!
//! `adopting` a server of another client, with a server that nobody here wrote; `first_start` what is there without
//! doing anything; `calling` tools, forms and results; `clicking` through all that a server offers, by keys, and
//! `everything` the same with the reference server; `keyboard` forms and the log without a mouse; `lasting` what outlives
//! the window and what must not; `registry` servers written down, brought in, examined and found; `secrets` what the page
//! never learns; `servers` states, failures, servers reached by HTTP and the native dialog; `flood` the window under
//! load; `many_tools` ten thousand of them; `hostile_page` a page that turned against the core; `hostile_server`,
//! `injection` and `untrusted_content` a server that turned against the page.

#[cfg(feature = "peers")]
mod adopting;
mod calling;
mod clicking;
#[cfg(feature = "peers")]
mod everything;
mod first_start;
mod flood;
mod hostile_page;
mod hostile_server;
mod injection;
mod keyboard;
mod lasting;
mod many_tools;
mod questions;
mod registry;
mod secrets;
mod servers;
mod untrusted_content;
