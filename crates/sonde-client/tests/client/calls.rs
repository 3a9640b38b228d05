use std::time::Duration;

use serde_json::{Value, json};
use sonde_client::{Answer, Ask, CallError, Client, Gate, Patience, Progressing};
use sonde_protocol::{Objection, Party, Record, Revision, Settlement};

use crate::peer::{Peer, raw, within};

fn text(answer: Result<Answer, CallError>) -> String {
    match answer.unwrap() {
        Answer::Result(result) => result.get().to_owned(),
        Answer::Error { raw, .. } => raw.get().to_owned(),
    }
}

async fn with_tools() -> (Peer, Client) {
    Peer::ready(Revision::LATEST, json!({}), json!({ "tools": {} })).await
}

fn call(name: &str) -> Ask {
    Ask::new("tools/call").with_params(raw(json!({ "name": name })))
}

#[tokio::test]
async fn answers_find_their_calls_in_any_order() {
    let (mut peer, client) = with_tools().await;
    let mut calls = Vec::new();
    for number in 0..200 {
        calls.push((number, client.ask(call(&format!("t{number}"))).await.unwrap()));
    }
    let mut requests = Vec::new();
    for _ in 0..200 {
        requests.push(peer.read().await);
    }
    for request in requests.iter().rev() {
        peer.result(request, json!({ "for": request["params"]["name"] })).await;
    }
    for (number, call) in calls {
        let answer = text(within("an answer", call.end()).await);
        assert_eq!(answer, format!(r#"{{"for":"t{number}"}}"#), "each gets its own");
    }
}

#[tokio::test]
async fn an_id_of_another_type_is_another_id() {
    let (mut peer, client) = with_tools().await;
    let call = client.ask(call("t")).await.unwrap();
    let id = peer.read().await["id"].as_u64().unwrap();
    for stranger in [format!("\"{id}\""), format!("{id}.0"), format!("0{id}"), "null".to_owned()] {
        peer.write(&format!(r#"{{"jsonrpc":"2.0","id":{stranger},"result":{{"wrong":true}}}}"#)).await;
    }
    peer.write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{ "n" : 1.0e2 }}}}"#)).await;
    assert_eq!(text(within("an answer", call.end()).await), r#"{ "n" : 1.0e2 }"#, "verbatim, and the right one");
}

#[tokio::test]
async fn what_was_not_declared_is_sent_only_when_a_person_insists() {
    let (mut peer, client) = with_tools().await;
    let subscribe = || Ask::new("resources/subscribe").with_params(raw(json!({ "uri": "x:y" })));
    let objection = Objection::Undeclared { by: Party::Server, capability: "resources.subscribe" };
    let refused = client.ask(subscribe()).await.unwrap_err();
    assert_eq!(refused, CallError::Objected { method: "resources/subscribe".to_owned(), objection });
    let call = client.ask(Ask { gate: Gate::Open, ..subscribe() }).await.unwrap();
    let request = peer.read().await;
    assert_eq!(request["method"], "resources/subscribe", "the refused one never left");
    peer.say(json!({ "jsonrpc": "2.0", "id": request["id"], "error": { "code": -32601, "message": "no" } })).await;
    assert!(matches!(within("an answer", call.end()).await, Ok(Answer::Error { code: Some(-32601), .. })));
}

#[tokio::test]
async fn a_persons_own_meta_travels_with_any_request() {
    let (mut peer, client) = with_tools().await;
    let ask = Ask { meta: Some(raw(json!({ "com.example/trace": "t1" }))), ..call("t") };
    client.ask(ask).await.unwrap();
    let request = peer.read().await;
    assert_eq!(request["params"]["_meta"]["com.example/trace"], "t1");
    assert_eq!(request["params"]["_meta"]["progressToken"], request["id"], "beside our own token");
    let ask = Ask { meta: Some(raw(json!({ "progressToken": "mine" }))), ..call("t") };
    let call = client.ask(ask).await.unwrap();
    let mut progress = call.progress();
    assert_eq!(peer.read().await["params"]["_meta"], json!({ "progressToken": "mine" }), "unless they gave one");
    peer.notify("notifications/progress", json!({ "progressToken": "mine", "progress": 0.5 })).await;
    within("progress", progress.changed()).await.unwrap();
    assert_eq!(progress.borrow().as_ref().unwrap().progress, 0.5);
}

#[tokio::test]
async fn a_line_break_in_the_params_does_not_break_the_line() {
    let (mut peer, client) = with_tools().await;
    let params = serde_json::value::RawValue::from_string("{\n  \"name\":\r\n \"t\\n\" }".to_owned()).unwrap();
    client.ask(Ask { progress: Progressing::Unwanted, ..Ask::new("tools/call").with_params(params) }).await.unwrap();
    let line = peer.line().await.unwrap();
    assert!(line.contains(r#""params":{   "name":   "t\n" }"#), "{line}");
}

#[tokio::test]
async fn the_limit_ends_a_call_that_reports_progress_for_ever() {
    let (mut peer, client) = with_tools().await;
    let patience = Patience { silence: Some(Duration::from_secs(600)), limit: Duration::from_millis(200) };
    let call = client.ask(Ask { patience: Some(patience), ..call("t") }).await.unwrap();
    let request = peer.read().await;
    let end = tokio::spawn(call.end());
    let mut done = 0;
    let cancelled = loop {
        peer.notify("notifications/progress", json!({ "progressToken": request["id"], "progress": done })).await;
        done += 1;
        let line = tokio::time::timeout(Duration::from_millis(5), peer.line());
        if let Ok(line) = line.await {
            break serde_json::from_str::<Value>(&line.unwrap()).unwrap();
        }
    };
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
    let end = within("the end", end).await.unwrap();
    assert_eq!(end.unwrap_err(), CallError::TimedOut(Duration::from_millis(200)));
    client.close();
    client.ended().await;
    drop(client);
    let recorded = within("the record", peer.hang_up().await).await.unwrap();
    let told = |record: &Record| matches!(record, Record::Settled { how: Settlement::TimedOut, .. });
    assert_eq!(recorded.iter().filter(|record| told(record)).count(), 1, "the log knows why nobody waits");
}

#[tokio::test]
async fn silence_ends_a_call_also_where_nobody_waits_for_its_end() {
    let (mut peer, client) = with_tools().await;
    let patience = Patience { silence: Some(Duration::from_millis(50)), limit: Duration::from_secs(600) };
    let call = client.ask(Ask { patience: Some(patience), ..call("t") }).await.unwrap();
    let request = peer.read().await;
    assert_eq!(peer.read().await["params"]["requestId"], request["id"], "the server is told without anyone waiting");
    assert_eq!(within("the end", call.end()).await.unwrap_err(), CallError::Silent(Duration::from_millis(50)));
}

#[tokio::test]
async fn a_cancelled_call_ends_at_once_and_its_late_answer_disturbs_nobody() {
    let (mut peer, client) = with_tools().await;
    let first = client.ask(call("slow")).await.unwrap();
    let request = peer.read().await;
    client.cancel(&first.id, "changed my mind").await;
    assert_eq!(within("the end", first.end()).await.unwrap_err(), CallError::Cancelled);
    let cancelled = peer.read().await;
    assert_eq!(cancelled["params"], json!({ "requestId": request["id"], "reason": "changed my mind" }));
    peer.result(&request, json!({ "late": true })).await;
    let second = client.ask(call("quick")).await.unwrap();
    let request = peer.read().await;
    assert_eq!(request["method"], "tools/call", "a second cancellation would be a lie");
    peer.result(&request, json!({})).await;
    assert_eq!(text(within("an answer", second.end()).await), "{}");
}

#[tokio::test]
async fn a_batch_goes_out_as_one_line_where_the_revision_has_batches() {
    let (mut peer, client) = Peer::ready(Revision::V2025_03_26, json!({}), json!({ "tools": {} })).await;
    let calls = client.ask_batch(vec![call("a"), Ask::new("ping"), call("b")]).await.unwrap();
    let batch = peer.read().await;
    let methods: Vec<_> = batch.as_array().unwrap().iter().map(|item| item["method"].clone()).collect();
    assert_eq!(methods, ["tools/call", "ping", "tools/call"]);
    let answer = |item: &Value| json!({ "jsonrpc": "2.0", "id": item["id"], "result": { "id": item["id"] } });
    peer.say(json!([answer(&batch[2]), answer(&batch[0])])).await;
    peer.say(answer(&batch[1])).await;
    for call in calls {
        let id = call.id.get().to_owned();
        assert_eq!(text(within("an answer", call.end()).await), format!(r#"{{"id":{id}}}"#));
    }
}

#[tokio::test]
async fn a_batch_is_refused_where_the_revision_has_none() {
    let (_peer, client) = with_tools().await;
    assert_eq!(client.ask_batch(vec![call("a")]).await.unwrap_err(), CallError::NoBatches);
}

#[tokio::test]
async fn raw_bytes_arrive_as_they_are_and_their_requests_find_answers() {
    let (mut peer, client) = with_tools().await;
    let bytes = "{\"jsonrpc\":\"2.0\", \"id\":\"mine\", \"method\":\"odd/thing\"}\r\nnot json\n[1,{\"id\":77,\"method\":\"x\"}]\n";
    let calls = client.send_raw(bytes.as_bytes().to_vec()).await.unwrap();
    let ids: Vec<_> = calls.iter().map(|call| call.id.get().to_owned()).collect();
    assert_eq!(ids, ["\"mine\"", "77"]);
    let mut heard = String::new();
    for _ in 0..3 {
        heard.push_str(&peer.line().await.unwrap());
    }
    assert_eq!(heard, bytes, "byte for byte");
    peer.say(json!({ "jsonrpc": "2.0", "id": "mine", "error": { "code": 1, "message": "what?" } })).await;
    peer.say(json!({ "jsonrpc": "2.0", "id": 77, "result": {} })).await;
    let mut ends = Vec::new();
    for call in calls {
        ends.push(text(within("an answer", call.end()).await));
    }
    assert_eq!(ends, [r#"{"code":1,"message":"what?"}"#, "{}"]);
    client.ask(Ask::new("ping")).await.unwrap();
    assert!(peer.read().await["id"].as_u64().unwrap() > 77, "an id that a person used is not used again");
}

#[tokio::test]
async fn a_call_ends_when_the_server_does() {
    let (peer, client) = with_tools().await;
    let call = client.ask(call("t")).await.unwrap();
    drop(peer.hang_up().await);
    assert_eq!(within("the end", call.end()).await.unwrap_err(), CallError::Lost);
    let ending = within("the end", client.ended()).await;
    assert!(!ending.by_us);
    assert_eq!(client.ask(Ask::new("ping")).await.unwrap_err(), CallError::Lost, "nothing is sent after the end");
}

#[tokio::test]
async fn a_server_that_asks_without_reading_is_read_on() {
    let (mut peer, client) = with_tools().await;
    let call = client.ask(call("t")).await.unwrap();
    let request = peer.read().await;
    // More answers than a pipe, two sockets and the queue can hold; none of them is read.
    let id = "x".repeat(60_000);
    for _ in 0..500 {
        peer.ask(json!(id), "ping", json!({})).await;
    }
    peer.result(&request, json!({ "after": "the flood" })).await;
    assert_eq!(text(within("an answer", call.end()).await), r#"{"after":"the flood"}"#);
    client.close();
    within("the end", client.ended()).await;
    drop(client);
    let recorded = within("the record", peer.hang_up().await).await.unwrap();
    let told = recorded.iter().any(|record| match record {
        Record::Frame(frame) => String::from_utf8_lossy(&frame.body.bytes).contains("answers found no room"),
        _ => false,
    });
    assert!(told, "what stayed unanswered is counted and said");
}
