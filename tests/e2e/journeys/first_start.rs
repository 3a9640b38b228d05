//! What is there without doing anything.

use anyhow::Result;
use e2e::{Demo, Journey, Window, binary};
use serde_json::json;

#[test]
fn a_first_start_shows_the_demo_ready_with_its_tools_a_hint_and_the_log() -> Result<()> {
    Journey::new("first-start").run(async |window| {
        window.until("the demo", "$('[data-server=demo][data-state=ready]')").await?;
        window.until("its tools", "$('[data-tool=flood]')").await?;
        let tools = window.run("return $$('[data-tool]').slice(0, 6).map((tool) => tool.dataset.tool);").await?;
        assert_eq!(tools, json!(["echo", "add", "slow", "fail", "noise", "flood"]), "the demo's tools in its order");
        let hint = window.text(".hint").await?;
        assert!(hint.contains("add") && hint.contains("Ctrl"), "one line says what to try: {hint}");
        // The handshake, a page each of tools, templates and prompts, and three of resources.
        window.until("the lists", "$$('[data-pane=log] [data-seq][data-status=ok]').length === 7").await?;
        let methods = "return $$('[data-pane=log] [data-method]').map((row) => row.dataset.method);";
        let methods = window.run(methods).await?;
        let methods = methods.as_array().expect("a list of methods");
        assert_eq!(methods[..2], [json!("initialize"), json!("notifications/initialized")], "what connecting sends");
        let lists = methods[2..].iter().filter_map(|method| method.as_str());
        assert!(lists.clone().all(|method| method.ends_with("/list")), "and then only lists: {methods:?}");
        assert_eq!(lists.count(), 6, "each page once");
        let total = window.run("return $('[data-log-total]').dataset.logTotal;").await?;
        assert_eq!(total, window.rows().await?.len().to_string(), "the page counts what the core has");
        Ok(())
    })
}

#[test]
fn every_screen_is_accessible_in_the_light_theme() -> Result<()> {
    let load = binary("sonde-load")?;
    let far = Demo::listen()?;
    let journey =
        Journey::new("accessible-light").server("broken", &load, &["--exit", "3"]).remote_server("far", far.url());
    journey.run(async |window| {
        let dark = window.run("return matchMedia('(prefers-color-scheme: dark)').matches;").await?;
        assert_eq!(dark, false, "the desktop's theme is light");
        judge_every_screen(window).await
    })
}

#[test]
fn every_screen_is_accessible_in_the_dark_theme() -> Result<()> {
    let load = binary("sonde-load")?;
    let far = Demo::listen()?;
    let journey =
        Journey::new("accessible-dark").server("broken", &load, &["--exit", "3"]).remote_server("far", far.url());
    journey.dark().run(async |window| {
        let dark = window.run("return matchMedia('(prefers-color-scheme: dark)').matches;").await?;
        assert_eq!(dark, true, "the page follows the desktop's theme");
        judge_every_screen(window).await
    })
}

