//! I1, I2: a page that nobody can trust, and files of ours that somebody else wrote.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use sonde_app::COMMANDS;

use super::consent::{asks, healthy, nothing_runs};
use super::trees::Victim;
use crate::figures::Outcome;
use crate::secrets::{self, Hidden};
use crate::stage::{Plan, Stage, approve, prepare};

/// What stands in a file of the person's, and what is kept for a server.
const FILE: &str = "canary-of-a-file-4Gx";
const KEPT: &str = "canary-of-the-vault-7Lp";

/// I1: a page that asks for anything. It has no approval, so nothing may run.
pub async fn any_request(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![healthy(&plan, "hostile")]).await?;
    let approvals = stage.folder.path().join("data/approvals.json");
    let before = std::fs::read(&approvals)?;
    let planted = stage.folder.path().join("planted");
    std::fs::write(&planted, format!("STOLEN={FILE}\n"))?;
    let given = json!({ "server": "hostile", "kind": "secret", "name": "A", "value": KEPT });
    stage.ask("set_secret", given).await?;
    let mut heard = Heard::default();
    let mut chance = fastrand::Rng::with_seed(plan.seed);
    let rounds = plan.size(200, 10);
    // Ending everything is the page's right, and would end the healthy server that this one is measured by.
    let left_out = ["wait_changes", "disconnect_all"];
    for _ in 0..rounds {
        for command in COMMANDS.iter().filter(|command| !left_out.contains(command)) {
            let request = request(&mut chance, 0);
            heard.ask(&stage, command, request).await?;
        }
    }
    let reader =
        json!({ "command": "/bin/sh", "args": ["-c", "touch stolen"], "envFile": planted, "auto_start": true });
    let text = json!({ "mcpServers": { "reader": reader } }).to_string();
    let source = json!({ "kind": "text", "text": text });
    let wanted = json!({ "source": source, "choices": [{ "name": "reader" }], "target": "project" });
    heard.ask(&stage, "import_servers", wanted).await?;
    heard.look_at(&stage, "reader").await?;
    wants_variables(&stage, &mut heard).await?;
    ensure!(!heard.text.contains("root:x:0"), "a file of the system was read into an answer");
    ensure!(heard.text.contains("${OPENAI_API_KEY}"), "references are taken and shown as they are written");
    let known = [("the file", FILE), ("the secret", KEPT), secrets::GRANTED];
    let hidden = Hidden::of(known.into_iter().chain(secrets::OURS.iter().copied()));
    let found = hidden.found_in("an answer", heard.text.as_bytes());
    ensure!(found.is_empty(), "{found:?}, first in the answer to {:?}", heard.who_said(&hidden));
    let evil = json!({ "kind": "command", "command": "/bin/sh", "args": ["-c", "touch stolen"], "folder": null,
        "env": [], "env_passthrough": [] });
    let draft = json!({ "name": "evil", "reach": evil, "enabled": true, "auto_start": true, "timeout": null,
        "connect_timeout": null, "fail_if_no_tools": false, "reconnect": true, "ping": "1s" });
    stage.ask("save_draft", json!({ "draft": draft, "target": "project" })).await?;
    asks(&stage, "evil", "what the page wrote itself").await?;
    stage.door.app.start_all().await;
    nothing_runs(&stage, "after everything was asked for")?;
    ensure!(std::fs::read(&approvals)? == before, "no request approves anything");
    stage.conclude().await
}

/// Every text of every answer, as it would be shown.
#[derive(Default)]
struct Heard {
    text: String,
    /// Which command each part of it answers, and where that part ends.
    said: Vec<(String, usize)>,
}

impl Heard {
    /// Whether it is taken or refused does not matter; what comes of it does.
    async fn ask(&mut self, stage: &Stage, command: &str, request: Value) -> Result<()> {
        let what = format!("{command} {request}");
        let answer = match stage.door.call(command, request).await {
            Ok(answer) => answer,
            Err(error) => serde_json::to_value(error)?,
        };
        self.take(&answer);
        self.said.push((what, self.text.len()));
        Ok(())
    }

