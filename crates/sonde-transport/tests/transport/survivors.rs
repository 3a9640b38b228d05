//! Nothing is left, whoever is killed: the program, a supervisor, the nursery, or all of them at once.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;
use sonde_protocol::Channel;
use sonde_transport::{Repeat, is_alive, process_start, sweep};

use crate::harness::{
    Started, host, in_table, kill, launch, parent, running_in, shell, start, start_under, supervisor, text, until,
    until_aside,
};

/// A tree with a wrapper, a child, and a grandchild that hides in a session of its own. All ignore TERM.
const TREE: &str = r#"
    trap '' TERM HUP
    sh -c 'trap "" TERM HUP
        setsid sh -c "trap \"\" TERM HUP; echo up >&2; while :; do sleep 1000; done" &
        while :; do sleep 1000; done' &
    while :; do sleep 1000; done"#;

/// A program that started the tree, and the number of the tree's first process.
fn hosted(folder: &Path, notes: &Path) -> (Child, u32) {
    let mut command = Command::new(host());
    command.args([folder, notes]).args(["/bin/sh", "-c", TREE]).stdout(Stdio::piped());
    let mut host = command.spawn().unwrap();
    let line = BufReader::new(host.stdout.take().unwrap()).lines().next().unwrap().unwrap();
    let (pid, said) = line.split_once(' ').unwrap();
    assert_eq!(said, "up", "the tree is up");
    (host, pid.parse().unwrap())
}

async fn tree(folder: &Path) -> Started {
    let mut started = shell(TREE, folder).await;
    assert_eq!(started.recorded(Channel::Stderr).await, "up");
    started
}

#[test]
fn nothing_survives_when_we_are_killed() {
    let (folder, notes) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (mut host, _) = hosted(folder.path(), notes.path());
    host.kill().unwrap();
    host.wait().unwrap();
    until("the end of the tree", || running_in(folder.path()).is_empty());
}

#[tokio::test]
async fn nothing_survives_when_a_supervisor_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let started = tree(folder.path()).await;
    let supervisor = parent(started.link.peer.pid().unwrap()).unwrap();
    kill(supervisor, Signal::KILL);
    started.gone().await;
    assert_eq!(running_in(folder.path()), [0; 0], "the nursery ended what it left, and then we were told");
    assert!(!in_table(supervisor), "and the supervisor is no zombie");
}

#[tokio::test]
async fn a_supervisor_that_is_killed_takes_no_other_server_along() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let shared = supervisor();
    let killed = start_under(&launch("/bin/sh", &["-c", TREE], one.path()), &shared).await.unwrap();
    let mut other = start_under(&launch("/bin/cat", &[], two.path()), &shared).await.unwrap();
    kill(parent(killed.link.peer.pid().unwrap()).unwrap(), Signal::KILL);
    killed.gone().await;
    other.link.outbound.send(b"still here".to_vec(), Repeat::Never).await.unwrap();
    assert_eq!(text(&other.frame().await.unwrap()), "still here");
    other.stop().await;
}

#[tokio::test]
async fn a_nursery_that_is_killed_ends_no_server_and_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let shared = supervisor();
    let cat = launch("/bin/cat", &[], folder.path());
    let mut one = start_under(&cat, &shared).await.unwrap();
    let nursery = parent(parent(one.link.peer.pid().unwrap()).unwrap()).unwrap();
    kill(nursery, Signal::KILL);
    until_aside("its end", move || parent(nursery) != Some(std::process::id()) || !is_alive_at_all(nursery)).await;
    one.link.outbound.send(b"still here".to_vec(), Repeat::Never).await.unwrap();
    assert_eq!(text(&one.frame().await.unwrap()), "still here", "the supervisor looks after it");
    let mut two = start_under(&cat, &shared).await.unwrap();
    two.link.outbound.send(b"here, too".to_vec(), Repeat::Never).await.unwrap();
    assert_eq!(text(&two.frame().await.unwrap()), "here, too");
    one.stop().await;
    two.stop().await;
    // With its nursery dead, nobody of ours reaps the first one's supervisor: it may still be on its last step.
    let place = folder.path().to_owned();
    until_aside("the end of both", move || running_in(&place).is_empty()).await;
}

fn is_alive_at_all(pid: u32) -> bool {
    process_start(pid).is_some_and(|started| is_alive(pid, started))
}

