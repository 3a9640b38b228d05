//! Resources, prompts, completions, pings and tasks.

use std::io::{BufRead, BufReader};

use integration::Profile;

use super::console::{finish, run, signal, sonde};

#[test]
fn a_resource_is_its_text_or_in_a_pipe_its_bytes() {
    let profile = Profile::default();
    let ran = run(&profile, &["read", "demo", "demo://readme"]).exits(0);
    assert!(ran.out.starts_with("# Sonde demo"), "{ran:?}");
    let output = sonde(&profile, &["read", "demo://pixel.png", "--server", "demo"]).output().unwrap();
    assert!(output.stdout.starts_with(b"\x89PNG"), "a blob can go straight into a file");
    let told = run(&profile, &["read", "demo", "demo://pixel.png", "--output", "json"]).exits(0).json();
    assert!(told["contents"][0]["blob"].is_string(), "{told}");
    let ran = run(&profile, &["read", "demo", "demo://nowhere"]).exits(4);
    assert!(ran.err.contains("demo://nowhere"), "{ran:?}");
}

#[test]
fn a_template_is_filled_in() {
    let profile = Profile::default();
    let template = "demo://greeting/{language}{?name}";
    let words = ["read", "demo", "--template", template, "--arg", "language=german", "--arg", "name=Jürgen K"];
    assert_eq!(run(&profile, &words).exits(0).out, "Guten Tag, Jürgen K!");
    run(&profile, &["read", "demo", "--template", "demo://{", "--arg", "x=y"]).exits(2);
}

#[test]
fn a_resource_that_is_followed_is_read_again_when_it_changes() {
    let profile = Profile::default();
    let mut child = sonde(&profile, &["read", "demo", "demo://clock", "--follow", "--output", "json"]).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let read: Vec<String> = lines.map_while(Result::ok).take(3).collect();
    assert_eq!(read.len(), 3, "it was read again and again: {read:?}");
    assert!(read[0] != read[1] && read[1] != read[2], "each time it had changed: {read:?}");
    signal(child.id(), rustix::process::Signal::INT);
    finish(child).exits(130);
}

#[test]
fn a_prompt_is_shown_by_its_roles() {
    let profile = Profile::default();
    let ran = run(&profile, &["prompt", "demo.review", "--arg", "code=x = 1", "--arg", "focus=names"]).exits(0);
    assert!(ran.out.contains("user\n  Review") && ran.out.contains("names"), "{ran:?}");
    let told = run(&profile, &["prompt", "demo.review", "--arg", "code=x", "--output", "json"]).exits(0).json();
    assert_eq!(told["messages"][0]["role"], "user");
    let ran = run(&profile, &["prompt", "demo.review", "--arg", "code:=7"]).exits(2);
    assert!(ran.err.contains("no string"), "the arguments of a prompt are strings: {ran:?}");
    run(&profile, &["prompt", "demo.review"]).exits(4);
}

#[test]
fn arguments_are_completed_with_what_is_known_of_the_others() {
    let profile = Profile::default();
    let words = ["complete", "demo", "--template", "demo://greeting/{language}{?name}", "--argument", "language=it"];
    assert_eq!(run(&profile, &words).exits(0).out, "italian\n");
    let words = ["complete", "demo", "--prompt", "translate", "--argument", "style=", "--context", "language=German"];
    let with = run(&profile, &words).exits(0).out;
    let without = run(&profile, &words[..6]).exits(0).out;
    assert_ne!(with, without, "the context is sent");
    let words = ["complete", "demo", "--template", "demo://square/{number}", "--argument", "number=1"];
    let ran = run(&profile, &words).exits(0);
    assert!(ran.err.contains("are shown"), "that there are more is said: {ran:?}");
    let json: Vec<&str> = words.into_iter().chain(["--output", "json"]).collect();
    assert_eq!(run(&profile, &json).exits(0).json()["completion"]["hasMore"], true);
}

#[test]
fn pings_are_timed() {
    let profile = Profile::default();
    let ran = run(&profile, &["ping", "demo", "--count", "3"]).exits(0);
    assert_eq!(ran.out.lines().filter(|line| line.ends_with(" ms")).count(), 3, "{ran:?}");
    let told = run(&profile, &["ping", "demo", "--count", "3", "--output", "json"]).exits(0).json();
    assert_eq!(told["ms"].as_array().unwrap().len(), 3);
}

#[test]
fn the_tasks_of_a_server_can_be_asked_about() {
    let profile = Profile::default();
    let told = run(&profile, &["tasks", "list", "demo", "--output", "json"]).exits(0).json();
    assert_eq!(told, serde_json::json!({ "tasks": [] }), "a server that just began has none");
    for command in ["get", "result", "cancel"] {
        let ran = run(&profile, &["tasks", command, "demo", "nosuch"]).exits(4);
        assert!(!ran.err.is_empty(), "`{command}`: {ran:?}");
    }
    run(&profile, &["tasks", "get", "demo"]).exits(2);
}

#[test]
fn log_messages_are_shown_beside_the_answer_where_they_are_asked_for() {
    let profile = Profile::default();
    let ran = run(&profile, &["call", "demo.log", "--log-level", "error"]).exits(0);
    assert_eq!(ran.out, "sent 4 of 8 messages\n", "the server was told which it should send: {ran:?}");
    assert_eq!(ran.err.lines().count(), 4, "and each of them is a line on stderr: {ran:?}");
    assert!(ran.err.contains("[emergency log]") && !ran.err.contains("[warning"), "{ran:?}");
}
