//! Starting a server under a supervisor, and following it to its end. The side of this that is in our process.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::notes::{Note, TAG};
use super::nursery::WORD;
use super::order::Order;
use super::pipes::Stdin;
use super::{Exit, Pipes, Process, StartError, memory};
use crate::command::Launch;
use crate::platform::Platform;

/// Which binary supervises: normally the one that is running. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Supervisor {
    program: PathBuf,
    /// Where running servers are written down, if anywhere.
    notes: Option<PathBuf>,
    held: Arc<Mutex<Held>>,
}

/// The nursery that all servers share. It lives as long as one of them does, so that nothing is left when none is.
#[derive(Debug, Default)]
struct Held {
    current: Weak<Nursery>,
    /// Started before it was needed.
    warm: Option<Arc<Nursery>>,
}

impl Supervisor {
    /// This very program; its `main` must begin with [`super::run_supervisor`].
    pub fn current() -> std::io::Result<Self> {
        Ok(Supervisor::at(std::env::current_exe()?))
    }

    /// Another program whose `main` begins with [`super::run_supervisor`].
    pub fn at(program: PathBuf) -> Self {
        Supervisor { program, notes: None, held: Arc::default() }
    }

    /// Writes running servers down in `folder`, for [`super::sweep`]. Each then has a variable that names its run.
    pub fn noting_in(self, folder: PathBuf) -> Self {
        Supervisor { notes: Some(folder), ..self }
    }

    /// Starts what the first server will need, so that it need not wait for it. Within a runtime.
    pub fn warm(&self) {
        let mut held = self.held();
        if held.current.strong_count() > 0 {
            return;
        }
        match Nursery::start(&self.program).map(Arc::new) {
            Ok(nursery) => {
                held.current = Arc::downgrade(&nursery);
                held.warm = Some(nursery);
            }
            // The first server will find out, and tell it with a name.
            Err(error) => tracing::debug!(%error, "the nursery could not be started in advance"),
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a supervisor forked for these descriptors.
    fn order(&self, descriptors: [BorrowedFd<'_>; 4]) -> std::io::Result<Arc<Nursery>> {
        let mut held = self.held();
        let current = held.current.upgrade();
        // From here on its servers keep it.
        held.warm = None;
        if let Some(nursery) = current
            && nursery.send(descriptors).is_ok()
        {
            return Ok(nursery);
        }
        // There is none, or somebody ended it.
        let nursery = Arc::new(Nursery::start(&self.program)?);
        held.current = Arc::downgrade(&nursery);
        nursery.send(descriptors)?;
        Ok(nursery)
    }
}

/// A nursery that is gone is an error and no signal. Where it can't be said for one message, Rust's programs ignore
/// that signal anyway.
#[cfg(target_os = "linux")]
const QUIETLY: SendFlags = SendFlags::NOSIGNAL;
#[cfg(not(target_os = "linux"))]
const QUIETLY: SendFlags = SendFlags::empty();

/// Our handle on a nursery. It ends when this is dropped and its last supervisor has ended.
#[derive(Debug)]
struct Nursery {
    orders: StdUnixStream,
    child: Child,
}

impl Nursery {
    fn start(program: &Path) -> std::io::Result<Self> {
        let (orders, theirs) = StdUnixStream::pair()?;
        orders.set_nonblocking(true)?;
        let child = Command::new(program)
            .arg(WORD)
            .env_clear()
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Nursery { orders, child })
    }

    fn send(&self, descriptors: [BorrowedFd<'_>; 4]) -> std::io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)) {
            return Err(std::io::Error::other("no space for four descriptors"));
        }
        rustix::net::sendmsg(&self.orders, &[IoSlice::new(b"+")], &mut ancillary, QUIETLY)?;
        Ok(())
    }

    /// If this was the last server, waits until the nursery is gone, too.
    async fn release(self: Arc<Self>) {
        let Some(Nursery { orders, mut child }) = Arc::into_inner(self) else { return };
        drop(orders);
        if let Err(error) = child.wait().await {
            tracing::warn!(%error, "the nursery could not be waited for");
        }
    }
}

/// Starts a server under a supervisor.
pub(crate) async fn spawn(launch: &Launch, supervisor: &Supervisor) -> Result<(Process, Pipes), StartError> {
    if let Some(place) = Platform::HERE.lost_argument(&launch.binary, &launch.args) {
        return Err(StartError::LostArgument { binary: launch.binary.clone(), number: place + 1 });
    }
    let note = supervisor.notes.as_deref().and_then(Note::open);
    let tag = note.as_ref().map(|note| (TAG.to_owned(), note.run().to_owned()));
    let order = Order::of(launch, tag.as_ref())
        .map_err(|error| StartError::Program { binary: launch.binary.clone(), source: error.into() })?;
    let (ours, pipes, nursery) = open(supervisor).map_err(failed_here)?;
    let mut control = BufReader::new(ours);
    let first = converse(&mut control, &order.bytes()).await.map_err(failed_here)?;
    let mut words = first.split_whitespace();
    let said = (words.next(), words.next(), words.next().and_then(|word| word.parse::<u64>().ok()));
    let pid = match said {
        (Some("started"), Some(pid), Some(started)) => {
            let pid = pid.parse().map_err(std::io::Error::other).map_err(failed_here)?;
            if let Some(note) = &note {
                note.add(pid, started);
            }
            pid
        }
        (Some("failed"), Some(what), Some(number)) => {
            drop(control);
            nursery.release().await;
            let source = std::io::Error::from_raw_os_error(i32::try_from(number).unwrap_or_default());
            return Err(failed_there(launch, what, source));
        }
        _ => {
            let source = std::io::Error::other("it ended before it had started the server");
            return Err(StartError::Supervisor { source });
        }
    };
    let (exit_sender, exit) = watch::channel(None);
    let (gone_sender, gone) = watch::channel(false);
    let stop = CancellationToken::new();
    let follower = Follower { control, exit: exit_sender, gone: gone_sender, nursery, note };
    tokio::spawn(follower.follow(stop.clone()));
    Ok((Process { pid, exit, gone, stop }, pipes))
}

/// Three pipes and a socket, and a supervisor that has their other ends.
fn open(supervisor: &Supervisor) -> std::io::Result<(UnixStream, Pipes, Arc<Nursery>)> {
    let (ours, theirs) = StdUnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let (their_stdin, stdin) = std::io::pipe()?;
    let (stdout, their_stdout) = std::io::pipe()?;
    let (stderr, their_stderr) = std::io::pipe()?;
    let pipes = Pipes {
        stdin: Stdin::new(pipe::Sender::from_owned_fd(stdin.into())?),
        stdout: pipe::Receiver::from_owned_fd(stdout.into())?,
        stderr: pipe::Receiver::from_owned_fd(stderr.into())?,
    };
    let ours = UnixStream::from_std(ours)?;
    let nursery =
        supervisor.order([theirs.as_fd(), their_stdin.as_fd(), their_stdout.as_fd(), their_stderr.as_fd()])?;
    Ok((ours, pipes, nursery))
}

/// Says what is to be started, and gives what the supervisor says to it.
async fn converse(control: &mut BufReader<UnixStream>, order: &[u8]) -> std::io::Result<String> {
    let mut first = String::new();
    // A supervisor that can't be given all of it has said why.
    let told = control.write_all(order).await;
    let read = control.read_line(&mut first).await;
    match (told, read) {
        (_, Ok(size)) if size > 0 => Ok(first),
        (Err(error), _) | (Ok(()), Err(error)) => Err(error),
        (Ok(()), Ok(_)) => Ok(first),
    }
}

/// No process or no descriptor is left to have: nothing that a server could be blamed for.
fn is_for_want_of_room(error: &std::io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::ENOMEM | libc::EMFILE | libc::ENFILE | libc::ENOBUFS))
}

