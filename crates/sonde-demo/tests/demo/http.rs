//! The demo over HTTP: the same features, on streams.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::web::{Session, Web};

#[test]
fn a_session_greets_like_a_pipe_and_lists_every_tool() {
    let web = Web::demo();
    let mut session = web.session(json!({}));
    let capabilities = &session.greeting["capabilities"];
    assert!(capabilities["tasks"]["requests"]["tools"]["call"].is_object(), "tasks are told of: {capabilities}");
    let tools = session.request("tools/list", json!({}))["result"]["tools"].take();
    let tools = tools.as_array().expect("a list of tools");
    assert_eq!(tools.len(), 46);
    let report = tools.iter().find(|tool| tool["name"] == "report").expect("`report` is listed");
    assert_eq!(report["execution"]["taskSupport"], "optional", "the list is the one of the dialect");
    assert_eq!(session.call("echo", json!({ "text": "hi" }))["content"][0]["text"], "hi");
    let (_, refused) = session.ask("no/such", json!({}));
    assert_eq!(refused.status, 200, "an error of the protocol is an answer");
}

#[test]
fn progress_comes_on_the_stream_of_its_call() {
    let web = Web::demo();
    let mut session = web.session(json!({}));
    let (id, mut stream) = session.begin("slow", json!({ "seconds": 0, "steps": 5 }));
    let mut steps = Vec::new();
    let answer = stream.until_answered(id, |news| steps.push(news["params"]["progress"].clone()));
    assert_eq!(steps, [1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(answer["result"]["isError"], false);
    assert!(stream.event().is_none(), "the answer ends the stream");
}

#[test]
fn noise_is_an_event_that_is_not_json() {
    let web = Web::demo();
    let mut session = web.session(json!({}));
    let (id, mut stream) = session.begin("noise", json!({ "lines": 2 }));
    for _ in 0..2 {
        let event = stream.full_event().expect("the stream has not ended");
        assert!(serde_json::from_str::<Value>(&event.data).is_err(), "this is JSON: {event:?}");
    }
    assert_eq!(stream.until_answered(id, |other| panic!("{other}"))["result"]["isError"], false);
}

#[test]
fn a_flood_comes_whole_and_in_order_before_its_answer() {
    let web = Web::demo();
    let mut session = web.session(json!({}));
    let (id, mut stream) = session.begin("flood", json!({ "count": 5000, "size": 200 }));
    let mut next = 0;
    let answer = stream.until_answered(id, |news| {
        assert_eq!(news["params"]["data"]["n"], next);
        next += 1;
    });
    assert_eq!(next, 5000);
    assert_eq!(answer["result"]["content"][0]["text"], "sent 5000 notifications");
}

#[test]
fn what_belongs_to_no_request_comes_on_the_stream_of_get() {
    let web = Web::demo();
    let mut session = web.session(json!({}));
    let mut news = session.listen(None);
    assert_eq!(session.request("resources/subscribe", json!({ "uri": "demo://clock" }))["result"], json!({}));
    assert_eq!(news.message()["params"], json!({ "uri": "demo://clock" }), "the clock ticks");
    session.request("resources/unsubscribe", json!({ "uri": "demo://clock" }));
    session.call("grow", json!({}));
    session.call("log", json!({}));
    let mut told = Vec::new();
    while told.last() != Some(&json!("emergency")) {
        let mut message = news.message();
        if message["method"] != "notifications/resources/updated" {
            let level = message["params"]["level"].take();
            told.push(if level.is_null() { message["method"].take() } else { level });
        }
    }
    let lists = ["tools", "resources", "prompts"].map(|list| format!("notifications/{list}/list_changed"));
    assert_eq!(told[..3], lists);
    assert_eq!(told[3..], ["info", "notice", "warning", "error", "critical", "alert", "emergency"]);
}

#[test]
fn a_question_comes_on_the_stream_of_the_call_that_asks_it() {
    let web = Web::demo();
    let mut session = web.session(json!({ "elicitation": {}, "sampling": {}, "roots": {} }));
    let content = json!({ "type": "text", "text": "because" });
    let roots = json!({ "roots": [{ "uri": "file:///home/ada" }] });
    for (tool, arguments, method, result) in [
        ("ask", json!({}), "elicitation/create", json!({ "action": "accept", "content": { "name": "Ada" } })),
        (
            "sample",
            json!({ "prompt": "why?" }),
            "sampling/createMessage",
            json!({ "role": "assistant", "content": content, "model": "m-1" }),
        ),
        ("roots", json!({}), "roots/list", roots),
    ] {
        let (id, mut stream) = session.begin(tool, arguments);
        let question = stream.message();
        assert_eq!(question["method"], method, "`{tool}` asks");
        session.answer(&question, result);
        let answer = stream.until_answered(id, |_| {});
        assert_eq!(answer["result"]["isError"], false, "`{tool}` took the answer: {answer}");
    }
}

#[test]
fn a_task_tells_its_statuses_and_asks_on_the_stream_of_get() {
    let web = Web::demo();
    let mut session = web.session(json!({ "elicitation": {} }));
    let mut news = session.listen(None);
    let arguments = json!({ "topic": "tea", "seconds": 0, "stages": 1, "ask": true });
    let params = json!({ "name": "report", "arguments": arguments, "task": { "ttl": 60_000 } });
    let task = session.request("tools/call", params)["result"]["task"].take();
    assert_eq!(task["status"], "working");
    assert_eq!(news.message()["params"]["status"], "input_required", "the status comes before the question");
    let question = news.message();
    assert_eq!(question["method"], "elicitation/create");
    session.answer(&question, json!({ "action": "accept", "content": { "readers": "children" } }));
    let result = session.request("tasks/result", json!({ "taskId": task["taskId"] }))["result"].take();
    let text = result["content"][0]["text"].as_str().expect("a report");
    assert!(text.contains("for children"), "the answer is in it: {text}");
    let mut last = Value::Null;
    while last != "completed" {
        last = news.message()["params"]["status"].take();
    }
    let listed = session.request("tasks/list", json!({}))["result"]["tasks"].take();
    assert_eq!(listed[0]["taskId"], task["taskId"]);
}

#[test]
fn a_cancelled_call_ends_its_stream_and_withdraws_its_question() {
    let web = Web::demo();
    let mut session = web.session(json!({ "sampling": {} }));
    let mut news = session.listen(None);
    let (id, mut stream) = session.begin("sample", json!({ "prompt": "why?" }));
    let question = stream.message();
    let params = json!({ "requestId": id, "reason": "the test has seen enough" });
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    assert_eq!(session.post(&cancel).status, 202);
    assert!(stream.full_event().is_none(), "nobody waits for an answer");
    let withdrawn = news.message();
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
}

#[test]
fn sessions_share_nothing() {
    let web = Web::demo();
    let (mut one, mut other) = (web.session(json!({})), web.session(json!({})));
    let count = |session: &mut Session| {
        session.request("prompts/list", json!({}))["result"]["prompts"].as_array().map(Vec::len)
    };
    one.call("grow", json!({}));
    assert_eq!((count(&mut one), count(&mut other)), (Some(9), Some(8)), "only one has grown");
    let (id, mut slow) = one.begin("slow", json!({ "seconds": 0.2, "steps": 1 }));
    let params = json!({ "requestId": id });
    other.post(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    let answer = slow.until_answered(id, |_| {});
    assert_eq!(answer["result"]["isError"], false, "the same id in another session is another request");
    assert!(one.end() < 300);
    assert_eq!(other.call("echo", json!({ "text": "still here" }))["content"][0]["text"], "still here");
}

#[test]
fn an_ended_session_is_not_found() {
    let web = Web::demo();
    let session = web.session(json!({}));
    let ping = json!({ "jsonrpc": "2.0", "id": 9, "method": "ping" });
    assert_eq!(web.send("POST", &[], &ping.to_string()).status, 400, "a request needs a session");
    assert_eq!(web.send("POST", &[("mcp-session-id", "nobody")], &ping.to_string()).status, 404);
    assert_eq!(session.post(&ping).status, 200);
    let mut news = session.listen(None);
    assert!(session.end() < 300, "a session can be ended");
    assert_eq!(session.post(&ping).status, 404, "and is gone then");
    assert!(news.event().is_none(), "with its stream");
}

#[test]
fn a_stream_goes_on_behind_the_last_event() {
    let web = Web::demo();
    let mut session = web.session(json!({}));
    let mut news = session.listen(None);
    session.call("grow", json!({}));
    let first = news.full_event().expect("the lists have changed");
    let id = first.id.expect("an event of this stream has an id");
    drop(news);
    let mut rest = session.listen(Some(&id));
    let methods: Vec<_> = (0..2).map(|_| rest.message()["method"].take()).collect();
    let expected = ["resources", "prompts"].map(|list| format!("notifications/{list}/list_changed"));
    assert_eq!(methods, expected, "what the client had seen is not sent again");
}

#[test]
fn an_answer_waits_for_a_client_that_comes_back() {
    let web = Web::demo();
    let mut session = web.session(json!({ "sampling": {} }));
    let (id, mut stream) = session.begin("sample", json!({ "prompt": "why?" }));
    let event = stream.full_event().expect("a question");
    let question = serde_json::from_str(&event.data).expect("a question is JSON");
    drop(stream);
    let content = json!({ "type": "text", "text": "because" });
    session.answer(&question, json!({ "role": "assistant", "content": content, "model": "m-1" }));
    let last = event.id.expect("an event of this stream has an id");
    // The answer may be made before or after the client is back.
    let began = Instant::now();
    let answer = loop {
        assert!(began.elapsed() < Duration::from_secs(60), "nobody ever gives the answer");
        let mut rest = session.listen(Some(&last));
        if let Some(event) = rest.full_event() {
            break serde_json::from_str::<Value>(&event.data).expect("an answer is JSON");
        }
    };
    assert_eq!(answer["id"], id, "the question is not repeated: {answer}");
    assert_eq!(answer["result"]["content"][0]["text"], "m-1 said: because");
}

#[test]
fn a_stream_may_end_before_its_answer_and_the_answer_is_got_on_another() {
    let web = Web::demo();
    let mut session = web.session(json!({}));
    let (id, mut stream) = session.begin("test_reconnection", json!({}));
    let mut last = None;
    while let Some(event) = stream.event() {
        assert!(event.data.is_empty(), "nothing is said on the first stream: {}", event.data);
        last = event.id;
    }
    let last = last.expect("there is an event to come back behind");
    let began = Instant::now();
    let answer = loop {
        assert!(began.elapsed() < Duration::from_secs(60), "nobody ever gives the answer");
        if let Some(event) = session.listen(Some(&last)).full_event() {
            break serde_json::from_str::<Value>(&event.data).expect("an answer is JSON");
        }
    };
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(false)), "{answer}");
}

#[test]
fn only_this_machine_may_ask() {
    let web = Web::demo();
    let refused = |headers: &[(&str, &str)]| {
        let answer = web.send("POST", headers, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        assert_eq!(answer.status, 403, "{headers:?} is not let in");
        let body: Value = serde_json::from_str(&answer.text()).expect("the reason is JSON");
        assert!(body["error"]["message"].is_string() && body.get("id").is_none(), "got {body}");
    };
    refused(&[("host", "example.com")]);
    refused(&[("host", "127.0.0.1.example.com:80")]);
    refused(&[("host", "")]);
    refused(&[("origin", "https://example.com")]);
    refused(&[("origin", "null")]);
    let own = web.send("POST", &[("host", "[::1]:1"), ("origin", "http://127.0.0.1:5173")], "{}");
    assert_ne!(own.status, 403, "a page of this machine may ask");
    assert_eq!(web.send_to("/", "{}").status, 404, "there is one path");
}

#[test]
fn a_message_has_a_longest_length() {
    let web = Web::demo();
    let answer = web.send("POST", &[], &" ".repeat(5 << 20));
    assert_eq!(answer.status, 413);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_though_a_stream_is_open() {
    for signal in ["-TERM", "-INT"] {
        let mut web = Web::demo();
        let session = web.session(json!({}));
        let mut news = session.listen(None);
        let sent = Command::new("kill").arg(signal).arg(web.peer.id().to_string()).status();
        assert!(sent.is_ok_and(|status| status.success()), "the signal was sent");
        assert!(news.event().is_none(), "the stream ends");
        let status = web.peer.wait().expect("it ends");
        assert!(status.success(), "ended with {status} after {signal}");
    }
}
