//! Resources, templates, prompts, completion, logging: what is asked, what is given back, what the server reports.

use std::collections::BTreeMap;

use integration::{LIMIT, Stage, WIRE, ended, raw, result, within};
use serde_json::{Value, json};
use sonde_app::{Answer, CallStatus, ErrorCode, Event};
use tokio::sync::broadcast::Receiver;

use super::{LATEST, REVISIONS};

async fn next(events: &mut Receiver<Event>) -> Event {
    within(LIMIT, "an event", events.recv()).await.expect("the connection is there")
}

#[tokio::test]
async fn a_resource_is_read_whole_whatever_its_parts_are() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "resources": {} })).await;
    let contents = json!({ "contents": [
        { "uri": "x://y/a", "text": "" },
        { "uri": "x://y/b", "blob": "AAE=", "mimeType": "application/x", "_meta": { "e.com/k": 1 } },
        { "uri": "x://y/c", "hologram": [1.0] },
    ]});
    let reply = json!({ "result": contents });
    let (sent, ended) = stage.exchange(&mut peer, "resources/read", json!({ "uri": "x://y" }), reply).await;
    assert_eq!(sent["params"]["uri"], "x://y");
    assert_eq!(result(&ended), contents, "empty text, unknown parts and all");
    let log = stage.log(&mut peer).await;
    assert_eq!(log.one("resources/read")["target"], "x://y", "the row says which");
    stage.close().await;
}

#[tokio::test]
async fn a_resource_that_is_not_there_is_an_error_of_its_own_kind() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "resources": {} })).await;
    let error = json!({ "code": -32002, "message": "Resource not found", "data": { "uri": "x://y" } });
    let (_, ended) =
        stage.exchange(&mut peer, "resources/read", json!({ "uri": "x://y" }), json!({ "error": error })).await;
    assert_eq!(ended.status, CallStatus::ProtocolError);
    let Answer::Error { code, raw, .. } = &ended.answer else { panic!("it is an error") };
    assert_eq!((*code, serde_json::from_str::<Value>(raw.get()).unwrap()), (Some(-32002), error), "with its data");
    let told = ended.error.unwrap();
    assert!(told.hint.as_deref().is_some_and(|hint| hint.contains("no such resource")), "{told}");
    let log = stage.log(&mut peer).await;
    assert_eq!(
        (&log.one("resources/read")["code"], &log.one("resources/read")["status"]),
        (&json!(-32002), &json!("protocol-error"))
    );
    stage.close().await;
}

#[tokio::test]
async fn a_subscription_tells_of_updates_also_of_parts() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "resources": { "subscribe": true } })).await;
    let mut events = stage.door.app.events(WIRE).unwrap();
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let (sent, ended) = stage.exchange(&mut peer, method, json!({ "uri": "x://y" }), json!({ "result": {} })).await;
        assert_eq!((&sent["method"], &sent["params"]), (&json!(method), &json!({ "uri": "x://y" })));
        assert_eq!(result(&ended), json!({}));
        if method == "resources/subscribe" {
            peer.notify("notifications/resources/updated", json!({ "uri": "x://y/part" })).await;
            let Event::ResourceUpdated { uri } = next(&mut events).await else { panic!("it is an update") };
            assert_eq!(uri, "x://y/part");
        }
    }
    let log = stage.end(peer).await;
    assert_eq!(log.one("notifications/resources/updated")["target"], "x://y/part");
    assert_eq!(log.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn an_update_without_the_capability_is_a_fault_of_the_server() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "resources": {} })).await;
    peer.notify("notifications/resources/updated", json!({ "uri": "x://y" })).await;
    assert_eq!(stage.end(peer).await.findings(), ["notifications/resources/updated undeclared"]);
    stage.close().await;
}

#[tokio::test]
async fn a_template_of_the_server_becomes_an_address_that_is_read() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "resources": {} })).await;
    let values = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    for (template, given, wanted) in [
        ("file:///{+path}", values(&[("path", "a/b c")]), "file:///a/b%20c"),
        ("x://{name}", values(&[("name", "a/b")]), "x://a%2Fb"),
        ("x://s{?q,limit}", values(&[("q", "é")]), "x://s?q=%C3%A9"),
        ("x://plain", values(&[]), "x://plain"),
    ] {
        let uri = stage.door.app.expand(template, &given).unwrap();
        assert_eq!(uri, wanted, "{template}");
        let reply = json!({ "result": { "contents": [] } });
        let (sent, _) = stage.exchange(&mut peer, "resources/read", json!({ "uri": uri }), reply).await;
        assert_eq!(sent["params"]["uri"], wanted);
    }
    let error = stage.door.app.expand("x://{broken", &values(&[])).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidRequest, "a template that is none is told: {error}");
    stage.close().await;
}

#[tokio::test]
async fn a_prompt_is_given_back_whole() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "prompts": {} })).await;
    let answer = json!({ "description": "d", "messages": [
        { "role": "user", "content": { "type": "text", "text": "hi" } },
        { "role": "assistant", "content": { "type": "resource_link", "uri": "x:y", "name": "n" } },
        { "role": "user", "content": { "type": "resource", "resource": { "uri": "x:y", "text": "t" } } },
    ]});
    let params = json!({ "name": "p", "arguments": { "a": "1" } });
    let (sent, ended) = stage.exchange(&mut peer, "prompts/get", params.clone(), json!({ "result": answer })).await;
    assert_eq!((&sent["params"]["name"], &sent["params"]["arguments"]), (&params["name"], &params["arguments"]));
    assert_eq!(result(&ended), answer);
    assert_eq!(stage.log(&mut peer).await.one("prompts/get")["target"], "p");
    stage.close().await;
}

