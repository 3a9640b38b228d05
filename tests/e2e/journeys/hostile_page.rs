//! A page that turned against the core: everything here is what a script could do that got into the page.

use std::time::Duration;

use anyhow::{Context, Result};
use e2e::{Answer, Journey, Window};
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
