//! What the demo offers beside tools: resources, templates, prompts, completion, logging, lists that change.

use serde_json::{Value, json};

use crate::peer::Peer;

#[test]
fn resources_are_listed_in_pages() {
    let mut peer = Peer::demo();
    let (mut uris, mut sizes, mut params) = (Vec::new(), Vec::new(), json!({}));
    loop {
        let page = peer.request("resources/list", params)["result"].take();
        let resources = page["resources"].as_array().expect("a list of resources");
        uris.extend(resources.iter().map(|item| item["uri"].clone()));
        sizes.push(resources.len());
        match &page["nextCursor"] {
            Value::Null => break,
            cursor => params = json!({ "cursor": cursor }),
        }
    }
    assert_eq!(sizes, [15, 15, 7], "the last page is the one without a cursor");
    assert_eq!(uris[..4], ["demo://readme", "demo://pixel.png", "demo://clock", "demo://note"]);
    assert!(uris.contains(&json!("demo://chapter/20")), "each chapter is listed");
    assert_eq!(uris[36], "test://watched-resource", "the conformance suite's come last");
    let refused = peer.request("resources/list", json!({ "cursor": "elsewhere" }));
    assert_eq!(refused["error"]["code"], -32602);
}

#[test]
fn resources_are_read_as_text_or_as_a_blob() {
    let mut peer = Peer::demo();
    let mut read = |uri: &str| peer.request("resources/read", json!({ "uri": uri }));
    let readme = read("demo://readme")["result"]["contents"][0].take();
    assert_eq!(readme["mimeType"], "text/markdown");
    assert!(readme["text"].is_string());
    let pixel = read("demo://pixel.png")["result"]["contents"][0].take();
    assert_eq!(pixel["mimeType"], "image/png");
    let blob = pixel["blob"].as_str().expect("a blob is a string");
    assert!(blob.starts_with("iVBORw0KGgo"), "the signature of PNG in base64");
    assert_eq!(read("demo://square/12")["result"]["contents"][0]["text"], "144", "by a template");
    assert_eq!(read("demo://none")["error"]["code"], -32002);
}

#[test]
fn templates_are_listed_and_their_variables_completed() {
    let mut peer = Peer::demo();
    let templates = peer.request("resources/templates/list", json!({}))["result"]["resourceTemplates"].take();
    let uris: Vec<_> = templates.as_array().expect("a list").iter().map(|item| item["uriTemplate"].clone()).collect();
    assert_eq!(uris[..3], ["demo://chapter/{number}", "demo://square/{number}", "demo://greeting/{language}{?name}"]);
    for part in ["{+path}", "{#section}", "{/x,y}", "{?zoom,layer}", "{;rows,columns}", "{word:1}", "{&tag*,limit}"] {
        let is_used = |uri: &Value| uri.as_str().is_some_and(|uri| uri.contains(part));
        assert!(uris.iter().any(is_used), "`{part}` of RFC 6570 is in use");
    }

    let mut complete = |uri: &str, name: &str, value: &str| {
        let reference = json!({ "type": "ref/resource", "uri": uri });
        let params = json!({ "ref": reference, "argument": { "name": name, "value": value } });
        peer.request("completion/complete", params)
    };
    let greeting = "demo://greeting/{language}{?name}";
    let completion = complete(greeting, "language", "G")["result"]["completion"].take();
    assert_eq!(completion, json!({ "values": ["german"], "total": 1, "hasMore": false }));
    let completion = complete("demo://square/{number}", "number", "")["result"]["completion"].take();
    assert_eq!(completion["values"].as_array().map(Vec::len), Some(100), "no answer may have more");
    assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(1000), &json!(true)));
    assert_eq!(complete(greeting, "nothing", "")["error"]["code"], -32602);
}

#[test]
fn the_style_of_a_translation_depends_on_its_language() {
    let mut peer = Peer::demo();
    let mut complete = |name: &str, value: &str, chosen: Value| {
        let params = json!({
            "ref": { "type": "ref/prompt", "name": "translate" },
            "argument": { "name": name, "value": value },
            "context": { "arguments": chosen },
        });
        peer.request("completion/complete", params)["result"]["completion"]["values"].take()
    };
    assert_eq!(complete("language", "ja", json!({})), json!(["Japanese"]));
    assert_eq!(complete("style", "", json!({ "language": "German" })), json!(["du", "Sie"]));
    assert_eq!(complete("style", "", json!({})), json!([]), "there is no language to have a style");
}

#[test]
fn the_clock_tells_its_subscriber_and_falls_silent_afterwards() {
    let mut peer = Peer::demo();
    assert_eq!(peer.request("resources/subscribe", json!({ "uri": "demo://clock" }))["result"], json!({}));
    for _ in 0..2 {
        let update = peer.message();
        assert_eq!(update["method"], "notifications/resources/updated");
        assert_eq!(update["params"], json!({ "uri": "demo://clock" }));
    }
    let id = peer.ask("resources/unsubscribe", json!({ "uri": "demo://clock" }));
    let answer = peer.until_answered(id, |late| assert_eq!(late["method"], "notifications/resources/updated"));
    assert_eq!(answer["result"], json!({}));
    let result = peer.call("slow", json!({ "seconds": 1.5, "steps": 1 }));
    assert_eq!(result["isError"], false, "nothing came between, though the clock ticks every second");
    let refused = peer.request("resources/subscribe", json!({ "uri": "demo://none" }));
    assert_eq!(refused["error"]["code"], -32002);
}

