//! A server of which every string field that the official schema knows holds an attack, on every screen that shows it.

use std::path::Path;

use anyhow::{Context, Result};
use e2e::{Eyes, Injection, Journey};
use thirtyfour::Key;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/injection/server.sh");

#[test]
fn no_string_of_a_server_becomes_more_than_text_on_any_screen() -> Result<()> {
    let schema = Injection::schema();
    if !schema.is_file() {
        eprintln!("left out: the official schema is not at {}", schema.display());
        return Ok(());
    }
    let injection = Injection::make(&schema)?;
    let folder = injection.folder().display().to_string();
    let began = std::time::Instant::now();
    Journey::new("injection").server("injection", Path::new("sh"), &[SERVER, &folder]).run(async |window| {
        let mut eyes = Eyes::open(window, &injection).await?;
        let many = injection.payloads.len();
        eprintln!("{:?} open", began.elapsed());
        window.click("[data-server=injection]").await?;
        window.click("[data-action=connect]").await?;
        window.until("its tools", "$('[data-tool]')").await?;
        eprintln!("{:?} connected", began.elapsed());
        eyes.look("tools").await?;
        tools(&mut eyes, many).await?;
        eprintln!("{:?} tools", began.elapsed());
        resources(&mut eyes, many).await?;
        eprintln!("{:?} resources", began.elapsed());
        prompts(&mut eyes, many).await?;
        eprintln!("{:?} prompts", began.elapsed());
        tasks(&mut eyes, many).await?;
        eprintln!("{:?} tasks", began.elapsed());
        for (screen, missing) in eyes.screens() {
            eprintln!("{screen}: {missing:?}");
        }
        eprintln!("{:?} {}", eyes.looks, eyes.renders());
        Ok(())
    })
}

/// Gives the list the keyboard. A row that was clicked has it otherwise, and takes it along when it leaves the page.
async fn into(eyes: &Eyes<'_>, list: &str) -> Result<()> {
    eyes.window.until(list, &format!("$({list:?})")).await?;
    eyes.window.run(&format!("$({list:?}).focus();")).await?;
    Ok(())
}

/// A click without the way to it, which takes the driver's mouse a quarter of a second.
async fn click(eyes: &Eyes<'_>, selector: &str) -> Result<()> {
    let expression = format!("((found) => found && found.disabled !== true && (found.click(), true))($({selector:?}))");
    eyes.window.until(&format!("`{selector}`"), &expression).await?;
    Ok(())
}

async fn tools(eyes: &mut Eyes<'_>, many: usize) -> Result<()> {
    const LIST: &str = "[role=listbox][aria-label=Tools]";
    let window = eyes.window;
    into(eyes, LIST).await?;
    window.press(Key::Home).await?;
    for turn in 0..many {
        eyes.shows("[data-pane=tool] h3", turn).await?;
        eyes.look("tool as a form").await?;
        click(eyes, "[data-pane=tool] [data-segment=json]").await?;
        window
            .until(
                "the editor",
                "$$('[data-pane=tool] form *').some((each) => each.shadowRoot?.querySelector('.cm-content'))",
            )
            .await?;
        eyes.look("arguments as JSON").await?;
        click(eyes, "[data-pane=tool] [data-segment=schema]").await?;
        window.until("the schema", "$('[data-pane=tool] [role=tree]')").await?;
        eyes.look("tool as a schema").await?;
        window.press_with_control(Key::Enter).await?;
        questions(eyes, turn).await?;
        result(eyes, "result").await?;
        into(eyes, LIST).await?;
        window.press(Key::Down).await?;
    }
    Ok(())
}

/// Looks at each question and declines it, until the call that they belong to is over.
async fn questions(eyes: &mut Eyes<'_>, turn: usize) -> Result<()> {
    const OVER: &str = "['ok', 'tool-error'].includes($('[data-result-status]')?.dataset.resultStatus)";
    let window = eyes.window;
    let mut last = String::from("none");
    loop {
        let next = format!("$('[data-question-number]')?.dataset.questionNumber");
        let found = window
            .until("a question or the result", &format!("({next} && {next} !== '{last}') ? {next} : {OVER} && 'over'"))
            .await?;
        last = found.as_str().context("a question has a number")?.to_owned();
        if last == "over" {
            return Ok(());
        }
        if window.count("[data-question] [role=tree]").await? == 0 {
            click(eyes, "[data-action=look-at-question]").await?;
        }
        eyes.shows("[data-question] [role=tree]", turn).await?;
        eyes.look("question").await?;
        click(eyes, "[data-action=refuse-question]").await?;
    }
}

