use serde_json::{Value, json};
use sonde_client::{AnswerError, Client, Event, Reply};
use sonde_protocol::{Record, Revision};

use crate::peer::{Peer, raw, within};

fn everything() -> Value {
    json!({ "roots": {}, "sampling": {}, "elicitation": {} })
}

async fn asked() -> (Peer, Client) {
    Peer::ready(Revision::LATEST, everything(), json!({ "tools": {} })).await
}

/// Waits until the client has that many questions.
async fn until(client: &Client, count: usize) {
    let mut events = client.events();
    within("questions", async {
        while client.questions().len() != count {
            events.recv().await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_question_waits_for_its_answer() {
    let (mut peer, client) = asked().await;
    let params = json!({ "message": "your name?", "requestedSchema": {}, "unknown": 1.5 });
    peer.ask(json!("q"), "elicitation/create", params.clone()).await;
    until(&client, 1).await;
    let question = client.questions().remove(0);
    assert_eq!((question.method.as_str(), question.id.get()), ("elicitation/create", "\"q\""));
    assert_eq!(serde_json::from_str::<Value>(question.params.as_ref().unwrap().get()).unwrap(), params);
    let reply = Reply::Result(raw(json!({ "action": "accept", "content": { "name": "Ada" } })));
    client.answer(question.number, reply.clone()).await.unwrap();
    let answer = peer.read().await;
    assert_eq!(answer["id"], "q");
    assert_eq!(answer["result"], json!({ "action": "accept", "content": { "name": "Ada" } }));
    let again = client.answer(question.number, reply).await.unwrap_err();
    assert_eq!(again, AnswerError::Over(question.number), "a request has one answer");
}

#[tokio::test]
async fn a_question_can_be_answered_with_an_error() {
    let (mut peer, client) = asked().await;
    peer.ask(json!(1), "sampling/createMessage", json!({ "messages": [], "maxTokens": 1 })).await;
    until(&client, 1).await;
    let reply = Reply::Error { code: -1, message: "User rejected".to_owned(), data: Some(raw(json!([1]))) };
    client.answer(client.questions()[0].number, reply).await.unwrap();
    assert_eq!(peer.read().await["error"], json!({ "code": -1, "message": "User rejected", "data": [1] }));
}

#[tokio::test]
async fn a_question_names_the_call_it_belongs_to_where_there_is_but_one() {
    let (mut peer, client) = asked().await;
    let call = client.ask(sonde_client::Ask::new("ping")).await.unwrap();
    peer.read().await;
    peer.ask(json!(1), "roots/list", json!({})).await;
    until(&client, 1).await;
    assert_eq!(client.questions()[0].call.as_ref().unwrap().get(), call.id.get());
}

#[tokio::test]
async fn what_was_never_declared_is_refused_without_asking_anyone() {
    let (mut peer, client) = Peer::ready(Revision::LATEST, json!({ "elicitation": {} }), json!({})).await;
    let cases = [
        ("sampling/createMessage", json!({}), -32601),
        ("roots/list", json!({}), -32601),
        ("tools/list", json!({}), -32601),
        ("no/such", json!({}), -32601),
        ("elicitation/create", json!({ "mode": "url", "url": "https://x.example" }), -32602),
        ("elicitation/create", json!([]), -32602),
    ];
    for (method, params, code) in cases {
        peer.ask(json!(method), method, params).await;
        let answer = peer.read().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(method), &json!(code)), "{answer}");
    }
    assert!(client.questions().is_empty());
}

#[tokio::test]
async fn a_question_that_the_server_cancels_is_withdrawn_and_gets_no_response() {
    let (mut peer, client) = asked().await;
    let mut events = client.events();
    peer.ask(json!(7), "roots/list", json!({})).await;
    until(&client, 1).await;
    let number = client.questions()[0].number;
    peer.notify("notifications/cancelled", json!({ "requestId": "7" })).await;
    peer.notify("notifications/cancelled", json!({})).await;
    peer.notify("notifications/cancelled", json!({ "requestId": 7, "reason": "never mind" })).await;
    until(&client, 0).await;
    let over = within("the event", async {
        loop {
            if let Event::QuestionOver { number } = events.recv().await.unwrap() {
                return number;
            }
        }
    });
    assert_eq!(over.await, number);
    let late = client.answer(number, Reply::Result(raw(json!({ "roots": [] })))).await;
    assert_eq!(late.unwrap_err(), AnswerError::Over(number));
    peer.ask(json!(8), "ping", json!({})).await;
    assert_eq!(peer.read().await["id"], 8, "the cancelled request was not answered");
}

#[tokio::test]
async fn a_hundred_questions_wait_and_the_next_is_refused_and_counted() {
    let (mut peer, client) = asked().await;
    for number in 0..101 {
        peer.ask(json!(number), "roots/list", json!({})).await;
    }
    let refused = peer.read().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(100), &json!(-32603)));
    assert_eq!((client.questions().len(), client.refused_questions()), (100, 1));
    client.answer(client.questions()[0].number, Reply::Result(raw(json!({ "roots": [] })))).await.unwrap();
    assert_eq!(peer.read().await["id"], 0);
    peer.ask(json!("again"), "roots/list", json!({})).await;
    until(&client, 100).await;
}

