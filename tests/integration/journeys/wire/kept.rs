//! What nobody knows is kept and shown: members, content, methods, `_meta`, and every byte.

use integration::{Peer, Stage, WIRE, ask, ended, result};
use serde_json::{Value, json};
use sonde_app::{Ask, ErrorCode, FrameRequest, RowRequest};

use super::LATEST;

async fn with_tools(stage: &Stage) -> Peer {
    stage.ready(LATEST, json!({ "tools": {}, "resources": {}, "prompts": {}, "completions": {}, "logging": {} })).await
}

fn call() -> Ask {
    Ask { validate: false, ..ask("tools/call", json!({ "name": "t" })) }
}

#[tokio::test]
async fn content_of_any_kind_is_given_back_whole() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let content = json!({ "content": [
        { "type": "text", "text": "t", "annotations": { "audience": ["user"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z" } },
        { "type": "image", "data": "AA==", "mimeType": "image/png" },
        { "type": "audio", "data": "AA==", "mimeType": "audio/wav", "_meta": { "e.com/k": 1 } },
        { "type": "resource_link", "uri": "x:y", "name": "n", "size": 12345678901_u64, "icons": [{ "src": "data:," }] },
        { "type": "resource", "resource": { "uri": "x:y", "blob": "AA==", "annotations": { "priority": 1 } } },
        { "type": "hologram", "depth": [1, 2, { "x": null }] },
        { "no": "type" }, 7, null,
    ], "structuredContent": { "a": [] }, "unheard": { "of": 1.25 }, "_meta": { "e.com/k": {} } });
    let (_, ended) =
        stage.exchange(&mut peer, "tools/call", json!({ "name": "t" }), json!({ "result": content })).await;
    assert_eq!(result(&ended), content);
    stage.close().await;
}

#[tokio::test]
async fn an_answer_is_kept_as_it_was_written_in_the_api_and_in_the_log() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.send(call()).await;
    let id = peer.read().await["id"].clone();
    let text = r#"{ "content":[ ],"n":1.0,"big":123456789012345678901234567890,"e":1E+2,"u":"\u00e9\/" , "n" : 2}"#;
    let line = format!(r#" {{"result":{text},"id":{id} ,"jsonrpc":"2.0"}} "#);
    peer.line_of(&line).await;
    let ended = ended(begun).await;
    let sonde_app::Answer::Result(raw) = &ended.answer else { panic!("it is a result") };
    assert_eq!(raw.get(), text, "to the last space");
    let log = stage.log(&mut peer).await;
    let seq = log.one("tools/call")["seq"].as_i64().unwrap();
    let detail = stage.door.app.read_row(RowRequest { seq }).await.unwrap();
    assert_eq!(detail.frames.len(), 2, "what was asked, and what was answered");
    assert_eq!(detail.frames[1].text.as_deref(), Some(line.as_str()));
    assert_eq!(detail.frames[1].size, line.len() as i64, "in bytes");
    let part = stage.door.app.read_frame(FrameRequest { seq, index: 1, offset: 0 }).await.unwrap();
    assert_eq!(part.size, line.len() as i64, "and all of them can be had");
    stage.close().await;
}

#[tokio::test]
async fn members_that_no_message_has_are_noted_and_kept() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    peer.say(json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": 1, "new": 2 }, "trace": "x" }))
        .await;
    let begun = stage.send(call()).await;
    let sent = peer.read().await;
    peer.reply(&sent, json!({ "result": { "content": [], "new": 1 }, "took": 3 })).await;
    ended(begun).await;
    let log = stage.end(peer).await;
    let mut found = log.findings();
    found.sort();
    assert_eq!(found, ["notifications/message unknown-member", "tools/call unknown-member"], "params are open");
    assert_eq!(log.one("tools/call")["findings"][0]["severity"], "note");
    stage.close().await;
}

#[tokio::test]
async fn an_error_keeps_its_data_whatever_it_is() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    for (error, code, message) in [
        (json!({ "code": -32000, "message": "m", "data": { "deep": [1, { "x": null }] } }), Some(-32000), "m"),
        (json!({ "code": "E1", "message": ["not", "text"] }), None, ""),
        (json!({}), None, ""),
    ] {
        let begun = stage.send(call()).await;
        let sent = peer.read().await;
        peer.reply(&sent, json!({ "error": error })).await;
        let ended = ended(begun).await;
        let sonde_app::Answer::Error { code: told, message: words, raw } = &ended.answer else { panic!("an error") };
        assert_eq!((*told, words.as_str()), (code, message));
        assert_eq!(serde_json::from_str::<Value>(raw.get()).unwrap(), error);
        assert_eq!(ended.error.unwrap().code, ErrorCode::ServerError);
    }
    let log = stage.end(peer).await;
    let faults = log.findings().iter().filter(|finding| finding.ends_with("bad-error")).count();
    assert!(faults >= 2, "an error without a number or a message is none: {:?}", log.findings());
    stage.close().await;
}

#[tokio::test]
async fn a_persons_own_meta_goes_with_any_request() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let complete = json!({ "ref": { "type": "ref/prompt", "name": "p" }, "argument": { "name": "a", "value": "" } });
    for (method, params) in [
        ("ping", Value::Null),
        ("tools/list", Value::Null),
        ("tools/call", json!({ "name": "t" })),
        ("resources/read", json!({ "uri": "x:y" })),
        ("prompts/get", json!({ "name": "p" })),
        ("completion/complete", complete),
        ("logging/setLevel", json!({ "level": "info" })),
    ] {
        let meta = Some(r#"{"e.com/trace":"t-1","e.com/deep":{"n":1.50}}"#.to_owned());
        let begun = stage.send(Ask { meta, validate: false, ..ask(method, params.clone()) }).await;
        let line = peer.line().await.unwrap();
        assert!(line.contains(r#""e.com/trace":"t-1""#) && line.contains(r#"{"n":1.50}"#), "{method}: {line}");
        let sent: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(sent["method"], method);
        peer.reply(&sent, json!({ "error": { "code": -32603, "message": "no" } })).await;
        ended(begun).await;
    }
    assert_eq!(stage.end(peer).await.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn meta_in_the_params_and_beside_them_become_one() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let params = json!({ "name": "t", "_meta": { "e.com/a": "params", "e.com/b": 1 } });
    let meta = Some(r#"{"e.com/a":"meta"}"#.to_owned());
    stage.send(Ask { meta, validate: false, ..ask("tools/call", params) }).await;
    let sent = peer.read().await;
    let wanted = json!({ "e.com/a": "meta", "e.com/b": 1, "progressToken": sent["id"] });
    assert_eq!(sent["params"]["_meta"], wanted, "what stands beside them is newer");
    stage.close().await;
}

#[tokio::test]
async fn meta_that_is_no_object_is_refused_before_anything_is_sent() {
    let stage = Stage::open().await;
    let peer = with_tools(&stage).await;
    for meta in ["7", "[]", "{", "", "null"] {
        let error = stage.door.app.begin(Ask { meta: Some(meta.to_owned()), ..call() }).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidRequest, "`{meta}`: {error}");
    }
    for params in ["{", "1 2", "nul"] {
        let error = stage.door.app.begin(Ask { params: Some(params.to_owned()), ..call() }).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidRequest, "`{params}`: {error}");
    }
    assert_eq!(stage.end(peer).await.of("tools/call").len(), 0);
    stage.close().await;
}

#[tokio::test]
async fn methods_that_no_revision_has_are_kept_from_both_sides() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    peer.notify("notifications/vendor/thing", json!({ "x": [1] })).await;
    assert_eq!(peer.asked("vendor/ask", json!({})).await["error"]["code"], -32601);
    stage.door.app.notify(WIRE, "vendor/note", Some("[1]"), sonde_app::Gate::Open).await.unwrap();
    assert_eq!(peer.read().await, json!({ "jsonrpc": "2.0", "method": "vendor/note", "params": [1] }));
    let log = stage.end(peer).await;
    for method in ["notifications/vendor/thing", "vendor/ask", "vendor/note"] {
        let row = log.one(method);
        assert_eq!(
            (&row["findings"][0]["code"], &row["findings"][0]["severity"]),
            (&json!("unknown-method"), &json!("note"))
        );
    }
    stage.close().await;
}

#[tokio::test]
async fn a_tool_is_listed_with_its_schemas_as_they_were_written() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let tool = r#"{"name":"t","title":"T","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"a":{"$anchor":"x"}},"type":"object","additionalProperties":false,"allOf":[{"minProperties":0.0}]},"execution":{"taskSupport":"optional"},"annotations":{"readOnlyHint":true,"x":1},"icons":[{"src":"https://e/i.png","sizes":["any"],"theme":"dark"}],"_meta":{"e.com/k":1.0}}"#;
    let serve = async {
        let request = peer.read().await;
        peer.line_of(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{tool}]}}}}"#, request["id"])).await;
    };
    let list = stage.door.app.list(WIRE, sonde_app::Catalog::Tools, sonde_app::Gate::Keep);
    let (listing, ()) = tokio::join!(list, serve);
    assert_eq!(listing.unwrap().entries[0].get(), tool);
    assert_eq!(stage.end(peer).await.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn a_member_that_stands_twice_is_told_and_the_last_one_counts() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.send(call()).await;
    let id = peer.read().await["id"].clone();
    peer.line_of(&format!(r#"{{"jsonrpc":"2.0","id":"x","id":{id},"result":{{"content":[]}}}}"#)).await;
    assert_eq!(result(&ended(begun).await), json!({ "content": [] }));
    assert_eq!(stage.end(peer).await.findings(), ["tools/call duplicate-member"]);
    stage.close().await;
}
