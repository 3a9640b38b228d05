//! Servers that break no rule: a whole conversation of each revision leaves not one finding.

use integration::{LIMIT, Peer, Stage, WIRE, ask, ended, raw, within};
use serde_json::{Value, json};
use sonde_app::{Ask, Catalog, Gate, Profile, Reply, TaskWish};

/// A connection that was pinned to a revision, so that not even its age is noted.
async fn ready(revision: &str, capabilities: Value) -> (Stage, Peer) {
    let stage = Stage::saying(Profile { protocol: Some(revision.to_owned()), ..Profile::default() }).await;
    let peer = stage.ready(revision, capabilities).await;
    (stage, peer)
}

/// Nothing that was said is remarked upon, and every exchange has come to its end.
async fn without_a_finding(stage: Stage, peer: Peer, revision: &str) {
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), Vec::<String>::new(), "{revision}");
    let strange: Vec<_> =
        log.rows.iter().filter(|row| ["orphan", "unparsable"].iter().any(|kind| row["kind"] == *kind)).collect();
    assert!(strange.is_empty(), "{revision}: {strange:?}");
    stage.close().await;
}

fn declared() -> Value {
    json!({ "tools": { "listChanged": true }, "resources": { "subscribe": true, "listChanged": true },
        "prompts": { "listChanged": true }, "logging": {}, "experimental": { "e": {} } })
}

/// What every revision has.
async fn ordinary(stage: &Stage, peer: &mut Peer) {
    peer.asked("ping", Value::Null).await;
    peer.notify("notifications/message", json!({ "level": "debug", "data": { "any": "thing" } })).await;
    let tool = json!({ "name": "t", "description": "d", "inputSchema": { "type": "object" } });
    let text = json!({ "type": "text", "text": "t" });
    let image = json!({ "type": "image", "data": "AA==", "mimeType": "image/png" });
    let embedded = json!({ "type": "resource", "resource": { "uri": "x:y", "text": "t" } });
    let complete =
        json!({ "ref": { "type": "ref/resource", "uri": "x:{a}" }, "argument": { "name": "a", "value": "" } });
    for (method, params, result) in [
        ("ping", Value::Null, json!({})),
        ("logging/setLevel", json!({ "level": "info" }), json!({})),
        ("tools/list", json!({}), json!({ "tools": [tool], "nextCursor": "c" })),
        ("tools/list", json!({ "cursor": "c" }), json!({ "tools": [] })),
        (
            "tools/call",
            json!({ "name": "t", "arguments": {} }),
            json!({ "content": [text, image, embedded], "isError": false }),
        ),
        ("resources/list", json!({}), json!({ "resources": [{ "uri": "x:y", "name": "n", "size": 1 }] })),
        (
            "resources/templates/list",
            json!({}),
            json!({ "resourceTemplates": [{ "uriTemplate": "x:{a}", "name": "n" }] }),
        ),
        ("resources/read", json!({ "uri": "x:y" }), json!({ "contents": [{ "uri": "x:y", "blob": "AA==" }] })),
        ("resources/subscribe", json!({ "uri": "x:y" }), json!({})),
        ("resources/unsubscribe", json!({ "uri": "x:y" }), json!({})),
        (
            "prompts/list",
            json!({}),
            json!({ "prompts": [{ "name": "p", "arguments": [{ "name": "a", "required": true }] }] }),
        ),
        (
            "prompts/get",
            json!({ "name": "p", "arguments": { "a": "1" } }),
            json!({ "messages": [{ "role": "user", "content": text }] }),
        ),
        ("completion/complete", complete, json!({ "completion": { "values": ["a"], "total": 1, "hasMore": false } })),
    ] {
        stage.exchange(peer, method, params, json!({ "result": result })).await;
    }
    peer.notify("notifications/message", json!({ "level": "info", "logger": "l", "data": "text" })).await;
    for method in ["tools", "resources", "prompts"] {
        peer.say(json!({ "jsonrpc": "2.0", "method": format!("notifications/{method}/list_changed") })).await;
    }
    peer.notify("notifications/resources/updated", json!({ "uri": "x:y" })).await;
}

