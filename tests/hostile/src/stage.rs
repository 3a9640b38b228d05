//! What a case stands on: a profile of its own, the app over it, bystanders beside it, and the oracle at the end.

mod calls;
mod door;
mod log;
mod profile;
mod remote;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use integration::Door;
use serde_json::{Value, json};
use sonde_app::App;

use crate::figures::Outcome;
use crate::latency::Bystanders;
use crate::memory;
use crate::oracle::{self, Before};
use crate::sockets::{SocketWatch, Sockets};
pub(crate) use calls::text_of;
pub(crate) use door::{approve, scan, server, told};
pub use profile::Plan;
pub(crate) use profile::{Entry, prepare};
pub(crate) use remote::{Body, RemoteServer};

/// No wait of a case is longer, but those that say so.
pub const LIMIT: Duration = Duration::from_secs(60);

/// What comes behind a flood may take this long to be on disk.
const LONG: Duration = Duration::from_secs(300);

/// A disk that is busy for longer than this with other things is beyond us.
const BUSY: Duration = Duration::from_secs(30);

/// How much of a case is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The sizes of the list, and the sentences about time are judged.
    Full,
    /// Small sizes, and no sentence about time: only that nothing hangs.
    Quick,
}

/// What is known of a server's connections.
#[derive(Debug, Clone, Copy, Default)]
struct Connections {
    /// The log's number of the newest one whose end is on disk.
    connection: i64,
    /// Whether it was connected again since.
    again: bool,
}

pub struct Stage {
    pub plan: Plan,
    pub door: Door,
    /// The profile: `project`, `data` and `tally`.
    pub folder: tempfile::TempDir,
    /// The servers of the case, the warm-up left out.
    pub servers: Vec<String>,
    /// The one that answers all of them, where they are reached by HTTP.
    pub(crate) remote: Option<RemoteServer>,
    pub(crate) before: Before,
    pub(crate) bystanders: Bystanders,
    pub(crate) sockets: SocketWatch,
    pub(crate) begun: Instant,
    /// The number and the tool of every call that was started, and how long each disconnect took.
    pub(crate) calls: Mutex<Vec<(u64, String)>>,
    pub(crate) disconnects: Mutex<Vec<f64>>,
    connections: Mutex<BTreeMap<String, Connections>>,
    pub(crate) outcome: Mutex<Outcome>,
    /// Keeps the journal open.
    _journal: Box<dyn std::any::Any>,
}

impl Stage {
    pub async fn open(plan: &Plan, entries: Vec<Entry>) -> Result<Self> {
        Self::open_beside(plan, entries, Vec::new()).await
    }

    /// The same for servers that are reached by HTTP, all of them at `remote`.
    pub async fn open_remote(plan: &Plan, remote: RemoteServer, entries: Vec<Entry>) -> Result<Self> {
        let ports = remote.ports();
        Self::open_with(plan, entries, Sockets { own: Vec::new(), peers: ports }, Some(remote)).await
    }

    /// The server of the case; there is one in every case that was opened with it.
    pub fn remote(&self) -> Result<&RemoteServer> {
        self.remote.as_ref().context("the case has no server that is reached by HTTP")
    }

    /// `sockets` are those of the case itself.
    pub async fn open_beside(plan: &Plan, entries: Vec<Entry>, sockets: Vec<String>) -> Result<Self> {
        Self::open_with(plan, entries, Sockets { own: sockets, peers: Vec::new() }, None).await
    }

