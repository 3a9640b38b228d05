//! What a server asks: sampling, elicitation, roots; answered, refused, withdrawn.

use integration::{LIMIT, Peer, Stage, WIRE, ask, ended, raw, result, within};
use serde_json::{Value, json};
use sonde_app::{Ask, CallStatus, ErrorCode, Event, Profile, Reply};

use super::LATEST;

fn sampling() -> Value {
    json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "why?" } }], "maxTokens": 100 })
}

fn form() -> Value {
    json!({ "message": "Who are you?", "requestedSchema": { "type": "object", "properties": {
        "name": { "type": "string", "minLength": 1 }, "age": { "type": "integer" } }, "required": ["name"] } })
}

fn url() -> Value {
    json!({ "mode": "url", "message": "Sign in", "url": "https://example.com/x?y=1", "elicitationId": "e-1" })
}

async fn ready(stage: &Stage) -> Peer {
    stage.ready(LATEST, json!({ "tools": {} })).await
}

async fn answer(stage: &Stage, number: u64, value: &Value) {
    stage.door.app.answer(number, Reply::Result(raw(value))).await.unwrap_or_else(|error| panic!("{error}"));
}

#[tokio::test]
async fn a_question_waits_shows_all_it_was_asked_and_carries_back_all_it_was_answered() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let asked = json!({ "messages": [{ "role": "user", "content": [{ "type": "text", "text": "t" }, { "type": "audio", "data": "AA==", "mimeType": "audio/x" }] }],
        "modelPreferences": { "hints": [{ "name": "claude" }], "costPriority": 0.5 }, "systemPrompt": "s", "includeContext": "thisServer",
        "temperature": 0.1, "maxTokens": 5, "stopSequences": ["x"], "metadata": { "any": [1] },
        "tools": [{ "name": "n", "inputSchema": { "type": "object" } }], "toolChoice": { "mode": "auto" }, "unheard": "of" });
    let answered = json!({ "role": "assistant", "model": "m", "stopReason": "toolUse", "unheard": 1,
        "content": [{ "type": "text", "text": "t" }, { "type": "tool_use", "id": "u", "name": "n", "input": {} }] });
    let id = peer.ask("sampling/createMessage", asked.clone()).await;
    let question = stage.question(1).await;
    assert_eq!((question.method.as_str(), question.server.as_str()), ("sampling/createMessage", WIRE));
    assert_eq!(serde_json::from_str::<Value>(question.params.as_deref().unwrap()).unwrap(), asked);
    assert_eq!(stage.log(&mut peer).await.one("sampling/createMessage")["status"], "pending", "the log knows it waits");
    answer(&stage, question.number, &answered).await;
    assert_eq!(peer.read().await, json!({ "jsonrpc": "2.0", "id": id, "result": answered }));
    stage.until_questions(0).await;
    let log = stage.end(peer).await;
    let row = log.one("sampling/createMessage");
    assert_eq!((&row["dir"], &row["status"]), (&json!("in"), &json!("ok")));
    assert_eq!(log.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn a_person_who_refuses_sampling_answers_with_the_error_of_the_protocol() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let id = peer.ask("sampling/createMessage", sampling()).await;
    let question = stage.question(1).await;
    let data = Some(raw(&json!({ "why": "not today" })));
    let refusal = Reply::Error { code: -1, message: "User rejected sampling request".to_owned(), data };
    stage.door.app.answer(question.number, refusal).await.unwrap();
    let error = json!({ "code": -1, "message": "User rejected sampling request", "data": { "why": "not today" } });
    assert_eq!(peer.read().await, json!({ "jsonrpc": "2.0", "id": id, "error": error }));
    let log = stage.end(peer).await;
    assert_eq!((&log.one("sampling/createMessage")["code"], log.findings()), (&json!(-1), Vec::new()));
    stage.close().await;
}

