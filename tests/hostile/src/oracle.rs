//! The nine sentences by which every case is judged, whatever it did.
//!
//! O1 no panic; O2 the app answers while the fault lasts; O3 everything pending ends; O4 memory stays and comes back;
//! O5 every byte is recorded, or counted as dropped; O6 a healthy server does not notice; O7 nothing is left behind;
//! O8 no secret turns up; O9 no socket leads out.

mod bytes;
mod http;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use crate::figures::{Latencies, Outcome};
use crate::memory::{self, MEBIBYTE};
use crate::stage::{Stage, lock, scan};
use crate::{inside, processes, secrets};

/// O2 and O6, in milliseconds.
const HEALTH: f64 = 200.0;
const CANARY: f64 = 100.0;
/// O4: what may stay in use after a disconnect, and for how long it may take to come back to that.
const LEFT: f64 = 64.0;
const RECOVERY: Duration = Duration::from_secs(30);
/// How long what is left behind may take to go. A hang limit: what took long is a matter of the disconnect.
const LEAVING: Duration = Duration::from_secs(30);
/// The longest disconnect.
const DISCONNECT: f64 = 6.0;

/// How the process stood before the fault.
pub struct Before {
    pub resident: u64,
    descriptors: BTreeMap<String, usize>,
    tasks: usize,
    load: f64,
}

impl Before {
    pub fn take() -> Result<Self> {
        Ok(Before {
            resident: memory::resident()?,
            descriptors: processes::descriptors(),
            tasks: tasks(),
            load: processes::load(),
        })
    }
}

/// Ends the case and says what of it did not hold.
pub async fn judge(stage: Stage) -> Result<Outcome> {
    for id in &stage.servers {
        stage.disconnect(id).await?;
    }
    let mut outcome = lock(&stage.outcome).clone();
    let failures = &mut outcome.failures;
    let figures = &mut outcome.figures;

    // The peak first: what the oracle itself reads must not count.
    let growth = memory::peak()?.saturating_sub(stage.before.resident) as f64 / MEBIBYTE;
    figures.idle_mib = stage.before.resident as f64 / MEBIBYTE;
    figures.growth_mib = growth;
    let most = stage.plan.case.most_mib;
    if growth > most {
        failures.push(format!("O4: memory grew by {growth:.0} MiB, {most:.0} at most"));
    }
    ended(&stage, failures).await?;
    let fared = stage.bystanders.end().await;
    failures.extend(fared.problems);
    (figures.health, figures.canary) = (fared.health, fared.canary);
    if stage.plan.is_timed() {
        failures.extend(too_slow("O2: the app", &figures.health, HEALTH));
        failures.extend(too_slow("O6: the healthy server", &figures.canary, CANARY));
    }
    figures.disconnect_s = lock(&stage.disconnects).iter().copied().fold(0.0, f64::max);
    if stage.plan.is_timed() && figures.disconnect_s > DISCONNECT {
        failures.push(format!("a disconnect took {:.1} s, {DISCONNECT} at most", figures.disconnect_s));
    }

    let tag = stage.folder.path().display().to_string();
    let left = until(LEAVING, || processes::tagged(&tag), Vec::is_empty).await;
    if !left.is_empty() {
        failures.push(format!("O7: these still run: {left:?}"));
    }
    let before = &stage.before;
    let descriptors = until(LEAVING, processes::descriptors, |now| grown(&before.descriptors, now).is_empty()).await;
    let grown = grown(&before.descriptors, &descriptors);
    if !grown.is_empty() {
        failures.push(format!("O7: descriptors are left: {}", grown.join(", ")));
    }
    let now = until(LEAVING, tasks, |now| *now <= before.tasks).await;
    if now > before.tasks {
        failures.push(format!("O7: {now} tasks run, {} did before", before.tasks));
    }
    let over = |resident: &u64| resident.saturating_sub(before.resident) as f64 / MEBIBYTE;
    let resident = until(RECOVERY, || memory::resident().unwrap_or(u64::MAX), |now| over(now) <= LEFT).await;
    figures.left_mib = over(&resident);
    if figures.left_mib > LEFT {
        failures.push(format!("O4: {:.0} MiB stay in use after the disconnect, {LEFT} at most", figures.left_mib));
    }

    match &stage.remote {
        Some(remote) => http::judge(&stage.door, &stage.servers, remote, &mut outcome).await?,
        None => {
            let tally = |id: &str| stage.folder.path().join("tally").join(id);
            bytes::judge(&stage.door, &stage.servers, tally, &mut outcome).await?;
        }
    }
    let failures = &mut outcome.failures;
    if let Err(error) = stage.door.call("disconnect_server", json!({ "server": "demo" })).await {
        failures.push(format!("O1: the app no longer takes commands: {error}"));
    }
    stage.door.clone().close().await;
    let children = until(LEAVING, processes::children, Vec::is_empty).await;
    if !children.is_empty() {
        failures.push(format!("O7: children of the app: {children:?}"));
    }
    failures.extend(
        secrets::found_under(&stage.folder.path().join("data"))?.into_iter().map(|found| format!("O8: {found}")),
    );
    failures.extend(stage.sockets.end().into_iter().map(|socket| format!("O9: {socket} was open")));
    failures.extend(inside::panics().into_iter().map(|panic| format!("O1: {panic}")));
    outcome.figures.load = [before.load, processes::load()];
    outcome.figures.took_s = stage.begun.elapsed().as_secs_f64();
    Ok(outcome)
}

/// O3: no call runs on, and no row waits for an answer that can't come.
async fn ended(stage: &Stage, failures: &mut Vec<String>) -> Result<()> {
    let calls = lock(&stage.calls).clone();
    for (number, what) in calls {
        let end = async || -> bool {
            match stage.door.call("read_call", json!({ "call": number })).await {
                Ok(call) => call["status"] != "running",
                // It ended so long ago that it was forgotten.
                Err(_unknown) => true,
            }
        };
        if !until_true(LEAVING, end).await {
            failures.push(format!("O3: a call of `{what}` never ended"));
        }
    }
    let mut pending = 0;
    let settled = async || -> bool {
        pending = 0;
        let seen = scan(&stage.door, |row| {
            let ours = stage.servers.iter().any(|id| row["server"] == **id);
            if ours && row["status"] == "pending" {
                pending += 1;
            }
        });
        seen.await.is_ok() && pending == 0
    };
    if !until_true(LEAVING, settled).await {
        failures.push(format!("O3: {pending} rows wait for an answer that can't come"));
    }
    Ok(())
}

fn too_slow(what: &str, fared: &Latencies, limit: f64) -> Option<String> {
    let slow = fared.p99 > limit;
    slow.then(|| format!("{what} answered within {:.0} ms (p99 of {}), {limit} at most", fared.p99, fared.samples))
}

fn grown(before: &BTreeMap<String, usize>, now: &BTreeMap<String, usize>) -> Vec<String> {
    let more = now.iter().filter(|(kind, count)| **count > before.get(*kind).copied().unwrap_or_default());
    more.map(|(kind, count)| format!("{count} of {kind}")).collect()
}

fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

/// Looks until it is `enough` or the time is up; gives the last look.
async fn until<T>(limit: Duration, mut look: impl FnMut() -> T, enough: impl Fn(&T) -> bool) -> T {
    let end = Instant::now() + limit;
    loop {
        let seen = look();
        if enough(&seen) || Instant::now() > end {
            return seen;
        }
        // Nobody tells of a change in /proc, so it is looked at again.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn until_true(limit: Duration, mut look: impl AsyncFnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    while !look().await {
        if Instant::now() > end {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    true
}
