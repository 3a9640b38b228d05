//! Real processes under the real supervisor.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use sonde_protocol::{Channel, ConnectionId, Record};
use sonde_transport::{Clock, Exit, InFlight, Launch, Link, Supervisor, Tap, Verbatim, start_stdio};
use tokio::sync::mpsc;

const LIMIT: Duration = Duration::from_secs(30);
/// How long the end of a server may take, whatever it does.
const END: Duration = Duration::from_secs(6);

/// A program of the workspace; test binaries lie one folder deeper.
fn program(name: &str) -> PathBuf {
    static BUILT: std::sync::Once = std::sync::Once::new();
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap().to_owned();
    BUILT.call_once(|| {
        if !folder.join("sonde").exists() || !folder.join("sonde-load").exists() {
            let mut cargo = Command::new(env!("CARGO"));
            let built = cargo.args(["build", "--quiet", "-p", "sonde-demo", "-p", "sonde-cli"]).status();
            assert!(built.unwrap().success(), "the programs of the tests do not build");
        }
    });
    folder.join(name)
}

/// A started server, with everything that its tap recorded.
struct Started {
    link: Link,
    records: mpsc::Receiver<Record>,
}

async fn start(binary: &Path, args: &[&str], folder: &Path) -> std::io::Result<Started> {
    let (sink, records) = mpsc::channel(4096);
    let tap = Tap::new(ConnectionId(1), Clock::start(), sink, InFlight::default(), Arc::new(Verbatim));
    let launch = Launch {
        binary: binary.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        folder: folder.to_owned(),
        env: vec![("PATH".to_owned(), std::env::var_os("PATH").unwrap()), ("ONLY".to_owned(), "this".into())],
    };
    let link = start_stdio(&launch, &Supervisor::at(program("sonde")), tap).await.map_err(std::io::Error::other)?;
    Ok(Started { link, records })
}

async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(LIMIT, future).await {
        Ok(done) => done,
        Err(_elapsed) => panic!("{what}: nothing within {} s", LIMIT.as_secs()),
    }
}

impl Started {
    /// The next line that was recorded on `channel`.
    async fn line(&mut self, channel: Channel) -> Vec<u8> {
        within("a recorded line", async {
            loop {
                match self.records.recv().await.unwrap() {
                    Record::Frame(frame) if frame.channel == channel => return frame.body.bytes.to_vec(),
                    _ => {}
                }
            }
        })
        .await
    }

    /// Everything that the server writes to its stdout.
    async fn stdout(&mut self) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        while let Some(frame) = within("stdout", self.link.inbound.next()).await {
            lines.push(frame.body.bytes.to_vec());
        }
        lines
    }

    async fn stop(&self) -> Duration {
        let begun = Instant::now();
        self.link.outbound.close();
        self.link.process.stop();
        within("the end of the tree", self.link.process.gone()).await;
        begun.elapsed()
    }
}

/// Processes whose working folder is `folder`.
fn running_in(folder: &Path) -> Vec<u32> {
    let folder = folder.canonicalize().unwrap();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == folder)).collect()
}

/// Waits until nothing runs in `folder`; gives how long that took.
fn until_gone(folder: &Path) -> Duration {
    let begun = Instant::now();
    while !running_in(folder).is_empty() {
        assert!(begun.elapsed() < LIMIT, "these still run: {:?}", running_in(folder));
        // Nobody tells of a change in /proc, so it is looked at again.
        std::thread::sleep(Duration::from_millis(10));
    }
    begun.elapsed()
}

#[tokio::test]
async fn an_exit_code_and_a_signal_are_reported_as_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let started = start(&program("sonde-load"), &["--exit", "3"], folder.path()).await.unwrap();
    within("its end", started.link.process.gone()).await;
    assert_eq!(started.link.process.exit(), Some(Exit::Code(3)), "the code it gave");

    let started = start(&program("sonde-load"), &[], folder.path()).await.unwrap();
    let pid = Pid::from_raw(started.link.process.pid as i32).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    within("its end", started.link.process.gone()).await;
    assert_eq!(started.link.process.exit(), Some(Exit::Signal(9)), "the signal that ended it");
    assert_eq!(running_in(folder.path()), [0; 0], "the supervisors are gone, too");
}

