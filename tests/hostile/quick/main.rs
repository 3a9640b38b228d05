//! The hostile cases in their small form, and the list of them.
//!
//! Nothing here depends on how fast the machine is: what is measured in time is judged by `make hostile` alone.

#![expect(clippy::unwrap_used, reason = "a test stops at the first thing that is not as it says")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use hostile::cases::{CASES, chosen};
use hostile::runner::Run;
use hostile::{Scale, report};

/// Plays the quick cases of a group; all of them, so that one run tells of every failure.
#[track_caller]
fn survives(group: &str) {
    let run = Run { program: PathBuf::from(env!("CARGO_BIN_EXE_hostile")), seed: 1, scale: Scale::Quick };
    let mut failed = Vec::new();
    for case in chosen(group).unwrap().into_iter().filter(|case| case.quick && case.is_played()) {
        let outcome = run.play(case);
        let line = report::line(case, &outcome);
        println!("{line}");
        if !outcome.failures.is_empty() {
            failed.push(line);
        }
    }
    assert!(failed.is_empty(), "the core did not survive:\n{}", failed.join("\n"));
}

#[test]
fn the_core_survives_what_pipes_and_processes_do() {
    survives("S");
}

#[test]
fn the_core_survives_what_http_servers_do() {
    survives("H");
}

#[test]
fn the_core_survives_what_event_streams_do() {
    survives("E");
}

#[test]
fn the_core_survives_what_messages_do() {
    survives("J");
}

#[test]
fn the_core_survives_what_handshakes_and_waits_do() {
    survives("P");
}

#[test]
fn the_core_survives_what_a_page_asks_for() {
    survives("I");
}

#[test]
fn the_core_survives_what_configurations_say() {
    survives("C");
}

#[test]
fn the_core_keeps_its_secrets() {
    survives("X");
}

/// Every id that is to be survived, in its order.
fn wanted() -> Vec<String> {
    let group =
        |letter: &str, numbers: &[u32]| numbers.iter().map(|number| format!("{letter}{number}")).collect::<Vec<_>>();
    let up_to = |last: u32| (1..=last).collect::<Vec<_>>();
    let (http, streams) = (group("H", &up_to(18)), group("E", &up_to(12)));
    let wire = [group("S", &up_to(27)), http, streams, group("J", &up_to(16)), group("P", &[1, 2, 4, 6, 7, 8, 9])];
    let rest = [group("I", &[1, 2]), group("C", &up_to(10)), group("X", &up_to(8))];
    [wire.concat(), rest.concat()].concat()
}

#[test]
fn every_case_of_the_list_is_there_once() {
    let ids: Vec<String> = CASES.iter().map(|case| case.id.to_owned()).collect();
    assert_eq!(ids, wanted(), "the table is the list, in its order");
    let titles: BTreeSet<_> = CASES.iter().map(|case| case.title).collect();
    assert_eq!(titles.len(), CASES.len(), "each case says what it is about");
}

#[test]
fn the_server_plays_every_case_of_the_list() {
    let server = Command::new(env!("CARGO_BIN_EXE_hostile-server")).arg("--list").output().unwrap();
    let parts: Vec<String> = String::from_utf8(server.stdout).unwrap().lines().map(str::to_owned).collect();
    let cases: Vec<String> =
        parts.iter().filter(|part| part.starts_with(|first: char| first.is_uppercase())).cloned().collect();
    let played: Vec<_> = CASES.iter().filter(|case| case.is_played()).map(|case| case.id.to_owned()).collect();
    assert_eq!(cases, played, "each part once, under the id of its case");
}
