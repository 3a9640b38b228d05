//! Forty secrets that a server says again in every form, and a page that has none of them.

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use e2e::{Journey, Window, binary};
use serde_json::{Map, Value, json};
use thirtyfour::Key;

#[test]
fn forty_secrets_that_a_server_says_again_are_nowhere_in_the_page() -> Result<()> {
    let planted = Planted::forty();
    let words = ["--case", "parrot", "--"].map(str::to_owned).into_iter().chain(planted.words.clone());
    let entry = json!({
        "command": binary("hostile-server")?,
        "args": words.collect::<Vec<_>>(),
        "env": planted.env,
    });
    let theirs = json!({ "mcpServers": { "theirs": { "command": "npx", "env": { "API_KEY": planted.theirs() } } } });
    let journey = Journey::new("forty-secrets")
        .unapproved_entry("parrot", entry)
        .home_file(".cursor/mcp.json", theirs.to_string())
        .with_window_manager();
    let journey = OURS.iter().fold(journey, |journey, (name, value)| journey.variable(name, value));
    journey.run(async |window| {
        window.until("the demo", "$('[data-server=demo][data-state=ready]')").await?;
        let typed = planted.give(window).await?;
        window.click("[data-server=parrot]").await?;
        window.click("[data-tab=overview]").await?;
        // One of them by hand, as a person does it.
        window.fill(&format!("[data-secret={}] input", typed.name), &typed.value).await?;
        window.press(Key::Enter).await?;
        window.until("it to be kept", &format!("$('[data-secret={}][data-known=true]')", typed.name)).await?;
        planted.searched(window, "the secrets").await?;

        window.click("[data-action=connect]").await?;
        window.type_at("^Sonde: approval$", &["Tab", "Return"]).await?;
        window.until("the server", "$('[data-server=parrot][data-state=ready]')").await?;
        for how in ["error", "result"] {
            let arguments = json!({ "how": how }).to_string();
            let call = json!({ "server": "parrot", "tool": "go", "arguments": arguments });
            window.ask("call_tool", call).await?;
        }
        rooms(window, &planted).await?;
        results(window, &planted).await?;
        rows(window, &planted).await?;

        let last = json!({ "server": "parrot", "tool": "go", "arguments": "{\"how\":\"die\"}" });
        window.ask("call_tool", last).await?;
        window.until("its end", "$('[data-server=parrot][data-state=failed]')").await?;
        window.click("[data-tab=overview]").await?;
        let report = window.text("[data-error]").await?;
        assert!(report.contains("exit code 1"), "how it ended is shown: {report}");
        assert!(report.contains("‹secret:"), "with what it had said, and what was secret in that is masked: {report}");
        planted.searched(window, "the failure").await?;
        Ok(())
    })
}

/// Every tab and every room that says something of the server.
async fn rooms(window: &Window, planted: &Planted) -> Result<()> {
    for (tab, sign) in [
        ("overview", "$('[data-secrets]')"),
        ("tools", "$('[data-tool=go]')"),
        ("send", "$('[data-action=send]')"),
        ("logs", "$('[data-pane=logs] [data-seq]')"),
        ("settings", "$('[data-action=save-settings]')"),
        ("doctor", "$('[data-action=examine]')"),
    ] {
        window.click(&format!("[data-tab={tab}]")).await?;
        window.until(tab, sign).await?;
        planted.searched(window, tab).await?;
    }
    window.click("[data-action=examine]").await?;
    window.until("the verdict", "$('[data-verdict]')").await?;
    planted.searched(window, "the doctor's report").await?;

    window.click("[data-tab=overview]").await?;
    window.click("[data-action=edit-server]").await?;
    window.until("the form", "$('#form-name')?.value === 'parrot' && $('[data-launch-line]')").await?;
    planted.searched(window, "the form").await?;
    window.press(Key::Escape).await?;
    window.until("no form", "$('#form-name') === null").await?;

    window.click("[data-action=import]").await?;
    window.until("what another client has", "$('[data-entry=theirs]')").await?;
    planted.searched(window, "what can be brought in").await?;
    window.press(Key::Escape).await?;
    window.press_with_control("k").await?;
    window.until("the palette", "document.activeElement?.matches('[data-palette] input')").await?;
    window.press("parrot").await?;
    planted.searched(window, "the palette").await?;
    window.press(Key::Escape).await?;
    window.until("no palette", "$('[data-palette]') === null").await?;
    Ok(())
}

async fn results(window: &Window, planted: &Planted) -> Result<()> {
    window.click("[data-server=parrot]").await?;
    window.click("[data-tab=tools]").await?;
    window.click("[data-tool=go]").await?;
    window.click("[data-action=call]").await?;
    window.until("the result", "$('[data-result-status=ok]')").await?;
    let seen = planted.searched(window, "the result").await?;
    assert!(seen.contains("‹secret:"), "the server said them, and they were taken out");
    Ok(())
}

/// Opens every row of the log that the window shows of the server, with all of its bytes.
async fn rows(window: &Window, planted: &Planted) -> Result<()> {
    window.click("[data-segment=one]").await?;
    window.until("the rows of the server", "$('[data-seq][data-target=go]')").await?;
    let rows = window.run("return $$('[data-log] [data-seq], [data-seq][data-target]').map((row) => row.dataset.seq);");
    let mut rows: Vec<String> = serde_json::from_value(rows.await?)?;
    rows.dedup();
    ensure!(rows.len() >= 3, "there is something to open: {rows:?}");
    let mut seen = String::new();
    for seq in rows {
        window.run(&format!("$('[data-seq=\"{seq}\"]')?.scrollIntoView({{ block: 'nearest' }});")).await?;
        window.click(&format!("[data-seq=\"{seq}\"]")).await?;
        window.until("the row", &format!("$('[data-detail=\"{seq}\"]')")).await?;
        window.run("$$('[data-detail] [data-action=more]').forEach((more) => more.click());").await?;
        seen.push_str(&planted.searched(window, &format!("row {seq}")).await?);
    }
    assert!(seen.contains("‹secret:"), "the rows have what the server said, without them");
    Ok(())
}

