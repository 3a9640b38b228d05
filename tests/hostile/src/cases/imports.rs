//! C4 to C7, C9, C10: what a configuration may say, and what comes of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use super::fact;
use crate::figures::Outcome;
use crate::processes;
use crate::secrets::{self, Hidden};
use crate::stage::{Plan, Stage};

fn file(stage: &Stage) -> PathBuf {
    stage.project().join(".mcp.json")
}

/// Every file of the project, with what stands in it.
fn project(stage: &Stage) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![stage.project()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            match path.is_dir() {
                true => folders.push(path),
                false => drop(files.insert(path.clone(), std::fs::read(path)?)),
            }
        }
    }
    Ok(files)
}

/// Puts a file where a client of this person keeps its own.
fn at_home(path: &str, text: &[u8]) -> Result<PathBuf> {
    let path = PathBuf::from(std::env::var_os("HOME").context("the case has a home")?).join(path);
    std::fs::create_dir_all(path.parent().context("a file stands in a folder")?)?;
    std::fs::write(&path, text)?;
    Ok(path)
}

fn names(offer: &Value) -> Vec<&str> {
    offer["servers"].as_array().into_iter().flatten().filter_map(|server| server["name"].as_str()).collect()
}

/// C4: files that are broken, large or deep. Each is told with its place, and nothing comes of a half.
pub async fn broken_files(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    let before = project(&stage)?;
    let deep = |open: &str, head: &str| format!("{head}{}", open.repeat(100_000));
    for (what, text) in [
        ("a comma", "{\"mcpServers\":{\n\"good\":{\"command\":\"x\"},\n\"b\":{,}}}".to_owned()),
        ("lists in lists", deep("[", "{\"mcpServers\":{\"good\":{\"command\":\"x\"},\"d\":")),
        ("objects in objects", deep("{\"a\":", "{\"mcpServers\":")),
        ("lists in YAML", deep("[", "mcpServers:\n  a: ")),
        ("half of a TOML", "[mcp_servers.a]\ncommand = \"x\"\nargs = [\n".to_owned()),
        ("anchors", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e]\nmcpServers: {good: *f}\n".to_owned()),
        ("no object", "[1,2]".to_owned()),
        ("nothing", "{}".to_owned()),
    ] {
        let refused = match stage.door.call("read_offer", json!({ "text": text })).await {
            Err(error) => serde_json::to_value(error)?,
            Ok(offer) => {
                ensure!(names(&offer).is_empty(), "{what}: nothing is offered of a half: {offer}");
                offer["problems"][0].clone()
            }
        };
        ensure!(refused["code"] == "configuration" || refused["message"].is_string(), "{what} is told: {refused}");
        let source = json!({ "kind": "text", "text": text });
        let wanted = json!({ "source": source, "choices": [{ "name": "good" }], "target": "project" });
        stage.refused("import_servers", wanted).await?;
        ensure!(project(&stage)? == before, "{what}: nothing is written of it");
    }
    tolerated(&stage).await?;
    wrong_types(&stage).await?;
    ensure!(project(&stage)? == before, "looking writes nothing");
    large_files(&stage).await?;
    stage.connect("hostile").await?;
    stage.still_answers("hostile").await?;
    stage.conclude().await
}

async fn tolerated(stage: &Stage) -> Result<()> {
    let text = "\u{feff}// mine\n{ /* all */ \"mcpServers\": { \"a\": { \"command\": \"x\", }, }, }\n";
    let offer = stage.ask("read_offer", json!({ "text": text })).await?;
    ensure!(names(&offer) == ["a"], "a mark, comments and commas are read: {offer}");
    Ok(())
}