#[tokio::test]
async fn each_way_to_answer_a_form_goes_out_as_it_is() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    for mode in [None, Some("form")] {
        for reply in [
            json!({ "action": "accept", "content": { "name": "Ada", "age": 36.5, "many": ["a", "b"] } }),
            json!({ "action": "decline" }),
            json!({ "action": "cancel" }),
        ] {
            let mut params = form();
            if let Some(mode) = mode {
                params["mode"] = json!(mode);
            }
            let id = peer.ask("elicitation/create", params).await;
            let question = stage.question(1).await;
            answer(&stage, question.number, &reply).await;
            assert_eq!(peer.read().await, json!({ "jsonrpc": "2.0", "id": id, "result": reply }));
            stage.until_questions(0).await;
        }
    }
    assert_eq!(stage.end(peer).await.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn a_page_to_visit_is_consented_to_and_its_completion_is_told() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let mut events = stage.door.app.events(WIRE).unwrap();
    let id = peer.ask("elicitation/create", url()).await;
    let question = stage.question(1).await;
    assert!(question.params.unwrap().contains("https://example.com/x?y=1"), "the whole address is there to be seen");
    answer(&stage, question.number, &json!({ "action": "accept" })).await;
    assert_eq!(peer.read().await, json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "accept" } }));
    peer.notify("notifications/elicitation/complete", json!({ "elicitationId": "e-1" })).await;
    let completed = async {
        loop {
            if let Event::ElicitationComplete { id } = events.recv().await.unwrap() {
                return id;
            }
        }
    };
    assert_eq!(within(LIMIT, "the completion", completed).await, "e-1");
    assert_eq!(stage.end(peer).await.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn a_completion_of_a_page_that_nobody_knows_disturbs_nobody() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    for params in [json!({ "elicitationId": "never" }), json!({ "elicitationId": 7 }), json!({})] {
        peer.notify("notifications/elicitation/complete", params).await;
    }
    peer.ask("elicitation/create", form()).await;
    stage.until_questions(1).await;
    assert_eq!(stage.log(&mut peer).await.of("notifications/elicitation/complete").len(), 3, "all are kept");
    stage.close().await;
}

#[tokio::test]
async fn pages_that_a_request_needs_are_shown_and_the_request_can_be_repeated() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let data = json!({ "elicitations": [url(), { "mode": "url", "url": "https://b.example/", "elicitationId": "e-2", "message": "" }] });
    let error = json!({ "code": -32042, "message": "visit first", "data": data });
    let (first, ended) =
        stage.exchange(&mut peer, "tools/call", json!({ "name": "t" }), json!({ "error": error })).await;
    let told = ended.error.expect("it is explained");
    let pages: Vec<_> =
        told.context.iter().filter(|fact| fact.name == "visit").map(|fact| fact.value.as_str()).collect();
    assert_eq!(pages, ["https://example.com/x?y=1 · Sign in", "https://b.example/"]);
    peer.notify("notifications/elicitation/complete", json!({ "elicitationId": "e-1" })).await;
    let reply = json!({ "result": { "content": [] } });
    let (second, ended) = stage.exchange(&mut peer, "tools/call", json!({ "name": "t" }), reply).await;
    assert_eq!(ended.status, CallStatus::Ok);
    assert_ne!(second["id"], first["id"], "it is a new request");
    let log = stage.end(peer).await;
    assert_eq!((&log.of("tools/call")[0]["code"], log.findings()), (&json!(-32042), Vec::new()));
    stage.close().await;
}

#[tokio::test]
async fn what_was_not_declared_is_refused_by_us_and_no_person_sees_it() {
    let stage = Stage::declaring(json!({})).await;
    let mut peer = ready(&stage).await;
    let requests = [
        ("sampling/createMessage", sampling()),
        ("elicitation/create", form()),
        ("roots/list", Value::Null),
        ("tasks/list", Value::Null),
        ("tasks/get", json!({ "taskId": "t" })),
    ];
    for (method, params) in requests.clone() {
        let answer = peer.asked(method, params).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
    assert!(stage.door.app.questions().is_empty(), "nobody is asked");
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), requests.map(|(method, _)| format!("{method} undeclared")), "the server had no right");
    stage.close().await;
}

