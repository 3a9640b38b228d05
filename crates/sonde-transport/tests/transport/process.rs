//! Real processes under the real supervisor.

use std::process::{Command, Stdio};

use rustix::process::Signal;
use sonde_protocol::Channel;
use sonde_transport::{Exit, Repeat, StartError};

use crate::harness::{
    Started, host, in_table, kill, launch, parent, running_in, shell, start, start_under, supervisor, until_aside,
    within,
};

/// A server that ignores TERM and the end of its input, with a child that does the same. Says when both are up.
const STUBBORN: &str = r#"
    trap '' TERM HUP
    sh -c 'trap "" TERM HUP; echo up >&2; while :; do sleep 1000; done' &
    while :; do sleep 1000; done"#;

fn source(error: &StartError) -> String {
    std::error::Error::source(error).map(ToString::to_string).unwrap_or_default()
}

#[tokio::test]
async fn an_exit_code_and_a_signal_are_reported_as_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let started = shell("exit 3", folder.path()).await;
    started.gone().await;
    assert_eq!(started.link.peer.exit(), Some(Exit::Code(3)), "the code it gave");

    let started = shell("exec cat", folder.path()).await;
    kill(started.link.peer.pid().unwrap(), Signal::KILL);
    started.gone().await;
    assert_eq!(started.link.peer.exit(), Some(Exit::Signal(9)), "the signal that ended it");
    assert_eq!(running_in(folder.path()), [0; 0], "the supervisors are gone, too");
}

#[tokio::test]
async fn a_good_server_ends_with_its_input() {
    let folder = tempfile::tempdir().unwrap();
    let started = start(&launch("/bin/cat", &[], folder.path())).await.unwrap();
    started.stop().await;
    assert_eq!(started.link.peer.exit(), Some(Exit::Code(0)), "it was not killed");
}

#[tokio::test]
async fn each_way_not_to_start_is_an_error_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let refused = async |binary: &str, args: &[&str], folder: &std::path::Path| {
        start(&launch(binary, args, folder)).await.err().expect("it can't be started")
    };
    let gone = folder.path().join("gone");
    let error = refused(gone.to_str().unwrap(), &[], folder.path()).await;
    assert!(matches!(&error, StartError::Program { binary, .. } if *binary == gone), "{error}");
    assert!(source(&error).contains("No such file"), "{}", source(&error));

    let error = refused("/bin/cat", &[], &gone).await;
    assert!(matches!(&error, StartError::Folder { folder, .. } if *folder == gone), "{error}");
    assert!(source(&error).contains("No such file"), "{}", source(&error));

    let error = refused("/bin/cat", &["a", "b\0c"], folder.path()).await;
    assert!(matches!(error, StartError::LostArgument { number: 2, .. }), "{error}");

    let huge = "x".repeat(3 << 20);
    let error = refused("/bin/cat", &[&huge], folder.path()).await;
    assert!(source(&error).contains("too long"), "an argument that the system refuses: {}", source(&error));

    let script = folder.path().join("script");
    std::fs::write(&script, "touch shell-was-here\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let error = refused(script.to_str().unwrap(), &[], folder.path()).await;
    assert!(source(&error).contains("Exec format error"), "it has no interpreter: {}", source(&error));
    assert!(!folder.path().join("shell-was-here").exists(), "nobody tried to make sense of it");

    let nobody = sonde_transport::Supervisor::at("/bin/false".into());
    let error = start_under(&launch("/bin/cat", &[], folder.path()), &nobody).await.err().expect("nobody is there");
    assert!(matches!(error, StartError::Supervisor { .. }), "{error}");
    assert_eq!(running_in(folder.path()), [0; 0], "no supervisor waits for nothing");
}

