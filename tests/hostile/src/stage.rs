//! What a case stands on: a profile of its own, the app over it, bystanders beside it, and the oracle at the end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use integration::Door;
use serde_json::{Value, json};
use sonde_app::{ApiError, App, DataFolder, Setup, Supervisor};

use crate::cases::Case;
use crate::figures::Outcome;
use crate::latency::Bystanders;
use crate::oracle::{self, Before};
use crate::secrets;
use crate::sockets::SocketWatch;
use crate::{memory, processes};

/// No wait of a case is longer, but those that say so.
pub const LIMIT: Duration = Duration::from_secs(60);

/// What comes behind a flood may take this long to be on disk.
const LONG: Duration = Duration::from_secs(300);

/// How much of a case is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The sizes of the list, and the sentences about time are judged.
    Full,
    /// Small sizes, and no sentence about time: only that nothing hangs.
    Quick,
}

/// What one run of a case is told.
#[derive(Clone)]
pub struct Plan {
    pub case: &'static Case,
    pub seed: u64,
    pub scale: Scale,
    /// The folder with `hostile` and `hostile-server`.
    pub programs: PathBuf,
}

impl Plan {
    pub fn size(&self, full: u64, quick: u64) -> u64 {
        match self.scale {
            Scale::Full => full,
            Scale::Quick => quick,
        }
    }

    pub fn is_timed(&self) -> bool {
        self.scale == Scale::Full
    }

    pub fn program(&self, name: &str) -> String {
        self.programs.join(name).display().to_string()
    }

    /// The case's server in its only form.
    pub fn server(&self) -> Entry {
        self.variant("hostile", "")
    }

    /// The case's server in one of its forms, under a name of its own.
    pub fn variant(&self, id: &str, variant: &str) -> Entry {
        Entry {
            id: id.to_owned(),
            command: self.program("hostile-server"),
            args: ["--case", self.case.id, "--variant", variant, "--seed"].map(str::to_owned).to_vec(),
            seed: self.seed,
            more: json!({}),
        }
    }
}

/// A server in the profile's configuration.
pub struct Entry {
    pub id: String,
    pub command: String,
    pub args: Vec<String>,
    pub seed: u64,
    /// Members of the entry beside `command`, `args` and `env`.
    pub more: Value,
}

impl Entry {
    pub fn with(mut self, member: &str, value: Value) -> Self {
        self.more[member] = value;
        self
    }

    /// What stands behind `--` and means nothing to the server.
    pub fn with_words(mut self, words: &[&str]) -> Self {
        self.more["words"] = json!(words);
        self
    }

    /// Runs the server under `/bin/sh -c SCRIPT`, where `"$@"` is the server's own command line.
    pub fn under_shell(mut self, script: &str) -> Self {
        self.more["shell"] = json!(script);
        self
    }

    /// What the app is told of how to speak to it.
    pub fn told(self, sonde: Value) -> Self {
        self.with("sonde", sonde)
    }

    /// Another program in the place of the server.
    pub fn running(mut self, command: &str) -> Self {
        self.command = command.to_owned();
        self.args.clear();
        self
    }

    /// The entry as the configuration has it.
    fn write(&self, tally: &Path, tag: &str) -> Value {
        let mut entry = self.more.clone();
        let mut words = Vec::new();
        if !self.args.is_empty() {
            words.extend(self.args.iter().cloned());
            words.extend([self.seed.to_string(), "--tally".to_owned(), tally.display().to_string()]);
        }
        if let Some(Value::Array(more)) = entry.as_object_mut().and_then(|entry| entry.remove("words")) {
            words.push("--".to_owned());
            words.extend(more.iter().filter_map(|word| word.as_str().map(str::to_owned)));
        }
        let mut command = self.command.clone();
        if let Some(Value::String(script)) = entry.as_object_mut().and_then(|entry| entry.remove("shell")) {
            words = [vec!["-c".to_owned(), script, "sh".to_owned(), command], words].concat();
            command = "/bin/sh".to_owned();
        }
        entry["command"] = json!(command);
        entry["args"] = json!(words);
        let (name, value) = secrets::GRANTED;
        let mut env = json!({ processes::TAG: tag, name: value });
        if let (Some(env), Some(Value::Object(more))) = (env.as_object_mut(), self.more.get("env")) {
            env.extend(more.clone());
        }
        entry["env"] = env;
        entry
    }
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

