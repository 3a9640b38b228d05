//! The commands, each in a file of its own.

mod approve;
mod call;
mod complete;
mod connect;
mod doctor;
mod export;
mod follow;
mod import;
mod list;
mod load;
mod log;
mod manual;
mod pages;
mod pick;
mod ping;
mod prompt;
mod read;
mod retry;
mod secret;
mod send;
mod servers;
mod tasks;

use std::sync::Arc;

use sonde_app::ErrorCode;
use sonde_demo::Scale;

use crate::arguments::{Arguments, Command};
use crate::console::Console;
use crate::failure::{Exit, Failure};

pub async fn run(arguments: Arguments, console: &Arc<Console>) -> Result<Exit, Failure> {
    let Arguments { place, command } = arguments;
    let place = &place;
    match command {
        Command::Servers => servers::run(place, console).await,
        Command::Doctor(doctor) => doctor::run(place, doctor, console).await,
        Command::Connect(connect) => connect::run(place, connect, console).await,
        Command::Tools(tools) => list::tools(place, tools, console).await,
        Command::Call(call) => call::run(place, call, console).await,
        Command::Resources(resources) => list::resources(place, resources, console).await,
        Command::Read(read) => read::run(place, read, console).await,
        Command::Prompts(prompts) => list::prompts(place, prompts, console).await,
        Command::Prompt(prompt) => prompt::run(place, prompt, console).await,
        Command::Complete(complete) => complete::run(place, complete, console).await,
        Command::Ping(ping) => ping::run(place, ping, console).await,
        Command::Retry(retry) => retry::run(place, retry, console).await,
        Command::Tasks(tasks) => tasks::run(place, tasks, console).await,
        Command::Send(send) => send::run(place, send, console).await,
        Command::Log(log) => log::run(place, log, console).await,
        Command::Load(load) => load::run(place, load, console).await,
        Command::Approve(approve) => approve::run(place, approve, console).await,
        Command::Enable(named) => servers::enable(place, named, console).await,
        Command::Disable(named) => servers::disable(place, named, console).await,
        Command::Import(import) => import::run(place, import, console).await,
        Command::Export(export) => export::run(place, export, console).await,
        Command::Secret(secret) => secret::run(place, secret, console).await,
        Command::Demo { http, tools } => demo(http, Scale { tools }).await,
        Command::Completions { shell } => manual::completions(shell, console),
        Command::Man => manual::page(console),
    }
}

async fn demo(http: Option<u16>, scale: Scale) -> Result<Exit, Failure> {
    let served = match http {
        Some(port) => sonde_demo::serve_http(port, scale).await,
        None => sonde_demo::serve_stdio(scale).await,
    };
    served.map(|()| Exit::Ok).map_err(|error| {
        let told = sonde_app::ApiError::new(ErrorCode::Internal, "The demo failed", format!("{error:#}"));
        Failure::told(Exit::Failed, told)
    })
}
