//! A page that turned against the core: everything here is what a script could do that got into the page.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use e2e::{Answer, Journey, Window, binary};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Commands of the host that nobody granted, and one that does not exist.
const FOREIGN: &[&str] = &[
    "no_such_command",
    "plugin:event|emit",
    "plugin:event|listen",
    "plugin:webview|create_webview_window",
    "plugin:window|create",
    "plugin:path|resolve_directory",
    "plugin:shell|open",
    "plugin:fs|read_file",
    "plugin:dialog|open",
];

#[test]
fn the_page_can_say_nothing_to_the_core_but_its_own_commands_within_their_limits() -> Result<()> {
    Journey::new("hostile-requests").run(async |window| {
        window.until("the demo", "$('[data-server=demo][data-state=ready]')").await?;
        for command in FOREIGN {
            let answer = window.try_ask(command, json!({})).await?;
            assert!(matches!(answer, Answer::Refused(_)), "`{command}` is refused: {answer:?}");
        }

        let refused = async |what: &str, body: &str, code: &str| -> Result<()> {
            let answer = window.run_async(&format!("ask('query_log', {body}).then(done);"), Vec::new()).await?;
            assert_eq!(answer["refused"]["code"], code, "{what} is refused: {answer}");
            Ok(())
        };
        let invalid = "invalid-request";
        refused("a body that is not bytes", "{ view: {}, first: 0, count: 1 }", invalid).await?;
        refused("no body", "undefined", invalid).await?;
        refused("wrong types", "bytes({ view: 7, first: 'x', count: {} })", invalid).await?;
        refused("an unknown field", "bytes({ view: {}, first: 0, count: 1, path: '/etc/passwd' })", invalid).await?;
        refused("too many rows", "bytes({ view: {}, first: 0, count: 1e9 })", invalid).await?;
        refused("no JSON", "new Uint8Array([0xff, 0x00, 0x7b])", invalid).await?;
        refused("10,000 levels", "new TextEncoder().encode('['.repeat(10000))", invalid).await?;
        refused("100 MiB", "new Uint8Array(100 * 1024 * 1024)", "too-large").await?;
        is_well(window).await
    })
}

#[test]
fn ten_thousand_requests_at_once_are_answered_or_refused_and_the_window_lives() -> Result<()> {
    Journey::new("hostile-load").run(async |window| {
        window.until("the demo", "$('[data-server=demo][data-state=ready]')").await?;
        let script = r"
            const request = { view: { server: null, kind: null }, first: 0, count: 100 };
            const all = Array.from({ length: 10000 }, () => ask('query_log', bytes(request)));
            Promise.all(all).then((answers) => done({
              given: answers.filter((answer) => answer.given).length,
              others: [...new Set(answers.filter((answer) => !answer.given).map((answer) => answer.refused?.code ?? String(answer.refused)))],
              count: answers.length,
            }));";
        let answers = window.run_async(script, Vec::new()).await?;
        assert_eq!(answers["count"], 10_000, "every request ends");
        assert!(answers["given"].as_u64() > Some(0), "some are answered: {answers}");
        let others = answers["others"].as_array().context("the refusals are listed")?;
        assert!(others.iter().all(|code| code == "busy"), "the others are told to come again: {answers}");
        is_well(window).await
    })
}

#[test]
fn no_script_but_the_page_s_own_runs_speaks_to_the_core_or_reaches_the_network() -> Result<()> {
    Journey::new("hostile-script").run(async |window| {
        window.until("the demo", "$('[data-server=demo][data-state=ready]')").await?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}/", listener.local_addr()?);
        let attempts = window.run_async(ATTEMPTS, vec![json!(address)]).await?;
        let attempts = attempts.as_object().context("every attempt has an outcome")?;
        assert_eq!(attempts.len(), 13, "every attempt was made");
        for (attempt, outcome) in attempts {
            assert_eq!(outcome, "blocked", "{attempt}");
        }
        let connection = tokio::time::timeout(Duration::from_millis(1), listener.accept()).await;
        assert!(connection.is_err(), "nothing of the page reached the network");

        assert_eq!(window.listening()?, Vec::<String>::new(), "neither the app nor what it started listens");
        is_well(window).await
    })
}

