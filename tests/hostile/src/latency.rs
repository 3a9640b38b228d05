//! What goes on beside the fault, all the time: a front door that looks, and a healthy server that is called.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use integration::Door;
use serde_json::json;
use tokio::task::JoinHandle;

use crate::figures::Latencies;

/// The pause between two looks, and between two calls.
const PAUSE: Duration = Duration::from_millis(20);

/// Both loops, until they are ended.
pub struct Bystanders {
    stop: Arc<AtomicBool>,
    health: Loop,
    canary: Loop,
}

struct Loop {
    samples: Arc<Mutex<Vec<f64>>>,
    task: JoinHandle<Result<()>>,
}

/// How the bystanders fared.
pub struct Fared {
    pub health: Latencies,
    pub canary: Latencies,
    pub problems: Vec<String>,
}

impl Bystanders {
    pub fn start(door: &Door) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        Bystanders {
            health: Loop::start(door.clone(), stop.clone(), look),
            canary: Loop::start(door.clone(), stop.clone(), call),
            stop,
        }
    }

    pub async fn end(self) -> Fared {
        self.stop.store(true, Ordering::Relaxed);
        let mut problems = Vec::new();
        let health = self.health.end("O2: a look at the app failed", &mut problems).await;
        let canary = self.canary.end("O6: a call of the healthy server failed", &mut problems).await;
        Fared { health, canary, problems }
    }
}

impl Loop {
    fn start<F>(door: Door, stop: Arc<AtomicBool>, act: fn(Door) -> F) -> Self
    where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        let samples = Arc::new(Mutex::new(Vec::new()));
        let kept = samples.clone();
        let task = tokio::spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let begun = Instant::now();
                act(door.clone()).await?;
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(begun.elapsed().as_secs_f64() * 1e3);
                tokio::time::sleep(PAUSE).await;
            }
            Ok(())
        });
        Loop { samples, task }
    }

    async fn end(self, what: &str, problems: &mut Vec<String>) -> Latencies {
        match self.task.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => problems.push(format!("{what}: {error:#}")),
            Err(error) => problems.push(format!("{what}: {error}")),
        }
        Latencies::of(std::mem::take(&mut *self.samples.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// What a window does when something changed: the servers, and the newest rows.
async fn look(door: Door) -> Result<()> {
    door.call("list_servers", json!({})).await.map_err(told)?;
    let newest = json!({ "view": {}, "first": i64::MAX, "count": 40 });
    door.call("query_log", newest).await.map_err(told)?;
    Ok(())
}

/// One call of the demo, from asking to its answer.
async fn call(door: Door) -> Result<()> {
    let request = json!({ "server": "demo", "tool": "echo", "arguments": r#"{"text":"canary"}"# });
    let mut call = door.call("call_tool", request).await.map_err(told)?;
    let mut since = 0;
    while call["status"] == "running" {
        let changes = door.call("wait_changes", json!({ "since": since })).await.map_err(told)?;
        since = changes["revision"].as_u64().context("a revision is a number")?;
        call = door.call("read_call", json!({ "call": call["id"] })).await.map_err(told)?;
    }
    ensure!(call["status"] == "ok", "it ended as {}", call["status"]);
    Ok(())
}

fn told(error: sonde_app::ApiError) -> anyhow::Error {
    anyhow::anyhow!("{error}")
}
