//! Lines on their way to the client.
//!
//! Three things write to standard output: the protocol library, `noise` and `flood`. A task owns the stream and
//! takes only whole lines, so none of them can cut another's line in two, and a call that is
//! cancelled while it waits leaves nothing half written. Over HTTP each request has an output of its own, which the
//! stream of its answer takes lines from.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::{mpsc, oneshot},
    task::JoinHandle,
};
use tokio_util::sync::PollSender;

use crate::dialect;

/// Batches that may wait for the pipe. When full, writers wait: that is the back-pressure of
/// `flood`, and with batches of about [`crate::flood::BATCH_BYTES`] it bounds its memory.
const WAITING_BATCHES: usize = 8;

/// A handle on standard output, or on the stream of one request. The writer of standard output ends when the last
/// handle is gone.
#[derive(Clone)]
pub(crate) struct Output {
    batches: mpsc::Sender<Batch>,
    awaited: Awaited,
}

/// The other end of an [`Output`]: what has not been written yet.
pub(crate) struct Waiting {
    batches: mpsc::Receiver<Batch>,
    awaited: Awaited,
}

pub(crate) enum Batch {
    Lines(WholeLines),
    /// The stream of this request ends here, though its answer is still to come.
    HangUp,
}

/// Those who wait for a line of the protocol library.
#[derive(Clone, Default)]
struct Awaited(Arc<Mutex<Vec<AwaitedLine>>>);

/// Someone waits for a line of the protocol library that holds these bytes.
struct AwaitedLine {
    part: String,
    written: oneshot::Sender<()>,
}

/// Bytes that end with a newline, or no bytes at all.
pub(crate) struct WholeLines(Vec<u8>);

/// What the protocol library writes into: gathers bytes and passes on whole lines.
pub(crate) struct LineWriter {
    batches: PollSender<Batch>,
    /// The beginning of a line whose newline has not been written yet.
    unfinished: Vec<u8>,
    /// Whether the answer to `initialize` has left.
    is_greeted: bool,
    awaited: Awaited,
}

impl Output {
    pub(crate) fn new() -> (Self, Waiting) {
        let (sender, batches) = mpsc::channel(WAITING_BATCHES);
        let awaited = Awaited::default();
        (Self { batches: sender, awaited: awaited.clone() }, Waiting { batches, awaited })
    }

    /// Starts the task that owns `stream`. A reader that went away ends it without an error.
    pub(crate) fn start(mut stream: impl AsyncWrite + Send + Unpin + 'static) -> (Self, JoinHandle<io::Result<()>>) {
        let (output, mut waiting) = Self::new();
        let writing = tokio::spawn(async move {
            while let Some(batch) = waiting.batches.recv().await {
                // Standard output is no stream of one request, and stays.
                let Batch::Lines(WholeLines(bytes)) = batch else { continue };
                if let Err(error) = write_and_flush(&mut stream, &bytes).await {
                    return match error.kind() {
                        io::ErrorKind::BrokenPipe => Ok(()),
                        _ => Err(error),
                    };
                }
            }
            Ok(())
        });
        (output, writing)
    }

    /// Queues `lines` behind what was written before, waiting while the pipe is full. Dropping the
    /// future before it is done writes nothing.
    pub(crate) async fn write(&self, lines: WholeLines) -> io::Result<()> {
        self.batches.send(Batch::Lines(lines)).await.map_err(|_| closed())
    }

    /// Ends the stream of this request, as soon as its reader knows where to go on.
    pub(crate) async fn hang_up(&self) -> io::Result<()> {
        self.batches.send(Batch::HangUp).await.map_err(|_| closed())
    }

    pub(crate) fn line_writer(&self) -> LineWriter {
        LineWriter {
            batches: PollSender::new(self.batches.clone()),
            unfinished: Vec::new(),
            is_greeted: false,
            awaited: self.awaited.clone(),
        }
    }

    /// Ready once a line that holds `part` is on its way; what is sent then stands behind it.
    pub(crate) fn line_with(&self, part: String) -> oneshot::Receiver<()> {
        let (written, line) = oneshot::channel();
        let mut awaited = self.awaited.lock();
        awaited.retain(|line| !line.written.is_closed());
        awaited.push(AwaitedLine { part, written });
        line
    }
}

impl Waiting {
    /// What comes next; `Ready(None)` once nobody can write any more.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Batch>> {
        self.batches.poll_recv(context)
    }

    /// Tells those who wait for a part of `line` that it is on its way.
    pub(crate) fn announce(&self, line: &[u8]) {
        tell(self.awaited.in_lines(line));
    }
}

impl Awaited {
    fn lock(&self) -> MutexGuard<'_, Vec<AwaitedLine>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes out those whose line is among `lines`.
    fn in_lines(&self, lines: &[u8]) -> Vec<AwaitedLine> {
        self.lock().extract_if(.., |line| dialect::contains(lines, line.part.as_bytes())).collect()
    }
}

fn tell(announced: Vec<AwaitedLine>) {
    for line in announced {
        // Whoever stopped waiting does not mind.
        line.written.send(()).unwrap_or_default();
    }
}

impl WholeLines {
    /// Takes `bytes` as they are and adds the last newline if it is missing.
    pub(crate) fn new(mut bytes: Vec<u8>) -> Self {
        if bytes.last().is_some_and(|last| *last != b'\n') {
            bytes.push(b'\n');
        }
        Self(bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl AsyncWrite for LineWriter {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
            self.unfinished.extend_from_slice(bytes);
            return Poll::Ready(Ok(bytes.len()));
        };
        // Nothing is taken before there is room, so `Pending` leaves the bytes with the caller.
        ready!(self.batches.poll_reserve(context)).map_err(|_| closed())?;
        let (finished, rest) = bytes.split_at(end + 1);
        let mut lines = std::mem::replace(&mut self.unfinished, rest.to_vec());
        lines.extend_from_slice(finished);
        if !self.is_greeted
            && let Some(greeting) = dialect::greeting(&lines)
        {
            self.is_greeted = true;
            lines = greeting;
        }
        let announced = self.awaited.in_lines(&lines);
        self.batches.send_item(Batch::Lines(WholeLines(lines))).map_err(|_| closed())?;
        tell(announced);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The owner flushes after each batch; waiting for that here would only serialise answers.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.batches.close();
        Poll::Ready(Ok(()))
    }
}

async fn write_and_flush(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes).await?;
    stream.flush().await
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "standard output is closed")
}
