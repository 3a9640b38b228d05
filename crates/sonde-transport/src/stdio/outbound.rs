//! The server's stdin.
//!
//! A message is written by whoever sends it, where nothing waits and the pipe takes it at once: that saves the
//! wake-up of a task, which costs more than the writing. Everything else waits in a queue for the one task that
//! writes. Either way it is recorded first, and in the order in which it is written.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::link::Closed;
use crate::process::Stdin;
use crate::tap::Tap;

/// Messages, and bytes of them, that may wait for the server to read its input.
const OUTBOX: usize = 1024;
const OUTBOX_BYTES: usize = 16 << 20;
/// Messages that share one write.
const WRITTEN_TOGETHER: usize = 16;

/// The way to the server's stdin. Messages are written in the order they were sent, whole.
#[derive(Debug, Clone)]
pub struct Outbound {
    outlet: Arc<Outlet>,
    /// The last one to be dropped lets what waits be written, and closes.
    _held: Arc<Held>,
}

impl Outbound {
    pub(super) fn start(pipe: Stdin, tap: Tap) -> Self {
        let state = State { pipe: Some(Arc::new(pipe)), ..State::default() };
        let outlet = Arc::new(Outlet {
            tap,
            state: Mutex::new(state),
            news: Notify::new(),
            places: Arc::new(Semaphore::new(OUTBOX)),
            room: Arc::new(Semaphore::new(OUTBOX_BYTES)),
            closed: CancellationToken::new(),
        });
        tokio::spawn(outlet.clone().write_queued());
        Outbound { _held: Arc::new(Held(outlet.clone())), outlet }
    }

    /// Sends one message, without its line feed. Waits while the server does not read.
    pub async fn send(&self, message: Vec<u8>) -> Result<(), Closed> {
        match self.outlet.write_at_once(with_line_feed(message)) {
            Ok(()) => Ok(()),
            Err(line) => self.queue(line).await,
        }
    }

    /// Sends exactly these bytes, in their turn. Recorded as the lines that they contain; what stands behind the last
    /// line feed is recorded as a line without one, though the next message goes on where it ends.
    pub async fn send_raw(&self, bytes: Vec<u8>) -> Result<(), Closed> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.queue(bytes).await
    }

    /// Sends one message if there is room, and gives it back if there is none.
    pub fn try_send(&self, message: Vec<u8>) -> Result<(), Vec<u8>> {
        let Err(line) = self.outlet.write_at_once(with_line_feed(message)) else { return Ok(()) };
        if self.outlet.closed.is_cancelled() {
            return Err(without_line_feed(line));
        }
        let room = self.outlet.room.clone().try_acquire_many_owned(share(&line));
        let place = self.outlet.places.clone().try_acquire_owned();
        match (place, room) {
            (Ok(place), Ok(room)) => {
                self.outlet.enqueue(Waiting { bytes: line, _permits: (place, room) });
                Ok(())
            }
            _ => Err(without_line_feed(line)),
        }
    }

    /// Bytes that were sent and that the server has not taken: more than 0 for long means that it does not read.
    pub fn unread(&self) -> usize {
        let state = self.outlet.state();
        state.unfinished + state.queue.iter().map(|waiting| waiting.bytes.len()).sum::<usize>()
    }

    /// Closes the server's stdin, even in the middle of a write that the server does not take.
    pub fn close(&self) {
        self.outlet.close();
    }

    async fn queue(&self, bytes: Vec<u8>) -> Result<(), Closed> {
        let outlet = &self.outlet;
        let permits = async {
            let place = outlet.places.clone().acquire_owned().await.map_err(|_| Closed)?;
            let room = outlet.room.clone().acquire_many_owned(share(&bytes)).await.map_err(|_| Closed)?;
            Ok((place, room))
        };
        let permits = tokio::select! {
            biased;
            () = outlet.closed.cancelled() => Err(Closed),
            permits = permits => permits,
        }?;
        outlet.enqueue(Waiting { bytes, _permits: permits });
        Ok(())
    }
}

fn with_line_feed(mut message: Vec<u8>) -> Vec<u8> {
    message.push(b'\n');
    message
}

fn without_line_feed(mut line: Vec<u8>) -> Vec<u8> {
    line.pop();
    line
}

/// A message larger than all the room takes all of it.
fn share(message: &[u8]) -> u32 {
    u32::try_from(message.len().min(OUTBOX_BYTES)).unwrap_or(u32::MAX)
}

#[derive(Debug)]
struct Held(Arc<Outlet>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.state().last = true;
        self.0.news.notify_one();
    }
}

struct Outlet {
    tap: Tap,
    /// Never held while something is waited for.
    state: Mutex<State>,
    /// Wakes the task that writes.
    news: Notify,
    places: Arc<Semaphore>,
    /// Room for bytes: small messages may be many, large ones must be few.
    room: Arc<Semaphore>,
    closed: CancellationToken,
}