/// Progress, a cancellation, an error, the questions that every revision has.
async fn eventful(stage: &Stage, peer: &mut Peer) {
    let begun = stage.begin("tools/call", json!({ "name": "t" })).await;
    let sent = peer.read().await;
    for progress in [0.5, 1.0] {
        let params =
            json!({ "progressToken": sent["params"]["_meta"]["progressToken"], "progress": progress, "total": 1 });
        peer.notify("notifications/progress", params).await;
    }
    peer.reply(&sent, json!({ "result": { "content": [], "isError": true } })).await;
    ended(begun).await;
    let error = json!({ "error": { "code": -32002, "message": "Resource not found", "data": { "uri": "x:z" } } });
    stage.exchange(peer, "resources/read", json!({ "uri": "x:z" }), error).await;
    let begun = stage.begin("tools/call", json!({ "name": "t" })).await;
    peer.read().await;
    stage.door.app.cancel(begun.call).unwrap();
    within(LIMIT, "the cancelled call", begun.end()).await.unwrap_err();
    assert_eq!(peer.read().await["method"], "notifications/cancelled");
    peer.asked("roots/list", Value::Null).await;
    let text = json!({ "type": "text", "text": "t" });
    let params = json!({ "messages": [{ "role": "user", "content": text }], "maxTokens": 1, "includeContext": "none" });
    asked(
        stage,
        peer,
        "sampling/createMessage",
        params,
        json!({ "role": "assistant", "content": text, "model": "m", "stopReason": "endTurn" }),
    )
    .await;
    let id = peer.ask("sampling/createMessage", json!({ "messages": [], "maxTokens": 1 })).await;
    stage.until_questions(1).await;
    peer.notify("notifications/cancelled", json!({ "requestId": id, "reason": "r" })).await;
    stage.until_questions(0).await;
    let changed = stage.door.app.notify(WIRE, "notifications/roots/list_changed", None, Gate::Keep).await;
    changed.unwrap();
    peer.read().await;
}

async fn asked(stage: &Stage, peer: &mut Peer, method: &str, params: Value, answer: Value) {
    let id = peer.ask(method, params).await;
    let question = stage.question(1).await;
    stage.door.app.answer(question.number, Reply::Result(raw(&answer))).await.unwrap();
    assert_eq!(peer.read().await["id"], id);
    stage.until_questions(0).await;
}

#[tokio::test]
async fn a_good_server_of_2024_11_05_leaves_no_finding() {
    let (stage, mut peer) = ready("2024-11-05", declared()).await;
    ordinary(&stage, &mut peer).await;
    eventful(&stage, &mut peer).await;
    without_a_finding(stage, peer, "2024-11-05").await;
}

#[tokio::test]
async fn a_good_server_of_2025_03_26_leaves_no_finding() {
    let mut capabilities = declared();
    capabilities["completions"] = json!({});
    let (stage, mut peer) = ready("2025-03-26", capabilities).await;
    ordinary(&stage, &mut peer).await;
    eventful(&stage, &mut peer).await;
    let tool = json!({ "name": "t", "inputSchema": { "type": "object" }, "annotations": { "title": "T", "readOnlyHint": true } });
    stage.exchange(&mut peer, "tools/list", json!({}), json!({ "result": { "tools": [tool] } })).await;
    let audio = json!({ "content": [{ "type": "audio", "data": "AA==", "mimeType": "audio/wav" }] });
    stage.exchange(&mut peer, "tools/call", json!({ "name": "t" }), json!({ "result": audio })).await;
    let begun = stage.begin("tools/call", json!({ "name": "t" })).await;
    let sent = peer.read().await;
    let params = json!({ "progressToken": sent["params"]["_meta"]["progressToken"], "progress": 1, "message": "m" });
    peer.say(json!([
        { "jsonrpc": "2.0", "method": "notifications/progress", "params": params },
        { "jsonrpc": "2.0", "id": "b", "method": "ping" },
        { "jsonrpc": "2.0", "id": sent["id"], "result": { "content": [] } },
    ]))
    .await;
    ended(begun).await;
    assert_eq!(peer.read().await, json!([{ "jsonrpc": "2.0", "id": "b", "result": {} }]));
    let batch = "[{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":\"y\",\"method\":\"tools/list\"}]\n";
    let sent = stage.door.app.send_raw(WIRE, batch.as_bytes().to_vec()).await.unwrap();
    assert_eq!(peer.line().await.unwrap(), batch);
    peer.say(json!([{ "jsonrpc": "2.0", "id": "y", "result": { "tools": [] } }, { "jsonrpc": "2.0", "id": "x", "result": {} }])).await;
    for call in sent.calls {
        ended(call).await;
    }
    without_a_finding(stage, peer, "2025-03-26").await;
}

