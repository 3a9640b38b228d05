//! Servers that break rules: everything goes on, and the log says which rule.

use integration::{Log, Peer, Stage, WIRE, ended, raw};
use serde_json::{Value, json};
use sonde_app::{Profile, Reply};

use super::{LATEST, REVISIONS};

fn everything() -> Value {
    json!({ "tools": { "listChanged": true }, "resources": { "subscribe": true, "listChanged": true },
        "prompts": { "listChanged": true }, "completions": {}, "logging": {},
        "tasks": { "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } } })
}

/// The findings of a connection but for the note about an older revision.
fn faults(log: &Log) -> Vec<String> {
    log.findings().into_iter().filter(|finding| finding != "initialize other-version").collect()
}

async fn ready(stage: &Stage) -> Peer {
    stage.ready(LATEST, everything()).await
}

#[tokio::test]
async fn results_that_lack_what_they_must_have_are_told() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let complete = json!({ "ref": { "type": "ref/prompt", "name": "p" }, "argument": { "name": "a", "value": "" } });
    let table = [
        ("tools/list", Value::Null, json!({})),
        ("tools/list", Value::Null, json!({ "tools": {} })),
        ("tools/list", Value::Null, json!({ "tools": [], "nextCursor": 7 })),
        ("tools/call", json!({ "name": "t" }), json!({})),
        ("tools/call", json!({ "name": "t" }), json!({ "content": "text" })),
        ("resources/list", Value::Null, json!({ "resources": null })),
        ("resources/templates/list", Value::Null, json!({ "resources": [] })),
        ("resources/read", json!({ "uri": "x:y" }), json!({ "contents": {} })),
        ("prompts/list", Value::Null, json!([])),
        ("prompts/get", json!({ "name": "p" }), json!({ "description": "d" })),
        ("completion/complete", complete.clone(), json!({ "values": [] })),
        ("completion/complete", complete, json!({ "completion": { "values": {} } })),
        ("tasks/list", Value::Null, json!({ "tasks": "none" })),
        ("tasks/get", json!({ "taskId": "t" }), json!({ "taskId": "t", "status": "working" })),
        ("ping", Value::Null, json!("pong")),
        ("logging/setLevel", json!({ "level": "info" }), json!(null)),
    ];
    for (method, params, result) in &table {
        stage.exchange(&mut peer, method, params.clone(), json!({ "result": result })).await;
    }
    let log = stage.end(peer).await;
    let wanted: Vec<_> = table.iter().map(|(method, _, _)| format!("{method} bad-result")).collect();
    assert_eq!(log.findings(), wanted);
    stage.close().await;
}

#[tokio::test]
async fn names_of_tools_are_judged_where_the_revision_has_rules_for_them() {
    let stage = Stage::open().await;
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    let long = "x".repeat(129);
    for revision in REVISIONS {
        let mut peer = stage.ready(revision, everything()).await;
        for name in ["ok_-.9", "with space", "é", "", &long] {
            stage.exchange(&mut peer, "tools/list", Value::Null, json!({ "result": { "tools": [tool(name)] } })).await;
        }
        let wanted = if revision == LATEST { 4 } else { 0 };
        assert_eq!(faults(&stage.end(peer).await), vec!["tools/list tool-name".to_owned(); wanted], "{revision}");
    }
    let mut peer = ready(&stage).await;
    let twice = json!({ "result": { "tools": [tool("a"), tool("A"), tool("a")] } });
    stage.exchange(&mut peer, "tools/list", Value::Null, twice).await;
    assert_eq!(stage.end(peer).await.findings(), ["tools/list duplicate-tool"], "case makes a difference");
    stage.close().await;
}

#[tokio::test]
async fn a_tool_whose_schemas_describe_no_object_is_told_and_listed_all_the_same() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let object = json!({ "type": "object" });
    for (tool, words) in [
        (json!({ "name": "t" }), "has no `inputSchema`"),
        (json!({ "name": "t", "inputSchema": null }), "`inputSchema`"),
        (json!({ "name": "t", "inputSchema": { "type": "array" } }), "`inputSchema`"),
        (json!({ "name": "t", "inputSchema": object, "outputSchema": { "type": "string" } }), "`outputSchema`"),
    ] {
        let reply = json!({ "result": { "tools": [tool] } });
        let (_, ended) = stage.exchange(&mut peer, "tools/list", Value::Null, reply.clone()).await;
        assert_eq!(integration::result(&ended), reply["result"]);
        let log = stage.log(&mut peer).await;
        let finding = &log.of("tools/list").last().unwrap()["findings"][0];
        assert_eq!(finding["code"], "bad-result", "{tool}: {finding}");
        assert!(finding["message"].as_str().unwrap().contains(words), "{tool}: {finding}");
    }
    stage.close().await;
}

#[tokio::test]
async fn progress_that_may_not_be_is_told() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let begun = stage.begin("tools/call", json!({ "name": "t" })).await;
    let sent = peer.read().await;
    let token = sent["params"]["_meta"]["progressToken"].clone();
    for params in [
        json!({ "progressToken": token, "progress": 2 }),
        json!({ "progressToken": token, "progress": 2 }),
        json!({ "progressToken": token, "progress": 1.5 }),
        json!({ "progressToken": "nobody's", "progress": 1 }),
        json!({ "progressToken": token.to_string(), "progress": 9 }),
        json!({ "progressToken": token }),
        json!({ "progressToken": token, "progress": "half" }),
        json!({ "progressToken": token, "progress": 2.001 }),
    ] {
        peer.notify("notifications/progress", params).await;
    }
    peer.reply(&sent, json!({ "result": { "content": [] } })).await;
    ended(begun).await;
    peer.notify("notifications/progress", json!({ "progressToken": token, "progress": 3 })).await;
    let log = stage.end(peer).await;
    let codes = [
        "progress-backwards",
        "progress-backwards",
        "unknown-token",
        "unknown-token",
        "bad-params",
        "bad-params",
        "late-progress",
    ];
    assert_eq!(log.findings(), codes.map(|code| format!("notifications/progress {code}")));
    stage.close().await;
}

