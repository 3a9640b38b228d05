//! J12 to J15: lists of tools, and the schemas in them.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::fs::inotify;
use serde_json::{Value, json};

use crate::figures::Outcome;
use crate::script;
use crate::stage::{Plan, Scale, Stage, text_of, told};

pub async fn large(plan: Plan) -> Result<Outcome> {
    let mut tools = plan.variant("tools", "tools");
    // The server takes the number of tools from its seed.
    tools.seed = plan.size(1_000_000, 120_000);
    let count = tools.seed;
    let stage = Stage::open(&plan, vec![plan.server(), tools]).await?;
    stage.connect("hostile").await?;
    for (how, count) in [("nulls", plan.size((10 << 20) / 6, 20_000)), ("members", plan.size(5_000_000, 20_000))] {
        let call = stage.call("hostile", "go", json!({ "how": how, "count": count })).await?;
        ensure!(call["status"] == "ok", "`{how}` is a result like any: {}", call["status"]);
        let size = call["result"]["size"].as_u64().unwrap_or_default();
        ensure!(size > count * 6, "`{how}`: the whole size is told: {size}");
    }
    let begun = Instant::now();
    stage.connect("tools").await?;
    let list = Listed::ask(&stage, "tools").await?;
    let listed = list.tools.len();
    ensure!(listed <= 100_000, "{listed} tools of {count} are more than a list may have");
    let problem = list.problem.unwrap_or_default();
    ensure!(problem.contains("100000"), "that it was cut is told: {problem}");
    stage
        .note(format!("{listed} of {count} tools on one page are listed after {:.1} s", begun.elapsed().as_secs_f64()));
    stage.conclude().await
}

/// A list of tools of which only the number counts: a tree of it would be in the memory that is measured.
#[derive(serde::Deserialize)]
struct Listed {
    tools: Vec<serde::de::IgnoredAny>,
    problem: Option<String>,
}

impl Listed {
    async fn ask(stage: &Stage, id: &str) -> Result<Self> {
        let request = json!({ "server": id }).to_string();
        let answer = stage.door.app.dispatch("list_tools", request.as_bytes()).await.map_err(told)?;
        Ok(serde_json::from_slice(&answer)?)
    }
}

pub async fn cursors(plan: Plan) -> Result<Outcome> {
    let mut variants =
        vec![("same", "came twice"), ("cycle", "came twice"), ("endless", "1000 pages"), ("empty", "1000 pages")];
    if plan.scale == Scale::Full {
        variants.push(("huge", "stopped"));
    }
    let stage = Stage::open(&plan, variants.iter().map(|(id, _)| plan.variant(id, id)).collect()).await?;
    for (id, reason) in variants {
        stage.connect(id).await?;
        let list = stage.ask("list_tools", json!({ "server": id })).await?;
        let problem = list["problem"].as_str().with_context(|| format!("`{id}`: the list must be told as cut"))?;
        ensure!(problem.contains(reason), "`{id}`: the reason is told: {problem}");
        ensure!(problem.len() < 1000, "`{id}`: in a sentence, not {} bytes", problem.len());
        stage.still_answers(id).await?;
        stage.disconnect(id).await?;
    }
    stage.conclude().await
}

/// A place that schemas point to, and that must never be visited.
struct Trap {
    listener: TcpListener,
    visits: Arc<AtomicUsize>,
    file: tempfile::NamedTempFile,
    watch: rustix::fd::OwnedFd,
}

impl Trap {
    fn set() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let visits = Arc::new(AtomicUsize::new(0));
        let (waiting, counted) = (listener.try_clone()?, visits.clone());
        std::thread::spawn(move || {
            while waiting.accept().is_ok() {
                counted.fetch_add(1, Ordering::Relaxed);
            }
        });
        let file = tempfile::Builder::new().suffix(".json").tempfile()?;
        std::fs::write(file.path(), r#"{"type":"string"}"#)?;
        let watch = inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC)?;
        inotify::add_watch(&watch, file.path(), inotify::WatchFlags::OPEN | inotify::WatchFlags::ACCESS)?;
        Ok(Trap { listener, visits, file, watch })
    }

    /// Where the schemas point to: an address of the web and a file.
    fn address(&self) -> Result<String> {
        Ok(format!("{}|{}", self.listener.local_addr()?, self.file.path().display()))
    }

    /// Whether anyone came.
    fn visited(&self) -> Result<Option<String>> {
        let visits = self.visits.load(Ordering::Relaxed);
        if visits > 0 {
            return Ok(Some(format!("{visits} connections")));
        }
        let mut buffer = [0; 4096];
        match rustix::io::read(&self.watch, &mut buffer) {
            Ok(size) if size > 0 => Ok(Some("the file was opened".to_owned())),
            Ok(_) | Err(rustix::io::Errno::AGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

pub async fn schemas(plan: Plan) -> Result<Outcome> {
    let trap = Trap::set()?;
    let own = crate::processes::targets().into_iter().filter(|target| target.starts_with("socket:")).collect();
    let address = trap.address()?;
    let stage = Stage::open_beside(&plan, vec![plan.variant("hostile", &address)], own).await?;
    stage.connect("hostile").await?;
    let evil = format!("{}!", "a".repeat(40));
    for name in script::SCHEMAS {
        let arguments = json!({ "x": evil }).to_string();
        let request = json!({ "server": "hostile", "tool": name, "arguments": arguments, "validate": true });
        let begun = Instant::now();
        let end = match stage.door.call("call_tool", request).await {
            Ok(call) => {
                let call = stage.ended(&call).await?;
                let note = call["note"].as_str().unwrap_or("checked").to_owned();
                format!("{} ({note})", call["status"])
            }
            Err(error) => format!("refused: {}", error.message),
        };
        let took = begun.elapsed();
        stage.note(format!("{name}: {end}"));
        stage.within(&format!("the call of `{name}`"), took, Duration::from_secs(2));
        let visited = trap.visited()?;
        ensure!(visited.is_none(), "O9: the schema of `{name}` was followed: {visited:?}");
    }
    let unchecked = |name: &str| {
        let request =
            json!({ "server": "hostile", "tool": name, "arguments": json!({ "x": 1 }).to_string(), "validate": true });
        let stage = &stage;
        async move {
            let call = stage.ask("call_tool", request).await?;
            stage.ended(&call).await
        }
    };
    for name in ["ref-http", "ref-file", "any-of"] {
        let call = unchecked(name).await?;
        ensure!(call["note"].is_string(), "that `{name}` was not checked is told: {call}");
    }
    stage.conclude().await
}

pub async fn mismatches(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    for schema in script::schemas("J15", "") {
        let call = stage.call("hostile", schema.name, json!({})).await?;
        ensure!(text_of(&call)? == "gone", "the result of `{}` is shown all the same: {call}", schema.name);
        let violations = call["violations"].as_array().map_or(0, Vec::len);
        match schema.name {
            "mismatch" | "missing" => ensure!(violations == 1, "`{}` breaks its promise: {call}", schema.name),
            "dialect" | "no-schema" => {
                ensure!(violations == 0 && call["note"].is_string(), "`{}` cannot be checked: {call}", schema.name);
            }
            _ => ensure!(violations == 0 && call["note"] == Value::Null, "`{}` is right: {call}", schema.name),
        }
    }
    stage.conclude().await
}
