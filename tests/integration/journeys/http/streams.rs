//! Event streams, their breaks and what is resumed.

use integration::{HttpStage, Visit, ended, reply_to, result};
use serde_json::{Value, json};

use super::{exchanges, failed, marks};

/// The request for the rest of a stream.
async fn resumed(stage: &HttpStage, after: &str) -> Visit {
    let wanted = |request: &integration::Request| {
        request.method == "GET" && request.header("last-event-id").is_some_and(|id| id == after)
    };
    stage.site.visit(&format!("GET after `{after}`"), wanted).await
}

fn named(name: &str) -> Value {
    json!({ "result": { "tools": [], "nextCursor": name } })
}

#[tokio::test]
async fn each_stream_is_resumed_where_it_broke_off() {
    let stage = HttpStage::open().await;
    stage.ready(Some("s-1")).await;
    let (first, one) = stage.begin("tools/list", json!({})).await;
    let (second, two) = stage.begin("tools/list", json!({})).await;
    let (one_request, two_request) = (one.request.message(), two.request.message());
    let (one, two) = (one.stream().await, two.stream().await);
    one.raw("id: one/1\nretry: 600\ndata:\n\n").await;
    two.raw("id: two/1\ndata:\n\n").await;
    one.end().await;
    // This one is broken by force, after something that came for nobody in particular.
    two.message_with_id("two/2", &json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).await;
    stage
        .door
        .until_row("the notification", stage.view(), |row| row["method"] == "notifications/tools/list_changed")
        .await;
    drop(two);

    let visit = resumed(&stage, "two/2").await;
    assert_eq!(visit.request.header("mcp-session-id"), Some("s-1"), "in the same session");
    assert_eq!(visit.request.header("accept"), Some("text/event-stream"));
    let rest = visit.stream().await;
    rest.message_with_id("two/3", &reply_to(&two_request, named("two"))).await;
    let rest_of_one = resumed(&stage, "one/1").await.stream().await;
    rest_of_one.message_with_id("one/2", &reply_to(&one_request, named("one"))).await;
    assert_eq!(result(&ended(second).await)["nextCursor"], "two");
    assert_eq!(result(&ended(first).await)["nextCursor"], "one");
    rest.end().await;
    rest_of_one.end().await;

    let log = stage.end().await;
    assert_eq!(log.findings(), Vec::<String>::new(), "nobody broke a rule");
    let told = marks(&log.rows);
    assert!(told.iter().any(|mark| mark.contains("0.6 s")), "the pause is the one that the server wished: {told:?}");
    let detail = stage.door.row(log.of("tools/list")[0]).await;
    let numbers: Vec<_> = detail["http"].as_array().unwrap().iter().map(|http| &http["method"]).collect();
    assert_eq!(numbers, ["POST", "GET"], "the row shows both: {detail}");
    assert_eq!(detail["http"][1]["follows"], detail["http"][0]["number"], "the second goes on with the first");
    stage.close().await;
}

#[tokio::test]
async fn a_stream_that_ends_without_answer_and_without_ids_fails_the_call_at_once() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    for (force, words) in [(false, "no event had an id"), (true, "the connection broke")] {
        let (begun, visit) = stage.begin("tools/list", json!({})).await;
        let stream = visit.stream().await;
        stream.raw("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n").await;
        if force {
            drop(stream);
        } else {
            stream.end().await;
        }
        let error = failed(begun).await;
        assert!(format!("{error:?}").contains(words), "it says why: {error:?}");
    }
    stage.ping().await;
    let words: Vec<_> = stage.site.requests().iter().map(integration::Request::words).collect();
    assert_eq!(words.iter().filter(|words| *words == "GET").count(), 1, "nothing was resumed: {words:?}");
    assert_eq!(words.iter().filter(|words| *words == "POST tools/list").count(), 2, "nothing was sent again");
    stage.close().await;
}

#[tokio::test]
async fn half_an_event_is_told_and_taken_for_nothing() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    let answer = reply_to(&visit.request.message(), named("x"));
    let stream = visit.stream().await;
    stream.raw(&format!("id: 1\ndata: {answer}\n")).await;
    stream.end().await;
    let error = failed(begun).await;
    assert!(format!("{error:?}").contains("no event had an id"), "nor does its id count: {error:?}");
    stage.close().await;
}