/// Each entry tries one way and says `blocked`, or what it got. Those that go wrong quietly are given a while.
const ATTEMPTS: &str = r"
const [address] = arguments;
const outcomes = {};
window.canary = undefined;
const quietly = async (name, attempt, happened) => {
  try { await attempt(); } catch { /* as good as blocked, unless it happened all the same */ }
  const end = performance.now() + 300;
  while (performance.now() < end && !happened()) await new Promise((resolve) => setTimeout(resolve, 10));
  outcomes[name] = happened() ? 'happened' : 'blocked';
};
const loudly = async (name, attempt) => {
  try { outcomes[name] = `gave ${await attempt()}`; } catch { outcomes[name] = 'blocked'; }
};
const element = (name, attributes) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};
const ran = () => window.canary !== undefined;
(async () => {
  await loudly('eval', () => (0, window.eval)('1'));
  await loudly('Function', () => new Function('return 1')());
  await loudly('innerHTML', () => { document.createElement('div').innerHTML = '<b>x</b>'; return 'HTML'; });
  await quietly('an inline script', () => {
    const script = document.createElement('script');
    script.append('window.canary = 1');
    document.body.append(script);
  }, ran);
  await quietly('an inline handler', () => {
    document.body.append(element('img', { src: 'x:', onerror: 'window.canary = 2' }));
  }, ran);
  await quietly('a foreign script', () => document.body.append(element('script', { src: `${address}script.js` })), ran);
  await loudly('fetch', () => fetch(address, { mode: 'no-cors' }));
  await loudly('a request', () => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.onload = resolve;
    request.onerror = reject;
    request.open('GET', address);
    request.send();
  }));
  await loudly('a web socket', () => new Promise((resolve, reject) => {
    const socket = new WebSocket(address.replace('http', 'ws'));
    socket.onopen = resolve;
    socket.onerror = reject;
  }));
  await loudly('an image', () => new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = resolve;
    image.onerror = reject;
    image.src = `${address}pixel.png`;
  }));
  await loudly('a frame', () => new Promise((resolve, reject) => {
    const frame = element('iframe', { src: 'about:blank' });
    document.body.append(frame);
    const internals = frame.contentWindow?.__TAURI_INTERNALS__;
    if (internals === undefined || internals === window.__TAURI_INTERNALS__) { reject(); return; }
    internals.invoke('list_servers', new TextEncoder().encode('{}')).then(resolve, reject);
    setTimeout(reject, 1000);
  }));
  await loudly('a worker', () => new Promise((resolve, reject) => {
    const source = 'postMessage(typeof __TAURI_INTERNALS__ + typeof fetch)';
    const worker = new Worker(URL.createObjectURL(new Blob([source])));
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = reject;
    setTimeout(reject, 1000);
  }));
  await loudly('a changed prototype', () => {
    'use strict';
    Object.prototype.polluted = 1;
    return ({}).polluted;
  });
  done(outcomes);
})();
";

