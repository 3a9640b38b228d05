//! The demo server.

use serde_json::{Value, json};

use crate::peer::Peer;

const GARBAGE: &[u8] = b"Listening on stdio... (this line is not JSON)";

#[test]
fn initialize_names_the_server_and_agrees_on_the_version() {
    let mut peer = Peer::start(env!("CARGO_BIN_EXE_sonde-demo"), &[]);
    let result = peer.initialize()["result"].take();
    assert_eq!(result["protocolVersion"], "2025-11-25");
    let info = &result["serverInfo"];
    assert_eq!((&info["name"], &info["title"]), (&json!("sonde-demo"), &json!("Sonde demo")));
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    let icons = info["icons"].as_array().expect("a server has icons");
    let is_here =
        |icon: &Value| icon["src"].as_str().is_some_and(|src| src.starts_with("data:image/") && !src.contains(' '));
    assert!(icons.iter().all(is_here), "nothing has to be fetched to see them: {icons:?}");
    assert_eq!(
        result["capabilities"],
        json!({
            "completions": {},
            "logging": {},
            "prompts": { "listChanged": true },
            "resources": { "listChanged": true, "subscribe": true },
            "tasks": { "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } },
            "tools": { "listChanged": true },
        })
    );
    let tour = result["instructions"].as_str().expect("somebody has to say what there is");
    for tool in ["add", "show", "shape_choice", "research", "consult"] {
        assert!(tour.contains(&format!("`{tool}`")), "the tour passes `{tool}`");
    }
    let (rest, status) = peer.finish();
    assert!(rest.is_empty(), "nothing was asked after `initialize`");
    assert!(status.success(), "the end of stdin is the ordinary end: {status}");
}

#[test]
fn a_version_from_the_future_is_answered_with_the_newest_one_served() {
    let mut peer = Peer::start(env!("CARGO_BIN_EXE_sonde-demo"), &[]);
    let params = json!({
        "protocolVersion": "2099-01-01",
        "capabilities": {},
        "clientInfo": { "name": "raw", "version": "0" },
    });
    let answer = peer.request("initialize", params);
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn a_client_that_leaves_before_initialize_is_not_an_error() {
    let peer = Peer::start(env!("CARGO_BIN_EXE_sonde-demo"), &[]);
    let (rest, status) = peer.finish();
    assert!(rest.is_empty() && status.success(), "ended with {status} after {rest:?}");
}

#[test]
fn the_tool_list_begins_with_the_simple_ones_and_is_complete() {
    let mut peer = Peer::demo();
    let answer = peer.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().expect("a list of tools");
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].clone()).collect();
    let first = ["echo", "add", "slow", "fail", "noise", "flood"];
    let then = ["show", "log", "ask", "open", "sample", "roots", "grow", "report"];
    let more = ["structure", "wipe", "note", "wander", "consult", "research"];
    let own = [&first[..], &then[..], &more[..]].concat();
    assert_eq!(names[..own.len()], own);
    let is_named = |name: &Value, prefix: &str| name.as_str().is_some_and(|name| name.starts_with(prefix));
    let named = |prefix: &str| names.iter().filter(|name| is_named(name, prefix)).count();
    assert_eq!(named("shape_"), 12, "one for each shape of input");
    assert_eq!(named("test_") + named("json_schema_"), 14, "and what the conformance suite wants");
    assert_eq!(names.len(), own.len() + 12 + 14, "and no other");
    assert!(answer["result"].get("nextCursor").is_none(), "all on one page");
    assert_eq!(
        tools[1],
        json!({
            "name": "add",
            "title": "Add two numbers",
            "description": "Adds two numbers and answers as text and as structured content",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "a": { "type": "number", "description": "The first number" },
                    "b": { "type": "number", "description": "The second number" },
                },
                "required": ["a", "b"],
                "additionalProperties": false,
            },
            "outputSchema": {
                "type": "object",
                "properties": {
                    "sum": { "type": "number", "description": "The sum of `a` and `b`" },
                },
                "required": ["sum"],
                "additionalProperties": false,
            },
            "annotations": {
                "title": "Add two numbers",
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
        })
    );
    assert_eq!(
        tools[2]["inputSchema"]["properties"]["seconds"],
        json!({
            "type": "number",
            "description": "How long to take",
            "default": 5,
            "minimum": 0,
            "maximum": 600,
        })
    );
}