#[tokio::test]
async fn a_server_may_not_use_one_token_for_two_open_requests() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let params = json!({ "messages": [], "maxTokens": 1, "_meta": { "progressToken": "p" } });
    peer.ask("sampling/createMessage", params.clone()).await;
    peer.ask("sampling/createMessage", params).await;
    let bad = json!({ "messages": [], "maxTokens": 1, "_meta": { "progressToken": [1] } });
    peer.ask("sampling/createMessage", bad).await;
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), ["sampling/createMessage reused-token", "sampling/createMessage bad-params"]);
    stage.close().await;
}

#[tokio::test]
async fn ids_of_the_servers_that_may_not_be_are_told_and_answered_as_well_as_can_be() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    for id in ["null", "true", "[1]", r#"{"a":1}"#] {
        peer.line_of(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).await;
    }
    for _ in 0..2 {
        peer.say(json!({ "jsonrpc": "2.0", "id": "same", "method": "ping" })).await;
    }
    // Everything that is answered at all is answered before this.
    let id = peer.ask("ping", Value::Null).await;
    let mut same = 0;
    loop {
        let answer = peer.read().await;
        same += usize::from(answer["id"] == "same");
        if answer["id"] == id {
            break;
        }
    }
    assert_eq!(same, 2, "each was a request");
    let log = stage.log(&mut peer).await;
    let of = |code: &str| {
        let has = |row: &&Value| row["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == code);
        log.rows.iter().filter(has).count()
    };
    assert_eq!((of("bad-id"), of("reused-id")), (4, 1), "{:?}", log.findings());
    stage.close().await;
}

#[tokio::test]
async fn keys_of_meta_are_judged_where_they_have_a_grammar() {
    let stage = Stage::open().await;
    for revision in REVISIONS {
        let mut peer = stage.ready(revision, everything()).await;
        for key in ["good.example/key-1", "plain", "", "e.com/", "-bad", "e..com/x", "9.com/x", "a b", "é/x"] {
            peer.notify("notifications/message", json!({ "level": "info", "data": 1, "_meta": { key: 1 } })).await;
        }
        peer.notify("notifications/message", json!({ "level": "info", "data": 1, "_meta": [1] })).await;
        let wanted = if revision >= "2025-06-18" { 6 } else { 0 };
        let found = faults(&stage.end(peer).await);
        assert_eq!(found, vec!["notifications/message meta-key".to_owned(); wanted], "{revision}");
    }
    stage.close().await;
}

