//! Requests that are answered only after a person has visited a page (-32042).

use std::time::Duration;

use sonde_app::{Ended, Event, Reply};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::failure::Failure;
use crate::questions::consent;
use crate::session::Session;

/// A server that asks for yet another page after this many is not asked again.
const MOST_ROUNDS: usize = 5;
/// How long a page may take a person, where no time is given.
const LONGEST_VISIT: Duration = Duration::from_secs(600);

/// Asks, and again after each page that was agreed to and visited. Gives the last answer.
pub async fn through(
    session: &Session,
    server: &str,
    limit: Option<Duration>,
    ask: impl AsyncFn() -> Result<Ended, Failure>,
) -> Result<Ended, Failure> {
    for _ in 1..MOST_ROUNDS {
        // Heard from the beginning: the page may be done before the person has said so.
        let events = session.app.events(server).map_err(Failure::after_ready)?;
        let ended = ask().await?;
        let Some(pages) = pages(&ended) else { return Ok(ended) };
        if !visited(session, server, &pages, events, limit.unwrap_or(LONGEST_VISIT)).await {
            return Ok(ended);
        }
    }
    ask().await
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
        Some(Reply::Result(result)) => {
            console.say(&format!("sonde: a page is needed: {} (answered by a rule)", console.err.line(&page.url)));
            let read: serde_json::Value = serde_json::from_str(result.get()).unwrap_or_default();
            read["action"] == "accept"
        }
        Some(Reply::Error { .. }) => false,
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
