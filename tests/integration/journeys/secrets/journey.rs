//! A full run: servers that say again what they were told, and everything that a person does with them.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use integration::{Door, Profile, Site, Visit, agreement, binary, example};
use serde_json::{Value, json};
use sonde_app::DataFolder;

use super::canaries::{self, Canary, Search};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyring {
    Present,
    Absent,
}

pub async fn travel(keyring: Keyring) {
    sonde_app::tell_panics();
    let site = Arc::new(Site::open().await);
    let answering = tokio::spawn(answer(site.clone()));
    let profile = profile(&site);
    let journal = sonde_app::start_journal(&DataFolder::open(Some(profile.data())).unwrap()).unwrap();

    let witness = Witness::open(&profile).await;
    witness.give_everything(keyring).await;
    witness.import().await;
    for server in SERVERS {
        witness.use_server(server).await;
    }
    let told = witness.processes_know_their_own_alone().await;
    assert_eq!(told, Vec::<String>::new(), "a process has a secret of somebody else's");
    let found = Search::of(canaries::all()).found_under(&profile.data(), &mut Vec::new());
    assert_eq!(found, Vec::<String>::new(), "nothing of it is there while the servers run, either");
    // What panics tells the journal, whatever it was about.
    let secret = canaries::kept().swap_remove(2).value;
    std::thread::spawn(move || panic!("it was about {secret}")).join().unwrap_err();
    witness.see_them_fail().await;
    witness.look_everywhere().await;
    witness.door.clone().close().await;

    // Another start of the program.
    let again = Witness::open(&profile).await;
    again.come_back(keyring).await;
    again.forget(keyring).await;
    again.door.clone().close().await;
    on_the_terminal(&profile, keyring, &witness);
    answering.abort();
    drop(journal);

    let search = Search::of(canaries::all());
    let mut found = search.found_in("what the page was told", &witness.heard());
    found.extend(search.found_in("what the page was told later", &again.heard()));
    let mut files = Vec::new();
    found.extend(search.found_under(&profile.data(), &mut files));
    found.extend(search.found_under(&profile.project(), &mut files));
    for file in ["log.db", "app.log", "approvals.json", ".mcp.json", "mcp.json"] {
        assert!(files.iter().any(|there| there == file), "{file} was looked at: {files:?}");
    }
    assert_eq!(found, Vec::<String>::new(), "nobody but the servers has them");
    let journal = std::fs::read_to_string(profile.data().join("app.log")).unwrap();
    assert!(journal.contains("it was about ‹secret:KEPT_2›"), "the panic is told, and not what it was about");
    // The servers did say them.
    let heard = String::from_utf8_lossy(&witness.heard()).into_owned();
    for name in ["KEPT_0", "KEPT_13", "typed_1", "typed_LONG", "CANARY_TOKEN_OURS_0", "ARG_2", "SENT_0", "SENT_3"] {
        assert!(heard.contains(&format!("‹secret:{name}›")), "the server said {name}, and it was taken out");
    }
}

const SERVERS: [&str; 3] = ["parrot", "imported", "site"];

/// Servers that are given all but what is imported.
fn profile(site: &Site) -> Profile {
    let parrot = example("integration", "parrot");
    let reference = |kind: &str, name: &str| format!("${{{kind}:{name}}}");
    let mut env: BTreeMap<String, String> = BTreeMap::new();
    for canary in canaries::kept() {
        env.insert(format!("CANARY_{}", canary.name), reference("secret", &canary.name));
    }
    for canary in canaries::typed() {
        env.insert(format!("CANARY_{}", canary.name), reference("input", &canary.name));
    }
    for canary in &canaries::ours()[..3] {
        env.insert(format!("CANARY_{}", canary.name), format!("${{{}}}", canary.name));
    }
    let args: Vec<String> = canaries::arguments().iter().map(|canary| reference("secret", &canary.name)).collect();
    let entry = json!({ "command": parrot, "args": args, "env": env, "env_passthrough": ["CANARY_TOKEN_OURS_4"] });
    let headers = json!({
        "Authorization": "Bearer ${secret:SENT_0}",
        "X-Api-Key": "${secret:SENT_1}",
        "Cookie": "${secret:SENT_2}",
        "X-Tenant": "${CANARY_TOKEN_OURS_3}",
        "Proxy-Authorization": "Basic ${secret:SENT_4}",
    });
    let url = format!("{}/mcp/${{secret:SENT_3}}", site.origin);
    let solo = json!({ "command": parrot, "env": { "CANARY_ONLY": "${input:ONLY}" } });
    Profile::default()
        .with_entry("parrot", entry)
        .with_entry("site", json!({ "url": url, "headers": headers, "sonde": { "proxy": "none" } }))
        .with_entry("solo", solo)
}