#[tokio::test]
async fn a_system_without_room_is_told_apart_from_a_server_that_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen = Vec::new();
    // From too few descriptors for anything to more than are needed.
    for limit in 6..40 {
        let script = format!("ulimit -n {limit}; exec \"$@\"");
        let ran = tokio::process::Command::new("/bin/sh")
            .args(["-c", &script, "sh"])
            .arg(host())
            .args([folder.path(), &folder.path().join("notes")])
            .args(["/bin/sh", "-c", "echo up >&2; exec cat"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let mut ran = ran.unwrap();
        let mut lines = tokio::io::BufReader::new(ran.stdout.take().unwrap());
        let mut line = String::new();
        within("an answer", tokio::io::AsyncBufReadExt::read_line(&mut lines, &mut line)).await.unwrap();
        ran.kill().await.unwrap();
        seen.push(line);
    }
    let room = "the system has no room for another process or another open file";
    assert!(seen.iter().any(|line| line.contains(room)), "some limit was too low for the pipes: {seen:?}");
    assert!(seen.iter().any(|line| line.ends_with(" up\n")), "and some limit was enough: {seen:?}");
    let place = folder.path().to_owned();
    until_aside("nothing is left of any", move || running_in(&place).is_empty()).await;
}

#[tokio::test]
async fn a_stubborn_server_and_its_child_are_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut started = shell(STUBBORN, folder.path()).await;
    assert_eq!(started.recorded(Channel::Stderr).await, "up");
    started.stop().await;
    assert_eq!(running_in(folder.path()), [0; 0], "none is left");
    assert_eq!(started.link.peer.exit(), Some(Exit::Signal(9)), "and how it ended is known");
}

#[tokio::test]
async fn a_stopped_server_is_ended_too() {
    let folder = tempfile::tempdir().unwrap();
    let started = start(&launch("/bin/cat", &[], folder.path())).await.unwrap();
    kill(started.link.peer.pid().unwrap(), Signal::STOP);
    started.stop().await;
    assert_eq!(running_in(folder.path()), [0; 0], "it could hear neither the end of its input nor TERM");
}

#[tokio::test]
async fn a_daemon_in_a_session_of_its_own_is_ended_too() {
    let folder = tempfile::tempdir().unwrap();
    let script = "setsid sh -c 'trap \"\" TERM HUP; echo up >&2; while :; do sleep 1000; done' & exec cat";
    let mut started = shell(script, folder.path()).await;
    assert_eq!(started.recorded(Channel::Stderr).await, "up");
    started.stop().await;
    assert_eq!(running_in(folder.path()), [0; 0], "a new session is no hiding place");
}

#[tokio::test]
async fn a_server_that_leaves_children_behind_takes_them_along() {
    let folder = tempfile::tempdir().unwrap();
    let script = "sleep 1000 >/dev/null 2>&1 & (setsid sleep 1000 >/dev/null 2>&1 &) ; exit 5";
    let started = shell(script, folder.path()).await;
    started.gone().await;
    assert_eq!(started.link.peer.exit(), Some(Exit::Code(5)), "how it ended itself");
    assert_eq!(running_in(folder.path()), [0; 0], "what it left behind is ended");
}

#[tokio::test]
async fn dropping_a_server_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut started = shell(STUBBORN, folder.path()).await;
    assert_eq!(started.recorded(Channel::Stderr).await, "up");
    drop(started);
    let place = folder.path().to_owned();
    until_aside("the end of all of it", move || running_in(&place).is_empty()).await;
}

#[tokio::test]
async fn a_start_that_nobody_waits_for_any_more_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    for given_up_after in 0..30 {
        let launch = launch("/bin/sh", &["-c", "sleep 1000 & exec cat"], folder.path());
        let starting = start_under(&launch, &supervisor);
        let mut starting = Box::pin(starting);
        // Each turn gives up one step later on the way.
        for _ in 0..given_up_after {
            tokio::select! {
                biased;
                _ = &mut starting => break,
                () = tokio::task::yield_now() => {}
            }
        }
    }
    drop(supervisor);
    let place = folder.path().to_owned();
    until_aside("the end of all of them", move || running_in(&place).is_empty()).await;
}