#[tokio::test]
async fn signals_for_whole_groups_end_neither_supervisor_nor_nursery() {
    let folder = tempfile::tempdir().unwrap();
    let mut started = start(&launch("/bin/cat", &[], folder.path())).await.unwrap();
    let supervisor = parent(started.link.peer.pid().unwrap()).unwrap();
    let nursery = parent(supervisor).unwrap();
    for pid in [supervisor, nursery] {
        [Signal::TERM, Signal::HUP, Signal::INT].into_iter().for_each(|signal| kill(pid, signal));
    }
    started.link.outbound.send(b"still here".to_vec(), Repeat::Never).await.unwrap();
    assert_eq!(text(&started.frame().await.unwrap()), "still here");
    assert_eq!(
        parent(started.link.peer.pid().unwrap()),
        Some(supervisor),
        "whoever ends the tree later is still there"
    );
    started.stop().await;
}

#[test]
fn what_survives_the_death_of_all_of_us_is_swept_at_the_next_start() {
    let (folder, notes) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (mut host, server) = hosted(folder.path(), notes.path());
    let supervisor = parent(server).unwrap();
    // The nursery first: it would end what the supervisor leaves.
    kill(parent(supervisor).unwrap(), Signal::KILL);
    kill(supervisor, Signal::KILL);
    host.kill().unwrap();
    host.wait().unwrap();
    until("the death of the first process", || !is_alive_at_all(server));
    let left = running_in(folder.path());
    assert!(!left.is_empty(), "some of the tree got away");
    let swept = sweep(notes.path());
    assert!(swept.iter().any(|swept| left.contains(&swept.pid)), "what got away was found: {swept:?}");
    assert!(swept.iter().all(|swept| swept.name == "sh" || swept.name == "sleep"), "by name, too: {swept:?}");
    assert_eq!(running_in(folder.path()), [0; 0], "nothing is left");
    assert_eq!(std::fs::read_dir(notes.path()).unwrap().count(), 0, "nor is anything left to sweep");
    assert_eq!(sweep(notes.path()), [], "a second sweep finds nothing");
}

#[tokio::test]
async fn a_sweep_leaves_alone_what_someone_looks_after() {
    let (folder, notes) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let supervisor = supervisor().noting_in(notes.path().to_owned());
    let mut started = start_under(&launch("/bin/cat", &[], folder.path()), &supervisor).await.unwrap();
    assert_eq!(std::fs::read_dir(notes.path()).unwrap().count(), 1, "it is written down");
    assert_eq!(sweep(notes.path()), [], "its owner, this program, is alive");
    started.link.outbound.send(b"still here".to_vec(), Repeat::Never).await.unwrap();
    assert_eq!(text(&started.frame().await.unwrap()), "still here");
    started.stop().await;
    assert_eq!(std::fs::read_dir(notes.path()).unwrap().count(), 0, "a server that is gone is no longer written down");
}

#[test]
fn a_sweep_never_signals_a_stranger() {
    let notes = tempfile::tempdir().unwrap();
    // A stranger that got the number of a server: same number, another start.
    let mut stranger = Command::new("/bin/cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let started = process_start(stranger.id()).unwrap();
    // And an owner whose number is used again, by us.
    let owner = std::process::id();
    let owner_started = process_start(owner).unwrap() - 1;
    let note = format!("{owner} {owner_started}\n{} {}\n", stranger.id(), started - 1);
    std::fs::write(notes.path().join(format!("{owner}-{owner_started:x}-1")), note).unwrap();
    std::fs::write(notes.path().join("something else"), "of 1\n2 3\n").unwrap();
    assert_eq!(sweep(notes.path()), [], "nobody of that run is there any more");
    assert!(stranger.try_wait().unwrap().is_none(), "the stranger lives");
    assert_eq!(std::fs::read_dir(notes.path()).unwrap().count(), 1, "only the note is gone");
    drop(stranger.stdin.take());
    assert!(stranger.wait().unwrap().success(), "and ends when it wants to");
}

#[test]
fn a_number_alone_does_not_make_a_process_alive() {
    let own = process_start(std::process::id()).unwrap();
    assert!(is_alive(std::process::id(), own), "we are");
    assert!(!is_alive(std::process::id(), own + 1), "another with our number is not");
    assert!(i64::try_from(own).is_ok(), "it can be stored in any column");
    let mut child = Command::new("/bin/cat").stdin(Stdio::piped()).spawn().unwrap();
    let started = process_start(child.id()).unwrap();
    assert!(is_alive(child.id(), started));
    drop(child.stdin.take());
    until("its end", || !is_alive(child.id(), started));
    assert!(in_table(child.id()), "it is dead already while nobody has noticed");
    child.wait().unwrap();
    assert!(process_start(child.id()).is_none_or(|other| other != started), "and gone once somebody has");
}
