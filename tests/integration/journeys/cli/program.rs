//! The program itself: usage, approvals, completions, the manual, and readers that have had enough.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use integration::{Profile, binary, until_gone};

use super::console::{Person, finish, run, signal, sonde, write};

#[test]
fn completions_and_the_manual_are_made_from_the_commands() {
    let profile = Profile::default();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = run(&profile, &["completions", shell]).exits(0);
        assert!(ran.out.contains("sonde") && ran.out.contains("concurrency"), "{shell}");
    }
    let ran = run(&profile, &["man"]).exits(0);
    assert!(
        ran.out.contains(".TH sonde") && ran.out.contains(".SS sonde tasks get") && ran.out.contains("EXIT STATUS"),
        "{}",
        ran.out
    );
    let ran = run(&profile, &["--help"]).exits(0);
    for command in [
        "servers",
        "connect",
        "tools",
        "call",
        "resources",
        "read",
        "prompts",
        "prompt",
        "complete",
        "ping",
        "tasks",
        "send",
        "log",
        "load",
        "approve",
        "demo",
        "completions",
        "man",
    ] {
        assert!(ran.out.contains(&format!("\n  {command} ")), "`{command}` is listed: {ran:?}");
    }
    run(&profile, &["--version"]).exits(0);
}

#[test]
fn a_person_approves_at_the_terminal_what_they_have_seen() {
    let profile = Profile::default().with_server("shell", "/bin/sh", &["-c", "exit 0", "a\u{202e}b"]);
    let mut person = Person::start(sonde(&profile, &["approve", "shell"]));
    person.sees("/bin/sh").sees(r"a\u{202e}b").sees("Type yes: ").types("y").sees("was not approved");
    assert_eq!(person.ends().0, Some(2), "only the whole word is a yes");
    let mut person = Person::start(sonde(&profile, &["approve", "shell"]));
    person.sees("Type yes: ").types("yes").sees("may start with exactly this");
    assert_eq!(person.ends().0, Some(0));
    let told = run(&profile, &["approve", "shell", "--yes", "--output", "json"]).exits(0).json();
    assert_eq!((&told["approved"], &told["binary"]), (&"shell".into(), &"/bin/sh".into()), "{told}");
    run(&profile, &["approve", "nosuch", "--yes"]).exits(2);
}

#[test]
fn a_reader_that_has_had_enough_is_no_failure() {
    let profile = Profile::default();
    let load = binary("sonde-load");
    let words = ["tools", "--output", "json", "--", load.to_str().unwrap(), "--tools", "20000"];
    let mut child = sonde(&profile, &words).spawn().unwrap();
    drop(child.stdout.take());
    let ran = finish(child).exits(0);
    assert_eq!(ran.err, "", "nobody panics over a closed pipe: {ran:?}");
    let left = until_gone(&profile.project(), integration::LIMIT);
    assert!(left.is_empty(), "and the server ended as always: {left:?}");
}

#[test]
fn what_can_not_be_used_is_named() {
    let profile = Profile::default();
    write(&profile, "rules.json", "{}");
    let ran = run(&profile, &["ping", "demo", "--answer", "rules.json"]).exits(2);
    assert!(ran.err.contains("`rules.json`"), "{ran:?}");
    let ran = run(&profile, &["servers", "--data-dir", "rules.json"]).exits(2);
    assert!(ran.err.contains("the data folder `rules.json`"), "{ran:?}");
}

#[test]
fn the_demo_serves_until_its_input_ends() {
    let profile = Profile::default();
    let mut child = sonde(&profile, &["demo"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
    std::io::Write::write_all(&mut input, format!("{hello}\n").as_bytes()).unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    assert!(answer.contains("sonde-demo"), "{answer}");
    drop(input);
    finish(child).exits(0);
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let profile = Profile::default();
    let coloured = Person::start(sonde(&profile, &["tools", "demo"])).ends().1;
    assert!(coloured.contains("\u{1b}[2mNAME"), "heads are dim on a terminal: {coloured}");
    let mut plain = sonde(&profile, &["tools", "demo"]);
    plain.env("NO_COLOR", "1");
    let plain = Person::start(plain).ends().1;
    // What is coloured ends with this. The line that says what is waited for is taken back by another code.
    assert!(plain.contains("NAME") && !plain.contains("\u{1b}[0m"), "and the same words without: {plain}");
    assert!(!run(&profile, &["tools", "demo"]).exits(0).out.contains('\u{1b}'), "none in a pipe");
}

#[test]
fn whoever_insists_goes_at_once_and_the_server_is_ended_behind_them() {
    let profile = Profile::default();
    let load = binary("sonde-load");
    let mut child =
        sonde(&profile, &["connect", "--follow", "--", load.to_str().unwrap(), "--stubborn"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("grandchild")), "it ignores whatever it is told");
    signal(child.id(), rustix::process::Signal::INT);
    // It now waits for a server that does not go.
    signal(child.id(), rustix::process::Signal::TERM);
    finish(child).exits(130);
    let left = until_gone(&profile.project(), integration::LIMIT);
    assert!(left.is_empty(), "these still run: {left:?}");
}