#[tokio::test]
async fn a_completion_is_asked_for_with_what_is_settled_already() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "completions": {} })).await;
    let template = json!({ "ref": { "type": "ref/resource", "uri": "x://{a}/{b}" },
        "argument": { "name": "b", "value": "r" }, "context": { "arguments": { "a": "one" } } });
    let answer = json!({ "completion": { "values": ["red", "rot"], "total": 7, "hasMore": true } });
    let (sent, ended) =
        stage.exchange(&mut peer, "completion/complete", template.clone(), json!({ "result": answer })).await;
    assert_eq!(sent["params"], template, "nothing is added and nothing lost");
    assert_eq!(result(&ended), answer);
    assert_eq!(stage.end(peer).await.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn more_than_a_hundred_completions_are_shown_and_are_a_fault() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "completions": {} })).await;
    let params = json!({ "ref": { "type": "ref/prompt", "name": "p" }, "argument": { "name": "a", "value": "" } });
    for (count, faults) in [(100, 0), (101, 1)] {
        let values: Vec<_> = (0..count).map(|number| number.to_string()).collect();
        let reply = json!({ "result": { "completion": { "values": values } } });
        let (_, ended) = stage.exchange(&mut peer, "completion/complete", params.clone(), reply).await;
        assert_eq!(result(&ended)["completion"]["values"].as_array().unwrap().len(), count);
        let log = stage.log(&mut peer).await;
        let found = log.findings().iter().filter(|finding| finding.ends_with("too-many-values")).count();
        assert_eq!(found, faults, "{count} values");
    }
    stage.close().await;
}

#[tokio::test]
async fn log_messages_come_as_events_with_any_data() {
    let stage = Stage::open().await;
    for revision in REVISIONS {
        let mut peer = stage.ready(revision, json!({ "logging": {} })).await;
        let mut events = stage.door.app.events(WIRE).unwrap();
        for level in ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] {
            let data = json!({ "any": ["JSON", null] });
            peer.notify("notifications/message", json!({ "level": level, "logger": "l", "data": data })).await;
            let Event::LogMessage { level: told, logger, data: text } = next(&mut events).await else {
                panic!("it is a log message")
            };
            assert_eq!((told.as_str(), logger.as_deref()), (level, Some("l")));
            assert_eq!(text, raw(&data).get(), "as it was written");
        }
        let findings = stage.end(peer).await.findings();
        assert!(findings.iter().all(|finding| finding == "initialize other-version"), "{revision}: {findings:?}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_message_below_the_level_that_was_set_is_a_fault_from_the_answer_on() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "logging": {} })).await;
    peer.notify("notifications/message", json!({ "level": "debug", "data": "before" })).await;
    let (sent, ended) =
        stage.exchange(&mut peer, "logging/setLevel", json!({ "level": "warning" }), json!({ "result": {} })).await;
    assert_eq!((&sent["params"], result(&ended)), (&json!({ "level": "warning" }), json!({})));
    for level in ["notice", "warning", "emergency", "loud"] {
        peer.notify("notifications/message", json!({ "level": level, "data": level })).await;
    }
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), ["notifications/message below-level", "notifications/message bad-level"]);
    let row = log.of("notifications/message")[1];
    let told = row["findings"][0]["message"].as_str().unwrap();
    assert!(told.contains("`notice`") && told.contains("`warning`"), "both levels are named: {told}");
    stage.close().await;
}

#[tokio::test]
async fn a_refused_level_changes_nothing() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "logging": {} })).await;
    let error = json!({ "error": { "code": -32602, "message": "Invalid log level" } });
    let (_, ended) = stage.exchange(&mut peer, "logging/setLevel", json!({ "level": "error" }), error).await;
    assert_eq!(ended.status, CallStatus::ProtocolError);
    peer.notify("notifications/message", json!({ "level": "debug", "data": 1 })).await;
    assert_eq!(stage.end(peer).await.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn a_tool_that_fails_is_told_apart_from_a_request_that_fails() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "tools": {} })).await;
    for (reply, status, row) in [
        (
            json!({ "result": { "content": [{ "type": "text", "text": "bad input" }], "isError": true } }),
            CallStatus::ToolError,
            "tool-error",
        ),
        (
            json!({ "error": { "code": -32602, "message": "Unknown tool" } }),
            CallStatus::ProtocolError,
            "protocol-error",
        ),
        (json!({ "result": { "content": [], "isError": false } }), CallStatus::Ok, "ok"),
    ] {
        let begun = stage.begin("tools/call", json!({ "name": "t", "arguments": {} })).await;
        let sent = peer.read().await;
        peer.reply(&sent, reply.clone()).await;
        assert_eq!(ended(begun).await.status, status, "{reply}");
        let log = stage.log(&mut peer).await;
        assert_eq!(log.of("tools/call").last().unwrap()["status"], row, "{reply}");
    }
    stage.close().await;
}
