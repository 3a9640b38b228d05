//! Tasks of 2025-11-25, the server's and ours.

use integration::{LIMIT, Log, Peer, Stage, WIRE, ask, ended, raw, result, within};
use serde_json::{Value, json};
use sonde_app::{Answer, Ask, Begun, CallStatus, Catalog, ErrorCode, Event, Gate, Reply, TaskWish};

use super::LATEST;

const RELATED: &str = "io.modelcontextprotocol/related-task";

fn task(status: &str) -> Value {
    json!({ "taskId": "t-1", "status": status, "createdAt": "2026-01-01T00:00:00Z",
        "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": null, "pollInterval": 100 })
}

async fn ready(stage: &Stage) -> Peer {
    let tasks = json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
    stage.ready(LATEST, json!({ "tools": {}, "tasks": tasks })).await
}

fn wish() -> Ask {
    let wish = TaskWish { ttl: None };
    Ask { task: Some(wish), validate: false, ..ask("tools/call", json!({ "name": "slow", "arguments": { "n": 1 } })) }
}

/// A call that the server makes a task; gives it, answered, and what the server read.
async fn created(stage: &Stage, peer: &mut Peer) -> (u64, Value) {
    let begun = stage.send(wish()).await;
    let sent = peer.read().await;
    assert_eq!(sent["params"]["task"], json!({}), "the wish, without a time of its own");
    peer.reply(&sent, json!({ "result": { "task": task("working") } })).await;
    let call = begun.call;
    assert_eq!(result(&ended(begun).await)["task"]["taskId"], "t-1", "the answer is the task");
    (call, sent)
}

async fn follow(stage: &Stage) -> Begun {
    stage.door.app.follow_task(WIRE, "t-1").await.unwrap()
}

/// Answers the next request, which must be of that method and about the task; gives it.
async fn serve(peer: &mut Peer, method: &str, reply: Value) -> Value {
    let request = peer.read().await;
    assert_eq!((&request["method"], &request["params"]), (&json!(method), &json!({ "taskId": "t-1" })), "no `_meta`");
    peer.reply(&request, reply).await;
    request
}

fn no_findings(log: &Log) {
    assert_eq!(log.findings(), Vec::<String>::new());
}

#[tokio::test]
async fn a_task_is_followed_to_the_result_of_the_call_that_began_it() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    created(&stage, &mut peer).await;
    let run = follow(&stage).await;
    serve(&mut peer, "tasks/get", json!({ "result": task("working") })).await;
    serve(&mut peer, "tasks/get", json!({ "result": task("completed") })).await;
    let content = json!({ "content": [{ "type": "text", "text": "done" }], "_meta": { RELATED: { "taskId": "t-1" } } });
    serve(&mut peer, "tasks/result", json!({ "result": content })).await;
    assert_eq!(result(&ended(run).await), content, "exactly the underlying result");
    let log = stage.end(peer).await;
    no_findings(&log);
    assert_eq!((log.of("tasks/get").len(), log.of("tasks/result").len()), (2, 1));
    stage.close().await;
}

#[tokio::test]
async fn a_task_that_needs_input_asks_and_our_answer_names_the_task() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    created(&stage, &mut peer).await;
    let run = follow(&stage).await;
    serve(&mut peer, "tasks/get", json!({ "result": task("input_required") })).await;
    let waiting = peer.read().await;
    assert_eq!(waiting["method"], "tasks/result", "it is asked for at once, so that the server may ask");
    let meta = json!({ RELATED: { "taskId": "t-1" } });
    let schema = json!({ "type": "object", "properties": {} });
    let id = peer.ask("elicitation/create", json!({ "message": "m", "requestedSchema": schema, "_meta": meta })).await;
    let question = stage.question(1).await;
    assert_eq!(question.task.as_deref(), Some("t-1"));
    let reply = json!({ "action": "accept", "content": {} });
    stage.door.app.answer(question.number, Reply::Result(raw(&reply))).await.unwrap();
    let wanted = json!({ "action": "accept", "content": {}, "_meta": meta });
    assert_eq!(peer.read().await, json!({ "jsonrpc": "2.0", "id": id, "result": wanted }));
    peer.reply(&waiting, json!({ "result": { "content": [], "_meta": meta } })).await;
    assert_eq!(ended(run).await.status, CallStatus::Ok);
    no_findings(&stage.end(peer).await);
    stage.close().await;
}

