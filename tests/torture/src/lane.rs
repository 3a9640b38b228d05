//! One connection after the other: made, struck at some moment of its life, and gone.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::sync::RwLock;

use crate::arguments::Round;
use crate::cycles::until_none;
use crate::door::Door;
use crate::kernel::{self, Process};
use crate::report::Report;
use crate::server::Life;

/// One connection and its end.
#[derive(Debug, Clone, Copy)]
pub struct Cycle {
    life: Life,
    moment: Moment,
    blow: Blow,
    /// Chooses among several processes.
    choice: usize,
}

/// When the blow falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    AtOnce,
    /// So long after the order to connect, whatever is there by then.
    Soon(Duration),
    /// Once its process is known.
    Started,
    Ready,
    /// While a call waits for its answer.
    Calling,
}

/// What is done to the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blow {
    Disconnect,
    KillServer(Signal),
    KillSupervisor,
    /// The process that all supervisors come from. It hurts nobody, but whoever is about to be started.
    KillNursery,
}

/// The servers of a lane, and how many of a hundred cycles each gets. Stubborn ones take seconds to end.
const SERVERS: &[(Life, u8)] = &[
    (Life::Good, 50),
    (Life::Chatty, 15),
    (Life::Silent, 15),
    (Life::Hasty, 10),
    (Life::Deaf, 5),
    (Life::Stubborn, 5),
];

impl Cycle {
    /// A life without misfortune.
    pub const GOOD: Cycle = Cycle { life: Life::Good, moment: Moment::Ready, blow: Blow::Disconnect, choice: 0 };

    /// The cycle of that number in the run of that seed.
    pub fn throw(seed: u64, number: u32) -> Self {
        let mut dice = fastrand::Rng::with_seed(seed.rotate_left(32) ^ u64::from(number));
        let mut left = dice.u8(..100);
        let life = SERVERS.iter().find(|(_, share)| {
            let is_hit = left < *share;
            left = left.saturating_sub(*share);
            is_hit
        });
        let life = life.map_or(Life::Good, |(life, _)| *life);
        let moment = match dice.u8(..10) {
            0 => Moment::AtOnce,
            1..=3 => Moment::Soon(Duration::from_millis(dice.u64(..60))),
            4 | 5 => Moment::Started,
            6 | 7 => Moment::Ready,
            _ => Moment::Calling,
        };
        let blow = match dice.u8(..10) {
            0..=3 => Blow::Disconnect,
            4 | 5 => Blow::KillServer(Signal::KILL),
            6 => Blow::KillServer(Signal::ABORT),
            7 => Blow::KillServer(Signal::TERM),
            8 => Blow::KillSupervisor,
            _ => Blow::KillNursery,
        };
        Cycle { life, moment, blow, choice: dice.usize(..) }.possible()
    }

    /// Not everything can happen to everyone.
    fn possible(mut self) -> Self {
        // What never answers never becomes ready.
        if !self.life.becomes_ready() && matches!(self.moment, Moment::Ready | Moment::Calling) {
            self.moment = Moment::Started;
        }
        self
    }
}

/// A place for connections, with servers of its own.
pub struct Lane {
    number: u32,
    /// Holds the folders of its servers: each runs in its own, and nothing else does.
    folder: PathBuf,
    /// Held by all whose daemons need the nursery, and by whoever kills it: a daemon whose supervisor is killed, and
    /// then the nursery, is nobody's until the next start of the app.
    nursery: Arc<RwLock<()>>,
}

impl Lane {
    /// Several places, side by side.
    pub fn several(round: &Round, count: u32) -> Vec<Self> {
        let nursery = Arc::new(RwLock::new(()));
        let folder = |number| round.project().join(format!("lane-{number}"));
        (0..count).map(|number| Lane { number, folder: folder(number), nursery: nursery.clone() }).collect()
    }

    /// Name, life and folder of each of its servers.
    pub fn servers(&self) -> impl Iterator<Item = (String, Life, PathBuf)> {
        SERVERS.iter().map(|(life, _)| (self.name(*life), *life, self.folder_of(*life)))
    }

    fn folder_of(&self, life: Life) -> PathBuf {
        self.folder.join(life.name())
    }

    fn name(&self, life: Life) -> String {
        format!("{}-{}", life.name(), self.number)
    }