#[derive(Default)]
struct State {
    /// None once closed. Dropping the last copy is what closes it; a shutdown would not.
    pipe: Option<Arc<Stdin>>,
    queue: VecDeque<Waiting>,
    /// The rest of a message that was written only in part, or why it could not be.
    rest: Option<std::io::Result<Bytes>>,
    /// True while the task writes, and so nobody else may.
    writing: bool,
    /// Bytes that the task, or whoever wrote before it, has begun with and not written yet.
    unfinished: usize,
    /// True once nobody is left to send more.
    last: bool,
}

/// A message on its way, and the room it takes until it is written.
struct Waiting {
    bytes: Vec<u8>,
    _permits: (OwnedSemaphorePermit, OwnedSemaphorePermit),
}

impl std::fmt::Debug for Outlet {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Outlet").finish_non_exhaustive()
    }
}

/// What the task has to do next.
enum Turn {
    Rest(std::io::Result<Bytes>),
    Messages(Vec<Waiting>),
    Nothing,
    End,
}

impl Outlet {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.closed.cancel();
        self.state().pipe = None;
    }

    fn enqueue(&self, waiting: Waiting) {
        self.state().queue.push_back(waiting);
        self.news.notify_one();
    }

    /// Records and writes a line now, if nothing is before it and nobody has to be waited for; otherwise gives it back.
    fn write_at_once(&self, line: Vec<u8>) -> Result<(), Vec<u8>> {
        let mut state = self.state();
        let Some(pipe) = state.pipe.clone() else { return Err(line) };
        if state.writing || state.rest.is_some() || !state.queue.is_empty() {
            return Err(line);
        }
        let bytes = self.tap.try_written(line)?;
        let rest = match pipe.try_write(&bytes) {
            Ok(size) if size == bytes.len() => return Ok(()),
            Ok(size) => Ok(bytes.slice(size..)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(bytes),
            Err(error) => Err(error),
        };
        state.unfinished = rest.as_ref().map_or(0, Bytes::len);
        state.rest = Some(rest);
        drop(state);
        self.news.notify_one();
        Ok(())
    }

    fn turn(&self) -> Turn {
        let mut state = self.state();
        state.writing = true;
        if let Some(rest) = state.rest.take() {
            return Turn::Rest(rest);
        }
        let count = state.queue.len().min(WRITTEN_TOGETHER);
        let messages: Vec<Waiting> = state.queue.drain(..count).collect();
        if !messages.is_empty() {
            state.unfinished = messages.iter().map(|waiting| waiting.bytes.len()).sum();
            return Turn::Messages(messages);
        }
        state.writing = false;
        if state.last { Turn::End } else { Turn::Nothing }
    }

    /// The task that writes what could not be written at once.
    async fn write_queued(self: Arc<Self>) {
        loop {
            if self.closed.is_cancelled() {
                break;
            }
            let written = match self.turn() {
                Turn::End => break,
                Turn::Nothing => {
                    tokio::select! {
                        () = self.closed.cancelled() => break,
                        () = self.news.notified() => continue,
                    }
                }
                Turn::Rest(Err(error)) => Err(error),
                Turn::Rest(Ok(rest)) => self.write(&rest).await,
                Turn::Messages(messages) => self.write_messages(messages).await,
            };
            if let Err(error) = written {
                self.close();
                self.tap.mark(format!("the server no longer reads its input: {error}")).await;
                return;
            }
        }
        self.close();
        let (unfinished, queue) = {
            let mut state = self.state();
            (std::mem::take(&mut state.unfinished), std::mem::take(&mut state.queue))
        };
        let unread = unfinished + queue.iter().map(|waiting| waiting.bytes.len()).sum::<usize>();
        drop(queue);
        if unread > 0 {
            self.tap.mark(format!("the server does not read its input: {unread} bytes of ours were never taken")).await;
        }
    }

    /// What waits together is written together: one call to the system, one wake-up of the server.
    async fn write_messages(&self, messages: Vec<Waiting>) -> std::io::Result<()> {
        let mut together: Vec<Bytes> = Vec::with_capacity(messages.len());
        let mut permits = Vec::with_capacity(messages.len());
        for Waiting { bytes, _permits } in messages {
            together.push(self.tap.written(bytes).await);
            permits.push(_permits);
        }
        match together.as_slice() {
            [one] => self.write(one).await,
            many => self.write(&many.concat()).await,
        }
    }

    /// Writes all of it. Ends early, without an error, when the input is closed.
    async fn write(&self, mut bytes: &[u8]) -> std::io::Result<()> {
        while !bytes.is_empty() {
            let Some(pipe) = self.state().pipe.clone() else { return Ok(()) };
            let written = tokio::select! {
                biased;
                () = self.closed.cancelled() => return Ok(()),
                written = pipe.write(bytes) => written,
            };
            let size = match written {
                Err(error) if error.kind() == ErrorKind::Interrupted => 0,
                other => other?,
            };
            bytes = bytes.get(size..).unwrap_or_default();
            self.state().unfinished = bytes.len();
        }
        Ok(())
    }
}
