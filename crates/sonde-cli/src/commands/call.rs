//! `sonde call`

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::{RawValue, to_raw_value};
use sonde_app::{Answer, Ask, CallStatus, Ended, ErrorCode, Event, TaskWish};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::pick;
use crate::arguments::{Call, Format, Given, Object, Place};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::content;
use crate::questions::consent;
use crate::session::{self, Session, error_of};

/// A server that asks for yet another page after this many is not asked again.
const MOST_ROUNDS: usize = 5;
/// How long a page may take a person, where no time is given.
const LONGEST_VISIT: Duration = Duration::from_secs(600);

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
        let visit = call.target.timeout.unwrap_or(LONGEST_VISIT);
        for _ in 1..MOST_ROUNDS {
            // Heard from the beginning: the page may be done before the person has said so.
            let events = session.app.events(&id).map_err(Failure::after_ready)?;
            let ended = ask_once(session, &id, ask(), &tool).await?;
            let Some(pages) = pages(&ended) else { return show(console, &ended) };
            if !visited(session, &id, &pages, events, visit).await {
                return show(console, &ended);
            }
        }
        show(console, &ask_once(session, &id, ask(), &tool).await?)
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
        true => failure
            .hint("`--arg name:=json` gives a value that is no string; --no-validate sends the arguments as they are"),
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

/// A page that a person must have visited before the server answers.
struct Page {
    id: String,
    url: String,
    message: String,
}

fn pages(ended: &Ended) -> Option<Vec<Page>> {
    let needed = ended.answer.elicitations()?.into_iter();
    Some(needed.map(|page| Page { id: page.id, url: page.url, message: page.message }).collect())
}

/// Asks for every page, then waits until the server says that each is done. False where somebody declined.
async fn visited(
    session: &Session,
    server: &str,
    pages: &[Page],
    mut events: Receiver<Event>,
    limit: Duration,
) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for page in pages {
        if !agreed(session, server, page).await {
            return false;
        }
        open.push(&page.id);
    }
    if open.is_empty() {
        return false;
    }
    session.console.say("sonde: waiting until the server says that the page is done");
    let done = async {
        while !open.is_empty() {
            match events.recv().await {
                Ok(Event::ElicitationComplete { id }) => open.retain(|open| *open != id),
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            }
        }
    };
    if !session.console.can_ask() {
        return tokio::time::timeout(limit, done).await.is_ok();
    }
    let held = session.console.hold();
    let told = session.terminal.line(&session.console, "  press Enter to go on at once: ");
    tokio::select! {
        () = done => {}
        _ = told => {}
        () = tokio::time::sleep(limit) => return false,
    }
    drop(held);
    session.console.say("");
    true
}

/// By a rule, or by the person; nobody else can agree.
async fn agreed(session: &Session, server: &str, page: &Page) -> bool {
    let asked = serde_json::json!({
        "mode": "url", "url": page.url, "elicitationId": page.id, "message": page.message,
    });
    let rules = session.rules.as_ref().as_ref();
    let console = &session.console;
    match rules.and_then(|rules| rules.reply("elicitation/create", Some(&asked.to_string()))) {
        Some(sonde_app::Reply::Result(result)) => {
            console.say(&format!("sonde: a page is needed: {} (answered by a rule)", console.err.line(&page.url)));
            let read: serde_json::Value = serde_json::from_str(result.get()).unwrap_or_default();
            read["action"] == "accept"
        }
        Some(sonde_app::Reply::Error { .. }) => false,
        None if console.can_ask() => {
            let _held = console.hold();
            consent(session, server, &page.message, &page.url).await == "accept"
        }
        None => {
            console.say(&format!("sonde: a page is needed: {}", console.err.line(&page.url)));
            console.say("sonde: it was declined (there is no terminal to ask at, and no rule of --answer for it)");
            false
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