#[tokio::test]
async fn each_end_of_a_task_is_given_as_what_it_is() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    for (status, reply, wanted) in [
        ("failed", json!({ "result": { "content": [], "isError": true } }), CallStatus::ToolError),
        ("failed", json!({ "error": { "code": -32603, "message": "broke" } }), CallStatus::ProtocolError),
        ("cancelled", json!({ "error": { "code": -32602, "message": "gone" } }), CallStatus::ProtocolError),
        ("completed", json!({ "result": { "content": [] } }), CallStatus::Ok),
    ] {
        let run = follow(&stage).await;
        let id = format!("{status}: {reply}");
        let request = peer.read().await;
        peer.reply(&request, json!({ "result": task(status) })).await;
        serve(&mut peer, "tasks/result", reply).await;
        assert_eq!(ended(run).await.status, wanted, "{id}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_result_that_does_not_name_its_task_is_given_and_told_of() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    for meta in [json!(null), json!({}), json!({ "e.com/k": 1 })] {
        let reply = json!({ "result": { "content": [], "_meta": meta } });
        let (_, ended) = stage.exchange(&mut peer, "tasks/result", json!({ "taskId": "t-1" }), reply).await;
        assert_eq!(ended.status, CallStatus::Ok);
        let log = stage.log(&mut peer).await;
        let row = log.of("tasks/result").into_iter().next_back().unwrap();
        let told = |finding: &Value| finding["message"].as_str().unwrap().contains(RELATED);
        assert!(row["findings"].as_array().unwrap().iter().any(told), "{meta}: {row}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_task_that_the_server_no_longer_has_is_an_answer_too() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let run = follow(&stage).await;
    serve(&mut peer, "tasks/get", json!({ "error": { "code": -32602, "message": "Task has expired" } })).await;
    let ended = ended(run).await;
    assert!(matches!(ended.answer, Answer::Error { code: Some(-32602), .. }), "{:?}", ended.answer);
    stage.close().await;
}

#[tokio::test]
async fn a_task_is_cancelled_by_its_own_method_and_never_by_the_notification() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let (call, _) = created(&stage, &mut peer).await;
    stage.door.app.cancel(call).unwrap();
    serve(&mut peer, "tasks/cancel", json!({ "result": task("cancelled") })).await;
    let log = stage.log(&mut peer).await;
    assert_eq!(log.of("notifications/cancelled").len(), 0);
    no_findings(&log);
    stage.close().await;
}

#[tokio::test]
async fn a_call_given_up_before_its_task_has_a_name_is_cancelled_once_it_has() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let begun = stage.send(wish()).await;
    let sent = peer.read().await;
    stage.door.app.cancel(begun.call).unwrap();
    let error = within(LIMIT, "the end", begun.end()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Cancelled);
    peer.reply(&sent, json!({ "result": { "task": task("working") } })).await;
    serve(&mut peer, "tasks/cancel", json!({ "result": task("cancelled") })).await;
    assert_eq!(stage.end(peer).await.of("notifications/cancelled").len(), 0);
    stage.close().await;
}

#[tokio::test]
async fn progress_of_a_task_goes_on_after_the_task_was_named() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let (_, sent) = created(&stage, &mut peer).await;
    let mut run = follow(&stage).await;
    peer.notify(
        "notifications/progress",
        json!({ "progressToken": sent["params"]["_meta"]["progressToken"], "progress": 1 }),
    )
    .await;
    within(LIMIT, "progress", run.progress.wait_for(Option::is_some)).await.expect("the task runs");
    serve(&mut peer, "tasks/get", json!({ "result": task("completed") })).await;
    let meta = json!({ RELATED: { "taskId": "t-1" } });
    serve(&mut peer, "tasks/result", json!({ "result": { "content": [], "_meta": meta } })).await;
    ended(run).await;
    no_findings(&stage.end(peer).await);
    stage.close().await;
}

#[tokio::test]
async fn a_status_is_told_as_an_event_and_the_list_can_be_read() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let mut events = stage.door.app.events(WIRE).unwrap();
    created(&stage, &mut peer).await;
    peer.notify("notifications/tasks/status", task("input_required")).await;
    let Event::TaskStatus { task: told } = within(LIMIT, "an event", events.recv()).await.unwrap() else {
        panic!("it is a status")
    };
    assert_eq!(serde_json::from_str::<Value>(told.get()).unwrap(), task("input_required"));
    let list = async {
        let request = peer.read().await;
        peer.reply(&request, json!({ "result": { "tasks": [task("working")] } })).await;
    };
    let (listing, ()) = tokio::join!(stage.door.app.list(WIRE, Catalog::Tasks, Gate::Keep), list);
    assert_eq!(listing.unwrap().entries.len(), 1);
    no_findings(&stage.end(peer).await);
    stage.close().await;
}