#[tokio::test]
async fn what_a_server_did_not_declare_it_may_not_use() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({})).await;
    let task = json!({ "taskId": "t", "status": "working", "createdAt": "x", "lastUpdatedAt": "x", "ttl": 1 });
    let table = [
        ("notifications/message", json!({ "level": "info", "data": 1 })),
        ("notifications/tools/list_changed", Value::Null),
        ("notifications/prompts/list_changed", Value::Null),
        ("notifications/resources/list_changed", Value::Null),
        ("notifications/resources/updated", json!({ "uri": "x:y" })),
        ("notifications/tasks/status", task),
    ];
    for (method, params) in &table {
        peer.notify(method, params.clone()).await;
    }
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), table.map(|(method, _)| format!("{method} undeclared")));
    let told = log.one("notifications/message")["findings"][0]["message"].as_str().unwrap().to_owned();
    assert!(told.contains("`logging`") && told.contains("server"), "whose, and which: {told}");
    stage.close().await;
}

#[tokio::test]
async fn what_a_revision_does_not_have_may_not_be_used_in_it() {
    let stage = Stage::open().await;
    for revision in REVISIONS {
        let mut peer = stage.ready(revision, everything()).await;
        let task = json!({ "taskId": "t", "status": "working", "createdAt": "x", "lastUpdatedAt": "x", "ttl": 1 });
        peer.notify("notifications/tasks/status", task).await;
        peer.notify("notifications/elicitation/complete", json!({ "elicitationId": "e" })).await;
        peer.asked("tasks/get", json!({ "taskId": "t" })).await;
        let methods = ["notifications/tasks/status", "notifications/elicitation/complete", "tasks/get"];
        let found = faults(&stage.end(peer).await);
        match revision == LATEST {
            true => assert_eq!(found, Vec::<String>::new()),
            false => assert_eq!(found, methods.map(|method| format!("{method} not-in-revision")), "{revision}"),
        }
    }
    stage.close().await;
}

#[tokio::test]
async fn a_server_that_speaks_as_a_client_is_refused() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    for method in ["tools/list", "initialize", "resources/read", "logging/setLevel"] {
        assert_eq!(peer.asked(method, json!({})).await["error"]["code"], -32601, "{method}");
    }
    for method in ["notifications/initialized", "notifications/roots/list_changed"] {
        peer.notify(method, Value::Null).await;
    }
    let log = stage.end(peer).await;
    let wrong = log.findings().iter().filter(|finding| finding.ends_with("wrong-sender")).count();
    assert_eq!(wrong, 6, "{:?}", log.findings());
    stage.close().await;
}

#[tokio::test]
async fn a_notification_with_an_id_is_answered_by_an_error_and_asks_nobody() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let table = [
        ("notifications/message", json!({ "level": "info", "data": 1 })),
        ("notifications/tools/list_changed", json!({})),
        ("notifications/cancelled", json!({ "requestId": 1 })),
        ("notifications/progress", json!({ "progressToken": 1, "progress": 1 })),
    ];
    for (method, params) in &table {
        let answer = peer.asked(method, params.clone()).await;
        assert_eq!(answer["error"]["code"], -32600, "{method}: {answer}");
    }
    assert!(stage.door.app.questions().is_empty(), "no person can answer that");
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), table.map(|(method, _)| format!("{method} wrong-shape")));
    stage.close().await;
}

#[tokio::test]
async fn a_request_without_an_id_is_no_question_and_gets_no_answer() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let methods = ["ping", "roots/list", "sampling/createMessage", "elicitation/create"];
    for method in methods {
        peer.notify(method, json!({})).await;
    }
    let log = stage.log(&mut peer).await;
    assert_eq!(log.findings(), methods.map(|method| format!("{method} wrong-shape")));
    assert!(stage.door.app.questions().is_empty(), "nobody could be told the answer");
    stage.close().await;
}

