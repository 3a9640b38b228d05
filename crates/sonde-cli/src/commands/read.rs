//! `sonde read`

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use sonde_app::{Answer, Ask, Ended, Event};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::pages;
use super::pick::{self, Server};
use crate::arguments::{Format, Object, Place, Read};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::content;
use crate::session::{self, error_of};

pub async fn run(place: &Place, read: Read, console: &Arc<Console>) -> Result<Exit, Failure> {
    let (server, uri) = picked(&read)?;
    let meta = Object::text_of(&read.meta)?;
    session::run(place, Some(&read.target), console, async |session| {
        let uri = match (&read.template, uri) {
            (Some(template), _) => {
                let values: BTreeMap<String, String> = read.values.iter().cloned().collect();
                session.app.expand(template, &values).map_err(|error| Failure::told(Exit::Usage, error))?
            }
            (None, uri) => uri,
        };
        let id = server.id(&session.app)?;
        session.ready(&id).await?;
        let ask = |method: &str| {
            let mut ask = Ask::new(&id, method);
            ask.params = Some(json!({ "uri": uri }).to_string());
            ask.meta = meta.clone();
            ask.anyway = read.anyway;
            ask
        };
        let limit = read.target.timeout;
        let show = async || {
            let ask = async || session.ask(ask("resources/read"), &uri).await;
            show(console, &pages::through(session, &id, limit, ask).await?)
        };
        if !read.follow {
            return show().await;
        }
        // Heard before it is read, so that no change falls between the two.
        let mut events = session.app.events(&id).map_err(Failure::after_ready)?;
        session.result_of(ask("resources/subscribe"), &uri).await?;
        loop {
            show().await?;
            if !changed(&mut events, &uri).await {
                // The next request finds out how the connection ended.
                return show().await;
            }
        }
    })
    .await
}

/// The server and the URI; no URI where a template is filled in.
fn picked(read: &Read) -> Result<(Server, String), Failure> {
    match read.template {
        Some(_) => Ok((pick::one_server(&read.target, &read.words)?, String::new())),
        None => pick::server_and(&read.target, &read.words, "URI"),
    }
}

fn show(console: &Console, ended: &Ended) -> Result<Exit, Failure> {
    if let Some(failure) = error_of(ended) {
        return Err(failure);
    }
    if let Answer::Result(result) = &ended.answer {
        match console.format {
            Format::Json => console.print_line(result.get())?,
            Format::Text => console.print_bytes(&content::resource(console.out, result))?,
        }
    }
    Ok(Exit::Ok)
}

/// Waits for word of this resource. A sub-resource may be what changed, so a longer URI counts, too.
async fn changed(events: &mut Receiver<Event>, uri: &str) -> bool {
    loop {
        match events.recv().await {
            Ok(Event::ResourceUpdated { uri: updated }) if updated.starts_with(uri) => return true,
            Ok(_) => {}
            // Among what was missed there may have been a word of ours.
            Err(RecvError::Lagged(_)) => return true,
            Err(RecvError::Closed) => return false,
        }
    }
}
