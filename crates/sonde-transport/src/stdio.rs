//! The stdio transport: a server's process and its three pipes.

mod inbound;
mod outbound;
mod stderr;

use crate::command::Launch;
use crate::lines::LineLimits;
use crate::process::{self, Process, StartError, Supervisor};
use crate::tap::Tap;
pub use inbound::Inbound;
pub use outbound::{Closed, Outbound};
pub use stderr::StderrTail;

/// Bytes that are asked for at once: what a pipe holds.
const CHUNK: usize = 64 << 10;

/// A live connection: what comes in, what goes out, and the process behind it.
pub struct Link {
    pub inbound: Inbound,
    pub outbound: Outbound,
    pub process: Process,
    pub tap: Tap,
    pub stderr: StderrTail,
}

/// Starts the server and taps its pipes.
pub async fn start_stdio(launch: &Launch, supervisor: &Supervisor, tap: Tap) -> Result<Link, StartError> {
    let (process, pipes) = process::spawn(launch, supervisor).await?;
    Ok(Link {
        inbound: Inbound::new(pipes.stdout, LineLimits::up_to(launch.longest_line), tap.clone()),
        outbound: Outbound::start(pipes.stdin, tap.clone()),
        process,
        stderr: StderrTail::drain(pipes.stderr, tap.clone()),
        tap,
    })
}
