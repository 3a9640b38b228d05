//! The same without a mouse.

use anyhow::Result;
use e2e::Journey;
use thirtyfour::Key;

#[test]
fn everything_between_a_filter_and_an_open_row_is_reached_by_keys() -> Result<()> {
    Journey::new("keyboard").run(async |window| {
        window.until("its tools", "$('[data-tool=flood]')").await?;
        window.press("/").await?;
        window.until("the focus", "document.activeElement?.dataset.filter === 'tools'").await?;
        window.press("add").await?;
        window.until("fewer tools", "$$('[data-tool]')[0]?.dataset.tool === 'add' && !$('[data-tool=flood]')").await?;
        window.press(Key::Down).await?;
        window.until("its form", "$('[data-field=a]')").await?;
        window.press(Key::Escape).await?;
        window.until("all tools again", "$('[data-tool=flood]')").await?;

        // Tab by tab, as someone does who has no other way.
        window
            .tab_to("document.activeElement?.closest('[data-field=a]') && document.activeElement.matches('input')")
            .await?;
        window.press("19").await?;
        window
            .tab_to("document.activeElement?.closest('[data-field=b]') && document.activeElement.matches('input')")
            .await?;
        window.press("23").await?;
        window.press_with_control(Key::Enter).await?;
        window.until("the result", "$('[data-result-status=ok]')").await?;
        assert_eq!(window.text("[data-content=text] pre").await?, "42", "19 and 23 make 42");

        window.tab_to("document.activeElement?.matches('[data-pane=log] [role=grid]')").await?;
        let selected = |place: &str| {
            format!("$('[data-pane=log] [aria-selected=true]')?.getAttribute('aria-rowindex') === String({place})")
        };
        let last = "Number($('[data-log-total]').dataset.logTotal) + 1";
        window.press("G").await?;
        window.until("the newest row", &selected(last)).await?;
        window.press("k").await?;
        window.until("the row above", &selected(&format!("{last} - 1"))).await?;
        window.press("j").await?;
        window.until("the row below", &selected(last)).await?;
        window.press(Key::Enter).await?;
        window.until("its detail", "$('[data-detail] [data-frame]')").await?;
        window.press(Key::Escape).await?;
        window.until("no detail", "$('[data-detail] [data-frame]') === null").await?;
        window.press("g").await?;
        window.until("the oldest row", &selected("2")).await?;

        window.press("?").await?;
        window.until("the help", "$('dialog[open]')?.innerText.includes('Keyboard shortcuts')").await?;
        window.press(Key::Escape).await?;
        window.until("no help", "$('dialog[open]') === null").await?;
        Ok(())
    })
}