    /// Everything that can be asked about one server.
    async fn look_at(&mut self, stage: &Stage, id: &str) -> Result<()> {
        for command in ["connect_server", "describe_server", "read_draft", "list_secrets", "examine_server"] {
            self.ask(stage, command, json!({ "server": id })).await?;
        }
        self.ask(stage, "describe_posture", json!({ "server": id })).await?;
        for command in ["list_servers", "list_files"] {
            self.ask(stage, command, json!({})).await?;
        }
        self.ask(stage, "search_entries", json!({ "query": "", "limit": 200 })).await?;
        self.ask(stage, "export_servers", json!({ "shape": "claude-desktop" })).await
    }

    /// The texts themselves: within JSON within JSON a value would be escaped twice.
    fn take(&mut self, answer: &Value) {
        match answer {
            Value::String(text) => {
                self.text.push_str(text);
                self.text.push('\n');
            }
            Value::Array(list) => list.iter().for_each(|value| self.take(value)),
            Value::Object(members) => members.values().for_each(|value| self.take(value)),
            _ => {}
        }
    }

    fn who_said(&self, hidden: &Hidden) -> Option<&str> {
        let mut start = 0;
        for (what, end) in &self.said {
            let part = self.text.get(start..*end).unwrap_or_default();
            if !hidden.found_in("it", part.as_bytes()).is_empty() {
                return Some(what);
            }
            start = *end;
        }
        None
    }
}

/// Drafts and entries in which a variable of ours stands wherever one may stand: what is made of it is not told.
async fn wants_variables(stage: &Stage, heard: &mut Heard) -> Result<()> {
    let references = [
        "${OPENAI_API_KEY}",
        "${env:AWS_SECRET_ACCESS_KEY}",
        "before-${OPENAI_API_KEY}/after",
        "${NOBODY_SET_THIS:-${OPENAI_API_KEY}}",
        "${OPENAI_API_KEY:-nothing}",
    ];
    let mut name = String::new();
    for (number, reference) in references.into_iter().enumerate() {
        for (place, reach) in reaches(reference).into_iter().enumerate() {
            let replaces = (!name.is_empty()).then(|| json!(name));
            name = format!("probe{number}-{place}");
            let draft = json!({ "name": name, "reach": reach, "enabled": true, "auto_start": false, "timeout": null,
                "connect_timeout": null, "fail_if_no_tools": false, "reconnect": false, "ping": null });
            heard.ask(stage, "check_draft", draft.clone()).await?;
            let mut request = json!({ "draft": draft, "target": "project" });
            if let Some(replaces) = replaces {
                request["replaces"] = replaces;
            }
            heard.ask(stage, "save_draft", request).await?;
            heard.look_at(stage, &name).await?;
        }
        for entry in entries(reference) {
            let text = json!({ "mcpServers": { "offered": entry } }).to_string();
            heard.ask(stage, "read_offer", json!({ "text": text })).await?;
            let choices = json!([{ "name": "offered", "replace": true }]);
            let source = json!({ "kind": "text", "text": text });
            let wanted = json!({ "source": source, "choices": choices, "target": "project" });
            heard.ask(stage, "import_servers", wanted).await?;
            heard.look_at(stage, "offered").await?;
        }
    }
    Ok(())
}

