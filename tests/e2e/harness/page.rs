//! The page: looked at, clicked, typed into, and asked through its own door to the core.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use thirtyfour::prelude::*;

use crate::window::Window;

/// How long anything may take that a journey waits for, unless it says otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

/// Known to every script: one element, all elements, where to click one, and the door to the core.
const WORDS: &str = r"
const $ = (selector) => document.querySelector(selector);
const $$ = (selector) => [...document.querySelectorAll(selector)];
const middle = (element) => {
  if (element === null) return null;
  const look = () => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const place = [Math.round(left + width / 2), Math.round(top + height / 2)];
    return element.contains(document.elementFromPoint(...place)) ? place : null;
  };
  // Scrolled to only where it has to be, and no further than it has to be.
  for (const block of [null, 'nearest', 'center']) {
    if (block !== null) element.scrollIntoView({ block, inline: 'nearest' });
    const place = look();
    if (place !== null) return place;
  }
  return null;
};
const read = (answer) => answer instanceof ArrayBuffer || ArrayBuffer.isView(answer)
  ? JSON.parse(new TextDecoder().decode(answer)) : answer;
const bytes = (request) => new TextEncoder().encode(JSON.stringify(request));
const ask = (command, body) => window.__TAURI_INTERNALS__.invoke(command, body).then(
  (answer) => ({ given: read(answer) }), (refusal) => ({ refused: read(refusal) ?? null }));
";

/// Looks whenever the page changes; and now and then, for what leaves no trace in the tree, such as the focus.
const UNTIL: &str = r"
const done = arguments[arguments.length - 1];
const patience = arguments[0];
let over = false;
const look = () => {
  if (over) return;
  let found;
  try { found = condition(); } catch (thrown) { end({ thrown: String(thrown) }); return; }
  if (found) end({ found });
};
const observer = new MutationObserver(look);
const timer = setInterval(look, 100);
const limit = setTimeout(() => end({ late: true }), patience);
const end = (outcome) => {
  over = true;
  observer.disconnect();
  clearInterval(timer);
  clearTimeout(limit);
  done(outcome);
};
observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
look();
";

/// Keeps the page drawing for a while, without a difference that could be seen.
const STIR: &str = r"
const end = performance.now() + 20000;
const draw = () => {
  document.body.style.opacity = document.body.style.opacity === '1' ? '0.9999' : '1';
  if (performance.now() < end) requestAnimationFrame(draw);
};
draw();
";

/// What the core said to a command of the page.
#[derive(Debug)]
pub enum Answer {
    Given(Value),
    Refused(Value),
}

impl Window {
    /// The value of a script that ends with `return`. `$`, `$$`, `ask` and `bytes` are at hand.
    pub async fn run(&self, script: &str) -> Result<Value> {
        self.run_with(script, Vec::new()).await
    }

    pub async fn run_with(&self, script: &str, arguments: Vec<Value>) -> Result<Value> {
        let answer = self.client()?.execute(format!("{WORDS}{script}"), arguments).await;
        Ok(answer.with_context(|| format!("script failed: {}", script.trim()))?.json().clone())
    }

    /// The value of a script that calls `done`.
    pub async fn run_async(&self, script: &str, arguments: Vec<Value>) -> Result<Value> {
        let head = "const done = arguments[arguments.length - 1];";
        let answer = self.client()?.execute_async(format!("{WORDS}{head}{script}"), arguments).await;
        Ok(answer.with_context(|| format!("script failed: {}", script.trim()))?.json().clone())
    }

    /// The value of the expression once it is true.
    pub async fn until(&self, what: &str, expression: &str) -> Result<Value> {
        self.until_within(PATIENCE, what, expression).await
    }

    pub async fn until_within(&self, patience: Duration, what: &str, expression: &str) -> Result<Value> {
        let script = format!("{WORDS} const condition = () => ({expression}); {UNTIL}");
        let patience_ms = u64::try_from(patience.as_millis())?;
        let mut outcome = self.client()?.execute_async(script, vec![json!(patience_ms)]).await?.json().clone();
        if let Some(found) = outcome.get_mut("found") {
            return Ok(found.take());
        }
        match outcome["thrown"].as_str() {
            Some(thrown) => bail!("looking for {what} failed: {thrown}"),
            None => bail!("{what} did not come within {} s: {expression}", patience.as_secs()),
        }
    }

