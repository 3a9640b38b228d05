//! `sonde tools`, `sonde resources`, `sonde prompts`

use std::sync::Arc;

use serde_json::value::RawValue;
use sonde_app::{ApiError, Catalog, ErrorCode, Gate, Listing};
use tokio::task::JoinSet;

use super::pick::{self, Server};
use crate::arguments::{self, Format, Place};
use crate::console::{Console, Surface};
use crate::failure::{Exit, Failure};
use crate::output::json::JsonText;
use crate::output::lists::Among;
use crate::output::{errors, lists};
use crate::session::{self, Session};

/// What is listed, and how it looks.
#[derive(Clone, Copy)]
struct Kind {
    catalog: Catalog,
    /// The key in the server's own result.
    key: &'static str,
    render: fn(Surface, &[Box<RawValue>], Among<'_>) -> String,
}

pub async fn tools(place: &Place, tools: arguments::Tools, console: &Arc<Console>) -> Result<Exit, Failure> {
    let render = if tools.long { lists::tools_at_length } else { lists::tools };
    run(place, tools.listing, Kind { catalog: Catalog::Tools, key: "tools", render }, console).await
}

pub async fn resources(
    place: &Place,
    resources: arguments::Resources,
    console: &Arc<Console>,
) -> Result<Exit, Failure> {
    let kind = match resources.templates {
        true => Kind { catalog: Catalog::Templates, key: "resourceTemplates", render: lists::templates },
        false => Kind { catalog: Catalog::Resources, key: "resources", render: lists::resources },
    };
    run(place, resources.listing, kind, console).await
}

pub async fn prompts(place: &Place, prompts: arguments::Listing, console: &Arc<Console>) -> Result<Exit, Failure> {
    run(place, prompts, Kind { catalog: Catalog::Prompts, key: "prompts", render: lists::prompts }, console).await
}

async fn run(place: &Place, listing: arguments::Listing, kind: Kind, console: &Arc<Console>) -> Result<Exit, Failure> {
    let servers = pick::servers(&listing.target, &listing.words)?;
    pick::refuse_inputs(&listing.target, &servers)?;
    let gate = if listing.anyway { Gate::Open } else { Gate::Keep };
    session::run(place, Some(&listing.target), console, async |session| match &*servers {
        [server] => one(session, server, kind, gate).await,
        servers => several(session, servers, kind, gate).await,
    })
    .await
}

async fn one(session: &Session, server: &Server, kind: Kind, gate: Gate) -> Result<Exit, Failure> {
    let console = &session.console;
    let id = server.id(&session.app)?;
    session.ready(&id).await?;
    let listing = fetch(session, &id, kind.catalog, gate).await?;
    match console.format {
        Format::Json => console.print_line(&as_json(kind.key, &listing.entries))?,
        Format::Text => console.print(&(kind.render)(console.out, &listing.entries, Among::One))?,
    }
    say_none(console, &id, kind.key, &listing);
    Ok(told(console, &id, &listing))
}

/// Nothing at all would leave a person wondering whether anybody was asked.
pub fn say_none(console: &Console, id: &str, key: &str, listing: &Listing) {
    if console.format == Format::Text && listing.entries.is_empty() {
        console.say(&format!("sonde: the list `{key}` of `{id}` is empty"));
    }
}

/// All at once: one that fails, or never answers, does not keep the others from being shown.
async fn several(session: &Session, named: &[Server], kind: Kind, gate: Gate) -> Result<Exit, Failure> {
    let console = &session.console;
    let servers = pick::ids(&session.app, named)?;
    let mut listings = JoinSet::new();
    for (place, id) in servers.iter().cloned().enumerate() {
        let session = session.clone();
        listings.spawn(async move { (place, list(&session, &id, kind, gate).await) });
    }
    let mut found: Vec<Option<Result<Listing, Failure>>> = servers.iter().map(|_| None).collect();
    while let Some(joined) = listings.join_next().await {
        if let Ok((place, listing)) = joined
            && let Some(slot) = found.get_mut(place)
        {
            *slot = Some(listing);
        }
    }
    let found: Vec<_> = servers.iter().zip(found.into_iter().flatten()).collect();
    // Nobody who was named is passed over.
    let (unapproved, found): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(_, listing)| named.is_empty() && is_unapproved(listing));
    let exit = match console.format {
        Format::Json => all_as_json(console, kind, found.into_iter())?,
        Format::Text => all_as_text(console, kind, found.into_iter())?,
    };
    say_unapproved(console, unapproved.iter().map(|(id, _)| id.as_str()));
    match named.is_empty() {
        true => Ok(exit.max(errors::tell_problems(console, &session.app.servers().problems))),
        false => Ok(exit),
    }
}