async fn wrong_types(stage: &Stage) -> Result<()> {
    let text = [
        r#"{"mcpServers":{"#,
        r#""number":{"command":7},"#,
        r#""env":{"command":"x","env":["A=1"]},"#,
        r#""both":{"command":"x","url":"https://h/"},"#,
        r#""none":{"args":[]},"#,
        r#""nul":{"command":"a\u0000b"},"#,
        r#""proto":{"__proto__":{"command":"x"}},"#,
        r#""good":{"command":"x"},"#,
        r#""same":{"command":"x"},"#,
        r#""same":{"command":"y"}}}"#,
    ];
    let offer = stage.ask("read_offer", json!({ "text": text.join("\n") })).await?;
    let problems = offer["problems"].as_array().context("problems are told")?;
    for (line, name) in [(2, "number"), (3, "env"), (4, "both"), (5, "none"), (10, "same")] {
        let told = problems.iter().find(|problem| fact(problem, "server") == Some(name));
        let told = told.with_context(|| format!("`{name}` is told: {offer}"))?;
        ensure!(fact(told, "at") == Some(format!("line {line}").as_str()), "with its line: {told}");
        ensure!(!names(&offer).contains(&name), "and not offered: {offer}");
    }
    ensure!(names(&offer).contains(&"good"), "the others are: {offer}");
    // One of two can't be taken: then the other isn't, either.
    let choices = json!([{ "name": "good" }, { "name": "number" }]);
    let source = json!({ "kind": "text", "text": text.join("\n") });
    stage.refused("import_servers", json!({ "source": source, "choices": choices, "target": "project" })).await?;
    Ok(())
}

/// A gigabyte that is no gigabyte on the disk: of another client, and our own.
async fn large_files(stage: &Stage) -> Result<()> {
    const GIGABYTE: u64 = 1 << 30;
    let theirs = at_home(".cursor/mcp.json", b"{")?;
    std::fs::File::options().write(true).open(&theirs)?.set_len(GIGABYTE)?;
    let endless = at_home(".kiro/settings/other", b"")?.with_file_name("mcp.json");
    std::os::unix::fs::symlink("/dev/zero", endless)?;
    let found = stage.ask("find_clients", json!({})).await?;
    let told = found["files"].as_array().context("files are found")?;
    let told: Vec<&Value> =
        told.iter().filter(|file| file["file"].as_str().is_some_and(|file| file.starts_with('~'))).collect();
    ensure!(told.len() == 2, "both are told: {found}");
    let is_told = |file: &&Value| file["offer"]["problems"].as_array().is_some_and(|problems| problems.len() == 1);
    ensure!(told.iter().all(is_told), "and why nothing is offered of them: {found}");

    let own = file(stage);
    let good = std::fs::read(&own)?;
    std::fs::File::options().write(true).open(&own)?.set_len(GIGABYTE)?;
    stage.door.app.reload().await;
    let list = stage.ask("list_servers", json!({})).await?;
    ensure!(list["problems"].as_array().is_some_and(|problems| !problems.is_empty()), "it is told: {list}");
    std::fs::write(&own, good)?;
    stage.door.app.reload().await;
    Ok(())
}

/// C5: references are filled from what is declared, by nobody's shell, and shown masked.
pub async fn references(plan: Plan) -> Result<Outcome> {
    let (name, value) = secrets::OURS.first().copied().context("there is a secret of ours")?;
    let reference = format!("${{{name}}}");
    let env = format!("${{env:{name}}}");
    let words =
        ["$(touch stolen)", "`touch stolen`", "%PATH%", "$HOME", "${input:typed}", &reference, &env, "${userHome}"];
    let missing = plan.variant("missing", "").with_words(&["${NOBODY_SET_THIS}"]);
    let asking = plan.variant("asking", "").with("env", json!({ "TYPED": "${input:typed}" })).with_words(&words);
    let mut stage = Stage::open(&plan, vec![asking, missing]).await?;
    // What was filled in is taken out again, so no sum of bytes is right.
    stage.servers.clear();
    let list = stage.ask("list_servers", json!({})).await?;
    let problems = list["problems"].to_string();
    ensure!(problems.contains("NOBODY_SET_THIS"), "a variable that is not set is named: {problems}");
    crate::stage::approve(&stage.door, "asking")?;
    let refused = stage.refused("connect_server", json!({ "server": "asking" })).await?;
    ensure!(refused["code"] == "input-needed" && refused.to_string().contains("typed"), "what is missing: {refused}");
    let typed = "; touch stolen canary-typed";
    let given = json!({ "server": "asking", "kind": "input", "name": "typed", "value": typed });
    stage.ask("set_secret", given).await?;
    stage.connect("asking").await?;
    let told = stage.answer("asking", "tell", json!({ "what": "arguments" })).await?;
    let got: Vec<String> = serde_json::from_str(&told)?;
    let home = std::env::var("HOME")?;
    let hidden = format!("‹secret:{name}›");
    let wanted = ["$(touch stolen)", "`touch stolen`", "%PATH%", "$HOME", "‹secret:typed›", &hidden, &hidden, &home];
    ensure!(got.ends_with(&wanted.map(str::to_owned)), "each once, as one word, and masked: {got:?}");
    ensure!(!stage.project().join("stolen").exists(), "nobody ran any of them");
    let mut shown = Vec::new();
    for command in ["describe_server", "read_draft", "list_secrets", "examine_server"] {
        shown.push(stage.ask(command, json!({ "server": "asking" })).await?.to_string());
    }
    shown.push(stage.ask("list_servers", json!({})).await?.to_string());
    let found = Hidden::of([(name, value), ("typed", typed)]).found_in("what is shown", shown.join("\n").as_bytes());
    ensure!(found.is_empty(), "a value is shown: {found:?}");
    stage.disconnect("asking").await?;
    let kept = Hidden::of([("typed", typed)]).found_under(stage.folder.path())?;
    ensure!(kept.is_empty(), "a value is kept: {kept:?}");
    stage.conclude().await
}

