//! Names of tools that are no names.

use anyhow::{Context, Result};
use e2e::{Act, Eyes, Journey};
use serde_json::{Value, json};

use super::connect;

/// U5
#[test]
fn every_tool_is_listed_chosen_and_called_by_its_place_whatever_it_is_called() -> Result<()> {
    let names = names();
    let tools = names.iter().enumerate().map(
        |(place, name)| json!({ "name": name, "description": format!("entry {place}"), "inputSchema": polluting() }),
    );
    let act = Act::with_tools(tools)?;
    Journey::new("names").entry("act", act.entry()).run(async |window| {
        let eyes = Eyes::over(window).await?;
        connect(window, names.len()).await?;
        let seen = eyes.walk(&format!("const many = {}; {WALK}", names.len())).await?;
        let seen = seen.as_array().context("every entry was seen")?;
        assert_eq!(seen.len(), names.len(), "as many rows as entries");
        for (place, (seen, name)) in seen.iter().zip(&names).enumerate() {
            let called = if name.is_empty() { "(no name)" } else { name };
            assert_eq!(seen["name"], called, "entry {place} is shown by its name");
            assert_eq!(seen["place"], place + 1, "`{called}` is chosen where it stands");
            let repeated = names.iter().filter(|other| *other == name).count() > 1;
            let badge = if repeated { json!(format!("#{place}")) } else { Value::Null };
            assert_eq!(seen["badge"], badge, "`{called}` is told apart from others of its name");
            assert_eq!(seen["called"], !name.is_empty(), "`{called}` can be called unless it has no name");
        }
        let heard = act.heard()?;
        let calls = heard.iter().filter(|message| message["method"] == "tools/call");
        let called: Vec<_> = calls.map(|message| message["params"]["name"].as_str().unwrap_or_default()).collect();
        let nameable: Vec<_> = names.iter().filter(|name| !name.is_empty()).collect();
        assert_eq!(called, nameable, "the server heard each by its own name, letter by letter");

        window.fill("[data-filter=tools]", "__proto__").await?;
        window
            .until("those of the name", "$$('[data-tool=__proto__]').length === 2 && $$('[data-tool]').length === 2")
            .await?;
        eyes.look("filter").await
    })
}

fn names() -> Vec<String> {
    let long = "long_".repeat(40);
    // The third letter of the second of a pair is Cyrillic.
    let names = [
        long.as_str(),
        "../../etc/passwd",
        "<img src=x onerror=top.canary='name'>",
        "twice",
        "twice",
        "__proto__",
        "constructor",
        "toString",
        "pay_all",
        "pa\u{443}_all",
        "",
        "__proto__",
        "'\"]},*",
        "with blanks",
        "last",
    ];
    names.map(str::to_owned).to_vec()
}

/// Properties whose names and defaults would change every object, were they taken for more than data.
fn polluting() -> Value {
    let polluted = json!({ "type": "object", "default": { "polluted": 1 } });
    let prototype = json!({ "type": "object", "properties": { "prototype": polluted } });
    json!({ "type": "object", "properties": { "__proto__": polluted, "constructor": prototype } })
}

/// Chooses each by keys, looks, and calls it.
const WALK: &str = "
const chosen = (place) => $('[data-pane=tool] .about')?.textContent.trim() === `entry ${place}`;
await into('[role=listbox][aria-label=Tools]');
// Away from the one that is chosen already, which would be drawn anew.
press('End');
await until('the last entry', () => chosen(many - 1));
press('Home');
const seen = [];
for (let place = 0; place < many; place += 1) {
  await until(`entry ${place}`, () => chosen(place));
  look(`entry ${place}`);
  const row = $('[role=option][aria-selected=true]');
  const called = $('[data-action=call]') !== null;
  const name = $('[data-pane=tool] h3').textContent;
  // Results are found by name, so one that was called before has one already.
  const known = seen.some((other) => other.called && other.name === name);
  if (known) await until('the earlier result', () => $('[data-result-call]'));
  seen.push({
    called,
    name,
    place: Number(row.getAttribute('aria-posinset')),
    badge: row.querySelector('.badge.plain')?.textContent ?? null,
  });
  if (called) {
    const before = $('[data-result-call]')?.dataset.resultCall;
    await click('[data-action=call]');
    const other = () => $('[data-result-call]').dataset.resultCall !== before;
    await until('its result', () => $('[data-result-status=ok]') && other());
    look(`result ${place}`);
  }
  press('ArrowDown');
}
return seen;
";
