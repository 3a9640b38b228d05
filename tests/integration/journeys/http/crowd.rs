//! Many at once.

use integration::{HttpStage, ended, result};
use serde_json::json;

#[tokio::test]
async fn a_hundred_slow_calls_run_side_by_side() {
    let stage = HttpStage::open().await;
    stage.ready(Some("s-1")).await;
    let mut open = Vec::new();
    // Nothing is answered before all of them are there, so a client that sends one after another would wait for ever.
    for number in 0..100 {
        open.push((number, stage.begin("tools/call", json!({ "name": "slow", "arguments": { "n": number } })).await));
    }
    for (number, (begun, visit)) in open.into_iter().rev() {
        let request = visit.request.message();
        assert_eq!(request["params"]["arguments"]["n"], number, "each has its own request");
        let reply = json!({ "result": { "content": [], "structuredContent": { "n": number } } });
        if number % 2 == 0 {
            visit.reply(reply).await;
        } else {
            let stream = visit.stream().await;
            stream.reply(&request, reply).await;
            stream.end().await;
        }
        assert_eq!(result(&ended(begun).await)["structuredContent"]["n"], number, "and its own answer");
    }
    let log = stage.end().await;
    let rows = log.of("tools/call");
    assert_eq!(rows.len(), 100);
    assert!(rows.iter().all(|row| row["status"] == "ok"), "all of them are in the log");
    stage.close().await;
}
