//! How a server is spoken to: what its configuration says, what a person edits, and what a person answers.

use integration::{Door, Profile, binary};
use serde_json::{Value, json};
use sonde_app::{ErrorCode, TypedCommand};

async fn edit(door: &Door, server: &str, edit: Value) -> Value {
    door.ask("edit_posture", json!({ "server": server, "edit": edit })).await
}

/// The params of the newest `initialize`, once its answer is recorded.
async fn initialized(door: &Door, server: &str) -> Value {
    let row = door
        .until("initialize in the log", async || {
            let rows = door.rows(json!({ "server": server, "kind": "exchange" })).await;
            let newest = rows.into_iter().rev().find(|row| row["method"] == "initialize")?;
            (newest["status"] == "ok").then_some(newest)
        })
        .await;
    door.frame(&row, 0).await["params"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_edits_is_what_the_server_hears_and_outlives_the_app() {
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    assert_eq!(initialized(&door, "demo").await["clientInfo"]["name"], "sonde", "before anybody edits");
    door.disconnect("demo").await;
    let edited = edit(
        &door,
        "demo",
        json!({ "client_info": r#"{"name":"other","version":"9"}"#, "capabilities": r#"{"experimental":{"x":{}}}"#,
            "protocol": "2025-03-26", "timeout_ms": 5000 }),
    )
    .await;
    assert_eq!((&edited["protocol"], &edited["timeout_ms"]), (&json!("2025-03-26"), &json!(5000)), "{edited}");
    door.close().await;

    let door = profile.open().await;
    let server = door.connect("demo").await;
    assert_eq!(server["revision"], "2025-03-26", "the pinned one");
    let pinned = |row: &Value| row["target"] == "2025-03-26";
    door.until_row("the second initialize", json!({ "kind": "exchange" }), pinned).await;
    let params = initialized(&door, "demo").await;
    assert_eq!(params["clientInfo"], json!({ "name": "other", "version": "9" }));
    assert_eq!(params["capabilities"], json!({ "experimental": { "x": {} } }));
    let detail = door.ask("describe_server", json!({ "server": "demo" })).await;
    assert_eq!(detail["client_capabilities"], r#"{"experimental":{"x":{}}}"#, "and it is shown");
    door.disconnect("demo").await;
    let back = edit(&door, "demo", json!({})).await;
    assert_eq!((&back["protocol"], &back["edited"]["protocol"]), (&json!("auto"), &Value::Null), "an edit can go");
    for wrong in [json!({ "protocol": "1999-01-01" }), json!({ "client_info": "[]" }), json!({ "timeout_ms": 0 })] {
        let request = json!({ "server": "demo", "edit": wrong });
        let error = door.call("edit_posture", request).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidRequest, "{wrong}: {error}");
    }
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_negotiation_nothing_is_sent_that_nobody_asked_for() {
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    edit(&door, "load", json!({ "negotiate": false, "protocol": "2025-06-18" })).await;
    let server = door.connect("load").await;
    assert_eq!((&server["revision"], &server["latency_ms"]), (&json!("2025-06-18"), &Value::Null), "it is assumed");
    let list = door.ask("list_tools", json!({ "server": "load" })).await;
    assert!(list["problem"].as_str().is_some_and(|problem| problem.contains("without negotiation")), "{list}");
    door.ask("refresh_catalog", json!({ "server": "load", "catalog": "tools" })).await;
    let list = door.ask("list_tools", json!({ "server": "load" })).await;
    assert_eq!(list["problem"], Value::Null, "whoever asks gets it: {list}");
    door.disconnect("load").await;
    let methods: Vec<Value> =
        door.rows(json!({ "kind": "exchange" })).await.iter().map(|row| row["method"].clone()).collect();
    assert_eq!(methods, ["tools/list"], "nothing else went out");
    assert!(door.rows(json!({ "kind": "notification" })).await.is_empty(), "no `initialized` either");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn roots_that_change_are_told_at_once() {
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    let call = door.run_tool("demo", "roots", json!({})).await;
    let project = profile.project().display().to_string();
    assert!(
        !call["result"]["text"].as_str().unwrap().contains("file://"),
        "no folder before a person named one: {call}"
    );
    edit(&door, "demo", json!({ "roots": ["sub folder", "/"] })).await;
    let told = |row: &Value| row["method"] == "notifications/roots/list_changed";
    let row = door.until_row("the news", json!({}), told).await;
    assert_eq!(row["dir"], "out");
    let call = door.run_tool("demo", "roots", json!({})).await;
    let result: Value = serde_json::from_str(call["result"]["text"].as_str().unwrap()).unwrap();
    let uris =
        json!([{ "uri": format!("file://{project}/sub%20folder"), "name": "sub folder" }, { "uri": "file:///" }]);
    assert_eq!(result["structuredContent"]["roots"], uris, "the new ones, as addresses");
    let questions = door.ask("list_questions", json!({})).await;
    assert_eq!(questions["questions"], json!([]), "nobody was asked about them");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_waits_until_somebody_answers_it() {
    let profile = Profile::default();
    let door = profile.open().await;
    edit(&door, "demo", json!({ "capabilities": r#"{"elicitation":{},"sampling":{}}"# })).await;
    door.connect("demo").await;
    // While a list is still asked for, nobody can say for which request a question is.
    door.until("every list", async || {
        let server = door.server("demo").await;
        let counts = ["tool_count", "resource_count", "template_count", "prompt_count"];
        counts.iter().all(|count| server[*count].is_u64()).then_some(())
    })
    .await;
    let call = door.start_call("demo", "ask", json!({ "message": "who?" })).await;
    let question = async |method: &str| {
        door.until("a question", async || {
            let list = door.ask("list_questions", json!({})).await;
            list["questions"].as_array().unwrap().iter().find(|each| each["method"] == method).cloned()
        })
        .await
    };
    let asked = question("elicitation/create").await;
    assert_eq!((&asked["server"], &asked["call"]), (&json!("demo"), &call["id"]), "whose it is: {asked}");
    assert!(asked["params"].as_str().unwrap().contains("who?"), "{asked}");
    let answer =
        |number: &Value, result: Value| json!({ "number": number, "result": result.to_string(), "error": null });
    let accept = json!({ "action": "accept", "content": { "name": "Ada" } });
    door.ask("answer_question", answer(&asked["number"], accept.clone())).await;
    let ended = door.until_ended(&call).await;
    assert!(ended["result"]["text"].as_str().unwrap().contains("Ada"), "the server has it: {ended}");
    let again = door.call("answer_question", answer(&asked["number"], accept)).await.unwrap_err();
    assert_eq!(again.code, ErrorCode::UnknownQuestion, "a question is answered once: {again}");

    let call = door.start_call("demo", "sample", json!({ "prompt": "why?" })).await;
    let asked = question("sampling/createMessage").await;
    let refusal = json!({ "number": asked["number"], "result": null,
        "error": { "code": -1, "message": "not today", "data": null } });
    door.ask("answer_question", refusal).await;
    assert_eq!(door.until_ended(&call).await["status"], "tool-error", "a refusal is an answer");

    door.start_call("demo", "ask", json!({})).await;
    question("elicitation/create").await;
    door.disconnect("demo").await;
    let list = door.ask("list_questions", json!({})).await;
    assert_eq!(list["questions"], json!([]), "a question ends with its connection");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typed_command_is_a_server_and_a_plain_name_is_enough() {
    let profile = Profile::default().with_server("my server", binary("sonde-load").to_str().unwrap(), &[]);
    let folder = Some(profile.project());
    let command = vec![binary("sonde-load").to_str().unwrap().to_owned(), "--tools".to_owned(), "7".to_owned()];
    let door = profile
        .open_with(|setup| setup.typed = Some(TypedCommand { command, folder, ..Default::default() }.into()))
        .await;
    let typed = door.app.typed().expect("the typed one has an id");
    assert_eq!(typed, "sonde-load", "after its program");
    door.app.connect(&typed).await.expect("typing it was its approval");
    door.app.until_ready(&typed).await.expect("it is a good server");
    assert_eq!(door.server(&typed).await["origin"], json!({ "layer": "typed", "file": null }));
    door.app.disconnect(&typed).await.expect("it can be ended");
    assert_eq!(door.server(&typed).await["state"], "stopped", "which was waited for");
    assert!(profile.processes().is_empty(), "nothing of it is left: {:?}", profile.processes());

    let refused = door.call("connect_server", json!({ "server": "my server" })).await.unwrap_err();
    assert_eq!(
        refused.code,
        ErrorCode::ApprovalNeeded,
        "the name is understood, and nobody has approved it: {refused}"
    );
    door.approve("my server");
    door.ask("connect_server", json!({ "server": "my server" })).await;
    door.until_server("my%20server", &["ready"]).await;
    let error = door.call("connect_server", json!({ "server": "your server" })).await.unwrap_err();
    assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("my%20server")), "who there is: {error}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revision_that_nobody_speaks_is_told_before_and_when_connecting() {
    let profile = Profile::default();
    let command = binary("sonde-load");
    let entry = json!({ "command": command, "sonde": { "protocol": "1999-01-01", "colour": "red" } });
    let text = json!({ "mcpServers": { "old": entry } }).to_string();
    std::fs::write(profile.project().join(".mcp.json"), text).unwrap();
    let door = profile.open().await;
    let list = door.ask("list_servers", json!({})).await;
    let problems: Vec<&str> =
        list["problems"].as_array().unwrap().iter().filter_map(|each| each["error"]["message"].as_str()).collect();
    assert!(problems.iter().any(|told| told.contains("`old`") && told.contains("1999-01-01")), "{problems:?}");
    assert!(problems.iter().any(|told| told.contains("`sonde.colour`")), "a word that means nothing: {problems:?}");
    let error = door.call("connect_server", json!({ "server": "old" })).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Configuration, "{error}");
    assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("2025-11-25")), "which there are: {error}");
    door.close().await;
}
