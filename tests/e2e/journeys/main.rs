//! Journeys through the real window, each a sentence about what a person meets.
//!
//! `adopting` a server of another client, with a server that nobody here wrote; `first_start` what is there without
//! doing anything; `calling` tools, forms and results; `clicking` through
//! all that a server offers, by keys; `keyboard` the same without a mouse; `lasting` what outlives the
//! window and what must not; `registry` servers written down, brought in, examined and found; `secrets` what the page
//! never learns; `servers` states, failures, servers reached by HTTP and the native dialog; `flood` the window under
//! load; `hostile_page` a page that turned against the core; `hostile_server` a server that turned against the page.

#[cfg(feature = "peers")]
mod adopting;
mod calling;
mod clicking;
mod first_start;
mod flood;
mod hostile_page;
mod hostile_server;
mod keyboard;
mod lasting;
mod registry;
mod secrets;
mod servers;
