//! While a request is open: progress, pings, cancellation, and the end of patience.

use std::time::Duration;

use integration::{LIMIT, Peer, Stage, WIRE, ask, ended, result, within};
use serde_json::{Value, json};
use sonde_app::{ApiError, Ask, Begun, CallStatus, ErrorCode, Profile, Progress};

use super::LATEST;

/// Long enough to be told from nothing, short enough to be waited for.
const SHORT: Duration = Duration::from_millis(150);

fn call() -> Ask {
    Ask { validate: false, ..ask("tools/call", json!({ "name": "t" })) }
}

/// After a request that was not answered in time the app asks for a sign of life, and gets it.
async fn is_there(peer: &mut Peer) {
    let asked = peer.read().await;
    assert_eq!(asked["method"], "ping", "a silent server is asked whether it is there");
    peer.reply(&asked, json!({ "result": {} })).await;
}

async fn with_tools(stage: &Stage) -> Peer {
    stage.ready(LATEST, json!({ "tools": {} })).await
}

/// Why a call that must not be answered was not.
async fn failed(begun: Begun) -> ApiError {
    within(LIMIT, "the end of a call", begun.end()).await.expect_err("nobody answered it")
}

#[tokio::test]
async fn progress_reaches_whoever_waits_and_breaks_no_rule() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let mut begun = stage.send(call()).await;
    let sent = peer.read().await;
    let token = sent["params"]["_meta"]["progressToken"].clone();
    for (progress, total, message) in [(0.25, None, None), (1.0, Some(4.5), None), (3.0, Some(4.5), Some("nearly"))] {
        let mut params = json!({ "progressToken": token, "progress": progress });
        if let Some(total) = total {
            params["total"] = json!(total);
        }
        if let Some(message) = message {
            params["message"] = json!(message);
        }
        peer.notify("notifications/progress", params).await;
        let wanted = Progress { progress, total, message: message.map(str::to_owned) };
        let arrived = begun.progress.wait_for(|newest| newest.as_ref() == Some(&wanted));
        within(LIMIT, "progress", arrived).await.expect("the call is open");
    }
    peer.reply(&sent, json!({ "result": { "content": [] } })).await;
    ended(begun).await;
    let log = stage.end(peer).await;
    assert_eq!((log.findings(), log.of("notifications/progress").len()), (Vec::new(), 3));
    stage.close().await;
}