#[test]
fn the_page_never_leaves_and_opens_no_second_window() -> Result<()> {
    Journey::new("hostile-navigation").run(async |window| {
        window.until("the demo", "$('[data-server=demo][data-state=ready]')").await?;
        window.run("window.marked = true;").await?;
        let foreign = "https://example.com/";
        let attempts = [
            "location.href = arguments[0];",
            "location.replace(arguments[0]);",
            "window.open(arguments[0]);",
            "window.open('about:blank');",
            "location.href = 'file:///etc/passwd';",
            "location.href = 'data:text/html,<h1>x</h1>';",
            "location.href = 'about:blank';",
            "const meta = document.createElement('meta'); meta.httpEquiv = 'refresh'; meta.content = `0;url=${arguments[0]}`; document.head.append(meta);",
            "const link = document.createElement('a'); link.href = arguments[0]; document.body.append(link); link.click(); link.target = '_blank'; link.click(); link.remove();",
            "const form = document.createElement('form'); form.action = arguments[0]; form.method = 'post'; document.body.append(form); form.submit(); form.remove();",
        ];
        for attempt in attempts {
            // What blocks may do so with an exception.
            window.run_with(&format!("try {{ {attempt} }} catch {{ }}"), vec![json!(foreign)]).await?;
            // The core's answer comes after anything that was to happen before it.
            is_well(window).await.with_context(|| format!("after {attempt}"))?;
            let page = window.run("return [location.href, window.marked, document.title];").await?;
            assert_eq!(page, json!(["tauri://localhost", true, "Sonde"]), "the page is the same after {attempt}");
        }
        // A real click lets a page do more than a script alone.
        window.run_with(LURES, vec![json!(foreign)]).await?;
        for lure in ["#lure-link", "#lure-script"] {
            window.click(lure).await?;
            is_well(window).await.with_context(|| format!("after {lure}"))?;
        }
        assert_eq!(window.windows().await?, 1, "there is one window");

        window.close().await?;
        let journal = window.journal()?;
        for refusal in ["a navigation was refused", "a new window was refused"] {
            assert!(journal.contains(refusal), "the attempts were made, and noted: {refusal}");
        }
        Ok(())
    })
}

/// Something to click that opens another window, as a link and by a script.
const LURES: &str = r"
const [address] = arguments;
const place = (element, id, top) => {
  Object.assign(element, { id, textContent: 'lure' });
  Object.assign(element.style, { position: 'fixed', left: '0', top, zIndex: '9' });
  document.body.append(element);
};
place(Object.assign(document.createElement('a'), { href: address, target: '_blank' }), 'lure-link', '0');
const button = document.createElement('button');
button.addEventListener('click', () => window.open(address));
place(button, 'lure-script', '20px');
";

/// The core answers, the demo can be called, and the page shows it.
async fn is_well(window: &Window) -> Result<()> {
    let before = last_result(window).await?;
    window.click("[data-tool=noise]").await?;
    window.until("its form", "$('[data-field=lines]')").await?;
    window.click("[data-action=call]").await?;
    let newer = format!("$('[data-result-status=ok]')?.dataset.resultCall > {before}");
    window.until("the result of a call", &newer).await?;
    Ok(())
}

async fn last_result(window: &Window) -> Result<Value> {
    window.run("return Number($('[data-result-call]')?.dataset.resultCall ?? 0);").await
}

/// What the window grants to its page; each is `allow-` and the name of a command.
const GRANTED: &str = include_str!("../../../src-tauri/capabilities/main.json");