/// What came with 2025-06-18.
async fn of_2025_06_18(stage: &Stage, peer: &mut Peer) {
    let tool = json!({ "name": "t", "title": "T", "inputSchema": { "type": "object" }, "outputSchema": { "type": "object" }, "_meta": { "e.com/k": 1 } });
    stage
        .exchange(peer, "tools/list", json!({}), json!({ "result": { "tools": [tool], "_meta": { "e.com/k": 1 } } }))
        .await;
    let link = json!({ "type": "resource_link", "uri": "x:y", "name": "n", "annotations": { "lastModified": "2025-01-12T15:00:58Z" } });
    let result = json!({ "content": [link, { "type": "text", "text": "{\"a\":1}" }], "structuredContent": { "a": 1 } });
    stage
        .exchange(peer, "tools/call", json!({ "name": "t", "_meta": { "e.com/k": 1 } }), json!({ "result": result }))
        .await;
    let complete = json!({ "ref": { "type": "ref/prompt", "name": "p" }, "argument": { "name": "a", "value": "" }, "context": { "arguments": { "b": "1" } } });
    stage
        .exchange(peer, "completion/complete", complete, json!({ "result": { "completion": { "values": [] } } }))
        .await;
    let properties = json!({ "s": { "type": "string", "format": "email", "minLength": 1 }, "n": { "type": "number", "minimum": 0 }, "i": { "type": "integer" },
        "b": { "type": "boolean", "default": true }, "e": { "type": "string", "enum": ["a"], "enumNames": ["A"] } });
    let params =
        json!({ "message": "m", "requestedSchema": { "type": "object", "properties": properties, "required": ["s"] } });
    for answer in [
        json!({ "action": "accept", "content": { "s": "a@b.c" } }),
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
    ] {
        asked(stage, peer, "elicitation/create", params.clone(), answer).await;
    }
}

#[tokio::test]
async fn a_good_server_of_2025_06_18_leaves_no_finding() {
    let mut capabilities = declared();
    capabilities["completions"] = json!({});
    let (stage, mut peer) = ready("2025-06-18", capabilities).await;
    ordinary(&stage, &mut peer).await;
    eventful(&stage, &mut peer).await;
    of_2025_06_18(&stage, &mut peer).await;
    without_a_finding(stage, peer, "2025-06-18").await;
}

#[tokio::test]
async fn a_good_server_of_2025_11_25_leaves_no_finding() {
    let mut capabilities = declared();
    capabilities["completions"] = json!({});
    capabilities["tasks"] = json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
    let (stage, mut peer) = ready("2025-11-25", capabilities).await;
    ordinary(&stage, &mut peer).await;
    eventful(&stage, &mut peer).await;
    of_2025_06_18(&stage, &mut peer).await;
    questions_of_2025_11_25(&stage, &mut peer).await;
    tasks(&stage, &mut peer).await;
    without_a_finding(stage, peer, "2025-11-25").await;
}