#[tokio::test]
async fn a_mode_or_tools_that_were_not_declared_are_wrong_parameters() {
    let with_tools = || {
        let mut params = sampling();
        params["tools"] = json!([]);
        params
    };
    for (declared, method, params) in [
        (json!({ "elicitation": {} }), "elicitation/create", url()),
        (json!({ "elicitation": { "form": {} } }), "elicitation/create", url()),
        (json!({ "elicitation": { "url": {} } }), "elicitation/create", form()),
        (json!({ "sampling": {} }), "sampling/createMessage", with_tools()),
    ] {
        let stage = Stage::declaring(declared.clone()).await;
        let mut peer = ready(&stage).await;
        let answer = peer.asked(method, params).await;
        assert_eq!(answer["error"]["code"], -32602, "{declared}: {answer}");
        let log = stage.end(peer).await;
        assert_eq!(log.findings(), [format!("{method} undeclared")], "{declared}");
        stage.close().await;
    }
}

#[tokio::test]
async fn results_of_tools_that_do_not_fit_their_uses_are_refused() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let used = json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "n", "input": {} }] });
    let text = json!({ "type": "text", "text": "t" });
    let result = json!({ "type": "tool_result", "toolUseId": "a", "content": [] });
    for (messages, words) in [
        (json!([used, { "role": "user", "content": [result, text] }]), "mixed"),
        (json!([used, { "role": "user", "content": text }]), "missing"),
        (json!([{ "role": "user", "content": result }]), "without a tool use"),
    ] {
        let params = json!({ "messages": messages, "maxTokens": 1, "tools": [] });
        let answer = peer.asked("sampling/createMessage", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{answer}");
    }
    let params = json!({ "messages": [used, { "role": "user", "content": [result] }], "maxTokens": 1, "tools": [] });
    peer.ask("sampling/createMessage", params).await;
    stage.until_questions(1).await;
    stage.close().await;
}

#[tokio::test]
async fn an_older_revision_has_no_elicitation_whatever_we_declare() {
    let stage = Stage::open().await;
    for (revision, code, finding) in [
        ("2024-11-05", -32601, "elicitation/create not-in-revision"),
        ("2025-03-26", -32601, "elicitation/create not-in-revision"),
    ] {
        let mut peer = stage.ready(revision, json!({})).await;
        let answer = peer.asked("elicitation/create", form()).await;
        assert_eq!(answer["error"]["code"], code, "{revision}: {answer}");
        let log = stage.end(peer).await;
        assert!(log.findings().contains(&finding.to_owned()), "{revision}: {:?}", log.findings());
    }
    let mut peer = stage.ready("2025-06-18", json!({})).await;
    let answer = peer.asked("elicitation/create", url()).await;
    assert_eq!(answer["error"]["code"], -32602, "forms are all that revision has: {answer}");
    stage.close().await;
}

#[tokio::test]
async fn a_question_that_the_server_withdraws_is_gone_without_an_answer() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let withdrawn = peer.ask("elicitation/create", form()).await;
    let stays = peer.ask("sampling/createMessage", sampling()).await;
    let questions = stage.until_questions(2).await;
    peer.notify("notifications/cancelled", json!({ "requestId": withdrawn, "reason": "too slow" })).await;
    stage.until_questions(1).await;
    let late = stage.door.app.answer(questions[0].number, Reply::Result(raw(&json!({ "action": "cancel" })))).await;
    assert_eq!(late.unwrap_err().code, ErrorCode::UnknownQuestion);
    let reply = json!({ "role": "assistant", "content": { "type": "text", "text": "t" }, "model": "m" });
    answer(&stage, questions[1].number, &reply).await;
    assert_eq!(peer.read().await["id"], stays, "the first thing we say is the other's answer");
    let log = stage.end(peer).await;
    assert_eq!(log.one("elicitation/create")["status"], "cancelled");
    assert_eq!(log.findings(), Vec::<String>::new(), "both sides did as they may");
    stage.close().await;
}