#[tokio::test]
async fn servers_share_a_nursery_that_goes_with_the_last_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    supervisor.warm();
    let cat = launch("/bin/cat", &[], folder.path());
    let one = start_under(&cat, &supervisor).await.unwrap();
    let two = start_under(&cat, &supervisor).await.unwrap();
    let nursery = |started: &Started| parent(parent(started.link.peer.pid().unwrap()).unwrap()).unwrap();
    let shared = nursery(&one);
    assert_eq!(nursery(&two), shared, "one for both");
    assert_eq!(parent(shared), Some(std::process::id()), "and it is our child");
    one.stop().await;
    assert!(in_table(shared), "the other still needs it");
    two.stop().await;
    assert!(!in_table(shared), "no child of ours is left, not even a dead one");
    let three = start_under(&cat, &supervisor).await.unwrap();
    assert_ne!(nursery(&three), shared, "whoever comes later gets another");
    three.stop().await;
}

#[tokio::test]
async fn a_hundred_servers_start_and_end_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let lives = (0..100).map(|number: u32| {
        let (supervisor, cat) = (supervisor.clone(), launch("/bin/cat", &[], folder.path()));
        tokio::spawn(async move {
            let mut started = start_under(&cat, &supervisor).await.unwrap();
            started.link.outbound.send(number.to_string().into_bytes(), Repeat::Never).await.unwrap();
            let echo = started.frame().await.unwrap();
            started.stop().await;
            (crate::harness::text(&echo), started.link.peer.exit())
        })
    });
    for (number, life) in lives.collect::<Vec<_>>().into_iter().enumerate() {
        let (echo, exit) = within("a life", life).await.unwrap();
        assert_eq!(echo, number.to_string(), "each has pipes of its own");
        assert_eq!(exit, Some(Exit::Code(0)), "and an end of its own");
    }
    assert_eq!(running_in(folder.path()), [0; 0], "nothing is left");
}

#[tokio::test]
async fn a_server_sees_three_descriptors_and_the_given_environment() {
    let folder = tempfile::tempdir().unwrap();
    // As whoever starts us may have left a descriptor open to its children.
    let left_open = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&left_open, rustix::io::FdFlags::empty()).unwrap();
    let lines = async |program: &str, args: &[&str]| {
        let mut started = start(&launch(program, args, folder.path())).await.unwrap();
        started.stdout().await
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
async fn a_server_has_a_session_of_its_own_no_terminal_and_plain_signals() {
    let folder = tempfile::tempdir().unwrap();
    let mut started =
        start(&launch("/bin/cat", &["/proc/self/stat", "/proc/self/status"], folder.path())).await.unwrap();
    let pid = started.link.peer.pid().unwrap().to_string();
    let lines = started.stdout().await;
    let (_, fields) = lines[0].rsplit_once(") ").unwrap();
    let fields: Vec<&str> = fields.split(' ').collect();
    assert_eq!(fields[2], pid, "it leads its group");
    assert_eq!(fields[3], pid, "it leads its session");
    assert_eq!(fields[4], "0", "it has no terminal that it could write to or be stopped by");
    for mask in ["SigIgn:\t", "SigBlk:\t"] {
        let mask = lines.iter().find_map(|line| line.strip_prefix(mask)).unwrap();
        // Those beyond the first 31 are no business of ours, and of whoever started us.
        let usual = u64::from_str_radix(mask, 16).unwrap() & 0x7fff_ffff;
        assert_eq!(usual, 0, "what a supervisor ignores or holds back is not ignored or held back here: {mask}");
    }
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
    let mut started = start(&launch("/bin/sh", &words, folder.path())).await.unwrap();
    // A line feed in an argument splits the line; joined again it is what was written.
    let written = started.stdout().await.join("\n");
    assert_eq!(written, args.map(|arg| format!("{arg}\0")).concat());
    assert!(!folder.path().join("pwned").exists(), "no shell of ours has seen them");
}

#[test]
fn the_word_on_a_terminal_starts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(host());
    command.arg("supervise").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(!command.status().unwrap().success(), "there is nobody to take orders from");
    let output = Command::new(host()).args(["supervise", "/bin/touch", "x"]).current_dir(&folder).output().unwrap();
    assert!(!output.status.success(), "a nursery takes no command from a command line");
    assert!(!folder.path().join("x").exists());
}
