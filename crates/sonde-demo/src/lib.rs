//! A server that shows every feature, so that nobody needs a server of their own to try Sonde.
//!
//! Owns: the demo's tools, resources, prompts and tasks, the one reader and writer of its standard streams, and the
//! one port of 127.0.0.1 that it listens on when told to.
//! Must not know: any other crate of Sonde. It is a peer on the far side of a pipe or a socket.
//! Start reading at [`serve_stdio`] or [`serve_http`], then `server.rs`, then one tool in `tools/`. What
//! the official conformance suite wants is in `suite/`.
//!
//! The binary `sonde-load` beside it is hand-written on purpose: it has no protocol library that
//! would stop it from being fast, or from misbehaving.

mod scale;
mod server;

mod arguments;
mod client;
mod completions;
mod icons;
mod levels;
mod lists;
mod pages;
mod prompts;
mod resources;
mod suite;
mod tasks;
mod tools;

mod dialect;
pub mod flood;
mod http;
mod input;
mod output;

use std::time::Duration;

use anyhow::Context;
use rmcp::{ServiceExt, service::ServerInitializeError, transport::io::stdio_pipes};

pub use crate::{http::serve_http, scale::Scale};
use crate::{output::Output, server::DemoServer};

/// How long the last lines may take to leave after standard input has ended. A client that closed
/// our input and no longer reads our output must not keep this process alive.
const DRAIN: Duration = Duration::from_secs(2);

/// Serves MCP on standard input and output until standard input ends.
///
/// Needs a Tokio runtime with I/O and time enabled. Nothing but protocol is written to standard
/// output, except where the tool `noise` is asked to break that rule.
///
/// # Errors
///
/// Fails when the first message is neither a request nor a ping, or when standard output fails for
/// another reason than that its reader went away.
pub async fn serve_stdio(scale: Scale) -> anyhow::Result<()> {
    let (stdin, stdout) = stdio_pipes();
    let (reader, reading) = input::start(stdin);
    let (output, mut writing) = Output::start(stdout);
    let writer = output.line_writer();

    match DemoServer::new(Some(output), scale).serve((reader, writer)).await {
        Ok(running) => {
            running.waiting().await.context("the protocol loop stopped")?;
        }
        // A client that leaves before `initialize` is an ordinary end, not a failure.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(error).context("the handshake failed"),
    }

    // It has ended, or waits for lines that nobody will answer.
    reading.abort();
    match tokio::time::timeout(DRAIN, &mut writing).await {
        Ok(written) => written.context("the writer of standard output stopped")?.context("standard output failed"),
        Err(_nobody_reads) => {
            writing.abort();
            Ok(())
        }
    }
}
