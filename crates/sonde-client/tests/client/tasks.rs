use serde_json::{Value, json};
use sonde_client::{Answer, Ask, CallError, Client, Event, Reply, TaskWish};
use sonde_protocol::Revision;

use crate::peer::{Peer, raw, within};

const RELATED: &str = "io.modelcontextprotocol/related-task";

fn server_tasks() -> Value {
    json!({ "tools": {}, "tasks": { "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } } })
}

fn client_tasks() -> Value {
    let requests = json!({ "elicitation": { "create": {} } });
    json!({ "elicitation": {}, "roots": {}, "tasks": { "list": {}, "cancel": {}, "requests": requests } })
}

async fn ready() -> (Peer, Client) {
    Peer::ready(Revision::LATEST, client_tasks(), server_tasks()).await
}

fn task(status: &str) -> Value {
    json!({ "taskId": "t-1", "status": status, "createdAt": "x", "lastUpdatedAt": "x", "ttl": null, "pollInterval": 1 })
}

fn wish() -> Ask {
    let params = raw(json!({ "name": "long" }));
    Ask { task: Some(TaskWish { ttl: Some(5000) }), ..Ask::new("tools/call").with_params(params) }
}

#[tokio::test]
async fn a_task_of_the_server_is_followed_to_its_result() {
    let (mut peer, client) = ready().await;
    let call = client.ask(wish()).await.unwrap();
    let mut progress = call.progress();
    let request = peer.read().await;
    assert_eq!(request["params"]["task"], json!({ "ttl": 5000 }));
    peer.result(&request, json!({ "task": task("working") })).await;
    let created = within("the task", call.end()).await.unwrap();
    assert_eq!(created.task_id().as_deref(), Some("t-1"));
    let token = &request["params"]["_meta"]["progressToken"];
    peer.notify("notifications/progress", json!({ "progressToken": token, "progress": 3 })).await;
    within("progress", progress.changed()).await.unwrap();
    assert_eq!(progress.borrow().as_ref().unwrap().progress, 3.0, "the token outlives the answer");
    let run = client.follow_task("t-1");
    let mut status = run.status();
    let end = tokio::spawn(run.end());
    for _ in 0..2 {
        let get = peer.read().await;
        assert_eq!((&get["method"], &get["params"]), (&json!("tasks/get"), &json!({ "taskId": "t-1" })));
        peer.result(&get, task("working")).await;
    }
    let get = peer.read().await;
    peer.result(&get, task("completed")).await;
    let result = peer.read().await;
    assert_eq!(result["method"], "tasks/result");
    peer.result(&result, json!({ "content": [], "isError": false })).await;
    let Answer::Result(result) = within("the result", end).await.unwrap().unwrap() else { panic!("a result") };
    assert_eq!(result.get(), r#"{"content":[],"isError":false}"#);
    assert_eq!(status.borrow_and_update().as_ref().unwrap().status, "completed");
}

#[tokio::test]
async fn a_task_that_needs_input_is_asked_for_its_result_at_once() {
    let (mut peer, client) = ready().await;
    let end = tokio::spawn(client.follow_task("t-1").end());
    let get = peer.read().await;
    peer.result(&get, task("input_required")).await;
    let result = peer.read().await;
    assert_eq!(result["method"], "tasks/result", "the server may ask only there");
    let meta = json!({ RELATED: { "taskId": "t-1" } });
    peer.ask(json!("e"), "elicitation/create", json!({ "message": "m", "_meta": meta })).await;
    let mut events = client.events();
    within("the question", async {
        while client.questions().is_empty() {
            events.recv().await.unwrap();
        }
    })
    .await;
    let question = client.questions().remove(0);
    assert_eq!(question.related_task.as_deref(), Some("t-1"));
    client.answer(question.number, Reply::Result(raw(json!({ "action": "decline" })))).await.unwrap();
    assert_eq!(peer.read().await["result"], json!({ "action": "decline", "_meta": meta }), "the answer names the task");
    peer.say(json!({ "jsonrpc": "2.0", "id": result["id"], "error": { "code": -5, "message": "it failed" } })).await;
    assert!(matches!(within("the end", end).await.unwrap(), Ok(Answer::Error { code: Some(-5), .. })));
}

#[tokio::test]
async fn a_call_that_is_a_task_is_cancelled_by_tasks_cancel() {
    let (mut peer, client) = ready().await;
    let call = client.ask(wish()).await.unwrap();
    let id = call.id.clone();
    let request = peer.read().await;
    peer.result(&request, json!({ "task": task("working") })).await;
    within("the task", call.end()).await.unwrap();
    client.cancel(&id, "enough").await;
    let cancel = peer.read().await;
    assert_eq!((&cancel["method"], &cancel["params"]["taskId"]), (&json!("tasks/cancel"), &json!("t-1")));
}

#[tokio::test]
async fn a_task_that_was_given_up_before_it_had_a_name_is_cancelled_when_it_gets_one() {
    let (mut peer, client) = ready().await;
    let call = client.ask(wish()).await.unwrap();
    let request = peer.read().await;
    client.cancel(&call.id, "too late to notify").await;
    assert_eq!(within("the end", call.end()).await.unwrap_err(), CallError::Cancelled);
    peer.result(&request, json!({ "task": task("working") })).await;
    let cancel = peer.read().await;
    assert_eq!(cancel["method"], "tasks/cancel", "and no `notifications/cancelled` came before");
}

#[tokio::test]
async fn a_task_is_not_asked_for_where_the_server_did_not_declare_it() {
    let (_peer, client) = Peer::ready(Revision::LATEST, json!({}), json!({ "tools": {}, "tasks": {} })).await;
    assert!(matches!(client.ask(wish()).await, Err(CallError::Objected { .. })));
}

/// A question that became a task: its id, and the client that has the question.
async fn asked_as_task() -> (Peer, Client, String) {
    let (mut peer, client) = ready().await;
    peer.ask(json!("e"), "elicitation/create", json!({ "message": "m", "task": { "ttl": 60000 } })).await;
    let created = peer.read().await;
    assert_eq!(created["id"], "e");
    let task = &created["result"]["task"];
    assert_eq!((&task["status"], &task["ttl"]), (&json!("working"), &json!(60000)));
    let id = task["taskId"].as_str().unwrap().to_owned();
    let question = client.questions().remove(0);
    assert_eq!(question.task.as_deref(), Some(id.as_str()));
    (peer, client, id)
}

#[tokio::test]
async fn a_question_as_a_task_is_looked_after_and_its_answer_fetched() {
    let (mut peer, client, id) = asked_as_task().await;
    let named = json!({ "taskId": id });
    peer.ask(json!(1), "tasks/get", named.clone()).await;
    assert_eq!(peer.read().await["result"]["status"], "working");
    peer.ask(json!(2), "tasks/list", json!({})).await;
    assert_eq!(peer.read().await["result"]["tasks"][0]["taskId"], id.as_str());
    peer.ask(json!(3), "tasks/result", named.clone()).await;
    peer.ask(json!(4), "ping", json!({})).await;
    assert_eq!(peer.read().await["id"], 4, "the result waits for the answer, and holds nothing else up");
    client.answer(client.questions()[0].number, Reply::Result(raw(json!({ "action": "accept" })))).await.unwrap();
    let result = peer.read().await;
    assert_eq!(result["id"], 3);
    assert_eq!(result["result"], json!({ "action": "accept", "_meta": { RELATED: { "taskId": id } } }));
    let status = peer.read().await;
    assert_eq!(
        (&status["method"], &status["params"]["status"]),
        (&json!("notifications/tasks/status"), &json!("completed"))
    );
    peer.ask(json!(5), "tasks/result", named.clone()).await;
    assert_eq!(peer.read().await["result"]["action"], "accept", "it can be fetched again");
    peer.ask(json!(6), "tasks/cancel", named).await;
    assert_eq!(peer.read().await["error"]["code"], -32602, "what is over can't be cancelled");
}

#[tokio::test]
async fn a_wait_for_a_result_under_a_long_id_is_refused_and_not_kept() {
    let (mut peer, _client, id) = asked_as_task().await;
    peer.ask(json!("i".repeat(5000)), "tasks/result", json!({ "taskId": id })).await;
    assert_eq!(peer.read().await["error"]["code"], -32603, "a hundred of them could be of any size");
}

#[tokio::test]
async fn a_task_that_the_server_cancels_takes_the_question_away() {
    let (mut peer, client, id) = asked_as_task().await;
    let mut events = client.events();
    peer.ask(json!(1), "tasks/result", json!({ "taskId": id })).await;
    peer.ask(json!(2), "tasks/cancel", json!({ "taskId": id })).await;
    let cancelled = peer.read().await;
    assert_eq!((&cancelled["id"], &cancelled["result"]["status"]), (&json!(2), &json!("cancelled")));
    let result = peer.read().await;
    assert_eq!((&result["id"], result["error"].is_object()), (&json!(1), true), "whoever waited is told");
    assert!(matches!(within("the event", events.recv()).await, Ok(Event::QuestionOver { .. })));
    assert!(client.questions().is_empty());
}

#[tokio::test]
async fn a_task_that_nobody_knows_is_refused() {
    let (mut peer, _client) = ready().await;
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        peer.ask(json!(method), method, json!({ "taskId": "guess" })).await;
        assert_eq!(peer.read().await["error"]["code"], -32602, "{method}");
    }
    peer.ask(json!(1), "tasks/list", json!({ "cursor": "x" })).await;
    assert_eq!(peer.read().await["error"]["code"], -32602, "we never gave a cursor");
}

#[tokio::test]
async fn a_wish_for_a_task_that_was_never_declared_is_ignored() {
    let declared = json!({ "roots": {}, "tasks": { "requests": {} }, "elicitation": {} });
    let (mut peer, client) = Peer::ready(Revision::LATEST, declared, json!({})).await;
    peer.ask(json!(1), "elicitation/create", json!({ "message": "m", "task": {} })).await;
    let mut events = client.events();
    within("the question", async {
        while client.questions().is_empty() {
            events.recv().await.unwrap();
        }
    })
    .await;
    client.answer(client.questions()[0].number, Reply::Result(raw(json!({ "action": "cancel" })))).await.unwrap();
    assert_eq!(peer.read().await["result"], json!({ "action": "cancel" }), "processed as any other request");
}

#[tokio::test]
async fn a_task_whose_time_is_over_is_forgotten() {
    let (mut peer, client) = ready().await;
    let mut events = client.events();
    peer.ask(json!("e"), "elicitation/create", json!({ "message": "m", "task": { "ttl": 1 } })).await;
    let id = peer.read().await["result"]["task"]["taskId"].clone();
    within("the end of the question", async {
        while !matches!(events.recv().await.unwrap(), Event::QuestionOver { .. }) {}
    })
    .await;
    peer.ask(json!(1), "tasks/get", json!({ "taskId": id })).await;
    assert_eq!(peer.read().await["error"]["code"], -32602);
    assert!(client.questions().is_empty(), "nobody could fetch the answer any more");
}