/// A person at a window, and everything that the window is told.
struct Witness {
    door: Door,
    heard: Mutex<Vec<u8>>,
}

impl Witness {
    async fn open(profile: &Profile) -> Self {
        Witness { door: profile.open().await, heard: Mutex::default() }
    }

    fn heard(&self) -> Vec<u8> {
        self.heard.lock().unwrap().clone()
    }

    fn hears(&self, text: &str) {
        let mut heard = self.heard.lock().unwrap();
        heard.extend_from_slice(text.as_bytes());
        heard.push(b'\n');
    }

    async fn ask(&self, command: &str, request: Value) -> Value {
        match self.door.call(command, request).await {
            Ok(answer) => {
                self.hears(&answer.to_string());
                answer
            }
            Err(error) => {
                self.hears(&error.to_string());
                json!({ "failed": error.to_string(), "code": format!("{:?}", error.code) })
            }
        }
    }

    async fn give_everything(&self, keyring: Keyring) {
        let needed = self.ask("connect_server", json!({ "server": "parrot" })).await;
        assert_eq!(needed["code"], "ApprovalNeeded", "nobody is asked for secrets of what nobody allowed: {needed}");
        self.door.approve("parrot");
        let needed = self.ask("connect_server", json!({ "server": "parrot" })).await;
        assert_eq!(needed["code"], "InputNeeded", "{needed}");
        for (server, kind, canary) in given() {
            let request = json!({ "server": server, "kind": kind, "name": canary.name, "value": canary.value });
            let told = self.ask("set_secret", request).await;
            assert_eq!(told, json!({}), "{}", canary.name);
        }
        let list = self.ask("list_secrets", json!({ "server": "parrot" })).await;
        let secrets = list["secrets"].as_array().unwrap();
        assert!(secrets.len() == 25 && secrets.iter().all(|secret| secret["known"] == true), "{list}");
        let (kind, notice) = (&list["keeper"]["kind"], &list["keeper"]["notice"]);
        match keyring {
            Keyring::Present => assert_eq!((kind, notice), (&json!("keyring"), &Value::Null)),
            Keyring::Absent => {
                assert_eq!(kind, "memory");
                assert!(notice.as_str().unwrap().contains("in memory until Sonde ends"), "{notice}");
            }
        }
    }

    /// What another client has in clear is moved to where secrets are kept.
    async fn import(&self) {
        let values: Vec<String> = canaries::imported().into_iter().map(|canary| canary.value).collect();
        let env = json!({
            "CANARY_API_KEY": values[0], "CANARY_BY_LOOK": values[1], "CANARY_DATABASE": values[2],
            "CANARY_PASSWORD": values[3], "CANARY_AUTH": values[4], "CANARY_PLAIN": "not a secret at all",
        });
        let parrot = example("integration", "parrot");
        let text = json!({ "mcpServers": { "imported": { "command": parrot, "env": env } } }).to_string();
        let request = json!({
            "source": { "kind": "text", "text": text }, "choices": [{ "name": "imported" }], "target": "project",
        });
        let told = self.ask("import_servers", request).await;
        assert_eq!(told["servers"], json!(["imported"]), "{told}");
    }

    /// Connects, calls, and looks at everything that there is to see.
    async fn use_server(&self, server: &str) {
        self.door.approve(server);
        let told = self.ask("connect_server", json!({ "server": server })).await;
        assert_eq!(told, json!({}), "{server}");
        let ready = self.door.until_server(server, &["ready", "failed"]).await;
        assert_eq!(ready["state"], "ready", "{server} should connect: {}", ready["problem"]);
        self.hears(&ready.to_string());
        // A person may type a secret of the server where none belongs.
        let own = match server {
            "parrot" => canaries::kept(),
            "site" => canaries::sent(),
            _ => canaries::imported(),
        };
        let arguments = json!({ "typed": own[2].value, "more": own[3].value }).to_string();
        for tool in ["say", "fail"] {
            let request = json!({ "server": server, "tool": tool, "arguments": arguments });
            let call = self.door.ask("call_tool", request).await;
            let mut call = self.door.until_ended(&call).await;
            // What the page typed is told to it again, so that it can be sent again.
            call.as_object_mut().unwrap().remove("arguments");
            self.hears(&call.to_string());
        }
        for command in ["describe_server", "list_tools", "list_secrets", "read_draft"] {
            self.ask(command, json!({ "server": server })).await;
        }
        self.ask("describe_tool", json!({ "server": server, "tool": "say" })).await;
    }

    async fn see_them_fail(&self) {
        for server in ["parrot", "imported"] {
            self.ask("call_tool", json!({ "server": server, "tool": "die", "arguments": "{}" })).await;
            let failed = self.door.until_server(server, &["failed"]).await;
            assert!(failed["problem"].to_string().contains("dying with"), "its last words are told: {failed}");
            self.hears(&failed.to_string());
        }
        self.door.disconnect("site").await;
    }

