//! X1 to X5, X7, X8: secrets, where they are kept, and who says them.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use sonde_app::Secret;

use super::trees::Victim;
use crate::figures::Outcome;
use crate::processes;
use crate::secrets::{self, Hidden};
use crate::stage::{LIMIT, Plan, RemoteServer, Stage, prepare};

/// Forty of them: by the name of the variable, how it is written in the file, and the value.
struct Planted {
    all: Vec<(String, String)>,
    env: serde_json::Map<String, Value>,
    words: Vec<String>,
}

fn planted() -> Planted {
    let mut planted = Planted { all: Vec::new(), env: serde_json::Map::new(), words: Vec::new() };
    let odd = ["", "\"quoted\"", "\\back", "é漢🐤", " with spaces ", "+%20/", "{\"a\":1}", "<b>&amp;", "\ttab", "'=;"];
    for number in 0..38 {
        let name = format!("PLANTED_TOKEN_{number}");
        let value = format!("canary-{number:02}-{}-x7Q", odd.get(number % odd.len()).copied().unwrap_or_default());
        match number {
            0..14 => drop(planted.env.insert(name.clone(), json!(format!("${{secret:{name}}}")))),
            14..24 => drop(planted.env.insert(name.clone(), json!(format!("${{input:{name}}}")))),
            24..30 => planted.words.push(format!("${{secret:{name}}}")),
            _ => drop(planted.env.insert(name.clone(), json!(value))),
        }
        planted.all.push((name, value));
    }
    // Two more are ours, and granted.
    planted.all.extend(secrets::OURS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    planted
}

impl Planted {
    fn hidden(&self) -> Hidden {
        Hidden::of(self.all.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }

    async fn give(&self, stage: &Stage, server: &str) -> Result<()> {
        for (number, (name, value)) in self.all.iter().enumerate() {
            let kind = match number {
                0..14 | 24..30 => "secret",
                14..24 => "input",
                _ => continue,
            };
            let request = json!({ "server": server, "kind": kind, "name": name, "value": value });
            stage.ask("set_secret", request).await?;
        }
        Ok(())
    }
}

/// Opens the stage over a server that says everything again.
async fn with_parrot(plan: &Plan, planted: &Planted) -> Result<Stage> {
    let words: Vec<&str> = planted.words.iter().map(String::as_str).collect();
    let names: Vec<&str> = secrets::OURS.iter().map(|(name, _)| *name).collect();
    let entry = plan
        .variant("parrot", "")
        .with("env", Value::Object(planted.env.clone()))
        .with("env_passthrough", json!(names))
        .with_words(&words);
    let mut stage = Stage::open(plan, vec![entry]).await?;
    // What is taken out of its bytes makes them more or fewer, so they can't be compared by their sum.
    stage.servers.clear();
    Ok(stage)
}

/// X1: forty secrets, given in every way, said again by the server, and looked for everywhere.
pub async fn forty(plan: Plan) -> Result<Outcome> {
    let planted = planted();
    ensure!(planted.all.len() == 40, "there are forty");
    let hidden = planted.hidden();
    let stage = with_parrot(&plan, &planted).await?;
    planted.give(&stage, "parrot").await?;
    let mut heard = String::new();
    let connected = stage.connect("parrot").await?;
    for how in ["", "error"] {
        let call = stage.call("parrot", "go", json!({ "how": how })).await?;
        ensure!(call.to_string().contains("‹secret:PLANTED_TOKEN_0›"), "it was said, and taken out: {call}");
        heard.push_str(&call.to_string());
    }
    let own = connected["pid"].as_u64().context("it has a process")?;
    let strangers = hidden_in_processes(&hidden, own);
    ensure!(strangers.is_empty(), "other processes have them: {strangers:?}");
    let early = hidden.found_under(&stage.folder.path().join("data"))?;
    ensure!(early.is_empty(), "while it runs: {early:?}");
    stage.start("parrot", "go", json!({ "how": "die" })).await?;
    let failed = stage.until_server("parrot", &["failed"]).await?;
    ensure!(failed["problem"].to_string().contains("dying with"), "its last words are told: {failed}");
    heard.push_str(&failed.to_string());
    for command in ["describe_server", "list_secrets", "read_draft", "examine_server"] {
        heard.push_str(&stage.ask(command, json!({ "server": "parrot" })).await?.to_string());
    }
    for shape in stage.ask("list_shapes", json!({})).await?["shapes"].as_array().context("there are shapes")? {
        heard.push_str(&stage.ask("export_servers", json!({ "shape": shape["id"] })).await?.to_string());
    }
    for row in stage.rows("parrot").await? {
        heard.push_str(&row.to_string());
        heard.push_str(&stage.row(&row).await?.to_string());
    }
    let mut found = hidden.found_in("what the page was told", heard.as_bytes());
    stage.door.app.reload().await;
    found.extend(hidden.found_under(&stage.folder.path().join("data"))?);
    ensure!(found.is_empty(), "{found:?}");
    stage.note(format!("{} secrets, {} kB of answers searched", planted.all.len(), heard.len() / 1000));
    stage.conclude().await
}

/// Where secrets stand in the command line or the variables of our children but the server itself.
fn hidden_in_processes(hidden: &Hidden, own: u64) -> Vec<String> {
    let mut found = Vec::new();
    for (pid, _) in processes::children().into_iter().filter(|(pid, _)| u64::from(*pid) != own) {
        for file in ["cmdline", "environ"] {
            let path = format!("/proc/{pid}/{file}");
            // One that just ended has neither.
            found.extend(hidden.found_in(&path, &std::fs::read(&path).unwrap_or_default()));
        }
    }
    found
}

/// X2: what a server was told comes back in a result, an error, a refusal, a header, on stderr.
pub async fn echoes(plan: Plan) -> Result<Outcome> {
    let remote = RemoteServer::start(&plan)?;
    let far = plan.remote("far", &remote.url("far")?);
    let mut near = plan.variant("near", "").with("env", json!({ "NEAR_TOKEN": "canary-near-\"9+/=é" }));
    near.args = ["--case", "parrot", "--seed"].map(str::to_owned).to_vec();
    let mut stage = Stage::open_remote(&plan, remote, vec![far, near]).await?;
    stage.servers.retain(|id| id == "far");
    stage.connect("far").await?;
    stage.connect("near").await?;
    let mut heard = String::new();
    for how in ["result", "error", "header", "refusal"] {
        let call = stage.call("far", "go", json!({ "how": how })).await?;
        heard.push_str(&call.to_string());
    }
    for how in ["", "error", "die"] {
        let call = stage.call("near", "go", json!({ "how": how })).await?;
        heard.push_str(&call.to_string());
    }
    stage.until_server("near", &["failed", "stopped"]).await?;
    stage.disconnect("far").await?;
    for id in ["far", "near"] {
        heard.push_str(&stage.ask("describe_server", json!({ "server": id })).await?.to_string());
        for row in stage.rows(id).await? {
            heard.push_str(&row.to_string());
            heard.push_str(&stage.row(&row).await?.to_string());
        }
    }
    let bare = secrets::HEADERS.iter().map(|(name, value)| (*name, value.trim_start_matches("Bearer ")));
    let hidden = Hidden::of(bare.chain([("NEAR_TOKEN", "canary-near-\"9+/=é")]));
    let mut found = hidden.found_in("what the page was told", heard.as_bytes());
    found.extend(hidden.found_under(&stage.folder.path().join("data"))?);
    ensure!(found.is_empty(), "{found:?}");
    for name in ["Authorization", "X-Api-Key", "NEAR_TOKEN"] {
        ensure!(heard.contains(&format!("‹secret:{name}›")), "{name} was said, and taken out");
    }
    ensure!(heard.to_ascii_lowercase().contains("x-echo"), "the header was there");
    stage.conclude().await
}

/// X3: no keyring, one that says nothing, one that refuses, one that talks nonsense: memory, a notice, and nobody waits.
pub async fn no_keyring(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, Vec::new()).await?;
    let value = secrets::GRANTED.1;
    for form in ["absent", "silent", "denied", "nonsense"] {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("bus");
        let bus = (form != "absent").then(|| Bus::listen(&path, form)).transpose()?;
        let (mut victim, _) = keeping_app(&plan, folder.path(), &path)?;
        victim.order(&format!("keep {value}"))?;
        let told: Value = serde_json::from_str(&victim.answer()?)?;
        ensure!(told["called"] == "ok", "{form}: a call beside it is answered: {told}");
        ensure!(told["keeper"]["kind"] == "memory", "{form}: it is kept in memory: {told}");
        let notice = told["keeper"]["notice"].as_str().unwrap_or_default();
        ensure!(notice.contains("in memory until Sonde ends"), "{form}: which is told: {told}");
        ensure!(told["known"] == true, "{form}: and used in this run: {told}");
        victim.end("exit")?;
        if let Some(bus) = &bus {
            ensure!(bus.was_asked(), "{form}: the keyring was asked, or this proves nothing");
        }
        let hidden = Hidden::of([("KEPT", value)]);
        let found = hidden.found_under(&folder.path().join("data"))?;
        ensure!(found.is_empty(), "{form}: never in a file: {found:?}");
        stage.note(format!("{form}: {notice}"));
        // Another run does not have it.
        let (mut again, _) = keeping_app(&plan, folder.path(), &folder.path().join("nothing"))?;
        again.order("known")?;
        let told: Value = serde_json::from_str(&again.answer()?)?;
        ensure!(told["known"] == false, "{form}: the next run does not have it: {told}");
        again.end("exit")?;
    }
    stage.conclude().await
}

/// Another app with a server that needs a secret; its keyring is at `bus`. The profile is written if it is not there.
fn keeping_app(plan: &Plan, folder: &Path, bus: &Path) -> Result<(Victim, PathBuf)> {
    if !folder.join("project").exists() {
        let keeps = plan.variant("keeps", "").with("env", json!({ "KEPT": "${secret:KEPT}", "TYPED": "${input:t}" }));
        prepare(plan, &[plan.server(), keeps], folder)?;
    }
    let address = format!("unix:path={}", bus.display());
    let victim = Victim::start_with(folder, &[("DBUS_SESSION_BUS_ADDRESS", &address)])?;
    Ok((victim, folder.join("project/.mcp.json")))
}

/// Something that listens where a bus should be, until it is dropped.
struct Bus {
    path: PathBuf,
    thread: Option<JoinHandle<()>>,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    asked: AtomicBool,
    over: AtomicBool,
}

impl Bus {
    fn listen(path: &Path, form: &'static str) -> Result<Self> {
        let listener = UnixListener::bind(path)?;
        let state = Arc::new(State::default());
        let seen = state.clone();
        let thread = std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                if seen.over.load(Ordering::Relaxed) {
                    return;
                }
                seen.asked.store(true, Ordering::Relaxed);
                std::thread::spawn(move || answer(stream, form));
            }
        });
        Ok(Bus { path: path.to_owned(), thread: Some(thread), state })
    }

    fn was_asked(&self) -> bool {
        self.state.asked.load(Ordering::Relaxed)
    }
}