#[tokio::test]
async fn a_question_on_the_stream_of_a_call_is_answered_by_a_post_of_its_own() {
    let stage = HttpStage::open().await;
    stage.ready(Some("s-1")).await;
    let (begun, visit) = stage.begin("tools/call", json!({ "name": "t", "arguments": {} })).await;
    let request = visit.request.message();
    let stream = visit.stream().await;
    stream.message(&json!({ "jsonrpc": "2.0", "id": "q1", "method": "roots/list" })).await;
    let answer = stage.site.post_of_answer(&json!("q1")).await;
    assert!(answer.request.message()["result"]["roots"].is_array(), "{:?}", answer.request.message());
    answer.status(202).await;
    stream.reply(&request, json!({ "result": { "content": [] } })).await;
    stream.end().await;
    assert_eq!(result(&ended(begun).await), json!({ "content": [] }));
    let log = stage.end().await;
    let row = stage.door.row(log.one("roots/list")).await;
    let methods: Vec<_> = row["http"].as_array().unwrap().iter().map(|http| &http["number"]).collect();
    assert_eq!(methods.len(), 2, "the question came in one exchange and the answer went in another: {row}");
    assert_eq!(log.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn an_answer_that_comes_on_two_streams_is_delivered_once_and_told() {
    let stage = HttpStage::open().await;
    let listening = stage.ready_listening(Some("s-1")).await;
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    let answer = reply_to(&visit.request.message(), named("x"));
    let stream = visit.stream().await;
    stream.message_with_id("a/1", &answer).await;
    assert_eq!(result(&ended(begun).await)["nextCursor"], "x");
    listening.message_with_id("b/1", &answer).await;
    stage.door.until_row("the second one", stage.view(), |row| row["kind"] == "orphan").await;
    stream.end().await;
    stage.ping().await;
    drop(listening);
    let log = stage.end().await;
    let findings = log.findings();
    for code in ["duplicate-response", "misplaced-response"] {
        assert!(findings.iter().any(|finding| finding.ends_with(code)), "{code} in {findings:?}");
    }
    assert_eq!(log.one("tools/list")["status"], "ok", "the call is not touched by it");
    stage.close().await;
}

#[tokio::test]
async fn the_standing_stream_brings_news_and_is_opened_again_where_it_ended() {
    let stage = HttpStage::open().await;
    let stream = stage.ready_listening(Some("s-1")).await;
    let news = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
    stream.message_with_id("g/1", &news).await;
    stream.raw("retry: 500\n\n").await;
    stream.end().await;
    let again = resumed(&stage, "g/1").await;
    assert_eq!(again.request.header("mcp-session-id"), Some("s-1"));
    let again = again.stream().await;
    again.message_with_id("g/2", &news).await;
    let both = async || {
        let rows = stage.door.rows(stage.view()).await;
        let news = rows.iter().filter(|row| row["method"] == "notifications/tools/list_changed").count();
        (news == 2).then_some(())
    };
    stage.door.until("the news of both", both).await;
    stage.ping().await;
    let log = stage.end().await;
    assert_eq!(log.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn an_event_id_that_is_used_twice_is_told() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    let request = visit.request.message();
    let stream = visit.stream().await;
    let news = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
    stream.message_with_id("1", &news).await;
    stream.message_with_id("1", &reply_to(&request, named("x"))).await;
    stream.end().await;
    ended(begun).await;
    let findings = stage.end().await.findings();
    assert_eq!(findings, ["tools/list reused-event-id"]);
    stage.close().await;
}

#[tokio::test]
async fn a_call_whose_stream_may_not_be_resumed_fails() {
    for status in [400, 405] {
        let stage = HttpStage::open().await;
        stage.ready(None).await;
        let (begun, visit) = stage.begin("tools/call", json!({ "name": "t", "arguments": {} })).await;
        let stream = visit.stream().await;
        stream.raw("id: 1\nretry: 500\ndata:\n\n").await;
        stream.end().await;
        resumed(&stage, "1").await.status(status).await;
        let error = failed(begun).await;
        assert!(format!("{error:?}").contains(&status.to_string()), "{error:?}");
        stage.ping().await;
        stage.close().await;
    }
}

#[tokio::test]
async fn without_the_standing_stream_everything_else_works() {
    for status in [200, 401, 403, 404, 500] {
        let stage = HttpStage::open().await;
        stage.connect().await;
        stage.agree("2025-11-25", Some("s-1")).await;
        stage.site.get().await.respond(status, &[("content-type", "text/html")], b"Cannot GET /mcp").await;
        stage.until_ready().await;
        assert_eq!(stage.ping().await.header("mcp-session-id"), Some("s-1"), "{status}: the session is not lost");
        let initializes = stage.site.requests().into_iter().filter(|request| request.words() == "POST initialize");
        assert_eq!(initializes.count(), 1, "{status}");
        let log = stage.end().await;
        let gets = exchanges(&log.rows);
        assert_eq!(gets.first(), Some(&format!("GET {status}")), "it is in the log: {gets:?}");
        stage.close().await;
    }
}