#[test]
fn integers_are_added_to_an_integer() {
    let mut peer = Peer::demo();
    let result = peer.call("add", json!({ "a": 2, "b": 3 }));
    assert_eq!(result["content"], json!([{ "type": "text", "text": "5" }]));
    assert_eq!(result["structuredContent"].to_string(), r#"{"sum":5}"#, "5 is not 5.0");
    let result = peer.call("add", json!({ "a": 0.5, "b": 0.25 }));
    assert_eq!(result["structuredContent"].to_string(), r#"{"sum":0.75}"#);
}

#[test]
fn a_failure_is_a_result_that_says_so() {
    let mut peer = Peer::demo();
    let result = peer.call("fail", json!({ "message": "on purpose" }));
    assert_eq!(result, json!({ "content": [{ "type": "text", "text": "on purpose" }], "isError": true }));
    assert_eq!(peer.call("fail", json!({}))["isError"], true);
}

#[test]
fn arguments_outside_the_schema_are_explained_in_the_result() {
    let mut peer = Peer::demo();
    for (tool, arguments, explanation) in [
        ("echo", json!({}), "argument `text` is required"),
        ("add", json!({ "a": "2", "b": 3 }), "argument `a` must be a number"),
        ("slow", json!({ "seconds": 601 }), "argument `seconds` must be a number from 0 to 600"),
        ("noise", json!({ "line": 1 }), "unknown argument `line`"),
    ] {
        let result = peer.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool} must not run: {result}");
        assert_eq!(result["content"][0]["text"], explanation);
    }
}

#[test]
fn a_line_of_megabytes_is_read_whole_whatever_it_says() {
    let mut peer = Peer::demo();
    let text = format!("{} \"task\": \"tools/list\"", "long ".repeat(700_000));
    let result = peer.call("echo", json!({ "text": text }));
    assert_eq!(result["content"][0]["text"], text, "it came back as it went");
    assert!(peer.request("tools/list", json!({}))["result"]["tools"].is_array(), "and the next line is read as ever");
}

#[test]
fn an_unknown_tool_is_a_protocol_error() {
    let mut peer = Peer::demo();
    let answer = peer.request("tools/call", json!({ "name": "nothing" }));
    assert_eq!(answer["error"], json!({ "code": -32602, "message": "there is no tool `nothing`" }));
}

#[test]
fn slow_reports_each_step_and_then_answers() {
    let mut peer = Peer::demo();
    let id = call_slow(&mut peer, json!({ "seconds": 0.05, "steps": 3 }));
    for step in 1..=3 {
        let params = peer.message()["params"].take();
        assert_eq!(params["progressToken"], "slow-token");
        assert_eq!(params["progress"].as_f64(), Some(f64::from(step)));
        assert_eq!(params["total"].as_f64(), Some(3.0));
        assert_eq!(params["message"], format!("step {step} of 3"));
    }
    let answer = peer.message();
    assert_eq!(answer["id"], id, "the answer comes after all progress");
    let text = answer["result"]["content"][0]["text"].to_string();
    assert!(text.starts_with("\"took 0."), "it says how long: {text}");
}

#[test]
fn a_cancelled_slow_call_reports_no_more_and_never_answers() {
    let mut peer = Peer::demo();
    let id = call_slow(&mut peer, json!({ "seconds": 100, "steps": 1000 }));
    assert_eq!(peer.message()["method"], "notifications/progress", "it is running");
    peer.cancel(id);
    // Had the first call gone on, it would report ten steps in the time of this one. A step or two
    // may be on their way when the cancellation arrives.
    let params = json!({ "name": "slow", "arguments": { "seconds": 1, "steps": 1 } });
    let second = peer.ask("tools/call", params);
    let before_the_answer = std::iter::from_fn(|| Some(peer.message()))
        .take_while(|message| message["id"] != second)
        .inspect(|message| assert_ne!(message["id"], id, "a cancelled call has no answer"))
        .count();
    assert!(before_the_answer < 5, "{before_the_answer} more steps were reported");
    let (rest, _) = peer.finish();
    assert!(rest.is_empty(), "a cancelled call has no answer: {rest:?}");
}

#[test]
fn noise_never_cuts_a_message_in_two() {
    let mut peer = Peer::demo();
    let noise = peer.ask("tools/call", json!({ "name": "noise", "arguments": { "lines": 200 } }));
    let text = "long enough to be cut ".repeat(1000);
    let echoes: Vec<u64> = (0..50)
        .map(|_| {
            let params = json!({ "name": "echo", "arguments": { "text": text } });
            peer.ask("tools/call", params)
        })
        .collect();

    let mut garbage = 0;
    let mut answered = Vec::new();
    while answered.len() <= echoes.len() {
        let line = peer.line().expect("all calls are answered");
        if line == GARBAGE {
            garbage += 1;
        } else {
            let message: Value =
                serde_json::from_slice(&line).expect("a line is either the garbage or a whole message");
            answered.push(message["id"].as_u64().expect("an answer has our id"));
        }
    }
    assert_eq!(garbage, 200, "each garbage line arrived whole");
    answered.sort_unstable();
    let mut expected = echoes;
    expected.push(noise);
    expected.sort_unstable();
    assert_eq!(answered, expected, "each call was answered once");
    assert_eq!(peer.stderr_line().as_deref(), Some("noise: a line on stderr"));
}

#[test]
fn a_flood_arrives_complete_and_in_order_before_its_answer() {
    let mut peer = Peer::demo();
    let params = json!({ "name": "flood", "arguments": { "count": 10_000, "size": 200 } });
    let id = peer.ask("tools/call", params);
    for n in 0..10_000 {
        let line = peer.line().expect("the flood goes on");
        assert_eq!(line.len() + 1, 200, "the size counts the newline");
        let message: Value = serde_json::from_slice(&line).expect("a whole line");
        assert_eq!(message["method"], "notifications/message");
        assert_eq!(message["params"]["level"], "info");
        assert_eq!(message["params"]["logger"], "flood");
        assert_eq!(message["params"]["data"]["n"], n);
    }
    let answer = peer.message();
    assert_eq!(answer["id"], id);
    assert_eq!(answer["result"]["content"][0]["text"], "sent 10000 notifications");
}

#[test]
fn a_flood_stops_when_it_is_cancelled() {
    let mut peer = Peer::demo();
    let params = json!({ "name": "flood", "arguments": { "count": 1_000_000 } });
    let id = peer.ask("tools/call", params);
    assert_eq!(peer.message()["params"]["data"]["n"], 0);
    peer.cancel(id);
    let ping = peer.ask("ping", json!({}));
    let mut last = Value::Null;
    loop {
        let message = peer.message();
        if message["id"] == ping {
            break;
        }
        last = message["params"]["data"]["n"].clone();
    }
    let (rest, _) = peer.finish();
    for line in rest {
        let message: Value = serde_json::from_slice(&line).expect("a whole line");
        assert_ne!(message["id"], id, "a cancelled call has no answer");
        last = message["params"]["data"]["n"].clone();
    }
    let last = last.as_u64().unwrap_or_default();
    assert!(last < 999_999, "the whole flood was sent in spite of the cancellation");
}

#[test]
fn a_flood_respects_the_log_level() {
    let mut peer = Peer::demo();
    let answer = peer.request("logging/setLevel", json!({ "level": "error" }));
    assert_eq!(answer["result"], json!({}));
    let result = peer.call("flood", json!({ "count": 10 }));
    assert_eq!(result["isError"], false);
}

fn call_slow(peer: &mut Peer, arguments: Value) -> u64 {
    let meta = json!({ "progressToken": "slow-token" });
    let params = json!({ "name": "slow", "arguments": arguments, "_meta": meta });
    peer.ask("tools/call", params)
}
