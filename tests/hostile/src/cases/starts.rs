//! S20 to S24: what a server is started with, and what cannot be started.

use std::fs::File;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use sonde_app::Asked;

use super::{env_files, fact};
use crate::figures::Outcome;
use crate::processes;
use crate::secrets;
use crate::stage::{Entry, Plan, Stage};

pub async fn descriptors(plan: Plan) -> Result<Outcome> {
    // A descriptor that we forgot to keep to ourselves, as a library might.
    let careless = File::open("/dev/null")?;
    rustix::io::fcntl_setfd(&careless, rustix::io::FdFlags::empty())?;
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    stage.connect("hostile").await?;
    let told = stage.answer("hostile", "tell", json!({ "what": "descriptors" })).await?;
    let own = stage.tally("hostile").display().to_string();
    for (number, target) in serde_json::from_str::<Vec<(String, String)>>(&told)? {
        let standard = matches!(number.as_str(), "0" | "1" | "2") && target.starts_with("pipe:");
        let its_own = target.starts_with(&own) || target.starts_with("/proc/");
        ensure!(standard || its_own, "the server got descriptor {number}, which leads to {target}");
    }
    drop(careless);
    stage.conclude().await
}

pub async fn unstartable(plan: Plan) -> Result<Outcome> {
    let entries = vec![
        plan.variant("missing", "").running("no-such-program-anywhere"),
        plan.variant("plain", "").running("./plain.txt"),
        plan.variant("folder", "").running("./"),
        plan.variant("absent", "").running("./not/here"),
        plan.variant("script", "").running("./script.sh"),
        plan.server(),
    ];
    let stage = Stage::open(&plan, entries).await?;
    let script = stage.project().join("script.sh");
    std::fs::write(stage.project().join("plain.txt"), "no program\n")?;
    std::fs::write(&script, "#!/no/such/interpreter\n")?;
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    for id in ["missing", "plain", "folder", "absent"] {
        let begun = Instant::now();
        let problem = stage.refused("connect_server", json!({ "server": id })).await?;
        stage.within(&format!("the refusal of `{id}`"), begun.elapsed(), Duration::from_secs(1));
        ensure!(problem["code"] == "start-failed" && problem["hint"].is_string(), "`{id}`: {problem}");
    }
    let problem = stage.server("missing").await?["problem"].clone();
    ensure!(fact(&problem, "searched").is_some_and(|path| path.contains('/')), "where it was looked for: {problem}");
    let problem = stage.connect_in_vain("script").await?;
    ensure!(problem["code"] == "start-failed", "a script without its interpreter: {problem}");

    stage.connect("hostile").await?;
    stage.disconnect("hostile").await?;
    let problem = without_descriptors(&stage).await?;
    ensure!(problem["code"] == "start-failed", "no descriptor is left: {problem}");
    ensure!(problem.to_string().contains("open files"), "the system's own reason: {problem}");
    stage.connect("hostile").await?;
    stage.conclude().await
}

/// Connects while this process may open next to nothing more; gives the problem.
async fn without_descriptors(stage: &Stage) -> Result<Value> {
    let before = getrlimit(Resource::Nofile);
    let room = processes::targets().len() as u64 + 64;
    setrlimit(Resource::Nofile, Rlimit { current: Some(room), maximum: before.maximum })?;
    let mut taken: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
    // Enough to look at the program that was approved and at the log, and too little for the three pipes of a process.
    taken.truncate(taken.len().saturating_sub(5));
    let outcome = match stage.begin_approved("hostile").await {
        Ok(()) => stage.until_failed("hostile").await,
        Err(error) => Err(error),
    };
    drop(taken);
    setrlimit(Resource::Nofile, before)?;
    stage.until_recorded("hostile").await?;
    outcome
}