#[tokio::test]
async fn a_token_of_a_persons_own_takes_the_place_of_ours() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let mut begun = stage.send(Ask { meta: Some(r#"{"progressToken":"mine"}"#.to_owned()), ..call() }).await;
    let sent = peer.read().await;
    assert_eq!(sent["params"]["_meta"], json!({ "progressToken": "mine" }));
    peer.notify("notifications/progress", json!({ "progressToken": "mine", "progress": 1 })).await;
    within(LIMIT, "progress", begun.progress.changed()).await.expect("the call is open");
    peer.reply(&sent, json!({ "result": { "content": [] } })).await;
    ended(begun).await;
    assert_eq!(stage.end(peer).await.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn pings_pass_both_ways_while_calls_are_open() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let open = stage.send(call()).await;
    let sent = peer.read().await;
    assert_eq!(peer.asked("ping", Value::Null).await["result"], json!({}));
    let ping = stage.begin("ping", Value::Null).await;
    let ours = peer.read().await;
    assert_eq!(ours, json!({ "jsonrpc": "2.0", "id": ours["id"], "method": "ping" }), "without params");
    peer.reply(&ours, json!({ "result": {} })).await;
    assert_eq!(result(&ended(ping).await), json!({}));
    peer.reply(&sent, json!({ "result": { "content": [] } })).await;
    ended(open).await;
    let log = stage.end(peer).await;
    assert_eq!(log.of("ping").iter().map(|row| &row["dir"]).collect::<Vec<_>>(), ["in", "out"]);
    assert_eq!(log.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn a_ping_that_is_not_answered_in_time_is_told_and_the_connection_stays() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.send(Ask { timeout: Some(SHORT), ..ask("ping", Value::Null) }).await;
    peer.read().await;
    assert_eq!(failed(begun).await.code, ErrorCode::Timeout);
    assert_eq!(peer.read().await["method"], "notifications/cancelled");
    is_there(&mut peer).await;
    let log = stage.log(&mut peer).await;
    assert_eq!(log.of("ping")[0]["status"], "timeout");
    stage.close().await;
}

#[tokio::test]
async fn a_cancelled_call_tells_the_server_why_and_its_late_answer_is_noted() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.send(call()).await;
    let sent = peer.read().await;
    stage.door.app.cancel(begun.call).unwrap();
    assert_eq!(failed(begun).await.code, ErrorCode::Cancelled);
    let params = json!({ "requestId": sent["id"], "reason": "the person cancelled" });
    assert_eq!(peer.read().await, json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    let log = stage.log(&mut peer).await;
    assert_eq!(log.one("tools/call")["status"], "cancelled");
    peer.reply(&sent, json!({ "result": { "content": [] } })).await;
    let log = stage.end(peer).await;
    assert_eq!(log.one("tools/call")["status"], "late", "it is shown, and nobody is disturbed");
    assert_eq!(log.findings(), ["tools/call late-response"]);
    stage.close().await;
}

#[tokio::test]
async fn a_call_that_is_over_is_not_cancelled() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.send(call()).await;
    let number = begun.call;
    let sent = peer.read().await;
    peer.reply(&sent, json!({ "result": { "content": [] } })).await;
    assert_eq!(ended(begun).await.status, CallStatus::Ok);
    stage.door.app.cancel(number).unwrap();
    let log = stage.log(&mut peer).await;
    assert_eq!(log.of("notifications/cancelled").len(), 0, "only what is in flight is cancelled");
    stage.close().await;
}

#[tokio::test]
async fn the_time_of_one_request_ends_it_and_nothing_else() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let patient = stage.send(call()).await;
    let first = peer.read().await;
    let begun = stage.send(Ask { timeout: Some(SHORT), ..call() }).await;
    let sent = peer.read().await;
    let error = failed(begun).await;
    assert_eq!(error.code, ErrorCode::Timeout);
    assert!(error.message.contains("0.15 s") && error.hint.is_some(), "the limit, and what to do: {error}");
    let told = peer.read().await;
    assert_eq!((&told["method"], &told["params"]["requestId"]), (&json!("notifications/cancelled"), &sent["id"]));
    peer.reply(&first, json!({ "result": { "content": [] } })).await;
    assert_eq!(ended(patient).await.status, CallStatus::Ok, "the other had all the time");
    let log = stage.end(peer).await;
    let statuses: Vec<_> = log.of("tools/call").iter().map(|row| row["status"].clone()).collect();
    assert_eq!(statuses, ["ok", "timeout"]);
    assert_eq!(log.findings(), Vec::<String>::new(), "to give up is no fault");
    stage.close().await;
}

#[tokio::test]
async fn silence_ends_a_call_and_says_so() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.send(Ask { silence: Some(SHORT), ..call() }).await;
    let sent = peer.read().await;
    let error = failed(begun).await;
    assert_eq!(error.code, ErrorCode::Timeout);
    assert!(error.message.contains("neither answered nor reported progress"), "{error}");
    assert_eq!(peer.read().await["params"]["requestId"], sent["id"]);
    assert_eq!(stage.end(peer).await.one("tools/call")["status"], "timeout");
    stage.close().await;
}

#[tokio::test]
async fn progress_without_end_does_not_outlast_the_limit() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.send(Ask { timeout: Some(2 * SHORT), silence: Some(LIMIT), ..call() }).await;
    let sent = peer.read().await;
    // Its token is ours, so that what follows finds its call for as long as there is one.
    let report = async {
        for progress in 1.. {
            peer.notify("notifications/progress", json!({ "progressToken": sent["id"], "progress": progress })).await;
            tokio::task::yield_now().await;
            if progress % 100 == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    };
    let error = tokio::select! {
        error = failed(begun) => error,
        () = report => unreachable!("it never ends"),
    };
    assert_eq!(error.code, ErrorCode::Timeout);
    assert!(error.message.contains("did not answer within"), "not for silence: {error}");
    stage.close().await;
}

#[tokio::test]
async fn the_time_that_a_person_set_for_a_server_holds_for_its_requests() {
    let said = Profile { timeout: Some(SHORT), connect_timeout: Some(LIMIT), ..Profile::default() };
    let stage = Stage::saying(said).await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.send(call()).await;
    peer.read().await;
    assert_eq!(failed(begun).await.code, ErrorCode::Timeout);
    assert_eq!(peer.read().await["method"], "notifications/cancelled");
    is_there(&mut peer).await;
    let begun = stage.send(Ask { timeout: Some(LIMIT), ..call() }).await;
    let sent = peer.read().await;
    peer.reply(&sent, json!({ "result": { "content": [] } })).await;
    assert_eq!(ended(begun).await.status, CallStatus::Ok, "one request may have its own");
    stage.close().await;
}

#[tokio::test]
async fn cancellations_that_name_nothing_of_the_servers_are_ignored() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.send(call()).await;
    let sent = peer.read().await;
    for params in [json!({ "requestId": sent["id"] }), json!({ "requestId": "never" }), json!({}), Value::Null] {
        peer.notify("notifications/cancelled", params).await;
    }
    peer.reply(&sent, json!({ "result": { "content": [] } })).await;
    assert_eq!(ended(begun).await.status, CallStatus::Ok, "a server can't cancel what we asked");
    let log = stage.end(peer).await;
    assert_eq!(log.one("tools/call")["status"], "ok");
    stage.close().await;
}

#[tokio::test]
async fn what_is_open_when_the_server_ends_is_lost_and_the_log_says_unanswered() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.send(call()).await;
    peer.read().await;
    let log = stage.end(peer).await;
    let error = failed(begun).await;
    assert_eq!(error.code, ErrorCode::ConnectionLost);
    assert!(error.message.contains("tools/call"), "what was lost: {error}");
    assert_eq!(log.one("tools/call")["status"], "unanswered");
    let error = stage.door.app.begin(call()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NotReady, "nobody is there to ask: {error}");
    stage.close().await;
}

#[tokio::test]
async fn answers_in_any_order_find_their_calls_and_their_rows() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let mut calls = Vec::new();
    for number in 0..20 {
        let begun = stage.begin("tools/call", json!({ "name": format!("t{number}") })).await;
        calls.push((begun, peer.read().await));
    }
    for (_, sent) in calls.iter().rev() {
        peer.reply(sent, json!({ "result": { "content": [], "name": sent["params"]["name"] } })).await;
    }
    for (number, (begun, _)) in calls.into_iter().enumerate() {
        assert_eq!(result(&ended(begun).await)["name"], format!("t{number}"));
    }
    let log = stage.end(peer).await;
    let targets: Vec<_> = log.of("tools/call").iter().map(|row| row["target"].as_str().unwrap().to_owned()).collect();
    assert_eq!(
        targets,
        (0..20).map(|number| format!("t{number}")).collect::<Vec<_>>(),
        "rows stand as they were asked"
    );
    assert_eq!(stage.door.server(WIRE).await["state"], "stopped");
    stage.close().await;
}
