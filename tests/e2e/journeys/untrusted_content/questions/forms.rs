//! How much a server asks, how often at once, and in what words.

use anyhow::{Context, Result};
use e2e::{Act, Eyes, Journey, tool};
use serde_json::{Map, Value, json};
use thirtyfour::Key;

use super::super::{call, choose, connect, measure, measured};
use super::{answers, begin, form, refuse};

/// What one screen may be made of.
const MOST_ELEMENTS: u64 = 5000;

/// U14
#[test]
fn a_form_without_end_is_a_strip_that_has_one() -> Result<()> {
    let fields: Map<_, _> = (0..10_000).map(|place| (format!("f{place}"), json!({}))).collect();
    let choices: Vec<_> = (0..100_000).map(|place| format!("choice {place}")).collect();
    let deep = (0..400)
        .fold(json!({ "type": "string" }), |inner, _| json!({ "type": "object", "properties": { "x": inner } }));
    let questions = [
        form(0, "ten thousand fields", fields.into()),
        form(1, "a hundred thousand choices", json!({ "choice": { "type": "string", "enum": choices } })),
        form(2, "a megabyte", json!({ "text": { "type": "string", "default": "d".repeat(1 << 20) } })),
        form(3, "four hundred levels", json!({ "deep": deep })),
        form(
            4,
            "an expression",
            json!({ "text": { "type": "string", "pattern": "^(a+)+$", "default": "a".repeat(60) + "!" } }),
        ),
    ];
    let act = Act::with_tools([tool("ask", json!({})), tool("note", json!({}))])?.sends("ask", &questions)?;
    Journey::new("endless-forms").entry("act", act.entry()).run(async |window| {
        let eyes = Eyes::over(window).await?;
        measure(window).await?;
        connect(window, 2).await?;
        begin(window, "ask", questions.len()).await?;
        for question in &questions {
            let what = question["params"]["message"].as_str().context("it has a message")?;
            window.until(what, &format!("$('[data-asked]')?.innerText.includes('{what}')")).await?;
            // Everything that can be unfolded is.
            eyes.walk("for (const folded of $$('[data-question] [aria-expanded=false]')) folded.click();").await?;
            eyes.look(what).await?;
            let size = window.run("return [$$('*').length, $('[data-question]').offsetHeight, innerHeight];").await?;
            eprintln!("U14: {what}: {} elements in the page", size[0]);
            assert!(size[0].as_u64() < Some(MOST_ELEMENTS), "the page stays small with {what}: {size}");
            let (strip, screen) = (size[1].as_f64(), size[2].as_f64().map(|height| height / 2.0));
            assert!(strip < screen, "the strip leaves room for what it is about with {what}: {size}");
            refuse(window).await?;
        }
        call(window, "note").await?;
        assert_eq!(answers(&act)?, vec![json!("decline"); questions.len()], "each was declined and none accepted");
        measured(window, "U14").await
    })
}

/// U16
#[test]
fn fifty_questions_at_once_take_no_key_from_whoever_types() -> Result<()> {
    let asked =
        |place| form(place, &format!("question {place}"), json!({ "sure": { "type": "boolean", "default": true } }));
    let questions: Vec<_> = (0..50).map(asked).collect();
    let text = json!({ "inputSchema": { "type": "object", "properties": { "text": { "type": "string" } } } });
    let act = Act::with_tools([tool("ask", json!({})), tool("note", text)])?.sends("ask", &questions)?;
    Journey::new("fifty-questions").entry("act", act.entry()).run(async |window| {
        let eyes = Eyes::over(window).await?;
        connect(window, 2).await?;
        choose(window, "note").await?;
        window.click("[data-field=text] textarea").await?;
        window.press("one").await?;
        // As if it had been called a moment ago.
        window.ask("call_tool", json!({ "server": "act", "tool": "ask", "arguments": "{}" })).await?;
        window.press("two").await?;
        window.press(Key::Enter).await?;
        window
            .until("all of them, counted", "$('[data-question] [role=status]')?.innerText.includes('49 more')")
            .await?;
        window.press("three").await?;
        window.press(Key::Enter).await?;
        window.press("four").await?;
        let typed = window.run("return document.activeElement.value;").await?;
        assert_eq!(typed, "onetwo\nthree\nfour", "every key went where the person typed");
        let badge = window.text("[data-row=act] .asks").await?;
        assert_eq!(badge, "? 50", "the list says how many wait");
        // Nor does a key that goes nowhere answer.
        window.run("document.activeElement.blur();").await?;
        for key in [Key::Enter, Key::Escape] {
            window.press(key).await?;
        }
        eyes.look("fifty questions").await?;
        call(window, "note").await?;
        assert_eq!(answers(&act)?, Vec::<Value>::new(), "nobody answered");
        assert_eq!(window.text("[data-row=act] .asks").await?, "? 50", "and all of them wait");
        Ok(())
    })
}

