//! What the demo asks its client: forms, pages, a model, roots.

use serde_json::{Value, json};

use crate::peer::Peer;

#[test]
fn nothing_is_asked_that_the_client_did_not_offer() {
    let mut peer = Peer::demo();
    for (tool, arguments, capability) in [
        ("ask", json!({}), "elicitation"),
        ("open", json!({}), "elicitation.url"),
        ("sample", json!({ "prompt": "why?" }), "sampling"),
        ("consult", json!({}), "sampling.tools"),
        ("test_sampling", json!({ "prompt": "why?" }), "sampling"),
        ("test_elicitation", json!({ "message": "who?" }), "elicitation"),
        ("roots", json!({}), "roots"),
        ("report", json!({ "topic": "tea", "ask": true, "seconds": 0 }), "elicitation"),
    ] {
        let result = peer.call(tool, arguments);
        assert_eq!(result["isError"], true, "`{tool}` explains itself");
        let text = result["content"][0]["text"].as_str().expect("a sentence");
        assert!(text.contains(&format!("`{capability}`")), "it names what is missing: {text}");
    }
}

#[test]
fn a_form_has_every_kind_of_field_and_its_answer_becomes_the_result() {
    let mut peer = Peer::demo_for("2025-11-25", json!({ "elicitation": { "form": {} } }));
    let id = call(&mut peer, "ask", json!({ "message": "who is there?" }));
    let question = peer.message();
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "who is there?");
    let fields = question["params"]["requestedSchema"]["properties"].as_object().expect("fields");
    for kind in ["string", "integer", "number", "boolean", "array"] {
        assert!(fields.values().any(|field| field["type"] == kind), "no field is of type `{kind}`");
    }
    for format in ["email", "uri", "date", "date-time"] {
        assert!(fields.values().any(|field| field["format"] == format), "no field has the format `{format}`");
    }
    for shape in ["/enum", "/enumNames", "/oneOf", "/items/enum", "/items/anyOf"] {
        assert!(fields.values().any(|field| field.pointer(shape).is_some()), "no choice has the shape `{shape}`");
    }
    peer.answer(&question, json!({ "action": "accept", "content": { "name": "Ada" } }));
    let result = peer.until_answered(id, |_| {})["result"].take();
    assert_eq!(result["structuredContent"], json!({ "action": "accept", "content": { "name": "Ada" } }));
}

#[test]
fn an_older_revision_gets_no_newer_fields() {
    let mut peer = Peer::demo_for("2025-06-18", json!({ "elicitation": {} }));
    let id = call(&mut peer, "ask", json!({}));
    let question = peer.message();
    let fields = question["params"]["requestedSchema"]["properties"].as_object().expect("fields");
    let is_new = |field: &Value| field["type"] == "array" || field.get("oneOf").is_some();
    assert!(!fields.values().any(is_new), "2025-06-18 knows neither: {fields:?}");
    peer.answer(&question, json!({ "action": "decline" }));
    let result = peer.until_answered(id, |_| {})["result"].take();
    assert_eq!(result["content"][0]["text"], "the person chose `decline`");
}

#[test]
fn a_page_is_asked_for_by_a_request_and_reported_complete() {
    let mut peer = Peer::demo_for("2025-11-25", json!({ "elicitation": { "url": {} } }));
    let id = call(&mut peer, "open", json!({}));
    let question = peer.message();
    assert_eq!(question["params"]["mode"], "url");
    peer.answer(&question, json!({ "action": "accept" }));
    let mut complete = Value::Null;
    let answer = peer.until_answered(id, |message| complete = message);
    assert_eq!(complete["method"], "notifications/elicitation/complete");
    assert_eq!(complete["params"]["elicitationId"], question["params"]["elicitationId"]);
    assert_eq!(answer["result"]["content"][0]["text"], "the person chose `accept`");
    assert_eq!(peer.call("ask", json!({}))["isError"], true, "this client shows no forms");
}