/// C6: secrets of another client's file leave for the keyring, or memory; its file stays as it is.
pub async fn secrets_of_others(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    let values = [("API_KEY", "sk-canary-imported-1"), ("PLAIN_LOOK", "ghp_canary-imported2abcdef")];
    let headers = [("Authorization", "canary-imported-3"), ("X-Api-Key", "canary-imported-4")];
    let bearer = format!("Bearer {}", headers[0].1);
    let text = json!({ "mcpServers": {
        "local": { "command": "x", "env": { "API_KEY": values[0].1, "PLAIN_LOOK": values[1].1, "REGION": "eu" } },
        "far": { "url": "https://example.com/mcp", "headers": { "Authorization": bearer, "X-Api-Key": headers[1].1 } },
    } })
    .to_string();
    let source = at_home(".cursor/mcp.json", text.as_bytes())?;
    let found = stage.ask("find_clients", json!({})).await?;
    let files = found["files"].as_array().context("files are found")?;
    let theirs = files.iter().find(|file| file["file"] == "~/.cursor/mcp.json").context("the file is found")?;
    let request = json!({ "source": { "kind": "file", "id": theirs["id"] }, "target": "project",
        "choices": [{ "name": "local" }, { "name": "far" }] });
    let imported = stage.ask("import_servers", request).await?;
    ensure!(
        imported["notices"].to_string().contains("until Sonde ends"),
        "that no keyring has them is told: {imported}"
    );
    let written: String = project(&stage)?.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    for wanted in ["${secret:API_KEY}", "${secret:PLAIN_LOOK}", "Bearer ${secret:Authorization}", "\"eu\""] {
        ensure!(written.contains(wanted), "`{wanted}` stands in {written}");
    }
    ensure!(std::fs::read_to_string(source)? == text, "the source is another client's");
    let known = stage.ask("list_secrets", json!({ "server": "local" })).await?;
    let all_known = known["secrets"].as_array().is_some_and(|all| all.iter().all(|secret| secret["known"] == true));
    ensure!(all_known, "they are kept: {known}");
    let hidden = Hidden::of(values.into_iter().chain(headers));
    let shown = format!("{found}\n{imported}\n{known}");
    let mut everywhere = hidden.found_in("what is shown", shown.as_bytes());
    everywhere.extend(hidden.found_under(&stage.project())?);
    everywhere.extend(hidden.found_under(&stage.folder.path().join("data"))?);
    ensure!(everywhere.is_empty(), "{everywhere:?}");
    switched_off(&stage).await?;
    stage.conclude().await
}