    async fn look_everywhere(&self) {
        for server in SERVERS {
            let examined = self.ask("examine_server", json!({ "server": server })).await;
            assert!(examined.get("failed").is_none(), "{examined}");
            self.ask("describe_server", json!({ "server": server })).await;
        }
        let shapes = self.ask("list_shapes", json!({})).await;
        for shape in shapes["shapes"].as_array().expect("there are shapes") {
            let exported = self.ask("export_servers", json!({ "shape": shape["id"] })).await;
            assert!(exported.get("failed").is_none(), "{exported}");
        }
        for command in ["list_servers", "list_files", "list_questions"] {
            self.ask(command, json!({})).await;
        }
        for row in self.door.rows(json!({})).await {
            self.hears(&row.to_string());
            let detail = self.ask("read_row", json!({ "seq": row["seq"] })).await;
            for frame in detail["frames"].as_array().unwrap() {
                let request = json!({ "seq": row["seq"], "index": frame["index"], "offset": 0 });
                self.ask("read_frame", request).await;
            }
        }
    }

    /// What processes have that should not.
    async fn processes_know_their_own_alone(&self) -> Vec<String> {
        let mut own: BTreeMap<u32, &str> = BTreeMap::new();
        for server in SERVERS {
            if let Some(pid) = self.door.server(server).await["pid"].as_u64() {
                own.insert(u32::try_from(pid).unwrap(), server);
            }
        }
        assert_eq!(own.len(), 2, "two of them are processes: {own:?}");
        let everything = Search::of(canaries::all());
        let not_imported = Search::of(canaries::all().into_iter().filter(|own| !own.name.starts_with("IMP")).collect());
        let not_parrots = Search::of([canaries::imported(), canaries::sent()].concat());
        let children = descendants();
        assert!(children.len() > own.len(), "the servers and whoever looks after them: {children:?}");
        let mut told = Vec::new();
        for pid in children {
            let search = match own.get(&pid) {
                Some(&"imported") => &not_imported,
                Some(_) => &not_parrots,
                None => &everything,
            };
            for file in ["cmdline", "environ"] {
                let path = format!("/proc/{pid}/{file}");
                told.extend(search.found_in(&path, &std::fs::read(&path).unwrap_or_default()));
            }
        }
        told
    }

    /// What was kept is there, and what was not is asked for.
    async fn come_back(&self, keyring: Keyring) {
        let told = self.ask("connect_server", json!({ "server": "parrot" })).await;
        match keyring {
            Keyring::Present => {
                assert_eq!(told, json!({}), "the keyring has all of them");
                self.door.until_server("parrot", &["ready"]).await;
                self.door.disconnect("parrot").await;
            }
            Keyring::Absent => {
                assert_eq!(told["code"], "InputNeeded", "{told}");
                let words = told["failed"].as_str().unwrap();
                let asked = [canaries::kept(), canaries::typed(), canaries::arguments()].concat();
                for canary in asked {
                    assert!(words.contains(&canary.name), "{} is asked for: {words}", canary.name);
                }
            }
        }
    }

    /// A server that is removed leaves nothing in the keyring.
    async fn forget(&self, keyring: Keyring) {
        if keyring == Keyring::Absent {
            return;
        }
        let known = |list: Value| -> Vec<bool> {
            let secrets = list["secrets"].as_array().unwrap().clone();
            secrets.iter().map(|secret| secret["known"] == true).collect()
        };
        let before = known(self.ask("list_secrets", json!({ "server": "imported" })).await);
        assert_eq!(before, [true; 5], "they are kept");
        let draft = self.ask("read_draft", json!({ "server": "imported" })).await;
        let told = self.ask("remove_server", json!({ "server": "imported" })).await;
        assert_eq!(told, json!({}));
        let told = self.ask("save_draft", json!({ "draft": draft, "target": "project" })).await;
        assert_eq!(told["server"], "imported", "{told}");
        let after = known(self.ask("list_secrets", json!({ "server": "imported" })).await);
        assert_eq!(after, [false; 5], "the keyring has forgotten them");
    }
}

/// Every process that was started by this one, or by one of those.
fn descendants() -> Vec<u32> {
    let parent = |pid: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
    };
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_ours = |pid: &u32| {
        let chain = std::iter::successors(parent(*pid), |pid| parent(*pid));
        chain.take(100).any(|ancestor| ancestor == std::process::id())
    };
    processes.filter(is_ours).collect()
}

