//! What outlives the window, and what must not.

use std::time::Duration;

use anyhow::{Context, Result};
use e2e::{Identity, Journey, Window, binary, still_alive};
use serde_json::Value;

#[test]
fn the_same_rows_and_settings_are_there_after_a_restart() -> Result<()> {
    Journey::new("restart").with_window_manager().run(async |window| {
        window.until("the demo", "$('[data-server=demo][data-state=ready]')").await?;
        window.click("[data-tool=noise]").await?;
        window.click("[data-action=call]").await?;
        window.until("the result", "$('[data-result-status=ok]')").await?;
        window.until("the row", "$('[data-seq][data-target=noise][data-status=ok]')").await?;
        window.click("[data-tab=settings]").await?;
        window.fill("#settings-roots", "/home/ada/notes").await?;
        window.click("[data-action=save-settings]").await?;
        window.until("word that they are kept", "$('#server-panel').innerText.includes('Saved')").await?;
        let before = window.rows().await?;
        window.close_by_keyboard().await?;

        window.open().await?;
        let counted = format!("Number($('[data-log-total]')?.dataset.logTotal) >= {}", before.len());
        window.until("the rows of the life before", &counted).await?;
        let after = window.rows().await?;
        let kept = after.get(..before.len()).context("rows are missing after the restart")?;
        for (before, after) in before.iter().zip(kept) {
            assert_eq!(told(before), told(after), "a row is what it was before the restart");
        }
        window.click("[data-tab=settings]").await?;
        let roots = window.until("the settings", "$('#settings-roots')?.value").await?;
        assert_eq!(roots, "/home/ada/notes", "what was edited about a server is kept");
        Ok(())
    })
}

/// What stays of a row for ever; only the life of its connection goes on.
fn told(row: &Value) -> [&Value; 6] {
    ["seq", "time", "server", "kind", "method", "target"].map(|field| &row[field])
}

#[test]
fn a_killed_window_leaves_no_process_behind_and_loses_no_row_that_was_shown() -> Result<()> {
    let load = binary("sonde-load")?;
    Journey::new("kill").server("stubborn", &load, &["--stubborn"]).run(async |window| {
        window.click("[data-server=stubborn]").await?;
        window.click("[data-action=connect]").await?;
        window.until("the server", "$('[data-server=stubborn][data-state=ready]')").await?;
        let family = stubborn_family(window).await?;
        window.click("[data-tool=echo]").await?;
        window.until("the form", "$('[data-action=call]')").await?;
        window.click("[data-action=call]").await?;
        window.until("an answer", "$('[data-seq][data-target=echo][data-status]:not([data-status=pending])')").await?;
        let shown = window.run("return $$('[data-pane=log] [data-seq]').map((row) => ({ ...row.dataset }));").await?;
        let shown = shown.as_array().context("the log shows rows")?.clone();
        assert!(shown.len() > 8, "there is something to lose: {} rows", shown.len());

        let mut started = window.kill().await?;
        started.extend(family);
        let left = still_alive(&started, Duration::from_secs(8)).await;
        assert!(left.is_empty(), "neither server nor grandchild outlives the window: {left:?}");

        window.open().await?;
        let rows = window.rows().await?;
        for seen in shown {
            let seq: i64 = seen["seq"].as_str().context("a shown row has its number")?.parse()?;
            let row = rows.iter().find(|row| row["seq"] == seq).with_context(|| format!("row {seq} is lost"))?;
            for field in ["kind", "method", "target"] {
                assert_eq!(row[field].as_str(), seen[field].as_str(), "`{field}` of row {seq} is what was shown");
            }
        }
        Ok(())
    })
}

/// The server and its grandchild, by the line that it prints once both ignore every request to end.
async fn stubborn_family(window: &Window) -> Result<Vec<Identity>> {
    let line =
        "$$('[data-seq][data-kind=stderr]').map((row) => row.dataset.target).find((text) => text.startsWith('pid '))";
    let line = window.until("the line with its pids", line).await?;
    let numbers = line.as_str().unwrap_or_default().split(' ').filter_map(|word| word.parse().ok());
    let family: Vec<_> = numbers.filter_map(Identity::of).collect();
    assert_eq!(family.len(), 2, "server and grandchild live: {line}");
    Ok(family)
}
