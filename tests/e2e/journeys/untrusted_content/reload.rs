//! What the page can lose without a loss.

use std::time::Duration;

use anyhow::{Context, Result};
use e2e::{Act, Identity, Journey, Window, tool};
use serde_json::json;

use super::{call, choose, connect};

/// Rows on either side of the reload.
const SOME: u64 = 2000;
const PATIENCE: Duration = Duration::from_secs(90);

/// U18
#[test]
fn a_page_that_is_loaded_anew_amid_a_flood_shows_the_call_that_runs_and_every_row() -> Result<()> {
    let act = Act::with_tools([tool("flood", json!({})), tool("enough", json!({}))])?;
    Journey::new("reload").entry("act", act.entry()).run(async |window| {
        connect(window, 2).await?;
        let server = process(window).await?;
        choose(window, "flood").await?;
        window.click("[data-action=call]").await?;
        window.until("the call", "$('[data-call]')").await?;
        let before = grown(window, SOME).await?;
        window.run("window.marked = true;").await?;
        window.reload().await?;

        assert_eq!(window.run("return window.marked ?? null;").await?, json!(null), "it is another page");
        window.until("the server", "$('[data-server=act][data-state=ready][aria-current]')").await?;
        window.until("the call", "$('[data-result-status=running]') && $('[data-call]')").await?;
        let after = grown(window, before + 1).await?;
        grown(window, after + SOME).await?;
        let still = process(window).await?;
        assert_eq!(still, server, "the server is the same process");
        assert!(server.is_alive(), "and runs");

        // Whoever has had enough lets both calls end.
        call(window, "enough").await?;
        choose(window, "flood").await?;
        window.until("its end", "$('[data-result-status=ok]')").await?;
        assert_eq!(window.count("[data-call]").await?, 0, "no call is shown as running any more");
        let sent: u64 = window.text("[data-content=text] pre").await?.parse()?;
        eprintln!("U18: {sent} notifications, the page was loaded anew after the first {before} rows");
        let kept = window.run_async(KEPT, Vec::new()).await?;
        assert_eq!(kept, json!({ "rows": sent, "misplaced": [] }), "every row is there, once and in its order");
        let recording = window.text(".window > footer").await?;
        assert!(recording.lines().any(|part| part == "0 lost"), "and the window says so: {recording}");
        Ok(())
    })
}

/// U18
#[test]
fn a_page_whose_process_is_killed_comes_back_by_itself() -> Result<()> {
    Journey::new("killed-page").run(async |window| {
        window.until("the demo", "$('[data-server=demo][data-state=ready]')").await?;
        window.until_noted("window ready", 1).await?;
        let pages = |window: &Window| -> Result<Vec<Identity>> {
            Ok(window.processes()?.into_iter().filter(|process| process.name.starts_with("WebKitWebProc")).collect())
        };
        let servers = |window: &Window| -> Result<Vec<Identity>> {
            Ok(window.processes()?.into_iter().filter(|process| !process.name.starts_with("WebKit")).collect())
        };
        let (killed, before) = (pages(window)?, servers(window)?);
        assert!(!killed.is_empty() && !before.is_empty(), "there is a page and a server: {killed:?} {before:?}");
        killed.iter().for_each(Identity::kill);
        // The driver spoke to the page that is gone.
        window.until_noted("window ready", 2).await?;
        assert!(pages(window)?.iter().any(|page| !killed.contains(page)), "another process shows it");
        assert_eq!(servers(window)?, before, "no server noticed");
        window.kill().await?;
        Ok(())
    })
}

/// The total of the log, once it is so large.
async fn grown(window: &Window, least: u64) -> Result<u64> {
    let total = "Number($('[data-log-total]')?.dataset.logTotal)";
    let total = window.until_within(PATIENCE, "more rows", &format!("{total} >= {least} && {total}")).await?;
    total.as_u64().context("the total is a number")
}

/// The process that plays the act.
async fn process(window: &Window) -> Result<Identity> {
    let known = window.ask("list_servers", json!({})).await?;
    let server = known["servers"].as_array().into_iter().flatten().find(|server| server["id"] == "act");
    let pid =
        server.and_then(|server| server["pid"].as_u64()).with_context(|| format!("it has no process: {known}"))?;
    Identity::of(u32::try_from(pid)?).context("its process has ended")
}

/// Counts the rows of the flood, page by page, and reads every thousandth: each has its number in it.
const KEPT: &str = r"
(async () => {
  const view = { server: 'act', kind: 'notification' };
  const flood = [];
  for (let first = 0, total = 1; first < total; first += 500) {
    const page = (await ask('query_log', bytes({ view, first, count: 500 }))).given;
    total = page.total;
    // The last page is filled up with rows of the one before.
    const rows = page.rows.slice(first - page.first);
    flood.push(...rows.filter((row) => row.method === 'notifications/message').map((row) => row.seq));
  }
  const misplaced = flood.filter((seq, n) => n > 0 && seq <= flood[n - 1]).slice(0, 20);
  for (let n = 0; n < flood.length; n += n + 1000 < flood.length ? 1000 : Math.max(1, flood.length - 1 - n)) {
    const { frames } = (await ask('read_row', bytes({ seq: flood[n] }))).given;
    if (JSON.parse(frames[0].text).params.data.n !== n) misplaced.push(n);
  }
  done({ rows: flood.length, misplaced });
})().catch((thrown) => done({ thrown: String(thrown) }));
";
