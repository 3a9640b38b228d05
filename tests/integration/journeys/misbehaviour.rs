//! Servers that break the rules: everything is recorded, explained, and survived.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a journey stops at the first thing that is not as it says")]

use std::time::Duration;

use integration::{Door, Profile, write_plain_file};
use serde_json::{Value, json};

/// How long a disconnect may take, whatever the server does.
const DISCONNECT: Duration = Duration::from_secs(6);

/// The value of a named fact of a problem.
fn fact<'a>(problem: &'a Value, name: &str) -> &'a str {
    let facts = problem["context"].as_array().unwrap();
    let fact = facts.iter().find(|fact| fact["name"] == name);
    fact.unwrap_or_else(|| panic!("the problem tells `{name}`: {problem}"))["value"].as_str().unwrap()
}

async fn count(door: &Door, view: Value, wanted: impl Fn(&Value) -> bool) -> usize {
    door.rows(view).await.iter().filter(|row| wanted(row)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_exits_is_explained_by_command_exit_code_and_stderr() {
    let profile = Profile::with_load(&["--exit", "3"]);
    let door = profile.open().await;
    let problem = door.connect_in_vain("load").await;
    assert_eq!(problem["code"], "handshake-failed", "it ended before it was ready");
    assert!(fact(&problem, "command").ends_with("sonde-load --exit 3"), "the command as configured");
    assert_eq!(fact(&problem, "ended with"), "exit code 3");
    let stderr = fact(&problem, "stderr");
    assert!(stderr.contains("cannot find the thing") && stderr.contains("exiting with 3"), "both lines: {stderr}");
    assert!(problem["hint"].is_string(), "and what to do");
    let lines = count(&door, json!({ "kind": "stderr" }), |_| true).await;
    assert_eq!(lines, 2, "the log has the lines, too");
    let detail = door.ask("describe_server", json!({ "server": "load" })).await;
    assert_eq!(detail["exit"], "exit code 3", "the exit stays readable");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_says_nothing_is_given_up_after_the_limit() {
    let profile = Profile::with_load(&["--silent"]);
    let door = profile.open_with(|setup| setup.posture.connect_limit = Duration::from_millis(300)).await;
    let problem = door.connect_in_vain("load").await;
    assert_eq!(problem["message"], "server `load` did not answer `initialize` within 0.3 s");
    assert!(profile.processes().is_empty(), "a server that was given up does not go on running");
    let settled = |row: &Value| row["method"] == "initialize" && row["status"] != "pending";
    let row = door.until_row("initialize", json!({}), settled).await;
    assert_eq!(row["status"], "timeout", "the log says why there is no answer");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_no_server_is_shown_by_its_first_line() {
    let profile = Profile::with_load(&["--garbage"]);
    let door = profile.open_with(|setup| setup.posture.connect_limit = Duration::from_millis(500)).await;
    let problem = door.connect_in_vain("load").await;
    let first = fact(&problem, "the first");
    assert!(first.starts_with(">>> Welcome to Load Server v1.0!\n"), "its own words are the best hint: {first}");
    assert_eq!(fact(&problem, "lines that are no messages"), "4", "the banner and one line for ours");
    let rows = door.rows(json!({ "kind": "unparsable" })).await;
    assert_eq!(rows.len(), 4, "all of them are in the log");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_cannot_run_is_told_apart_from_one_that_is_missing() {
    let profile = Profile::default()
        .with_server("missing", "no-such-program-anywhere", &[])
        .with_server("plain", "./plain.sh", &[])
        .with_server("folder", "./", &[])
        .with_server("script", "./script.sh", &[]);
    write_plain_file(&profile.project().join("plain.sh"));
    let script = profile.project().join("script.sh");
    std::fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let door = profile.open().await;
    for (id, message) in
        [("missing", "was not found"), ("plain", "is not executable"), ("folder", "is a folder, not a program")]
    {
        let error = door.call("connect_server", json!({ "server": id })).await.unwrap_err();
        let told = serde_json::to_value(&error).unwrap();
        assert_eq!(told["code"], "start-failed", "nothing was started: {told}");
        assert!(told["message"].as_str().unwrap().contains(message), "`{id}`: {told}");
        assert!(told["hint"].is_string(), "and what to do");
        assert_eq!(door.server(id).await["problem"], told, "the server's entry keeps the problem");
    }
    let searched = fact(&door.server("missing").await["problem"], "searched").to_owned();
    assert!(searched.contains("/bin"), "the folders that were searched: {searched}");
    let problem = door.connect_in_vain("script").await;
    assert_eq!(problem["code"], "start-failed", "a script without its interpreter can't be started: {problem}");
    assert!(problem["chain"][0].as_str().unwrap().contains("No such file"), "the system's own reason: {problem}");
    assert!(profile.processes().is_empty(), "nothing runs");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revision_that_nobody_knows_names_both_sides() {
    let profile = Profile::with_load(&["--version", "1999-01-01"]);
    let door = profile.open().await;
    let problem = door.connect_in_vain("load").await;
    assert!(problem["message"].as_str().unwrap().contains("1999-01-01"), "what the server speaks: {problem}");
    assert!(fact(&problem, "we speak").contains("2025-11-25"), "what we speak");
    assert!(profile.processes().is_empty(), "it was ended");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_lines_are_recorded_by_kind_and_disturb_nothing() {
    let profile = Profile::with_load(&["--bad-lines"]);
    let door = profile.open().await;
    door.connect("load").await;
    for number in 0..3 {
        let text = format!("hello {number}");
        let call = door.run_tool("load", "echo", json!({ "text": text })).await;
        assert_eq!(call["status"], "ok", "calls still work");
        assert!(call["result"]["text"].as_str().unwrap().contains(&text), "and bring their own answers");
    }
    // The answers to the last round are out once the last refusal is in the log.
    door.until_row("the last refusal", json!({}), |row| row["id"] == r#""unknown-5""# && row["status"] != "pending")
        .await;
    door.disconnect("load").await;

    // One round follows each of: initialize, tools/list, three calls.
    const ROUNDS: usize = 5;
    let finding = |code: &'static str| {
        move |row: &Value| row["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == code)
    };
    for (code, kind) in [
        ("empty-line", "unparsable"),
        ("invalid-utf8", "unparsable"),
        ("not-json", "unparsable"),
        ("unknown-id", "orphan"),
    ] {
        assert_eq!(count(&door, json!({ "kind": kind }), finding(code)).await, ROUNDS, "{code} is a row of {kind}");
    }
    let crlf = |row: &Value| row["target"] == "info: crlf" && row["findings"] == json!([]);
    assert_eq!(count(&door, json!({ "kind": "notification" }), crlf).await, ROUNDS, "CRLF is a line's end like any");
    let unknown = |row: &Value| row["method"] == "notifications/demo/unknown";
    assert_eq!(count(&door, json!({}), unknown).await, ROUNDS, "an unknown notification is a notification");

    for row in door.rows(json!({ "kind": "exchange" })).await.iter().filter(|row| row["dir"] == "in") {
        let (asked, answered) = (door.frame(row, 0).await, door.frame(row, 1).await);
        assert_eq!(asked["id"], answered["id"], "an answer carries the id of its request");
        match row["method"].as_str().unwrap() {
            "ping" => assert_eq!(answered["result"], json!({}), "a ping is answered"),
            "demo/unknown" => assert_eq!(answered["error"]["code"], -32601, "an unknown method is refused"),
            other => panic!("the server did not ask `{other}`"),
        }
    }
    let broken = door.until_row("bytes", json!({ "kind": "unparsable" }), finding("invalid-utf8")).await;
    assert!(door.row(&broken).await["frames"][0]["base64"].is_string(), "bytes that are no text come as base64");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_that_never_ends_stops_the_listing_with_a_reason() {
    let profile = Profile::with_load(&["--endless-cursor"]);
    let door = profile.open().await;
    door.connect("load").await;
    let tools = door.ask("list_tools", json!({ "server": "load" })).await;
    let problem = tools["problem"].as_str().unwrap();
    assert!(problem.contains(r#"the cursor "again" came twice"#), "the cycle is named: {problem}");
    assert!(!tools["tools"].as_array().unwrap().is_empty(), "what came before is kept");
    assert_eq!(door.run_tool("load", "echo", json!({ "text": "x" })).await["status"], "ok", "and can be used");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_answer_is_an_orphan_and_changes_nothing() {
    let profile = Profile::with_load(&["--duplicate"]);
    let door = profile.open().await;
    door.connect("load").await;
    for _ in 0..3 {
        assert_eq!(door.run_tool("load", "echo", json!({ "text": "x" })).await["status"], "ok");
    }
    door.disconnect("load").await;
    let orphans = door.rows(json!({ "kind": "orphan" })).await;
    assert_eq!(orphans.len(), 3, "one for each second answer");
    for orphan in &orphans {
        assert_eq!(orphan["findings"][0]["code"], "duplicate-response", "told from a stray answer");
    }
    let calls = |row: &Value| row["method"] == "tools/call" && row["status"] == "ok";
    assert_eq!(count(&door, json!({}), calls).await, 3, "the exchanges keep their first answer");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_reads_is_disconnected_in_time() {
    let profile = Profile::with_load(&["--never-reads"]);
    let door = profile.open().await;
    door.begin_to_connect("load").await;
    door.until("its process", async || door.server("load").await["pid"].as_u64()).await;
    let took = door.disconnect("load").await;
    assert!(took < DISCONNECT, "it took {took:?}");
    assert!(profile.processes().is_empty(), "nothing of it runs");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_reading_blocks_neither_the_app_nor_its_end() {
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    let pid = door.connect("load").await["pid"].as_u64().unwrap() as i32;
    door.connect("demo").await;
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    // More than the pipe and our queue hold, and more than the commands that may be under way at once.
    let text = "x".repeat(64 << 10);
    let calls: Vec<_> = (0..300)
        .map(|_| {
            let (door, text) = (door.clone(), text.clone());
            let arguments = json!({ "text": text }).to_string();
            let request = json!({ "server": "load", "tool": "echo", "arguments": arguments });
            tokio::spawn(async move { door.call("call_tool", request).await })
        })
        .collect();
    let request = json!({ "server": "demo", "tool": "echo", "arguments": r#"{"text":"still here"}"# });
    let room = async {
        loop {
            match door.call("call_tool", request.clone()).await {
                Ok(call) => return call,
                Err(_busy) => tokio::task::yield_now().await,
            }
        }
    };
    let healthy = integration::within(Duration::from_secs(3), "the app to have room for others", room).await;
    assert_eq!(door.until_ended(&healthy).await["status"], "ok", "another server goes on working");
    let took = door.disconnect("load").await;
    assert!(took < DISCONNECT, "it took {took:?}");
    let mut begun = 0;
    for call in calls {
        let answered = integration::within(integration::LIMIT, "a call to be answered", call).await.unwrap();
        begun += usize::from(answered.is_ok());
    }
    // Of so many of one kind only the newest are still known.
    let kind = json!({ "server": "load", "method": "tools/call", "target": "echo" });
    let ended = door
        .until("every call to end", async || {
            let list = door.ask("list_calls", kind.clone()).await["calls"].as_array().unwrap().clone();
            list.iter().all(|call| call["status"] != "running").then_some(list)
        })
        .await;
    assert!(begun > 0 && !ended.is_empty(), "{begun} were begun, {} are known", ended.len());
    for call in ended {
        assert_eq!(call["status"], "lost", "an open call ends with the connection");
    }
    assert!(profile.processes().len() <= 2, "only the demo and its supervisor run: {:?}", profile.processes());
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_beyond_the_limit_is_cut_and_the_connection_goes_on() {
    const SIZE: u64 = 70 << 20;
    let profile = Profile::with_load(&["--big-line", &SIZE.to_string()]);
    let door = profile.open().await;
    door.connect("load").await;
    let call = door.run_tool("load", "echo", json!({ "text": "after" })).await;
    assert_eq!(call["status"], "ok", "the message after the long line arrives");
    door.disconnect("load").await;
    let rows = door.rows(json!({ "kind": "unparsable" })).await;
    assert_eq!(rows.len(), 1, "the long line is one row");
    assert_eq!(rows[0]["findings"][0]["code"], "oversized");
    assert_eq!(rows[0]["size"], SIZE, "with its length on the wire");
    let detail = door.row(&rows[0]).await;
    // Cross-checked with the system's own tool over the same bytes.
    let script = r#"{ printf '%s' "$1"; head -c "$2" /dev/zero | tr '\0' x; printf '"}}'; } | sha256sum"#;
    let head =
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"big-line","data":""#;
    let fill = (SIZE - head.len() as u64 - 3).to_string();
    let sum = std::process::Command::new("sh").args(["-c", script, "sh", head, &fill]).output().unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    assert_eq!(detail["frames"][0]["digest"].as_str(), sum.split_whitespace().next(), "the digest of the whole line");
    assert!(detail["frames"][0]["text"].as_str().unwrap().starts_with(head), "and its beginning");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_tools_on_a_hundred_pages_are_all_listed() {
    let profile = Profile::with_load(&["--tools", "10000", "--page", "100"]);
    let door = profile.open().await;
    let server = door.connect("load").await;
    assert_eq!(server["tool_count"], 10_000);
    let tools = door.ask("list_tools", json!({ "server": "load" })).await;
    assert_eq!(tools["problem"], Value::Null, "the list is whole");
    assert_eq!(tools["tools"][9_999]["name"], "filler_9999", "in the server's order");
    let last = door.ask("describe_tool", json!({ "server": "load", "index": 9_999 })).await;
    assert!(last["definition"].as_str().unwrap().contains("filler_9999"), "each can be looked at");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_calls_answered_in_reverse_find_their_own_answers() {
    let profile = Profile::with_load(&["--reverse", "100"]);
    let door = profile.open().await;
    door.connect("load").await;
    let mut calls = Vec::new();
    for number in 0..100 {
        calls.push(door.start_call("load", "echo", json!({ "text": format!("call-{number}-end") })).await);
    }
    for (number, call) in calls.iter().enumerate() {
        let call = door.until_ended(call).await;
        let text = call["result"]["text"].as_str().unwrap();
        assert!(text.contains(&format!("call-{number}-end")), "call {number} has its own answer: {text}");
    }
    door.disconnect("load").await;
    for row in door.rows(json!({ "kind": "exchange" })).await.iter().filter(|row| row["method"] == "tools/call") {
        assert_eq!(row["status"], "ok", "every exchange is answered");
        let (asked, answered) = (door.frame(row, 0).await, door.frame(row, 1).await);
        let (asked, answered) = (&asked["params"]["arguments"]["text"], &answered["result"]["content"][0]["text"]);
        assert_eq!(asked, answered, "and each row holds the answer to its own request");
    }
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_says_while_it_is_disconnected_is_recorded_without_a_gap() {
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    door.connect("load").await;
    door.start_call("load", "flood", json!({ "count": 60_000, "size": 200 })).await;
    door.until_row("the flood to begin", json!({}), |row| row["method"] == "notifications/message").await;
    let took = door.disconnect("load").await;
    assert!(took < DISCONNECT, "it took {took:?}");
    let rows = door.rows(json!({ "kind": "notification" })).await;
    let flood = rows.iter().filter(|row| row["method"] == "notifications/message");
    for (number, row) in flood.enumerate() {
        let wanted = format!(r#"{{"n":{number},"#);
        assert!(row["target"].as_str().unwrap().contains(&wanted), "notification {number} is missing: {row}");
    }
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_byte_that_a_server_writes_after_its_input_ended_is_recorded() {
    // More than a pipe holds, an answer that was still awaited, and half a line; TERM shall not come in between.
    let script = r#"trap '' TERM
read -r line
printf '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}\n'
cat >/dev/null
seq 0 1499 | sed 's/.*/{"jsonrpc":"2.0","method":"notifications\/last","params":{"n":&,"pad":"ppppppppppppppppppppppppppppppppppppp"}}/'
echo 'to stderr' >&2
printf '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}\n'
printf 'half a line'
"#;
    let profile = Profile::default().with_script("talker", script);
    let door = profile.open().await;
    door.begin_to_connect("talker").await;
    door.until_row("the request for the tools", json!({}), |row| row["method"] == "tools/list").await;
    door.disconnect("talker").await;
    let rows = door.rows(json!({})).await;
    let last: Vec<&Value> = rows.iter().filter(|row| row["method"] == "notifications/last").collect();
    for (number, row) in last.iter().enumerate() {
        let wanted = format!(r#"{{"n":{number},"#);
        assert!(door.frame(row, 0).await.to_string().contains(&wanted), "notification {number} is missing: {row}");
    }
    assert_eq!(last.len(), 1500, "all of them, though we had disconnected");
    let answered = rows.iter().find(|row| row["method"] == "tools/list").unwrap();
    assert_eq!(door.frame(answered, 1).await["result"]["tools"], json!([]), "the answer that nobody waits for");
    let half = rows.iter().find(|row| row["kind"] == "unparsable").unwrap();
    assert_eq!(half["size"], "half a line".len(), "what has no line feed is recorded, too: {half}");
    assert!(rows.iter().any(|row| row["kind"] == "stderr"), "and stderr");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_of_millions_of_messages_neither_exhausts_nor_stops_the_app() {
    let script = r#"read -r line
printf '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}\n'
printf '['; head -c 4000000 /dev/zero | sed 's/\x00\x00/1,/g'; printf '1]\n'
printf '{"jsonrpc":"2.0","method":"notifications/after"}\n'
cat >/dev/null
"#;
    let profile = Profile::default().with_script("batch", script);
    let door = profile.open().await;
    door.begin_to_connect("batch").await;
    door.until_row("the message after it", json!({}), |row| row["method"] == "notifications/after").await;
    door.disconnect("batch").await;
    let rows = door.rows(json!({ "kind": "unparsable" })).await;
    assert!(rows.len() <= 1000, "one line is not {} rows", rows.len());
    let message = rows[0]["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("2000001"), "but all its members are counted: {message}");
    door.close().await;
}
