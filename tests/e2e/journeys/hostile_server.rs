//! A server that turned against the page.

use std::path::Path;

use anyhow::Result;
use e2e::{Journey, Window};
use serde_json::json;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/untrusted/server.sh");

#[test]
fn whatever_a_server_sends_is_shown_as_text_and_what_hides_is_made_visible() -> Result<()> {
    Journey::new("untrusted").server("untrusted", Path::new("sh"), &[SERVER]).run(async |window| {
        window.click("[data-server=untrusted]").await?;
        window.click("[data-action=connect]").await?;
        window.until("its tools", "$$('[data-tool]').length === 4").await?;
        is_only_text(window, "tools").await?;
        let name = window.text("[role=option] .name").await?;
        assert!(name.contains("<img src=x onerror="), "markup is shown as it was written: {name}");
        assert_eq!(window.count("[data-tool=twice] .badge").await?, 2, "tools of the same name are told apart");

        window.click("[role=option]").await?;
        window.until("the form", "$$('[data-field]').length === 2").await?;
        is_only_text(window, "form").await?;
        let about = window.text("[data-pane=tool] .about").await?;
        assert!(about.contains("more lines"), "what is far below is counted: {about}");
        for token in ["\\x1b", "\\u202e", "\\u2066", "\\u200b", "\\ufeff"] {
            assert!(about.contains(token), "`{token}` is shown as a token: {about}");
        }
        window.click("[data-action=call]").await?;
        window.until("a second try or a result", "$('[data-result-status]') || $('[aria-invalid=true]')").await?;
        if window.count("[data-result-status]").await? == 0 {
            // The form doubts what the server itself proposed.
            window.click("[data-action=call]").await?;
        }
        window.until("the result", "$('[data-result-status=ok]')").await?;
        is_only_text(window, "result").await?;
        window.until("the log", "$('[data-kind=unparsable]') && $('[data-kind=stderr]')").await?;
        for row in ["unparsable", "stderr", "exchange", "notification"] {
            window.click(&format!("[data-seq][data-kind={row}]:not([data-method=initialize])")).await?;
            window.until("the detail", "$('[data-detail] [data-frame]')").await?;
            is_only_text(window, row).await?;
            window.click("[data-detail] [data-tab=raw]").await?;
            is_only_text(window, row).await?;
        }
        for tab in ["overview", "logs"] {
            window.click(&format!("[data-tab={tab}]")).await?;
            is_only_text(window, tab).await?;
        }
        Ok(())
    })
}

/// No script ran, nothing became an element that can act, and no character that hides is in any text of the page.
async fn is_only_text(window: &Window, screen: &str) -> Result<()> {
    let found = window.run(STRANGE).await?;
    assert_eq!(found, json!([]), "the screen `{screen}` holds text and nothing else");
    Ok(())
}

const STRANGE: &str = r"
const found = [];
if (window.canary !== undefined) found.push(`a script ran: ${window.canary}`);
if (({}).polluted !== undefined) found.push('the prototype was changed');
for (const element of $$('img, svg, iframe, object, embed, a[href], body script, body style, [onerror], [onload]')) {
  found.push(element.outerHTML.slice(0, 200));
}
const hides = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udfff]/;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) if (hides.test(texts.currentNode.data)) found.push(`hidden: ${JSON.stringify(texts.currentNode.data).slice(0, 200)}`);
for (const element of $$('[title], [aria-label], [placeholder]')) {
  for (const name of ['title', 'aria-label', 'placeholder']) {
    if (hides.test(element.getAttribute(name) ?? '')) found.push(`hidden in ${name}: ${element.outerHTML.slice(0, 200)}`);
  }
}
return found;
";
