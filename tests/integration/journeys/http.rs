//! Servers over HTTP, through the API and into the log; the journey speaks for the server, byte by byte.
//!
//! `answers`: the forms that an answer has. `sessions`: what goes with every request, and how a session ends.
//! `streams`: event streams, their breaks and what is resumed. `refusals`: servers that let nobody in. `legacy`: HTTP
//! with SSE, as it was before. `crowd`: many at once. `secrets`: what nobody may find again. `encryption`: whose
//! certificate is trusted. `proxies`: others on the way. `redirects`: ways to somewhere else. `retries`: what is sent
//! again. `bodies`: what is compressed, too long or of another kind. `holding`: what a server can't make us hold.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a journey stops at the first thing that is not as it says")]

mod answers;
mod bodies;
mod crowd;
mod encryption;
mod holding;
mod legacy;
mod proxies;
mod redirects;
mod refusals;
mod retries;
mod secrets;
mod sessions;
mod streams;

use integration::{LIMIT, within};
use serde_json::Value;
use sonde_app::{ApiError, Begun};

/// Why a call that must fail did.
async fn failed(begun: Begun) -> ApiError {
    let end = within(LIMIT, "the end of a call", begun.end()).await;
    match end {
        Err(error) => error,
        Ok(ended) => panic!("it should fail: {:?}", ended.answer),
    }
}

/// The rows that are HTTP exchanges by themselves, as `GET 405`.
fn exchanges(rows: &[Value]) -> Vec<String> {
    let own = rows.iter().filter(|row| row["kind"] == "http");
    own.map(|row| format!("{} {}", row["method"].as_str().unwrap_or_default(), row["code"])).collect()
}

/// The remarks of the log.
fn marks(rows: &[Value]) -> Vec<&str> {
    rows.iter().filter(|row| row["kind"] == "mark").filter_map(|row| row["target"].as_str()).collect()
}

/// The values that an error has for a named fact.
fn fact(error: &ApiError, name: &str) -> Vec<String> {
    error.context.iter().filter(|fact| fact.name == name).map(|fact| fact.value.clone()).collect()
}