#[tokio::test]
async fn a_question_knows_the_call_that_it_belongs_to() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let begun = stage.send(Ask { validate: false, ..ask("tools/call", json!({ "name": "t" })) }).await;
    let sent = peer.read().await;
    let id = peer.ask("elicitation/create", form()).await;
    let question = stage.question(1).await;
    assert_eq!(question.call, Some(begun.call), "no other was open");
    answer(&stage, question.number, &json!({ "action": "decline" })).await;
    assert_eq!(peer.read().await["id"], id);
    peer.reply(&sent, json!({ "result": { "content": [] } })).await;
    assert_eq!(result(&ended(begun).await), json!({ "content": [] }));
    stage.close().await;
}

#[tokio::test]
async fn questions_end_with_the_connection_and_the_log_says_unanswered() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    peer.ask("elicitation/create", form()).await;
    let question = stage.question(1).await;
    let log = stage.end(peer).await;
    stage.until_questions(0).await;
    assert_eq!(log.one("elicitation/create")["status"], "unanswered");
    let late = stage.door.app.answer(question.number, Reply::Result(raw(&json!({ "action": "cancel" })))).await;
    assert_eq!(late.unwrap_err().code, ErrorCode::UnknownQuestion);
    stage.close().await;
}

#[tokio::test]
async fn roots_are_answered_by_the_app_itself() {
    let roots = Some(vec![".".to_owned(), "/srv/a b/é".to_owned()]);
    let stage = Stage::saying(Profile { roots, ..Profile::default() }).await;
    let mut peer = ready(&stage).await;
    let answer = peer.asked("roots/list", Value::Null).await;
    let project = stage.profile.project();
    let name = project.file_name().unwrap().to_str().unwrap();
    let wanted = json!({ "roots": [
        { "uri": format!("file://{}", project.display()), "name": name },
        { "uri": "file:///srv/a%20b/%C3%A9", "name": "é" },
    ]});
    assert_eq!(answer["result"], wanted);
    assert!(stage.door.app.questions().is_empty(), "nobody is asked for what is known");
    assert_eq!(stage.end(peer).await.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn no_roots_are_an_empty_list_and_no_error() {
    let stage = Stage::saying(Profile { roots: Some(Vec::new()), ..Profile::default() }).await;
    let mut peer = ready(&stage).await;
    assert_eq!(peer.asked("roots/list", json!({ "_meta": { "e.com/k": 1 } })).await["result"], json!({ "roots": [] }));
    stage.close().await;
}

#[tokio::test]
async fn a_question_that_breaks_rules_is_asked_all_the_same_and_told_of() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let nested =
        json!({ "message": "m", "requestedSchema": { "type": "object", "properties": { "o": { "type": "object" } } } });
    for (method, params, finding) in [
        ("sampling/createMessage", json!({ "messages": [] }), "bad-params"),
        ("elicitation/create", nested, "bad-elicitation"),
        ("elicitation/create", json!({ "message": "m" }), "bad-elicitation"),
        ("elicitation/create", json!({ "mode": "url", "message": "m", "url": "https://e" }), "bad-elicitation"),
    ] {
        peer.ask(method, params.clone()).await;
        let question = stage.question(1).await;
        let log = stage.log(&mut peer).await;
        let row = log.of(method).into_iter().next_back().unwrap();
        assert_eq!(row["findings"][0]["code"], finding, "{params}: {row}");
        let error = Reply::Error { code: -32602, message: "no".to_owned(), data: None };
        stage.door.app.answer(question.number, error).await.unwrap();
        assert_eq!(peer.read().await["error"]["code"], -32602);
        stage.until_questions(0).await;
    }
    stage.close().await;
}