    /// Opens the app, lets everything happen once that opens what stays open, and takes the measure of that.
    async fn open_with(
        plan: &Plan,
        entries: Vec<Entry>,
        sockets: Sockets,
        remote: Option<RemoteServer>,
    ) -> Result<Self> {
        let begun = Instant::now();
        let folder = tempfile::tempdir().context("a temporary folder can be made")?;
        let servers: Vec<String> = entries.iter().map(|entry| entry.id.clone()).collect();
        let setup = prepare(plan, &entries, folder.path())?;
        let journal = sonde_app::start_journal(&setup.data).context("the journal can be opened")?;
        let app = App::open(setup).await.map_err(told)?;
        let door = Door { app };
        let outcome = Outcome::default();
        door::warm_up(&door).await?;
        let before = Before::take()?;
        memory::forget_peak()?;
        let stage = Stage {
            plan: plan.clone(),
            bystanders: Bystanders::start(&door),
            sockets: SocketWatch::start(sockets),
            door,
            folder,
            servers,
            remote,
            before,
            begun,
            calls: Mutex::default(),
            disconnects: Mutex::default(),
            connections: Mutex::default(),
            outcome: Mutex::new(outcome),
            _journal: Box::new(journal),
        };
        Ok(stage)
    }

    /// The oracle, and the end of everything.
    pub async fn conclude(self) -> Result<Outcome> {
        oracle::judge(self).await
    }

    /// Something a reader should know.
    pub fn note(&self, text: impl Into<String>) {
        lock(&self.outcome).notes.push(text.into());
    }

    /// A sentence about time, judged only where time is.
    pub fn within(&self, what: &str, took: Duration, limit: Duration) {
        if self.plan.is_timed() && took > limit {
            let failure = format!("{what} took {:.2} s, {:.1} s at most", took.as_secs_f64(), limit.as_secs_f64());
            lock(&self.outcome).failures.push(failure);
        }
    }

    pub fn tag(&self) -> String {
        profile::tag(self.folder.path())
    }

    pub fn tally(&self, id: &str) -> PathBuf {
        self.folder.path().join("tally").join(id)
    }

    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub async fn ask(&self, command: &str, request: Value) -> Result<Value> {
        self.door.call(command, request).await.map_err(|error| anyhow!("`{command}` failed: {error}"))
    }

    /// A command that must be refused; gives the refusal.
    pub async fn refused(&self, command: &str, request: Value) -> Result<Value> {
        match self.door.call(command, request).await {
            Ok(answer) => bail!("`{command}` should have been refused: {answer}"),
            Err(error) => Ok(serde_json::to_value(error)?),
        }
    }

    /// Looks again after every change until `look` finds what it looks for.
    pub async fn until<T>(&self, what: &str, look: impl AsyncFnMut() -> Result<Option<T>>) -> Result<T> {
        self.until_within(LIMIT, what, look).await
    }

    pub async fn until_within<T>(
        &self,
        limit: Duration,
        what: &str,
        mut look: impl AsyncFnMut() -> Result<Option<T>>,
    ) -> Result<T> {
        let search = async {
            let mut since = 0;
            loop {
                // The revision first: what changes while we look brings us back at once.
                let changes = self.ask("wait_changes", json!({ "since": since })).await?;
                if let Some(found) = look().await? {
                    return Ok(found);
                }
                since = changes["revision"].as_u64().context("a revision is a number")?;
            }
        };
        match tokio::time::timeout(limit, search).await {
            Ok(found) => found,
            Err(_elapsed) => bail!("O3: {what}: nothing within {} s", limit.as_secs()),
        }
    }

    pub async fn server(&self, id: &str) -> Result<Value> {
        server(&self.door, id).await
    }

    pub async fn until_server(&self, id: &str, states: &[&str]) -> Result<Value> {
        self.until(&format!("server `{id}` to be {states:?}"), async || {
            let server = self.server(id).await?;
            Ok(states.iter().any(|state| server["state"] == *state).then_some(server))
        })
        .await
    }

    /// Approves the command and begins to start it.
    pub async fn begin(&self, id: &str) -> Result<()> {
        approve(&self.door, id)?;
        self.begin_approved(id).await
    }

    /// Begins to start what was approved before. Nobody is asked again, so this fails where somebody must be.
    pub async fn begin_approved(&self, id: &str) -> Result<()> {
        self.ask("connect_server", json!({ "server": id })).await?;
        self.connections().entry(id.to_owned()).or_default().again = true;
        Ok(())
    }

