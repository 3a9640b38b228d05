//! O5: what the servers wrote is in the log, or is counted there as dropped, to the byte.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use integration::Door;
use serde_json::{Value, json};

use crate::figures::Outcome;
use crate::stage::{scan, told};
use crate::tallies;

/// Of a log with more rows than this, only those that hold two frames are opened; the others tell their size.
const OPENED: u64 = 3000;

/// What the log has of one server's output, in bytes without line feeds.
#[derive(Default)]
struct Logged {
    out: u64,
    err: u64,
    dropped: u64,
    rows: u64,
    /// Rows whose frames must be looked at, because their size tells of more or less than one frame of the server.
    opened: Vec<Value>,
}

pub async fn judge(
    door: &Door,
    servers: &[String],
    tally: impl Fn(&str) -> PathBuf,
    outcome: &mut Outcome,
) -> Result<()> {
    let mut total = 0;
    scan(door, |_| total += 1).await?;
    let mut found: BTreeMap<String, Logged> = BTreeMap::new();
    scan(door, |row| {
        let Some(server) = row["server"].as_str().filter(|server| servers.iter().any(|id| id == server)) else {
            return;
        };
        enter(found.entry(server.to_owned()).or_default(), row, total);
    })
    .await?;
    for server in servers {
        let mut logged = found.remove(server).unwrap_or_default();
        logged.out += inbound(door, &logged.opened).await?;
        let folder = tally(server);
        let (out, err) = tallies::read(&folder)?;
        let failures = &mut outcome.failures;
        if !out.allows(logged.out) {
            failures.push(format!("O5: `{server}` wrote {out:?} bytes to stdout, the log has {}", logged.out));
        }
        if !err.allows(logged.err + logged.dropped) {
            let (logged, dropped) = (logged.err, logged.dropped);
            failures.push(format!(
                "O5: `{server}` wrote {err:?} bytes to stderr, the log has {logged} and counts {dropped} as dropped"
            ));
        }
        failures
            .extend(tallies::complaints(&folder)?.into_iter().map(|problem| format!("the server itself: {problem}")));
        outcome.figures.sent += out.most + err.most;
        outcome.figures.logged += logged.out + logged.err;
        outcome.figures.dropped += logged.dropped;
        outcome.figures.rows += logged.rows;
    }
    Ok(())
}

fn enter(logged: &mut Logged, row: &Value, total: u64) {
    let size = row["size"].as_u64().unwrap_or_default();
    match row["kind"].as_str().unwrap_or_default() {
        "mark" => {
            logged.dropped += dropped(row["target"].as_str().unwrap_or_default());
            return;
        }
        "stderr" => logged.err += size,
        // An exchange has a frame of ours, too, and a batch is one frame of many rows.
        "exchange" => logged.opened.push(row.clone()),
        _ if row["dir"] == "out" => {}
        _ if total <= OPENED => logged.opened.push(row.clone()),
        _ => logged.out += size,
    }
    logged.rows += 1;
}

/// The sizes of the server's frames in these rows, each frame once.
async fn inbound(door: &Door, rows: &[Value]) -> Result<u64> {
    let mut seen = BTreeSet::new();
    let mut sum = 0;
    for row in rows {
        let detail = door.call("read_row", json!({ "seq": row["seq"] })).await.map_err(told)?;
        for frame in detail["frames"].as_array().context("a row has frames")? {
            let size = frame["size"].as_u64().context("a frame has a size")?;
            let key = (row["connection"].to_string(), frame["time"].to_string(), size);
            if frame["dir"] == "in" && seen.insert(key) {
                sum += size;
            }
        }
    }
    Ok(sum)
}

/// How many bytes, line feeds left out, a mark says were not kept.
fn dropped(mark: &str) -> u64 {
    let Some(counts) = mark.strip_prefix("stderr: ").filter(|_| mark.ends_with("not recorded")) else { return 0 };
    let number = |place: usize| counts.split_whitespace().nth(place).and_then(|word| word.parse::<u64>().ok());
    // "N bytes in M lines were counted and not recorded"
    number(0).zip(number(3)).map_or(0, |(bytes, lines)| bytes.saturating_sub(lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_mark_that_counts_what_was_dropped_counts() {
        assert_eq!(dropped("stderr: 1200 bytes in 12 lines were counted and not recorded"), 1188, "without line feeds");
        assert_eq!(dropped("stderr: 64 MiB are recorded, what follows is only counted"), 0);
        assert_eq!(
            dropped("the server does not read its input: 99 bytes of ours were never taken"),
            0,
            "those are ours"
        );
    }
}
