//! What the server saw and what it wrote, on disk as it happens.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};

use super::request::Request;

pub struct Diary {
    begun: Instant,
    /// Lines of JSON: what was seen, in its order.
    diary: Option<Mutex<File>>,
    /// Lines of numbers: what was written of each answer's body.
    tally: Option<Mutex<File>>,
    requests: AtomicU64,
}

/// What was written of one answer's body.
#[derive(Default)]
pub struct Body {
    /// As the client should understand it, and as it was on the wire without any framing.
    pub bytes: u64,
    pub wire: u64,
    /// True when nothing was missing and nothing was too much.
    pub whole: bool,
}

impl Diary {
    pub fn open(folder: Option<&Path>) -> io::Result<Self> {
        let create = |name: &str| -> io::Result<Option<Mutex<File>>> {
            let Some(folder) = folder else { return Ok(None) };
            Ok(Some(Mutex::new(OpenOptions::new().create(true).append(true).open(folder.join(name))?)))
        };
        Ok(Diary {
            begun: Instant::now(),
            diary: create("diary")?,
            tally: create("bodies")?,
            requests: AtomicU64::new(0),
        })
    }

    /// Enters something that happened.
    pub fn note(&self, what: &str, mut more: Value) {
        more["what"] = json!(what);
        more["at_ms"] = json!(self.begun.elapsed().as_millis() as u64);
        append(self.diary.as_ref(), &more.to_string());
    }

    /// Enters a request; gives its number.
    pub fn request(&self, request: &Request) -> u64 {
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let more = json!({
            "number": number,
            "method": request.method,
            "target": request.target,
            "headers": request.headers.iter().map(|(name, value)| json!([name, value])).collect::<Vec<_>>(),
            "rpc": request.rpc(),
            "id": request.message["id"],
            "tool": request.tool(),
        });
        self.note("request", more);
        number
    }

    /// Enters what became of an answer's body.
    pub fn answered(&self, number: u64, body: &Body) {
        let Body { bytes, wire, whole } = body;
        append(self.tally.as_ref(), &format!("{number} {bytes} {wire} {}", u8::from(*whole)));
    }
}

fn append(file: Option<&Mutex<File>>, line: &str) {
    let Some(file) = file else { return };
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    // In one write, so that a reader never sees half a line. What can't be written is missed by the oracle.
    file.write_all(format!("{line}\n").as_bytes()).ok();
}