    /// The text of an element, once it is there.
    pub async fn text(&self, selector: &str) -> Result<String> {
        let quoted = json!(selector);
        let found = self.until(selector, &format!("$({quoted}) && {{ text: $({quoted}).innerText }}")).await?;
        Ok(found["text"].as_str().unwrap_or_default().to_owned())
    }

    pub async fn count(&self, selector: &str) -> Result<u64> {
        let count = self.run_with("return $$(arguments[0]).length;", vec![json!(selector)]).await?;
        count.as_u64().context("a count is a number")
    }

    /// A click of the mouse on the middle of the element, once it is there and nothing covers it.
    pub async fn click(&self, selector: &str) -> Result<()> {
        let expression = format!("middle($({}))", json!(selector));
        let middle = self.until(&format!("a place to click `{selector}`"), &expression).await?;
        let place = |axis: usize| middle[axis].as_i64().context("a place on the page is two numbers");
        self.client()?.action_chain().move_to(place(0)?, place(1)?).click().perform().await?;
        Ok(())
    }

    /// Replaces what is in a field, key by key.
    pub async fn fill(&self, selector: &str, text: &str) -> Result<()> {
        self.click(selector).await?;
        self.press_with_control("a").await?;
        self.press(text).await
    }

    /// Keys that go to whatever has the focus.
    pub async fn press(&self, keys: impl Into<TypingData>) -> Result<()> {
        self.client()?.action_chain().send_keys(keys).perform().await?;
        Ok(())
    }

    /// Presses Tab until the focus is where it should be, as someone does who has no other way.
    pub async fn tab_to(&self, reached: &str) -> Result<()> {
        const MOST_STOPS: usize = 80;
        for _ in 0..MOST_STOPS {
            if self.run(&format!("return Boolean({reached});")).await? == true {
                return Ok(());
            }
            self.press(Key::Tab).await?;
        }
        bail!("{MOST_STOPS} presses of Tab do not lead to: {reached}")
    }

    pub async fn press_with_control(&self, key: impl Into<TypingData>) -> Result<()> {
        let chain = self.client()?.action_chain().key_down(Key::Control).send_keys(key).key_up(Key::Control);
        chain.perform().await?;
        Ok(())
    }

    /// Keeps a picture of the window for the documentation.
    pub async fn keep_picture(&self, name: &str) -> Result<()> {
        crate::evidence::show(name, self).await
    }

    pub async fn resize(&self, width: u32, height: u32) -> Result<()> {
        self.client()?.set_window_rect(0, 0, width, height).await?;
        let reached = format!("innerWidth === {width} && innerHeight === {height}");
        self.until("the new size", &reached).await?;
        Ok(())
    }

    /// A command with its request, as the page itself sends it.
    pub async fn try_ask(&self, command: &str, request: Value) -> Result<Answer> {
        let script = "ask(arguments[0], bytes(arguments[1])).then(done);";
        let mut answer = self.run_async(script, vec![json!(command), request]).await?;
        Ok(match answer.get_mut("given") {
            Some(given) => Answer::Given(given.take()),
            None => Answer::Refused(answer["refused"].take()),
        })
    }

    pub async fn ask(&self, command: &str, request: Value) -> Result<Value> {
        match self.try_ask(command, request).await? {
            Answer::Given(value) => Ok(value),
            Answer::Refused(error) => bail!("`{command}` was refused: {error}"),
        }
    }

    /// Every row of the log, oldest first.
    pub async fn rows(&self) -> Result<Vec<Value>> {
        const PAGE: usize = 500;
        let mut rows: Vec<Value> = Vec::new();
        loop {
            let request = json!({ "view": { "server": null, "kind": null }, "first": rows.len(), "count": PAGE });
            let mut page = self.ask("query_log", request).await?;
            ensure!(page["first"] == rows.len(), "page {} does not begin where it was asked to", page["first"]);
            rows.extend(page["rows"].as_array_mut().into_iter().flatten().map(Value::take));
            if page["total"].as_u64() <= Some(rows.len() as u64) {
                return Ok(rows);
            }
        }
    }

    pub(crate) async fn source(&self) -> Result<String> {
        Ok(self.client()?.source().await?)
    }

    pub(crate) async fn picture(&self) -> Result<Vec<u8>> {
        // The driver waits for the next frame, which a page at rest may not draw for a long time.
        self.run(STIR).await?;
        Ok(self.client()?.screenshot_as_png().await?)
    }
}