#[test]
fn whatever_the_page_asks_for_nothing_runs_is_read_or_is_told_that_nobody_allowed() -> Result<()> {
    let thief = json!({ "mcpServers": { "theirs": { "command": "sh", "args": ["-c", "touch ~/stolen"], "env": { "API_KEY": "canary-of-a-client" } } } });
    let journey = Journey::new("hostile-fuzz")
        .server("known", &binary("sonde-load")?, &[])
        .unapproved_server("evil", Path::new("/bin/sh"), &["-c", "touch ~/stolen"])
        .home_file("planted", "STOLEN=canary-of-a-file\n".to_owned())
        .home_file(".cursor/mcp.json", thief.to_string())
        .with_window_manager();
    journey.run(async |window| {
        window.until("the demo", "$('[data-server=demo][data-state=ready]')").await?;
        let kept = json!({ "server": "known", "kind": "secret", "name": "A", "value": "canary-of-the-vault" });
        window.ask("set_secret", kept).await?;
        let data = window.home().with_file_name("data");
        let approved =
            || -> Result<Value> { Ok(serde_json::from_slice(&std::fs::read(data.join("approvals.json"))?)?) };
        let before = approved()?;
        let granted: Value = serde_json::from_str(GRANTED)?;
        let permissions = granted["permissions"].as_array().context("permissions are listed")?;
        let named = permissions.iter().filter_map(|permission| permission.as_str()?.strip_prefix("allow-"));
        let commands: Vec<String> = named.map(|name| name.replace('-', "_")).collect();
        assert!(commands.len() > 40, "every command is there: {commands:?}");
        let mut asked = 0;
        for (place, command) in commands.iter().enumerate() {
            let planted = window.home().join("planted");
            let told = window.run_async(FUZZ, vec![json!(command), json!(place), json!(planted)]).await?;
            assert_eq!(told["leaks"], json!([]), "`{command}` told what is nobody's to know");
            assert_eq!(told["open"], 0, "`{command}` always ends: {told}");
            asked += told["count"].as_u64().unwrap_or_default();
        }
        assert!(asked > 200 * commands.len() as u64 / 2, "that was no fuzzing: {asked}");
        assert_eq!(approved()?, before, "no request approves anything");

        // Two that the page wrote down itself just now, and one that was there.
        for server in ["evil", "written", "thief"] {
            denied(window, server).await?;
        }
        let nobody = window.processes()?.into_iter().filter(|process| ["sh", "touch"].contains(&process.name.as_str()));
        assert_eq!(nobody.count(), 0, "nothing was started");
        assert!(!window.home().join("stolen").exists(), "nothing ran");
        let theirs = std::fs::read_to_string(window.home().join(".cursor/mcp.json"))?;
        assert_eq!(theirs, thief.to_string(), "files of others stay as they are");
        window.ask("connect_server", json!({ "server": "demo" })).await?;
        window.click("[data-server=demo]").await?;
        window.until("the demo again", "$('[data-server=demo][data-state=ready]') && $('[data-tool=noise]')").await?;
        // It comes last, and moves the tools.
        window.until("the hint above the tools", "document.body.innerText.includes('watch the messages')").await?;
        is_well(window).await?;
        window.close().await?;
        assert!(!window.journal()?.contains("panicked"), "nobody panicked");
        Ok(())
    })
}

