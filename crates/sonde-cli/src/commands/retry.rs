//! `sonde retry`

use std::sync::Arc;

use sonde_app::{Catalog, Gate};

use super::{list, pick};
use crate::arguments::{Format, Place, Retry};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::errors;
use crate::output::json::JsonText;
use crate::session::{self, Session};

/// What a server may list.
const LISTS: [Catalog; 4] = [Catalog::Tools, Catalog::Resources, Catalog::Templates, Catalog::Prompts];

/// What became of one list.
enum Found {
    Listed {
        count: usize,
        exit: Exit,
    },
    /// The server did not declare that it has any.
    NotOffered,
    Failed(Failure),
}

type Lists = Vec<(Catalog, Found)>;

pub async fn run(place: &Place, retry: Retry, console: &Arc<Console>) -> Result<Exit, Failure> {
    let servers = pick::servers(&retry.target, &retry.words)?;
    pick::refuse_inputs(&retry.target, &servers)?;
    session::run(place, Some(&retry.target), console, async |session| {
        if let [server] = &*servers {
            let id = server.id(&session.app)?;
            session.ready(&id).await?;
            let found = fetch(session, &id).await;
            match console.format {
                Format::Json => console.print_line(&as_json(&found))?,
                Format::Text => as_text(console, "", &found)?,
            }
            return Ok(exit_of(&found));
        }
        let mut exit = Exit::Ok;
        let (mut json, mut unapproved) = (JsonText::object(), Vec::new());
        for id in pick::ids(&session.app, &servers)? {
            let ready = session.ready_unasked(&id).await;
            if servers.is_empty() && list::is_unapproved(&ready) {
                unapproved.push(id);
                continue;
            }
            let found = match ready {
                Ok(()) => Ok(fetch(session, &id).await),
                Err(failure) => Err(failure),
            };
            exit = exit.max(found.as_ref().map_or_else(|failure| failure.exit, exit_of));
            match (console.format, &found) {
                (Format::Json, Ok(found)) => drop(json.raw(&id, &as_json(found))),
                (Format::Json, Err(failure)) => {
                    let mut server = JsonText::object();
                    server.value("error", &failure.error);
                    json.raw(&id, &server.finish());
                }
                (Format::Text, Ok(found)) => {
                    console.print_line(&console.out.bold(&id))?;
                    as_text(console, "  ", found)?;
                }
                (Format::Text, Err(failure)) => {
                    console.print_line(&format!("{}\n  not connected", console.out.bold(&id)))?;
                    failure.error.iter().for_each(|error| console.say(&errors::text(console.err, error)));
                }
            }
        }
        if console.format == Format::Json {
            let mut servers = JsonText::object();
            servers.raw("servers", &json.finish());
            console.print_line(&servers.finish())?;
        }
        list::say_unapproved(console, unapproved.iter().map(String::as_str));
        Ok(exit)
    })
    .await
}

async fn fetch(session: &Session, id: &str) -> Lists {
    let mut found = Vec::new();
    for catalog in LISTS {
        let became = match list::fetch(session, id, catalog, Gate::Keep).await {
            Ok(listing) => {
                Found::Listed { count: listing.entries.len(), exit: list::told(&session.console, id, &listing) }
            }
            Err(failure) if list::is_objection(&failure) => Found::NotOffered,
            Err(failure) => Found::Failed(failure),
        };
        found.push((catalog, became));
    }
    found
}

fn exit_of(found: &Lists) -> Exit {
    let exits = found.iter().map(|(_, found)| match found {
        Found::Listed { exit, .. } => *exit,
        Found::NotOffered => Exit::Ok,
        Found::Failed(failure) => failure.exit,
    });
    exits.max().unwrap_or(Exit::Ok)
}

/// `{"tools":{"count":3},"prompts":{"error":{…}}}`; what a server does not offer is left out.
fn as_json(found: &Lists) -> String {
    let mut json = JsonText::object();
    for (catalog, found) in found {
        let mut list = JsonText::object();
        match found {
            Found::Listed { count, .. } => list.value("count", count),
            Found::Failed(failure) => list.value("error", &failure.error),
            Found::NotOffered => continue,
        };
        json.raw(catalog.member(), &list.finish());
    }
    json.finish()
}

fn as_text(console: &Console, indent: &str, found: &Lists) -> Result<(), Failure> {
    for (catalog, found) in found {
        let told = match found {
            Found::Listed { count, .. } => count.to_string(),
            Found::NotOffered => "not offered".to_owned(),
            Found::Failed(_) => "failed".to_owned(),
        };
        console.print_line(&format!("{indent}{:<19}{told}", catalog.member()))?;
    }
    for error in found.iter().filter_map(|(_, found)| match found {
        Found::Failed(failure) => failure.error.as_ref(),
        Found::Listed { .. } | Found::NotOffered => None,
    }) {
        console.say(&errors::text(console.err, error));
    }
    Ok(())
}