fn all_as_text<'a>(
    console: &Console,
    kind: Kind,
    found: impl Iterator<Item = (&'a String, Result<Listing, Failure>)>,
) -> Result<Exit, Failure> {
    let mut exit = Exit::Ok;
    let mut failures = Vec::new();
    for (id, listing) in found {
        match listing {
            Ok(listing) => {
                exit = exit.max(told(console, id, &listing));
                let text = (kind.render)(console.out, &listing.entries, Among::Several(id));
                let text = if text.is_empty() { "none\n".to_owned() } else { text };
                let indented: String = text.lines().map(|line| format!("  {line}\n")).collect();
                console.print(&format!("{}\n{indented}\n", console.out.bold(id)))?;
            }
            // A server that has none is asked for none, and that is no failure of anybody's.
            Err(failure) if is_objection(&failure) => {
                console.print(&format!("{}\n  none\n\n", console.out.bold(id)))?;
            }
            Err(failure) => {
                exit = exit.max(failure.exit);
                failures.extend(failure.error.map(|error| (id, error)));
            }
        }
    }
    // Behind what was found, where nobody must look for either among the other.
    for (id, error) in failures {
        let is_named = error.context.iter().any(|fact| fact.name == "server");
        let error = if is_named { *error } else { error.fact("server", id) };
        console.say(&errors::text(console.err, &error));
    }
    Ok(exit)
}

fn all_as_json<'a>(
    console: &Console,
    kind: Kind,
    found: impl Iterator<Item = (&'a String, Result<Listing, Failure>)>,
) -> Result<Exit, Failure> {
    let mut exit = Exit::Ok;
    let mut servers = JsonText::object();
    for (id, listing) in found {
        match listing {
            Ok(listing) => {
                exit = exit.max(told(console, id, &listing));
                servers.raw(id, &as_json(kind.key, &listing.entries));
            }
            Err(failure) if is_objection(&failure) => {
                servers.raw(id, &as_json(kind.key, &[]));
            }
            Err(failure) => {
                exit = exit.max(failure.exit);
                let mut server = JsonText::object();
                server.value("error", &failure.error);
                servers.raw(id, &server.finish());
            }
        }
    }
    let mut json = JsonText::object();
    json.raw("servers", &servers.finish());
    console.print_line(&json.finish())?;
    Ok(exit)
}

/// Nothing is started that nobody has approved, and of what was not asked for nothing is missing.
pub fn is_unapproved<T>(found: &Result<T, Failure>) -> bool {
    let error = found.as_ref().err().and_then(|failure| failure.error.as_ref());
    error.is_some_and(|error| error.code == ErrorCode::ApprovalNeeded)
}

pub fn say_unapproved<'a>(console: &Console, ids: impl Iterator<Item = &'a str>) {
    let names: Vec<String> = ids.map(|id| format!("`{id}`")).collect();
    if !names.is_empty() {
        console.say(&format!("sonde: not asked, because nobody has approved it: {}", names.join(", ")));
    }
}

pub fn is_objection(failure: &Failure) -> bool {
    failure.error.as_ref().is_some_and(|error| error.code == ErrorCode::Objected)
}

async fn list(session: &Session, id: &str, kind: Kind, gate: Gate) -> Result<Listing, Failure> {
    session.ready_unasked(id).await?;
    fetch(session, id, kind.catalog, gate).await
}

/// A list of a server that is ready. Where not even its beginning came, there is none.
pub async fn fetch(session: &Session, id: &str, catalog: Catalog, gate: Gate) -> Result<Listing, Failure> {
    let listing = session.app.list(id, catalog, gate).await.map_err(Failure::after_ready)?;
    match &listing.problem {
        Some(problem) if listing.entries.is_empty() => {
            let told = ApiError::new(ErrorCode::ServerError, "No list", problem.clone()).fact("server", id);
            Err(Failure::told(Exit::Failed, told))
        }
        _ => Ok(listing),
    }
}

/// `{"tools":[…]}`, the entries as the server wrote them.
pub fn as_json(key: &str, entries: &[Box<RawValue>]) -> String {
    let mut json = JsonText::object();
    json.array(key, entries.iter().map(|entry| &**entry));
    json.finish()
}

/// A list that ended early is still shown. That it did is said, and is a failure of the server's.
pub fn told(console: &Console, id: &str, listing: &Listing) -> Exit {
    let Some(problem) = &listing.problem else { return Exit::Ok };
    console.say(&format!("sonde: the list of `{id}` is not complete: {}", console.err.line(problem)));
    Exit::Failed
}
