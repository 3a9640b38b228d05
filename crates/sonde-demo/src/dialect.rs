//! Where revision 2025-11-25 and the protocol library part ways.
//!
//! rmcp already reads tasks as a later revision writes them, and knows neither the capability nor the member
//! `execution` of a tool. So these requests reach it under names that it leaves to us (`server.rs`), and the answer to
//! `initialize` is completed on its way out.

use serde_json::{Value, json};

/// What our own names begin with.
pub(crate) const OURS: &str = "demo/";
/// `tools/call` with the member `task`.
pub(crate) const CALL_AS_TASK: &str = "tools/call/task";
/// `tools/call` whose result the library has no type for.
pub(crate) const CALL_FOR_FUTURE: &str = "tools/call/future";

const RENAMED: &[&str] = &["tools/list", "tasks/get", "tasks/list", "tasks/result", "tasks/cancel"];

/// The line as rmcp should see it, where that is not the line as it came.
pub(crate) fn inbound(line: &[u8]) -> Option<Vec<u8>> {
    // Most lines are none of these, and need no tree.
    if !contains(line, b"\"task") && !contains(line, b"tools/list") && !contains(line, b"\"future\"") {
        return None;
    }
    let mut message: Value = serde_json::from_slice(line).ok()?;
    let method = message.get("method")?.as_str()?;
    let renamed = if RENAMED.contains(&method) {
        format!("{OURS}{method}")
    } else if method == "tools/call" && message.pointer("/params/task").is_some() {
        format!("{OURS}{CALL_AS_TASK}")
    } else if method == "tools/call" && message["params"]["name"] == "show" && asks_for_future(&message) {
        format!("{OURS}{CALL_FOR_FUTURE}")
    } else {
        return None;
    };
    message["method"] = json!(renamed);
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    Some(line)
}

fn asks_for_future(message: &Value) -> bool {
    message.pointer("/params/arguments/kind").is_some_and(|kind| kind == "future")
}

/// The answer to `initialize` with the capability of tasks, where the agreed revision has them. `None` for every other
/// line.
pub(crate) fn greeting(line: &[u8]) -> Option<Vec<u8>> {
    if !contains(line, b"\"protocolVersion\"") {
        return None;
    }
    let mut message: Value = serde_json::from_slice(line).ok()?;
    let result = message.get_mut("result")?;
    if result.get("protocolVersion")?.as_str()? >= "2025-11-25" {
        result["capabilities"]["tasks"] = json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
    }
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    Some(line)
}

pub(crate) fn contains(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method_of(line: &str) -> Option<String> {
        let line = inbound(line.as_bytes())?;
        let message: Value = serde_json::from_slice(&line).expect("a renamed line is JSON");
        message["method"].as_str().map(str::to_owned)
    }

    #[test]
    fn only_what_the_library_would_misread_is_renamed() {
        let task = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report","task":{}}}"#;
        assert_eq!(method_of(task).as_deref(), Some("demo/tools/call/task"));
        let get = r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"1"}}"#;
        assert_eq!(method_of(get).as_deref(), Some("demo/tasks/get"));
        let plain =
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"task"}}}"#;
        assert_eq!(method_of(plain), None, "a call about tasks is no call as a task");
        let future = r#"{"id":1,"method":"tools/call","params":{"name":"show","arguments":{"kind":"future"}}}"#;
        assert_eq!(method_of(future).as_deref(), Some("demo/tools/call/future"));
        assert_eq!(method_of(&future.replace("show", "echo")), None, "only `show` knows the future");
        assert_eq!(method_of(r#"{"method":"tasks/get""#), None, "what is no JSON is the library's to refuse");
    }

    #[test]
    fn only_a_revision_that_has_tasks_is_told_of_them() {
        let answer = |version: &str| {
            let line = format!(r#"{{"id":1,"result":{{"protocolVersion":"{version}","capabilities":{{}}}}}}"#);
            let line = greeting(line.as_bytes()).expect("this answers initialize");
            serde_json::from_slice::<Value>(&line).expect("a completed line is JSON")
        };
        assert!(answer("2025-11-25")["result"]["capabilities"]["tasks"].is_object());
        assert!(answer("2025-06-18")["result"]["capabilities"]["tasks"].is_null());
    }
}
