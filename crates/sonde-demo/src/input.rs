//! Standard input on its way to the protocol library, line by line.

use std::io;

use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader, DuplexStream},
    task::JoinHandle,
};

use crate::dialect;

/// As much as a Linux pipe holds.
const BUFFER: usize = 64 * 1024;

/// A line longer than this passes as it is: no request that needs another name is that long.
const LONGEST_LINE: usize = 1024 * 1024;

/// Starts the task that reads `stream`. What it gives ends when the stream ends.
pub(crate) fn start(stream: impl AsyncRead + Send + Unpin + 'static) -> (DuplexStream, JoinHandle<io::Result<()>>) {
    let (lines, reader) = tokio::io::duplex(BUFFER);
    (reader, tokio::spawn(forward(stream, lines)))
}

async fn forward(stream: impl AsyncRead + Unpin, mut lines: DuplexStream) -> io::Result<()> {
    let mut stream = BufReader::with_capacity(BUFFER, stream);
    let mut line = Vec::new();
    // Whether the beginning of this line has already been passed on.
    let mut is_begun = false;
    loop {
        let read = stream.fill_buf().await?;
        if read.is_empty() {
            return lines.write_all(&line).await;
        }
        let end = read.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let taken = end.unwrap_or(read.len());
        line.extend(read.iter().take(taken));
        stream.consume(taken);
        if end.is_none() && line.len() < LONGEST_LINE {
            continue;
        }
        let renamed = if is_begun || end.is_none() { None } else { dialect::inbound(&line) };
        lines.write_all(renamed.as_ref().unwrap_or(&line)).await?;
        line.clear();
        is_begun = end.is_none();
    }
}
