//! The stdio transport: a server's process and its three pipes.

mod inbound;
mod outbound;
mod stderr;

use crate::command::Launch;
use crate::lines::LineLimits;
use crate::link::{self, Link, Peer};
use crate::process::{self, StartError, Supervisor};
use crate::tap::Tap;
pub(crate) use inbound::Inbound;
pub(crate) use outbound::Outbound;
pub use stderr::StderrTail;

/// Bytes that are asked for at once: what a pipe holds.
const CHUNK: usize = 64 << 10;

/// Starts the server and taps its pipes.
pub async fn start_stdio(launch: &Launch, supervisor: &Supervisor, tap: Tap) -> Result<Link, StartError> {
    let (process, pipes) = process::spawn(launch, supervisor).await?;
    Ok(Link {
        inbound: link::Inbound::pipe(Inbound::new(pipes.stdout, LineLimits::up_to(launch.longest_line), tap.clone())),
        outbound: link::Outbound::pipe(Outbound::start(pipes.stdin, tap.clone())),
        peer: Peer::Process(process),
        stderr: StderrTail::drain(pipes.stderr, tap.clone()),
        tap,
    })
}