#[tokio::test]
async fn a_good_server_ends_with_its_input() {
    let folder = tempfile::tempdir().unwrap();
    let started = start(&program("sonde-load"), &[], folder.path()).await.unwrap();
    let took = started.stop().await;
    assert_eq!(started.link.process.exit(), Some(Exit::Code(0)), "it was not killed");
    assert!(took < Duration::from_secs(2), "nobody waited in vain: {took:?}");
}

#[tokio::test]
async fn a_program_that_does_not_start_is_an_error_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let error = start(&folder.path().join("gone"), &[], folder.path()).await.err().expect("there is no such file");
    let reason = std::error::Error::source(error.get_ref().unwrap()).unwrap().to_string();
    assert!(reason.contains("No such file"), "{reason}");
    assert_eq!(running_in(folder.path()), [0; 0], "no supervisor waits for nothing");
}

#[tokio::test]
async fn a_file_that_is_no_program_is_never_given_to_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    std::fs::write(&script, "touch shell-was-here\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let error = start(&script, &[], folder.path()).await.err().expect("it has no interpreter");
    let reason = std::error::Error::source(error.get_ref().unwrap()).unwrap().to_string();
    assert!(reason.contains("Exec format error"), "{reason}");
    assert!(!folder.path().join("shell-was-here").exists(), "nobody tried to make sense of it");
}

#[tokio::test]
async fn a_stubborn_server_and_its_grandchild_are_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut started = start(&program("sonde-load"), &["--stubborn"], folder.path()).await.unwrap();
    // Once the grandchild says so, both ignore SIGTERM.
    started.line(Channel::Stderr).await;
    assert_eq!(running_in(folder.path()).len(), 3, "supervisor, server and grandchild");
    let took = started.stop().await;
    assert!(took < END, "it took {took:?}");
    assert_eq!(running_in(folder.path()), [0; 0], "none is left");
    assert_eq!(started.link.process.exit(), Some(Exit::Signal(9)), "and how it ended is known");
}

#[tokio::test]
async fn a_daemon_in_a_session_of_its_own_is_ended_too() {
    let folder = tempfile::tempdir().unwrap();
    let script = "setsid sh -c 'trap \"\" TERM HUP; sleep 1000 & sleep 1000' & sleep 0; echo up >&2; exec cat";
    let mut started = start(Path::new("/bin/sh"), &["-c", script], folder.path()).await.unwrap();
    assert_eq!(started.line(Channel::Stderr).await, b"up");
    let took = started.stop().await;
    assert!(took < END, "it took {took:?}");
    assert_eq!(running_in(folder.path()), [0; 0], "a new session is no hiding place");
}

#[tokio::test]
async fn a_server_that_leaves_children_behind_takes_them_along() {
    let folder = tempfile::tempdir().unwrap();
    let script = "sleep 1000 >/dev/null 2>&1 & (setsid sleep 1000 >/dev/null 2>&1 &) ; exit 5";
    let started = start(Path::new("/bin/sh"), &["-c", script], folder.path()).await.unwrap();
    within("the end of what it left", started.link.process.gone()).await;
    assert_eq!(started.link.process.exit(), Some(Exit::Code(5)), "how it ended itself");
    assert_eq!(running_in(folder.path()), [0; 0], "what it left behind is ended");
}

#[tokio::test]
async fn dropping_a_server_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut started = start(&program("sonde-load"), &["--stubborn"], folder.path()).await.unwrap();
    started.line(Channel::Stderr).await;
    drop(started);
    let path = folder.path().to_owned();
    let took = tokio::task::spawn_blocking(move || until_gone(&path)).await.unwrap();
    assert!(took < END, "it took {took:?}");
}

