//! What a server sends to be looked at, in the cases that have a number in the list of hostile ones: it is shown as
//! what it is, in so much room as there is, and nothing in it acts, fetches or opens.
//!
//! `texts` are markdown, HTML and what hides far below; `names` those of tools; `pictures` and icons; `links`, and who
//! a server says it is; `questions`; `reload` what the page can lose without a loss.

mod links;
mod names;
mod pictures;
mod questions;
mod reload;
mod texts;

use anyhow::{Context, Result};
use e2e::Window;
use serde_json::json;

/// Ten times the budget: beyond that the window hangs. The budget itself is for whoever measures, on a quiet machine.
const LONGEST_APPLY_MS: f64 = 500.0;

/// Connects the server and waits for its tools.
async fn connect(window: &Window, tools: usize) -> Result<()> {
    window.click("[data-server=act]").await?;
    window.click("[data-action=connect]").await?;
    window.until("the server", "$('[data-server=act][data-state=ready]')").await?;
    let listed = format!("$('[data-filter=tools]')?.placeholder === 'Filter {tools} tools'");
    window.until("its tools", &listed).await?;
    Ok(())
}

async fn choose(window: &Window, tool: &str) -> Result<()> {
    window.click(&format!("[data-tool={tool}]")).await?;
    window.until("the tool", &format!("$('[data-pane=tool] h3')?.innerText === '{tool}'")).await?;
    Ok(())
}

/// Calls the tool and waits for its result.
async fn call(window: &Window, tool: &str) -> Result<()> {
    choose(window, tool).await?;
    window.click("[data-action=call]").await?;
    window.until("the result", "$('[data-result-status=ok]')").await?;
    Ok(())
}

async fn show_tab(window: &Window, tab: &str) -> Result<()> {
    window.click(&format!("[data-tab={tab}]")).await?;
    window.until(tab, &format!("$('[data-tab={tab}][aria-selected=true]')")).await?;
    Ok(())
}

/// Fails unless the element, once it is there, has this text, letter by letter.
async fn has_text(window: &Window, selector: &str, text: &str) -> Result<()> {
    let found = window.until(selector, &format!("$({})?.textContent", json!(selector))).await?;
    let found = found.as_str().context("a text is a text")?;
    let beginning: String = found.chars().take(300).collect();
    assert!(found == text, "`{selector}` has what the server sent, and not {} letters: {beginning}", found.len());
    Ok(())
}

/// Notes what the page measures of its own work, and how long it draws nothing.
async fn measure(window: &Window) -> Result<()> {
    window.run(PACE).await?;
    Ok(())
}

/// Tells what was measured. Fails where the window would hang.
async fn measured(window: &Window, case: &str) -> Result<()> {
    let pace = window.run("window.pace.over = true; return window.pace;").await?;
    let figure = |name: &str| pace[name].as_f64().with_context(|| format!("`{name}` was measured"));
    let (slowest, longest) = (figure("slowest")?, figure("longest")?);
    eprintln!("{case}: slowest apply {slowest:.0} ms, longest frame gap {longest:.0} ms");
    assert!(slowest < LONGEST_APPLY_MS, "our own work never hangs the page: {slowest} ms");
    Ok(())
}

const PACE: &str = r"
const pace = window.pace = { slowest: 0, longest: 0, over: false };
new PerformanceObserver((list) => {
  for (const entry of list.getEntriesByName('sonde:apply')) pace.slowest = Math.max(pace.slowest, entry.duration);
}).observe({ type: 'measure' });
let last = performance.now();
const frame = (now) => {
  pace.longest = Math.max(pace.longest, now - last);
  last = now;
  if (!pace.over) requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
";
