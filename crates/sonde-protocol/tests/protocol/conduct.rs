//! What the messages of a connection show, told as a conversation.

use proptest::prelude::*;
use serde_json::{Value, json};
use sonde_protocol::{Asked, Conduct, Correlator, Direction, Finding, METHODS, Message, Revision, Settled, parse};

/// One connection: messages in, slugs of findings out.
#[derive(Default)]
struct Talk {
    conduct: Conduct,
    open: Correlator<Asked>,
}

impl Talk {
    /// A connection that is ready, with these capabilities.
    fn ready(revision: Revision, client: Value, server: Value) -> Self {
        let mut talk = Talk::default();
        let params = json!({ "protocolVersion": revision.as_str(), "capabilities": client, "clientInfo": info() });
        assert_eq!(talk.ask(0, "initialize", params), [""; 0]);
        let result = json!({ "protocolVersion": revision.as_str(), "capabilities": server, "serverInfo": info() });
        assert_eq!(talk.answer(0, result), [""; 0]);
        assert_eq!(talk.out(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), [""; 0]);
        talk
    }

    fn out(&mut self, text: &str) -> Vec<&'static str> {
        self.see(Direction::Out, text)
    }

    fn inward(&mut self, text: &str) -> Vec<&'static str> {
        self.see(Direction::In, text)
    }

    /// We send a request.
    fn ask(&mut self, id: u32, method: &str, params: Value) -> Vec<&'static str> {
        self.out(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())
    }

    /// The server answers it.
    fn answer(&mut self, id: u32, result: Value) -> Vec<&'static str> {
        self.inward(&json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string())
    }

    /// The server sends a request.
    fn question(&mut self, id: u32, method: &str, params: Value) -> Vec<&'static str> {
        self.inward(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())
    }

    /// The server sends a notification.
    fn note(&mut self, method: &str, params: Value) -> Vec<&'static str> {
        self.inward(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string())
    }

    fn see(&mut self, direction: Direction, text: &str) -> Vec<&'static str> {
        let (message, mut findings) = parse(text.as_bytes());
        self.enter(direction, &message, &mut findings);
        findings.iter().map(|finding| finding.code.slug()).collect()
    }

    fn enter(&mut self, direction: Direction, message: &Message<'_>, findings: &mut Vec<Finding>) {
        match message {
            Message::Request(request) => {
                let asked = self.conduct.request(direction, request, findings);
                self.open.open(direction, request.id, &request.method, 0, asked);
            }
            Message::Notification(note) => self.conduct.notification(direction, note, findings),
            Message::Response(response) => {
                let id = response.id.expect("these answers have ids");
                let Settled::Answered(exchange) = self.open.answer(direction, id) else {
                    unreachable!("{id:?} is open")
                };
                self.conduct.answer(direction, &exchange.method, exchange.payload, response, findings);
            }
            Message::Batch(items) => {
                self.conduct.batch(items, findings);
                items.iter().for_each(|item| self.enter(direction, &item.message, findings));
            }
            Message::Opaque => {}
        }
    }
}

fn info() -> Value {
    json!({ "name": "n", "version": "1" })
}

fn latest(client: Value, server: Value) -> Talk {
    Talk::ready(Revision::LATEST, client, server)
}

const NONE: [&str; 0] = [];

