//! A started server with everything that its tap recorded, and what the system knows of its processes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sonde_protocol::{Channel, ConnectionId, Direction, Frame, Record};
use sonde_transport::{
    Clock, InFlight, Incoming, Launch, LineLimits, Link, StartError, Supervisor, Tap, Verbatim, start_stdio,
};
use tokio::sync::mpsc;

/// Nothing here takes a tenth of this; whoever needs all of it hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// The example of this crate whose `main` begins as a supervisor's must.
pub fn host() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let host = test.parent().and_then(Path::parent).unwrap().join("examples/host");
    assert!(host.exists(), "`cargo test -p sonde-transport` builds the examples, too");
    host
}

pub fn supervisor() -> Supervisor {
    Supervisor::at(host())
}

pub fn launch(binary: &str, args: &[&str], folder: &Path) -> Launch {
    Launch {
        binary: binary.into(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        folder: folder.to_owned(),
        env: vec![("PATH".to_owned(), std::env::var_os("PATH").unwrap()), ("ONLY".to_owned(), "this".into())],
        longest_line: LineLimits::MESSAGE.longest,
    }
}

pub struct Started {
    pub link: Link,
    pub records: mpsc::Receiver<Record>,
}

pub async fn start(launch: &Launch) -> Result<Started, StartError> {
    start_under(launch, &supervisor()).await
}

pub async fn start_under(launch: &Launch, supervisor: &Supervisor) -> Result<Started, StartError> {
    let (sink, records) = mpsc::channel(200_000);
    let tap = Tap::new(ConnectionId(1), Clock::start(), sink, InFlight::default(), Arc::new(Verbatim));
    let link = within("the start", start_stdio(launch, supervisor, tap)).await?;
    Ok(Started { link, records })
}

/// A shell that runs `script` in `folder`.
pub async fn shell(script: &str, folder: &Path) -> Started {
    start(&launch("/bin/sh", &["-c", script], folder)).await.unwrap()
}

pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(LIMIT, future).await {
        Ok(done) => done,
        Err(_elapsed) => panic!("{what}: nothing within {} s", LIMIT.as_secs()),
    }
}

/// What came, where it can only be a frame.
pub fn frame_of(incoming: Incoming) -> Frame {
    match incoming {
        Incoming::Frame(frame) => frame,
        Incoming::Failed { .. } => panic!("no single request fails by a pipe"),
    }
}

impl Started {
    pub async fn frame(&mut self) -> Option<Frame> {
        within("a line of stdout", self.link.inbound.next()).await.map(frame_of)
    }

    /// The next line that was recorded on `channel`.
    pub async fn recorded(&mut self, channel: Channel) -> String {
        within("a recorded line", async {
            loop {
                match self.records.recv().await.unwrap() {
                    Record::Frame(frame) if frame.channel == channel => return text(&frame),
                    _ => {}
                }
            }
        })
        .await
    }

    /// Everything that the server writes to its stdout.
    pub async fn stdout(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(frame) = self.frame().await {
            lines.push(text(&frame));
        }
        lines
    }

    /// What was recorded of our own messages, and whether each ended in a line feed.
    pub fn sent(&mut self) -> Vec<(String, bool)> {
        let mut sent = Vec::new();
        while let Ok(record) = self.records.try_recv() {
            if let Record::Frame(frame) = record
                && frame.direction == Direction::Out
            {
                sent.push((text(&frame), frame.body.terminated));
            }
        }
        sent
    }

    pub async fn gone(&self) {
        within("the end of the tree", self.link.peer.gone()).await;
    }

    pub async fn stop(&self) {
        self.link.outbound.close();
        self.link.peer.stop();
        self.gone().await;
    }
}

pub fn text(frame: &Frame) -> String {
    String::from_utf8_lossy(&frame.body.bytes).into_owned()
}

/// Processes whose working folder is `folder`; the dead have none.
pub fn running_in(folder: &Path) -> Vec<u32> {
    let folder = folder.canonicalize().unwrap();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == folder)).collect()
}

/// Looks until it holds. Nobody tells of a change in /proc, so it is looked at again and again.
pub fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LIMIT, "{what}: not within {} s", LIMIT.as_secs());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The same where the runtime has to go on meanwhile.
pub async fn until_aside(what: &'static str, holds: impl Fn() -> bool + Send + 'static) {
    tokio::task::spawn_blocking(move || until(what, holds)).await.unwrap();
}

/// The parent of a process; None once there is no such process.
pub fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

pub fn kill(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// Whether there is an entry for it in the table of processes, also as a dead one that nobody has noticed.
pub fn in_table(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}