async fn questions_of_2025_11_25(stage: &Stage, peer: &mut Peer) {
    let titled = json!([{ "const": "a", "title": "A" }]);
    let properties = json!({ "one": { "type": "string", "oneOf": titled, "default": "a" },
        "many": { "type": "array", "items": { "anyOf": titled }, "minItems": 1 }, "plain": { "type": "array", "items": { "type": "string", "enum": ["x"] } } });
    let form =
        json!({ "mode": "form", "message": "m", "requestedSchema": { "type": "object", "properties": properties } });
    asked(stage, peer, "elicitation/create", form, json!({ "action": "accept", "content": { "many": ["a"] } })).await;
    let url = json!({ "mode": "url", "message": "m", "url": "https://example.com/", "elicitationId": "e" });
    asked(stage, peer, "elicitation/create", url.clone(), json!({ "action": "accept" })).await;
    peer.notify("notifications/elicitation/complete", json!({ "elicitationId": "e" })).await;
    let required = json!({ "error": { "code": -32042, "message": "m", "data": { "elicitations": [url] } } });
    stage.exchange(peer, "tools/call", json!({ "name": "t" }), required).await;
    let used = json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "u", "name": "n", "input": {} }] });
    let given = json!({ "role": "user", "content": [{ "type": "tool_result", "toolUseId": "u", "content": [] }] });
    let params = json!({ "messages": [used, given], "maxTokens": 1, "tools": [{ "name": "n", "inputSchema": { "type": "object" } }],
        "toolChoice": { "mode": "auto" }, "includeContext": "thisServer" });
    let answer = json!({ "role": "assistant", "content": [{ "type": "text", "text": "t" }], "model": "m", "stopReason": "toolUse" });
    asked(stage, peer, "sampling/createMessage", params, answer).await;
}

async fn tasks(stage: &Stage, peer: &mut Peer) {
    let task = |status: &str| {
        json!({ "taskId": "t-1", "status": status, "createdAt": "2026-01-01T00:00:00Z",
        "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": 60000, "pollInterval": 100 })
    };
    let wish = Some(TaskWish { ttl: Some(60_000) });
    let begun = stage.send(Ask { task: wish, validate: false, ..ask("tools/call", json!({ "name": "t" })) }).await;
    let sent = peer.read().await;
    let immediate = json!({ "io.modelcontextprotocol/model-immediate-response": "wait" });
    peer.reply(&sent, json!({ "result": { "task": task("working"), "_meta": immediate } })).await;
    ended(begun).await;
    peer.notify(
        "notifications/progress",
        json!({ "progressToken": sent["params"]["_meta"]["progressToken"], "progress": 1 }),
    )
    .await;
    peer.notify("notifications/tasks/status", task("working")).await;
    let run = stage.door.app.follow_task(WIRE, "t-1").await.unwrap();
    let related = json!({ "io.modelcontextprotocol/related-task": { "taskId": "t-1" } });
    for result in [task("input_required"), json!({ "content": [], "_meta": related })] {
        let request = peer.read().await;
        peer.reply(&request, json!({ "result": result })).await;
    }
    ended(run).await;
    peer.notify("notifications/tasks/status", task("completed")).await;
    let serve = async {
        let request = peer.read().await;
        peer.reply(&request, json!({ "result": { "tasks": [task("completed")] } })).await;
    };
    let (listing, ()) = tokio::join!(stage.door.app.list(WIRE, Catalog::Tasks, Gate::Keep), serve);
    assert_eq!(listing.unwrap().entries.len(), 1);
    let params =
        json!({ "message": "m", "requestedSchema": { "type": "object", "properties": {} }, "task": { "ttl": 60000 } });
    let created = peer.asked("elicitation/create", params).await;
    let id = json!({ "taskId": created["result"]["task"]["taskId"] });
    let question = stage.question(1).await;
    stage.door.app.answer(question.number, Reply::Result(raw(&json!({ "action": "decline" })))).await.unwrap();
    assert_eq!(peer.read().await["method"], "notifications/tasks/status");
    for method in ["tasks/get", "tasks/result"] {
        assert!(peer.asked(method, id.clone()).await["result"].is_object());
    }
    assert!(peer.asked("tasks/list", Value::Null).await["result"]["tasks"].is_array());
}
