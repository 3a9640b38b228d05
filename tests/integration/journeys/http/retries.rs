//! What is sent again to a server that is only busy, when, and how often.

use integration::{HttpStage, ended, result};
use serde_json::{Value, json};
use sonde_app::ErrorCode;

use super::{failed, marks};

const BUSY: [u16; 5] = [429, 500, 502, 503, 504];

fn count(stage: &HttpStage, words: &str) -> usize {
    stage.site.requests().iter().filter(|request| request.words() == words).count()
}

#[tokio::test]
async fn what_only_reads_is_sent_again_in_sight() {
    let stage = HttpStage::open().await;
    stage.ready(Some("s-1")).await;
    for status in BUSY {
        let (begun, visit) = stage.begin("tools/list", json!({})).await;
        let first = visit.request.clone();
        visit.respond(status, &[("retry-after", "0")], b"").await;
        let again = stage.site.post("tools/list").await;
        assert_eq!(again.request.body, first.body, "{status}: the same message, with the same id");
        assert_eq!(again.request.header("mcp-session-id"), Some("s-1"), "{status}");
        again.reply(json!({ "result": { "tools": [] } })).await;
        assert_eq!(result(&ended(begun).await), json!({ "tools": [] }), "{status}");
    }
    let log = stage.end().await;
    let told = marks(&log.rows);
    for (row, status) in log.of("tools/list").into_iter().zip(BUSY) {
        let words = format!("HTTP {status} · try 1 again in 0.0 s");
        assert!(told.contains(&&*words), "`{words}` in {told:?}");
        let detail = stage.door.row(row).await;
        let both = detail["http"].as_array().unwrap();
        let statuses: Vec<&Value> = both.iter().map(|http| &http["status"]).collect();
        assert_eq!(statuses, [&json!(status), &json!(200)], "its row shows both: {detail}");
        assert_eq!(both[1]["follows"], both[0]["number"], "and that the second repeats the first");
        assert_eq!(row["status"], "ok", "in the end it went well: {row}");
        assert_eq!(detail["frames"].as_array().unwrap().len(), 2, "one request, one answer: {detail}");
    }
    stage.close().await;
}

#[tokio::test]
async fn what_may_have_run_is_never_sent_again() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    for (number, status) in BUSY.into_iter().enumerate() {
        let (begun, visit) = stage.begin("tools/call", json!({ "name": "t", "arguments": {} })).await;
        visit.respond(status, &[("retry-after", "0")], b"").await;
        let error = failed(begun).await;
        assert_eq!(error.code, ErrorCode::HttpFailed, "{error:?}");
        assert!(error.message.contains(&status.to_string()), "{error:?}");
        assert_eq!(super::fact(&error, "retry after"), ["0"], "a person may try again: {error:?}");
        stage.ping().await;
        assert_eq!(count(&stage, "POST tools/call"), number + 1, "{status}");
    }
    let log = stage.end().await;
    assert!(marks(&log.rows).iter().all(|mark| !mark.contains("again")), "{:?}", marks(&log.rows));
    stage.close().await;
}

#[tokio::test]
async fn a_server_says_when_to_try_again_and_is_not_believed_beyond_a_minute() {
    for (after, pause) in [
        ("7", "7.0 s"),
        ("Fri, 31 Dec 2100 23:59:59 GMT", "60.0 s"),
        ("1000000000000", "60.0 s"),
        // What is no time, or one that is over, is as good as nothing.
        ("1e12", "1.5 s"),
        ("-1", "1.5 s"),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1.5 s"),
        ("99999999999999999999999999", "1.5 s"),
        ("soon", "1.5 s"),
        ("", "1.5 s"),
    ] {
        let stage = HttpStage::open().await;
        stage.ready(None).await;
        let (begun, visit) = stage.begin("tools/list", json!({})).await;
        visit.respond(503, &[("retry-after", after)], b"").await;
        let words = format!("HTTP 503 · try 1 again in {pause}");
        let what = format!("`{words}` after `{after}`");
        stage.door.until_row(&what, stage.view(), |row| row["kind"] == "mark" && row["target"] == *words).await;
        // Nobody waits for it: what is cancelled meanwhile ends at once.
        stage.door.app.cancel(begun.call).unwrap();
        let error = failed(begun).await;
        assert_eq!(error.code, ErrorCode::Cancelled, "{after}: {error:?}");
        stage.close().await;
    }
}

#[tokio::test]
async fn after_three_more_tries_the_last_refusal_counts() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    visit.respond(503, &[("retry-after", "0")], b"").await;
    for (status, body) in [(429, "first"), (502, "second"), (500, "third")] {
        let again = stage.site.post("tools/list").await;
        again.respond(status, &[("retry-after", "0"), ("content-type", "text/plain")], body.as_bytes()).await;
    }
    let error = failed(begun).await;
    assert!(error.message.contains("500") && error.message.contains("third"), "{error:?}");
    stage.ping().await;
    assert_eq!(count(&stage, "POST tools/list"), 1 + 3);
    let log = stage.end().await;
    let detail = stage.door.row(log.one("tools/list")).await;
    let chain = detail["http"].as_array().unwrap();
    let statuses: Vec<&Value> = chain.iter().map(|http| &http["status"]).collect();
    assert_eq!(statuses, [503, 429, 502, 500], "all of it is in the row: {detail}");
    for pair in chain.windows(2) {
        assert_eq!(pair[1]["follows"], pair[0]["number"], "{detail}");
    }
    let told: Vec<&str> = marks(&log.rows).into_iter().filter(|mark| mark.contains("again")).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    stage.close().await;
}

#[tokio::test]
async fn a_refusal_that_is_for_good_is_not_asked_about_again() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    for (number, status) in [400, 401, 403, 404, 405, 408, 413, 501].into_iter().enumerate() {
        let (begun, visit) = stage.begin("tools/list", json!({})).await;
        visit.respond(status, &[("retry-after", "0")], b"").await;
        let error = failed(begun).await;
        assert!(error.message.contains(&status.to_string()), "{error:?}");
        stage.ping().await;
        assert_eq!(count(&stage, "POST tools/list"), number + 1, "{status}");
    }
    stage.close().await;
}
