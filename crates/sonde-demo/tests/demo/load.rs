//! `sonde-load` while it behaves.

use serde_json::{Value, json};

use crate::{peer::Peer, web::Web};

#[test]
fn it_shakes_hands_and_echoes() {
    let mut peer = Peer::load(&[]);
    let result = peer.initialize()["result"].take();
    assert_eq!(result["protocolVersion"], "2025-11-25");
    assert_eq!(result["capabilities"]["tools"]["listChanged"], true);
    assert_eq!(peer.request("ping", json!({}))["result"], json!({}));
    assert_eq!(peer.request("logging/setLevel", json!({ "level": "info" }))["result"], json!({}), "it is declared");
    let result = peer.call("echo", json!({ "text": "a \"quoted\" line\n" }));
    assert_eq!(result["content"][0]["text"], "a \"quoted\" line\n");
    let (rest, status) = peer.finish();
    assert!(rest.is_empty() && status.success(), "ended with {status} after {rest:?}");
}

#[test]
fn tools_are_listed_page_by_page() {
    let mut peer = Peer::load(&["--tools", "7", "--page", "3"]);
    let mut names = Vec::new();
    let mut params = json!({});
    let mut pages = 0;
    loop {
        let page = peer.request("tools/list", params)["result"].take();
        pages += 1;
        let tools = page["tools"].as_array().expect("a list of tools");
        names.extend(tools.iter().map(|tool| tool["name"].clone()));
        match &page["nextCursor"] {
            Value::Null => break,
            cursor => params = json!({ "cursor": cursor }),
        }
    }
    assert_eq!(pages, 3);
    let fillers = ["filler_3", "filler_4", "filler_5", "filler_6"];
    assert_eq!(names[..3], ["echo", "flood", "bytes"]);
    assert_eq!(names[3..], fillers);
    let refused = peer.request("tools/list", json!({ "cursor": "elsewhere" }));
    assert_eq!(refused["error"]["code"], -32602);
}

#[test]
fn a_flood_is_numbered_and_then_answered() {
    let mut peer = Peer::load(&[]);
    let params = json!({ "name": "flood", "arguments": { "count": 10_000, "size": 100 } });
    let id = peer.ask("tools/call", params);
    for n in 0..10_000 {
        assert_eq!(peer.message()["params"]["data"]["n"], n);
    }
    let answer = peer.message();
    assert_eq!(answer["id"], id);
    assert_eq!(answer["result"]["content"][0]["text"], "sent 10000 notifications");
}

#[test]
fn bytes_has_exactly_the_length_asked_for() {
    let mut peer = Peer::load(&[]);
    let result = peer.call("bytes", json!({ "count": 1_000_003 }));
    let text = result["content"][0]["text"].as_str().expect("a text");
    assert_eq!(text.len(), 1_000_003);
}

#[test]
fn held_calls_are_answered_newest_first() {
    let mut peer = Peer::load(&["--reverse", "3"]);
    let mut asked: Vec<u64> = (0..3)
        .map(|n| {
            let params = json!({ "name": "echo", "arguments": { "text": n.to_string() } });
            peer.ask("tools/call", params)
        })
        .collect();
    asked.reverse();
    let answered: Vec<_> = (0..3).map(|_| peer.message()["id"].clone()).collect();
    assert_eq!(answered, asked);
}

#[test]
fn over_http_each_answer_is_json_and_the_connection_stays() {
    let web = Web::start(env!("CARGO_BIN_EXE_sonde-load"), &["--http", "0"]);
    let mut line = web.connection();
    let mut ask = |method: &str, body: &str| {
        let answer = line.send(method, body);
        (answer.status, answer.header("mcp-session-id").map(str::to_owned), answer.text())
    };
    let (status, session, greeting) = ask("POST", r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#);
    assert_eq!((status, session.as_deref()), (200, Some("sonde-load")));
    let greeting: Value = serde_json::from_str(&greeting).expect("an answer is JSON");
    assert_eq!(greeting["result"]["serverInfo"]["name"], "sonde-load");
    let (status, ..) = ask("POST", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(status, 202);
    let call = json!({ "name": "echo", "arguments": { "text": "hi" } });
    let call = json!({ "jsonrpc": "2.0", "id": "mine", "method": "tools/call", "params": call });
    for _ in 0..3 {
        let (status, session, answer) = ask("POST", &call.to_string());
        assert_eq!((status, session), (200, None), "only the first answer names the session");
        let answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
        assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!("mine"), &json!("hi")));
    }
    assert_eq!(ask("GET", "").0, 405);
    assert_eq!(ask("DELETE", "").0, 200);
    let (_, status) = web.peer.finish();
    assert!(status.success(), "the end of stdin ends it");
}
