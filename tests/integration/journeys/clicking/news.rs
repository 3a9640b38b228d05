//! Completions, subscriptions, levels, pings.

use integration::{Door, Profile};
use serde_json::{Value, json};
use sonde_app::ErrorCode;

use super::demo;

#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_completed_with_what_the_others_say() {
    let (_profile, door) = demo().await;
    let ask = |argument: &str, value: &str, context: Value| {
        json!({
            "server": "demo", "of": "template", "name": "demo://city/{country}/{city}", "argument": argument,
            "value": value, "context": context,
        })
    };
    let countries = door.ask("complete_argument", ask("country", "", json!({}))).await;
    let country = countries["values"][0].as_str().expect("there are countries").to_owned();
    let cities = door.ask("complete_argument", ask("city", "", json!({ "country": country }))).await;
    let elsewhere = door.ask("complete_argument", ask("city", "", json!({ "country": countries["values"][1] }))).await;
    assert_ne!(cities["values"], elsewhere["values"], "the cities of one country are not those of another");
    let row = |row: &Value| row["method"] == "completion/complete" && row["status"] == "ok";
    let row = door.until_row("the completion", json!({ "kind": "exchange" }), row).await;
    assert_eq!(door.frame(&row, 0).await["params"]["ref"]["type"], "ref/resource");
    let prompt = json!({
        "server": "demo", "of": "prompt", "name": "nobody", "argument": "x", "value": "", "context": {},
    });
    assert_eq!(door.call("complete_argument", prompt).await.unwrap_err().code, ErrorCode::ServerError);
    door.close().await;
}

async fn subscriptions(door: &Door) -> Value {
    door.ask("list_subscriptions", json!({ "server": "demo" })).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_counts_its_updates_until_it_ends() {
    let (_profile, door) = demo().await;
    let note = json!({ "server": "demo", "uri": "demo://note" });
    door.ask("subscribe_resource", note.clone()).await;
    assert_eq!(subscriptions(&door).await["subscriptions"][0]["updates"], 0);
    for number in 1..=3 {
        door.run_tool("demo", "note", json!({ "text": format!("note {number}") })).await;
    }
    let list = door
        .until("three updates", async || {
            let list = subscriptions(&door).await;
            (list["subscriptions"][0]["updates"] == 3).then_some(list)
        })
        .await;
    assert_eq!(list["subscriptions"][0]["recent"].as_array().map(Vec::len), Some(3));
    assert_eq!((&list["unasked"], &list["missed"]), (&json!(0), &json!(0)));
    let revision = door.server("demo").await["news_revision"].clone();
    door.ask("unsubscribe_resource", note).await;
    assert_eq!(subscriptions(&door).await["subscriptions"], json!([]));
    assert_ne!(door.server("demo").await["news_revision"], revision, "a window is told that there is news");
    let unknown = json!({ "server": "demo", "uri": "demo://nothing-of-the-kind" });
    door.call("subscribe_resource", unknown).await.unwrap_err();
    assert_eq!(subscriptions(&door).await["subscriptions"], json!([]), "what was refused is not followed");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_level_that_was_set_is_told_until_the_connection_ends() {
    let (_profile, door) = demo().await;
    assert_eq!(door.server("demo").await["log_level"], Value::Null);
    door.ask("set_log_level", json!({ "server": "demo", "level": "error" })).await;
    assert_eq!(door.server("demo").await["log_level"], "error");
    let sent = door.run_tool("demo", "log", json!({})).await;
    assert!(sent["result"]["text"].as_str().is_some_and(|text| text.contains("sent 4 of 8")), "{sent}");
    door.call("set_log_level", json!({ "server": "demo", "level": "loud" })).await.unwrap_err();
    assert_eq!(door.server("demo").await["log_level"], "error", "what was refused changes nothing");
    door.disconnect("demo").await;
    door.connect("demo").await;
    assert_eq!(door.server("demo").await["log_level"], Value::Null, "nobody told the new one");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ping_says_how_long_it_took_and_a_server_that_is_gone_says_so() {
    let (_profile, door) = demo().await;
    let pong = door.ask("ping_server", json!({ "server": "demo" })).await;
    assert!(pong["ms"].as_f64().is_some_and(|ms| ms > 0.0), "{pong}");
    door.disconnect("demo").await;
    let error = door.call("ping_server", json!({ "server": "demo" })).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NotReady, "{error}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_overview_knows_what_was_asked_for_and_what_the_lists_come_to() {
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    let detail = door
        .until("all lists", async || {
            let detail = door.ask("describe_server", json!({ "server": "demo" })).await;
            (detail["definitions"].as_array().map(Vec::len) == Some(4)).then_some(detail)
        })
        .await;
    assert_eq!(detail["offered_revision"], detail["summary"]["revision"], "the demo speaks the newest");
    let tools = &detail["definitions"][0];
    assert_eq!((&tools["catalog"], &tools["entries"]), (&json!("tools"), &detail["summary"]["tool_count"]));
    assert!(tools["bytes"].as_u64().is_some_and(|bytes| bytes > 1000), "{tools}");
    door.close().await;
}