#[test]
fn a_faultless_conversation_has_no_findings() {
    let mut talk = latest(
        json!({ "sampling": {}, "roots": { "listChanged": true }, "elicitation": {} }),
        json!({ "tools": { "listChanged": true }, "logging": {}, "completions": {} }),
    );
    assert_eq!(talk.ask(1, "tools/list", json!({})), NONE);
    let tool = json!({ "name": "a.b-c_1", "inputSchema": { "type": "object" } });
    assert_eq!(talk.answer(1, json!({ "tools": [tool], "nextCursor": "" })), NONE);
    assert_eq!(
        talk.ask(2, "tools/call", json!({ "name": "a", "_meta": { "progressToken": 7, "org.example/x": 1 } })),
        NONE
    );
    assert_eq!(talk.note("notifications/progress", json!({ "progressToken": 7, "progress": 0.5 })), NONE);
    assert_eq!(talk.note("notifications/message", json!({ "level": "debug", "data": null })), NONE);
    assert_eq!(talk.question(1, "roots/list", json!({})), NONE);
    assert_eq!(talk.out(r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///x"}]}}"#), NONE);
    assert_eq!(talk.question(2, "sampling/createMessage", json!({ "messages": [], "maxTokens": 1 })), NONE);
    let form =
        json!({ "message": "?", "requestedSchema": { "type": "object", "properties": { "a": { "type": "string" } } } });
    assert_eq!(talk.question(3, "elicitation/create", form), NONE);
    assert_eq!(talk.answer(2, json!({ "content": [] })), NONE);
    assert_eq!(talk.note("notifications/tools/list_changed", json!({})), NONE);
}

#[test]
fn only_ping_and_logging_may_come_early() {
    let mut talk = Talk::default();
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": { "roots": {} }, "clientInfo": info() });
    assert_eq!(talk.ask(0, "initialize", params.clone()), NONE);
    assert_eq!(talk.ask(1, "ping", json!({})), NONE);
    assert_eq!(talk.ask(2, "tools/list", json!({})), ["too-early"], "ours, too");
    assert_eq!(talk.question(0, "ping", json!({})), NONE);
    assert_eq!(talk.note("notifications/message", json!({ "level": "info", "data": 1 })), NONE);
    assert_eq!(talk.question(1, "roots/list", json!({})), ["too-early"]);
    assert_eq!(talk.out(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), ["too-early"]);
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 0 } });
    assert_eq!(talk.out(&cancel.to_string()), ["cancelled-initialize"]);
    let result = json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "serverInfo": info() });
    assert_eq!(talk.answer(0, result), NONE);
    assert_eq!(talk.ask(3, "tools/list", json!({})), NONE, "the answer is there");
    assert_eq!(talk.question(2, "roots/list", json!({})), ["too-early"], "but the server must wait for more");
    assert_eq!(talk.out(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), NONE);
    assert_eq!(talk.question(3, "roots/list", json!({})), NONE);
    assert_eq!(talk.ask(4, "initialize", params), ["initialize-again"]);
}

#[test]
fn without_negotiation_nothing_that_depends_on_it_is_said() {
    let mut talk = Talk::default();
    assert_eq!(talk.ask(1, "tools/call", json!({ "name": "x" })), NONE);
    assert_eq!(talk.answer(1, json!({ "content": [], "_meta": { "-": 1 } })), NONE);
    assert_eq!(
        talk.question(1, "elicitation/create", json!({ "mode": "url", "message": "", "url": "", "elicitationId": "" })),
        NONE
    );
    assert_eq!(talk.note("notifications/unheard/of", json!({})), NONE);
    assert_eq!(talk.note("notifications/message", json!({ "level": "info" })), NONE);
    assert!(talk.conduct.agreement().is_none(), "nobody agreed on anything");
}

#[test]
fn versions_are_compared() {
    for (answered, slugs) in [
        (json!("2025-11-25"), vec![]),
        (json!("2025-06-18"), vec!["other-version"]),
        (json!("2024-11-05"), vec!["other-version"]),
        (json!("1999-01-01"), vec!["unknown-version"]),
        (json!(""), vec!["unknown-version"]),
        (json!("x".repeat(10_000)), vec!["unknown-version"]),
        (json!(7), vec!["bad-result", "unknown-version"]),
    ] {
        let mut talk = Talk::default();
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info() });
        talk.ask(0, "initialize", params);
        let result = json!({ "protocolVersion": answered, "capabilities": {}, "serverInfo": info() });
        assert_eq!(talk.answer(0, result), slugs, "{answered}");
        assert_eq!(talk.conduct.agreement().is_some(), !slugs.contains(&"unknown-version"), "{answered}");
    }
    let mut talk = Talk::default();
    assert_eq!(talk.ask(0, "initialize", json!({})), ["bad-params"], "our own fault is told as well");
    assert_eq!(talk.answer(0, json!({})), ["bad-result"; 3].into_iter().chain(["unknown-version"]).collect::<Vec<_>>());
}