/// U16
#[test]
fn whoever_answers_a_question_does_not_answer_the_next_one_unseen() -> Result<()> {
    let asked =
        |place| form(place, &format!("question {place}"), json!({ "sure": { "type": "boolean", "default": true } }));
    let act =
        Act::with_tools([tool("ask", json!({})), tool("note", json!({}))])?.sends("ask", &[asked(0), asked(1)])?;
    Journey::new("two-questions").entry("act", act.entry()).run(async |window| {
        let eyes = Eyes::over(window).await?;
        connect(window, 2).await?;
        begin(window, "ask", 2).await?;
        // Within the page: for a mouse the strip may go away in the middle of a click.
        let twice = "
            await click('[data-action=answer-question]');
            await until('the next question', () => $('[data-message]')?.textContent.includes('question 1'));
            $('[data-action=answer-question]')?.click();
            await click('[data-tool=note]');
            await until('the tool', () => $('[data-pane=tool] h3')?.innerText === 'note');
            await click('[data-action=call]');
            await until('its result', () => $('[data-result-status=ok]'));";
        eyes.walk(twice).await?;
        assert_eq!(answers(&act)?, [json!("accept")], "one answer was given, and the second question waits");
        Ok(())
    })
}

/// U17
#[test]
fn what_a_question_says_is_plain_text_whichever_way_it_runs_and_however_long() -> Result<()> {
    let lines: Vec<_> = (0..500).map(|line| format!("שורה {line}: אין כאן מה לראות")).collect();
    let buttons =
        "<button>Accept</button> [Accept](javascript:top.canary='question') \u{202e}tpeccA\u{202c} \u{2067}✓\u{2069}";
    let message = format!("{buttons}\n{}", lines.join("\n"));
    let asked = form(0, &message, json!({ "x": { "type": "string", "title": buttons, "description": message } }));
    let act = Act::with_tools([tool("ask", json!({}))])?.sends("ask", &[asked])?;
    Journey::new("plain-questions").entry("act", act.entry()).run(async |window| {
        let eyes = Eyes::over(window).await?;
        connect(window, 1).await?;
        begin(window, "ask", 1).await?;
        let shown = window.text("[data-message]").await?;
        for part in ["<button>Accept</button> [Accept](javascript:", "\\u202e", "\\u2067", "more lines"] {
            assert!(shown.contains(part), "`{part}` is there to be seen: {shown}");
        }
        eyes.look("question").await?;
        let accept = "$$('[data-question] button').filter((button) => /accept/i.test(button.innerText))";
        let own = window.run(&format!("return {accept}.map((button) => button.dataset.action);")).await?;
        assert_eq!(own, json!(["answer-question"]), "one button accepts, and it is ours");
        let why = window.text("[data-why]").await?;
        let disabled = window.run("return $('[data-action=answer-question]').disabled;").await?;
        assert_eq!(disabled, json!(true), "nobody accepts what they can't have read: {why}");
        let turned = window
            .run("return $$('[data-question] *').filter((part) => getComputedStyle(part).direction !== 'ltr').length;");
        assert_eq!(turned.await?, 0, "what is ours stays where it is");
        let size = window.run("return [$('[data-question]').offsetHeight, innerHeight];").await?;
        assert!(size[0].as_u64().map(|height| 2 * height) < size[1].as_u64(), "it does not push the rest away: {size}");
        Ok(())
    })
}