#[tokio::test]
async fn moves_of_a_task_that_may_not_be_are_told() {
    let stage = Stage::open().await;
    for (moves, wanted) in [
        (vec!["working", "completed", "working"], 1),
        (vec!["working", "cancelled", "completed"], 1),
        (vec!["working", "input_required", "working", "failed", "failed"], 0),
        (vec!["working", "asleep"], 1),
    ] {
        let mut peer = ready(&stage).await;
        for status in &moves {
            peer.notify("notifications/tasks/status", task(status)).await;
        }
        let found = stage.end(peer).await.findings();
        assert_eq!(found, vec!["notifications/tasks/status task-move".to_owned(); wanted], "{moves:?}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_task_that_lacks_what_it_must_have_is_told() {
    let stage = Stage::open().await;
    for (answer, wanted) in [
        (
            json!({ "task": { "taskId": "t", "status": "working", "createdAt": "x", "lastUpdatedAt": "x" } }),
            "bad-result",
        ),
        (json!({ "task": task("completed") }), "task-move"),
        (json!({ "content": [] }), "bad-result"),
    ] {
        let mut peer = ready(&stage).await;
        let begun = stage.send(wish()).await;
        let sent = peer.read().await;
        peer.reply(&sent, json!({ "result": answer })).await;
        ended(begun).await;
        assert_eq!(stage.end(peer).await.findings(), [format!("tools/call {wanted}")], "{answer}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_wish_that_a_person_writes_into_the_params_is_a_wish_like_any_other() {
    let stage = Stage::open().await;
    let params = json!({ "name": "slow", "task": { "ttl": 1 } });
    let peer = stage.ready(LATEST, json!({ "tools": {}, "tasks": {} })).await;
    let written = Ask { validate: false, ..ask("tools/call", params.clone()) };
    let error = stage.door.app.begin(written.clone()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Objected, "the server takes no tasks: {error}");
    stage.end(peer).await;
    let mut peer = ready(&stage).await;
    let typed = format!(r#"{{"jsonrpc":"2.0","id":"raw","method":"tools/call","params":{params}}}"#);
    for raw in [false, true] {
        let begun = match raw {
            false => stage.send(written.clone()).await,
            true => stage.door.app.send_raw(WIRE, format!("{typed}\n").into_bytes()).await.unwrap().calls.remove(0),
        };
        let sent = peer.read().await;
        stage.door.app.cancel(begun.call).unwrap();
        within(LIMIT, "the end", begun.end()).await.unwrap_err();
        peer.reply(&sent, json!({ "result": { "task": task("working") } })).await;
        serve(&mut peer, "tasks/cancel", json!({ "result": task("cancelled") })).await;
    }
    assert_eq!(stage.end(peer).await.of("notifications/cancelled").len(), 0, "a task is cancelled as a task");
    stage.close().await;
}

/// A question of the server that it wants as a task; gives the task.
async fn question_as_task(peer: &mut Peer) -> Value {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "string" } } });
    let params = json!({ "message": "m", "requestedSchema": schema, "task": { "ttl": 60_000 } });
    let created = peer.asked("elicitation/create", params).await;
    created["result"]["task"].clone()
}

#[tokio::test]
async fn a_question_as_a_task_is_named_at_once_looked_after_and_its_answer_fetched() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let task = question_as_task(&mut peer).await;
    assert_eq!((&task["status"], &task["ttl"]), (&json!("working"), &json!(60_000)), "{task}");
    assert!(["taskId", "createdAt", "lastUpdatedAt"].iter().all(|name| task[name].is_string()), "{task}");
    let id = json!({ "taskId": task["taskId"] });
    assert_eq!(peer.asked("tasks/get", id.clone()).await["result"], task);
    assert_eq!(peer.asked("tasks/list", json!({})).await["result"]["tasks"], json!([task]));
    let waiting = peer.ask("tasks/result", id.clone()).await;
    let question = stage.question(1).await;
    assert_eq!(question.task.as_deref(), task["taskId"].as_str());
    let reply = json!({ "action": "accept", "content": { "n": "x" } });
    stage.door.app.answer(question.number, Reply::Result(raw(&reply))).await.unwrap();
    let mut said = [peer.read().await, peer.read().await];
    said.sort_by_key(|message| message.get("id").is_none());
    assert_eq!((&said[0]["id"], &said[0]["result"]["action"]), (&waiting, &json!("accept")), "it was waited for");
    assert_eq!(said[0]["result"]["_meta"][RELATED], id, "and names its task");
    assert_eq!(
        (&said[1]["method"], &said[1]["params"]["status"]),
        (&json!("notifications/tasks/status"), &json!("completed"))
    );
    assert_eq!(peer.asked("tasks/get", id).await["result"]["status"], "completed");
    no_findings(&stage.end(peer).await);
    stage.close().await;
}

