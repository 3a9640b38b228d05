//! The window under load.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use e2e::{Journey, Window, pss};
use serde_json::{Value, json};

const ROWS: u64 = 100_000;
/// Ten times the budget: beyond that the window hangs. The budget itself is for the bench, on a quiet machine.
const LONGEST_APPLY_MS: f64 = 500.0;
const MOST_GROWTH: u64 = 500_000_000;

/// Notes, frame by frame, what the window does meanwhile.
const WATCH: &str = r"
const seen = window.watched = { rows: 0, applies: 0, slowest: 0, gaps: [], over: false };
new PerformanceObserver((list) => {
  for (const entry of list.getEntriesByName('sonde:apply')) {
    seen.applies += 1;
    seen.slowest = Math.max(seen.slowest, entry.duration);
  }
}).observe({ type: 'measure' });
let last = performance.now();
const frame = (now) => {
  seen.rows = Math.max(seen.rows, document.querySelectorAll('[data-pane=log] [role=row][data-seq]').length);
  seen.gaps.push(now - last);
  last = now;
  if (!seen.over) requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
";

const WATCHED: &str = r"
const seen = window.watched;
seen.over = true;
const gaps = seen.gaps.sort((a, b) => a - b);
return { rows: seen.rows, applies: seen.applies, slowest: seen.slowest, frames: gaps.length,
  gap: gaps[Math.floor(gaps.length * 0.95)] ?? 0, longest: gaps.at(-1) ?? 0 };
";

/// Reads the flood page by page and some of its frames; gives what is not as it was sent.
const VERIFY: &str = r"
(async () => {
  const [count, every] = arguments;
  const view = { server: 'demo', kind: 'notification' };
  const wrong = [];
  const flood = [];
  for (let first = 0, total = 1; first < total; first += 500) {
    const page = (await ask('query_log', bytes({ view, first, count: 500 }))).given;
    total = page.total;
    // The last page is filled up with rows of the one before.
    const rows = page.rows.slice(first - page.first);
    flood.push(...rows.filter((row) => row.method === 'notifications/message').map((row) => row.seq));
  }
  if (flood.length !== count) wrong.push(`${flood.length} rows instead of ${count}`);
  for (let n = 1; n < flood.length; n += 1) if (flood[n] <= flood[n - 1]) wrong.push(`row ${n} is out of order`);
  const looked = new Set([0, flood.length - 1]);
  for (let n = 0; n < flood.length; n += every) looked.add(n);
  for (const n of looked) {
    const { frames } = (await ask('read_row', bytes({ seq: flood[n] }))).given;
    const said = JSON.parse(frames[0].text).params.data.n;
    if (said !== n) wrong.push(`notification ${said} stands at ${n}`);
  }
  done(wrong.slice(0, 20));
})().catch((thrown) => done([String(thrown)]));
";

#[test]
fn a_hundred_thousand_notifications_are_all_there_and_the_page_stays_small() -> Result<()> {
    Journey::new("flood").run(async |window| {
        window.click("[data-tool=flood]").await?;
        window.fill("[data-field=count] input", &ROWS.to_string()).await?;
        let before = total(window).await?;
        let memory = webview_memory(window)?;
        window.run(WATCH).await?;
        let start = Instant::now();
        window.click("[data-action=call]").await?;
        let all = format!("Number($('[data-log-total]').dataset.logTotal) >= {}", before + ROWS);
        window.until_within(Duration::from_secs(150), "every row", &all).await?;
        window.until("the result", "$('[data-result-status=ok]')").await?;
        let took = start.elapsed();
        let watched = window.run(WATCHED).await?;
        let grown = webview_memory(window)?.saturating_sub(memory);
        println!("{}", report(&watched, grown, took));

        let wrong = window.run_async(VERIFY, vec![json!(ROWS), json!(500)]).await?;
        assert_eq!(wrong, json!([]), "every notification is in the log, once and in its order");
        let rows = watched["rows"].as_u64().context("rows were counted")?;
        assert!((1..=120).contains(&rows), "the page never holds the log: {rows} rows");
        let slowest = watched["slowest"].as_f64().context("our own work was measured")?;
        assert!(slowest < LONGEST_APPLY_MS, "our own work never hangs the page: {slowest} ms");
        assert!(grown < MOST_GROWTH, "the page does not grow with the traffic: {grown} bytes");
        Ok(())
    })
}

async fn total(window: &Window) -> Result<u64> {
    let total = window.until("the total", "Number($('[data-log-total]')?.dataset.logTotal)").await?;
    total.as_u64().context("the total is a number")
}

fn webview_memory(window: &Window) -> Result<u64> {
    let pages: Vec<_> =
        window.processes()?.into_iter().filter(|process| process.name.starts_with("WebKitWebProces")).collect();
    ensure!(!pages.is_empty(), "the window has a process for its page");
    Ok(pss(&pages))
}

fn report(watched: &Value, grown: u64, took: Duration) -> String {
    format!(
        "P9: {ROWS} notifications shown in {:.1} s; slowest apply {:.1} ms of {}; frame gap p95 {:.0} ms, longest {:.0} ms \
         of {} frames; at most {} log rows in the page; webview grew by {:.1} MB",
        took.as_secs_f64(),
        watched["slowest"].as_f64().unwrap_or_default(),
        watched["applies"],
        watched["gap"].as_f64().unwrap_or_default(),
        watched["longest"].as_f64().unwrap_or_default(),
        watched["frames"],
        watched["rows"],
        grown as f64 / 1e6,
    )
}
