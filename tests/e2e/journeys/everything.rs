//! The same keys with the reference server, which nobody here wrote. Its task is offered only to clients that run models.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use e2e::{Journey, Window};
use thirtyfour::Key;

use crate::clicking::{find, into_field, show_tab};

/// It tells of updates and logs every few seconds, as it likes.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn the_reference_server_is_clicked_through_by_keys() -> Result<()> {
    let peers = std::env::var("SONDE_PEERS").context("SONDE_PEERS must name the folder of the installed servers")?;
    let program = format!("{peers}/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let journey = Journey::new("everything").server("everything", Path::new("node"), &[&program, "stdio"]);
    journey.run(async |window| {
        window.click("[data-server=everything]").await?;
        window.click("[data-action=connect]").await?;
        window.until_within(PATIENCE, "its tools", "$('[data-tool=\"get-tiny-image\"]')").await?;
        picture(window).await?;
        template(window).await?;
        prompt(window).await?;
        subscription(window).await?;
        level(window).await
    })
}

/// Chooses the first proposal of the field that has the focus.
async fn take_first(window: &Window) -> Result<()> {
    window.until("proposals", "$('[data-completions] [role=option]')").await?;
    window.press(Key::Down).await?;
    window.press(Key::Enter).await
}

async fn picture(window: &Window) -> Result<()> {
    show_tab(window, "tools").await?;
    find(window, "tools", "get-tiny-image").await?;
    window.until("its form", "$('[data-pane=tool]')?.innerText.includes('get-tiny-image')").await?;
    window.press_with_control(Key::Enter).await?;
    window.until("the picture, drawn", "$('[data-content=image] img')?.naturalWidth > 0").await?;
    window.is_accessible("a picture of the reference server").await
}

async fn template(window: &Window) -> Result<()> {
    show_tab(window, "resources").await?;
    find(window, "resources", "dynamic/text").await?;
    window.until("its variable", "$('[data-variable=resourceId]')").await?;
    into_field(window, "[data-variable=resourceId]", "1").await?;
    take_first(window).await?;
    window.press_with_control(Key::Enter).await?;
    window.until("what was read", "$('[data-read-status=ok]')").await?;
    window.is_accessible("a template of the reference server").await
}

async fn prompt(window: &Window) -> Result<()> {
    show_tab(window, "prompts").await?;
    find(window, "prompts", "completable-prompt").await?;
    window.until("its arguments", "$('[data-field=department]')").await?;
    into_field(window, "[data-field=department]", "").await?;
    take_first(window).await?;
    into_field(window, "[data-field=name]", "").await?;
    take_first(window).await?;
    window.press_with_control(Key::Enter).await?;
    window.until("its messages", "$('[data-result-status=ok] [data-role]')").await?;
    window.is_accessible("a prompt of the reference server").await
}

async fn subscription(window: &Window) -> Result<()> {
    show_tab(window, "resources").await?;
    find(window, "resources", "demo://resource/static").await?;
    window.until("a resource", "$('[data-resource][aria-selected=true]')").await?;
    window.tab_to("document.activeElement?.dataset.action === 'subscribe'").await?;
    window.press(Key::Enter).await?;
    window.until("the subscription", "$('[data-subscription]')").await?;
    show_tab(window, "tools").await?;
    find(window, "tools", "toggle-subscriber-updates").await?;
    window.until("its form", "$('[data-pane=tool]')?.innerText.includes('toggle-subscriber-updates')").await?;
    window.press_with_control(Key::Enter).await?;
    window.until("the result", "$('[data-result-status=ok]')").await?;
    show_tab(window, "resources").await?;
    let update = "Number($('[data-updates]')?.dataset.updates ?? 0) >= 1";
    window.until_within(PATIENCE, "an update", update).await?;
    window.is_accessible("a subscription of the reference server").await
}

async fn level(window: &Window) -> Result<()> {
    show_tab(window, "logs").await?;
    window.until("the choice of a level", "$('[data-server-level]')").await?;
    window.tab_to("document.activeElement?.matches('[data-server-level], [data-server-level] select')").await?;
    window.press("debug").await?;
    window.until("the level that is set", "$('[data-server-level]')?.dataset.serverLevel === 'debug'").await?;
    show_tab(window, "tools").await?;
    find(window, "tools", "toggle-simulated-logging").await?;
    window.until("its form", "$('[data-pane=tool]')?.innerText.includes('toggle-simulated-logging')").await?;
    window.press_with_control(Key::Enter).await?;
    window.until("the result", "$('[data-result-status=ok]')").await?;
    show_tab(window, "logs").await?;
    window.until_within(PATIENCE, "a line", "$('[data-pane=logs] [data-seq]')").await?;
    window.is_accessible("the log of the reference server").await
}