#[test]
fn what_was_not_agreed_on_is_told_of_both_sides() {
    let mut talk = Talk::ready(Revision::V2025_03_26, json!({}), json!({ "tools": {} }));
    for (method, slugs) in [
        ("tools/list", vec![]),
        ("prompts/list", vec!["undeclared"]),
        ("tasks/list", vec!["not-in-revision"]),
        ("roots/list", vec!["wrong-sender"]),
        ("my/own", vec!["unknown-method"]),
        ("notifications/progress", vec!["wrong-shape"]),
    ] {
        assert_eq!(talk.ask(1, method, json!({})), slugs, "our {method}");
    }
    for (method, slugs) in [
        ("ping", vec![]),
        ("roots/list", vec!["undeclared"]),
        ("sampling/createMessage", vec!["undeclared", "bad-params"]),
        ("elicitation/create", vec!["not-in-revision", "bad-params", "bad-elicitation"]),
        ("tools/call", vec!["wrong-sender", "bad-params"]),
    ] {
        assert_eq!(talk.question(1, method, json!({})), slugs, "the server's {method}");
    }
    for (method, slugs) in [
        ("notifications/tools/list_changed", vec!["undeclared"]),
        ("notifications/message", vec!["undeclared", "bad-level"]),
        ("notifications/initialized", vec!["wrong-sender"]),
        ("notifications/tasks/status", vec!["not-in-revision", "bad-result"]),
        ("tools/list", vec!["wrong-sender"]),
        ("ping", vec!["wrong-shape"]),
    ] {
        assert_eq!(talk.note(method, json!({})), slugs, "the server's {method}");
        assert_eq!(talk.note(method, json!({})), slugs, "and once more {method}");
    }
}

#[test]
fn batches_belong_to_one_revision() {
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#;
    for revision in Revision::ALL {
        let slugs = if *revision == Revision::V2025_03_26 { vec![] } else { vec!["batch"] };
        assert_eq!(Talk::ready(*revision, json!({}), json!({})).inward(batch), slugs, "{revision}");
        assert_eq!(Talk::ready(*revision, json!({}), json!({})).inward("[]"), ["batch"], "an empty one never does");
    }
    let initialize = r#"[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{}}}]"#;
    assert_eq!(Talk::default().out(initialize), ["batch", "initialize-in-batch"]);
}

#[test]
fn progress_goes_forward_under_a_known_token_until_the_end() {
    let mut talk = latest(json!({}), json!({ "tools": {} }));
    let call = |token: Value| json!({ "name": "x", "_meta": { "progressToken": token } });
    let progress = |token: Value, progress: Value| json!({ "progressToken": token, "progress": progress });
    assert_eq!(talk.ask(1, "tools/call", call(json!(1))), NONE);
    assert_eq!(talk.ask(2, "tools/call", call(json!("1"))), NONE, "another token");
    assert_eq!(talk.ask(3, "tools/call", call(json!(1))), ["reused-token"]);
    assert_eq!(talk.ask(4, "tools/call", call(json!({}))), ["bad-params"]);
    for (value, slugs) in [
        (json!(0), vec![]),
        (json!(1.5), vec![]),
        (json!(1.5), vec!["progress-backwards"]),
        (json!(1), vec!["progress-backwards"]),
        (json!(2), vec![]),
        (json!("3"), vec!["bad-params"]),
    ] {
        assert_eq!(talk.note("notifications/progress", progress(json!("1"), value.clone())), slugs, "{value}");
    }
    assert_eq!(talk.note("notifications/progress", progress(json!(9), json!(1))), ["unknown-token"]);
    assert_eq!(talk.note("notifications/progress", json!({})), ["bad-params"]);
    let ours =
        json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": progress(json!("1"), json!(1)) });
    assert_eq!(talk.out(&ours.to_string()), ["unknown-token"], "the token is for the server to use");
    assert_eq!(talk.answer(2, json!({ "content": [] })), NONE);
    assert_eq!(talk.note("notifications/progress", progress(json!("1"), json!(9))), ["late-progress"]);
}

#[test]
fn tokens_without_end_are_forgotten_and_not_kept_without_end() {
    let mut talk = latest(json!({}), json!({ "tools": {} }));
    for token in 0..12_000 {
        talk.ask(token + 10, "tools/call", json!({ "name": "x", "_meta": { "progressToken": token } }));
    }
    let progress = |token: u32| json!({ "progressToken": token, "progress": 1 });
    assert_eq!(talk.note("notifications/progress", progress(0)), ["unknown-token"], "memory is bounded");
    assert_eq!(talk.note("notifications/progress", progress(11_999)), NONE, "the newest are known");
}

