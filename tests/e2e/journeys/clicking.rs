//! Clicking through everything that a server offers, by keyboard alone, in both themes; each panel leaves its picture.

use anyhow::Result;
use e2e::{Journey, Window};
use thirtyfour::Key;

#[test]
fn all_that_a_server_offers_is_reached_by_keys_in_the_light_theme() -> Result<()> {
    Journey::new("clicking-light").run(async |window| through_all(window, "light").await)
}

#[test]
fn all_that_a_server_offers_is_reached_by_keys_in_the_dark_theme() -> Result<()> {
    Journey::new("clicking-dark").dark().run(async |window| through_all(window, "dark").await)
}

/// The tabs in their order.
const TABS: [&str; 9] = ["overview", "tools", "resources", "prompts", "tasks", "logs", "send", "doctor", "settings"];

async fn through_all(window: &Window, theme: &str) -> Result<()> {
    window.until("the tools", "$('[data-server=demo][data-state=ready]') && $('[data-tool=flood]')").await?;
    nested_form(window, theme).await?;
    picture_and_sound(window, theme).await?;
    template(window, theme).await?;
    subscription(window, theme).await?;
    prompt(window, theme).await?;
    task(window, theme).await?;
    levels(window, theme).await?;
    show_tab(window, "overview").await?;
    window.until("what the server can do", "$('#server-panel')?.innerText.includes('What the server can do')").await?;
    seen(window, "overview", theme).await
}

async fn seen(window: &Window, panel: &str, theme: &str) -> Result<()> {
    window.is_accessible(panel).await?;
    window.keep_picture(&format!("{panel}-{theme}")).await
}

/// Shows a tab by its shortcut.
pub(crate) async fn show_tab(window: &Window, tab: &str) -> Result<()> {
    let place = TABS.iter().position(|each| *each == tab).map_or(0, |place| place + 1);
    window.press_with_control(place.to_string()).await?;
    window.until(tab, &format!("$('[data-tab={tab}][aria-selected=true]')")).await?;
    Ok(())
}

/// Types into the filter of the tab and goes to its first match.
pub(crate) async fn find(window: &Window, filter: &str, text: &str) -> Result<()> {
    window.until("its filter", &format!("$('[data-filter={filter}]')")).await?;
    // Out of whatever field has the focus, which `/` would be typed into.
    window.run("document.activeElement?.blur();").await?;
    window.press("/").await?;
    window.until("the focus", &format!("document.activeElement?.dataset.filter === '{filter}'")).await?;
    window.press_with_control("a").await?;
    window.press(text).await?;
    window.press(Key::Down).await?;
    Ok(())
}

/// Goes to a field and replaces what is in it.
pub(crate) async fn into_field(window: &Window, field: &str, text: &str) -> Result<()> {
    window
        .tab_to(&format!(
            "document.activeElement?.closest({field:?}) && document.activeElement.matches('input, textarea')"
        ))
        .await?;
    window.press_with_control("a").await?;
    window.press(text).await
}

async fn nested_form(window: &Window, theme: &str) -> Result<()> {
    show_tab(window, "tools").await?;
    find(window, "tools", "shape_choice").await?;
    window.until("the variants", "$('[data-variants=oneOf]')").await?;
    window.tab_to("document.activeElement?.closest('[data-variants=oneOf]')").await?;
    window.press(Key::Right).await?;
    window.until("the fields of a rectangle", "$('[data-field=width]') && $('[data-field=height]')").await?;
    into_field(window, "[data-field=width]", "3").await?;
    into_field(window, "[data-field=height]", "4").await?;
    seen(window, "tools", theme).await?;
    window.press_with_control(Key::Enter).await?;
    window.until("the result", "$('[data-result-status=ok]')").await?;
    let came = window.text("[data-result-status=ok]").await?;
    assert!(came.contains("rectangle"), "what was sent came back: {came}");
    Ok(())
}

async fn picture_and_sound(window: &Window, theme: &str) -> Result<()> {
    show_tab(window, "tools").await?;
    find(window, "tools", "show").await?;
    window.until("its form", "$('[data-pane=tool]')?.innerText.includes('show')").await?;
    window.press_with_control(Key::Enter).await?;
    window.until("the picture, drawn", "$('[data-content=image] img')?.naturalWidth > 0").await?;
    window.until("the sound", "$('[data-content=audio]')").await?;
    let drawn = window.run("return $$('img').every((image) => image.src.startsWith('blob:'));").await?;
    assert_eq!(drawn, true, "no picture comes from anywhere but the core");
    seen(window, "result", theme).await
}