/// Everything that is given by hand: the server, the kind, the secret.
fn given() -> Vec<(&'static str, &'static str, Canary)> {
    let mut given = Vec::new();
    for canary in [canaries::kept(), canaries::arguments()].concat() {
        given.push(("parrot", "secret", canary));
    }
    given.extend(canaries::typed().into_iter().map(|canary| ("parrot", "input", canary)));
    given.extend(canaries::sent().into_iter().map(|canary| ("site", "secret", canary)));
    given
}

/// `sonde`, as a person at a terminal has it. What it says is heard as well.
fn on_the_terminal(profile: &Profile, keyring: Keyring, witness: &Witness) {
    let sonde = |words: &[&str], input: &str| {
        let mut child = Command::new(binary("sonde"))
            .args(words)
            .env("SONDE_DATA_DIR", profile.data())
            .current_dir(profile.project())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        witness.hears(&told);
        (output.status.code(), told)
    };
    let only = &canaries::typed()[3].value;
    assert_eq!(sonde(&["approve", "solo", "--yes"], "").0, Some(0));
    let (code, told) = sonde(&["call", "solo.say"], "");
    assert!(code == Some(3) && told.contains("ONLY"), "it is asked for: {told}");
    let (code, told) = sonde(&["call", "solo.say", "--input", "ONLY"], &format!("{only}\n"));
    assert!(code == Some(0) && told.contains("‹secret:ONLY›"), "given for one run, and taken out: {told}");
    let (code, told) = sonde(&["secret", "set", "solo", "input:ONLY"], only);
    match keyring {
        Keyring::Present => {
            assert_eq!(code, Some(0), "{told}");
            let (code, told) = sonde(&["call", "solo.say"], "");
            assert!(code == Some(0) && told.contains("‹secret:ONLY›"), "it was kept: {told}");
            let (_, told) = sonde(&["secret", "list", "solo"], "");
            assert!(told.contains("known"), "{told}");
            assert_eq!(sonde(&["secret", "remove", "solo", "input:ONLY"], "").0, Some(0));
        }
        Keyring::Absent => assert!(code == Some(2) && told.contains("can't be kept"), "it says so: {told}"),
    }
    let (_, told) = sonde(&["secret", "list", "solo"], "");
    assert!(told.contains("missing"), "{told}");
    for words in [vec!["log", "--limit", "100000"], vec!["log", "--output", "json"], vec!["doctor", "parrot"]] {
        sonde(&words, "");
    }
}

/// The server at an address: whatever is asked of it, it says again how.
async fn answer(site: Arc<Site>) {
    loop {
        let visit = site.visit("anything", |_| true).await;
        tokio::spawn(reply(visit));
    }
}

async fn reply(visit: Visit) {
    let request = visit.request.clone();
    let mut told: Vec<(String, String)> = vec![("path".to_owned(), request.path.clone())];
    told.extend(request.headers.iter().cloned());
    let all: String = told.iter().map(|(name, value)| format!("{name} is {value}. ")).collect();
    let echoes: Vec<(String, String)> =
        told.iter().map(|(name, value)| (format!("x-echo-{}", name.replace(':', "")), value.clone())).collect();
    let mut headers: Vec<(&str, &str)> = echoes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let message = request.message();
    match (request.method.as_str(), message["method"].as_str().unwrap_or_default()) {
        ("POST", "initialize") => {
            let mut reply = agreement("2025-11-25");
            reply["result"]["instructions"] = json!(all);
            reply["result"]["capabilities"] = json!({ "tools": {} });
            visit.reply_with(&headers, reply).await;
        }
        ("POST", "tools/list") => {
            let tool = |name: &str| json!({ "name": name, "description": all, "inputSchema": { "type": "object" } });
            visit.reply_with(&headers, json!({ "result": { "tools": [tool("say"), tool("fail")] } })).await;
        }
        ("POST", "tools/call") if message["params"]["name"] == "say" => {
            let stream = visit.stream_with(&headers).await;
            let note = json!({ "level": "info", "data": all });
            let note = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": note });
            stream.message_with_id(&all, &note).await;
            let content = json!([{ "type": "text", "text": all }, { "type": "text", "text": json!(told).to_string() }]);
            stream.reply(&message, json!({ "result": { "content": content } })).await;
            stream.end().await;
        }
        ("POST", "tools/call") => {
            let challenge = format!("Bearer realm=\"x\", error_description=\"{}\"", all.replace('"', "'"));
            headers.extend([("content-type", "text/plain"), ("www-authenticate", challenge.as_str())]);
            visit.respond(401, &headers, all.as_bytes()).await;
        }
        ("POST", _) => visit.respond(202, &headers, b"").await,
        ("GET", _) => visit.respond(405, &headers, all.as_bytes()).await,
        _ => visit.respond(200, &headers, all.as_bytes()).await,
    }
}
