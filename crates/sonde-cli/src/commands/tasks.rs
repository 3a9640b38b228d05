//! `sonde tasks`

use std::sync::Arc;

use serde_json::json;
use sonde_app::{Answer, Ask, Catalog, Gate};

use super::call::show_result;
use super::{list, pick};
use crate::arguments::{Format, Place, TaskArguments, Tasks};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::content::as_it_came;
use crate::output::lists;
use crate::session::{self, error_of};

pub async fn run(place: &Place, tasks: Tasks, console: &Arc<Console>) -> Result<Exit, Failure> {
    match tasks {
        Tasks::List(arguments) => all(place, arguments, console).await,
        Tasks::Get(arguments) => ask(place, arguments, "tasks/get", console).await,
        Tasks::Cancel(arguments) => ask(place, arguments, "tasks/cancel", console).await,
        Tasks::Result(arguments) => result(place, arguments, console).await,
    }
}

async fn all(place: &Place, arguments: TaskArguments, console: &Arc<Console>) -> Result<Exit, Failure> {
    let server = pick::one_server(&arguments.target, &arguments.words)?;
    session::run(place, Some(&arguments.target), console, async |session| {
        let id = server.id(&session.app)?;
        session.ready(&id).await?;
        let gate = if arguments.anyway { Gate::Open } else { Gate::Keep };
        let listing = list::fetch(session, &id, Catalog::Tasks, gate).await?;
        match console.format {
            Format::Json => console.print_line(&list::as_json("tasks", &listing.entries))?,
            Format::Text => console.print(&lists::tasks(console.out, &listing.entries))?,
        }
        list::say_none(console, &id, "tasks", &listing);
        Ok(list::told(console, &id, &listing))
    })
    .await
}

async fn ask(place: &Place, arguments: TaskArguments, method: &str, console: &Arc<Console>) -> Result<Exit, Failure> {
    let (server, task) = pick::server_and(&arguments.target, &arguments.words, "task")?;
    session::run(place, Some(&arguments.target), console, async |session| {
        let id = server.id(&session.app)?;
        session.ready(&id).await?;
        let mut ask = Ask::new(&id, method);
        ask.params = Some(json!({ "taskId": task }).to_string());
        ask.anyway = arguments.anyway;
        let ended = session.result_of(ask, method).await?;
        if let Answer::Result(result) = &ended.answer {
            match console.format {
                Format::Json => console.print_line(result.get())?,
                Format::Text => console.print_line(&as_it_came(console.out, result))?,
            }
        }
        Ok(Exit::Ok)
    })
    .await
}

/// Waits for the task's end, and gives what the request that made it would have been answered with.
async fn result(place: &Place, arguments: TaskArguments, console: &Arc<Console>) -> Result<Exit, Failure> {
    let (server, task) = pick::server_and(&arguments.target, &arguments.words, "task")?;
    session::run(place, Some(&arguments.target), console, async |session| {
        let id = server.id(&session.app)?;
        session.ready(&id).await?;
        let begun = session.app.follow_task(&id, &task).await.map_err(Failure::after_ready)?;
        let ended = session.end_of(begun, &task).await?;
        match error_of(&ended) {
            Some(failure) => Err(failure),
            None => show_result(console, &ended),
        }
    })
    .await
}
