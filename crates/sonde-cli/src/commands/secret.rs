//! `sonde secret`

use std::sync::Arc;

use sonde_app::{ApiError, App, ErrorCode, KeeperKind, Secret, SecretKind, SecretList};

use crate::arguments::{Format, NamedSecret, Place, SecretCommand};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::json::JsonText;
use crate::output::table::Table;
use crate::session::{self, Session};
use crate::unseen;

pub async fn run(place: &Place, command: SecretCommand, console: &Arc<Console>) -> Result<Exit, Failure> {
    session::run(place, None, console, async |session| match &command {
        SecretCommand::Set(named) => set(session, named).await,
        SecretCommand::List { server } => list(session, server.as_deref()).await,
        SecretCommand::Remove(named) => remove(session, named).await,
    })
    .await
}

async fn set(session: &Session, named: &NamedSecret) -> Result<Exit, Failure> {
    let (kind, name) = meant(&named.name);
    // Nobody types a secret for a server that is not there.
    let server = named_server(&session.app, &named.server).await?;
    let prompt = format!("{} of {server}: ", named.name);
    let value = unseen::line(&session.terminal, &session.console, &prompt).await?;
    let value = Secret::new(value);
    let kept = session.app.keep_secret(&server, kind, name, Some(value)).await.map_err(Failure::before_ready)?;
    if kept.kind == KeeperKind::Memory {
        let message = format!("`{}` can't be kept: {}", named.name, kept.notice.unwrap_or_default());
        let told = ApiError::new(ErrorCode::Storage, "Not kept", message);
        let hint = format!("give it for one run with --input {name}, or let `{name}` be a variable: ${{{name}}}");
        return Err(Failure::told(Exit::Usage, told.hint(hint)));
    }
    told(session, "kept", named, "is in the keyring")
}

async fn remove(session: &Session, named: &NamedSecret) -> Result<Exit, Failure> {
    let (kind, name) = meant(&named.name);
    session.app.keep_secret(&named.server, kind, name, None).await.map_err(Failure::before_ready)?;
    told(session, "removed", named, "is forgotten")
}

async fn list(session: &Session, server: Option<&str>) -> Result<Exit, Failure> {
    let servers: Vec<String> = match server {
        Some(server) => vec![named_server(&session.app, server).await?],
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
                    let name = written(secret.kind, &secret.name);
                    let state = if secret.known { "known" } else { "missing" };
                    table.add([id.as_str(), &name, state].map(|cell| console.out.line(cell).into_owned()).to_vec());
                }
            }
            console.print(&table.render(console.out))?;
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

/// The id of the server that is meant.
async fn named_server(app: &App, name: &str) -> Result<String, Failure> {
    app.secrets(name).await.map_err(Failure::before_ready)?;
    let servers = app.servers().servers;
    let id = servers.iter().find(|server| server.id == name || server.name == name).map(|server| server.id.clone());
    Ok(id.unwrap_or_else(|| name.to_owned()))
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

fn meant(name: &str) -> (SecretKind, &str) {
    match name.strip_prefix("input:") {
        Some(id) => (SecretKind::Input, id),
        None => (SecretKind::Secret, name.strip_prefix("secret:").unwrap_or(name)),
    }
}

fn written(kind: SecretKind, name: &str) -> String {
    match kind {
        SecretKind::Secret => name.to_owned(),
        SecretKind::Input => format!("input:{name}"),
    }
}