/// What came, in all of its forms.
async fn result(eyes: &mut Eyes<'_>, screen: &'static str) -> Result<()> {
    let decoded = "$$('[data-appearance], .binary').every((bytes) => bytes.dataset.appearance)";
    eyes.window.until("what the bytes are", decoded).await?;
    eyes.look(screen).await?;
    eyes.window
        .run("for (const part of $$('[data-result-call] details, [data-read-call] details')) part.open = true;")
        .await?;
    eyes.look(screen).await
}

async fn show_tab(eyes: &Eyes<'_>, tab: &str) -> Result<()> {
    click(eyes, &format!("[data-tab={tab}]")).await?;
    eyes.window.until(tab, &format!("$('[data-tab={tab}][aria-selected=true]')")).await?;
    Ok(())
}

async fn resources(eyes: &mut Eyes<'_>, many: usize) -> Result<()> {
    const LIST: &str = "[role=listbox][aria-label='Resources and templates']";
    let window = eyes.window;
    show_tab(eyes, "resources").await?;
    into(eyes, LIST).await?;
    window.press(Key::Home).await?;
    for turn in 0..many {
        eyes.shows("[data-pane=resource] h3", turn).await?;
        eyes.look("resource").await?;
        window.press_with_control(Key::Enter).await?;
        window.until("what was read", "$('[data-read-status=ok]')").await?;
        result(eyes, "read").await?;
        window.press_with_control(Key::Enter).await?;
        window.until("an error", "$('[data-read-status=protocol-error]')").await?;
        eyes.look("read that failed").await?;
        click(eyes, "[data-action=subscribe]").await?;
        window.until("a refusal", "$('[data-pane=resource] [data-error]')").await?;
        eyes.look("subscription that was refused").await?;
        click(eyes, "[data-action=subscribe]").await?;
        window.until("the subscription", "$('[data-action=unsubscribe]')").await?;
        into(eyes, LIST).await?;
        window.press(Key::Down).await?;
    }
    for turn in 0..many {
        eyes.shows("[data-pane=resource] h3", turn).await?;
        eyes.look("template").await?;
        window.press(Key::Down).await?;
    }
    click(eyes, "[data-pane=resource] [data-segment=definition]").await?;
    into(eyes, LIST).await?;
    window.press(Key::Home).await?;
    for turn in 0..2 * many {
        eyes.shows("[data-pane=resource] h3", turn % many).await?;
        eyes.look("resource as it was listed").await?;
        window.press(Key::Down).await?;
    }
    Ok(())
}

async fn prompts(eyes: &mut Eyes<'_>, many: usize) -> Result<()> {
    const LIST: &str = "[role=listbox][aria-label=Prompts]";
    let window = eyes.window;
    show_tab(eyes, "prompts").await?;
    into(eyes, LIST).await?;
    window.press(Key::Home).await?;
    for turn in 0..many {
        eyes.shows("[data-pane=prompt] h3", turn).await?;
        eyes.look("prompt").await?;
        // Without the argument that it requires, which has to be said twice.
        window.press_with_control(Key::Enter).await?;
        window.until("the reminder", "$('[data-pane=prompt] [aria-invalid=true]')").await?;
        window.press_with_control(Key::Enter).await?;
        window.until("the messages", "$('[data-result-status=ok] [data-role]')").await?;
        result(eyes, "messages").await?;
        window.press_with_control(Key::Enter).await?;
        window.until("an error", "$('[data-result-status=protocol-error]')").await?;
        eyes.look("prompt that failed").await?;
        into(eyes, LIST).await?;
        window.press(Key::Down).await?;
    }
    Ok(())
}

async fn tasks(eyes: &mut Eyes<'_>, many: usize) -> Result<()> {
    const LIST: &str = "[data-pane=tasks] [role=grid]";
    let window = eyes.window;
    show_tab(eyes, "tasks").await?;
    into(eyes, LIST).await?;
    window.press(Key::Home).await?;
    for turn in 0..many {
        eyes.shows("[data-pane=task] h3", turn).await?;
        eyes.look("task").await?;
        click(eyes, "[data-action=task-result]").await?;
        window.until("its result", "$('[data-pane=task] [data-content]')").await?;
        result(eyes, "result of a task").await?;
        click(eyes, "[data-action=cancel-task]").await?;
        into(eyes, LIST).await?;
        window.press(Key::Down).await?;
    }
    Ok(())
}