/// A draft for each place that takes a text.
fn reaches(text: &str) -> Vec<Value> {
    let value = |name: &str| json!([{ "name": name, "value": { "kind": "plain", "text": text } }]);
    let command = json!({ "kind": "command", "command": "/bin/true", "args": [], "folder": null, "env": [],
        "env_passthrough": [] });
    let url = json!({ "kind": "url", "url": "http://127.0.0.1:9/mcp", "dialect": "auto", "headers": [],
        "retries": null });
    let with = |reach: &Value, member: &str, value: Value| {
        let mut reach = reach.clone();
        reach[member] = value;
        reach
    };
    vec![
        with(&command, "command", json!(text)),
        with(&command, "args", json!(["--key", text])),
        with(&command, "folder", json!(text)),
        with(&command, "folder", json!(format!("/tmp/{text}"))),
        with(&command, "env", value("X")),
        with(&command, "env", value("PATH")),
        with(&command, "env", value("LD_PRELOAD")),
        with(&command, "env_passthrough", json!([text])),
        with(&url, "url", json!(format!("http://127.0.0.1:9/{text}"))),
        with(&url, "url", json!(format!("http://{text}.invalid/mcp"))),
        with(&url, "url", json!(format!("http://127.0.0.1:9/mcp?key={text}"))),
        with(&url, "headers", value("X-Plain")),
        with(&url, "headers", value("Authorization")),
    ]
}

/// Entries for what no draft has.
fn entries(text: &str) -> Vec<Value> {
    vec![
        json!({ "command": text, "args": [text], "cwd": text, "env": { "PATH": text, "NODE_OPTIONS": text } }),
        json!({ "command": "/bin/true", "envFile": text }),
        json!({ "command": "/bin/true", "cwd": text }),
        json!({ "command": "/bin/true", "timeout": text }),
        json!({ "url": text, "headers": { "X-Plain": text } }),
        json!({ "url": "http://127.0.0.1:9/", "proxy": text, "tls": { "ca": text, "pin": text } }),
        json!({ "type": text, "url": "http://127.0.0.1:9/" }),
    ]
}

/// Some JSON, with the words in it that the commands understand.
fn request(chance: &mut fastrand::Rng, depth: usize) -> Value {
    const WORDS: [&str; 19] = [
        "hostile",
        "evil",
        "../../x",
        "/etc/passwd",
        "file:///etc/passwd",
        "global",
        "project",
        "secret",
        "input",
        "",
        "\u{202e}",
        "server",
        "sonde",
        "vs-code",
        "touch stolen",
        "/bin/sh",
        "${OPENAI_API_KEY}",
        "${env:AWS_SECRET_ACCESS_KEY}",
        "${HOSTILE_TOKEN:-${OPENAI_API_KEY}}",
    ];
    const NAMES: [&str; 24] = [
        "server",
        "name",
        "draft",
        "replaces",
        "target",
        "kind",
        "value",
        "text",
        "file_name",
        "source",
        "choices",
        "shape",
        "servers",
        "groups",
        "enabled",
        "tool",
        "arguments",
        "method",
        "params",
        "bytes",
        "uri",
        "edit",
        "query",
        "id",
    ];
    let word = |chance: &mut fastrand::Rng| json!(WORDS.get(chance.usize(..WORDS.len())).copied().unwrap_or_default());
    match (depth, chance.u8(..8)) {
        (0, _) | (1..4, 0) => {
            let members = (0..chance.usize(..6)).map(|_| {
                let name = NAMES.get(chance.usize(..NAMES.len())).copied().unwrap_or_default();
                (name.to_owned(), request(chance, depth + 1))
            });
            Value::Object(members.collect())
        }
        (1..4, 1) => Value::Array((0..chance.usize(..4)).map(|_| request(chance, depth + 1)).collect()),
        (_, 2) => json!(chance.i64(..)),
        (_, 3) => json!(chance.bool()),
        (_, 4) => Value::Null,
        _ => word(chance),
    }
}

