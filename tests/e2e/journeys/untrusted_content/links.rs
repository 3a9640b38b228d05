//! Where a server would have one go, and who it says it is.

use std::io::Write;

use anyhow::{Context, Result};
use e2e::{Act, Eyes, Journey, Trap, Window, tool};
use serde_json::json;

use super::{call, connect, show_tab};

const PLANTED: &str = "canary-of-a-local-file";

/// U12
#[test]
fn a_link_is_text_and_what_it_leads_to_is_asked_of_the_server_and_never_opened() -> Result<()> {
    let trap = Trap::open()?;
    let mut planted = tempfile::NamedTempFile::new()?;
    planted.write_all(PLANTED.as_bytes())?;
    let local = format!("file://{}", planted.path().display());
    let address = trap.address();
    let addresses = [
        local.clone(),
        "file:///usr/bin/env".to_owned(),
        format!("smb://{address}/share"),
        format!("http://{address}/page"),
        "vscode://file/etc/passwd".to_owned(),
        "ms-msdt:/id PCWDiagnostic".to_owned(),
        "sonde-unheard-of:run?program=true".to_owned(),
        "javascript:top.canary='link'".to_owned(),
        "data:text/html,<script>top.canary='link'</script>".to_owned(),
    ];
    let link = |uri: &String| {
        let annotations = json!({ "audience": [uri], "priority": 1, "lastModified": uri });
        json!({ "type": "resource_link", "uri": uri, "name": "Open me", "annotations": annotations })
    };
    let links: Vec<_> = addresses.iter().map(link).collect();
    let said = json!({ "contents": [{ "uri": "act://said", "text": "what the server says" }] });
    let act = Act::with_tools([tool("links", json!({}))])?
        .answers("tools/call/links", json!({ "content": links }))?
        .answers("resources/read/other", said)?;
    let journey = Journey::new("links").entry("act", act.entry()).noting_what_is_opened();
    journey.run(async |window| {
        let eyes = Eyes::over(window).await?;
        connect(window, 1).await?;
        call(window, "links").await?;
        let shown =
            window.run("return $$('[data-content=resource_link] p.mono').map((uri) => uri.textContent);").await?;
        assert_eq!(shown, json!(addresses), "every address is shown as it is");
        eyes.look("links").await?;
        // Whatever is not a button does nothing, however it is clicked.
        window.run(TRY).await?;
        window.click("[data-content=resource_link] p.mono").await?;
        eyes.look("clicked links").await?;

        window.click("[data-content=resource_link] [data-action=read-link]").await?;
        window.until("what was read", "$('[data-read-status=ok] [data-content] pre')").await?;
        let text = window.text("[data-read-call] [data-content] pre").await?;
        assert_eq!(text, "what the server says", "the server was asked");
        let page = window.run("return document.body.innerText;").await?;
        assert!(page.as_str().is_some_and(|page| !page.contains(PLANTED)), "the file of this machine was not read");
        eyes.look("link that was read").await?;
        let heard = act.heard()?;
        let reads: Vec<_> = heard.iter().filter(|message| message["method"] == "resources/read").collect();
        assert_eq!(reads.len(), 1, "only the button asks: {reads:?}");
        assert_eq!(reads[0]["params"]["uri"], local, "by the address as it was sent");
        assert_eq!(window.windows().await?, 1, "there is one window");
        window.opened_nothing()?;
        trap.caught_nobody().await
    })
}

const TRY: &str = "
const parts = '[data-content=resource_link] :is(.head, .about)';
for (const part of $$(`${parts}, ${parts} *`)) {
  for (const name of ['click', 'auxclick', 'dblclick']) {
    part.dispatchEvent(new MouseEvent(name, { bubbles: true, cancelable: true }));
  }
}
";

/// U15
#[test]
fn a_server_is_named_as_it_is_configured_and_what_it_calls_itself_is_marked_as_its_claim() -> Result<()> {
    let info = json!({ "name": "Sonde System Update", "title": "Inspector Update Service", "version": "9" });
    let act = Act::with_tools([tool("update", json!({}))])?.says(json!({ "serverInfo": info }))?;
    Journey::new("identity").entry("act", act.entry()).run(async |window| {
        connect(window, 1).await?;
        call(window, "update").await?;
        for (selector, what) in [("[data-server=act] .name", "the list"), (".view h2", "the heading")] {
            assert_eq!(window.text(selector).await?.trim(), "act", "{what} has the configured name");
        }
        let row = window.until("the row", "$('[data-seq][data-target=update] .server')?.innerText").await?;
        assert_eq!(row, "act", "so has the log");
        for tab in ["tools", "resources", "logs", "send", "settings", "doctor"] {
            show_tab(window, tab).await?;
            assert_eq!(claims(window).await?, json!([]), "`{tab}` does not repeat what the server calls itself");
        }
        window.click("[data-action=examine]").await?;
        window.until("the verdict", "$('[data-verdict]')").await?;
        assert_eq!(claims(window).await?, json!([]), "nor does the doctor's report");
        window.press_with_control("k").await?;
        window.until("the palette", "document.activeElement?.matches('[data-palette] input')").await?;
        window.press("update").await?;
        window.until("the tool of the name", "$('[data-found]')?.innerText.includes('update')").await?;
        assert_eq!(claims(window).await?, json!([]), "nobody finds it by what it calls itself");
        window.press(thirtyfour::Key::Escape).await?;

        show_tab(window, "overview").await?;
        window.until("what it says of itself", "$('[aria-label=\"Server info\"]')").await?;
        let heading = window.run("return $('[aria-label=\"Server info\"]').previousElementSibling.innerText;").await?;
        let heading = heading.as_str().context("it has a heading")?;
        assert!(heading.contains("the server's own claim"), "it is marked as a claim: {heading}");
        let claims = claims(window).await?;
        assert_eq!(claims, json!(["Server info", "Server info"]), "name and title stand there and nowhere else");
        assert_eq!(window.run("return document.title;").await?, "Sonde", "the window has its own name");
        Ok(())
    })
}

/// Where in the page the server's names for itself stand, in texts and in attributes: by what the place is called.
async fn claims(window: &Window) -> Result<serde_json::Value> {
    window.run(CLAIMS).await
}

const CLAIMS: &str = r"
const claim = /Sonde System Update|Inspector Update Service/;
const found = [];
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const { data, parentElement } = texts.currentNode;
  if (!claim.test(data)) continue;
  found.push(parentElement.closest('[aria-label]')?.getAttribute('aria-label') ?? parentElement.outerHTML);
}
for (const element of $$('*')) {
  for (const { name, value } of element.attributes) {
    if (claim.test(value)) found.push(`${name} of ${element.localName}`);
  }
}
return found;
";