    /// Approves every server of the case, and lets the app start all that are to start with it.
    pub async fn begin_all(&self) -> Result<()> {
        for id in &self.servers {
            approve(&self.door, id)?;
            self.connections().entry(id.clone()).or_default().again = true;
        }
        self.door.app.start_all().await;
        Ok(())
    }

    /// Connects a server that must become ready, its tools listed.
    pub async fn connect(&self, id: &str) -> Result<Value> {
        self.begin(id).await?;
        self.until_listed(id).await
    }

    /// The same for one that was approved before.
    pub async fn connect_approved(&self, id: &str) -> Result<Value> {
        self.begin_approved(id).await?;
        self.until_listed(id).await
    }

    async fn until_listed(&self, id: &str) -> Result<Value> {
        let server = self.until_server(id, &["ready", "failed", "stopped"]).await?;
        ensure!(server["state"] == "ready", "`{id}` should connect: {}", server["problem"]);
        // By their number: the list itself may be long, and this process is being measured.
        self.until("the tools to be listed", async || {
            let server = self.server(id).await?;
            Ok((server["tool_count"].is_u64() || server["state"] != "ready").then_some(()))
        })
        .await?;
        Ok(server)
    }

    /// Connects a server that must fail; gives its problem.
    pub async fn connect_in_vain(&self, id: &str) -> Result<Value> {
        self.begin(id).await?;
        let problem = self.until_failed(id).await?;
        self.until_recorded(id).await?;
        Ok(problem)
    }

    /// Waits until a server that was begun has failed; gives its problem.
    pub async fn until_failed(&self, id: &str) -> Result<Value> {
        let server = self.until_server(id, &["ready", "failed", "stopped"]).await?;
        ensure!(server["state"] == "failed", "`{id}` should not become ready, but is {}", server["state"]);
        Ok(server["problem"].clone())
    }

    /// Disconnects and waits for the end; gives how long it took. One that ended already takes no time.
    pub async fn disconnect(&self, id: &str) -> Result<Duration> {
        let begun = Instant::now();
        self.ask("disconnect_server", json!({ "server": id })).await?;
        self.until_server(id, &["stopped", "failed"]).await?;
        let took = begun.elapsed();
        lock(&self.disconnects).push(took.as_secs_f64());
        self.until_recorded(id).await?;
        Ok(took)
    }

    /// Waits until the end of the server's newest connection is on disk. A row appears a moment after what it tells.
    pub async fn until_recorded(&self, id: &str) -> Result<()> {
        const LAST_WORDS: &[&str] = &[
            "disconnected",
            "the server ended",
            "the server closed",
            "cancelled before",
            "could not",
            "the connection ended",
        ];
        let Some(ended) = self.connections().get(id).copied().filter(|ended| ended.again) else { return Ok(()) };
        let begun = Instant::now();
        let newest = self
            .until_within(LONG, "the end of the connection in the log", async || {
                // Of the newest few: a straggler may have a last word after the end.
                let request = json!({ "view": { "server": id, "kind": "mark" }, "first": i64::MAX, "count": 8 });
                let page = self.ask("query_log", request).await?;
                let marks = page["rows"].as_array().context("a page has rows")?;
                let over = marks.iter().rev().find_map(|mark| {
                    let told = mark["target"].as_str().unwrap_or_default();
                    let last = LAST_WORDS.iter().any(|words| told.starts_with(words));
                    mark["connection"].as_i64().filter(|connection| last && *connection > ended.connection)
                });
                // One that was given up while the disk was busy never had a number, and so has no rows.
                let newest = marks.last().and_then(|mark| mark["connection"].as_i64()).unwrap_or_default();
                let never_was = newest <= ended.connection && begun.elapsed() > BUSY;
                Ok(over.or(never_was.then_some(ended.connection)))
            })
            .await?;
        self.connections().insert(id.to_owned(), Connections { connection: newest, again: false });
        Ok(())
    }

    fn connections(&self) -> MutexGuard<'_, BTreeMap<String, Connections>> {
        lock(&self.connections)
    }
}

/// Whoever held it and panicked has been counted; what it holds is still true.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
