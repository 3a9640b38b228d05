//! What may be sent under what was agreed, and what is sent anyway.

use integration::{Stage, WIRE, ask};
use serde_json::{Value, json};
use sonde_app::{Ask, CallStatus, Catalog, ErrorCode, Gate, Profile, TaskWish};

use super::{LATEST, REVISIONS};

/// Every request of a client and the capability that it needs, with parameters that fit.
fn requests() -> Vec<(&'static str, Value, Value)> {
    let (uri, name) = (json!({ "uri": "x://y" }), json!({ "name": "n" }));
    let complete = json!({ "ref": { "type": "ref/prompt", "name": "n" }, "argument": { "name": "a", "value": "" } });
    vec![
        ("tools/list", Value::Null, json!({ "tools": {} })),
        ("tools/call", name.clone(), json!({ "tools": {} })),
        ("resources/list", Value::Null, json!({ "resources": {} })),
        ("resources/templates/list", Value::Null, json!({ "resources": {} })),
        ("resources/read", uri.clone(), json!({ "resources": {} })),
        ("resources/subscribe", uri.clone(), json!({ "resources": { "subscribe": true } })),
        ("resources/unsubscribe", uri, json!({ "resources": { "subscribe": true } })),
        ("prompts/list", Value::Null, json!({ "prompts": {} })),
        ("prompts/get", name, json!({ "prompts": {} })),
        ("completion/complete", complete, json!({ "completions": {} })),
        ("logging/setLevel", json!({ "level": "info" }), json!({ "logging": {} })),
        ("tasks/list", Value::Null, json!({ "tasks": { "list": {} } })),
        ("tasks/get", json!({ "taskId": "t" }), json!({ "tasks": {} })),
        ("tasks/result", json!({ "taskId": "t" }), json!({ "tasks": {} })),
        ("tasks/cancel", json!({ "taskId": "t" }), json!({ "tasks": { "cancel": {} } })),
    ]
}

fn quietly(method: &str, params: Value) -> Ask {
    Ask { validate: false, ..ask(method, params) }
}

#[tokio::test]
async fn nothing_is_sent_that_the_server_did_not_declare() {
    let stage = Stage::open().await;
    let peer = stage.ready(LATEST, json!({})).await;
    for (method, params, _) in requests() {
        let error = stage.door.app.begin(quietly(method, params)).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Objected, "{method}: {error}");
        assert!(error.message.contains(method) && error.message.contains("did not declare"), "{error}");
        assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("anyway")), "what can be done: {error}");
        assert!(error.context.iter().any(|fact| fact.name == "missing capability"), "what is missing: {error}");
    }
    for catalog in Catalog::ALL {
        let error = stage.door.app.list(WIRE, *catalog, Gate::Keep).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Objected, "{catalog:?}: {error}");
    }
    let log = stage.end(peer).await;
    let sent: Vec<_> = log.rows.iter().filter(|row| row["kind"] == "exchange").map(|row| &row["method"]).collect();
    assert_eq!(sent, ["initialize"], "not one of them left us");
    stage.close().await;
}

#[tokio::test]
async fn everything_is_sent_that_the_server_declared() {
    let stage = Stage::open().await;
    let everything = json!({ "tools": {}, "resources": { "subscribe": true }, "prompts": {}, "completions": {},
        "logging": {}, "tasks": { "list": {}, "cancel": {} } });
    let mut peer = stage.ready(LATEST, everything).await;
    for (method, params, _) in requests() {
        let begun = stage.send(quietly(method, params.clone())).await;
        let sent = peer.read().await;
        assert_eq!(sent["method"], method);
        assert_eq!(sent["id"].to_string(), begun.request_id, "the API names the id of the wire");
        let mut told = sent["params"].clone();
        if let Some(members) = told.as_object_mut() {
            members.remove("_meta");
        }
        assert_eq!(told, params, "{method}: nothing was added but `_meta`");
        peer.reply(&sent, json!({ "error": { "code": -32603, "message": "no" } })).await;
        assert_eq!(integration::ended(begun).await.status, CallStatus::ProtocolError);
    }
    stage.close().await;
}

#[tokio::test]
async fn what_is_sent_anyway_goes_out_and_the_log_says_what_was_wrong_with_it() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({})).await;
    for (method, params, _) in requests() {
        let begun = stage.send(Ask { anyway: true, ..quietly(method, params) }).await;
        let sent = peer.read().await;
        assert_eq!(sent["method"], method);
        peer.reply(&sent, json!({ "error": { "code": -32601, "message": "Method not found" } })).await;
        let ended = integration::ended(begun).await;
        let error = ended.error.expect("an error is explained");
        assert_eq!(error.code, ErrorCode::ServerError);
        assert!(error.hint.is_some_and(|hint| hint.contains("does not know this method")), "{}", error.message);
    }
    let log = stage.end(peer).await;
    let wanted: Vec<_> = requests().iter().map(|(method, _, _)| format!("{method} undeclared")).collect();
    assert_eq!(log.findings(), wanted, "we are judged like everybody else");
    stage.close().await;
}

#[tokio::test]
async fn a_declared_capability_without_its_part_opens_only_the_whole() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "resources": { "subscribe": false }, "tasks": { "list": null } })).await;
    for method in ["resources/subscribe", "resources/unsubscribe", "tasks/list", "tasks/cancel"] {
        let error = stage.door.app.begin(quietly(method, json!({ "uri": "x", "taskId": "t" }))).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Objected, "{method} needs more: {error}");
    }
    for method in ["resources/list", "tasks/get"] {
        let begun = stage.send(quietly(method, json!({ "taskId": "t" }))).await;
        let sent = peer.read().await;
        peer.reply(&sent, json!({ "error": { "code": -32602, "message": "no" } })).await;
        integration::ended(begun).await;
    }
    stage.close().await;
}