/// Whoever switches off a server of a folder above writes into the project, and people share what stands there.
async fn switched_off(stage: &Stage) -> Result<()> {
    let values =
        [("API_KEY", "sk-canary-above-1"), ("Authorization", "canary-above-2"), ("--api-key", "canary-above-3")];
    let above = stage.folder.path().join(".mcp.json");
    let bearer = format!("Bearer {}", values[1].1);
    let text = json!({ "mcpServers": {
        "above": { "command": "x", "args": ["--api-key", values[2].1], "env": { "API_KEY": values[0].1 } },
        "beyond": { "url": "https://example.com/mcp", "headers": { "Authorization": bearer } },
    } })
    .to_string();
    std::fs::write(&above, &text)?;
    stage.door.app.reload().await;
    let mut heard = String::new();
    for id in ["above", "beyond"] {
        for enabled in [false, true, false] {
            let request = json!({ "server": id, "enabled": enabled });
            heard.push_str(&format!("{:?}", stage.door.call("enable_server", request).await));
        }
        let now = stage.server(id).await?;
        ensure!(now["enabled"] == false, "it is off: {now} {heard}");
    }
    ensure!(std::fs::read_to_string(&above)? == text, "the file above is as it was");
    let hidden = Hidden::of(values);
    let mut found = hidden.found_under(&stage.project())?;
    found.extend(hidden.found_in("what was answered", heard.as_bytes()));
    ensure!(found.is_empty(), "switched off: {found:?}");
    std::fs::remove_file(above)?;
    Ok(())
}