async fn template(window: &Window, theme: &str) -> Result<()> {
    show_tab(window, "resources").await?;
    find(window, "resources", "demo://city").await?;
    window.until("its variables", "$('[data-variable=country]') && $('[data-variable=city]')").await?;
    into_field(window, "[data-variable=country]", "").await?;
    window.until("proposals", "$('[data-completions] [role=option]')").await?;
    seen(window, "completion", theme).await?;
    window.press(Key::Down).await?;
    window.press(Key::Enter).await?;
    into_field(window, "[data-variable=city]", "").await?;
    window.until("the cities", "$('[data-completions] [role=option]')").await?;
    window.press(Key::Down).await?;
    window.press(Key::Enter).await?;
    window
        .until("the address", "/^demo:[/][/]city[/].+[/].+/.test($('[data-expanded]')?.dataset.expanded ?? '')")
        .await?;
    window.press_with_control(Key::Enter).await?;
    window.until("what was read", "$('[data-read-status=ok]')").await?;
    seen(window, "resources", theme).await
}

async fn subscription(window: &Window, theme: &str) -> Result<()> {
    show_tab(window, "resources").await?;
    find(window, "resources", "demo://clock").await?;
    window.until("the clock", "$('[data-resource=\"demo://clock\"][aria-selected=true]')").await?;
    window.press_with_control(Key::Enter).await?;
    window.until("the time", "$('[data-read-status=ok]')").await?;
    window.tab_to("document.activeElement?.dataset.action === 'subscribe'").await?;
    window.press(Key::Enter).await?;
    window.until("two updates", "Number($('[data-updates]')?.dataset.updates ?? 0) >= 2").await?;
    window.until("word that it changed", "$('[data-changed=true]')").await?;
    seen(window, "subscription", theme).await?;
    window.tab_to("document.activeElement?.dataset.action === 'unsubscribe'").await?;
    window.press(Key::Enter).await?;
    window.until("the end of it", "$('[data-updates]') === null").await?;
    Ok(())
}

async fn prompt(window: &Window, theme: &str) -> Result<()> {
    show_tab(window, "prompts").await?;
    find(window, "prompts", "translate").await?;
    window.until("its arguments", "$('[data-pane=prompt] [data-field]')").await?;
    let names = window.run("return $$('[data-pane=prompt] [data-field]').map((field) => field.dataset.field);").await?;
    for name in names.as_array().into_iter().flatten().filter_map(|name| name.as_str()) {
        into_field(window, &format!("[data-field='{name}']"), "German").await?;
        window.press(Key::Escape).await?;
    }
    window.press_with_control(Key::Enter).await?;
    window.until("its messages", "$('[data-result-status=ok] [data-role]')").await?;
    seen(window, "prompts", theme).await
}

async fn task(window: &Window, theme: &str) -> Result<()> {
    show_tab(window, "tools").await?;
    find(window, "tools", "research").await?;
    window.until("its form", "$('[data-field=subject]')").await?;
    into_field(window, "[data-field=subject]", "moss").await?;
    into_field(window, "[data-field=seconds]", "600").await?;
    window.press_with_control(Key::Enter).await?;
    window.until("the task", "$('[data-call] [data-task]')").await?;
    show_tab(window, "tasks").await?;
    window.until("it in the list", "$('[data-task][data-task-status=working]')").await?;
    window
        .tab_to("document.activeElement?.matches('[data-pane=tasks] [role=grid], [data-pane=tasks] [role=listbox]')")
        .await?;
    window.press(Key::Home).await?;
    window.until("its detail", "$('[data-task-shown]')").await?;
    seen(window, "tasks", theme).await?;
    window.tab_to("document.activeElement?.dataset.action === 'cancel-task'").await?;
    window.press(Key::Enter).await?;
    window.until("its end", "$('[data-task][data-task-status=cancelled]')").await?;
    Ok(())
}

async fn levels(window: &Window, theme: &str) -> Result<()> {
    show_tab(window, "logs").await?;
    window.until("the choice of a level", "$('[data-server-level]')").await?;
    window.tab_to("document.activeElement?.matches('[data-server-level], [data-server-level] select')").await?;
    window.press("error").await?;
    window.until("the level that is set", "$('[data-server-level]')?.dataset.serverLevel === 'error'").await?;
    show_tab(window, "tools").await?;
    find(window, "tools", "write log").await?;
    window.until("its form", "$('[data-field=message]')").await?;
    window.press_with_control(Key::Enter).await?;
    window.until("the result", "$('[data-result-status=ok]')").await?;
    show_tab(window, "logs").await?;
    window.until("the lines", "$$('[data-pane=logs] [data-seq]').length >= 4").await?;
    let words = window.run("return $('[data-pane=logs]').innerText;").await?;
    let words = words.as_str().unwrap_or_default();
    assert!(words.contains("emergency") && !words.contains("notice\n"), "only what was asked for came: {words}");
    seen(window, "logs", theme).await
}
