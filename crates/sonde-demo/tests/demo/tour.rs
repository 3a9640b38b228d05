//! The rooms of the tour: every shape of input, content, resource and prompt, and a list of ten thousand.

use serde_json::{Value, json};

use crate::peer::Peer;

#[test]
fn every_shape_gives_back_what_it_was_given() {
    let mut peer = Peer::demo();
    let tools = peer.request("tools/list", json!({}))["result"]["tools"].take();
    let shapes: Vec<&Value> = tools
        .as_array()
        .expect("a list of tools")
        .iter()
        .filter(|tool| tool["name"].as_str().is_some_and(|name| name.starts_with("shape_")))
        .collect();
    for shape in &shapes {
        assert_eq!(shape["inputSchema"]["type"], "object", "{}", shape["name"]);
        let given = json!({ "anything": [1, null, { "at": "all" }] });
        let result = peer.call(shape["name"].as_str().expect("a name"), given.clone());
        assert_eq!(result["structuredContent"], json!({ "arguments": given }), "{}", shape["name"]);
    }
    let all = json!(shapes.iter().map(|shape| &shape["inputSchema"]).collect::<Vec<_>>()).to_string();
    for keyword in [
        "oneOf",
        "anyOf",
        "allOf",
        "not",
        "if",
        "then",
        "else",
        "$ref",
        "$defs",
        "const",
        "enum",
        "default",
        "examples",
        "format",
        "pattern",
        "prefixItems",
        "uniqueItems",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "dependentRequired",
        "unevaluatedProperties",
        "multipleOf",
        "exclusiveMinimum",
        "deprecated",
        "discriminator",
    ] {
        assert!(all.contains(&format!("\"{keyword}\":")), "`{keyword}` is in one of the schemas");
    }
}

#[test]
fn structured_content_breaks_its_schema_only_when_asked() {
    let mut peer = Peer::demo();
    let sound = peer.call("structure", json!({}))["structuredContent"].take();
    assert_eq!(sound["wind"]["from"], "W");
    let broken = peer.call("structure", json!({ "broken": true }))["structuredContent"].take();
    assert_eq!((&broken["wind"]["from"], broken.get("mood").is_some()), (&json!("up"), true), "{broken}");
}

#[test]
fn resources_are_of_every_kind() {
    let mut peer = Peer::demo();
    let mut read = |uri: &str| {
        let contents = peer.request("resources/read", json!({ "uri": uri }))["result"]["contents"].take();
        contents.as_array().cloned().unwrap_or_else(|| panic!("`{uri}` is read: {contents}"))
    };
    assert_eq!(read("demo://empty").len(), 0, "no contents are contents, too");
    let folder = read("demo://folder");
    let kinds: Vec<_> = folder.iter().map(|content| content["mimeType"].as_str().unwrap_or_default()).collect();
    assert_eq!(kinds, ["application/json", "application/octet-stream", "image/png"]);
    assert!(folder[0]["text"].is_string() && folder[1]["blob"].is_string(), "text and bytes in one answer");
    assert!(read("demo://large.txt")[0]["text"].as_str().is_some_and(|text| text.len() > 1_000_000));
    assert!(read("demo://large.bin")[0]["blob"].as_str().is_some_and(|blob| blob.len() == 1_280_000));
    for uri in ["demo://tone.wav", "demo://drawing.svg", "demo://settings.json", "demo://table.csv", "demo://page.html"]
    {
        assert_eq!(read(uri).len(), 1, "`{uri}` is one");
    }
    assert_eq!(read("demo://city/austria/graz")[0]["text"], "graz is a city in austria.");
    let file = read("demo://file/src/main.rs#top")[0]["text"].take();
    assert!(file.as_str().is_some_and(|text| text.contains("main.rs") && text.contains("top")), "{file}");
}

#[test]
fn the_cities_of_a_template_depend_on_its_country() {
    let mut peer = Peer::demo();
    let mut complete = |chosen: Value| {
        let params = json!({
            "ref": { "type": "ref/resource", "uri": "demo://city/{country}/{city}" },
            "argument": { "name": "city", "value": "" },
            "context": { "arguments": chosen },
        });
        peer.request("completion/complete", params)["result"]["completion"]["values"].take()
    };
    assert_eq!(complete(json!({ "country": "japan" })), json!(["kyoto", "osaka", "tokyo"]));
    assert_eq!(complete(json!({})), json!([]), "there is no country to have cities");
}