/// I2: a page that edits what a person has approved, and a file of approvals that somebody wrote.
pub async fn edited(plan: Plan) -> Result<Outcome> {
    let mut deciding = plan.variant("deciding", "").with_words(&["${secret:WORD}"]);
    deciding.args = ["--case", "C5", "--seed"].map(str::to_owned).to_vec();
    let stage = Stage::open(&plan, vec![healthy(&plan, "hostile"), deciding]).await?;
    stage.connect("hostile").await?;
    stage.disconnect("hostile").await?;
    let reach = stage.ask("read_draft", json!({ "server": "hostile" })).await?["reach"].clone();
    let save = async |change: &dyn Fn(&mut Value)| {
        let mut reach = reach.clone();
        change(&mut reach);
        save_reach(&stage, "hostile", &reach).await
    };
    let variable = |name: &str| json!({ "name": name, "value": { "kind": "plain", "text": "x" } });
    let more = |field: &'static str, value: Value| {
        move |reach: &mut Value| reach[field].as_array_mut().into_iter().for_each(|list| list.push(value.clone()))
    };
    let changes: [&dyn Fn(&mut Value); 5] = [
        &|reach| reach["command"] = json!("/bin/sh"),
        &more("args", json!("; touch stolen")),
        &more("env", variable("LD_PRELOAD")),
        &more("env_passthrough", json!("AWS_SECRET_ACCESS_KEY")),
        &|reach| reach["folder"] = json!("/"),
    ];
    for change in changes {
        save(change).await?;
        asks(&stage, "hostile", "what the page changed").await?;
    }
    nothing_runs(&stage, "after every change was refused")?;
    save(&|_| {}).await?;
    stage.connect_approved("hostile").await?;
    stage.disconnect("hostile").await?;
    vault_behind_an_approval(&stage, "deciding").await?;
    let path = stage.folder.path().join("data/approvals.json");
    for text in [r#"{"approved":{"hostile":"0"}}"#, r#"{"approved":{"hostile":{"fingerprint":"0"}}}"#, "", "[[["] {
        std::fs::write(&path, text)?;
        asks(&stage, "hostile", "a file of approvals that is not ours").await?;
    }
    another_history(&plan)?;
    stage.conclude().await
}

/// Saves the entry as it is now, but for how the server is reached.
async fn save_reach(stage: &Stage, id: &str, reach: &Value) -> Result<Value> {
    let mut draft = stage.ask("read_draft", json!({ "server": id })).await?;
    draft["reach"] = reach.clone();
    stage.ask("save_draft", json!({ "draft": draft, "replaces": id, "target": "project" })).await
}

/// A word of the command line stands in the vault. Whoever changes it there, by whichever door, changes the command: a
/// person is asked again, or nothing was changed.
async fn vault_behind_an_approval(stage: &Stage, id: &str) -> Result<()> {
    let give = async |value: &str| {
        stage.ask("set_secret", json!({ "server": id, "kind": "secret", "name": "WORD", "value": value })).await
    };
    give(APPROVED).await?;
    stage.connect(id).await?;
    stage.disconnect(id).await?;
    give("evil").await?;
    asks(stage, id, "a secret in an argument that `set_secret` changed").await?;
    give(APPROVED).await?;
    approve(&stage.door, id)?;

    let reach = stage.ask("read_draft", json!({ "server": id })).await?["reach"].clone();
    let with = |mut reach: Value, name: &str, value: Value| {
        let rows = reach["env"].as_array_mut().into_iter();
        rows.for_each(|rows| rows.push(json!({ "name": name, "value": value })));
        reach
    };
    let typed = json!({ "kind": "secret", "value": "evil" });
    let reference = json!({ "kind": "plain", "text": "${secret:WORD}" });
    let without_words = |mut reach: Value| {
        reach["args"].as_array_mut().into_iter().for_each(|words| drop(words.pop()));
        reach
    };
    let ways = [
        vec![with(reach.clone(), "WORD", typed.clone())],
        vec![with(reach.clone(), "X", reference.clone()), with(reach.clone(), "X", typed.clone())],
        vec![
            with(without_words(reach.clone()), "X", reference.clone()),
            with(without_words(reach.clone()), "X", typed.clone()),
        ],
        vec![with(without_words(reach.clone()), "WORD", typed.clone())],
    ];
    for (number, drafts) in ways.into_iter().enumerate() {
        for draft in drafts {
            save_reach(stage, id, &draft).await?;
        }
        save_reach(stage, id, &reach).await?;
        as_approved_or_asked(stage, id).await.with_context(|| format!("after drafts of way {number}"))?;
        give(APPROVED).await?;
        approve(&stage.door, id)?;
    }

    for entry in [
        json!({ "command": "/bin/true", "env": { "WORD": "sk-touch-stolen-1234567890abcdef" } }),
        json!({ "command": "/bin/true", "args": ["${secret:WORD}"], "env": { "WORD": "sk-touch-stolen-1234567890abcdef" } }),
    ] {
        let text = json!({ "mcpServers": { id: entry } }).to_string();
        let choices = json!([{ "name": id, "replace": true }]);
        let source = json!({ "kind": "text", "text": text });
        stage.ask("import_servers", json!({ "source": source, "choices": choices, "target": "project" })).await?;
        save_reach(stage, id, &reach).await?;
        // What the import did not have is gone with the entry that it took the place of.
        let (name, value) = secrets::GRANTED;
        stage.ask("set_secret", json!({ "server": id, "kind": "secret", "name": name, "value": value })).await?;
        as_approved_or_asked(stage, id).await.context("after an import")?;
        give(APPROVED).await?;
        approve(&stage.door, id)?;
    }
    nothing_runs(stage, "after the vault was changed")
}