#[test]
fn what_was_approved_is_asked_about_again_when_the_page_or_anybody_else_changed_it() -> Result<()> {
    let journey = Journey::new("hostile-edit").server("known", &binary("sonde-load")?, &[]).with_window_manager();
    journey.run(async |window| {
        window.until("the demo", "$('[data-server=demo][data-state=ready]')").await?;
        let mut good = window.ask("read_draft", json!({ "server": "known" })).await?;
        // A page that does not say what it has seen is not refused for that.
        good["seen"] = Value::Null;
        let mut draft = good.clone();
        draft["reach"]["args"] = json!(["--more"]);
        let save = async |draft: &Value| {
            window.ask("save_draft", json!({ "draft": draft, "replaces": "known", "target": "project" })).await
        };
        save(&draft).await?;
        denied(window, "known").await?;
        save(&good).await?;
        window.ask("connect_server", json!({ "server": "known" })).await?;
        window.until("the server", "$('[data-server=known][data-state=ready]')").await?;
        window.ask("disconnect_server", json!({ "server": "known" })).await?;
        window.until("its end", "$('[data-server=known][data-state=stopped]')").await?;
        let approvals = window.home().with_file_name("data").join("approvals.json");
        std::fs::write(approvals, r#"{"approved":{"known":{"fingerprint":"0"}}}"#)?;
        denied(window, "known").await
    })
}

/// Connecting it asks a person, who presses Enter, which is no.
async fn denied(window: &Window, server: &str) -> Result<()> {
    let ask = "window.denial = undefined; ask('connect_server', bytes({ server: arguments[0] })).then((answer) => { window.denial = answer; });";
    window.run_with(ask, vec![json!(server)]).await?;
    window.type_at("^Sonde: approval$", &["Return"]).await?;
    let answer = window.until("the answer", "window.denial").await?;
    assert_eq!(answer["refused"]["code"], "approval-denied", "`{server}` is not started: {answer}");
    Ok(())
}

/// A few hundred requests for one command, drawn from a seed: its own words in wrong places, other types, paths, depths.
/// Gives how many there were, which of them told a canary, and how many never ended.
const FUZZ: &str = r"
const [command, place, planted] = arguments;
let state = 0x5eed + place * 7919;
const next = () => {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return (mixed ^ (mixed >>> 14)) >>> 0;
};
const pick = (list) => list[next() % list.length];
const words = ['known', 'nobody', '../../x', planted, '/etc/passwd', `file://${planted}`, 'project', 'global', 'secret', 'input',
  'text', 'file', 'claude-desktop', 'codex', '', '\u202e', '\u0000', '${secret:A}', '$(touch ~/stolen)', '/bin/sh', 'A', 'tools/list', '30s'];
const names = ['server', 'name', 'draft', 'replaces', 'target', 'kind', 'value', 'text', 'file_name', 'source', 'choices', 'shape',
  'servers', 'groups', 'enabled', 'tool', 'arguments', 'method', 'params', 'bytes', 'uri', 'edit', 'query', 'id', 'call', 'seq',
  'index', 'offset', 'view', 'first', 'count', '__proto__', 'constructor', 'reach', 'command', 'args', 'env', 'path'];
const deep = (levels) => { let value = 1; for (let level = 0; level < levels; level += 1) value = [value]; return value; };
const entry = () => ({ command: '/bin/sh', args: ['-c', 'touch ~/stolen'], envFile: planted, auto_start: true });
const value = (depth) => {
  switch (next() % 11) {
    case 0: return depth < 4 ? object(depth + 1) : null;
    case 1: return depth < 4 ? Array.from({ length: next() % 4 }, () => value(depth + 1)) : [];
    case 2: return next() - 2 ** 31;
    case 3: return (next() % 2) === 0;
    case 4: return null;
    case 5: return (next() % 50) === 0 ? pick(words).padEnd(200000, 'x') : pick(words);
    case 6: return (next() % 20) === 0 ? deep(200) : 1e308;
    case 7: return JSON.stringify({ mcpServers: { thief: entry() } });
    default: return pick(words);
  }
};
const object = (depth) => Object.fromEntries(Array.from({ length: next() % 6 }, () => [pick(names), value(depth)]));
const shaped = () => {
  const text = JSON.stringify({ mcpServers: { thief: entry() } });
  const reach = { kind: 'command', command: '/bin/sh', args: ['-c', 'touch ~/stolen'], folder: pick([null, '/', planted]), env: [], env_passthrough: ['HOME'] };
  const draft = { name: pick(['written', '../../x', '']), reach, enabled: true, auto_start: true, timeout: null, connect_timeout: null,
    fail_if_no_tools: false, reconnect: true, ping: null };
  return pick([{}, { server: 'known' }, { server: 'nobody' }, draft, { draft, target: 'project' }, { text }, { shape: pick(['codex', 'claude-desktop', 'x']) },
    { source: { kind: 'text', text }, choices: [{ name: 'thief', replace: true }], target: 'project' },
    { source: { kind: 'file', id: planted }, choices: [{ name: 'thief' }], target: 'project' },
    { server: 'known', tool: 'echo', arguments: '{}' }, { server: 'known', method: pick(words), validate: false, anyway: true },
    { since: 0 }, { query: pick(words) }, { view: {}, first: 0, count: 100 }]);
};
// Approved servers may start, and are asked after only as often as they can be.
const slow = ['connect_server', 'examine_server', 'find_clients', 'wait_changes'];
const count = slow.includes(command) ? 24 : 300;
const leaks = [];
let open = 0;
const one = async () => {
  const request = (next() % 3) === 0 ? shaped() : object(0);
  if (command === 'wait_changes') request.since = 0;
  // That is the page's right, and would leave nothing to ask about.
  if (command === 'remove_server' && request.server === 'known') request.server = 'nobody';
  open += 1;
  const answer = JSON.stringify(await ask(command, bytes(request)));
  open -= 1;
  if (answer.includes('canary-') || answer.includes('root:x:0')) leaks.push([JSON.stringify(request).slice(0, 500), answer.slice(0, 500)]);
};
(async () => {
  for (let made = 0; made < count; made += 12) await Promise.all(Array.from({ length: 12 }, one));
  done({ count, leaks: leaks.slice(0, 3), open });
})();
";
