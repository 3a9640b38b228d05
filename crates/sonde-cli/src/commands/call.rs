//! `sonde call`

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::{RawValue, to_raw_value};
use sonde_app::{Answer, Ask, CallStatus, Ended, ErrorCode, TaskWish};

use super::{pages, pick};
use crate::arguments::{Call, Format, Given, Object, Place};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::content;
use crate::session::{self, Session, error_of};

pub async fn run(place: &Place, call: Call, console: &Arc<Console>) -> Result<Exit, Failure> {
    let (server, tool) = pick::dotted(&call.target, &call.words, "tool")?;
    let params = params(&tool, &call.given)?;
    let meta = Object::text_of(&call.given.meta)?;
    session::run(place, Some(&call.target), console, async |session| {
        let id = server.id(&session.app)?;
        session.ready(&id).await?;
        let ask = || {
            let mut ask = Ask::new(&id, "tools/call");
            ask.params = Some(params.clone());
            ask.meta = meta.clone();
            ask.anyway = call.anyway;
            ask.validate = !call.no_validate;
            ask.task = call.task.then(|| TaskWish { ttl: call.ttl.map(milliseconds) });
            ask
        };
        let limit = call.target.timeout;
        let ended = pages::through(session, &id, limit, async || ask_once(session, &id, ask(), &tool).await).await?;
        show(console, &ended)
    })
    .await
}

/// `{"name":…,"arguments":{…}}`, the arguments as they were typed.
pub fn params(tool: &str, given: &Given) -> Result<String, Failure> {
    let mut params = Object::default();
    params.put("name", to_raw_value(tool)?);
    params.put("arguments", RawValue::from_string(given.arguments()?)?);
    Ok(serde_json::to_string(&params)?)
}

/// One call, or the task that the server makes of it, up to its result.
async fn ask_once(session: &Session, server: &str, ask: Ask, tool: &str) -> Result<Ended, Failure> {
    let as_task = ask.task.is_some();
    let ended = session.ask(ask, tool).await.map_err(explain_arguments)?;
    match ended.answer.task_id().filter(|_| as_task) {
        None => Ok(ended),
        Some(task) => {
            let told = session.console.err.line(&task).into_owned();
            session.console.say(&format!("sonde: it runs as task `{told}`"));
            let begun = session.app.follow_task(server, &task).await.map_err(Failure::after_ready)?;
            session.end_of(begun, tool).await
        }
    }
}

/// `--arg a=5` gives a string, and that is the usual mistake.
pub fn explain_arguments(failure: Failure) -> Failure {
    match failure.error.as_ref().is_some_and(|error| error.code == ErrorCode::InvalidArguments) {
        true => failure.hint(
            "`sonde tools --long` shows what a tool takes; `--arg name:=json` gives a value that is no string; \
                 --no-validate sends the arguments as they are",
        ),
        false => failure,
    }
}

fn show(console: &Console, ended: &Ended) -> Result<Exit, Failure> {
    match error_of(ended) {
        Some(failure) => Err(failure),
        None => show_result(console, ended),
    }
}

/// What a tool gave, as the server sent it or as a person reads it.
pub fn show_result(console: &Console, ended: &Ended) -> Result<Exit, Failure> {
    if let Answer::Result(result) = &ended.answer {
        match console.format {
            Format::Json => console.print_line(result.get())?,
            Format::Text => console.print_line(&content::tool_result(console.out, result))?,
        }
    }
    for violation in &ended.violations {
        let told = format!("{}: {}", violation.path, violation.message);
        console.say(&format!("sonde: the result is not what the tool promises: {}", console.err.line(&told)));
    }
    if let Some(note) = &ended.note {
        console.say(&format!("sonde: the result could not be checked: {}", console.err.line(note)));
    }
    if ended.status != CallStatus::ToolError {
        return Ok(Exit::Ok);
    }
    if console.format == Format::Text {
        console.say("sonde: the tool says that it failed");
    }
    Ok(Exit::ToolError)
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
