//! The stdio transport: a server's process, its three pipes, one task for each.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use sonde_protocol::{Channel, Direction, Frame};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::command::Launch;
use crate::lines::{Line, LineLimits, LineSplitter};
use crate::process::{self, Process, Supervisor};
use crate::tap::Tap;

/// Stderr lines that an error message shows.
const TAIL: usize = 20;
/// Longest part of a stderr line in that tail; the log has the whole line.
const TAIL_LINE: usize = 2000;
/// Messages, and bytes of them, that may wait for the server to read its input.
const OUTBOX: usize = 1024;
const OUTBOX_BYTES: usize = 16 << 20;
/// Messages that share one write.
const WRITTEN_TOGETHER: usize = 16;
const CHUNK: usize = 64 << 10;

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("`{}` could not be started", binary.display())]
    Spawn { binary: std::path::PathBuf, source: std::io::Error },
}

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
    let (process, pipes) = process::spawn(launch, supervisor)
        .await
        .map_err(|source| StartError::Spawn { binary: launch.binary.clone(), source })?;
    let (outbox, queue) = mpsc::channel(OUTBOX);
    let closed = CancellationToken::new();
    tokio::spawn(write_messages(pipes.stdin, queue, tap.clone(), closed.clone()));
    let stderr = StderrTail::default();
    let drained = stderr.drain(pipes.stderr, tap.clone());
    Ok(Link {
        inbound: Inbound::new(pipes.stdout, tap.clone()),
        outbound: Outbound { outbox, room: Arc::new(Semaphore::new(OUTBOX_BYTES)), closed },
        process,
        tap,
        stderr: StderrTail { drained: Some(drained), ..stderr },
    })
}

/// The server's stdout, line by line, each recorded before it is given out.
pub struct Inbound {
    pipe: ChildStdout,
    splitter: LineSplitter,
    chunk: Box<[u8]>,
    /// What of `chunk` was read but not yet split.
    unread: std::ops::Range<usize>,
    tap: Tap,
}

impl Inbound {
    fn new(pipe: ChildStdout, tap: Tap) -> Self {
        let chunk = vec![0; CHUNK].into_boxed_slice();
        Inbound { pipe, splitter: LineSplitter::new(LineLimits::MESSAGE), chunk, unread: 0..0, tap }
    }

    /// The next frame; None when the server closed its output.
    pub async fn next(&mut self) -> Option<Frame> {
        loop {
            while !self.unread.is_empty() {
                let (line, taken) = self.splitter.take(self.chunk.get(self.unread.clone()).unwrap_or_default());
                self.unread.start += taken;
                if let Some(line) = line {
                    return Some(self.tap.line(Direction::In, Channel::Message, line).await);
                }
            }
            match self.pipe.read(&mut self.chunk).await {
                Ok(size) if size > 0 => self.unread = 0..size,
                // A broken pipe and a closed one are both the end of what the server has to say.
                Ok(_) | Err(_) => {
                    let line = self.splitter.finish()?;
                    return Some(self.tap.line(Direction::In, Channel::Message, line).await);
                }
            }
        }
    }
}

/// The way to the server's stdin. Messages are written in the order they were sent, whole.
#[derive(Debug, Clone)]
pub struct Outbound {
    outbox: mpsc::Sender<Waiting>,
    /// Room for bytes: small messages may be many, large ones must be few.
    room: Arc<Semaphore>,
    closed: CancellationToken,
}

/// A message on its way, and the room it takes until it is written.
type Waiting = (Vec<u8>, OwnedSemaphorePermit);

/// The server's input is closed.
#[derive(Debug, thiserror::Error)]
#[error("the server's input is closed")]
pub struct Closed;

impl Outbound {
    /// Queues one message, without its line feed. Waits while the server does not read.
    pub async fn send(&self, message: Vec<u8>) -> Result<(), Closed> {
        let send = async {
            let room = self.room.clone().acquire_many_owned(share(&message)).await.map_err(|_| Closed)?;
            self.outbox.send((message, room)).await.map_err(|_| Closed)
        };
        tokio::select! {
            sent = send => sent,
            () = self.closed.cancelled() => Err(Closed),
        }
    }

