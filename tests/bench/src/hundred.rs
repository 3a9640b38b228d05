//! 100 servers that start at once, 20 of which crash in a loop: how soon the other 80 are ready, and how fast the app
//! answers meanwhile.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use sonde_app::{ApiError, App, DataFolder, Setup, Supervisor};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::{JoinHandle, JoinSet};

use crate::binaries;
use crate::report::{Report, Unit};
use crate::rounds::{self, Contest, Sample, Spread, Stopwatch, quantile};

const GOOD: usize = 80;
const BAD: usize = 20;
/// How long the app is looked at after all that can be ready are: the bad ones are started again after 1, 2 and 4 s.
const LOOKING: Duration = Duration::from_secs(4);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(25);

/// Three kinds of server, each held to the same budget: the demo, one that does nothing but answer, and the official one.
pub async fn measure(rounds: usize) -> Result<Report> {
    let mut report = Report::default();
    let program = |path: &Path, args: &[&str]| Program {
        path: path.display().to_string(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
    };
    let mut kinds =
        vec![("demo", program(&binaries::supervisor()?, &["demo"])), ("load", program(&binaries::load_server()?, &[]))];
    match everything() {
        Some(script) => kinds.push(("server-everything", program(Path::new("node"), &[&script, "stdio"]))),
        None => report.note("100 servers: server-everything is not installed, so it was not measured".to_owned()),
    }
    // A turn takes seconds, most of which the crashing ones wait.
    let rounds = rounds.min(5);
    for (kind, command) in kinds {
        let mut hundred = Hundred { command, healths: Vec::new() };
        let outcome = rounds::hold(&mut hundred, rounds).await?;
        let name = |what: &str| format!("100 servers ({kind}), 20 crash: {what}");
        let ratio = outcome.ratio(Starter::Sonde, Starter::Spawned);
        report.judge("100", name("80 ready, sonde / spawned"), Unit::Ratio, ratio, 1.5);
        let p99 = Spread::of(hundred.healths.iter().map(|health| health.p99).collect());
        report.judge("100", name("a look at the app, p99"), Unit::Seconds, p99, 0.1);
        for starter in [Starter::Sonde, Starter::Spawned] {
            report.tell(name(&format!("80 ready, {starter:?}")), Unit::Seconds, outcome.wall(starter));
        }
        let looks: usize = hundred.healths.iter().map(|health| health.looks).sum();
        report.note(format!("100 servers ({kind}): {looks} looks, each at the list and at one server"));
    }
    Ok(report)
}

/// The official server, where `make peers` installed it.
fn everything() -> Option<String> {
    let peers = PathBuf::from(std::env::var_os("SONDE_PEERS")?);
    let script = peers.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    script.is_file().then(|| script.display().to_string())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Starter {
    /// The app with all 100.
    Sonde,
    /// A program that starts the same 80 side by side and waits for the answer to each `initialize`.
    Spawned,
}

#[derive(Clone)]
struct Program {
    path: String,
    args: Vec<String>,
}

struct Hundred {
    command: Program,
    /// Of every turn of the app, the one that warms up included.
    healths: Vec<Health>,
}

/// How fast the app answered.
struct Health {
    looks: usize,
    p99: f64,
}

impl Contest for Hundred {
    type Contender = Starter;

    fn contenders(&self) -> Vec<Starter> {
        vec![Starter::Sonde, Starter::Spawned]
    }

    async fn run(&mut self, starter: Starter) -> Result<Sample> {
        match starter {
            Starter::Spawned => spawned(&self.command).await,
            Starter::Sonde => {
                let (sample, health) = started(&self.command).await?;
                self.healths.push(health);
                Ok(sample)
            }
        }
    }
}

async fn started(command: &Program) -> Result<(Sample, Health)> {
    let folder = binaries::scratch()?;
    let app = open(&folder, command).await?;
    let looking = Looking::start(&app);
    let watch = Stopwatch::start();
    app.start_all().await;
    let mut ready = JoinSet::new();
    for number in 0..GOOD {
        let app = app.clone();
        ready.spawn(async move { app.until_ready(&format!("good{number}")).await.map_err(told) });
    }
    while let Some(ready) = ready.join_next().await {
        ready??;
    }
    let sample = watch.sample();
    tokio::time::sleep(LOOKING).await;
    let health = looking.end().await?;
    let servers = app.servers().servers;
    let tried = servers.iter().filter(|server| server.id.starts_with("bad") && server.restarts > 0).count();
    ensure!(tried == BAD, "{tried} of {BAD} servers that crash were started again");
    app.close().await;
    Ok((sample, health))
}

async fn open(folder: &TempDir, command: &Program) -> Result<App> {
    let good = json!({ "command": command.path, "args": command.args, "auto_start": true });
    let bad = json!({ "command": binaries::load_server()?, "args": ["--exit", "3"], "auto_start": true });
    let good = (0..GOOD).map(|number| (format!("good{number}"), good.clone()));
    let bad = (0..BAD).map(|number| (format!("bad{number}"), bad.clone()));
    let servers: serde_json::Map<String, Value> = good.chain(bad).collect();
    std::fs::write(folder.path().join(".mcp.json"), json!({ "mcpServers": servers }).to_string())?;
    let data = DataFolder::open(Some(folder.path().join("data")))?;
    let mut setup = Setup::here(data, Some(folder.path().to_owned()))?;
    setup.config = None;
    setup.supervisor = Supervisor::at(binaries::supervisor()?);
    let app = App::open(setup).await.map_err(told)?;
    for id in servers.keys() {
        let pending = app.pending_approval(id).map_err(told)?;
        app.approve(&pending).map_err(told)?;
    }
    Ok(app)
}

/// Looks at the app as a window does, again and again.
struct Looking {
    stop: Arc<AtomicBool>,
    task: JoinHandle<Result<Vec<f64>>>,
}

impl Looking {
    fn start(app: &App) -> Self {
        let (stop, app) = (Arc::new(AtomicBool::new(false)), app.clone());
        let told_to = stop.clone();
        let task = tokio::spawn(async move {
            let mut took = Vec::new();
            for number in (0..GOOD + BAD).cycle() {
                if told_to.load(Ordering::Relaxed) {
                    break;
                }
                let id = if number < GOOD { format!("good{number}") } else { format!("bad{}", number - GOOD) };
                let request = json!({ "server": id }).to_string();
                let began = Instant::now();
                app.dispatch("list_servers", b"{}").await.map_err(told)?;
                app.dispatch("describe_server", request.as_bytes()).await.map_err(told)?;
                took.push(began.elapsed().as_secs_f64());
                tokio::time::sleep(PAUSE).await;
            }
            Ok(took)
        });
        Looking { stop, task }
    }

    async fn end(self) -> Result<Health> {
        self.stop.store(true, Ordering::Relaxed);
        let mut took = self.task.await??;
        took.sort_by(f64::total_cmp);
        Ok(Health { looks: took.len(), p99: quantile(&took, 0.99) })
    }
}

async fn spawned(command: &Program) -> Result<Sample> {
    let watch = Stopwatch::start();
    let mut starting = JoinSet::new();
    for _ in 0..GOOD {
        starting.spawn(initialized(command.clone()));
    }
    let mut servers = Vec::new();
    while let Some(server) = starting.join_next().await {
        servers.push(server??);
    }
    let sample = watch.sample();
    for mut server in servers {
        drop(server.stdin.take());
        server.wait().await?;
    }
    Ok(sample)
}

async fn initialized(command: Program) -> Result<Child> {
    let mut server = Command::new(&command.path)
        .args(&command.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (Some(stdin), Some(stdout)) = (&mut server.stdin, &mut server.stdout) else {
        anyhow::bail!("the server has no pipes");
    };
    let info = json!({ "name": "spawned", "version": "0" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    stdin.write_all(format!("{request}\n").as_bytes()).await?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).await?;
    let answer: Value = serde_json::from_str(&line)?;
    ensure!(answer["result"]["protocolVersion"].is_string(), "no handshake: {answer}");
    Ok(server)
}

fn told(error: ApiError) -> anyhow::Error {
    anyhow::anyhow!("{error}")
}
