//! One case in a process of its own: the hook that counts panics, and the report at the end.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::figures::Outcome;
use crate::stage::Plan;

/// What panicked in this process, and where.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Plays the case and writes its outcome to `report`.
pub fn play(plan: &Plan, report: &Path) -> Result<()> {
    count_panics();
    let runtime = tokio::runtime::Runtime::new().context("the runtime cannot start")?;
    let local = tokio::task::LocalSet::new();
    let plan = plan.clone();
    // In a task of its own: where the harness stops at something, the outcome is still written.
    let playing = local.spawn_local(async move { (plan.case.play)(plan).await });
    let outcome = match runtime.block_on(local.run_until(playing)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => failed(format!("{error:#}")),
        Err(error) => failed(error.to_string()),
    };
    drop(local);
    runtime.shutdown_timeout(Duration::from_secs(5));
    std::fs::write(report, serde_json::to_vec(&outcome)?).context("the outcome cannot be written")
}

/// What panicked so far.
pub fn panics() -> Vec<String> {
    PANICS.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn failed(problem: String) -> Outcome {
    let mut failures = vec![problem];
    failures.extend(panics().into_iter().map(|panic| format!("O1: {panic}")));
    Outcome { failures, ..Outcome::default() }
}

fn count_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(panic.to_string());
        usual(panic);
    }));
}