#[test]
fn nothing_survives_when_we_are_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Command::new(program("examples/host"))
        .args([program("sonde"), folder.path().to_owned(), program("sonde-load")])
        .arg("--stubborn")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(host.stdout.take().unwrap()).lines();
    let told = lines.next().map(|line| line.unwrap());
    assert!(told.is_some_and(|told| told.contains("grandchild")), "the tree is up");
    assert_eq!(running_in(folder.path()).len(), 3, "supervisor, server and grandchild");
    host.kill().unwrap();
    host.wait().unwrap();
    let took = until_gone(folder.path());
    assert!(took < END, "it took {took:?}");
}

#[tokio::test]
async fn a_server_sees_three_descriptors_and_the_given_environment() {
    let folder = tempfile::tempdir().unwrap();
    // As whoever starts us may have left a descriptor open to its children.
    let left_open = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&left_open, rustix::io::FdFlags::empty()).unwrap();
    let lines = async |program: &str, args: &[&str]| {
        let mut started = start(Path::new(program), args, folder.path()).await.unwrap();
        let lines = started.stdout().await.into_iter().map(|line| String::from_utf8(line).unwrap());
        lines.collect::<Vec<_>>()
    };
    let descriptors = lines("/bin/ls", &["-l", "/proc/self/fd"]).await;
    // One line is a heading; the folder that is listed is open while it is.
    let theirs: Vec<_> = descriptors.iter().filter(|line| line.contains("->") && !line.contains("-> /proc/")).collect();
    assert_eq!(theirs.len(), 3, "input, output and errors, and nothing of ours: {theirs:?}");
    assert!(theirs.iter().all(|line| line.contains("pipe:")), "each a pipe of its own: {theirs:?}");
    let mut variables = lines("/usr/bin/env", &[]).await;
    variables.retain(|line| !line.starts_with("PATH="));
    assert_eq!(variables, ["ONLY=this"], "what was given, and nothing of ours");
}

#[tokio::test]
async fn arguments_arrive_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "a b",
        "",
        "\"quoted\" 'too'",
        "$(touch pwned)",
        "`id`",
        ";rm -rf x",
        "line\nfeed",
        "%PATH%^&|<>",
        "ü\u{202e}x",
        "-",
    ];
    let script = r#"for arg in "$@"; do printf '%s\0' "$arg"; done"#;
    let words: Vec<&str> = ["-c", script, "sh"].into_iter().chain(args).collect();
    let mut started = start(Path::new("/bin/sh"), &words, folder.path()).await.unwrap();
    // A line feed in an argument splits the line; joined again it is what was written.
    let written = started.stdout().await.join(&b'\n');
    let wanted: Vec<u8> = args.iter().flat_map(|arg| [arg.as_bytes(), b"\0"].concat()).collect();
    assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&wanted));
    assert!(!folder.path().join("pwned").exists(), "no shell of ours has seen them");
}

#[tokio::test]
async fn every_line_is_recorded_before_it_is_given_out() {
    let folder = tempfile::tempdir().unwrap();
    let script = r"printf 'one\r\n\ntwo\nhalf'; printf 'oops\nlast' >&2";
    let mut started = start(Path::new("/bin/sh"), &["-c", script], folder.path()).await.unwrap();
    let lines = started.stdout().await;
    assert_eq!(lines, [&b"one\r"[..], b"", b"two", b"half"], "as they were written");
    within("stderr to end", started.link.stderr.drained()).await;
    assert_eq!(started.link.stderr.lines(), ["oops", "last"], "for the error message");
    let mut recorded = Vec::new();
    while let Ok(Record::Frame(frame)) = started.records.try_recv() {
        recorded.push((frame.channel, frame.body.bytes.to_vec(), frame.body.terminated));
    }
    let messages: Vec<_> = recorded.iter().filter(|(channel, ..)| *channel == Channel::Message).collect();
    assert_eq!(messages.len(), 4, "all of stdout is there already: {recorded:?}");
    assert!(!messages[3].2, "and that the last line broke off");
    assert_eq!(recorded.iter().filter(|(channel, ..)| *channel == Channel::Stderr).count(), 2, "and all of stderr");
}
