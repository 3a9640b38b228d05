//! A program that starts a server and waits, for the test that kills it: `host SUPERVISOR FOLDER SERVER [ARGUMENT…]`.
//! Prints the server's first line on stderr once it is there.

use std::path::PathBuf;
use std::sync::Arc;

use sonde_protocol::{Channel, ConnectionId, Record};
use sonde_transport::{Clock, InFlight, Launch, Supervisor, Tap, Verbatim, start_stdio};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().ok_or("host SUPERVISOR FOLDER SERVER [ARGUMENT…]");
    let (supervisor, folder, binary) = (PathBuf::from(word()?), PathBuf::from(word()?), PathBuf::from(word()?));
    let (sink, mut records) = mpsc::channel(64);
    let tap = Tap::new(ConnectionId(1), Clock::start(), sink, InFlight::default(), Arc::new(Verbatim));
    let launch = Launch { binary, args: words.collect(), folder, env: Vec::new() };
    let _link = start_stdio(&launch, &Supervisor::at(supervisor), tap).await?;
    while let Some(record) = records.recv().await {
        if let Record::Frame(frame) = record
            && frame.channel == Channel::Stderr
        {
            println!("{}", String::from_utf8_lossy(&frame.body.bytes));
            std::future::pending::<()>().await;
        }
    }
    Ok(())
}
