//! `sonde-load` while it does not behave.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::peer::Peer;

#[test]
fn exit_says_two_lines_and_ends_with_its_code() {
    let mut peer = Peer::load(&["--exit", "7"]);
    let lines: Vec<_> = std::iter::from_fn(|| peer.stderr_line()).collect();
    assert_eq!(lines.len(), 2, "got {lines:?}");
    let status = peer.wait().expect("it exits at once");
    assert_eq!(status.code(), Some(7));
}

#[test]
fn silence_is_kept_until_stdin_ends() {
    let mut peer = Peer::load(&["--silent"]);
    peer.ask("initialize", json!({}));
    let (rest, status) = peer.finish();
    assert!(rest.is_empty() && status.success(), "ended with {status} after {rest:?}");
}

#[test]
fn garbage_is_never_json() {
    let mut peer = Peer::load(&["--garbage"]);
    peer.ask("initialize", json!({}));
    let (lines, _) = peer.finish();
    assert!(lines.len() >= 4, "a banner and one line per line read");
    for line in lines {
        let parsed = serde_json::from_slice::<Value>(&line);
        assert!(parsed.is_err(), "this is JSON: {parsed:?}");
    }
}

#[test]
fn a_server_that_never_reads_outlasts_the_end_of_stdin() {
    let mut peer = Peer::load(&["--never-reads"]);
    peer.close_stdin();
    assert!(peer.is_running());
    peer.kill();
}

#[test]
fn each_bad_line_is_sent_after_each_answer() {
    let mut peer = Peer::load(&["--bad-lines"]);
    for round in 1..=2 {
        assert_eq!(peer.request("ping", json!({}))["result"], json!({}));
        let lines: Vec<_> = (0..8).filter_map(|_| peer.line()).collect();
        assert!(lines[0].is_empty(), "an empty line");
        assert!(lines[1].ends_with(b"}\r"), "a line that ends in CRLF");
        assert!(std::str::from_utf8(&lines[2]).is_err(), "invalid UTF-8");
        assert!(lines[3].starts_with(b"{") && is_not_json(&lines[3]));
        assert_eq!(json_of(&lines[4])["id"], format!("never-asked-{round}"));
        assert_eq!(json_of(&lines[5])["method"], "notifications/demo/unknown");
        assert_eq!(json_of(&lines[6])["method"], "ping");
        assert_eq!(json_of(&lines[7])["method"], "demo/unknown");
    }
    // A client that follows the rules answers the ping; that answer must not be answered.
    peer.send(&json!({ "jsonrpc": "2.0", "id": "ping-1", "result": {} }));
    let answer = peer.request("ping", json!({}));
    assert_eq!(answer["result"], json!({}));
}

#[test]
fn the_endless_cursor_never_moves() {
    let mut peer = Peer::load(&["--endless-cursor"]);
    let first = peer.request("tools/list", json!({}));
    assert_eq!(first["result"]["nextCursor"], "again");
    let second = peer.request("tools/list", json!({ "cursor": "again" }));
    assert_eq!(second["result"], first["result"]);
}

#[test]
fn the_version_is_the_one_it_was_told() {
    let mut peer = Peer::load(&["--version", "1999-12-31"]);
    assert_eq!(peer.initialize()["result"]["protocolVersion"], "1999-12-31");
}

#[test]
fn duplicate_answers_each_call_twice() {
    let mut peer = Peer::load(&["--duplicate"]);
    let first = peer.call("echo", json!({ "text": "once" }));
    let second = peer.message();
    assert_eq!(second["result"], first);
}

#[test]
fn one_big_line_comes_before_the_first_answer() {
    let mut peer = Peer::load(&["--big-line", "5000000"]);
    let id = peer.ask("tools/call", json!({ "name": "echo", "arguments": {} }));
    let line = peer.line().expect("the big line");
    assert_eq!(line.len(), 5_000_000);
    assert_eq!(json_of(&line)["method"], "notifications/message");
    assert_eq!(peer.message()["id"], id);
    let again = peer.call("echo", json!({ "text": "no second big line" }));
    assert_eq!(again["content"][0]["text"], "no second big line");
}

#[test]
fn an_unknown_option_is_refused() {
    let mut peer = Peer::load(&["--polite"]);
    let first = peer.stderr_line().expect("it says why");
    assert_eq!(first, "sonde-load: unknown option `--polite`");
    let status = peer.wait().expect("it exits");
    assert_eq!(status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn the_stubborn_server_and_its_grandchild_survive_sigterm_and_the_end_of_stdin() {
    let mut peer = Peer::load(&["--stubborn"]);
    let line = peer.stderr_line().expect("the line with the pids");
    let words: Vec<_> = line.split(' ').collect();
    let ["pid", parent, "grandchild", grandchild] = words[..] else {
        panic!("not the line that was promised: {line}");
    };
    assert_eq!(peer.call("echo", json!({}))["content"][0]["text"], "");

    for pid in [parent, grandchild] {
        assert!(signal("-TERM", pid), "process {pid} was there to be asked");
    }
    // An answer after the signal proves that the signal was delivered and survived.
    assert_eq!(peer.call("echo", json!({}))["content"][0]["text"], "");
    peer.close_stdin();
    assert!(signal("-0", grandchild), "the grandchild is still there");
    assert!(peer.is_running(), "the server is still there");

    assert!(signal("-KILL", grandchild), "the grandchild can be killed");
    peer.kill();
}

#[cfg(unix)]
fn signal(signal: &str, pid: &str) -> bool {
    Command::new("kill").args([signal, pid]).stderr(Stdio::null()).status().expect("`kill` is there").success()
}

fn is_not_json(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_err()
}

fn json_of(line: &[u8]) -> Value {
    serde_json::from_slice(line).expect("the line is JSON")
}