async fn judge_every_screen(window: &Window) -> Result<()> {
    window.until("the tools", "$('[data-server=demo][data-state=ready]') && $('[data-tool=flood]')").await?;
    window.click("[data-server=demo]").await?;
    window.is_accessible("tools").await?;

    window.click("[data-tool=noise]").await?;
    window.click("[data-action=call]").await?;
    window.until("a result", "$('[data-result-status=ok]')").await?;
    window.is_accessible("tools with a result").await?;

    window.click("[data-tool=add]").await?;
    window.until("the form", "$('[data-field=a]')").await?;
    window.click("[data-action=call]").await?;
    window.until("what is missing", "$('[data-field=a] [aria-invalid=true]')").await?;
    window.is_accessible("a form that is not filled in").await?;

    window.click("[data-segment=json]").await?;
    window.until("the editor", "$('.editor .host')?.shadowRoot?.querySelector('.cm-content')").await?;
    window.is_accessible("arguments as JSON").await?;
    window.click("[data-segment=schema]").await?;
    window.is_accessible("the schema of a tool").await?;

    window.click("[data-seq][data-kind=unparsable]").await?;
    window.until("the detail", "$('[data-detail] [data-frame]')").await?;
    window.is_accessible("the detail of an unparsable row").await?;
    window.click("[data-seq][data-target=noise]").await?;
    window.until("both frames", "$$('[data-detail] [data-frame]').length === 2").await?;
    window.is_accessible("the detail of an exchange").await?;
    window.click("[data-detail] [data-tab=raw]").await?;
    window.is_accessible("the detail as text").await?;

    window.click("[data-tab=overview]").await?;
    window.is_accessible("overview").await?;
    window.click("[data-tab=logs]").await?;
    window.until("a line of stderr", "$('[data-pane=logs] [data-seq]')").await?;
    window.is_accessible("logs").await?;

    window.click("[data-tab=send]").await?;
    window.click("[data-action=send]").await?;
    window.until("an answer", "$('[data-sent-status=ok]')").await?;
    window.is_accessible("send").await?;
    window.click("[data-segment=bytes]").await?;
    window.is_accessible("send bytes").await?;
    window.click("[data-tab=settings]").await?;
    window.until("the settings", "$('#settings-roots')").await?;
    window.is_accessible("settings").await?;

    window.click("[data-server=broken]").await?;
    window.click("[data-action=connect]").await?;
    window.until("the failure", "$('[data-server=broken][data-state=failed]') && $('[data-error]')").await?;
    window.is_accessible("a server that failed").await?;

    window.click("[data-server=far]").await?;
    window.click("[data-action=connect]").await?;
    window.until("the far one", "$('[data-server=far][data-state=ready]') && $('[data-tool=flood]')").await?;
    window.click("[data-tab=overview]").await?;
    window.until("where it is", "$('[data-url]')").await?;
    window.is_accessible("the overview of a server reached by HTTP").await?;
    window.click("[data-segment=one]").await?;
    window.click("[data-seq][data-kind=http]").await?;
    window.until("the stream", "$('[data-http] [data-headers=request]')").await?;
    window.is_accessible("an open stream").await?;
    window.click("[data-seq][data-method='tools/list']").await?;
    window.until("both messages", "$$('[data-detail] [data-frame]').length === 2").await?;
    window.click("[data-detail] [data-tab=http]").await?;
    window.until("the exchange", "$('[data-http] [data-headers=response]')").await?;
    window.is_accessible("the HTTP of a message").await?;

    window.click("footer button").await?;
    window.until("the help", "$('dialog[open]')").await?;
    window.is_accessible("the help").await
}

#[test]
fn the_smallest_window_shows_every_main_control_without_scrolling_sideways() -> Result<()> {
    Journey::new("smallest-window").run(async |window| {
        window.until("its tools", "$('[data-tool=flood]')").await?;
        window.resize(900, 600).await?;
        window.click("[data-tool=add]").await?;
        window.fill("[data-field=a] input", "2").await?;
        window.fill("[data-field=b] input", "3").await?;
        window.click("[data-action=call]").await?;
        window.until("the result", "$('[data-result-status=ok]')").await?;
        window.until("the row", "$('[data-seq][data-target=add][data-status=ok]')").await?;
        assert_eq!(window.run(SIDEWAYS).await?, json!([]), "nothing scrolls sideways");
        window.click("[data-seq][data-target=add]").await?;
        window.until("the detail", "$('[data-detail] [data-frame]')").await?;
        assert_eq!(window.run(SIDEWAYS).await?, json!([]), "nor does it beside an open row");
        let hidden = window.run_with(HIDDEN, vec![json!(MAIN_CONTROLS)]).await?;
        assert_eq!(hidden, json!([]), "each of the main controls can be seen and reached");
        Ok(())
    })
}

/// What is wider than the room it has and lets itself be scrolled: a bar would cover its last line.
pub(crate) const SIDEWAYS: &str = r"
const wide = (element) => element.scrollWidth > element.clientWidth && element.clientWidth > 0;
const scrolls = (element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
const found = $$('body *').filter((element) => wide(element) && scrolls(element));
if (wide(document.scrollingElement)) found.push(document.scrollingElement);
return found.map((element) => `${element.cloneNode().outerHTML}: ${element.scrollWidth} in ${element.clientWidth}`);
";

const MAIN_CONTROLS: &[&str] = &[
    "[data-server=demo]",
    "[data-action=disconnect]",
    "[data-tab=overview]",
    "[data-tab=tools]",
    "[data-tab=send]",
    "[data-tab=resources]",
    "[data-tab=prompts]",
    "[data-tab=tasks]",
    "[data-tab=logs]",
    "[data-tab=settings]",
    "[data-filter=tools]",
    "[data-tool=add]",
    "[data-field=a] input",
    "[data-segment=form]",
    "[data-segment=json]",
    "[data-action=call]",
    "[data-result-status]",
    "[data-pane=log] [role=grid]",
    "[data-log-total]",
    "[data-detail]",
    "[data-detail] [data-tab=raw]",
    "footer button",
];

/// What is not wholly inside the window, has no size, or lies under something else.
const HIDDEN: &str = r"
return arguments[0].filter((selector) => {
  const element = $(selector);
  if (element === null) return true;
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && width > 0 && height > 0;
  const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return !inside || above === null || !(element.contains(above) || above.contains(element));
});
";