struct Secret {
    name: String,
    value: String,
}

/// Secrets, and how the entry speaks of them.
struct Planted {
    all: Vec<Secret>,
    env: Map<String, Value>,
    words: Vec<String>,
}

/// Variables of the window itself, which the entry refers to.
const OURS: [(&str, &str); 4] = [
    ("OWN_TOKEN_0", "canary-ours-0-of/the+environment"),
    ("OWN_TOKEN_1", "canary-ours-1-'quoted\"-é"),
    ("OWN_TOKEN_2", "canary-ours-2-{\"a\":1}"),
    ("OWN_TOKEN_3", "canary-ours-3-<b>&amp;"),
];

impl Planted {
    fn forty() -> Self {
        let odd = ["", "\"quoted\"", "\\back", "é漢🐤", "with spaces", "+%20/", "{\"a\":1}", "<b>&amp;", "tab", "'=;"];
        let mut planted = Planted { all: Vec::new(), env: Map::new(), words: Vec::new() };
        for number in 0..36 {
            let name = format!("PLANTED_TOKEN_{number}");
            let value = format!("canary-{number:02}-{}-x7Q", odd[number % odd.len()]);
            match number {
                0..14 => drop(planted.env.insert(name.clone(), json!(format!("${{secret:{name}}}")))),
                14..24 => drop(planted.env.insert(name.clone(), json!(format!("${{input:{name}}}")))),
                24..30 => planted.words.push(format!("${{secret:{name}}}")),
                // The last one is another client's.
                35 => {}
                _ => drop(planted.env.insert(name.clone(), json!(value))),
            }
            planted.all.push(Secret { name, value });
        }
        for (name, value) in OURS {
            planted.env.insert(name.to_owned(), json!(format!("${{{name}}}")));
            planted.all.push(Secret { name: name.to_owned(), value: value.to_owned() });
        }
        assert_eq!(planted.all.len(), 40, "there are forty");
        planted
    }

    fn theirs(&self) -> &str {
        &self.all[35].value
    }

    /// Gives the server what it needs, all but one, which is left for the page.
    async fn give(&self, window: &Window) -> Result<&Secret> {
        let mut left = None;
        for (number, secret) in self.all.iter().enumerate().take(30) {
            let kind = if (14..24).contains(&number) { "input" } else { "secret" };
            if number == 1 {
                left = Some(secret);
                continue;
            }
            let given = json!({ "server": "parrot", "kind": kind, "name": secret.name, "value": secret.value });
            window.ask("set_secret", given).await?;
        }
        left.context("one is left")
    }

    /// Looks for all of them, in every form, in everything that the page holds; gives its text.
    async fn searched(&self, window: &Window, what: &str) -> Result<String> {
        let held = window.run(EVERYTHING).await?;
        let held = held.as_str().context("a page has texts")?;
        ensure!(held.len() > 1000, "the page was read: {} bytes", held.len());
        for secret in &self.all {
            for form in forms(&secret.value) {
                assert!(!held.contains(&form), "{} stands in the page, at {what}, as `{form}`", secret.name);
            }
        }
        Ok(held.to_owned())
    }
}

/// Text, attributes, fields and comments of the document and of every shadow in it, once node by node and once
/// together, since a text may be cut into several nodes; and what the window keeps for the page.
const EVERYTHING: &str = r"
const texts = [];
const walk = (node) => {
  if (node.nodeType === Node.TEXT_NODE || node.nodeType === Node.COMMENT_NODE) texts.push(node.data);
  if (node instanceof Element) for (const attribute of node.attributes) texts.push(attribute.value);
  if (typeof node.value === 'string') texts.push(node.value);
  if (node.shadowRoot) { texts.push(node.shadowRoot.textContent); walk(node.shadowRoot); }
  for (const child of node.childNodes) walk(child);
};
walk(document);
texts.push(document.body.textContent, document.title, location.href, JSON.stringify(history.state));
for (const store of [localStorage, sessionStorage])
  for (let place = 0; place < store.length; place += 1) texts.push(store.key(place), store.getItem(store.key(place)));
return texts.join('\n');
";

/// As it is, within JSON, within JSON within JSON, percent-encoded, base64 at each alignment, two bytes for a letter.
fn forms(secret: &str) -> Vec<String> {
    let json = |text: &str| {
        let text = Value::from(text).to_string();
        text.get(1..text.len() - 1).unwrap_or_default().to_owned()
    };
    let percent: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let wide: String = secret.chars().flat_map(|letter| [letter, '\0']).collect();
    let mut forms = vec![secret.to_owned(), json(secret), json(&json(secret)), percent, wide];
    for before in 0..3 {
        let shifted = [vec![0; before], secret.as_bytes().to_vec()].concat();
        // Only what does not depend on the letters before and behind it.
        let inner = (before * 8).div_ceil(6)..shifted.len() * 8 / 6;
        let parts = [STANDARD_NO_PAD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)];
        forms.extend(parts.iter().filter_map(|text| text.get(inner.clone()).map(str::to_owned)));
    }
    forms
}
