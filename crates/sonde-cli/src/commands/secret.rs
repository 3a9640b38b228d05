//! `sonde secret`

use std::sync::Arc;

use sonde_app::{ApiError, App, ErrorCode, KeeperKind, Lasting, Secret, SecretList, SecretState};

use crate::arguments::{Format, NamedSecret, Place, SecretCommand};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::inputs;
use crate::output::json::JsonText;
use crate::output::table::Table;
use crate::session::{self, Session};

pub async fn run(place: &Place, command: SecretCommand, console: &Arc<Console>) -> Result<Exit, Failure> {
    session::run(place, None, console, async |session| match &command {
        SecretCommand::Set(named) => set(session, named).await,
        SecretCommand::List { server } => list(session, server.as_deref()).await,
        SecretCommand::Remove(named) => remove(session, named).await,
    })
    .await
}

async fn set(session: &Session, named: &NamedSecret) -> Result<Exit, Failure> {
    // Nobody types a secret for a server that is not there, nor one that it has no use for or that can't be kept.
    let (server, list) = named_server(&session.app, &named.server).await?;
    let state = inputs::meant(&list, &server, &named.name)?;
    if list.keeper.kind == KeeperKind::Memory {
        return Err(unkept(state, "there is no keyring that could keep it", list.keeper.notice.as_deref()));
    }
    let prompt = format!("{} of {server}: ", session.console.err.line(&state.name));
    let value = inputs::typed(session, state, &prompt).await?;
    let value = Secret::new(value);
    let kept = session.app.keep_secret(&server, state.kind, &state.name, Some(value), Lasting::Required).await;
    let kept = kept.map_err(|error| match error.code {
        ErrorCode::Storage => unkept(state, &error.message, None),
        _ => Failure::before_ready(error),
    })?;
    if let Some(notice) = &kept.notice {
        session.console.say(&format!("note: {notice}"));
    }
    told(session, "kept", named, "is in the keyring")
}

/// Where nothing lasts, there is another way.
fn unkept(state: &SecretState, why: &str, notice: Option<&str>) -> Failure {
    let name = &state.name;
    let told = ApiError::new(ErrorCode::Storage, "Not kept", format!("`{name}` can't be kept: {why}"));
    // What it says of memory is true of a window, and not of a program that ends at once.
    let told = match notice.and_then(|notice| notice.split("; ").next()) {
        Some(cause) => told.fact("keyring", cause),
        None => told,
    };
    let hint = format!("give it for one run with --input {name}, or let `{name}` be a variable: ${{{name}}}");
    Failure::told(Exit::Usage, told.hint(hint))
}

async fn remove(session: &Session, named: &NamedSecret) -> Result<Exit, Failure> {
    let (server, list) = named_server(&session.app, &named.server).await?;
    // What its entry no longer refers to may still be kept: whoever says which kind it is can have it forgotten.
    if let (Some(kind), name) = inputs::divided(&named.name)
        && !list.secrets.iter().any(|state| state.kind == kind && state.name == name)
    {
        let forgotten = session.app.keep_secret(&server, kind, name, None, Lasting::Required).await;
        forgotten.map_err(Failure::before_ready)?;
        return told(session, "removed", named, "is not kept, or not any more");
    }
    let state = inputs::meant(&list, &server, &named.name)?;
    if !state.known {
        let failure = Failure::usage(format!("nothing is kept as `{}` of `{server}`", named.name));
        return Err(match &list.keeper.notice {
            Some(notice) => failure.hint(notice.split("; ").next().unwrap_or_default()),
            None => failure,
        });
    }
    let forgotten = session.app.keep_secret(&server, state.kind, &state.name, None, Lasting::Required).await;
    forgotten.map_err(Failure::before_ready)?;
    told(session, "removed", named, "is forgotten")
}

async fn list(session: &Session, server: Option<&str>) -> Result<Exit, Failure> {
    let servers: Vec<String> = match server {
        Some(server) => vec![named_server(&session.app, server).await?.0],
        None => session.app.servers().servers.into_iter().map(|server| server.id).collect(),
    };
    let mut lists: Vec<(String, SecretList)> = Vec::new();
    for id in servers {
        let list = session.app.secrets(&id).await.map_err(Failure::before_ready)?;
        if server.is_some() || !list.secrets.is_empty() {
            lists.push((id, list));
        }
    }
    let console = &session.console;
    match console.format {
        Format::Text => {
            let mut table = Table::new(&["SERVER", "NAME", "STATE"]);
            for (id, list) in &lists {
                for secret in &list.secrets {
                    let name = inputs::written(secret);
                    let state = if secret.known { "known" } else { "missing" };
                    table.add([id.as_str(), &name, state].map(|cell| console.out.line(cell).into_owned()).to_vec());
                }
            }
            console.print(&table.render(console.out))?;
            if lists.iter().all(|(_, list)| list.secrets.is_empty()) {
                let who = server.map_or_else(|| "no server".to_owned(), |server| format!("`{server}`"));
                let what =
                    if server.is_some() { "asks for no secret and no input" } else { "asks for a secret or an input" };
                console.say(&format!("sonde: {who} {what}"));
            }
            if let Some(notice) = lists.iter().find_map(|(_, list)| list.keeper.notice.as_deref()) {
                console.say(notice);
            }
        }
        Format::Json => {
            let mut json = JsonText::object();
            for (id, list) in &lists {
                json.value(id, list);
            }
            console.print_line(&json.finish())?;
        }
    }
    Ok(Exit::Ok)
}

/// The id of the server that is meant, and what it asks for.
async fn named_server(app: &App, name: &str) -> Result<(String, SecretList), Failure> {
    let list = app.secrets(name).await.map_err(Failure::before_ready)?;
    let servers = app.servers().servers;
    let id = servers.iter().find(|server| server.id == name || server.name == name).map(|server| server.id.clone());
    Ok((id.unwrap_or_else(|| name.to_owned()), list))
}

fn told(session: &Session, done: &str, named: &NamedSecret, becomes: &str) -> Result<Exit, Failure> {
    let console = &session.console;
    match console.format {
        Format::Text => console.print_line(&format!("`{}` of `{}` {becomes}", named.name, named.server))?,
        Format::Json => {
            let mut json = JsonText::object();
            json.value(done, &named.name).value("server", &named.server);
            console.print_line(&json.finish())?;
        }
    }
    Ok(Exit::Ok)
}
