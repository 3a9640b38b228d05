//! One call of every tool that asks nothing; `questions` calls the others.

use serde_json::{Value, json};

use super::conversation::judge;
use super::reach::{Server, over_each_transport};
use super::servers::{sqlite, time};
use super::sonde::Sonde;

/// A tool, its arguments, where in the result to look, and what to find there: a text may hold more around it.
pub type Case = (&'static str, Value, &'static str, Value);

/// The first text of a result.
pub const TEXT: &str = "/content/0/text";

/// Calls each tool in order, with options of ours.
pub fn call_each(sonde: &Sonde, server: &Server, options: &[&str], cases: &[Case]) {
    for (tool, arguments, place, expected) in cases {
        let arguments = arguments.to_string();
        let words = [&["call", tool, "--json", &arguments], options].concat();
        let result = sonde.json(&words, server);
        let found = result.pointer(place).unwrap_or_else(|| panic!("`{tool}` gives nothing at {place}: {result}"));
        let fits = match (found, expected) {
            (Value::String(found), Value::String(part)) => found.contains(part.as_str()),
            (found, expected) => found == expected,
        };
        assert!(fits, "`{tool}` gives {found} and not {expected}");
    }
}

/// The names of the tools that the server offers to a client with these options.
pub fn offered(sonde: &Sonde, server: &Server, options: &[&str]) -> Vec<String> {
    let tools = sonde.json(&[&["tools"], options].concat(), server);
    let tools = tools["tools"].as_array().expect("a list of tools").iter();
    tools.map(|tool| tool["name"].as_str().expect("a tool has a name").to_owned()).collect()
}

fn names(cases: &[Case]) -> Vec<&str> {
    cases.iter().map(|(tool, ..)| *tool).collect()
}

over_each_transport!(every_tool_of_the_everything_server_that_asks_nothing_is_called);

fn every_tool_of_the_everything_server_that_asks_nothing_is_called(server: &Server) {
    let sonde = Sonde::new();
    let message = json!({ "messageType": "error", "includeImage": true });
    let reference = json!({ "resourceType": "Blob", "resourceId": 7 });
    let gzip = json!({ "name": "hello.gz", "data": "data:text/plain,hello", "outputType": "resource" });
    let cases = [
        ("echo", json!({ "message": "over here" }), TEXT, json!("Echo: over here")),
        ("get-annotated-message", message, "/content/0/annotations/audience", json!(["user", "assistant"])),
        ("get-env", json!({}), TEXT, json!("PATH")),
        ("get-resource-links", json!({ "count": 3 }), "/content/3/type", json!("resource_link")),
        ("get-resource-reference", reference, "/content/1/resource/uri", json!("demo://resource/dynamic/blob/7")),
        ("get-structured-content", json!({ "location": "Chicago" }), "/structuredContent/humidity", json!(82)),
        ("get-sum", json!({ "a": 2, "b": 40 }), TEXT, json!("42")),
        ("get-tiny-image", json!({}), "/content/1/mimeType", json!("image/png")),
        ("gzip-file-as-resource", gzip, "/content/0/resource/mimeType", json!("application/gzip")),
        ("toggle-simulated-logging", json!({}), TEXT, json!("Started simulated")),
        ("toggle-subscriber-updates", json!({}), TEXT, json!("Started simulated")),
        ("trigger-long-running-operation", json!({ "duration": 0.1, "steps": 2 }), TEXT, json!("completed")),
    ];
    let nothing = ["--capabilities", "{}"];
    let expected = [names(&cases), vec!["simulate-research-query"]].concat();
    assert_eq!(offered(&sonde, server, &nothing), expected, "to a client that answers nothing");
    call_each(&sonde, server, &nothing, &cases);
    judge(&sonde.log());
}

#[test]
fn every_tool_of_the_time_server_is_called() {
    let sonde = Sonde::new();
    let conversion = json!({ "source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo" });
    let cases = [
        ("get_current_time", json!({ "timezone": "UTC" }), "/structuredContent/timezone", json!("UTC")),
        ("convert_time", conversion, "/structuredContent/time_difference", json!("+9.0h")),
    ];
    assert_eq!(offered(&sonde, &time(), &[]), names(&cases), "there is no other");
    call_each(&sonde, &time(), &[], &cases);
    judge(&sonde.log());
}

#[test]
fn every_tool_of_the_sqlite_server_is_called_and_its_resource_and_prompt_are_read() {
    let sonde = Sonde::new();
    let server = sqlite(&sonde.work());
    let query = |text: &str| json!({ "query": text });
    let cases = [
        ("create_table", query("CREATE TABLE tea (name TEXT, grams INT)"), TEXT, json!("Table created")),
        ("write_query", query("INSERT INTO tea VALUES ('Assam', 250)"), TEXT, json!("'affected_rows': 1")),
        ("read_query", query("SELECT name, grams FROM tea"), TEXT, json!("[{'name': 'Assam', 'grams': 250}]")),
        ("list_tables", json!({}), TEXT, json!("tea")),
        ("describe_table", json!({ "table_name": "tea" }), TEXT, json!("grams")),
        ("append_insight", json!({ "insight": "tea sells" }), TEXT, json!("Insight added")),
    ];
    let mut offered = offered(&sonde, &server, &[]);
    let mut expected = names(&cases);
    offered.sort_unstable();
    expected.sort_unstable();
    assert_eq!(offered, expected, "there is no other");
    call_each(&sonde, &server, &[], &cases);

    let memo = sonde.json(&["read", "memo://insights"], &server);
    assert_eq!(memo["contents"][0]["mimeType"], "text/plain", "the resource is read: {memo}");
    let prompt = sonde.json(&["prompt", "mcp-demo", "--arg", "topic=tea"], &server);
    assert!(prompt["messages"][0]["content"]["text"].as_str().unwrap().contains("tea"), "the prompt is made: {prompt}");
    judge(&sonde.log());
}