/// What a person had seen. Shorter than what is taken out of the log, so that the server can tell us.
const APPROVED: &str = "good";

/// Either it does not start, or with what was approved.
async fn as_approved_or_asked(stage: &Stage, id: &str) -> Result<()> {
    if let Err(error) = stage.door.call("connect_server", json!({ "server": id })).await {
        let refused = serde_json::to_value(error)?;
        ensure!(refused["code"] == "approval-needed", "it is not started for want of a yes: {refused}");
        return Ok(());
    }
    stage.connect_approved(id).await?;
    let told = stage.answer(id, "tell", json!({ "what": "arguments" })).await?;
    let words: Vec<String> = serde_json::from_str(&told)?;
    ensure!(words.last().is_some_and(|word| word == APPROVED), "nobody has approved this: {words:?}");
    stage.disconnect(id).await?;
    Ok(())
}

/// The log says that another server was started again and again, and the approvals are copied from one to the other.
/// Neither is a yes.
fn another_history(plan: &Plan) -> Result<()> {
    let folder = tempfile::tempdir()?;
    prepare(plan, &[healthy(plan, "hostile"), healthy(plan, "hostage")], folder.path())?;
    let ask = |victim: &mut Victim| -> Result<String> {
        victim.order("connect hostage")?;
        victim.answer()
    };
    let mut victim = Victim::start(folder.path())?;
    ensure!(ask(&mut victim)? == "approval-needed", "nobody has approved it");
    victim.end("exit")?;

    let data = folder.path().join("data");
    let mut changed = 0;
    for entry in std::fs::read_dir(&data)? {
        let path = entry?.path();
        if !path.is_file() || path.extension().is_some_and(|ending| ending == "json") {
            continue;
        }
        let mut bytes = std::fs::read(&path)?;
        let places: Vec<usize> = memchr::memmem::find_iter(&bytes, b"hostile").collect();
        changed += places.len();
        for place in places {
            bytes.get_mut(place..place + 7).context("it was found there")?.copy_from_slice(b"hostage");
        }
        std::fs::write(&path, bytes)?;
    }
    ensure!(changed > 0, "the log names the server, or this proves nothing");
    let mut victim = Victim::start(folder.path())?;
    ensure!(ask(&mut victim)? == "approval-needed", "a log that tells of it is no approval");
    victim.end("exit")?;

    let approvals = data.join("approvals.json");
    let text = std::fs::read_to_string(&approvals)?;
    ensure!(text.contains("\"hostile\""), "the approved one is named: {text}");
    std::fs::write(&approvals, text.replace("\"hostile\"", "\"hostage\""))?;
    let mut victim = Victim::start(folder.path())?;
    ensure!(ask(&mut victim)? == "approval-needed", "an approval of another command is none of this one");
    victim.end("exit")
}
