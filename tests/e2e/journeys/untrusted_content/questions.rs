//! What a server asks of the person: text in a strip that has an end, with nothing in it that answers or leads away.

mod addresses;
mod forms;

use anyhow::Result;
use e2e::{Act, Window};
use serde_json::{Value, json};

use super::choose;

fn question(place: usize, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": format!("question-{place}"), "method": "elicitation/create", "params": params })
}

fn form(place: usize, message: &str, properties: Value) -> Value {
    let schema = json!({ "type": "object", "properties": properties });
    question(place, json!({ "message": message, "requestedSchema": schema }))
}

/// Calls the tool that asks, and looks at the first of its questions.
async fn begin(window: &Window, tool: &str, questions: usize) -> Result<()> {
    choose(window, tool).await?;
    window.click("[data-action=call]").await?;
    let counted = match questions {
        1 => "$('[data-question]')".to_owned(),
        many => format!("$('[data-question] [role=status]')?.innerText.includes('{} more')", many - 1),
    };
    window.until("the questions", &counted).await?;
    window.click("[data-action=look-at-question]").await?;
    window.until("what it asks", "$('[data-asked]')").await?;
    Ok(())
}

/// Declines the question that is shown, and waits until it has gone.
async fn refuse(window: &Window) -> Result<()> {
    let number = window.run("return $('[data-question-number]').dataset.questionNumber;").await?;
    window.click("[data-action=refuse-question]").await?;
    window.until("its end", &format!("$('[data-question-number]')?.dataset.questionNumber !== {number}")).await?;
    Ok(())
}

/// What the server was answered so far; whoever asks has let it hear something since.
fn answers(act: &Act) -> Result<Vec<Value>> {
    let heard = act.heard()?;
    let answers = heard.iter().filter(|message| message["id"].as_str().is_some_and(|id| id.starts_with("question-")));
    Ok(answers.map(|answer| answer["result"]["action"].clone()).collect())
}