#[test]
fn log_levels_are_eight_and_respect_the_one_that_was_set() {
    let mut talk = latest(json!({}), json!({ "logging": {} }));
    let log = |talk: &mut Talk, level: Value| talk.note("notifications/message", json!({ "level": level, "data": 1 }));
    assert_eq!(log(&mut talk, json!("debug")), NONE, "before one is set the server chooses");
    assert_eq!(log(&mut talk, json!("verbose")), ["bad-level"]);
    assert_eq!(log(&mut talk, json!("Info")), ["bad-level"], "case counts");
    assert_eq!(log(&mut talk, json!(3)), ["bad-level"]);
    assert_eq!(talk.ask(1, "logging/setLevel", json!({ "level": "loud" })), ["bad-level"]);
    assert_eq!(talk.ask(2, "logging/setLevel", json!({ "level": "warning" })), NONE);
    assert_eq!(log(&mut talk, json!("info")), NONE, "the server has not answered");
    assert_eq!(talk.answer(2, json!({})), NONE);
    assert_eq!(log(&mut talk, json!("notice")), ["below-level"]);
    assert_eq!(log(&mut talk, json!("warning")), NONE);
    assert_eq!(
        talk.inward(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"\u0065rror"}}"#),
        NONE
    );
}

#[test]
fn results_have_what_their_method_promises() {
    let server = json!({ "tools": {}, "resources": {}, "prompts": {}, "completions": {} });
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    for (method, params, result, slugs) in [
        ("ping", json!({}), json!({}), vec![]),
        ("ping", json!({}), json!(null), vec!["bad-result"]),
        ("ping", json!({}), json!([]), vec!["bad-result"]),
        ("tools/list", json!({}), json!({}), vec!["bad-result"]),
        ("tools/list", json!({}), json!({ "tools": {} }), vec!["bad-result"]),
        ("tools/list", json!({}), json!({ "tools": [], "nextCursor": null }), vec!["bad-result"]),
        ("tools/list", json!({}), json!({ "tools": [tool("a b")] }), vec!["tool-name"]),
        ("tools/list", json!({}), json!({ "tools": [tool("")] }), vec!["tool-name"]),
        ("tools/list", json!({}), json!({ "tools": [tool(&"x".repeat(129))] }), vec!["tool-name"]),
        ("tools/list", json!({}), json!({ "tools": [tool("a"), tool("a")] }), vec!["duplicate-tool"]),
        ("tools/list", json!({}), json!({ "tools": [tool("a"), 7, tool("a")] }), vec!["duplicate-tool"]),
        ("tools/list", json!({}), json!({ "tools": [tool("a"), { "name": "b" }, 7] }), vec!["bad-result"]),
        ("tools/list", json!({}), json!({ "tools": [{ "name": "b", "inputSchema": null }] }), vec!["bad-result"]),
        ("tools/list", json!({}), json!({ "tools": [{ "name": "b", "inputSchema": {} }] }), vec!["bad-result"]),
        ("tools/call", json!({ "name": "x" }), json!({}), vec!["bad-result"]),
        ("tools/call", json!({ "name": "x" }), json!({ "content": "text" }), vec!["bad-result"]),
        ("resources/list", json!({}), json!({ "resources": 1 }), vec!["bad-result"]),
        ("resources/templates/list", json!({}), json!({ "templates": [] }), vec!["bad-result"]),
        ("resources/read", json!({ "uri": "x:y" }), json!({ "contents": [] }), vec![]),
        ("prompts/get", json!({ "name": "x" }), json!({}), vec!["bad-result"]),
        (
            "completion/complete",
            json!({ "ref": {}, "argument": {} }),
            json!({ "completion": { "values": vec!["x"; 100] } }),
            vec![],
        ),
        (
            "completion/complete",
            json!({ "ref": {}, "argument": {} }),
            json!({ "completion": { "values": vec!["x"; 101] } }),
            vec!["too-many-values"],
        ),
        ("completion/complete", json!({ "ref": {}, "argument": {} }), json!({ "completion": {} }), vec!["bad-result"]),
        ("ping", json!({}), json!({ "_meta": { "not ok": 1 } }), vec!["meta-key"]),
        ("ping", json!({}), json!({ "_meta": 1 }), vec!["meta-key"]),
    ] {
        let mut talk = latest(json!({}), server.clone());
        assert_eq!(talk.ask(1, method, params), NONE);
        assert_eq!(talk.answer(1, result.clone()), slugs, "{method}: {result}");
    }
    let mut old = Talk::ready(Revision::V2025_03_26, json!({}), server);
    old.ask(1, "tools/list", json!({ "_meta": { "any thing": 1 } }));
    assert_eq!(old.answer(1, json!({ "tools": [tool("a b")], "_meta": { " ": 1 } })), NONE, "later rules");
}

