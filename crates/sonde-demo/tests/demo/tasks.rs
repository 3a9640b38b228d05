//! Tasks of revision 2025-11-25.

use serde_json::{Value, json};

use crate::peer::Peer;

const RELATED: &str = "io.modelcontextprotocol/related-task";

#[test]
fn a_tool_says_whether_it_can_be_a_task_where_the_revision_knows_tasks() {
    for (revision, support) in [("2025-11-25", json!({ "taskSupport": "optional" })), ("2025-06-18", Value::Null)] {
        let mut peer = Peer::demo_for(revision, json!({}));
        let tools = peer.request("tools/list", json!({}))["result"]["tools"].take();
        let tools = tools.as_array().expect("a list of tools");
        let execution = |name: &str| tools.iter().find(|tool| tool["name"] == name).map(|tool| &tool["execution"]);
        assert_eq!(execution("report"), Some(&support), "in {revision}");
        let knows_tasks = revision == "2025-11-25";
        for (name, support) in [("research", "required"), ("slow", "forbidden")] {
            let said = execution(name).and_then(|execution| execution["taskSupport"].as_str());
            assert_eq!(said, knows_tasks.then_some(support), "`{name}` in {revision}");
        }
        assert_eq!(execution("echo"), Some(&Value::Null), "nothing said means that it cannot");
    }
}

#[test]
fn a_task_is_answered_at_once_and_its_result_later() {
    let mut peer = Peer::demo();
    let task = begin(&mut peer, json!({ "topic": "tea", "seconds": 0.2, "stages": 2 }));
    assert_eq!(task["status"], "working");
    assert_eq!(
        (&task["ttl"], task["pollInterval"].is_u64()),
        (&json!(60_000), true),
        "the wish for its life is granted"
    );
    let asked = peer.ask("tasks/result", json!({ "taskId": task["taskId"] }));
    let mut statuses = Vec::new();
    let result = peer.until_answered(asked, |news| statuses.push(news["params"]["status"].clone()))["result"].take();
    let text = result["content"][0]["text"].as_str().expect("a report");
    assert!(text.starts_with("# tea"), "the result is what the call would have given: {text}");
    assert_eq!(result["_meta"][RELATED]["taskId"], task["taskId"]);
    // The result and the news of the end are written by two, in either order.
    while !statuses.contains(&json!("completed")) {
        statuses.push(peer.message()["params"]["status"].clone());
    }
    assert_eq!(statuses.first(), Some(&json!("working")), "its statuses are told in their order: {statuses:?}");
    let id = peer.ask("tasks/get", json!({ "taskId": task["taskId"] }));
    assert_eq!(peer.until_answered(id, |_| {})["result"]["status"], "completed");
    let listed = peer.request("tasks/list", json!({}))["result"]["tasks"].take();
    assert_eq!(listed[0]["taskId"], task["taskId"]);
}

#[test]
fn a_task_that_needs_an_answer_says_so_and_goes_on_with_it() {
    let mut peer = Peer::demo_for("2025-11-25", json!({ "elicitation": {} }));
    let task = begin(&mut peer, json!({ "topic": "tea", "seconds": 0, "stages": 1, "ask": true }));
    let mut told = Vec::new();
    let question = loop {
        let message = peer.message();
        if message["method"] == "elicitation/create" {
            break message;
        }
        told.push(message["params"]["status"].clone());
    };
    assert_eq!(told, ["input_required"], "the status comes before the question");
    assert_eq!(question["params"]["_meta"][RELATED]["taskId"], task["taskId"], "the question names its task");
    peer.answer(&question, json!({ "action": "accept", "content": { "readers": "children" } }));
    let id = peer.ask("tasks/result", json!({ "taskId": task["taskId"] }));
    let result = peer.until_answered(id, |_| {})["result"].take();
    let text = result["content"][0]["text"].as_str().expect("a report");
    assert!(text.contains("for children"), "the answer is in it: {text}");
}

#[test]
fn a_cancelled_task_ends_and_cannot_be_cancelled_twice() {
    let mut peer = Peer::demo();
    let task = begin(&mut peer, json!({ "topic": "tea", "seconds": 600 }));
    let id = peer.ask("tasks/cancel", json!({ "taskId": task["taskId"] }));
    assert_eq!(peer.until_answered(id, |_| {})["result"]["status"], "cancelled");
    let result = peer.request("tasks/result", json!({ "taskId": task["taskId"] }));
    assert_eq!(result["error"]["code"], -32603, "there is no result: {result}");
    let again = peer.request("tasks/cancel", json!({ "taskId": task["taskId"] }));
    assert_eq!(again["error"]["code"], -32602);
}