    /// Queues one message if there is room, and gives it back if there is none.
    pub fn try_send(&self, message: Vec<u8>) -> Result<(), Vec<u8>> {
        let Ok(room) = self.room.clone().try_acquire_many_owned(share(&message)) else { return Err(message) };
        self.outbox.try_send((message, room)).map_err(|refused| refused.into_inner().0)
    }

    /// Closes the server's stdin, even in the middle of a write that the server does not take.
    pub fn close(&self) {
        self.closed.cancel();
    }
}

/// A message larger than all the room takes all of it.
fn share(message: &[u8]) -> u32 {
    u32::try_from(message.len().min(OUTBOX_BYTES)).unwrap_or(u32::MAX)
}

async fn write_messages(mut pipe: ChildStdin, mut queue: mpsc::Receiver<Waiting>, tap: Tap, closed: CancellationToken) {
    // Dropping the pipe is what closes it; a shutdown would not.
    let mut waiting = Vec::new();
    loop {
        let taken = tokio::select! {
            biased;
            () = closed.cancelled() => return,
            taken = queue.recv_many(&mut waiting, WRITTEN_TOGETHER) => taken,
        };
        if taken == 0 {
            return;
        }
        // What waits together is written together: one call to the system, one wake-up of the server.
        let mut bytes = Vec::with_capacity(waiting.iter().map(|(message, _): &Waiting| message.len() + 1).sum());
        for (message, _room) in waiting.drain(..) {
            let line = Line { bytes: message, cut: None, terminated: true };
            let frame = tap.line(Direction::Out, Channel::Message, line).await;
            bytes.extend_from_slice(&frame.body.bytes);
            bytes.push(b'\n');
        }
        tokio::select! {
            written = pipe.write_all(&bytes) => if let Err(error) = written {
                tap.mark(format!("the server no longer reads its input: {error}")).await;
                closed.cancel();
                return;
            },
            () = closed.cancelled() => return,
        }
    }
}

/// The newest lines of a server's stderr, for error messages. The log has them all.
#[derive(Debug, Default)]
pub struct StderrTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    /// Resolves when the server closed its stderr.
    drained: Option<oneshot::Receiver<()>>,
}

impl StderrTail {
    pub fn lines(&self) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        lines.iter().cloned().collect()
    }

    /// Waits until everything the server wrote has been read.
    pub async fn drained(&mut self) {
        if let Some(drained) = self.drained.take() {
            // An error means the reader is gone, so there is nothing to wait for either.
            drained.await.ok();
        }
    }

    /// A pipe that nobody reads would stop the server, so it is read for as long as it is open.
    fn drain(&self, mut pipe: ChildStderr, tap: Tap) -> oneshot::Receiver<()> {
        let (done, drained) = oneshot::channel();
        let lines = self.lines.clone();
        tokio::spawn(async move {
            let mut splitter = LineSplitter::new(LineLimits::STDERR);
            let mut chunk = vec![0; CHUNK];
            loop {
                let size = match pipe.read(&mut chunk).await {
                    Ok(size) if size > 0 => size,
                    Ok(_) | Err(_) => break,
                };
                let mut rest = chunk.get(..size).unwrap_or_default();
                while !rest.is_empty() {
                    let (line, taken) = splitter.take(rest);
                    rest = rest.get(taken..).unwrap_or_default();
                    if let Some(line) = line {
                        keep(&lines, &line);
                        tap.line(Direction::In, Channel::Stderr, line).await;
                    }
                }
            }
            if let Some(line) = splitter.finish() {
                keep(&lines, &line);
                tap.line(Direction::In, Channel::Stderr, line).await;
            }
            done.send(()).ok();
        });
        drained
    }
}

fn keep(lines: &Mutex<VecDeque<String>>, line: &Line) {
    let text = String::from_utf8_lossy(line.bytes.get(..TAIL_LINE).unwrap_or(&line.bytes)).trim_end().to_owned();
    let mut lines = lines.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if lines.len() == TAIL {
        lines.pop_front();
    }
    lines.push_back(text);
}
