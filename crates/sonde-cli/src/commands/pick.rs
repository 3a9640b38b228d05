//! Which server, and what of it.

use sonde_app::{App, ServerSummary, Severity, split_full_name};

use crate::arguments::Target;
use crate::failure::{Exit, Failure};

/// A server as it was typed.
#[derive(Debug, PartialEq, Eq)]
pub enum Server {
    Named(String),
    /// The command after `--`, or the address of --url.
    Typed,
}

impl Server {
    /// Its id, once the core is open.
    pub fn id(&self, app: &App) -> Result<String, Failure> {
        match self {
            Server::Named(name) => Ok(name.clone()),
            Server::Typed => app.typed().ok_or_else(|| Failure::usage("neither a command nor an address was typed")),
        }
    }
}

/// The server alone; none where it was left out.
fn server(target: &Target, words: &[String]) -> Result<Option<Server>, Failure> {
    match (named(target), words) {
        (named, []) => Ok(named),
        (None, [name]) => Ok(Some(Server::Named(name.clone()))),
        (Some(_), [extra, ..]) | (None, [_, extra, ..]) => Err(surplus(extra)),
    }
}

/// Those that are named; none where all are meant.
pub fn servers(target: &Target, words: &[String]) -> Result<Vec<Server>, Failure> {
    match (named(target), words) {
        (Some(_), [extra, ..]) => Err(surplus(extra)),
        (Some(server), []) => Ok(vec![server]),
        (None, words) => {
            let mut names: Vec<&String> = Vec::new();
            words.iter().for_each(|name| {
                if !names.contains(&name) {
                    names.push(name)
                }
            });
            Ok(names.into_iter().map(|name| Server::Named(name.clone())).collect())
        }
    }
}

/// Their ids, once the core is open: of those that are named, or of all that could be connected.
pub fn ids(app: &App, servers: &[Server]) -> Result<Vec<String>, Failure> {
    if servers.is_empty() {
        let is_usable = |server: &ServerSummary| {
            let cannot = server.flaw.as_ref().is_some_and(|flaw| flaw.severity == Severity::Error);
            server.enabled && !cannot
        };
        return Ok(app.servers().servers.into_iter().filter(is_usable).map(|server| server.id).collect());
    }
    servers.iter().map(|server| server.id(app)).collect()
}

/// Refuses values for one server where several would be asked.
pub fn refuse_inputs(target: &Target, servers: &[Server]) -> Result<(), Failure> {
    match servers {
        [_] => Ok(()),
        _ if target.input.is_empty() => Ok(()),
        _ => {
            let told = "--input gives a value to one server, and several would be asked";
            Err(Failure::usage(told).hint("name one server"))
        }
    }
}

/// The server, and one thing of it in a word of its own.
pub fn server_and(target: &Target, words: &[String], what: &str) -> Result<(Server, String), Failure> {
    match (named(target), words) {
        (Some(server), [thing]) => Ok((server, thing.clone())),
        (None, [server, thing]) => Ok((Server::Named(server.clone()), thing.clone())),
        (Some(_), [_, extra, ..]) | (None, [_, _, extra, ..]) => Err(surplus(extra)),
        (Some(_), []) => Err(Failure::usage(format!("the {what} is missing"))),
        (None, _) => Err(Failure::usage(format!("a server and a {what} are needed")).hint(NAMING)),
    }
}

/// The server alone, which must not be left out.
pub fn one_server(target: &Target, words: &[String]) -> Result<Server, Failure> {
    server(target, words)?.ok_or_else(|| Failure::usage("no server is named").hint(NAMING))
}