#[test]
fn what_is_no_task_is_refused_by_name() {
    let mut peer = Peer::demo();
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        let refused = peer.request(method, json!({ "taskId": "nobody" }));
        assert_eq!(refused["error"], json!({ "code": -32602, "message": "there is no task `nobody`" }), "{method}");
    }
    let params = json!({ "name": "echo", "arguments": { "text": "hi" }, "task": {} });
    let refused = peer.request("tools/call", params.clone());
    assert_eq!(refused["error"]["code"], -32601, "`echo` cannot be a task: {refused}");
    let mut older = Peer::demo_for("2025-06-18", json!({}));
    let answer = older.request("tools/call", params);
    assert_eq!(answer["result"]["content"][0]["text"], "hi", "an older revision does not know the member");
    assert_eq!(older.request("tasks/list", json!({}))["error"]["code"], -32601, "nor the method");
}

#[test]
fn a_tool_that_must_be_a_task_is_refused_as_a_call_and_may_fail() {
    let mut peer = Peer::demo();
    let arguments = json!({ "subject": "tea", "seconds": 0, "end": "failed" });
    let refused = peer.request("tools/call", json!({ "name": "research", "arguments": arguments }));
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
    let task = begin_tool(&mut peer, "research", arguments.clone(), 60_000);
    let id = peer.ask("tasks/result", json!({ "taskId": task["taskId"] }));
    let result = peer.until_answered(id, |_| {})["result"].take();
    assert_eq!(result["isError"], true, "a task that fails has a result that says so: {result}");
    let id = peer.ask("tasks/get", json!({ "taskId": task["taskId"] }));
    assert_eq!(peer.until_answered(id, |_| {})["result"]["status"], "failed");
    let mut older = Peer::demo_for("2025-06-18", json!({}));
    let result = older.call("research", json!({ "subject": "tea", "seconds": 0 }));
    assert_eq!(result["isError"], false, "an older revision has no tasks to be one of");
}

#[test]
fn tasks_are_listed_in_pages_and_forgotten_after_their_time() {
    let mut peer = Peer::demo();
    let brief = begin_tool(&mut peer, "research", json!({ "subject": "mayflies", "seconds": 600 }), 0);
    let mut kept: Vec<Value> = Vec::new();
    for _ in 0..12 {
        let params = json!({
            "name": "research",
            "arguments": { "subject": "tea", "seconds": 600 },
            "task": { "ttl": 60_000 },
        });
        let id = peer.ask("tools/call", params);
        kept.push(peer.until_answered(id, |_| {})["result"]["task"]["taskId"].take());
    }
    let mut list = |params: Value| {
        let id = peer.ask("tasks/list", params);
        peer.until_answered(id, |_| {})
    };
    let first = list(json!({}))["result"].take();
    assert_eq!(first["tasks"].as_array().map(Vec::len), Some(10));
    let second = list(json!({ "cursor": first["nextCursor"] }))["result"].take();
    assert!(second.get("nextCursor").is_none(), "the last page has none: {second}");
    let tasks = [&first, &second].into_iter().flat_map(|page| page["tasks"].as_array().into_iter().flatten());
    let listed: Vec<Value> = tasks.map(|task| task["taskId"].clone()).collect();
    assert_eq!(listed, kept, "in the order in which they were begun, without the one whose time is over");
    assert_eq!(list(json!({ "cursor": "elsewhere" }))["error"]["code"], -32602);
    let id = peer.ask("tasks/get", json!({ "taskId": brief["taskId"] }));
    assert_eq!(peer.until_answered(id, |_| {})["error"]["code"], -32602, "nobody remembers it");
}

#[test]
fn progress_of_a_task_names_its_task() {
    let mut peer = Peer::demo();
    let params = json!({
        "name": "research",
        "arguments": { "subject": "tea", "seconds": 0 },
        "task": {},
        "_meta": { "progressToken": "token" },
    });
    let id = peer.ask("tools/call", params);
    let mut begun = peer.until_answered(id, |_| {})["result"].take();
    let meanwhile = &begun["_meta"]["io.modelcontextprotocol/model-immediate-response"];
    assert!(meanwhile.is_string(), "a model has something to go on with: {begun}");
    let task = begun["task"].take();
    let progress = std::iter::from_fn(|| Some(peer.message())).find(|news| news["method"] == "notifications/progress");
    let params = progress.expect("it is told")["params"].take();
    assert_eq!((&params["progressToken"], &params["progress"]), (&json!("token"), &json!(1)));
    assert_eq!(params["_meta"][RELATED]["taskId"], task["taskId"]);
}

fn begin(peer: &mut Peer, arguments: Value) -> Value {
    begin_tool(peer, "report", arguments, 60_000)
}

fn begin_tool(peer: &mut Peer, tool: &str, arguments: Value, ttl: u64) -> Value {
    let params = json!({ "name": tool, "arguments": arguments, "task": { "ttl": ttl } });
    let id = peer.ask("tools/call", params);
    peer.until_answered(id, |news| panic!("the task is not told of before it is there: {news}"))["result"]["task"]
        .take()
}
