//! A program that starts a server and waits, for the tests that kill it, and the supervisor of all tests:
//! `host FOLDER NOTES SERVER [ARGUMENT…]`. Prints the server's process and its first line on stderr once it is
//! there, or why it could not be started.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use sonde_protocol::{Channel, ConnectionId, Record};
use sonde_transport::{Clock, InFlight, Launch, LineLimits, Supervisor, Tap, Verbatim, run_supervisor, start_stdio};
use tokio::sync::mpsc;

fn main() -> ExitCode {
    if let Some(code) = run_supervisor() {
        return code;
    }
    let outcome = tokio::runtime::Runtime::new().map_err(Into::into).and_then(|runtime| runtime.block_on(host()));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}: {:?}", error.source());
            ExitCode::FAILURE
        }
    }
}

async fn host() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().ok_or("host FOLDER NOTES SERVER [ARGUMENT…]");
    let (folder, notes, binary) = (PathBuf::from(word()?), PathBuf::from(word()?), PathBuf::from(word()?));
    let (sink, mut records) = mpsc::channel(64);
    let tap = Tap::new(ConnectionId(1), Clock::start(), sink, InFlight::default(), Arc::new(Verbatim));
    let env = std::env::var_os("PATH").map(|path| ("PATH".to_owned(), path));
    let launch = Launch {
        binary,
        args: words.collect(),
        folder,
        env: env.into_iter().collect(),
        longest_line: LineLimits::MESSAGE.longest,
    };
    let link = start_stdio(&launch, &Supervisor::current()?.noting_in(notes), tap).await?;
    while let Some(record) = records.recv().await {
        if let Record::Frame(frame) = record
            && frame.channel == Channel::Stderr
        {
            let pid = link.peer.pid().unwrap_or_default();
            println!("{pid} {}", String::from_utf8_lossy(&frame.body.bytes));
            std::future::pending::<()>().await;
        }
    }
    Ok(())
}
