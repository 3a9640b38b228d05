//! Any request, any bytes, and what comes back: through the commands that a window has.

use integration::{Door, Profile};
use serde_json::{Value, json};

/// A server in shell that answers our requests in turn: `initialize`, then one line of `answers` for each.
fn scripted(capabilities: &str, answers: &[&str]) -> String {
    let mut script = String::from("read -r line\n");
    let first = format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"serverInfo":{{"name":"x","version":"1"}}}}}}"#
    );
    script.push_str(&format!("printf '%s\\n' '{first}'\nread -r line\n"));
    for answer in answers {
        script.push_str(&format!("read -r line\nprintf '%s\\n' '{answer}'\n"));
    }
    script.push_str("cat >/dev/null\n");
    script
}

fn request(server: &str, method: &str, params: Option<Value>) -> Value {
    json!({
        "server": server, "method": method, "params": params.map(|params| params.to_string()), "meta": null,
        "timeout_ms": null, "silence_ms": null, "task": null, "anyway": false, "validate": true,
    })
}

async fn send(door: &Door, request: Value) -> Value {
    let call = door.ask("send_request", request).await;
    door.until_ended(&call).await
}

#[expect(clippy::expect_used, reason = "a journey stops at the first thing that is not as it says")]
fn result(call: &Value) -> Value {
    serde_json::from_str(call["result"]["text"].as_str().expect("there is a result")).expect("it is JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn any_request_is_a_call_that_says_what_it_is_about() {
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    let resources = door
        .until("the resources", async || {
            let list = door.ask("list_resources", json!({ "server": "demo" })).await;
            (list["complete"] == true).then_some(list)
        })
        .await;
    let uri = resources["resources"][0]["uri"].as_str().expect("the demo has resources").to_owned();
    let mut asked = request("demo", "resources/read", Some(json!({ "uri": uri })));
    asked["meta"] = json!(r#"{"example.com/trace":"t-1"}"#);
    let call = send(&door, asked).await;
    assert_eq!((&call["status"], &call["target"]), (&json!("ok"), &json!(uri)), "{call}");
    assert_eq!(result(&call)["contents"][0]["uri"], uri, "the answer is kept");
    let read = |row: &Value| row["method"] == "resources/read" && row["status"] == "ok";
    let row = door.until_row("the exchange", json!({ "kind": "exchange" }), read).await;
    let wire = door.frame(&row, 0).await;
    assert_eq!(wire["params"]["_meta"]["example.com/trace"], "t-1", "a person's own `_meta` goes with it");
    let pong = send(&door, request("demo", "ping", None)).await;
    assert_eq!((&pong["status"], &pong["target"], &pong["tool"]), (&json!("ok"), &Value::Null, &json!("")));
    for wrong in ["{", "1 2", ""] {
        let mut broken = request("demo", "ping", None);
        broken["params"] = json!(wrong);
        let error = door.call("send_request", broken).await.unwrap_err();
        assert_eq!(error.code, sonde_app::ErrorCode::InvalidRequest, "`{wrong}` is not JSON: {error}");
    }
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_was_not_agreed_on_is_held_back_and_sent_when_a_person_insists() {
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    door.connect("load").await;
    let error = door.call("send_request", request("load", "prompts/list", None)).await.unwrap_err();
    assert_eq!(error.code, sonde_app::ErrorCode::Objected, "{error}");
    assert!(error.message.contains("`prompts`") && error.message.contains("`load`"), "what is missing, where: {error}");
    assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("anyway")), "and what can be done: {error}");
    let mut anyway = request("load", "prompts/list", None);
    anyway["anyway"] = json!(true);
    let call = send(&door, anyway).await;
    assert_eq!(call["status"], "protocol-error", "the server says what it thinks of it: {call}");
    door.disconnect("load").await;
    let sent = door.rows(json!({ "kind": "exchange" })).await;
    assert_eq!(sent.iter().filter(|row| row["method"] == "prompts/list").count(), 1, "only the second went out");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_checked_while_they_are_written_and_nothing_is_sent() {
    let profile = Profile::default();
    let door = profile.open().await;
    let check = |tool: &str, arguments: &str| json!({ "server": "demo", "tool": tool, "arguments": arguments });
    let before = door.ask("check_arguments", check("add", "{}")).await;
    assert_eq!(before["violations"], json!([]), "nothing is known of the tool yet: {before}");
    assert!(before["note"].as_str().is_some_and(|note| note.contains("not checked")), "and that is said: {before}");
    door.connect("demo").await;
    door.ask("list_tools", json!({ "server": "demo" })).await;
    let found = door.ask("check_arguments", check("add", r#"{"a":"two"}"#)).await;
    let mut places: Vec<_> = found["violations"].as_array().unwrap().iter().map(|each| &each["place"]).collect();
    places.sort_by_key(|place| place.to_string());
    assert_eq!(places, [&json!("/a"), &json!("/b")], "one is no number, one is missing: {found}");
    let fine = door.ask("check_arguments", check("add", r#"{"a":2,"b":3}"#)).await;
    assert_eq!(fine, json!({ "violations": [], "note": null }), "nothing is wrong with them");
    let error = door.call("check_arguments", check("add", "{")).await.unwrap_err();
    assert_eq!(error.code, sonde_app::ErrorCode::InvalidRequest, "half an object is no arguments: {error}");
    door.disconnect("demo").await;
    let sent = door.rows(json!({ "kind": "exchange" })).await;
    assert!(sent.iter().all(|row| row["method"] != "tools/call"), "nothing went out: {sent:?}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_held_against_the_schema_where_a_person_wants_it() {
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    let call = |arguments: &str, validate: bool| json!({ "server": "demo", "tool": "add", "arguments": arguments, "validate": validate });
    let error = door.call("call_tool", call(r#"{"a":"two"}"#, true)).await.unwrap_err();
    assert_eq!(error.code, sonde_app::ErrorCode::InvalidArguments, "{error}");
    let told: Vec<&str> = error.context.iter().map(|fact| fact.name.as_str()).collect();
    assert!(told.contains(&"/a") && told.contains(&"arguments"), "one is no number, one is missing: {error}");
    let begun = door.ask("call_tool", call(r#"{"a":"two"}"#, false)).await;
    assert_ne!(door.until_ended(&begun).await["status"], "ok", "the server hears it when nobody minds");
    let begun = door.ask("call_tool", call(r#"{"a":2,"b":3}"#, true)).await;
    let ended = door.until_ended(&begun).await;
    assert_eq!((&ended["status"], &ended["violations"]), (&json!("ok"), &json!([])), "{ended}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_breaks_its_own_schema_is_shown_with_every_violation() {
    let tools = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}]}}"#;
    let wrong = r#"{"jsonrpc":"2.0","id":3,"result":{"content":[],"structuredContent":{"n":"many"}}}"#;
    let missing = r#"{"jsonrpc":"2.0","id":4,"result":{"content":[]}}"#;
    let failed = r#"{"jsonrpc":"2.0","id":5,"result":{"content":[],"isError":true}}"#;
    let script = scripted(r#"{"tools":{}}"#, &[tools, wrong, missing, failed]);
    let profile = Profile::default().with_script("s", &script);
    let door = profile.open().await;
    door.connect("s").await;
    let call = door.run_tool("s", "t", json!({})).await;
    assert_eq!(call["status"], "ok", "it is an answer all the same");
    assert_eq!(call["violations"][0]["path"], "/n", "where it is wrong: {call}");
    let call = door.run_tool("s", "t", json!({})).await;
    let told = call["violations"][0]["message"].as_str().expect("nothing is not what was promised");
    assert!(told.contains("structuredContent"), "{told}");
    let call = door.run_tool("s", "t", json!({})).await;
    assert_eq!(
        (&call["status"], &call["violations"]),
        (&json!("tool-error"), &json!([])),
        "a failure promises nothing"
    );
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_failed_keeps_the_connection_and_can_be_asked_for_again() {
    let refused = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"not yet"}}"#;
    let tools = r#"{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}"#;
    let profile = Profile::default().with_script("s", &scripted(r#"{"tools":{}}"#, &[refused, tools]));
    let door = profile.open().await;
    let server = door.connect("s").await;
    assert_eq!(server["state"], "ready", "a list is not the connection");
    let list = door.ask("list_tools", json!({ "server": "s" })).await;
    assert!(list["problem"].as_str().is_some_and(|problem| problem.contains("not yet")), "{list}");
    door.ask("refresh_catalog", json!({ "server": "s", "catalog": "tools" })).await;
    let list = door.ask("list_tools", json!({ "server": "s" })).await;
    assert_eq!((&list["problem"], &list["tools"][0]["name"]), (&Value::Null, &json!("t")), "{list}");
    for (command, key) in
        [("list_resources", "resources"), ("list_templates", "templates"), ("list_prompts", "prompts")]
    {
        let list = door.ask(command, json!({ "server": "s" })).await;
        let empty = json!({ key: [], "complete": true, "problem": null });
        assert_eq!(list, empty, "what a server does not offer is not asked for, and no problem");
    }
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_go_out_as_they_are_and_their_answers_are_found() {
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    door.connect("load").await;
    let text = "not JSON\n{\"jsonrpc\":\"2.0\",\"id\":\"mine\",\"method\":\"ping\"}\n";
    let sent = door.ask("send_bytes", json!({ "server": "load", "text": text, "base64": null })).await;
    let calls = sent["calls"].as_array().expect("a list of calls");
    assert_eq!(calls.len(), 1, "one of the lines is a request: {sent}");
    assert_eq!((&calls[0]["request_id"], &calls[0]["method"]), (&json!(r#""mine""#), &json!("ping")));
    let ended = door.until_ended(&calls[0]).await;
    assert_eq!(ended["status"], "ok", "{ended}");
    let view = json!({ "connection": sent["connection"], "after": sent["after"] });
    let answered = |row: &Value| row["id"] == r#""mine""# && row["status"] == "ok";
    door.until_row("the exchange", view.clone(), answered).await;
    let rows = door.rows(view).await;
    let noise = rows.iter().find(|row| row["kind"] == "unparsable" && row["dir"] == "out").expect("our own noise");
    assert_eq!(door.row(noise).await["frames"][0]["text"], "not JSON", "what we sent is recorded, too");
    assert!(rows.iter().all(|row| row["method"] != "initialize"), "and nothing from before");
    for wrong in [json!({ "text": null, "base64": null }), json!({ "text": "x", "base64": "eA==" })] {
        let request = json!({ "server": "load", "text": wrong["text"], "base64": wrong["base64"] });
        let error = door.call("send_bytes", request).await.unwrap_err();
        assert_eq!(error.code, sonde_app::ErrorCode::InvalidRequest, "one or the other: {error}");
    }
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_templates_and_prompts_can_be_looked_at() {
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    for (list, key, describe) in [
        ("list_resources", "resources", "describe_resource"),
        ("list_templates", "templates", "describe_template"),
        ("list_prompts", "prompts", "describe_prompt"),
    ] {
        let entries = door
            .until(key, async || {
                let found = door.ask(list, json!({ "server": "demo" })).await;
                (found["complete"] == true).then_some(found)
            })
            .await;
        assert_eq!(entries["problem"], Value::Null, "{entries}");
        let first = &entries[key][0];
        assert!(first["name"].is_string(), "the demo has some {key}: {entries}");
        let detail = door.ask(describe, json!({ "server": "demo", "index": 0 })).await;
        assert_eq!(&detail["summary"], first, "the same entry, whole");
        assert!(detail["definition"].as_str().is_some_and(|text| text.starts_with('{')), "as it was sent");
        let error = door.call(describe, json!({ "server": "demo", "index": 9999 })).await.unwrap_err();
        assert_eq!(error.code, sonde_app::ErrorCode::UnknownEntry, "{error}");
    }
    let expanded = json!({ "template": "file:///{path}{?q}", "values": { "path": "a b", "q": "1" } });
    assert_eq!(door.ask("expand_template", expanded).await["uri"], "file:///a%20b?q=1");
    let error = door.call("expand_template", json!({ "template": "{", "values": {} })).await.unwrap_err();
    assert_eq!(error.code, sonde_app::ErrorCode::InvalidRequest, "{error}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_one_kind_only_the_newest_calls_are_kept() {
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    door.connect("load").await;
    let first = door.run_tool("load", "echo", json!({ "text": "first" })).await;
    let other = send(&door, request("load", "ping", None)).await;
    for number in 0..250 {
        door.run_tool("load", "echo", json!({ "text": number.to_string() })).await;
    }
    let list = door.ask("list_calls", json!({ "server": "load", "method": "tools/call", "target": "echo" })).await;
    let listed = list["calls"].as_array().expect("a list of calls");
    assert_eq!(listed.len(), 20, "a handful of them");
    assert!(listed[0]["arguments"].as_str().is_some_and(|text| text.contains("249")), "newest first: {}", listed[0]);
    let gone = door.call("read_call", json!({ "call": first["id"] })).await.unwrap_err();
    assert_eq!(gone.code, sonde_app::ErrorCode::UnknownCall, "{gone}");
    door.ask("read_call", json!({ "call": other["id"] })).await;
    door.close().await;
}