#[tokio::test]
async fn our_own_answers_are_judged_by_the_same_rules() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let form = json!({ "message": "m", "requestedSchema": { "type": "object", "properties": {} } });
    for (method, params, answer) in [
        ("elicitation/create", form, json!({ "action": "maybe" })),
        ("sampling/createMessage", json!({ "messages": [], "maxTokens": 1 }), json!({ "role": "assistant" })),
    ] {
        peer.ask(method, params).await;
        let question = stage.question(1).await;
        stage.door.app.answer(question.number, Reply::Result(raw(&answer))).await.unwrap();
        assert_eq!(peer.read().await["result"], answer, "a person may send what is wrong");
        stage.until_questions(0).await;
    }
    let log = stage.end(peer).await;
    let wanted =
        ["elicitation/create bad-result", "sampling/createMessage bad-result", "sampling/createMessage bad-result"];
    assert_eq!(log.findings(), wanted, "no action of that name; no content and no model");
    stage.close().await;
}

#[tokio::test]
async fn a_task_of_the_servers_wish_is_not_cancelled_by_the_notification() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let params = json!({ "messages": [], "maxTokens": 1, "task": {} });
    // Both in one write: the wish is withdrawn before it can have been answered.
    let ask = json!({ "jsonrpc": "2.0", "id": "s", "method": "sampling/createMessage", "params": params });
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "s" } });
    peer.bytes(format!("{ask}\n{cancel}\n").as_bytes()).await;
    assert!(peer.read().await["result"]["task"].is_object(), "the task is there all the same");
    stage.until_questions(1).await;
    stage.close().await;
}

#[tokio::test]
async fn initialize_in_a_batch_is_told_even_where_batches_are() {
    let said = Profile { negotiate: Some(false), protocol: Some("2025-03-26".to_owned()), ..Profile::default() };
    let stage = Stage::saying(said).await;
    let mut peer = stage.meet().await;
    stage.until_ready().await;
    let params = r#"{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"n","version":"1"}}"#;
    let batch = format!("[{{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"initialize\",\"params\":{params}}}]\n");
    stage.door.app.send_raw(WIRE, batch.clone().into_bytes()).await.unwrap();
    assert_eq!(peer.line().await.unwrap(), batch);
    let found = stage.end(peer).await.findings();
    assert!(found.contains(&"initialize initialize-in-batch".to_owned()), "{found:?}");
    stage.close().await;
}

#[tokio::test]
async fn every_finding_says_how_bad_it_is_what_was_seen_and_which_rule_was_broken() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    peer.line_of("oops").await;
    peer.notify("notifications/message", json!({ "level": "loud" })).await;
    peer.notify("notifications/progress", json!({ "progressToken": "x", "progress": 1 })).await;
    stage.exchange(&mut peer, "tools/call", json!({ "name": "t" }), json!({ "result": {} })).await;
    let log = stage.end(peer).await;
    let findings: Vec<_> = log.rows.iter().flat_map(|row| row["findings"].as_array().unwrap()).collect();
    assert_eq!(findings.len(), 4);
    for finding in findings {
        assert!(["note", "warning", "error"].iter().any(|severity| finding["severity"] == *severity), "{finding}");
        let message = finding["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.ends_with('.'), "one sentence: {finding}");
        assert!(finding["rule"].as_str().is_some_and(|rule| !rule.is_empty()), "{finding}");
    }
    stage.close().await;
}

#[tokio::test]
async fn parameters_that_a_request_must_have_are_missed_in_ours_too() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    for method in
        ["tools/call", "resources/read", "prompts/get", "completion/complete", "logging/setLevel", "tasks/get"]
    {
        let begun = stage.begin(method, json!({})).await;
        let sent = peer.read().await;
        peer.reply(&sent, json!({ "error": { "code": -32602, "message": "Invalid params" } })).await;
        let told = ended(begun).await.error.unwrap();
        assert!(told.hint.is_some_and(|hint| hint.contains("does not take these params")));
    }
    let log = stage.end(peer).await;
    let missed = log.findings().iter().filter(|finding| finding.ends_with("bad-params")).count();
    assert_eq!(missed, 6, "{:?}", log.findings());
    stage.close().await;
}