/// `server.thing`, split at the first dot; or the thing alone where the server is named apart from it.
pub fn dotted(target: &Target, words: &[String], what: &str) -> Result<(Server, String), Failure> {
    let [word] = words else {
        return match words {
            [] => Err(Failure::usage(format!("the {what} is missing")).hint(dotting(what))),
            [_, extra, ..] | [extra] => Err(surplus(extra)),
        };
    };
    let full = split_full_name(word).map(|full| full.map_err(|error| Failure::told(Exit::Usage, error)));
    match (named(target), full) {
        // Where both name the server, they must mean the same one.
        (Some(Server::Named(server)), Some(Ok((same, thing)))) if same == server => {
            Ok((Server::Named(server), thing.to_owned()))
        }
        (Some(Server::Named(server)), Some(Ok((other, _)))) => {
            Err(Failure::usage(format!("`{word}` is of the server `{other}`, and --server names `{server}`")))
        }
        (Some(server), _) => Ok((server, word.clone())),
        (None, Some(full)) => full.map(|(server, thing)| (Server::Named(server.to_owned()), thing.to_owned())),
        (None, None) => match word.split_once('.') {
            Some((server, thing)) if !server.is_empty() && !thing.is_empty() => {
                Ok((Server::Named(server.to_owned()), thing.to_owned()))
            }
            _ => Err(Failure::usage(format!("`{word}` does not name a server and a {what}")).hint(dotting(what))),
        },
    }
}

fn dotting(what: &str) -> String {
    format!("write `server.{what}`, or name the server with --server or --url, or start one after `--`")
}

const NAMING: &str = "name a server of `sonde servers`, or its address with --url, or write a command after `--`";

fn named(target: &Target) -> Option<Server> {
    match &target.server {
        Some(server) => Some(Server::Named(server.clone())),
        None => target.is_named().then_some(Server::Typed),
    }
}

fn surplus(word: &str) -> Failure {
    Failure::usage(format!("`{word}` is one word too many"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        words: Vec<String>,
        #[command(flatten)]
        target: Target,
    }

    fn line(text: &str) -> Line {
        Line::try_parse_from(std::iter::once("x").chain(text.split_whitespace())).expect("a command line")
    }

    fn tool(text: &str) -> Result<(Server, String), Failure> {
        let Line { words, target } = line(text);
        dotted(&target, &words, "tool")
    }

    #[test]
    fn a_tool_is_split_at_the_first_dot_unless_its_server_is_named() {
        let named = |server: &str, tool: &str| (Server::Named(server.to_owned()), tool.to_owned());
        assert_eq!(tool("a.b.c").ok(), Some(named("a", "b.c")));
        assert_eq!(tool("mcp:a.b").ok(), Some(named("a", "b")));
        assert_eq!(tool("mcp:my%2Eshop.b.c").ok(), Some(named("my%2Eshop", "b.c")), "an id has no dot of its own");
        assert_eq!(tool("mcp:a.b --server a").ok(), Some(named("a", "b")), "both mean the same");
        assert_eq!(tool("b.c --server a").ok(), Some(named("a", "b.c")));
        assert_eq!(tool("b.c --url http://x").ok(), Some((Server::Typed, "b.c".to_owned())));
        assert_eq!(tool("b.c -- node x.js").ok(), Some((Server::Typed, "b.c".to_owned())));
        for wrong in ["", "a", "a.", ".b", "a.b c", "mcp:", "mcp:a", "mcp:.b", "mcp:a.", "mcp:a.b --server c"] {
            assert!(tool(wrong).is_err(), "`{wrong}` names no tool of a server");
        }
    }

    #[test]
    fn a_server_comes_first_unless_it_is_named_apart() {
        let pick = |text: &str| {
            let Line { words, target } = line(text);
            server_and(&target, &words, "uri").map(|(server, uri)| (format!("{server:?}"), uri)).ok()
        };
        assert_eq!(pick("a x://y"), Some(("Named(\"a\")".to_owned(), "x://y".to_owned())));
        assert_eq!(pick("x://y --server a"), Some(("Named(\"a\")".to_owned(), "x://y".to_owned())));
        assert_eq!(pick("x://y -- node"), Some(("Typed".to_owned(), "x://y".to_owned())));
        assert_eq!(pick("x://y"), None);
        assert_eq!(pick("a x://y z"), None);
    }
}