#[test]
fn the_prompt_requires_its_code() {
    let mut peer = Peer::demo();
    let params = json!({ "name": "review", "arguments": { "code": "let x;", "focus": "naming" } });
    let answer = peer.request("prompts/get", params);
    let text = answer["result"]["messages"][0]["content"]["text"].to_string();
    assert!(text.contains("let x;") && text.contains("naming"), "got {text}");
    let refused = peer.request("prompts/get", json!({ "name": "review" }));
    assert_eq!(refused["error"], json!({ "code": -32602, "message": "argument `code` is required" }));
}

#[test]
fn a_prompt_may_hold_more_than_text() {
    let mut peer = Peer::demo();
    let answer = peer.request("prompts/get", json!({ "name": "illustrate" }));
    let messages = answer["result"]["messages"].as_array().expect("messages");
    let kinds: Vec<_> = messages.iter().map(|message| (&message["role"], &message["content"]["type"])).collect();
    let expected = [("user", "text"), ("user", "image"), ("user", "resource"), ("assistant", "text")];
    assert_eq!(kinds.len(), expected.len());
    for ((role, kind), expected) in kinds.into_iter().zip(expected) {
        assert_eq!((role.as_str(), kind.as_str()), (Some(expected.0), Some(expected.1)));
    }
}

#[test]
fn a_result_may_hold_every_kind_of_content() {
    let mut peer = Peer::demo();
    let result = peer.call("show", json!({}));
    let content = result["content"].as_array().expect("content");
    let kinds: Vec<_> = content.iter().map(|block| block["type"].clone()).collect();
    assert_eq!(kinds, ["text", "image", "audio", "resource_link", "resource", "resource"]);
    assert!(content[4]["resource"]["text"].is_string() && content[5]["resource"]["blob"].is_string(), "text and bytes");
    assert_eq!(content[0]["annotations"]["audience"], json!(["user"]));
    assert_eq!(content[2]["mimeType"], "audio/wav");
    assert_eq!(content[3]["uri"], "demo://chapter/7");
    let one = peer.call("show", json!({ "kind": "audio" }));
    assert_eq!(one["content"].as_array().map(Vec::len), Some(1));
    let future = peer.call("show", json!({ "kind": "future" }));
    assert_eq!(future["content"][1]["type"], "hologram", "a type that no revision has");
    assert_eq!(peer.call("show", json!({ "kind": "smell" }))["isError"], true);
}

#[test]
fn only_log_messages_of_the_wanted_levels_are_sent() {
    let mut peer = Peer::demo();
    let logged = |peer: &mut Peer| {
        let id = peer.ask("tools/call", json!({ "name": "log", "arguments": {} }));
        let mut levels = Vec::new();
        peer.until_answered(id, |message| levels.push(message["params"]["level"].clone()));
        levels
    };
    let from_info = ["info", "notice", "warning", "error", "critical", "alert", "emergency"];
    assert_eq!(logged(&mut peer), from_info, "before anyone asks");
    for (level, sent) in [("debug", 8), ("critical", 3), ("emergency", 1)] {
        assert_eq!(peer.request("logging/setLevel", json!({ "level": level }))["result"], json!({}));
        assert_eq!(logged(&mut peer).len(), sent, "from `{level}` on");
    }
}

#[test]
fn lists_grow_and_shrink_and_say_so() {
    let mut peer = Peer::demo();
    let names = |peer: &mut Peer, method: &str, key: &str| {
        let mut answer = peer.request(method, json!({}));
        answer["result"][key].take().as_array().map(Vec::len)
    };
    let before = names(&mut peer, "tools/list", "tools").expect("a list");
    let grow = |peer: &mut Peer| {
        let id = peer.ask("tools/call", json!({ "name": "grow" }));
        let mut told = Vec::new();
        peer.until_answered(id, |message| told.push(message["method"].clone()));
        told
    };
    let all = ["tools", "resources", "prompts"].map(|list| format!("notifications/{list}/list_changed"));
    assert_eq!(grow(&mut peer), all, "each list is named");
    assert_eq!(names(&mut peer, "tools/list", "tools"), Some(before + 1));
    assert_eq!(names(&mut peer, "prompts/list", "prompts"), Some(9));
    assert_eq!(peer.call("bonus", json!({}))["content"][0]["text"], "well found");
    assert_eq!(grow(&mut peer), all, "and again when they shrink");
    assert_eq!(names(&mut peer, "tools/list", "tools"), Some(before));
    let gone = peer.request("tools/call", json!({ "name": "bonus" }));
    assert_eq!(gone["error"]["code"], -32602, "what is not listed is not there");
}
