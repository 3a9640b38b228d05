//! What `sonde import` and `sonde export` understand.

use std::path::PathBuf;

use clap::Args;

use super::values::pair;

#[derive(Args)]
pub struct Import {
    /// A client like `claude-desktop`, a file in JSON, TOML or YAML, or `-` for stdin; without it, what was found is listed
    #[arg(value_name = "CLIENT|FILE")]
    pub source: Option<String>,
    /// The server of this name alone; may be given several times
    #[arg(long, value_name = "NAME", requires = "source")]
    pub only: Vec<String>,
    /// Another name for a server
    #[arg(long, value_name = "OLD=NEW", value_parser = pair, requires = "source")]
    pub rename: Vec<(String, String)>,
    /// Let it take the place of the server that has its name already; without it such a one is left out
    #[arg(long, value_name = "NAME", requires = "source")]
    pub replace: Vec<String>,
    /// Write into the configuration of the project instead of the global one
    #[arg(long, requires = "source")]
    pub into_project: bool,
    /// Write references for secrets that stand there in clear, and keep none of the values: they are given later
    #[arg(long, requires = "source")]
    pub leave_secrets_out: bool,
    /// Show what would be imported, and write nothing
    #[arg(long, requires = "source")]
    pub dry_run: bool,
}

#[derive(Args)]
pub struct Export {
    /// Ids of servers; every server that stands in a file if none is named
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
    /// The client whose shape is wanted, like `vscode`
    #[arg(long, value_name = "SHAPE", default_value = "sonde")]
    pub shape: String,
    /// List the shapes, and where each client keeps its file
    #[arg(long, conflicts_with_all = ["shape", "servers", "file"])]
    pub list: bool,
    /// Write to a file that is not there yet, instead of to stdout
    #[arg(short = 'o', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
}
