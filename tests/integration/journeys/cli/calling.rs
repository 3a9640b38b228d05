//! Calls, and every exit status.

use std::io::{BufRead, BufReader};

use integration::{Profile, binary, until_gone};
use serde_json::json;

use super::console::{finish, run, run_with_input, signal, sonde, write};

fn path(name: &str) -> String {
    binary(name).to_str().unwrap().to_owned()
}

/// A server that answers `initialize`, then does `then` with each line it reads, `$line`, whose id is `$id`.
fn script(then: &str) -> String {
    format!(
        r#"read -r line
printf '%s\n' '{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"x","version":"1"}}}}}}'
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  {then}
done
"#
    )
}

#[test]
fn a_call_prints_what_the_tool_said() {
    let profile = Profile::default();
    let ran = run(&profile, &["call", "demo.echo", "--arg", "text=over here"]).exits(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("over here\n", ""), "the text, and nothing else");
    let ran = run(&profile, &["call", "demo.add", "--arg", "a:=2", "--arg", "b:=3"]).exits(0);
    assert_eq!(ran.out, "5\n{\n  \"sum\": 5\n}\n", "and what is structured, for a person");
}

#[test]
fn a_program_gets_the_servers_own_result() {
    let profile = Profile::default();
    let ran = run(&profile, &["call", "demo.add", "--json", r#"{"a":2,"b":3}"#, "--output", "json"]).exits(0);
    let result = ran.json();
    assert_eq!(result["structuredContent"], json!({ "sum": 5 }));
    assert_eq!(result["content"][0]["text"], "5");
    assert_eq!(ran.err, "", "nobody else is spoken to");
}

#[test]
fn arguments_come_from_a_file_from_a_pipe_and_from_both() {
    let profile = Profile::default();
    write(&profile, "given.json", "{\n  \"a\": 2,\n  \"b\": 1\n}\n");
    let ran = run(&profile, &["call", "demo.add", "--json", "@given.json", "--arg", "b:=40"]).exits(0);
    assert!(ran.out.starts_with("42\n"), "an argument stands above the file: {ran:?}");
    let ran = run_with_input(&profile, &["call", "demo.add", "--json", "-"], br#"{"a":1,"b":2}"#).exits(0);
    assert!(ran.out.starts_with("3\n"), "{ran:?}");
}

#[test]
fn a_server_is_typed_after_two_dashes_and_needs_no_approval() {
    let profile = Profile::default();
    let demo = path("sonde-demo");
    let ran = run(&profile, &["call", "echo", "--arg", "text=hi", "--", &demo]).exits(0);
    assert_eq!(ran.out, "hi\n");
    let shown = "printf '%s %s\\n' \"$GREETING\" \"$(pwd)\" >&2; exit 9";
    let words = ["call", "x", "--env", "GREETING=good day", "--cwd", "/", "--", "/bin/sh", "-c", shown];
    let ran = run(&profile, &words).exits(3);
    assert!(ran.err.contains("good day /"), "its variables and its folder: {ran:?}");
}

#[test]
fn a_tool_that_says_it_failed_exits_with_one() {
    let profile = Profile::default();
    let ran = run(&profile, &["call", "demo.fail", "--arg", "message=out of luck"]).exits(1);
    assert_eq!(ran.out, "out of luck\n", "what it said is the result");
    assert!(ran.err.contains("the tool says that it failed"), "{ran:?}");
    let ran = run(&profile, &["call", "demo.fail", "--output", "json"]).exits(1);
    assert_eq!(ran.json()["isError"], true, "a program reads the result itself");
}

#[test]
fn arguments_that_do_not_fit_the_schema_are_not_sent_unless_told_to() {
    let profile = Profile::default();
    let ran = run(&profile, &["call", "demo.add", "--arg", "a=2", "--arg", "b:=3"]).exits(2);
    assert!(ran.err.contains("/a") && ran.err.contains("--arg name:=json"), "where, and what to do: {ran:?}");
    let ran = run(&profile, &["call", "demo.add", "--arg", "a=2", "--output", "json"]).exits(2);
    assert_eq!(ran.json()["error"]["code"], "invalid-arguments");
    let log = run(&profile, &["log", "--kind", "exchange", "--output", "json"]).exits(0).json();
    let calls = log["rows"].as_array().unwrap().iter().filter(|row| row["method"] == "tools/call").count();
    assert_eq!(calls, 0, "neither of them was sent: {log}");
    let ran = run(&profile, &["call", "demo.add", "--arg", "a=2", "--arg", "b:=3", "--no-validate"]).exits(1);
    assert!(ran.out.contains("must be a number"), "now the server says so itself: {ran:?}");
}

#[test]
fn what_cannot_be_meant_exits_with_two() {
    let profile = Profile::default();
    for words in [
        &["call", "nosuch.echo"][..],
        &["call", "demo"],
        &["call", "demo.echo", "--arg", "text"],
        &["call", "demo.echo", "--timeout", "soon"],
        &["call", "demo.echo", "--protocol", "1999-01-01"],
        &["call", "demo.echo", "--answer", "nosuch.json"],
        &["call", "demo.echo", "--json", "[1]"],
        &["call", "demo.echo", "--root", "no/such/folder"],
        &["call", "demo.echo", "--env", "A=b"],
        &["tools", "demo", "--project", "no/such/project"],
        &["nosuch"],
    ] {
        let ran = run(&profile, words).exits(2);
        assert!(!ran.err.is_empty() && ran.out.is_empty(), "{words:?} says why, on stderr: {ran:?}");
        let json: Vec<&str> = words.iter().copied().chain(["--output", "json"]).collect();
        let error = run(&profile, &json).exits(2).json()["error"].clone();
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{words:?}: {error}");
    }
}

#[test]
fn a_server_that_does_not_become_ready_exits_with_three() {
    let profile = Profile::default();
    let load = path("sonde-load");
    for (words, told) in [(&["--exit", "7"][..], "exit code 7"), (&["--version", "1999-01-01"], "1999-01-01")] {
        let all: Vec<&str> = ["call", "echo", "--", &load].iter().chain(words).copied().collect();
        let ran = run(&profile, &all).exits(3);
        assert!(ran.err.contains(told), "{words:?}: {ran:?}");
    }
    let ran = run(&profile, &["ping", "--timeout", "500ms", "--", &load, "--silent"]).exits(3);
    assert!(ran.err.contains("initialize"), "the time is for connecting, too: {ran:?}");
    let ran = run(&profile, &["ping", "--output", "json", "--", "no-such-program-anywhere"]).exits(3);
    assert_eq!(ran.json()["error"]["code"], "start-failed");
    let ran = run(&profile, &["ping", "--protocol", "2024-11-05", "--", &load]).exits(3);
    assert!(ran.err.contains("2025-11-25"), "a revision that is insisted on is not negotiated: {ran:?}");
}

#[test]
fn nobody_approved_means_not_ready_until_somebody_does() {
    let profile = Profile::with_load(&[]);
    let ran = run(&profile, &["call", "load.echo", "--arg", "text=hi", "--output", "json"]).exits(3);
    let error = ran.json()["error"].clone();
    assert_eq!(error["code"], "approval-needed");
    assert!(error["hint"].as_str().unwrap().contains("sonde approve load"), "{error}");
    let ran = run(&profile, &["approve", "load"]).exits(2);
    assert!(ran.out.contains("sonde-load") && ran.err.contains("--yes"), "it is shown, but nobody said yes: {ran:?}");
    let ran = run(&profile, &["approve", "load", "--yes"]).exits(0);
    assert!(ran.out.contains("approved"), "{ran:?}");
    assert_eq!(run(&profile, &["call", "load.echo", "--arg", "text=hi"]).exits(0).out, "hi\n");
}

#[test]
fn an_error_of_the_server_exits_with_four() {
    let profile = Profile::default();
    let ran = run(&profile, &["call", "demo.nosuch", "--no-validate"]).exits(4);
    assert!(ran.err.contains("there is no tool `nosuch`"), "{ran:?}");
    let ran = run(&profile, &["call", "demo.nosuch", "--no-validate", "--output", "json"]).exits(4);
    let told = ran.json();
    assert_eq!(told["error"]["code"], "server-error");
    assert_eq!(told["answer"]["code"], -32602, "the server's own error stands beside ours");
}

#[test]
fn a_connection_that_is_lost_after_ready_exits_with_four() {
    let script = script(r#"case "$line" in *tools/call*) echo "out of luck" >&2; exit 7;; esac"#);
    let profile = Profile::default().with_script("brief", &script);
    run(&profile, &["approve", "brief", "--yes"]).exits(0);
    let ran = run(&profile, &["call", "brief.any", "--no-validate", "--output", "json"]).exits(4);
    assert_eq!(ran.json()["error"]["code"], "connection-lost");
}

#[test]
fn a_request_without_an_answer_exits_with_five() {
    let profile = Profile::default();
    let load = path("sonde-load");
    let words =
        ["call", "echo", "--arg", "text=x", "--timeout", "10s", "--output", "json", "--", &load, "--reverse", "9"];
    let ran = run(&profile, &words).exits(5);
    assert_eq!(ran.json()["error"]["code"], "timeout");
}

#[test]
fn an_interrupt_cancels_the_call_ends_the_server_and_exits_with_130() {
    let script = script(r#"printf '%s\n' "$line" >>heard; case "$line" in *tools/call*) echo called >&2;; esac"#);
    let profile = Profile::default().with_script("slow", &script);
    run(&profile, &["approve", "slow", "--yes"]).exits(0);
    let child = sonde(&profile, &["call", "slow.any", "--no-validate", "--anyway"]).spawn().unwrap();
    let heard = profile.project().join("heard");
    let end = std::time::Instant::now() + integration::LIMIT;
    while !std::fs::read_to_string(&heard).is_ok_and(|text| text.contains("tools/call")) {
        assert!(std::time::Instant::now() < end, "the server never heard of the call");
        // Nobody tells of a change in a file, so it is looked at again.
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    signal(child.id(), rustix::process::Signal::INT);
    let ran = finish(child).exits(130);
    assert_eq!(ran.out, "", "there is no result: {ran:?}");
    let heard = std::fs::read_to_string(&heard).unwrap();
    assert!(heard.contains("notifications/cancelled"), "the server was told: {heard}");
    let left = until_gone(&profile.project(), integration::LIMIT);
    assert!(left.is_empty(), "these still run: {left:?}");
    let log = run(&profile, &["log", "--kind", "exchange", "--output", "json"]).exits(0).json();
    let call = log["rows"].as_array().unwrap().iter().find(|row| row["method"] == "tools/call").unwrap().clone();
    assert_eq!(call["status"], "cancelled", "and the log knows it: {call}");
}

#[test]
fn an_interrupt_ends_what_only_watches() {
    let profile = Profile::default();
    let mut child = sonde(&profile, &["connect", "demo", "--follow"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let seen: Vec<String> =
        lines.by_ref().map_while(Result::ok).take_while(|line| !line.contains("initialized")).collect();
    assert!(seen.iter().any(|line| line.contains("sonde-demo")), "the handshake comes first: {seen:?}");
    assert!(seen.iter().any(|line| line.contains("initialize")), "then what passes: {seen:?}");
    signal(child.id(), rustix::process::Signal::INT);
    let rest = std::thread::spawn(move || lines.count());
    finish(child).exits(130);
    rest.join().unwrap();
}

#[test]
fn a_task_is_followed_to_its_end() {
    let profile = Profile::default();
    let words = ["call", "demo.report", "--arg", "topic=tides", "--arg", "seconds:=0.2", "--task", "--ttl", "60s"];
    let ran = run(&profile, &words).exits(0);
    assert!(ran.out.contains("# tides"), "the result of the task: {ran:?}");
    assert!(ran.err.contains("it runs as task"), "{ran:?}");
    let log = run(&profile, &["log", "--kind", "exchange", "--output", "json"]).exits(0).json();
    let methods: Vec<&str> = log["rows"].as_array().unwrap().iter().filter_map(|row| row["method"].as_str()).collect();
    assert!(methods.contains(&"tasks/result"), "it was a task: {methods:?}");
    let sent = log["rows"].as_array().unwrap().iter().find(|row| row["method"] == "tools/call").unwrap().clone();
    assert!(sent["frames"][0]["text"].as_str().unwrap().contains(r#""ttl":60000"#), "{sent}");
}

#[test]
fn a_persons_own_meta_goes_with_the_request() {
    let profile = Profile::default();
    run(&profile, &["call", "demo.echo", "--arg", "text=x", "--meta", r#"example.com/mark:={"n":1.50}"#]).exits(0);
    let log = run(&profile, &["log", "--kind", "exchange", "--output", "json"]).exits(0).json();
    let call = log["rows"].as_array().unwrap().iter().find(|row| row["method"] == "tools/call").unwrap().clone();
    let sent = call["frames"][0]["text"].as_str().unwrap();
    assert!(sent.contains(r#""example.com/mark":{"n":1.50}"#), "as it was typed: {sent}");
}

#[test]
fn the_answer_comes_to_a_pipe_without_a_progress_bar() {
    let profile = Profile::default();
    let ran = run(&profile, &["call", "demo.slow", "--arg", "seconds:=1", "--arg", "steps:=5"]).exits(0);
    assert!(ran.out.starts_with("took "), "{ran:?}");
    assert_eq!(ran.err, "", "no bar, no clock, no colours");
    assert!(!ran.out.contains('\u{1b}'), "{ran:?}");
}