#[test]
fn our_answers_are_judged_like_theirs() {
    let mut talk = latest(json!({ "roots": {}, "sampling": {}, "elicitation": {} }), json!({}));
    let form = json!({ "message": "?", "requestedSchema": { "type": "object", "properties": {} } });
    for (method, params, result, slugs) in [
        ("roots/list", json!({}), json!({ "roots": [{ "uri": "http://x" }] }), vec!["bad-result"]),
        ("roots/list", json!({}), json!({}), vec!["bad-result"]),
        (
            "sampling/createMessage",
            json!({ "messages": [], "maxTokens": 1 }),
            json!({ "role": "assistant" }),
            vec!["bad-result"; 2],
        ),
        ("elicitation/create", form.clone(), json!({ "action": "accept", "content": {} }), vec![]),
        ("elicitation/create", form, json!({ "action": "maybe" }), vec!["bad-result"]),
    ] {
        assert_eq!(talk.question(1, method, params), NONE, "{method}");
        let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": result });
        assert_eq!(talk.out(&answer.to_string()), slugs, "{method}: {result}");
    }
}

#[test]
fn questions_to_a_person_and_a_model_keep_to_what_was_declared() {
    let mut talk = latest(json!({ "sampling": {}, "elicitation": { "url": {} } }), json!({}));
    let form = |fields: Value| json!({ "message": "?", "requestedSchema": { "type": "object", "properties": fields } });
    let url = json!({ "mode": "url", "message": "?", "url": "https://x", "elicitationId": "1" });
    assert_eq!(talk.question(1, "elicitation/create", url), NONE);
    assert_eq!(talk.question(2, "elicitation/create", form(json!({}))), ["undeclared"], "only url was declared");
    let mut talk = latest(json!({ "sampling": {}, "elicitation": {} }), json!({}));
    for (params, slugs) in [
        (form(json!({ "a": { "type": "integer" }, "b": { "type": "array", "items": { "enum": [] } } })), vec![]),
        (form(json!({ "a": { "type": "object" } })), vec!["bad-elicitation"]),
        (form(json!({ "a": 1 })), vec!["bad-elicitation"]),
        (json!({ "message": "?" }), vec!["bad-elicitation"]),
        (json!({ "message": "?", "requestedSchema": { "type": "array" } }), vec!["bad-elicitation"]),
        (json!({ "mode": "url", "message": "?" }), vec!["undeclared", "bad-elicitation"]),
        (json!({ "mode": "tv", "message": "?" }), vec!["bad-elicitation"]),
    ] {
        assert_eq!(talk.question(3, "elicitation/create", params.clone()), slugs, "{params}");
    }
    let sample = |extra: &str| json!({ "messages": [], "maxTokens": 1, extra: "allServers" });
    assert_eq!(talk.question(4, "sampling/createMessage", sample("tools")), ["undeclared"]);
    assert_eq!(talk.question(5, "sampling/createMessage", sample("includeContext")), ["undeclared"]);
    assert_eq!(talk.question(6, "sampling/createMessage", json!({})), ["bad-params"]);
}

