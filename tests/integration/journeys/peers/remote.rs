//! What only a server that listens does: answers with JSON or with a stream, breaks streams off, ends sessions.

use integration::Profile;
use serde_json::{Value, json};

use super::calls::{TEXT, call_each};
use super::conversation::judge;
use super::reach::{Over, Server};
use super::servers::{everything, json_only, polling};
use super::sonde::Sonde;

/// The rows of one method.
fn of_method<'a>(rows: &'a [Value], method: &str) -> Vec<&'a Value> {
    rows.iter().filter(|row| row["method"] == method).collect()
}

/// The HTTP exchanges of a row, the first of them first.
fn exchanges(row: &Value) -> &Vec<Value> {
    row["http"].as_array().unwrap_or_else(|| panic!("a row tells its HTTP exchanges: {row}"))
}

fn header<'a>(headers: &'a Value, name: &str) -> Option<&'a str> {
    let mut headers = headers.as_array().expect("headers are a list").iter();
    headers.find(|header| header["name"] == name).and_then(|header| header["value"].as_str())
}

#[test]
fn answers_that_are_json_alone_are_taken_and_the_missing_stream_is_no_fault() {
    let (sonde, server) = (Sonde::new(), json_only());
    let name = json!({ "name": "Ada" });
    let cases =
        [("greet", name.clone(), TEXT, json!("Hello, Ada!")), ("multi-greet", name, TEXT, json!("Good morning, Ada!"))];
    call_each(&sonde, &server, &[], &cases);
    let rows = sonde.log();
    judge(&rows);
    for call in of_method(&rows, "tools/call") {
        let [exchange] = exchanges(call).as_slice() else { panic!("one request, one answer: {call}") };
        assert_eq!((&exchange["method"], &exchange["status"]), (&json!("POST"), &json!(200)));
        let answered = header(&exchange["response_headers"], "content-type").expect("it tells what it is");
        assert!(answered.starts_with("application/json"), "not a stream: {answered}");
        let asked = &exchange["request_headers"];
        assert_eq!(header(asked, "mcp-protocol-version"), Some("2025-11-25"), "what was agreed: {asked}");
        let session = header(asked, "mcp-session-id").expect("the session is named");
        assert!(session.starts_with('‹'), "but not told to whoever reads the log: {session}");
    }
    let streams: Vec<_> = of_method(&rows, "GET").iter().map(|row| row["code"].clone()).collect();
    assert_eq!(streams, [405, 405], "each connection asks once for a stream, and is told that there is none");
}

#[test]
fn an_answer_is_fetched_where_the_server_broke_its_stream_off() {
    let (sonde, server) = (Sonde::new(), polling());
    let cases = [("long-task", json!({}), TEXT, json!("Long task completed successfully!"))];
    call_each(&sonde, &server, &[], &cases);
    let rows = sonde.log();
    judge(&rows);
    let told: Vec<String> = of_method(&rows, "notifications/message")
        .iter()
        .map(|row| serde_json::from_str::<Value>(row["frames"][0]["text"].as_str().unwrap()).unwrap())
        .map(|message| message["params"]["data"].as_str().unwrap().chars().take(13).collect())
        .collect();
    assert_eq!(told, ["Progress: 25%", "Progress: 50%", "Progress: 75%", "Progress: 100"], "each once, in their order");

    let call = of_method(&rows, "tools/call")[0];
    let [asked, fetched] = exchanges(call).as_slice() else { panic!("a request, and one to go on with it: {call}") };
    assert_eq!((&asked["method"], &fetched["method"]), (&json!("POST"), &json!("GET")));
    assert_eq!(fetched["follows"], asked["number"], "the second goes on with the first");
    let resumed = header(&fetched["request_headers"], "last-event-id").expect("behind the event that was its last");
    let elsewhere =
        of_method(&rows, "notifications/message").iter().any(|row| row["frames"][0]["event"]["id"] == resumed);
    assert!(!elsewhere, "of its own stream, and not of the one that brings the messages: {resumed}");
    assert_eq!(call["frames"][1]["http"], fetched["number"], "the answer came with the second");
}

#[test]
fn a_session_is_ended_by_who_began_it() {
    let (sonde, server) = (Sonde::new(), everything(Over::Http));
    sonde.json(&["ping"], &server);
    let rows = sonde.log();
    judge(&rows);
    let ends = of_method(&rows, "DELETE");
    assert_eq!(ends.len(), 1, "once: {ends:?}");
    assert_eq!(ends[0]["code"], 200, "and the server took it: {}", ends[0]);
}

#[test]
fn a_server_of_the_older_transport_is_recognised() {
    let (sonde, server) = (Sonde::new(), everything(Over::Sse));
    let words = server.words();
    let tools = sonde.json_at(&["tools", "--url", &words[1]]);
    assert_eq!(tools["tools"].as_array().map(Vec::len), Some(19), "its tools are listed");
    let rows = sonde.log();
    let initialize = of_method(&rows, "initialize")[0];
    let posts = exchanges(initialize).iter().filter(|each| each["method"] == "POST");
    let posts: Vec<_> = posts.map(|each| each["status"].clone()).collect();
    assert_eq!(posts, [404, 202], "as the newer one is told, then at the address that the stream named");
}

/// What a window does: a configured server is approved, connected, listed and called, and its questions answered.
async fn visit(server: &Server, tool: &str, arguments: Value, expected: &str) {
    let profile = Profile::default().with_entry("remote", server.entry());
    let door = profile.open().await;
    door.connect("remote").await;
    let call = door.run_tool("remote", tool, arguments).await;
    assert_eq!(call["status"], "ok", "the call went well: {call}");
    let result = call["result"]["text"].as_str().expect("a result");
    assert!(result.contains(expected), "the result is the tool's: {result}");
    door.disconnect("remote").await;
    let row = door.until_row("the call in the log", json!({ "server": "remote", "kind": "exchange" }), |row| {
        row["method"] == "tools/call" && row["status"] == "ok"
    });
    let row = door.row(&row.await).await;
    let posted = exchanges(&row).iter().find(|each| each["number"] == row["frames"][0]["http"]);
    assert_eq!(posted.map(|each| &each["method"]), Some(&json!("POST")), "the log tells how it travelled: {row}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_window_s_way_to_the_everything_server_over_http() {
    visit(&everything(Over::Http), "get-sum", json!({ "a": 2, "b": 40 }), "42").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_window_s_way_to_the_everything_server_over_sse() {
    visit(&everything(Over::Sse), "get-sum", json!({ "a": 2, "b": 40 }), "42").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_window_s_way_to_a_server_that_answers_with_json_alone() {
    visit(&json_only(), "greet", json!({ "name": "Ada" }), "Hello, Ada!").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_window_s_way_to_a_server_that_is_polled() {
    visit(&polling(), "long-task", json!({}), "Long task completed successfully!").await;
}
