//! Addresses in what a server asks, and pages that it wants opened.

use anyhow::Result;
use e2e::{Act, Eyes, Journey, Trap, tool};
use serde_json::json;

use super::super::{call, connect};
use super::{answers, begin, form, question, refuse};

/// U10
#[test]
fn a_page_that_a_server_wants_opened_is_shown_and_neither_fetched_nor_opened() -> Result<()> {
    let trap = Trap::open()?;
    let address = trap.address();
    let pages = [
        format!("http://{address}/page"),
        format!("https://{address}/page"),
        format!("http://bank.example@{address}/page"),
        "file:///etc/passwd".to_owned(),
        "javascript:top.canary='url'".to_owned(),
        "data:text/html,<script>top.canary='url'</script>".to_owned(),
        "vscode://file/etc/passwd".to_owned(),
        "sonde-unheard-of:run".to_owned(),
    ];
    let ask = |(place, url): (usize, &String)| {
        let params = json!({ "mode": "url", "message": "Sign in", "url": url, "elicitationId": place.to_string() });
        question(place, params)
    };
    let questions: Vec<_> = pages.iter().enumerate().map(ask).collect();
    let act = Act::with_tools([tool("pages", json!({})), tool("note", json!({}))])?.sends("pages", &questions)?;
    let journey = Journey::new("wanted-pages").entry("act", act.entry()).noting_what_is_opened();
    journey.run(async |window| {
        let eyes = Eyes::over(window).await?;
        connect(window, 2).await?;
        begin(window, "pages", pages.len()).await?;
        for page in &pages {
            window.until("its address", &format!("$('[data-asked]')?.innerText.includes({})", json!(page))).await?;
            let shown = window.text("[data-asked]").await?;
            assert!(shown.contains(page.as_str()), "the whole of the address can be read, {page}: {shown}");
            window.run(TRY).await?;
            eyes.look(page).await?;
            refuse(window).await?;
        }
        call(window, "note").await?;
        assert_eq!(answers(&act)?, vec![json!("decline"); pages.len()], "each was declined and none accepted");
        assert_eq!(window.windows().await?, 1, "there is one window");
        window.opened_nothing()?;
        trap.caught_nobody().await
    })
}

/// U11
#[test]
fn addresses_in_what_a_server_asks_are_text_that_leads_nowhere() -> Result<()> {
    let trap = Trap::open()?;
    let url = format!("http://{}", trap.address());
    let field = json!({
        "type": "string",
        "title": format!("{url}/title"),
        "description": format!("<a href=\"{url}/described\">https://bank.example/</a> [here]({url}/linked)"),
        "default": format!("{url}/default"),
    });
    let message = format!("Go to {url}/message and to https://bank.example/");
    let asked = form(0, &message, json!({ format!("{url}/name"): field }));
    let act = Act::with_tools([tool("ask", json!({}))])?.sends("ask", &[asked])?;
    let journey = Journey::new("asked-addresses").entry("act", act.entry()).noting_what_is_opened();
    journey.run(async |window| {
        let eyes = Eyes::over(window).await?;
        connect(window, 1).await?;
        begin(window, "ask", 1).await?;
        window.until("the review", "$('[data-review]')").await?;
        let shown =
            window.run("return $('[data-asked]').innerText + $('[data-asked] input, [data-asked] textarea').value;");
        let shown = shown.await?.to_string();
        for part in ["message", "name", "title", "described", "default"] {
            assert!(shown.contains(&format!("{url}/{part}")), "`{part}` is there to be read: {shown}");
        }
        window.run(TRY).await?;
        eyes.look("clicked addresses").await?;
        window.click("[data-question] [data-segment=json]").await?;
        let content = "$('[data-question] .host')?.shadowRoot?.querySelector('.cm-content')";
        let draft = window.until("the draft", &format!("{content}?.innerText")).await?;
        assert!(draft.as_str().is_some_and(|draft| draft.contains("/default")), "what it proposes is text: {draft}");
        let inside = window.run(&format!("return {content}.querySelectorAll('a, [href]').length;")).await?;
        assert_eq!(inside, 0, "in the editor too");
        assert_eq!(window.windows().await?, 1, "there is one window");
        window.opened_nothing()?;
        trap.caught_nobody().await
    })
}

/// Whatever is no button does nothing, however it is clicked.
const TRY: &str = "
for (const part of $$('[data-question] *')) {
  if (part.closest('button') !== null || part.closest('[aria-expanded]') !== null) continue;
  for (const name of ['click', 'auxclick', 'dblclick']) {
    part.dispatchEvent(new MouseEvent(name, { bubbles: true, cancelable: true }));
  }
}
";
