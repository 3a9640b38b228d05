//! Servers written down, brought in, examined and found: each room of the window, without a mouse where one can do without.

use anyhow::Result;
use e2e::{Journey, Window, binary};
use serde_json::json;
use thirtyfour::Key;

use crate::first_start::SIDEWAYS;

#[test]
fn a_server_is_added_in_the_form_found_by_keys_examined_and_removed() -> Result<()> {
    let load = binary("sonde-load")?.display().to_string();
    Journey::new("registry").server("known", &binary("sonde-load")?, &[]).run(async |window| {
        window.until("the demo", "$('[data-server=demo][data-state=ready]')").await?;
        window.click("[data-action=add-server]").await?;
        window.until("the form", "document.activeElement?.id === 'form-name'").await?;
        window.press("Second load").await?;
        window.fill("#form-command", &format!("{load} --silent")).await?;
        window.click("[data-action=split]").await?;
        window.until("the argument", "$('[data-argument]')?.value === '--silent'").await?;
        let line = format!("$('[data-preview=current] [data-launch-line]')?.innerText.includes({})", json!(load));
        window.until("the launch line", &line).await?;
        fits(window, "the form").await?;
        window.press_with_control("s").await?;
        window.until("the new server", "$('[data-server][aria-current]')?.innerText.includes('Second load')").await?;
        let written = window.until("what was said", "$('[data-notice=said]')?.innerText").await?;
        assert!(written.as_str().is_some_and(|said| said.contains("nothing was started")), "{written}");
        assert_eq!(window.count("[data-state=starting]").await?, 0, "saving starts nothing");

        window.press_with_control("k").await?;
        window.until("the palette", "document.activeElement?.matches('[data-palette] input')").await?;
        window.press("echo known").await?;
        fits(window, "the palette").await?;
        window.press(Key::Escape).await?;
        window.until("no palette", "$('[data-palette]') === null").await?;

        window.click("[data-server=known]").await?;
        window.click("[data-tab=doctor]").await?;
        window.click("[data-action=examine]").await?;
        window.until("the verdict", "$('[data-verdict]')").await?;
        fits(window, "the doctor").await?;

        window.click("[data-server=known]").await?;
        window.press(Key::Delete).await?;
        window.until("the question", "$('dialog[open]')").await?;
        fits(window, "the question").await?;
        window.click("[data-action=remove-server]").await?;
        window.until("its end", "$('[data-server=known]') === null").await?;
        Ok(())
    })
}

#[test]
fn files_of_other_clients_and_pasted_texts_are_shown_with_what_is_wrong_with_them() -> Result<()> {
    let theirs = json!({ "mcpServers": { "theirs": { "command": "npx", "args": ["-y", "some-server"], "env": { "API_KEY": "k3y-of-nobody" } } } });
    let journey = Journey::new("bringing-in")
        .home_file(".cursor/mcp.json", theirs.to_string())
        .home_file(".config/sonde/mcp.json", "{ \"mcpServers\": { \"half\": { } }, }".to_owned());
    journey.dark().run(async |window| {
        window.click("[data-action=import]").await?;
        window.until("the entry, which nobody chose yet", "$('[data-entry=theirs][data-deed=skip]')").await?;
        assert_eq!(window.count("[data-entry=theirs] .badge.ask").await?, 1, "its secret is announced");
        window.click("#import-paste").await?;
        window.press("{ \"mcpServers\": ").await?;
        window.click("[data-action=read-offer]").await?;
        window.until("the reason", "$('aside [data-error]')").await?;
        fits(window, "import").await?;

        window.click("[data-action=servers-menu]").await?;
        window.until("the menu", "document.activeElement?.matches('[data-menu]')").await?;
        fits(window, "the menu").await?;
        window.click("[data-menu=files]").await?;
        window.until("the files", "$('[data-file]')").await?;
        fits(window, "the files").await?;
        window.press(Key::Escape).await?;
        window.until("the server again", "$('[data-files]') === null").await?;
        Ok(())
    })
}

/// What is on the screen is accessible and scrolls sideways nowhere, also in the smallest window. A menu goes when the
/// window changes its size, so there it stays.
async fn fits(window: &Window, screen: &str) -> Result<()> {
    window.is_accessible(screen).await?;
    assert_eq!(window.run(SIDEWAYS).await?, json!([]), "`{screen}` scrolls sideways");
    if window.count("[role=menu]").await? > 0 {
        return Ok(());
    }
    window.resize(900, 600).await?;
    assert_eq!(window.run(SIDEWAYS).await?, json!([]), "`{screen}` scrolls sideways in the smallest window");
    window.resize(1360, 860).await
}