#[tokio::test]
async fn a_task_of_ours_that_the_server_cancels_takes_its_question_away() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let task = question_as_task(&mut peer).await;
    stage.until_questions(1).await;
    let id = json!({ "taskId": task["taskId"] });
    assert_eq!(peer.asked("tasks/cancel", id.clone()).await["result"]["status"], "cancelled");
    assert_eq!(peer.read().await["params"]["status"], "cancelled", "it is told, too");
    stage.until_questions(0).await;
    assert_eq!(peer.asked("tasks/cancel", id).await["error"]["code"], -32602, "an end is final");
    assert_eq!(peer.asked("tasks/get", json!({ "taskId": "never" })).await["error"]["code"], -32602);
    assert_eq!(peer.asked("tasks/list", json!({ "cursor": "x" })).await["error"]["code"], -32602, "we gave no cursor");
    no_findings(&stage.end(peer).await);
    stage.close().await;
}

#[tokio::test]
async fn a_refused_question_is_a_failed_task_whose_result_is_the_error() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let params = json!({ "messages": [], "maxTokens": 1, "task": {} });
    let task = peer.asked("sampling/createMessage", params).await["result"]["task"].clone();
    let question = stage.question(1).await;
    let refusal = Reply::Error { code: -1, message: "User rejected sampling request".to_owned(), data: None };
    stage.door.app.answer(question.number, refusal).await.unwrap();
    assert_eq!(peer.read().await["params"]["status"], "failed");
    let answer = peer.asked("tasks/result", json!({ "taskId": task["taskId"] })).await;
    assert_eq!(answer["error"]["code"], -1, "{answer}");
    no_findings(&stage.end(peer).await);
    stage.close().await;
}

#[tokio::test]
async fn a_wish_for_a_task_that_we_never_declared_is_answered_as_if_nobody_had_wished() {
    let stage = Stage::declaring(json!({ "elicitation": {} })).await;
    let mut peer = ready(&stage).await;
    let schema = json!({ "type": "object", "properties": {} });
    let id = peer.ask("elicitation/create", json!({ "message": "m", "requestedSchema": schema, "task": {} })).await;
    let question = stage.question(1).await;
    assert_eq!(question.task, None);
    stage.door.app.answer(question.number, Reply::Result(raw(&json!({ "action": "decline" })))).await.unwrap();
    assert_eq!(peer.read().await, json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "decline" } }));
    assert_eq!(stage.end(peer).await.findings(), ["elicitation/create undeclared"]);
    stage.close().await;
}

#[tokio::test]
async fn a_wait_for_a_result_that_the_server_gives_up_gets_no_answer() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let task = question_as_task(&mut peer).await;
    let question = stage.question(1).await;
    let waiting = peer.ask("tasks/result", json!({ "taskId": task["taskId"] })).await;
    peer.notify("notifications/cancelled", json!({ "requestId": waiting })).await;
    // Whatever is said after this was said with both known.
    peer.asked("ping", Value::Null).await;
    stage.door.app.answer(question.number, Reply::Result(raw(&json!({ "action": "cancel" })))).await.unwrap();
    assert_eq!(peer.read().await["method"], "notifications/tasks/status", "the task itself goes on");
    let log = stage.log(&mut peer).await;
    assert_eq!(log.one("tasks/result")["status"], "cancelled");
    no_findings(&log);
    stage.close().await;
}

#[tokio::test]
async fn a_tasks_time_may_be_over_without_an_answer() {
    let stage = Stage::open().await;
    let mut peer = ready(&stage).await;
    let params = json!({ "messages": [], "maxTokens": 1, "task": { "ttl": 1 } });
    let task = peer.asked("sampling/createMessage", params).await["result"]["task"].clone();
    assert_eq!(task["ttl"], 1, "the server's wish");
    stage.until_questions(0).await;
    let answer = peer.asked("tasks/result", json!({ "taskId": task["taskId"] })).await;
    assert_eq!(answer["error"]["code"], -32602, "nobody need answer any more: {answer}");
    stage.close().await;
}