/// C7: names that mean something elsewhere.
pub async fn odd_names(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    let long = "n".repeat(10 << 10);
    let odd = ["../../x", "\u{202e}gpj.exe", "a b\u{1b}[2J", "a/b\u{0}c", "__proto__", "CON", "%2e%2e%2f", ".", &long];
    let servers: Map<String, Value> = odd.iter().map(|name| ((*name).to_owned(), json!({ "command": "x" }))).collect();
    let text = json!({ "mcpServers": servers }).to_string();
    let offer = stage.ask("read_offer", json!({ "text": text })).await?;
    let offered = offer["servers"].as_array().context("servers are offered")?;
    let choices: Vec<Value> = names(&offer).into_iter().map(|name| json!({ "name": name })).collect();
    ensure!(offered.len() >= 7, "they are offered: {offer}");
    let source = json!({ "kind": "text", "text": text });
    stage.ask("import_servers", json!({ "source": source, "choices": choices, "target": "project" })).await?;
    let list = stage.ask("list_servers", json!({})).await?;
    let mut seen = std::collections::BTreeSet::new();
    for server in list["servers"].as_array().context("a list of servers")? {
        let id = server["id"].as_str().context("a server has an id")?;
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_-%".contains(&byte);
        ensure!(id.bytes().all(safe) && id.len() <= 128, "`{id}` can stand anywhere");
        ensure!(seen.insert(id), "`{id}` is there once");
    }
    for name in names(&offer) {
        let shown = list["servers"].as_array().into_iter().flatten().any(|server| server["name"] == name);
        ensure!(shown, "{name:?} is shown as it is written: {list}");
    }
    let own = names(&offer).first().copied().unwrap_or_default().to_owned();
    let twice = format!(r#"{{"mcpServers":{{{0}:{{"command":"x"}},{0}:{{"command":"y"}}}}}}"#, json!(own));
    let offer = stage.ask("read_offer", json!({ "text": twice })).await?;
    ensure!(names(&offer).is_empty() && !offer["problems"].is_null(), "of two of one name, neither: {offer}");
    for place in ["x", "data/x", "project/x"] {
        ensure!(!stage.folder.path().join(place).exists(), "{place} was written");
    }
    ensure!(processes::tagged(&stage.tag()).is_empty(), "nothing runs");
    stage.conclude().await
}

/// C9: addresses that would tell a secret to everybody on the way.
pub async fn addresses(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    let key = json!({ "Authorization": "Bearer canary-sent-in-clear" });
    let entries = [
        ("clear", json!({ "url": "http://example.com/mcp", "headers": key }), false),
        ("lan", json!({ "url": "http://192.168.0.7/mcp", "headers": key }), false),
        ("user", json!({ "url": "https://ada:canary-password@example.com/mcp" }), false),
        ("name", json!({ "url": "https://ada@example.com/mcp" }), false),
        ("file", json!({ "url": "file:///etc/passwd" }), false),
        ("script", json!({ "url": "javascript:alert(1)" }), false),
        ("encrypted", json!({ "url": "https://example.com/mcp", "headers": key }), true),
        ("here", json!({ "url": "http://127.0.0.1:9/mcp", "headers": key }), true),
    ];
    let mut servers: Map<String, Value> = Map::new();
    servers.extend(entries.iter().map(|(name, entry, _)| ((*name).to_owned(), entry.clone())));
    let good = std::fs::read(file(&stage))?;
    std::fs::write(file(&stage), json!({ "mcpServers": servers }).to_string())?;
    stage.door.app.reload().await;
    let list = stage.ask("list_servers", json!({})).await?;
    for (name, _, usable) in &entries {
        let told = list["problems"].as_array().into_iter().flatten().any(|problem| fact_anywhere(problem, name));
        let refused = serde_json::to_value(stage.door.call("connect_server", json!({ "server": name })).await.err())?;
        let risks = stage.door.app.pending_approval(name).map(|pending| pending.risks);
        let fares = match (refused["code"].as_str(), &risks) {
            (Some("approval-needed"), Ok(_)) if *usable => true,
            // One that may be used only after a person was warned in so many words.
            (Some("approval-needed"), Ok(risks)) => risks.iter().any(|risk| risk.contains("unencrypted")),
            // One that may not be used at all, and why. Nobody is even asked about it.
            (Some(_), Err(_)) => told && !*usable,
            _ => false,
        };
        ensure!(fares, "`{name}`: told {told}, {refused}, {risks:?}");
    }
    let shown = list.to_string();
    ensure!(!shown.contains("canary-password") && !shown.contains("canary-sent"), "no secret is repeated: {shown}");
    std::fs::write(file(&stage), good)?;
    stage.door.app.reload().await;
    stage.conclude().await
}

fn fact_anywhere(problem: &Value, name: &str) -> bool {
    problem.to_string().contains(&format!("`{name}`"))
        || problem["server"] == name
        || fact(problem, "server") == Some(name)
}

/// C10: what goes out in each shape is the same when it comes back, secrets apart.
pub async fn round_trip(plan: Plan) -> Result<Outcome> {
    let stage = Stage::open(&plan, vec![plan.server()]).await?;
    let secret = "sk-canary-round-trip-1";
    let good = std::fs::read(file(&stage))?;
    let servers = json!({ "mcpServers": {
        "local": { "command": "node", "args": ["a b", "--x=\"y\"", "é\n"], "env": { "REGION": "eu" } },
        "far": { "type": "http", "url": "https://example.com/mcp", "headers": { "X-Tenant": "t" } },
        "key": { "command": "node", "env": { "API_KEY": "${secret:API_KEY}" } },
        "signed": { "type": "http", "url": "https://example.com/x", "headers": { "Authorization": "Bearer ${secret:T}" } },
    } });
    std::fs::write(file(&stage), servers.to_string())?;
    stage.door.app.reload().await;
    for (server, name) in [("key", "API_KEY"), ("signed", "T")] {
        stage.ask("set_secret", json!({ "server": server, "kind": "secret", "name": name, "value": secret })).await?;
    }
    let shapes = stage.ask("list_shapes", json!({})).await?;
    let shapes = shapes["shapes"].as_array().context("there are shapes")?;
    ensure!(shapes.len() >= 10, "there are many: {shapes:?}");
    for shape in shapes {
        let request = json!({ "shape": shape["id"], "servers": ["local", "far", "key", "signed"] });
        let exported = stage.ask("export_servers", request).await?;
        ensure!(!exported.to_string().contains("canary"), "{}: a secret goes out: {exported}", shape["id"]);
        let text = json!({ "text": exported["text"], "file_name": exported["file_name"] });
        let offer = stage.ask("read_offer", text).await?;
        let all = offer["servers"].as_array().context("servers come back")?;
        ensure!(all.len() == 4, "{}: all of them come back: {offer}", shape["id"]);
        for server in all {
            let same = server["conflict"]["same"] == true;
            // A reference to a secret of ours means nothing to others, and comes back as what it is to them.
            let has_secret = ["key", "signed"].iter().any(|name| server["name"] == *name);
            // What a shape can't say is told, and nothing else may be missing.
            let about = |notice: &Value| {
                let names = notice.as_str().and_then(|notice| notice.split_once(": ")).map(|(names, _)| names);
                names.is_some_and(|names| names.split(", ").any(|name| server["name"] == name))
            };
            let told = exported["notices"].as_array().is_some_and(|notices| notices.iter().any(about));
            let notices = &exported["notices"];
            ensure!(same || has_secret || told, "{}: as it was, or told: {server} {notices}", shape["id"]);
        }
    }
    std::fs::write(file(&stage), good)?;
    stage.door.app.reload().await;
    stage.conclude().await
}
