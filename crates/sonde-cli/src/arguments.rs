//! What can be typed. The man page and the completions are made from this, too.

mod address;
mod call;
mod commands;
mod exchange;
mod secrets;
mod target;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use call::{Given, Object};
pub use commands::*;
pub use exchange::{Export, Import};
pub use secrets::{GivenInput, NamedSecret, SecretCommand};
pub use target::{LogLevel, Protocol, Target};
pub use values::bytes_of;

/// Inspect MCP servers from the terminal.
///
/// A server is named by its id in the configuration, or started on the spot: everything after `--` is its command;
/// one that is reached by HTTP is named by its address with --url.
/// Whatever passes between Sonde and a server is recorded; `sonde log` shows it.
#[derive(Parser)]
#[command(
    name = "sonde",
    version,
    arg_required_else_help = true,
    after_help = "Exit status: 0 done; 1 the tool says that it failed; 2 usage, configuration or invalid arguments; \
        3 the server did not become ready; 4 the server answered with an error or went away; 5 no answer in time; \
        130 interrupted"
)]
pub struct Arguments {
    #[command(flatten)]
    pub place: Place,
    #[command(subcommand)]
    pub command: Command,
}

/// The heading of what every command understands.
pub const EVERYWHERE: &str = "Everywhere";

#[derive(Args)]
pub struct Place {
    /// Where the log and the approvals are kept
    #[arg(long, value_name = "FOLDER", global = true, help_heading = EVERYWHERE)]
    pub data_dir: Option<PathBuf>,
    /// The project whose servers are meant; the working folder if not given
    #[arg(long, value_name = "FOLDER", global = true, help_heading = EVERYWHERE)]
    pub project: Option<PathBuf>,
    /// For a person, or for a program
    #[arg(long, value_name = "FORMAT", global = true, default_value = "text", help_heading = EVERYWHERE)]
    pub output: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

#[derive(Subcommand)]
pub enum Command {
    /// List the configured servers and where each comes from
    Servers,
    /// Find out why a server does not start, or whether it does, and what to do
    Doctor(Doctor),
    /// Connect, and show what the server says of itself
    Connect(Connect),
    /// List tools
    Tools(Tools),
    /// Call a tool
    Call(Call),
    /// List resources
    Resources(Resources),
    /// Read a resource
    Read(Read),
    /// List prompts
    Prompts(Listing),
    /// Get a prompt
    Prompt(Prompt),
    /// Ask for completions of an argument
    Complete(Complete),
    /// See whether a server answers, and how fast
    Ping(Ping),
    /// Ask a server for its lists again, and say which of them come
    Retry(Retry),
    /// List tasks, look at one, take its result or cancel it
    #[command(subcommand)]
    Tasks(Tasks),
    /// Send any bytes, and show what comes back
    Send(Send),
    /// Show the log
    Log(Log),
    /// Repeat a call and measure it
    Load(Load),
    /// Allow a configured server to start with exactly the command, or to be reached at the address, that it has now
    Approve(Approve),
    /// Let a server that was disabled be connected again
    Enable(Named),
    /// Write down that a server is not to be connected; one that runs is not ended by it
    Disable(Named),
    /// List the servers that other clients know, or bring them into the configuration; nothing is started by it
    Import(Import),
    /// Write servers down as another client keeps them, with references for secrets
    Export(Export),
    /// Keep, list and forget the secrets and inputs of servers
    #[command(subcommand)]
    Secret(SecretCommand),
    /// Serve the demo over stdin and stdout, or over HTTP until it is interrupted
    Demo {
        /// Listen on this port of 127.0.0.1 instead, 0 for any free one; the address is printed first
        #[arg(long, value_name = "PORT")]
        http: Option<u16>,
        /// List this many tools; 0, or fewer than it has, for its own
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        tools: usize,
    },
    /// Print the completions of a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}
