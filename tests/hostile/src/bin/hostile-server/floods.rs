//! More than anyone asked for: lines without an end, stderr without an end, messages without a pause.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::options::Options;
use crate::peer::{self, Act, arguments, number, serve, serve_and_go, text, tool};
use crate::wire::{Pipe, Wire};

/// S2. `go {bytes}` writes one line of so many bytes, and leaves its digest beside the tally.
pub fn endless_line(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve_and_go(wire, |wire, _, arguments| {
        let mut digest = Sha256::new();
        wire.out.fill(b'x', number(arguments, "bytes", 1 << 20), |part| digest.update(part))?;
        let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        wire.leave("digest", &digest)?;
        wire.out.write(b"\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// S3. 64 KiB of stderr before anything is read; `go {bytes, line}` then floods it with lines of that length from a
/// thread of its own while stdout goes on being served. `tell` says whether the flood is over.
pub fn endless_stderr(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    wire.err.write(&line_of(1000).repeat(65))?;
    let over = Arc::new(AtomicBool::new(false));
    let mut stderr = Some(wire.take_stderr());
    serve(wire, |wire, message| match (tool(message), &message.id) {
        (Some("go"), Some(id)) => {
            if let Some(stderr) = stderr.take() {
                let length = usize::try_from(number(arguments(message), "line", 1000)).unwrap_or(1000);
                let lines = number(arguments(message), "bytes", 1 << 20) / length as u64;
                let over = over.clone();
                std::thread::spawn(move || {
                    flood(stderr, lines, &line_of(length)).ok();
                    over.store(true, Ordering::Release);
                });
            }
            text(wire, id, "flooding").map(|()| Act::Done)
        }
        (Some("tell"), Some(id)) => {
            text(wire, id, if over.load(Ordering::Acquire) { "over" } else { "flooding" }).map(|()| Act::Done)
        }
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A line of so many bytes, its line feed included.
fn line_of(length: usize) -> Vec<u8> {
    let mut line = vec![b'e'; length.max(1)];
    if let Some(last) = line.last_mut() {
        *last = b'\n';
    }
    line
}

/// So many of these lines, many at once.
fn flood(mut stderr: Pipe, mut lines: u64, line: &[u8]) -> io::Result<()> {
    let together = (256_000 / line.len()).max(1);
    let block = line.repeat(together);
    while lines > 0 {
        let now = usize::try_from(lines).unwrap_or(usize::MAX).min(together);
        stderr.write(block.get(..now * line.len()).unwrap_or(&block))?;
        lines -= now as u64;
    }
    Ok(())
}

/// J8. `go {kind, count, size}` sends so many messages, as fast as they are taken: `log` notifications, `progress` of
/// the call itself, `stray` progress of nobody's call, or progress that goes `back`.
pub fn messages(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve_and_go(wire, |wire, id, arguments| {
        let (count, size) = (number(arguments, "count", 1000), number(arguments, "size", 100));
        let fill = "x".repeat(usize::try_from(size).unwrap_or_default().saturating_sub(110));
        let kind = arguments["kind"].as_str().unwrap_or("log").to_owned();
        let mut block = String::new();
        for number in 0..count {
            block.push_str(&message(&kind, number, count, id, &fill));
            block.push('\n');
            if block.len() > 60_000 {
                wire.out.write(block.as_bytes())?;
                block.clear();
            }
        }
        wire.out.write(block.as_bytes())
    })?;
    Ok(ExitCode::SUCCESS)
}

fn message(kind: &str, number: u64, count: u64, id: &str, fill: &str) -> String {
    let progress = |token: &str, value: u64| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{value}}}}}"#
        )
    };
    match kind {
        "progress" => progress(id, number),
        "stray" => progress(&format!(r#""nobody-{}""#, number % 7), number),
        "back" => progress(id, count - number),
        _ => format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":{{"n":{number},"fill":"{fill}"}}}}}}"#
        ),
    }
}

/// P9. A call of `go` is never answered, but its progress never stops.
pub fn progress_for_ever(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |wire, message| {
        if tool(message) != Some("go") {
            return Ok(Act::Ordinary);
        }
        let token = message.params["_meta"]["progressToken"].clone();
        let steps = number(arguments(message), "steps", 1000);
        for step in 0..steps {
            let params = format!(r#"{{"progressToken":{},"progress":{step}}}"#, Value::to_string(&token));
            wire.out.line(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#))?;
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(Act::Done)
    })?;
    peer::sleep_on();
    Ok(ExitCode::SUCCESS)
}
