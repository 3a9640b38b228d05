//! O5 for servers that are reached by HTTP: every body, to the byte.
//!
//! An answer carries a number in its head, and the log keeps heads. So what the log says of an exchange is held against
//! what the server says of that very answer.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use integration::Door;
use serde_json::{Value, json};

use crate::figures::Outcome;
use crate::stage::{Body, RemoteServer, scan, told};

/// What stands where a secret stood, or how that begins.
const MASKS: [&str; 2] = ["‹masked›", "‹secret"];

/// One exchange in the log.
struct Logged {
    /// The number that the server gave it.
    number: Option<u64>,
    method: String,
    traffic: Value,
    problem: Option<String>,
    /// Bytes of the server's frames that say they came in it.
    frames: u64,
    /// True where a secret that the server told is masked in one of them: a mask may be longer or shorter than that.
    masked: bool,
}

/// Judges the exchanges of these servers, whose answers are all of `remote`.
pub async fn judge(door: &Door, servers: &[String], remote: &RemoteServer, outcome: &mut Outcome) -> Result<()> {
    let written: BTreeMap<u64, Body> = remote.stop()?.into_iter().collect();
    outcome.failures.extend(remote.complaints()?.into_iter().map(|problem| format!("the server itself: {problem}")));
    let (mut rows, mut named) = (Vec::new(), Vec::new());
    scan(door, |row| {
        if !servers.iter().any(|id| row["server"] == **id) {
            return;
        }
        match row["kind"] == "mark" {
            true => named.extend(address(row)),
            false => rows.push((row["seq"].clone(), row["connection"].clone())),
        }
    })
    .await?;
    outcome.figures.rows += rows.len() as u64;
    let mut found: BTreeMap<(String, u64), Logged> = BTreeMap::new();
    for (seq, connection) in rows {
        let detail = door.call("read_row", json!({ "seq": seq })).await.map_err(told)?;
        enter(&mut found, &connection.to_string(), &detail)?;
    }
    for (connection, address) in named {
        // A connection of that kind has one stream.
        let stream = found.iter_mut().find(|((known, _), logged)| *known == connection && logged.method == "GET");
        if let Some((_, logged)) = stream {
            logged.frames += address.len() as u64;
            logged.masked |= MASKS.iter().any(|mask| address.contains(mask));
        }
    }
    let mut failures = Vec::new();
    let mut paired = 0_u64;
    for ((connection, number), logged) in &found {
        let place = format!("exchange {number} of connection {connection}");
        let count = |name: &str| logged.traffic[name].as_u64().unwrap_or_default();
        let body = count("body");
        let parts: u64 = ["recorded", "comments", "framing", "dropped"].map(count).iter().sum();
        if parts != body {
            failures.push(format!("O5: {place} had {body} bytes, its parts are {parts}: {}", logged.traffic));
        }
        if !logged.masked && logged.frames != count("recorded") {
            let (recorded, frames) = (count("recorded"), logged.frames);
            failures.push(format!("O5: {place} recorded {recorded} bytes, the log has frames of {frames}"));
        }
        let Some(written) = logged.number.and_then(|number| written.get(&number)) else { continue };
        paired += 1;
        outcome.figures.sent += written.bytes;
        outcome.figures.logged += count("recorded");
        outcome.figures.dropped += body - count("recorded").min(body);
        let exact = written.whole && logged.problem.is_none();
        let packed = written.wire != written.bytes;
        if exact && packed && count("compressed") != written.wire {
            failures.push(format!("O5: {place} had {} bytes on the wire of {written:?}", count("compressed")));
        }
        if body > written.bytes || (exact && body != written.bytes) {
            let problem = logged.problem.as_deref().unwrap_or("no problem");
            failures.push(format!("O5: {place} ({problem}): the log has {body} bytes of {written:?}"));
        }
    }
    // Where the head could not be read, nobody knows which answer it was of; but that there was one is known.
    let headless = found.values().filter(|logged| logged.number.is_none() && logged.problem.is_some()).count();
    let known = |number: &u64| found.values().any(|logged| logged.number == Some(*number));
    let missing: Vec<_> =
        written.iter().filter(|(number, body)| body.whole && body.bytes > 0 && !known(number)).collect();
    if missing.len() > headless {
        failures.push(format!("O5: the log knows nothing of these answers, or of some of them: {missing:?}"));
    }
    outcome.notes.push(format!("{paired} bodies of {} compared, {} exchanges logged", written.len(), found.len()));
    outcome.failures.append(&mut failures);
    Ok(())
}

/// The address for messages that a server named, and in which connection. It is no message, and so has no frame.
fn address(mark: &Value) -> Option<(String, String)> {
    let address = mark["target"].as_str()?.strip_prefix("messages go to ")?;
    Some((mark["connection"].to_string(), address.to_owned()))
}

fn enter(found: &mut BTreeMap<(String, u64), Logged>, connection: &str, detail: &Value) -> Result<()> {
    for exchange in detail["http"].as_array().into_iter().flatten() {
        let number = exchange["number"].as_u64().context("an exchange has a number")?;
        let logged = Logged {
            number: header(exchange, "x-hostile").and_then(|number| number.parse().ok()),
            method: exchange["method"].as_str().unwrap_or_default().to_owned(),
            traffic: exchange["traffic"].clone(),
            problem: exchange["problem"].as_str().map(str::to_owned),
            frames: 0,
            masked: false,
        };
        found.entry((connection.to_owned(), number)).or_insert(logged);
    }
    // A batch is one frame of many rows, but no case here sends one: each frame has one row.
    for frame in detail["frames"].as_array().into_iter().flatten().filter(|frame| frame["dir"] == "in") {
        let masked = frame["text"].as_str().is_some_and(|text| MASKS.iter().any(|mask| text.contains(mask)));
        let number = frame["http"].as_u64();
        if let Some(logged) = number.and_then(|number| found.get_mut(&(connection.to_owned(), number))) {
            logged.frames += frame["size"].as_u64().context("a frame has a size")?;
            logged.masked |= masked;
        }
    }
    Ok(())
}

/// The value of a header of the answer.
fn header<'a>(exchange: &'a Value, name: &str) -> Option<&'a str> {
    let headers = exchange["response_headers"].as_array()?;
    let found =
        headers.iter().find(|header| header["name"].as_str().is_some_and(|known| known.eq_ignore_ascii_case(name)))?;
    found["value"].as_str()
}