    /// Connects, strikes, and waits until nothing is left of the connection.
    pub async fn perform(&self, door: &Door, cycle: Cycle, report: &mut Report) -> Result<()> {
        let server = self.name(cycle.life);
        let _needed = match (cycle.life, cycle.blow) {
            (Life::Stubborn, Blow::KillSupervisor) => Some(self.nursery.read().await),
            _ => None,
        };
        door.connect(&server).await?;
        self.wait_for(door, &server, cycle.moment).await?;
        let struck = self.strike(door, &server, cycle).await?;
        report.count(struck);
        // Whoever was killed needs it no more, and whoever survived the blow does.
        door.disconnect(&server).await?;
        door.until_state(&server, &["stopped", "failed"]).await?;
        let left = until_none(|| kernel::running_in(&self.folder_of(cycle.life))).await;
        if !left.is_empty() {
            let left: Vec<_> = left.iter().map(Process::to_string).collect();
            report.problem(format!("after {cycle:?} there still run: {}", left.join("; ")));
        }
        Ok(())
    }

    async fn wait_for(&self, door: &Door, server: &str, moment: Moment) -> Result<()> {
        let is_over = |summary: &Value| matches!(summary["state"].as_str(), Some("stopped" | "failed"));
        match moment {
            Moment::AtOnce => {}
            Moment::Soon(pause) => tokio::time::sleep(pause).await,
            // One that ends at once may be over before anyone has seen its process.
            Moment::Started => {
                let look = |summary: &Value| (summary["pid"].is_u64() || is_over(summary)).then_some(());
                door.until(server, "to have a process", look).await?;
            }
            Moment::Ready | Moment::Calling => {
                let state = door.until_state(server, &["ready", "failed", "stopped"]).await?;
                // Another lane may have killed the nursery in the very moment of the start.
                if moment == Moment::Calling && state == "ready" {
                    self.call(door, server).await?;
                }
            }
        }
        Ok(())
    }

    /// Asks for what is never answered.
    async fn call(&self, door: &Door, server: &str) -> Result<()> {
        let call = door.ask("call_tool", json!({ "server": server, "tool": "hold", "arguments": "{}" })).await?;
        // Now and then it is given up as well.
        if call["id"].as_u64().is_some_and(|id| id % 4 == 0) {
            door.ask("cancel_call", json!({ "call": call["id"] })).await?;
        }
        Ok(())
    }

    /// Strikes; gives what was hit.
    async fn strike(&self, door: &Door, server: &str, cycle: Cycle) -> Result<&'static str> {
        let (victims, signal, name): (fn(&Process) -> bool, _, _) = match cycle.blow {
            Blow::Disconnect => {
                door.disconnect(server).await?;
                return Ok("disconnected");
            }
            Blow::KillNursery => return self.kill_nursery().await,
            Blow::KillServer(signal) => (|process| !process.supervises(), signal, "servers killed"),
            Blow::KillSupervisor => (Process::supervises, Signal::KILL, "supervisors killed"),
        };
        let own = door.until(server, "to be listed", |summary| Some(summary["pid"].as_u64())).await?;
        let there = kernel::running_in(&self.folder_of(cycle.life));
        // Whoever is killed may be a stray of an earlier connection, which was cancelled while it was being started.
        let decides = |victim: &Process| {
            there
                .iter()
                .any(|server| Some(u64::from(server.pid)) == own && [server.pid, server.parent].contains(&victim.pid))
        };
        // The daemon of a supervisor whose nursery is gone is nobody's, once that supervisor is killed.
        let nurseries = kernel::children(std::process::id());
        let spared = |process: &Process| {
            let has_nursery = nurseries.iter().any(|nursery| nursery.pid == process.parent && nursery.state != 'Z');
            cycle.life == Life::Stubborn && process.supervises() && !has_nursery
        };
        let there: Vec<_> = there.iter().filter(|process| victims(process) && !spared(process)).collect();
        let Some(victim) = there.get(cycle.choice % there.len().max(1)) else { return Ok("nobody there yet") };
        let was_hit = kernel::signal(victim, signal);
        // A connection whose server or supervisor is dead ends by itself; that is seen in half of them.
        if was_hit && decides(victim) && signal == Signal::KILL && cycle.choice & 1 == 0 {
            door.until_state(server, &["stopped", "failed"]).await?;
        }
        Ok(if was_hit { name } else { "gone already" })
    }
    /// Kills the nursery and sees it dead: nobody should give it another order who could know better.
    async fn kill_nursery(&self) -> Result<&'static str> {
        let _needed = self.nursery.write().await;
        let there: Vec<_> = kernel::children(std::process::id()).into_iter().filter(Process::supervises).collect();
        let mut name = "nobody there yet";
        for nursery in &there {
            if kernel::signal(nursery, Signal::KILL) {
                name = "nurseries killed";
            }
            until_none(|| nursery.lives().then_some(()).into_iter().collect()).await;
        }
        Ok(name)
    }
}
