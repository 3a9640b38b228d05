//! What a server logs, shown beside what it is asked.

use serde_json::json;
use sonde_app::{Ask, Event};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::arguments::LogLevel;
use crate::console::Console;
use crate::failure::Failure;
use crate::session::Session;

/// Asks for messages of this level and above, and shows them until the session ends.
pub async fn show(session: &Session, server: &str, level: LogLevel) -> Result<(), Failure> {
    // Heard from the beginning: the first message may come before the answer.
    let events = session.app.events(server).map_err(Failure::after_ready)?;
    let console = session.console.clone();
    tokio::spawn(async move { print(&console, events).await });
    let mut ask = Ask::new(server, "logging/setLevel");
    ask.params = Some(json!({ "level": level.as_str() }).to_string());
    session.result_of(ask, "logging/setLevel").await?;
    Ok(())
}

async fn print(console: &Console, mut events: Receiver<Event>) {
    loop {
        match events.recv().await {
            Ok(Event::LogMessage { level, logger, data }) => {
                let logger = logger.map(|logger| format!(" {logger}")).unwrap_or_default();
                console.say(&console.err.line(&format!("[{level}{logger}] {data}")));
            }
            Ok(_) => {}
            Err(RecvError::Lagged(count)) => {
                console.say(&format!("sonde: {count} messages came too fast to show; the log has them"));
            }
            Err(RecvError::Closed) => return,
        }
    }
}