/// Until whoever asked has had enough and goes away.
fn answer(mut stream: UnixStream, form: &str) {
    let answer: &[u8] = match form {
        "denied" => b"REJECTED\r\n",
        "nonsense" => &[0xff; 70_000],
        _ => b"",
    };
    let mut buffer = [0; 512];
    while stream.read(&mut buffer).is_ok_and(|length| length > 0) {
        if stream.write_all(answer).is_err() {
            return;
        }
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.state.over.store(true, Ordering::Relaxed);
        // Wakes it, so that it sees that it is over.
        UnixStream::connect(&self.path).ok();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// X4: what is written down for other clients has no secrets in it, in any shape.
pub async fn exports(plan: Plan) -> Result<Outcome> {
    let planted = planted();
    let stage = with_parrot(&plan, &planted).await?;
    planted.give(&stage, "parrot").await?;
    let hidden = planted.hidden();
    for shape in stage.ask("list_shapes", json!({})).await?["shapes"].as_array().context("there are shapes")? {
        let exported = stage.ask("export_servers", json!({ "shape": shape["id"], "servers": ["parrot"] })).await?;
        let text = exported["text"].as_str().context("an export is a text")?;
        ensure!(text.contains("parrot") && text.contains("PLANTED_TOKEN_0"), "{}: it is there: {text}", shape["id"]);
        let found = hidden.found_in(&shape["id"].to_string(), exported.to_string().as_bytes());
        ensure!(found.is_empty(), "{found:?}");
    }
    stage.conclude().await
}

/// X5: nothing that holds a secret says it: printed, refused, or in a panic.
pub async fn says_nothing(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    let (_, value) = secrets::OURS.first().copied().context("there is a secret")?;
    let secret = Secret::new(value.to_owned());
    let hidden = Hidden::of([("secret", value)]);
    let printed = format!("{secret} {secret:?} {secret:#?} {:?} {:?}", Some(&secret), vec![secret.clone()]);
    ensure!(
        printed.contains("[redacted]") && hidden.found_in("what is printed", printed.as_bytes()).is_empty(),
        "{printed}"
    );
    let long = "n".repeat(1000);
    for request in [
        json!({ "server": "hostile", "kind": "secret", "name": long, "value": value }),
        json!({ "server": "nobody", "kind": "secret", "name": "A", "value": value }),
        json!({ "server": "hostile", "kind": "secret", "name": "A", "value": format!("{value}\0") }),
        json!({ "server": "hostile", "kind": "secret", "name": "A", "value": [value] }),
        json!({ "server": "hostile", "kind": "secret", "name": "A", "value": { "value": value } }),
        json!({ "server": "hostile", "kind": 7, "name": "A", "value": value }),
    ] {
        let refused = stage.refused("set_secret", request).await?;
        let found = hidden.found_in("a refusal", refused.to_string().as_bytes());
        ensure!(found.is_empty(), "{found:?}: {refused}");
    }
    let pending = stage.door.app.pending_approval("hostile").map_err(|error| anyhow::anyhow!("{error}"))?;
    let granted = Hidden::of([secrets::GRANTED]);
    let found = granted.found_in("an approval", format!("{pending:?} {:?}", pending.facts()).as_bytes());
    ensure!(found.is_empty(), "{found:?}");
    stage.conclude().await
}

/// X7: a secret that nobody holds any more is nowhere in our memory.
pub async fn wiped(plan: Plan) -> Result<Outcome> {
    /// What is looked for is never in memory itself.
    const VEIL: u8 = 0x55;
    let stage = Stage::open(&plan, Vec::new()).await?;
    let veiled: Vec<u8> = (0..48).map(|_| fastrand::u8(b'a'..=b'z') ^ VEIL).collect();
    let mut value = String::with_capacity(veiled.len());
    value.extend(veiled.iter().map(|byte| char::from(byte ^ VEIL)));
    let secret = Secret::new(value);
    let clone = secret.clone();
    let before = count_in_memory(&veiled, VEIL)?;
    ensure!(before >= 2, "both are found while they are held: {before}");
    drop(secret);
    drop(clone);
    let after = count_in_memory(&veiled, VEIL)?;
    ensure!(after == 0, "{after} copies are left in memory");
    stage.note(format!("{before} copies while it was held, {after} after"));
    stage.conclude().await
}

/// How often the bytes, unveiled, stand in what of our memory can be written.
fn count_in_memory(veiled: &[u8], veil: u8) -> Result<usize> {
    use std::os::unix::fs::FileExt as _;
    let maps = std::fs::read_to_string("/proc/self/maps")?;
    let memory = std::fs::File::open("/proc/self/mem")?;
    let mut buffer = vec![0_u8; 1 << 20];
    let mut count = 0;
    for line in maps.lines().filter(|line| line.split_whitespace().nth(1).is_some_and(|may| may.starts_with("rw"))) {
        let range = line.split_whitespace().next().and_then(|range| range.split_once('-'));
        let (from, to) = range.context("a mapping has a range")?;
        let (mut from, to) = (u64::from_str_radix(from, 16)?, u64::from_str_radix(to, 16)?);
        let own = buffer.as_ptr() as u64;
        while from < to {
            let wanted = usize::try_from(to - from)?.min(buffer.len());
            let Ok(length) = memory.read_at(buffer.get_mut(..wanted).unwrap_or_default(), from) else { break };
            if length == 0 {
                break;
            }
            let read = buffer.get(..length).unwrap_or_default();
            let first = veiled.first().copied().unwrap_or_default() ^ veil;
            for place in memchr::memchr_iter(first, read) {
                let here = read.get(place..place + veiled.len()).unwrap_or_default();
                let same =
                    here.len() == veiled.len() && here.iter().zip(veiled).all(|(own, veiled)| own ^ veil == *veiled);
                // The buffer that we read into is memory, too.
                let place = from + place as u64;
                if same && !(own..own + buffer.len() as u64).contains(&place) {
                    count += 1;
                }
            }
            buffer.fill(0);
            let step = length as u64;
            // What lies over the edge of two looks is seen by the second.
            from += if step > veiled.len() as u64 && from + step < to { step - veiled.len() as u64 } else { step };
        }
    }
    Ok(count)
}

/// X8: a server that is removed leaves nothing in the keyring. The keyring is asked by somebody else.
pub async fn forgotten(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, Vec::new()).await?;
    let folder = tempfile::tempdir()?;
    let bus = folder.path().join("bus");
    let keyring = RealKeyring::start(folder.path(), &bus)?;
    let (mut victim, _) = keeping_app(&plan, folder.path(), &bus)?;
    victim.order(&format!("keep {}", secrets::GRANTED.1))?;
    let told: Value = serde_json::from_str(&victim.answer()?)?;
    ensure!(told["keeper"]["kind"] == "keyring" && told["known"] == true, "the keyring has it: {told}");
    ensure!(keyring.items()? > 0, "somebody else finds it there");
    victim.order("remove")?;
    let told = victim.answer()?;
    ensure!(told == "removed", "it is removed: {told}");
    ensure!(keyring.items()? == 0, "nothing of ours is left in the keyring");
    victim.end("exit")?;
    let found = Hidden::of([("KEPT", secrets::GRANTED.1)]).found_under(&folder.path().join("data"))?;
    ensure!(found.is_empty(), "{found:?}");
    drop(keyring);
    stage.conclude().await
}

/// A bus and a keyring that are nobody's.
struct RealKeyring {
    processes: Vec<Child>,
    address: String,
}

impl RealKeyring {
    fn start(folder: &Path, bus: &Path) -> Result<Self> {
        let address = format!("unix:path={}", bus.display());
        let home = folder.join("keyring");
        std::fs::create_dir(&home)?;
        let mut daemon = Command::new("dbus-daemon");
        daemon.args(["--session", "--nofork", "--nopidfile", "--address", &address]).stdin(Stdio::null());
        let missing = "dbus and gnome-keyring are there: `make setup` installs them";
        let mut keyring = RealKeyring { processes: vec![daemon.spawn().context(missing)?], address };
        until("the bus", || Ok(bus.exists()))?;
        let mut unlocked = keyring.beside("gnome-keyring-daemon");
        unlocked.args(["--foreground", "--unlock", "--components=secrets"]).stdin(Stdio::piped());
        for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            unlocked.env(name, &home);
        }
        let mut unlocked = unlocked.spawn().context(missing)?;
        if let Some(mut input) = unlocked.stdin.take() {
            input.write_all(b"\n")?;
        }
        keyring.processes.push(unlocked);
        // The bus itself is asked: whoever asks for the keyring before it is there makes the bus start another, locked.
        until("the keyring", || keyring.is_there())?;
        Ok(keyring)
    }

    fn beside(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("DBUS_SESSION_BUS_ADDRESS", &self.address).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn is_there(&self) -> Result<bool> {
        let mut ask = self.beside("dbus-send");
        ask.args(["--session", "--print-reply", "--dest=org.freedesktop.DBus", "/"]);
        ask.args(["org.freedesktop.DBus.GetNameOwner", "string:org.freedesktop.secrets"]);
        Ok(ask.status()?.success())
    }

    /// How many items of ours it has.
    fn items(&self) -> Result<usize> {
        let mut ask = self.beside("dbus-send");
        ask.args(["--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets"]);
        ask.args(["org.freedesktop.Secret.Service.SearchItems", "dict:string:string:service,sonde"]);
        let output = ask.stdout(Stdio::piped()).output()?;
        ensure!(output.status.success(), "the keyring can be asked");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.matches("object path").count())
    }
}

impl Drop for RealKeyring {
    fn drop(&mut self) {
        for process in self.processes.iter_mut().rev() {
            // They are ours alone, and nothing depends on how they end.
            process.kill().ok();
            process.wait().ok();
        }
    }
}

fn until(what: &str, mut look: impl FnMut() -> Result<bool>) -> Result<()> {
    let end = Instant::now() + LIMIT;
    while !look()? {
        ensure!(Instant::now() < end, "{what} is never there");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