pub async fn arguments(plan: Plan) -> Result<Outcome> {
    let words = [
        "two words",
        "a\"b'c",
        "$(touch stolen)",
        "`touch stolen`",
        "; touch stolen",
        "line\nfeed",
        "%PATH%",
        "^&|<>",
        "*",
        "~",
        "",
        "-",
        "--flag=\\",
        "é漢🚀",
        "$HOME",
        "a\tb",
        "!!",
    ];
    let stage = Stage::open(&plan, vec![plan.server().with_words(&words)]).await?;
    stage.connect("hostile").await?;
    let told = stage.answer("hostile", "tell", json!({ "what": "arguments" })).await?;
    let got: Vec<String> = serde_json::from_str(&told)?;
    ensure!(got.ends_with(&words.map(str::to_owned)), "the arguments arrive as they were written: {got:?}");
    ensure!(!stage.project().join("stolen").exists(), "and nobody ran any of them");
    stage.conclude().await
}

pub async fn folders(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(
        &plan,
        vec![
            plan.variant("missing", "").with("cwd", json!("not/here")),
            plan.variant("file", "").with("cwd", json!(".mcp.json")),
            plan.variant("deleted", "").with("cwd", json!("for-a-while")),
        ],
    )
    .await?;
    for id in ["missing", "file"] {
        let problem = stage.refused("connect_server", json!({ "server": id })).await?;
        ensure!(problem["code"] == "start-failed" && problem["hint"].is_string(), "`{id}`: {problem}");
        ensure!(fact(&problem, "folder").is_some(), "which folder is told: {problem}");
    }
    let folder = stage.project().join("for-a-while");
    std::fs::create_dir(&folder)?;
    stage.connect("deleted").await?;
    stage.disconnect("deleted").await?;
    std::fs::remove_dir(&folder)?;
    let problem = stage.refused("connect_server", json!({ "server": "deleted" })).await?;
    ensure!(problem["code"] == "start-failed", "a folder that was there is not there: {problem}");
    if rustix::process::geteuid().is_root() {
        stage.note("a folder that is not permitted: left out, root is permitted everything");
    } else {
        std::fs::create_dir(&folder)?;
        std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o000))?;
        let outcome = stage.connect_in_vain("deleted").await;
        std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        let problem = outcome?;
        ensure!(problem["code"] == "start-failed", "a folder that is not permitted: {problem}");
    }
    stage.conclude().await
}

pub async fn environment(plan: Plan) -> Result<Outcome> {
    let (granted, _) = secrets::OURS.first().copied().context("there is a secret to grant")?;
    let stage = Stage::open(
        &plan,
        vec![
            plan.server(),
            plan.variant("granted", "").with("env_passthrough", json!([granted])),
            plan.variant("loader", "")
                .with("env", json!({ "LD_PRELOAD": "/no/such.so", "NODE_OPTIONS": "--require ./x" })),
            Entry { args: plan.server().args, ..env_files::entry(&plan, "filed") },
        ],
    )
    .await?;
    stage.connect("hostile").await?;
    let names: Vec<String> = serde_json::from_str(&stage.answer("hostile", "tell", json!({})).await?)?;
    for (name, value) in secrets::OURS {
        ensure!(
            std::env::var(name).as_deref() == Ok(*value),
            "`{name}` is in our own environment, or this proves nothing"
        );
        ensure!(!names.iter().any(|seen| seen == name), "`{name}` reached a server that was not granted it");
    }
    let own = [processes::TAG, secrets::GRANTED.0];
    ensure!(own.iter().all(|name| names.iter().any(|seen| seen == name)), "its own values arrive: {names:?}");
    stage.connect("granted").await?;
    let names: Vec<String> = serde_json::from_str(&stage.answer("granted", "tell", json!({})).await?)?;
    ensure!(names.iter().any(|seen| seen == granted), "what is granted arrives: {names:?}");
    // Only looked at, never started: what a person sees before they say yes.
    let pending = stage.door.app.pending_approval("loader").map_err(|error| anyhow::anyhow!("{error}"))?;
    let Asked::Command { env_names, .. } = &pending.asked else { bail!("a command is asked about: {pending:?}") };
    for name in ["LD_PRELOAD", "NODE_OPTIONS"] {
        ensure!(env_names.iter().any(|shown| shown == name), "`{name}` is shown: {env_names:?}");
        let told = pending.risks.iter().any(|risk| risk.contains(name));
        ensure!(told, "`{name}` is told in words: {:?}", pending.risks);
    }
    env_files::arrives(&stage, "filed").await?;
    stage.conclude().await
}