#[tokio::test]
async fn what_a_revision_does_not_have_yet_is_held_back_under_it() {
    let stage = Stage::open().await;
    let everything = json!({ "completions": {}, "tasks": { "list": {}, "cancel": {} }, "tools": {} });
    for revision in REVISIONS {
        let peer = stage.ready(revision, everything.clone()).await;
        let error = stage.door.app.begin(quietly("tasks/list", Value::Null)).await;
        match error {
            Ok(_) => assert_eq!(revision, LATEST, "tasks came last"),
            Err(error) => {
                assert_eq!(error.code, ErrorCode::Objected);
                assert!(error.context.iter().any(|fact| (&*fact.name, &*fact.value) == ("since", LATEST)), "{error}");
            }
        }
        stage.end(peer).await;
    }
    stage.close().await;
}

#[tokio::test]
async fn completion_needs_a_declaration_only_since_there_is_one() {
    let stage = Stage::open().await;
    let params = json!({ "ref": { "type": "ref/prompt", "name": "n" }, "argument": { "name": "a", "value": "" } });
    for revision in REVISIONS {
        let peer = stage.ready(revision, json!({ "prompts": {} })).await;
        let begun = stage.door.app.begin(quietly("completion/complete", params.clone())).await;
        assert_eq!(begun.is_ok(), revision == "2024-11-05", "{revision}");
        let log = stage.end(peer).await;
        let faults: Vec<_> = log.findings().into_iter().filter(|finding| finding.starts_with("completion")).collect();
        assert!(faults.is_empty(), "{revision}: {faults:?}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_method_of_nobody_or_of_the_other_side_needs_a_person_who_insists() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({})).await;
    for (method, finding) in [("vendor/x", "unknown-method"), ("roots/list", "wrong-sender")] {
        let error = stage.door.app.begin(quietly(method, Value::Null)).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Objected, "{error}");
        let begun = stage.send(Ask { anyway: true, ..quietly(method, Value::Null) }).await;
        let sent = peer.read().await;
        peer.reply(&sent, json!({ "result": { "any": ["shape", 1] } })).await;
        assert_eq!(integration::result(&integration::ended(begun).await), json!({ "any": ["shape", 1] }));
        let log = stage.log(&mut peer).await;
        assert_eq!(log.one(method)["findings"][0]["code"], finding);
    }
    stage.close().await;
}

#[tokio::test]
async fn a_notification_is_gated_like_a_request() {
    let stage = Stage::declaring(json!({ "roots": {} })).await;
    let mut peer = stage.ready(LATEST, json!({})).await;
    let (app, changed) = (&stage.door.app, "notifications/roots/list_changed");
    let error = app.notify(WIRE, changed, None, Gate::Keep).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Objected, "we did not declare that we would: {error}");
    app.notify(WIRE, changed, Some(r#"{"_meta":{"a/b":1}}"#), Gate::Open).await.unwrap();
    let wanted = json!({ "jsonrpc": "2.0", "method": changed, "params": { "_meta": { "a/b": 1 } } });
    assert_eq!(peer.read().await, wanted, "and no id");
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), [format!("{changed} undeclared")]);
    stage.close().await;
}

#[tokio::test]
async fn a_task_is_wished_for_only_where_the_server_takes_it() {
    let stage = Stage::open().await;
    let declared = json!({ "tools": {}, "tasks": { "requests": { "tools": { "call": {} } } } });
    let wish = |anyway| Ask {
        task: Some(TaskWish { ttl: Some(60_000) }),
        anyway,
        ..quietly("tools/call", json!({ "name": "t" }))
    };
    for (revision, capabilities, taken) in [
        (LATEST, declared.clone(), true),
        (LATEST, json!({ "tools": {}, "tasks": {} }), false),
        ("2025-06-18", declared, false),
    ] {
        let mut peer = stage.ready(revision, capabilities.clone()).await;
        let begun = stage.door.app.begin(wish(false)).await;
        assert_eq!(begun.is_ok(), taken, "{revision} with {capabilities}");
        if !taken {
            stage.send(wish(true)).await;
        }
        let sent = peer.read().await;
        assert_eq!(sent["params"]["task"], json!({ "ttl": 60_000 }));
        let log = stage.end(peer).await;
        let fault = log.one("tools/call")["findings"].as_array().unwrap().len();
        assert_eq!(fault == 0, taken, "{revision} with {capabilities}: {:?}", log.findings());
    }
    stage.close().await;
}

#[tokio::test]
async fn a_batch_of_ours_is_no_way_around_the_gate_but_raw_bytes_are() {
    let stage = Stage::saying(Profile::default()).await;
    let mut peer = stage.ready("2025-06-18", json!({})).await;
    let bytes = br#"[{"jsonrpc":"2.0","id":"a","method":"tools/list"},{"jsonrpc":"2.0","id":"b","method":"ping"}]"#;
    let sent = stage.door.app.send_raw(WIRE, [bytes.as_slice(), b"\n"].concat()).await.unwrap();
    assert_eq!(sent.calls.len(), 2, "each request has its answer");
    assert_eq!(peer.line().await.unwrap().as_bytes(), [bytes.as_slice(), b"\n"].concat());
    peer.line_of(r#"[{"jsonrpc":"2.0","id":"b","result":{}},{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"no batches"}}]"#)
        .await;
    let mut statuses = Vec::new();
    for call in sent.calls {
        statuses.push(integration::ended(call).await.status);
    }
    assert_eq!(statuses, [CallStatus::ProtocolError, CallStatus::Ok], "in whatever order they came");
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), ["initialize other-version", "tools/list batch", "tools/list undeclared", "ping batch"]);
    stage.close().await;
}
