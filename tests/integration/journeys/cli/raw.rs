//! Bytes of one's own, and the log.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use integration::{Profile, binary};
use serde_json::Value;

use super::console::{finish, run, run_with_input, signal, sonde, write};

fn load() -> String {
    binary("sonde-load").to_str().unwrap().to_owned()
}

#[test]
fn what_is_sent_goes_out_as_it_is_and_what_comes_back_is_shown() {
    let profile = Profile::default();
    let message = r#"{"id":"mine", "method" : "ping","jsonrpc":"2.0"}"#;
    let ran = run(&profile, &["send", message, "--", &load()]).exits(0);
    let answer: Value = serde_json::from_str(ran.out.trim()).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(answer, serde_json::json!({ "jsonrpc": "2.0", "id": "mine", "result": {} }), "the answer's own line");
    let rows = run(&profile, &["send", message, "--output", "json", "--", &load()]).exits(0).json();
    let row =
        rows["rows"].as_array().unwrap().iter().find(|row| row["id"] == "\"mine\"").unwrap_or_else(|| panic!("{rows}"));
    assert_eq!(row["frames"][0]["text"], message, "not a space was changed");
    assert_eq!((&row["frames"][1]["dir"], &row["status"]), (&"in".into(), &"ok".into()));
}

#[test]
fn an_error_that_comes_back_exits_with_four() {
    let profile = Profile::default();
    let ran = run(&profile, &["send", r#"{"jsonrpc":"2.0","id":77,"method":"no/such"}"#, "--", &load()]).exits(4);
    assert!(ran.out.contains("-32601"), "it is shown all the same: {ran:?}");
}

#[test]
fn a_file_and_a_pipe_are_sent_byte_for_byte_without_any_handshake() {
    let profile = Profile::default();
    let first = r#"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
    let both = format!("{first}\n{{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"ping\"}}\n");
    write(&profile, "talk.jsonl", &both);
    let ran = run(&profile, &["send", "@talk.jsonl", "--protocol", "none", "--", &load()]).exits(0);
    assert_eq!(ran.out.lines().count(), 2, "two answers and no other: {ran:?}");
    assert!(ran.out.contains(r#""id":"a""#) && ran.out.contains("sonde-load"), "{ran:?}");
    let ran = run_with_input(&profile, &["send", "-", "--wait", "2s", "--", &load()], b"not a message\n").exits(0);
    assert!(ran.out.contains("error") || ran.err.contains("nothing came back"), "{ran:?}");
    let log = run(&profile, &["log", "--kind", "unparsable", "--output", "json"]).exits(0).json();
    let texts: Vec<&str> =
        log["rows"].as_array().unwrap().iter().filter_map(|row| row["frames"][0]["text"].as_str()).collect();
    assert!(texts.contains(&"not a message"), "the log has it as it was sent: {log}");
}

#[test]
fn the_log_has_the_rows_of_the_contract() {
    let profile = Profile::default();
    run(&profile, &["call", "demo.echo", "--arg", "text=x"]).exits(0);
    let log = run(&profile, &["log", "--output", "json", "--limit", "1000"]).exits(0).json();
    let rows = log["rows"].as_array().unwrap();
    assert_eq!(log["total"], rows.len(), "nothing is left out");
    let call = rows.iter().find(|row| row["method"] == "tools/call").unwrap_or_else(|| panic!("{log}"));
    for (name, value) in
        [("server", "demo"), ("dir", "out"), ("kind", "exchange"), ("target", "echo"), ("status", "ok")]
    {
        assert_eq!(call[name], value, "`{name}`: {call}");
    }
    for name in ["seq", "time", "connection", "id", "code", "dur_ms", "size", "findings", "frames"] {
        assert!(call.get(name).is_some(), "`{name}` is missing: {call}");
    }
    let dirs: Vec<&str> = call["frames"].as_array().unwrap().iter().filter_map(|frame| frame["dir"].as_str()).collect();
    assert_eq!(dirs, ["out", "in"], "question and answer");
    assert!(call["time"].as_str().is_some_and(|time| time.len() == "2026-01-01T00:00:00.000000000Z".len()), "{call}");
}

#[test]
fn the_log_is_restricted_by_server_kind_and_number() {
    let profile = Profile::default();
    run(&profile, &["call", "demo.log"]).exits(0);
    run(&profile, &["ping", "--", &load()]).exits(0);
    let log =
        run(&profile, &["log", "--server", "sonde-load", "--kind", "exchange", "--output", "json"]).exits(0).json();
    let methods: Vec<&str> = log["rows"].as_array().unwrap().iter().filter_map(|row| row["method"].as_str()).collect();
    assert!(methods.contains(&"ping") && !methods.contains(&"tools/call"), "{log}");
    let log = run(&profile, &["log", "--kind", "notification", "--limit", "2", "--output", "json"]).exits(0).json();
    assert_eq!(log["rows"].as_array().unwrap().len(), 2, "the newest two");
    assert!(log["total"].as_i64().unwrap() > 2, "and how many there are: {log}");
    let ran = run(&profile, &["log", "--limit", "5"]).exits(0);
    assert_eq!(ran.out.lines().count(), 5, "a line for each: {ran:?}");
    assert!(ran.out.contains("sonde-load -> ping · ok"), "{ran:?}");
}

#[test]
fn a_line_of_many_megabytes_is_whole_in_the_log() {
    let profile = Profile::default();
    run(&profile, &["call", "bytes", "--arg", "count:=700000", "--", &load()]).exits(0);
    let log = run(&profile, &["log", "--kind", "exchange", "--limit", "1", "--output", "json"]).exits(0).json();
    let text = log["rows"][0]["frames"][1]["text"].as_str().unwrap();
    assert!(text.len() > 700_000 && text.ends_with("}]}}"), "from its first byte to its last: {}", text.len());
}

#[test]
fn the_log_is_followed_while_another_program_writes_it() {
    let profile = Profile::default();
    run(&profile, &["ping", "demo"]).exits(0);
    let mut child = sonde(&profile, &["log", "--follow", "--limit", "1", "--output", "json"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let first: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert_eq!(first["kind"], "mark", "the newest row that was there: {first}");
    run(&profile, &["call", "demo.echo", "--arg", "text=x"]).exits(0);
    let is_call = |line: &String| line.contains(r#""method":"tools/call""#) && line.contains(r#""status":"ok""#);
    let row: Value = serde_json::from_str(&lines.find(is_call).unwrap()).unwrap();
    assert_eq!(row["frames"].as_array().unwrap().len(), 2, "a row in a line, with its answer: {row}");
    signal(child.id(), rustix::process::Signal::INT);
    finish(child).exits(130);
}

#[test]
fn a_log_that_is_followed_from_now_on_shows_nothing_old() {
    let profile = Profile::default();
    run(&profile, &["ping", "demo"]).exits(0);
    let newest = run(&profile, &["log", "--limit", "1", "--output", "json"]).exits(0).json()["rows"][0]["seq"].clone();
    let words = ["log", "--follow", "--limit", "0", "--output", "json"];
    let mut child = sonde(&profile, &words).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let (seen, first) = std::sync::mpsc::sync_channel(1);
    std::thread::spawn(move || {
        seen.send(lines.next()).ok();
        // Whoever stops reading ends the program before it is told to end.
        lines.for_each(drop);
    });
    // Nobody says from when on it follows, so something new is written until it shows a row.
    let first = std::iter::repeat_with(|| {
        run(&profile, &["ping", "demo"]).exits(0);
        first.recv_timeout(Duration::from_secs(1)).ok()
    });
    let row: Value = serde_json::from_str(&first.take(60).flatten().next().flatten().unwrap()).unwrap();
    assert!(row["seq"].as_i64() > newest.as_i64(), "{row} is not newer than {newest}");
    signal(child.id(), rustix::process::Signal::INT);
    finish(child).exits(130);
}