#[test]
fn a_page_is_asked_for_by_an_error_once() {
    let mut peer = Peer::demo_for("2025-11-25", json!({ "elicitation": { "url": {} } }));
    let params = json!({ "name": "open", "arguments": { "how": "error" } });
    let error = peer.request("tools/call", params)["error"].take();
    assert_eq!(error["code"], -32042);
    let page = &error["data"]["elicitations"][0];
    assert_eq!(page["mode"], "url");
    let complete = peer.message();
    assert_eq!(complete["params"]["elicitationId"], page["elicitationId"], "the page tells when it is done");
    assert_eq!(peer.call("open", json!({ "how": "error" }))["isError"], false, "the second try works");
}

#[test]
fn a_model_is_asked_and_quoted() {
    let mut peer = Peer::demo_for("2025-11-25", json!({ "sampling": {} }));
    let id = call(&mut peer, "sample", json!({ "prompt": "why?", "max_tokens": 7 }));
    let question = peer.message();
    assert_eq!(question["method"], "sampling/createMessage");
    assert_eq!(question["params"]["messages"][0]["content"]["text"], "why?");
    assert_eq!(question["params"]["maxTokens"], 7);
    let content = json!({ "type": "text", "text": "because" });
    peer.answer(&question, json!({ "role": "assistant", "content": content, "model": "m-1" }));
    let result = peer.until_answered(id, |_| {})["result"].take();
    assert_eq!(result["content"][0]["text"], "m-1 said: because");
}

#[test]
fn a_model_that_wants_a_tool_gets_its_result_and_is_asked_again() {
    let mut peer = Peer::demo_for("2025-11-25", json!({ "sampling": { "tools": {} } }));
    let id = call(&mut peer, "consult", json!({ "question": "warm?", "choice": "required" }));
    let first = peer.message();
    assert_eq!(first["params"]["toolChoice"], json!({ "mode": "required" }));
    assert_eq!(first["params"]["tools"][0]["name"], "thermometer");
    let uses = json!([
        { "type": "tool_use", "id": "a", "name": "thermometer", "input": { "city": "Graz" } },
        { "type": "tool_use", "id": "b", "name": "barometer", "input": {} },
    ]);
    peer.answer(&first, json!({ "role": "assistant", "content": uses, "model": "m-1", "stopReason": "toolUse" }));
    let second = peer.message();
    let messages = second["params"]["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 3, "the question, what the model wanted, what it got");
    assert_eq!(messages[1], json!({ "role": "assistant", "content": uses }));
    let results = messages[2]["content"].as_array().expect("a result for each use");
    let ended: Vec<_> = results.iter().map(|result| (result["toolUseId"].clone(), result["isError"].clone())).collect();
    assert_eq!(ended, [(json!("a"), json!(false)), (json!("b"), json!(true))]);
    assert_eq!(results[0]["content"][0]["text"], "21 degrees in Graz");
    assert_eq!(second["params"]["toolChoice"], json!({ "mode": "auto" }), "it has done what it must");
    let content = json!({ "type": "text", "text": "yes" });
    peer.answer(&second, json!({ "role": "assistant", "content": content, "model": "m-1", "stopReason": "endTurn" }));
    let result = peer.until_answered(id, |_| {})["result"].take();
    assert_eq!(result["content"][0]["text"], "m-1 said in round 2: yes");
}

#[test]
fn roots_are_asked_for_and_listed() {
    let mut peer = Peer::demo_for("2025-11-25", json!({ "roots": {} }));
    let id = call(&mut peer, "roots", json!({}));
    let question = peer.message();
    assert_eq!(question["method"], "roots/list");
    let roots = json!({ "roots": [{ "uri": "file:///home/ada", "name": "ada" }] });
    peer.answer(&question, roots.clone());
    assert_eq!(peer.until_answered(id, |_| {})["result"]["structuredContent"], roots);
}

#[test]
fn a_question_whose_call_is_cancelled_is_withdrawn() {
    let mut peer = Peer::demo_for("2025-11-25", json!({ "sampling": {} }));
    let id = call(&mut peer, "sample", json!({ "prompt": "why?" }));
    let question = peer.message();
    peer.cancel(id);
    let withdrawn = peer.message();
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
}

fn call(peer: &mut Peer, tool: &str, arguments: Value) -> u64 {
    peer.ask("tools/call", json!({ "name": tool, "arguments": arguments }))
}
