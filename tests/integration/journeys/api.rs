//! Requests that are wrong, too large or too many.

use integration::{LIMIT, Profile, within};
use serde_json::json;
use sonde_app::{COMMANDS, ErrorCode, LARGEST_REQUEST};

#[tokio::test(flavor = "multi_thread")]
async fn wrong_requests_are_refused_by_kind() {
    let profile = Profile::default();
    let door = profile.open().await;
    let refused = async |command: &str, bytes: &[u8]| door.app.dispatch(command, bytes).await.unwrap_err();
    assert_eq!(refused("drop_tables", b"{}").await.code, ErrorCode::InvalidRequest, "an unknown command");
    assert_eq!(refused("", b"{}").await.code, ErrorCode::InvalidRequest, "no command");
    let too_large = vec![b' '; LARGEST_REQUEST + 1];
    for command in COMMANDS {
        assert_eq!(refused(command, &too_large).await.code, ErrorCode::TooLarge, "`{command}` reads no more than that");
        for malformed in [&b""[..], b"{", b"null", b"[1]", b"\xff", b"{\"unknown_field\":1}", &b"[".repeat(100_000)] {
            let error = refused(command, malformed).await;
            assert_eq!(error.code, ErrorCode::InvalidRequest, "`{command}` with {malformed:?}: {error}");
        }
    }
    let with_more = json!({ "server": "demo", "command": "/bin/sh" }).to_string();
    let error = refused("connect_server", with_more.as_bytes()).await;
    assert_eq!(error.code, ErrorCode::InvalidRequest, "a front door cannot smuggle a command in: {error}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn things_that_are_not_there_are_told_by_their_codes() {
    let profile = Profile::default();
    let door = profile.open().await;
    for (command, request, code) in [
        ("connect_server", json!({ "server": "nobody" }), ErrorCode::UnknownServer),
        ("describe_tool", json!({ "server": "demo", "index": 0 }), ErrorCode::UnknownTool),
        ("call_tool", json!({ "server": "demo", "tool": "echo", "arguments": "{}" }), ErrorCode::NotReady),
        ("read_call", json!({ "call": 99 }), ErrorCode::UnknownCall),
        ("cancel_call", json!({ "call": 99 }), ErrorCode::UnknownCall),
        ("read_row", json!({ "seq": 99 }), ErrorCode::UnknownRow),
        ("read_frame", json!({ "seq": 99, "index": 0, "offset": 0 }), ErrorCode::UnknownRow),
        ("query_log", json!({ "view": {}, "first": 0, "count": 501 }), ErrorCode::InvalidRequest),
        ("query_log", json!({ "view": { "kind": "nonsense" }, "first": 0, "count": 1 }), ErrorCode::InvalidRequest),
    ] {
        let error = door.call(command, request.clone()).await.unwrap_err();
        assert_eq!(error.code, code, "`{command}` with {request}: {error}");
    }
    let page = door.ask("query_log", json!({ "view": {}, "first": i64::MAX, "count": 500 })).await;
    assert_eq!(page, json!({ "total": 0, "first": 0, "rows": [] }), "an empty log has an empty page anywhere");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_go_out_as_typed_or_not_at_all() {
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    door.connect("load").await;
    for wrong in ["", "[]", "1", "{", "{\"a\":}", "null", "\"x\"", "{} {}"] {
        let request = json!({ "server": "load", "tool": "echo", "arguments": wrong });
        let error = door.call("call_tool", request).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidRequest, "`{wrong}` is no object: {error}");
    }
    let typed = "{ \"text\" : \"\\u0068i\",\r\n \"text\": 1e40, \"n\": 9007199254740993 }";
    let request = json!({ "server": "load", "tool": "echo", "arguments": typed });
    let call = door.ask("call_tool", request).await;
    door.until_ended(&call).await;
    let row = door.until_row("the call", json!({}), |row| row["target"] == "echo").await;
    let wire = door.row(&row).await["frames"][0]["text"].as_str().unwrap().to_owned();
    let one_line = typed.replace(['\r', '\n'], " ");
    assert!(wire.contains(&one_line), "spaces, escapes, duplicates and long numbers are kept: {wire}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_requests_at_once_are_answered_or_refused() {
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    let requests: Vec<_> = (0..10_000)
        .map(|number| {
            let door = door.clone();
            tokio::spawn(async move {
                match number % 4 {
                    0 => door.call("list_servers", json!({})).await,
                    1 => door.call("query_log", json!({ "view": {}, "first": 0, "count": 50 })).await,
                    2 => door.call("list_tools", json!({ "server": "demo" })).await,
                    _ => {
                        let request = json!({ "server": "demo", "tool": "echo", "arguments": r#"{"text":"x"}"# });
                        door.call("call_tool", request).await
                    }
                }
            })
        })
        .collect();
    let (mut answered, mut busy) = (0, 0);
    for request in requests {
        match within(LIMIT, "a request to be answered", request).await.expect("no request panics") {
            Ok(_) => answered += 1,
            Err(error) if error.code == ErrorCode::Busy => busy += 1,
            Err(error) => panic!("neither answered nor busy: {error}"),
        }
    }
    assert_eq!(answered + busy, 10_000, "each has one answer");
    assert!(answered > 0, "some get through");
    let call = door.run_tool("demo", "add", json!({ "a": 1, "b": 1 })).await;
    assert_eq!(call["status"], "ok", "the app works afterwards");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_front_doors_are_refused_beyond_the_limit_and_admitted_again() {
    let profile = Profile::default();
    let door = profile.open().await;
    let changes = door.ask("wait_changes", json!({ "since": 0 })).await;
    let mut waiting = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let (door, since) = (door.clone(), changes["revision"].clone());
        waiting.spawn(async move { door.call("wait_changes", json!({ "since": since })).await });
    }
    // There is room for 128; the others are refused at once.
    for _ in 128..200 {
        let refused = within(LIMIT, "a refusal", waiting.join_next()).await.unwrap().unwrap().unwrap_err();
        assert_eq!(refused.code, ErrorCode::Busy, "nobody is refused for another reason: {refused}");
    }
    let busy = door.call("list_servers", json!({})).await.unwrap_err();
    assert_eq!(busy.code, ErrorCode::Busy, "a full house says so: {busy}");
    within(LIMIT, "the others to leave", waiting.shutdown()).await;
    door.ask("list_servers", json!({})).await;
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_a_profile_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    door.connect("load").await;
    let mode = |path: std::path::PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(profile.data()), 0o700, "the folder is the person's alone");
    for entry in std::fs::read_dir(profile.data()).unwrap().flatten() {
        let private = if entry.path().is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(entry.path()), private, "so is {:?}", entry.file_name());
    }
    door.close().await;
}