#[test]
fn every_variable_and_argument_can_be_completed() {
    let mut peer = Peer::demo();
    let templates = peer.request("resources/templates/list", json!({}))["result"]["resourceTemplates"].take();
    let prompts = peer.request("prompts/list", json!({}))["result"]["prompts"].take();
    let mut asked = Vec::new();
    for template in templates.as_array().expect("templates") {
        let uri = template["uriTemplate"].as_str().expect("a template");
        for expression in uri.split('{').skip(1).filter_map(|rest| rest.split_once('}')) {
            for variable in expression.0.trim_start_matches(['+', '#', '/', ';', '?', '&']).split(',') {
                let name = variable.trim_end_matches('*').split(':').next().unwrap_or_default().to_owned();
                asked.push((json!({ "type": "ref/resource", "uri": uri }), name));
            }
        }
    }
    for prompt in prompts.as_array().expect("prompts") {
        for argument in prompt["arguments"].as_array().into_iter().flatten() {
            let name = argument["name"].as_str().expect("a name").to_owned();
            asked.push((json!({ "type": "ref/prompt", "name": prompt["name"] }), name));
        }
    }
    assert!(asked.len() > 20, "there is something to ask: {}", asked.len());
    for (reference, name) in asked {
        let params = json!({ "ref": reference, "argument": { "name": name, "value": "" } });
        let answer = peer.request("completion/complete", params);
        assert!(answer["result"]["completion"]["values"].is_array(), "`{name}` of {reference}: {answer}");
    }
}

#[test]
fn a_gallery_has_every_kind_of_content() {
    let mut peer = Peer::demo();
    let messages = peer.request("prompts/get", json!({ "name": "gallery" }))["result"]["messages"].take();
    let messages = messages.as_array().expect("messages");
    let kinds: Vec<_> = messages.iter().map(|message| message["content"]["type"].clone()).collect();
    assert_eq!(kinds, ["text", "image", "audio", "resource_link", "resource", "resource"]);
    assert!(messages.iter().any(|message| message["role"] == "assistant"), "both roles speak");
    let params = json!({ "name": "gallery", "arguments": { "kind": "audio" } });
    let one = peer.request("prompts/get", params)["result"]["messages"].take();
    assert_eq!(one.as_array().map(Vec::len), Some(1));
}

#[test]
fn a_note_tells_its_subscribers_and_nobody_else() {
    let mut peer = Peer::demo();
    assert_eq!(
        peer.call("note", json!({ "text": "one" }))["content"][0]["text"],
        "written; nobody has subscribed to it"
    );
    peer.request("resources/subscribe", json!({ "uri": "demo://note" }));
    let id = peer.ask("tools/call", json!({ "name": "note", "arguments": { "text": "two" } }));
    let mut told = Vec::new();
    peer.until_answered(id, |news| told.push((news["method"].clone(), news["params"]["uri"].clone())));
    assert_eq!(told, [(json!("notifications/resources/updated"), json!("demo://note"))]);
    let note = peer.request("resources/read", json!({ "uri": "demo://note" }))["result"]["contents"][0]["text"].take();
    assert_eq!(note, "two");
}

#[test]
fn progress_may_have_no_end_in_sight() {
    let mut peer = Peer::demo();
    let meta = json!({ "progressToken": 7 });
    let id = peer.ask("tools/call", json!({ "name": "wander", "arguments": { "seconds": 0 }, "_meta": meta }));
    let mut walked = Vec::new();
    peer.until_answered(id, |news| {
        assert!(news["params"].get("total").is_none(), "nobody knows: {news}");
        walked.push(news["params"]["progress"].as_f64().expect("a number"));
    });
    assert_eq!(walked.len(), 10);
    assert!(walked.is_sorted_by(|a, b| a < b), "progress grows: {walked:?}");
}

#[test]
fn ten_thousand_tools_are_listed_in_pages_and_each_can_be_called() {
    let mut peer = Peer::start(env!("CARGO_BIN_EXE_sonde-demo"), &["--tools", "10000"]);
    peer.initialize();
    peer.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let (mut names, mut pages, mut params) = (Vec::new(), 0, json!({}));
    loop {
        let page = peer.request("tools/list", params)["result"].take();
        let tools = page["tools"].as_array().expect("a list of tools");
        names.extend(tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()));
        pages += 1;
        match &page["nextCursor"] {
            Value::Null => break,
            cursor => params = json!({ "cursor": cursor }),
        }
    }
    assert_eq!((names.len(), pages), (10_000, 10));
    assert_eq!(names[0], "echo", "its own come first");
    let last = names[9999].clone();
    assert_eq!(peer.call(&last, json!({ "id": "1" }))["isError"], false, "`{last}` answers");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 10_000, "no name is given twice");
    let refused = peer.request("tools/list", json!({ "cursor": "10000" }));
    assert_eq!(refused["error"]["code"], -32602, "a cursor that was never given is refused");
}