fn failed_here(source: std::io::Error) -> StartError {
    match is_for_want_of_room(&source) {
        true => StartError::NoRoom { source },
        false => StartError::Supervisor { source },
    }
}

fn failed_there(launch: &Launch, what: &str, source: std::io::Error) -> StartError {
    match what {
        _ if is_for_want_of_room(&source) => StartError::NoRoom { source },
        "folder" => StartError::Folder { folder: launch.folder.clone(), source },
        _ => StartError::Program { binary: launch.binary.clone(), source },
    }
}

/// Follows a server until nothing of it is left.
struct Follower {
    control: BufReader<UnixStream>,
    exit: watch::Sender<Option<Exit>>,
    gone: watch::Sender<bool>,
    nursery: Arc<Nursery>,
    /// Goes with the server.
    note: Option<Note>,
}

impl Follower {
    async fn follow(mut self, stop: CancellationToken) {
        let mut line = String::new();
        let mut stopping = false;
        loop {
            tokio::select! {
                read = self.control.read_line(&mut line) => {
                    if !matches!(read, Ok(size) if size > 0) {
                        break;
                    }
                    if let Some(report) = parse_exit(&line) {
                        self.exit.send_replace(Some(report));
                    }
                    line.clear();
                }
                () = stop.cancelled(), if !stopping => {
                    stopping = true;
                    // The supervisor takes the end of our half as the order to end the tree.
                    if let Err(error) = rustix::net::shutdown(self.control.get_ref(), rustix::net::Shutdown::Write) {
                        tracing::warn!(%error, "the supervisor could not be told to stop");
                    }
                }
            }
        }
        // The supervisor is gone and reaped, or what a killed one left was ended: the nursery has let go.
        self.nursery.release().await;
        drop(self.note);
        self.gone.send_replace(true);
        memory::give_back_soon();
    }
}

fn parse_exit(line: &str) -> Option<Exit> {
    let mut words = line.split_whitespace();
    match (words.next()?, words.next()?, words.next()?.parse().ok()?) {
        ("exited", "code", code) => Some(Exit::Code(code)),
        ("exited", "signal", signal) => Some(Exit::Signal(signal)),
        _ => None,
    }
}