    /// Opens the app, lets everything happen once that opens what stays open, and takes the measure of that.
    /// `sockets` are those of the case itself.
    pub async fn open_beside(plan: &Plan, entries: Vec<Entry>, sockets: Vec<String>) -> Result<Self> {
        let begun = Instant::now();
        let folder = tempfile::tempdir().context("a temporary folder can be made")?;
        let servers: Vec<String> = entries.iter().map(|entry| entry.id.clone()).collect();
        let setup = prepare(plan, &entries, folder.path())?;
        let journal = sonde_app::start_journal(&setup.data).context("the journal can be opened")?;
        let app = App::open(setup).await.map_err(told)?;
        let door = Door { app };
        let outcome = Outcome::default();
        warm_up(&door).await?;
        let before = Before::take()?;
        memory::forget_peak()?;
        let stage = Stage {
            plan: plan.clone(),
            bystanders: Bystanders::start(&door),
            sockets: SocketWatch::start(sockets),
            door,
            folder,
            servers,
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
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).notes.push(text.into());
    }

    /// A sentence about time, judged only where time is.
    pub fn within(&self, what: &str, took: Duration, limit: Duration) {
        if self.plan.is_timed() && took > limit {
            let failure = format!("{what} took {:.2} s, {:.1} s at most", took.as_secs_f64(), limit.as_secs_f64());
            self.outcome.lock().unwrap_or_else(PoisonError::into_inner).failures.push(failure);
        }
    }

    pub fn tag(&self) -> String {
        tag(self.folder.path())
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
        self.ask("connect_server", json!({ "server": id })).await?;
        self.connections().entry(id.to_owned()).or_default().again = true;
        Ok(())
    }

    /// Connects a server that must become ready, its tools listed.
    pub async fn connect(&self, id: &str) -> Result<Value> {
        self.begin(id).await?;
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
        self.disconnects.lock().unwrap_or_else(PoisonError::into_inner).push(took.as_secs_f64());
        self.until_recorded(id).await?;
        Ok(took)
    }

    /// Waits until the end of the server's newest connection is on disk. A row appears a moment after what it tells.
    pub async fn until_recorded(&self, id: &str) -> Result<()> {
        const LAST_WORDS: &[&str] =
            &["disconnected", "the server ended", "the server closed", "cancelled before", "could not"];
        let Some(ended) = self.connections().get(id).copied().filter(|ended| ended.again) else { return Ok(()) };
        let connection = self
            .until_within(LONG, "the end of the connection in the log", async || {
                let request = json!({ "view": { "server": id, "kind": "mark" }, "first": i64::MAX, "count": 1 });
                let page = self.ask("query_log", request).await?;
                let mark = page["rows"][0]["target"].as_str().unwrap_or_default();
                let over = LAST_WORDS.iter().any(|words| mark.starts_with(words));
                Ok(page["rows"][0]["connection"].as_i64().filter(|connection| over && *connection > ended.connection))
            })
            .await?;
        self.connections().insert(id.to_owned(), Connections { connection, again: false });
        Ok(())
    }

