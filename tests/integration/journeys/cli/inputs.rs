//! Secrets and inputs: how they are named, given for one run, asked for at a terminal, and kept.

use std::process::Command;

use integration::{Profile, binary};
use serde_json::json;

use super::console::{Person, Ran, finish, run, run_with_input, sonde};

/// A server that needs two inputs and a secret, and may start.
fn profile() -> Profile {
    let command = binary("sonde-load");
    let env = json!({ "A": "${input:region}", "B": "${input:key}", "C": "${secret:TOKEN}" });
    let profile = Profile::default().with_entry("asks", json!({ "command": command, "env": env }));
    let profile = profile.with_server("plain", command.to_str().unwrap(), &[]);
    run(&profile, &["approve", "asks", "--yes"]).exits(0);
    run(&profile, &["approve", "plain", "--yes"]).exits(0);
    profile
}

/// On a machine that has no keyring.
fn alone(profile: &Profile, words: &[&str]) -> Command {
    let mut command = sonde(profile, words);
    command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
    command
}

fn ran(profile: &Profile, words: &[&str]) -> Ran {
    finish(alone(profile, words).spawn().unwrap())
}

#[test]
fn every_missing_value_is_named_with_the_flag_that_gives_it() {
    let profile = profile();
    let told = ran(&profile, &["ping", "asks"]).exits(3);
    assert!(told.err.contains("--input region --input key --input TOKEN"), "{told:?}");
    assert!(!told.err.contains("secret set"), "nothing could be kept: {told:?}");
    let words = ["--input", "region=eu", "--input", "input:key=k-123456", "--input", "TOKEN=t-123456"];
    ran(&profile, &[&["ping", "asks"], &words[..]].concat()).exits(0);
    let found = ran(&profile, &[&["doctor", "asks"], &words[..]].concat()).exits(0);
    assert!(found.out.contains("asks: well"), "the doctor is given them too: {found:?}");
    let told = ran(&profile, &["ping", "asks", "--input", "nosuch=1"]).exits(2);
    assert!(told.err.contains("does not ask for `nosuch`") && told.err.contains("input:region"), "{told:?}");
    let told = ran(&profile, &["tools", "asks", "plain", "--input", "region=eu"]).exits(2);
    assert!(told.err.contains("one server"), "{told:?}");
}

#[test]
fn whoever_is_at_the_terminal_is_asked_for_what_is_missing() {
    let profile = profile();
    let mut person = Person::start(alone(&profile, &["ping", "asks", "--input", "region=eu"]));
    person.sees("key of asks, for this run: ").types("k-unseen-1").sees("TOKEN of asks").types("t-unseen-2");
    let (code, screen) = person.ends();
    assert_eq!(code, Some(0), "{screen}");
    assert!(!screen.contains("unseen"), "what is typed is not shown: {screen}");
}

#[test]
fn a_name_finds_the_one_reference_and_an_unknown_one_is_an_error() {
    let profile = profile();
    let told = ran(&profile, &["secret", "set", "asks", "NOPE"]).exits(2);
    assert!(
        told.err.contains("does not ask for `NOPE`") && told.err.contains("input:region, input:key, TOKEN"),
        "{told:?}"
    );
    // There is nothing on stdin: it is said before anybody types.
    let told = ran(&profile, &["secret", "set", "asks", "region"]).exits(2);
    assert!(told.err.contains("`region` can't be kept") && told.err.contains("--input region"), "{told:?}");
    assert!(!told.err.contains("until Sonde ends"), "it is not kept, not even for a while: {told:?}");
    let told = ran(&profile, &["secret", "remove", "asks", "NOPE"]).exits(2);
    assert!(told.err.contains("does not ask for `NOPE`"), "{told:?}");
    let told = ran(&profile, &["secret", "remove", "asks", "TOKEN"]).exits(2);
    assert!(told.err.contains("nothing is kept as `TOKEN`"), "{told:?}");
    let told = ran(&profile, &["secret", "list", "plain"]).exits(0);
    assert!(told.err.contains("`plain` asks for no secret and no input"), "{told:?}");
}

#[test]
fn what_can_not_be_imported_is_told_and_fails() {
    let profile = Profile::default();
    let folder = profile.project().join(".lmstudio");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("mcp.json"), "{ not JSON").unwrap();
    let told = run(&profile, &["import", "lmstudio"]).exits(2);
    assert!(told.err.contains("Invalid JSON"), "{told:?}");
    let told = run_with_input(&profile, &["import", "-"], b"{\"mcpServers\":{}}").exits(0);
    assert!(told.err.contains("there are no servers in it"), "{told:?}");
    let told = run(&profile, &["import", "gemini"]).exits(2);
    assert!(told.err.contains("no client `gemini`") && told.err.contains("gemini-cli"), "{told:?}");
}

#[test]
fn what_was_typed_wrongly_is_told_in_its_own_words() {
    let profile = Profile::default();
    std::fs::write(profile.project().join("file"), "").unwrap();
    let told = run(&profile, &["servers", "--project", "file"]).exits(2);
    assert!(told.err.contains("is no folder"), "{told:?}");
    let told = run(&profile, &["ping", "--url", "localhost:3000"]).exits(2);
    assert!(told.err.contains("must begin with `http://` or `https://`"), "{told:?}");
    let told = run(&profile, &["disable", "demo"]).exits(2);
    assert!(told.err.contains("hint:"), "{told:?}");
}