#[tokio::test]
async fn that_too_many_questions_wait_is_said_once() {
    let (mut peer, client) = asked().await;
    for number in 0..101 {
        peer.ask(json!(number), "roots/list", json!({})).await;
    }
    for _ in 0..5 {
        peer.ask(json!(1), "roots/list", json!({})).await;
    }
    for expected in [-32603, -32600, -32600, -32600, -32600, -32600] {
        assert_eq!(peer.read().await["error"]["code"], expected, "one has no room, the others a used id");
    }
    client.close();
    within("the end", client.ended()).await;
    drop(client);
    let recorded = within("the record", peer.hang_up().await).await.unwrap();
    let remarks = recorded.iter().filter(|record| match record {
        Record::Frame(frame) => frame.body.bytes.starts_with(b"more than 100 questions wait"),
        _ => false,
    });
    assert_eq!(remarks.count(), 1, "a flood of questions is no flood of remarks");
}

#[tokio::test]
async fn the_same_id_twice_at_once_is_refused() {
    let (mut peer, client) = asked().await;
    peer.ask(json!(1), "roots/list", json!({})).await;
    peer.ask(json!(1), "roots/list", json!({})).await;
    assert_eq!(peer.read().await["error"]["code"], -32600);
    assert_eq!(client.questions().len(), 1, "the first one stays");
}

#[tokio::test]
async fn questions_end_with_the_connection() {
    let (mut peer, client) = asked().await;
    peer.ask(json!(1), "roots/list", json!({})).await;
    until(&client, 1).await;
    let number = client.questions()[0].number;
    drop(peer.hang_up().await);
    until(&client, 0).await;
    assert_eq!(client.answer(number, Reply::Result(raw(json!({})))).await.unwrap_err(), AnswerError::Over(number));
}

#[tokio::test]
async fn a_batch_of_requests_is_answered_by_one_array_once_all_is_answered() {
    let (mut peer, client) = Peer::ready(Revision::V2025_03_26, json!({ "roots": {} }), json!({})).await;
    let request = |id: Value, method: &str| json!({ "jsonrpc": "2.0", "id": id, "method": method });
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/message" });
    peer.say(json!([request(json!(1), "ping"), note, request(json!(2), "roots/list"), request(json!(3), "no/such")]))
        .await;
    until(&client, 1).await;
    client.answer(client.questions()[0].number, Reply::Result(raw(json!({ "roots": [] })))).await.unwrap();
    let answers = peer.read().await;
    let ids: Vec<_> = answers.as_array().unwrap().iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, [json!(1), json!(3), json!(2)], "in the order in which the answers came");
}

#[tokio::test]
async fn a_batch_is_answered_one_by_one_where_the_revision_has_none() {
    let (mut peer, _client) = asked().await;
    let request = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    peer.say(json!([request(1), request(2)])).await;
    assert_eq!((peer.read().await["id"].clone(), peer.read().await["id"].clone()), (json!(1), json!(2)));
}
