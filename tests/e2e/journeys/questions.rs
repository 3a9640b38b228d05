//! What a server asks of the person: a form that is filled in and sent, a page that is opened, and what is refused.

use anyhow::Result;
use e2e::{Journey, Window, binary};
use serde_json::json;

#[test]
fn a_form_is_filled_in_and_a_page_is_opened_in_the_light_theme() -> Result<()> {
    journey("questions-light")?.run(async |window| answer_all(window, "light").await)
}

#[test]
fn a_form_is_filled_in_and_a_page_is_opened_in_the_dark_theme() -> Result<()> {
    journey("questions-dark")?.dark().run(async |window| answer_all(window, "dark").await)
}

fn journey(name: &'static str) -> Result<Journey> {
    // By itself a window takes no questions; the entry says that it does.
    let entry = json!({
        "command": binary("sonde")?,
        "args": ["demo"],
        "sonde": { "capabilities": { "elicitation": { "form": {}, "url": {} } } },
    });
    Ok(Journey::new(name).entry("asks", entry).noting_what_is_opened())
}

async fn answer_all(window: &Window, theme: &str) -> Result<()> {
    window.click("[data-server=asks]").await?;
    window.click("[data-action=connect]").await?;
    window.until("its tools", "$('[data-server=asks][data-state=ready]') && $('[data-tool]')").await?;
    form(window, theme).await?;
    page(window, theme).await?;
    all_at_once(window).await
}

async fn form(window: &Window, theme: &str) -> Result<()> {
    call(window, "test_elicitation_sep1034_defaults").await?;
    window.until("the question", "$('[data-question]')").await?;
    window.click("[data-action=look-at-question]").await?;
    window.until("its form", "$('[data-asked=form] [data-field=verified]')").await?;
    let review = "JSON.parse($('[data-review]').textContent)";
    let proposed = window.until("what would be sent", &format!("$('[data-review]') && {review}")).await?;
    let defaults = json!({ "name": "John Doe", "age": 30, "score": 95.5, "status": "active", "verified": true });
    assert_eq!(proposed, json!({ "action": "accept", "content": defaults }), "the server's defaults");
    window.fill("[data-question] [data-field=name] :is(input, textarea)", "Ada").await?;
    window.fill("[data-question] [data-field=age] input", "thirty-six").await?;
    window.is_accessible("question").await?;
    window.keep_picture(&format!("question-{theme}")).await?;
    window.until("word that it is wrong", "$('[data-question] [aria-invalid=true]')").await?;
    window.fill("[data-question] [data-field=age] input", "36").await?;
    window.until("the number", &format!("{review}.content?.age === 36")).await?;
    assert_eq!(window.text("[data-why]").await?, "Scroll to its end first", "nobody accepts what they have not seen");
    window.run("$('[data-asked]').scrollTop = 1e6;").await?;
    window.until("the button", "!$('[data-action=answer-question]').disabled").await?;
    window.click("[data-action=answer-question]").await?;
    let answered = result(window).await?;
    assert!(answered.contains("Ada") && answered.contains("36"), "the server has it: {answered}");
    window.until("its end", "!$('[data-question]')").await?;
    Ok(())
}

async fn page(window: &Window, theme: &str) -> Result<()> {
    call(window, "open").await?;
    window.until("the question", "$('[data-question]')").await?;
    window.click("[data-action=look-at-question]").await?;
    window.until("its host", "$('[data-asked=page] [data-host]')?.innerText === 'example.com'").await?;
    let address = window.text("[data-url]").await?;
    window.is_accessible("page").await?;
    window.keep_picture(&format!("page-{theme}")).await?;
    window.opened_nothing()?;
    window.click("[data-action=open-link]").await?;
    window.until_opened(&address).await?;
    window.click("[data-action=answer-question]").await?;
    let answered = result(window).await?;
    assert!(answered.contains("the person chose `accept`"), "{answered}");
    Ok(())
}

/// Everything that waits is declined by one click.
async fn all_at_once(window: &Window) -> Result<()> {
    for place in 0..3 {
        let request = json!({ "server": "asks", "tool": "ask", "arguments": json!({ "message": format!("who {place}?") }).to_string() });
        window.ask("call_tool", request).await?;
    }
    window.until("all of them", "$('[data-question] [role=status]')?.innerText.includes('2 more')").await?;
    window.click("[data-action=refuse-all-questions]").await?;
    window.until("their end", "!$('[data-question]')").await?;
    Ok(())
}

async fn call(window: &Window, tool: &str) -> Result<()> {
    window.fill("[data-filter=tools]", tool).await?;
    window.click(&format!("[data-tool={tool}]")).await?;
    window.until("its form", "$('[data-action=call]')").await?;
    window.click("[data-action=call]").await
}

async fn result(window: &Window) -> Result<String> {
    window.until("the result", "$('[data-result-status=ok]')").await?;
    window.text("[data-result-call]").await
}
