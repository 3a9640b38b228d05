//! Which server is meant, and how we present ourselves to it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::value::RawValue;

use super::address::Address;
use super::secrets::{GivenInput, given_input};
use super::values::{duration, json_object, pair};

#[derive(Args)]
pub struct Target {
    /// The id of a configured server; what is asked of it is then named alone
    #[arg(long, value_name = "ID", conflicts_with = "command", help_heading = "Server")]
    pub server: Option<String>,
    #[command(flatten)]
    pub address: Address,
    /// A variable for the command after `--`
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, requires = "command", help_heading = "Server")]
    #[arg(conflicts_with_all = ["server", "url"])]
    pub env: Vec<(String, String)>,
    /// The folder that the command after `--` runs in
    #[arg(long, value_name = "FOLDER", requires = "command", help_heading = "Server")]
    #[arg(conflicts_with_all = ["server", "url"])]
    pub cwd: Option<PathBuf>,
    /// The longest time to connect, and for each request: `500ms`, `5s`, `2m`
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Connection")]
    pub timeout: Option<Duration>,
    /// The revision to insist on, `auto` to agree on one, `none` to send no `initialize`
    #[arg(long, value_name = "REVISION", help_heading = "Connection")]
    pub protocol: Option<Protocol>,
    /// What to send as `clientInfo`
    #[arg(long, value_name = "JSON", value_parser = json_object, help_heading = "Connection")]
    pub client_info: Option<Box<RawValue>>,
    /// A client capability to declare, such as `sampling` or `elicitation.form`; no other is declared then
    #[arg(long, value_name = "PATH", help_heading = "Connection", conflicts_with = "capabilities")]
    pub capability: Vec<String>,
    /// The client capabilities to declare, as JSON
    #[arg(long, value_name = "JSON", value_parser = json_object, help_heading = "Connection")]
    pub capabilities: Option<Box<RawValue>>,
    /// A folder to give to a server that asks for roots
    #[arg(long, value_name = "FOLDER", help_heading = "Connection")]
    pub root: Vec<PathBuf>,
    /// A secret or an input for this run alone; without `=VALUE` it is typed unseen, or comes on stdin
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = given_input, help_heading = "Server")]
    pub input: Vec<GivenInput>,
    /// Rules that answer what the server asks
    #[arg(long, value_name = "FILE", help_heading = "Connection")]
    pub answer: Option<PathBuf>,
    /// Ask for log messages of this level and above, and show them on stderr
    #[arg(long, value_name = "LEVEL", help_heading = "Connection")]
    pub log_level: Option<LogLevel>,
    /// A server to start: everything after `--`
    #[arg(last = true, value_name = "COMMAND", help_heading = "Server")]
    pub command: Vec<String>,
}

/// How grave a log message is, lightest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl LogLevel {
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Notice => "notice",
            LogLevel::Warning => "warning",
            LogLevel::Error => "error",
            LogLevel::Critical => "critical",
            LogLevel::Alert => "alert",
            LogLevel::Emergency => "emergency",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protocol {
    Auto,
    /// Send nothing before the first request.
    None,
    Pinned(String),
}

impl std::str::FromStr for Protocol {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "auto" => Protocol::Auto,
            "none" => Protocol::None,
            revision => Protocol::Pinned(revision.to_owned()),
        })
    }
}

impl Target {
    /// Whether the server is named apart from what is asked of it.
    pub fn is_named(&self) -> bool {
        self.server.is_some() || self.address.url.is_some() || !self.command.is_empty()
    }

    /// The capabilities that were asked for, as JSON text.
    pub fn capabilities(&self) -> Option<String> {
        match &self.capabilities {
            Some(whole) => Some(whole.get().to_owned()),
            None if self.capability.is_empty() => None,
            None => Some(capability_tree(&self.capability).to_string()),
        }
    }
}

/// `["a", "b.c"]` as `{"a":{},"b":{"c":{}}}`. `listChanged` is a flag and not an object.
fn capability_tree(paths: &[String]) -> serde_json::Value {
    let mut tree = serde_json::Map::new();
    for path in paths {
        let mut level = &mut tree;
        let mut names = path.split('.').peekable();
        while let Some(name) = names.next() {
            if name == "listChanged" && names.peek().is_none() {
                level.insert(name.to_owned(), serde_json::Value::Bool(true));
                break;
            }
            let below = level.entry(name).or_insert_with(|| serde_json::json!({}));
            match below {
                serde_json::Value::Object(below) => level = below,
                _ => break,
            }
        }
    }
    serde_json::Value::Object(tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_capabilities_make_one_tree() {
        let paths = ["sampling", "elicitation.form", "elicitation.url", "roots.listChanged", "roots.listChanged.x"];
        let tree = capability_tree(&paths.map(str::to_owned));
        let wanted = serde_json::json!({
            "sampling": {}, "elicitation": { "form": {}, "url": {} }, "roots": { "listChanged": true },
        });
        assert_eq!(tree, wanted);
    }
}
