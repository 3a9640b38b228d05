//! The forms that an answer has.

use integration::{HttpStage, ended, reply_to, result};
use serde_json::{Value, json};
use sonde_app::Gate;

use super::exchanges;

#[tokio::test]
async fn a_request_is_answered_by_json_or_by_an_event_stream() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    let accept = visit.request.header("accept").unwrap().to_owned();
    assert!(["application/json", "text/event-stream"].iter().all(|kind| accept.contains(kind)), "{accept}");
    assert_eq!(visit.request.header("content-type"), Some("application/json"));
    assert_eq!(visit.request.header("origin"), None, "we are no browser");
    visit.reply(json!({ "result": { "tools": [] } })).await;
    assert_eq!(result(&ended(begun).await), json!({ "tools": [] }), "as JSON");

    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    let request = visit.request.message();
    let stream = visit.stream().await;
    stream.raw(": hello\r\n\r\n").await;
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": 1 } });
    stream.message(&told).await;
    let answer = reply_to(&request, json!({ "result": { "tools": [], "nextCursor": "ü" } })).to_string();
    let (first, second) = answer.split_at(answer.find(',').unwrap() + 1);
    stream.raw(&format!("id: 7\rretry: 900\rdata: {first}\r")).await;
    stream.raw(&format!("data: {second}\r\r")).await;
    let seen = result(&ended(begun).await);
    assert_eq!(seen["nextCursor"], "ü", "as an event, however it is written");
    stream.end().await;

    let log = stage.end().await;
    let rows = log.of("tools/list");
    assert_eq!(rows.len(), 2, "two requests");
    let json = stage.door.row(rows[0]).await;
    assert_eq!((&json["http"][0]["status"], &json["http"][0]["method"]), (&json!(200), &json!("POST")), "{json}");
    assert_eq!(json["frames"][1]["event"], Value::Null, "JSON is no event");
    let events = stage.door.row(rows[1]).await;
    assert_eq!(events["frames"][1]["event"], json!({ "id": "7", "name": null, "retry": 900 }));
    assert_eq!(events["frames"][1]["text"], format!("{first}\n{second}"), "the lines of its data");
    let traffic = &events["http"][0]["traffic"];
    assert_eq!((&traffic["events"], &traffic["comment_lines"]), (&json!(2), &json!(1)), "{traffic}");
    assert_eq!(log.of("notifications/message").len(), 1, "what came before the answer is in the log");
    stage.close().await;
}

#[tokio::test]
async fn a_notification_is_taken_by_any_success_and_a_body_means_nothing() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let method = "notifications/roots/list_changed";
    for (status, body) in [(202, ""), (204, ""), (200, ""), (200, "{\"ok\":true}")] {
        stage.door.app.notify(&stage.server, method, None, Gate::Keep).await.unwrap();
        let visit = stage.site.post(method).await;
        visit.respond(status, &[("content-type", "application/json")], body.as_bytes()).await;
        stage.ping().await;
    }
    let log = stage.end().await;
    let mut statuses = Vec::new();
    for row in log.of(method) {
        statuses.push(stage.door.row(row).await["http"][0]["status"].clone());
    }
    assert_eq!(json!(statuses), json!([202, 204, 200, 200]), "each is in the log as it was");
    stage.close().await;
}

#[tokio::test]
async fn a_notification_that_is_refused_is_told_on_its_row_and_ends_nothing() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let method = "notifications/roots/list_changed";
    stage.door.app.notify(&stage.server, method, None, Gate::Keep).await.unwrap();
    let said = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32000, "message": "not today" } });
    let json = [("content-type", "application/json")];
    stage.site.post(method).await.respond(400, &json, said.to_string().as_bytes()).await;
    stage.ping().await;
    let log = stage.end().await;
    let row = log.one(method);
    let finding = &row["findings"][0];
    assert_eq!(finding["code"], "http-failed", "{row}");
    assert!(finding["message"].as_str().unwrap().contains("not today"), "in the server's own words: {finding}");
    stage.close().await;
}

#[tokio::test]
async fn a_server_that_offers_no_stream_is_asked_once() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    for _ in 0..3 {
        stage.ping().await;
    }
    let log = stage.end().await;
    assert_eq!(exchanges(&log.rows), ["GET 405"], "one row of its own");
    let row = log.kind("http");
    assert_eq!(
        (&row["status"], &row["target"], &row["findings"]),
        (&json!("ok"), &json!("/mcp"), &json!([])),
        "no fault"
    );
    let gets: Vec<_> = stage.site.requests().into_iter().filter(|request| request.method == "GET").collect();
    assert_eq!(gets.len(), 1, "nobody asks twice");
    assert_eq!(gets[0].header("accept"), Some("text/event-stream"));
    stage.close().await;
}

#[tokio::test]
async fn a_success_that_is_no_answer_fails_the_call_and_says_what_came() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    for (status, kind, body, words) in [
        (200, "text/html", "<h1>Welcome</h1>", "text/html"),
        (202, "application/json", "", "202"),
        (204, "application/json", "", "204"),
        (500, "text/plain", "out of coffee", "out of coffee"),
        (429, "text/plain", "", "429"),
    ] {
        // A call may have run, so nobody tries it again.
        let (begun, visit) = stage.begin("tools/call", json!({ "name": "t", "arguments": {} })).await;
        visit.respond(status, &[("content-type", kind)], body.as_bytes()).await;
        let error = super::failed(begun).await;
        assert!(format!("{error:?}").contains(words), "{status} {kind}: {error:?}");
        stage.ping().await;
    }
    let posts = stage.site.requests().into_iter().filter(|request| request.words() == "POST tools/call");
    assert_eq!(posts.count(), 5, "nothing was sent twice");
    stage.close().await;
}

#[tokio::test]
async fn a_server_that_is_only_busy_is_asked_again_for_what_does_not_run() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    visit.respond(503, &[("retry-after", "0")], b"").await;
    let again = stage.site.post("tools/list").await;
    again.reply(json!({ "result": { "tools": [] } })).await;
    assert_eq!(result(&ended(begun).await), json!({ "tools": [] }));
    let log = stage.end().await;
    let detail = stage.door.row(log.one("tools/list")).await;
    let statuses: Vec<_> = detail["http"].as_array().unwrap().iter().map(|http| &http["status"]).collect();
    assert_eq!(statuses, [503, 200], "its row shows both: {detail}");
    stage.close().await;
}

#[tokio::test]
async fn an_answer_to_somebody_else_is_none() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/call", json!({ "name": "t", "arguments": {} })).await;
    let other = reply_to(&json!({ "id": 999 }), json!({ "result": { "content": [] } })).to_string();
    visit.respond(200, &[("content-type", "application/json")], other.as_bytes()).await;
    super::failed(begun).await;
    let findings = stage.end().await.findings();
    assert_eq!(findings, ["tools/call http-failed", "orphan unknown-id"], "both sides of it are told");
    stage.close().await;
}
