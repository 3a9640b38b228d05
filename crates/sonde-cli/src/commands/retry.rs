//! `sonde retry`

use std::sync::Arc;

use sonde_app::{Catalog, ErrorCode, Gate};

use super::{list, pick};
use crate::arguments::{Format, Place, Retry};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::errors;
use crate::output::json::JsonText;
use crate::session;

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

pub async fn run(place: &Place, retry: Retry, console: &Arc<Console>) -> Result<Exit, Failure> {
    let server = pick::one_server(&retry.target, &retry.words)?;
    session::run(place, Some(&retry.target), console, async |session| {
        let id = server.id(&session.app)?;
        session.ready(&id).await?;
        let mut found = Vec::new();
        for catalog in LISTS {
            found.push((
                catalog,
                match list::fetch(session, &id, catalog, Gate::Keep).await {
                    Ok(listing) => {
                        Found::Listed { count: listing.entries.len(), exit: list::told(console, &id, &listing) }
                    }
                    Err(failure) if is_objection(&failure) => Found::NotOffered,
                    Err(failure) => Found::Failed(failure),
                },
            ));
        }
        match console.format {
            Format::Json => console.print_line(&as_json(&found))?,
            Format::Text => as_text(console, &found)?,
        }
        let exits = found.iter().map(|(_, found)| match found {
            Found::Listed { exit, .. } => *exit,
            Found::NotOffered => Exit::Ok,
            Found::Failed(failure) => failure.exit,
        });
        Ok(exits.max().unwrap_or(Exit::Ok))
    })
    .await
}

fn is_objection(failure: &Failure) -> bool {
    failure.error.as_ref().is_some_and(|error| error.code == ErrorCode::Objected)
}

/// `{"tools":{"count":3},"prompts":{"error":{…}}}`; what a server does not offer is left out.
fn as_json(found: &[(Catalog, Found)]) -> String {
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

fn as_text(console: &Console, found: &[(Catalog, Found)]) -> Result<(), Failure> {
    for (catalog, found) in found {
        let told = match found {
            Found::Listed { count, .. } => count.to_string(),
            Found::NotOffered => "not offered".to_owned(),
            Found::Failed(_) => "failed".to_owned(),
        };
        console.print_line(&format!("{:<19}{told}", catalog.member()))?;
    }
    for error in found.iter().filter_map(|(_, found)| match found {
        Found::Failed(failure) => failure.error.as_ref(),
        Found::Listed { .. } | Found::NotOffered => None,
    }) {
        console.say(&errors::text(console.err, error));
    }
    Ok(())
}