    fn connections(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Connections>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a call and gives it as it stands.
    pub async fn start(&self, id: &str, tool: &str, arguments: Value) -> Result<Value> {
        let request = json!({ "server": id, "tool": tool, "arguments": arguments.to_string() });
        let call = self.ask("call_tool", request).await?;
        self.remember(&call)?;
        Ok(call)
    }

    /// The number is enough: what a call holds is not small, and this process is being measured.
    fn remember(&self, call: &Value) -> Result<()> {
        let number = call["id"].as_u64().context("a call has a number")?;
        let what = call["target"].as_str().or(call["method"].as_str()).unwrap_or_default().to_owned();
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push((number, what));
        Ok(())
    }

    /// Starts a call that is given up when its time is over.
    pub async fn start_limited(&self, id: &str, tool: &str, arguments: Value, limit: Duration) -> Result<Value> {
        let params = json!({ "name": tool, "arguments": arguments });
        self.send(id, "tools/call", json!({ "params": params.to_string(), "timeout_ms": limit.as_millis() as u64 }))
            .await
    }

    /// Sends any request; `more` is what the command takes beside server and method.
    pub async fn send(&self, id: &str, method: &str, more: Value) -> Result<Value> {
        let mut request = json!({ "server": id, "method": method, "anyway": true, "validate": false });
        if let (Some(request), Value::Object(more)) = (request.as_object_mut(), more) {
            request.extend(more);
        }
        let call = self.ask("send_request", request).await?;
        self.remember(&call)?;
        Ok(call)
    }

    pub async fn ended(&self, call: &Value) -> Result<Value> {
        self.ended_within(LIMIT, call).await
    }

    pub async fn ended_within(&self, limit: Duration, call: &Value) -> Result<Value> {
        self.until_within(limit, &format!("the call of {} at {} to end", call["target"], call["server"]), async || {
            let call = self.ask("read_call", json!({ "call": call["id"] })).await?;
            Ok((call["status"] != "running").then_some(call))
        })
        .await
    }

    /// Calls a tool and waits for the end of the call.
    pub async fn call(&self, id: &str, tool: &str, arguments: Value) -> Result<Value> {
        let call = self.start(id, tool, arguments).await?;
        self.ended(&call).await
    }

    /// Calls a tool that must answer; gives the answer's text.
    pub async fn answer(&self, id: &str, tool: &str, arguments: Value) -> Result<String> {
        let call = self.call(id, tool, arguments).await?;
        ensure!(call["status"] == "ok", "`{tool}` should answer: {call}");
        text_of(&call)
    }

    /// That the server still answers its calls.
    pub async fn still_answers(&self, id: &str) -> Result<()> {
        let text = self.answer(id, "echo", json!({ "text": "still here" })).await?;
        ensure!(text == "still here", "the answer belongs to its call: {text}");
        Ok(())
    }

    /// Every row of one server, oldest first. For logs that fit in memory.
    pub async fn rows(&self, id: &str) -> Result<Vec<Value>> {
        let mut rows = Vec::new();
        self.scan(|row| {
            if row["server"] == id {
                rows.push(row.clone());
            }
        })
        .await?;
        Ok(rows)
    }

    /// Shows every row of the log to `see`, oldest first, a page at a time.
    pub async fn scan(&self, see: impl FnMut(&Value)) -> Result<()> {
        scan(&self.door, see).await
    }

    /// Waits until a row of the server is as `wanted` says; gives it.
    pub async fn until_row(&self, id: &str, what: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        self.until(what, async || Ok(self.rows(id).await?.into_iter().find(|row| wanted(row)))).await
    }

    /// The row with its frames.
    pub async fn row(&self, row: &Value) -> Result<Value> {
        self.ask("read_row", json!({ "seq": row["seq"] })).await
    }

    /// The bytes of a row's frame, as far as one look shows them.
    pub async fn frame(&self, row: &Value, index: usize) -> Result<Vec<u8>> {
        use base64::Engine as _;
        let detail = self.row(row).await?;
        let frame = &detail["frames"][index];
        match (frame["text"].as_str(), frame["base64"].as_str()) {
            (Some(text), _) => Ok(text.as_bytes().to_vec()),
            (None, Some(text)) => Ok(base64::engine::general_purpose::STANDARD.decode(text)?),
            (None, None) => bail!("row {} has no frame {index}: {detail}", row["seq"]),
        }
    }
}

/// Writes the profile and decides what a front door decides.
pub fn prepare(plan: &Plan, entries: &[Entry], folder: &Path) -> Result<Setup> {
    let mut servers = serde_json::Map::new();
    let warm = Entry { args: ["--case", "healthy", "--seed"].map(str::to_owned).to_vec(), ..plan.variant("warm", "") };
    std::fs::create_dir(folder.join("project"))?;
    for entry in entries.iter().chain([&warm]) {
        let tally = folder.join("tally").join(&entry.id);
        std::fs::create_dir_all(&tally)?;
        servers.insert(entry.id.clone(), entry.write(&tally, &tag(folder)));
    }
    std::fs::write(folder.join("project/.mcp.json"), json!({ "mcpServers": servers }).to_string())?;
    let data = DataFolder::open(Some(folder.join("data"))).context("the data folder can be made")?;
    let mut setup = Setup::here(data, Some(folder.join("project"))).context("the set-up of this machine")?;
    // Nobody's own configuration, and this very program in both of its roles.
    setup.config = None;
    setup.supervisor = Supervisor::current()?;
    setup.demo_program = std::env::current_exe()?;
    Ok(setup)
}

/// Connects the demo for good, and another server for a moment: what stays open after that belongs to the idle state.
async fn warm_up(door: &Door) -> Result<()> {
    let wait = async |id: &str, state: &str| -> Result<()> {
        let mut since = 0;
        loop {
            let changes = door.call("wait_changes", json!({ "since": since })).await.map_err(told)?;
            since = changes["revision"].as_u64().context("a revision is a number")?;
            let server = server(door, id).await?;
            if server["state"] == state {
                return Ok(());
            }
            ensure!(server["state"] != "failed", "`{id}` does not start: {}", server["problem"]);
        }
    };
    let begin = async {
        door.call("connect_server", json!({ "server": "demo" })).await.map_err(told)?;
        wait("demo", "ready").await?;
        approve(door, "warm")?;
        for _ in 0..2 {
            door.call("connect_server", json!({ "server": "warm" })).await.map_err(told)?;
            wait("warm", "ready").await?;
            door.call("disconnect_server", json!({ "server": "warm" })).await.map_err(told)?;
            wait("warm", "stopped").await?;
        }
        // Every reader of the log is opened once.
        let looks: Vec<_> = (0..16)
            .map(|_| {
                let door = door.clone();
                let request = json!({ "view": {}, "first": 0, "count": 40 });
                tokio::spawn(async move { door.call("query_log", request).await })
            })
            .collect();
        for look in looks {
            look.await?.map_err(told)?;
        }
        Ok(())
    };
    tokio::time::timeout(LIMIT, begin).await.context("the app was never ready for the case")?
}

pub(crate) async fn server(door: &Door, id: &str) -> Result<Value> {
    let list = door.call("list_servers", json!({})).await.map_err(told)?;
    let servers = list["servers"].as_array().context("a list of servers")?;
    let found = servers.iter().find(|server| server["id"] == id);
    found.cloned().with_context(|| format!("`{id}` is not listed: {}", list["problems"]))
}

pub(crate) async fn scan(door: &Door, mut see: impl FnMut(&Value)) -> Result<()> {
    let mut seen = 0;
    loop {
        let request = json!({ "view": {}, "first": seen, "count": 500 });
        let page = door.call("query_log", request).await.map_err(told)?;
        let total = page["total"].as_u64().context("a total is a number")?;
        // A page never runs over the end, so the last one may begin among the rows we have.
        let first = page["first"].as_u64().context("a place is a number")?;
        let rows = page["rows"].as_array().context("a page has rows")?;
        rows.iter().skip(usize::try_from(seen - first)?).for_each(&mut see);
        seen = first + rows.len() as u64;
        if seen >= total {
            return Ok(());
        }
    }
}

pub(crate) fn approve(door: &Door, id: &str) -> Result<()> {
    let pending = door.app.pending_approval(id).map_err(told)?;
    door.app.approve(&pending).map_err(told)
}

pub(crate) fn told(error: ApiError) -> anyhow::Error {
    anyhow!("{error}")
}

/// The text of a call's first content.
pub fn text_of(call: &Value) -> Result<String> {
    let result: Value = serde_json::from_str(call["result"]["text"].as_str().context("the call has a result")?)?;
    Ok(result["content"][0]["text"].as_str().context("the result has a text")?.to_owned())
}

/// What marks the processes of this profile; the folder is nobody else's.
fn tag(folder: &Path) -> String {
    folder.display().to_string()
}
