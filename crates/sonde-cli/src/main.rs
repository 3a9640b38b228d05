//! The front door of the terminal.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use sonde_app::{ApiError, App, DataFolder, PendingApproval, Setup, visible};

/// Inspect MCP servers from the terminal.
#[derive(Parser)]
#[command(name = "sonde", version)]
struct Arguments {
    /// Where the log and the approvals are kept
    #[arg(long, value_name = "FOLDER", global = true)]
    data_dir: Option<PathBuf>,
    /// The project whose servers are meant; the working folder if not given
    #[arg(long, value_name = "FOLDER", global = true)]
    project: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the configured servers and where each comes from
    Servers,
    /// Allow a configured server to start with exactly the command it has now
    Approve {
        /// The server's name
        server: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Serve the demo over stdin and stdout
    Demo,
}

/// Usage, configuration and invalid arguments.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    if let Some(code) = sonde_app::run_supervisor() {
        return code;
    }
    let arguments = Arguments::parse();
    let outcome = tokio::runtime::Runtime::new()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(run(arguments)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sonde: {error:#}");
            ExitCode::from(USAGE)
        }
    }
}

async fn run(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.command {
        Command::Demo => sonde_demo::serve_stdio().await,
        Command::Servers => {
            list(&open(arguments.data_dir, arguments.project).await?);
            Ok(())
        }
        Command::Approve { server, yes } => {
            let app = open(arguments.data_dir, arguments.project).await?;
            let pending = app.pending_approval(&server).map_err(told)?;
            show(&pending);
            if !yes && !confirmed()? {
                anyhow::bail!("`{server}` was not approved");
            }
            app.approve(&pending).map_err(told)?;
            println!("approved: `{server}` may start with exactly this");
            Ok(())
        }
    }
}

async fn open(data_dir: Option<PathBuf>, project: Option<PathBuf>) -> anyhow::Result<App> {
    let setup = Setup::here(DataFolder::open(data_dir)?, project)?;
    App::open(setup).await.map_err(told)
}

fn told(error: ApiError) -> anyhow::Error {
    anyhow::anyhow!("{error}")
}

fn list(app: &App) {
    let list = app.servers();
    for server in &list.servers {
        println!("{:<24} {}", server.id, visible(server.origin.file.as_deref().unwrap_or("built in")));
    }
    for problem in &list.problems {
        eprintln!(
            "{}: {}",
            visible(&problem.file),
            problem.error.to_string().lines().map(visible).collect::<Vec<_>>().join("\n")
        );
    }
}

fn show(pending: &PendingApproval) {
    println!("server    {}", visible(&pending.server));
    println!("program   {}", visible(&pending.binary));
    for (number, argument) in (1..).zip(&pending.args) {
        println!("{:<10}{}", format!("arg {number}"), visible(argument));
    }
    println!("folder    {}", visible(&pending.folder));
    println!("variables {}", visible(&pending.env_names.join(", ")));
    println!("from      {}", visible(pending.file.as_deref().unwrap_or("built in")));
}

/// Only a person at a terminal can say yes.
fn confirmed() -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        anyhow::bail!("there is no terminal to ask at\nhint: look at the command above, then add --yes");
    }
    print!("Allow it? Type yes: ");
    std::io::stdout().flush()?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(line.trim() == "yes")
}