#[test]
fn tasks_move_only_as_they_may() {
    let server = json!({ "tools": {}, "tasks": { "cancel": {}, "requests": { "tools": { "call": {} } } } });
    let mut talk = latest(json!({}), server);
    let task =
        |status: &str| json!({ "taskId": "t", "status": status, "createdAt": "", "lastUpdatedAt": "", "ttl": null });
    let call = json!({ "name": "x", "task": {}, "_meta": { "progressToken": 1 } });
    assert_eq!(talk.ask(1, "tools/call", call.clone()), NONE);
    assert_eq!(talk.answer(1, json!({ "task": task("working") })), NONE, "no `content` yet");
    let progress = json!({ "progressToken": 1, "progress": 1 });
    assert_eq!(talk.note("notifications/progress", progress), NONE, "the token lives on with the task");
    for (status, slugs) in [
        ("working", vec![]),
        ("input_required", vec![]),
        ("working", vec![]),
        ("sleeping", vec!["task-move"]),
        ("completed", vec![]),
        ("completed", vec![]),
        ("working", vec!["task-move"]),
    ] {
        assert_eq!(talk.note("notifications/tasks/status", task(status)), slugs, "{status}");
    }
    assert_eq!(talk.ask(2, "tasks/get", json!({ "taskId": "t" })), NONE);
    assert_eq!(talk.answer(2, json!({ "taskId": "t", "status": "failed" })), ["bad-result"], "what is missing is told");
    assert_eq!(talk.ask(3, "tools/call", call.clone()), ["reused-token"]);
    assert_eq!(talk.answer(3, json!({ "task": task("completed") })), ["task-move"], "a task begins with work");
    assert_eq!(talk.ask(4, "tools/call", json!({ "name": "x", "task": {} })), NONE);
    assert_eq!(talk.answer(4, json!({ "content": [] })), ["bad-result"], "a task was asked for");

    let mut talk = latest(json!({}), json!({ "tools": {} }));
    assert_eq!(talk.ask(1, "tools/call", call), ["undeclared"]);
    assert_eq!(talk.answer(1, json!({ "content": [] })), NONE, "whoever has no tasks answers as always");
}

#[test]
fn keys_of_meta_have_a_grammar() {
    let mut talk = latest(json!({}), json!({}));
    for key in ["a", "a-b_c.d", "progressToken", "io.modelcontextprotocol/related-task", "x/", "a.b-c/d", "a1/2"] {
        assert_eq!(talk.ask(1, "ping", json!({ "_meta": { key: 1 } })), NONE, "{key}");
    }
    for key in ["-a", "a-", "a b", "1a/x", "a-/x", ".a/x", "a..b/x", "/x", "a/b/c", "ä"] {
        assert_eq!(talk.ask(1, "ping", json!({ "_meta": { key: 1 } })), ["meta-key"], "{key}");
    }
}

/// Something that a message may carry: names that rules are about, at any place and of any type.
fn anything() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "_meta",
        "progressToken",
        "progress",
        "level",
        "task",
        "taskId",
        "status",
        "tools",
        "name",
        "content",
        "mode",
        "requestedSchema",
        "type",
        "properties",
        "completion",
        "values",
        "protocolVersion",
        "capabilities",
        "requestId",
        "serverInfo",
        "roots",
        "uri",
        "action",
        "ttl",
        "x",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i8>().prop_map(Value::from),
        prop::sample::select(vec!["", "2025-11-25", "working", "info", "object", "form", "\u{0}ä"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((name.clone(), inner), 0..5).prop_map(|members| {
                members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_conversation_can_be_judged(
        messages in proptest::collection::vec((0..METHODS.len() + 1, anything(), anything(), any::<bool>()), 1..15),
        negotiated in any::<bool>(),
    ) {
        let all = json!({ "tools": {}, "tasks": { "requests": { "tools": { "call": {} } } }, "logging": {}, "sampling": {} });
        let mut talk = if negotiated { latest(all.clone(), all) } else { Talk::default() };
        for (id, (method, params, result, ours)) in (100..).zip(messages) {
            let method = METHODS.get(method).map_or("un/known", |method| method.name);
            let (there, back) = if ours { (Direction::Out, Direction::In) } else { (Direction::In, Direction::Out) };
            let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
            let note = json!({ "jsonrpc": "2.0", "method": method, "params": params });
            for (direction, message) in [(there, request), (there, note), (back, answer)] {
                let told = talk.see(direction, &message.to_string());
                prop_assert!(told.len() < 20, "a message has few faults: {:?}", told);
            }
        }
    }
}
