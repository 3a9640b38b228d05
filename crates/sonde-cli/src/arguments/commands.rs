//! What each command understands.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::value::RawValue;

use super::call::Given;
use super::target::Target;
use super::values::{argument, duration, pair};

#[derive(Args)]
pub struct Doctor {
    /// Ids of servers; every server that is enabled if none is named
    #[arg(value_name = "SERVER")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Args)]
pub struct Connect {
    /// The server's id
    #[arg(value_name = "SERVER")]
    pub named: Option<String>,
    /// Stay, and show what passes until Ctrl+C
    #[arg(long)]
    pub follow: bool,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Args)]
pub struct Tools {
    #[command(flatten)]
    pub listing: Listing,
    /// Show the arguments of each tool, too
    #[arg(long)]
    pub long: bool,
}

#[derive(Args)]
pub struct Resources {
    #[command(flatten)]
    pub listing: Listing,
    /// List the templates instead
    #[arg(long)]
    pub templates: bool,
}

#[derive(Args)]
pub struct Listing {
    /// Ids of servers; every server that is enabled if none is named
    #[arg(value_name = "SERVER")]
    pub words: Vec<String>,
    /// Ask even if the server did not declare that it has any
    #[arg(long)]
    pub anyway: bool,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Args)]
pub struct Call {
    /// The tool: `server.tool` or `mcp:server.tool`, or its name alone with --server, with --url or after `--`
    #[arg(value_name = "TOOL")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub given: Given,
    /// Let it run as a task, and wait for the task's end
    #[arg(long)]
    pub task: bool,
    /// How long the task's result should be kept
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "task")]
    pub ttl: Option<Duration>,
    /// Do not check the arguments against the tool's schema
    #[arg(long)]
    pub no_validate: bool,
    /// Send it even if what both sides declared does not allow it
    #[arg(long)]
    pub anyway: bool,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Args)]
pub struct Read {
    /// The resource: `SERVER URI`, or the URI alone with --server, with --url or after `--`
    #[arg(value_name = "URI")]
    pub words: Vec<String>,
    /// A URI template, filled in with --arg
    #[arg(long, value_name = "TEMPLATE")]
    pub template: Option<String>,
    /// A value of the template
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair, requires = "template")]
    pub values: Vec<(String, String)>,
    /// A member of the request's `_meta`
    #[arg(long, value_name = "NAME:=JSON", value_parser = argument)]
    pub meta: Vec<(String, Box<RawValue>)>,
    /// Subscribe, and read again whenever the server says that it changed, until Ctrl+C
    #[arg(long)]
    pub follow: bool,
    /// Send it even if what both sides declared does not allow it
    #[arg(long)]
    pub anyway: bool,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Args)]
pub struct Prompt {
    /// The prompt: `server.prompt`, or its name alone with --server, with --url or after `--`
    #[arg(value_name = "PROMPT")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub given: Given,
    /// Send it even if what both sides declared does not allow it
    #[arg(long)]
    pub anyway: bool,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Args)]
#[command(group = clap::ArgGroup::new("of").required(true).args(["prompt", "template"]))]
pub struct Complete {
    /// The server's id
    #[arg(value_name = "SERVER")]
    pub named: Option<String>,
    /// The prompt that the argument belongs to
    #[arg(long, value_name = "NAME")]
    pub prompt: Option<String>,
    /// The URI template that the argument belongs to
    #[arg(long, value_name = "TEMPLATE")]
    pub template: Option<String>,
    /// The argument and what has been typed of it
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub argument: (String, String),
    /// An argument that is already known
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub context: Vec<(String, String)>,
    /// A member of the request's `_meta`
    #[arg(long, value_name = "NAME:=JSON", value_parser = argument)]
    pub meta: Vec<(String, Box<RawValue>)>,
    /// Send it even if what both sides declared does not allow it
    #[arg(long)]
    pub anyway: bool,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Args)]
pub struct Ping {
    /// The server's id
    #[arg(value_name = "SERVER")]
    pub named: Option<String>,
    /// How many times
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub count: u32,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Args)]
pub struct Retry {
    /// Ids of servers; every server that is enabled if none is named
    #[arg(value_name = "SERVER")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Subcommand)]
pub enum Tasks {
    /// List the tasks that a server has
    List(TaskArguments),
    /// Show how a task stands
    Get(TaskArguments),
    /// Wait for the result of a task
    Result(TaskArguments),
    /// Cancel a task
    Cancel(TaskArguments),
}

#[derive(Args)]
pub struct TaskArguments {
    /// The server's id, then the task's; the task's alone with --server, with --url or after `--`
    #[arg(value_name = "TASK")]
    pub words: Vec<String>,
    /// Send it even if what both sides declared does not allow it
    #[arg(long)]
    pub anyway: bool,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Args)]
pub struct Send {
    /// What to send: `SERVER BYTES`, or the bytes alone with --server, with --url or after `--`; `@FILE` for a file, `-` for stdin
    #[arg(value_name = "BYTES")]
    pub words: Vec<String>,
    /// Add no line feed to bytes that were typed; a file and stdin always go out as they are
    #[arg(long)]
    pub exact: bool,
    /// How long to show what comes back, instead of until it is quiet
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub wait: Option<Duration>,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Args)]
pub struct Log {
    /// Rows of this server alone
    #[arg(long, value_name = "ID")]
    pub server: Option<String>,
    /// Rows of this kind alone
    #[arg(long, value_name = "KIND")]
    pub kind: Option<Kind>,
    /// The newest rows, at most this many
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub limit: u32,
    /// Go on with what is new, until Ctrl+C; as JSON one row in a line
    #[arg(long)]
    pub follow: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    Exchange,
    Notification,
    Orphan,
    Unparsable,
    Stderr,
    Mark,
    Http,
}

#[derive(Args)]
pub struct Load {
    /// The tool: `server.tool` or `mcp:server.tool`, or its name alone with --server, with --url or after `--`
    #[arg(value_name = "TOOL")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub given: Given,
    /// How many calls
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub count: u32,
    /// How many at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub concurrency: u32,
    /// Do not ask, even if the tool may change something
    #[arg(long)]
    pub yes: bool,
    /// Do not check the arguments against the tool's schema
    #[arg(long)]
    pub no_validate: bool,
    /// Send it even if what both sides declared does not allow it
    #[arg(long)]
    pub anyway: bool,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Args)]
pub struct Approve {
    /// The server's id
    pub server: String,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
}

#[derive(Args)]
pub struct Named {
    /// The server's id
    pub server: String,
}
