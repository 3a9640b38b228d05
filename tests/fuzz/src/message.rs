//! Every frame is read: as a message whose parts stand in the frame as they were written, or with a finding that says
//! why not. What serde_json understands, ours understands the same way.

use serde_json::Value;
use serde_json::value::RawValue;
use sonde_protocol::{
    Code, Finding, Id, Item, Message, Outcome, Request, Response, answer_target, judge, parse, request_target,
};

/// More of either is no explanation; nobody may fill our memory by being wrong.
const MOST_FINDINGS: usize = 32;
const LONGEST_FINDING: usize = 1000;

pub fn run(data: &[u8]) {
    let (message, findings) = parse(data);
    check_findings(&findings);
    check(data, &message, &findings);
    compare(data, &message, &findings);
}

pub fn check_findings(findings: &[Finding]) {
    assert!(findings.len() <= MOST_FINDINGS, "{} findings", findings.len());
    for finding in findings {
        assert!(finding.message.len() <= LONGEST_FINDING, "a finding is a sentence: {}", finding.message);
        assert_eq!(Code::from_slug(finding.code.slug()), Some(finding.code), "its code can be stored and read again");
    }
}

/// What must be true of any message, whatever it says.
fn check(frame: &[u8], message: &Message<'_>, findings: &[Finding]) {
    match message {
        Message::Opaque => assert!(!findings.is_empty(), "what is not understood is explained"),
        Message::Request(Request { id, method, params }) => {
            check_id(frame, *id);
            request_target(method, *params);
        }
        Message::Notification(notification) => drop(request_target(&notification.method, notification.params)),
        Message::Response(Response { id, outcome }) => {
            if let Some(id) = id {
                check_id(frame, *id);
            }
            for method in ["tools/call", "tools/list", "resources/templates/list", "ping"] {
                judge(method, outcome);
                if let Outcome::Result(result) = outcome {
                    answer_target(method, result);
                }
            }
        }
        Message::Batch(items) => items.iter().for_each(|item| check_item(frame, item)),
    }
}

fn check_item(frame: &[u8], Item { message, findings, text }: &Item<'_>) {
    assert!(stands_in(frame, text), "an item is a part of its frame");
    assert!(!matches!(message, Message::Batch(_)), "a batch in a batch is no batch");
    check_findings(findings);
    check(text.as_bytes(), message, findings);
    if !text.starts_with('[') {
        let (alone, _) = parse(text.as_bytes());
        assert_eq!(kind(&alone), kind(message), "an item is read like a line of its own: {text}");
    }
}

/// An id is the frame's own text, so that nothing about it can change on the way.
fn check_id(frame: &[u8], Id(id): Id<'_>) {
    assert!(stands_in(frame, id), "the id is a part of its frame");
    // Not as a tree: that refuses numbers which are good JSON and too large for a double.
    assert!(serde_json::from_str::<&RawValue>(id).is_ok_and(|id| id.get() != "null"), "and JSON: {id}");
}

fn stands_in(frame: &[u8], text: &str) -> bool {
    let (frame, text) = (frame.as_ptr_range(), text.as_bytes().as_ptr_range());
    frame.start <= text.start && text.end <= frame.end
}

fn kind(message: &Message<'_>) -> &'static str {
    match message {
        Message::Request(_) => "request",
        Message::Notification(_) => "notification",
        Message::Response(_) => "response",
        Message::Batch(_) => "batch",
        Message::Opaque => "opaque",
    }
}

/// The same frame, read by serde_json as a tree. It refuses deep nesting, which ours need not; but where it reads
/// something, we read the same thing.
fn compare(frame: &[u8], message: &Message<'_>, findings: &[Finding]) {
    let text = std::str::from_utf8(frame).ok().map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
    let Some(value) = text.and_then(|text| serde_json::from_str::<Value>(text).ok()) else {
        return;
    };
    let is_json = !findings.iter().any(|finding| matches!(finding.code, Code::NotJson | Code::InvalidUtf8));
    assert!(is_json, "it is JSON: {findings:?}");
    match (&value, message) {
        (Value::Array(values), Message::Batch(items)) => {
            assert_eq!(values.len(), items.len(), "every item of a batch");
            for (value, item) in values.iter().zip(items) {
                same(value, &item.message);
            }
        }
        (Value::Array(values), Message::Opaque) => assert!(values.len() > 1000, "only a huge batch is not taken apart"),
        (Value::Object(_), message) => same(&value, message),
        (_, Message::Opaque) => {}
        (value, message) => panic!("{value} is no {}", kind(message)),
    }
}

fn same(value: &Value, message: &Message<'_>) {
    let id_of = |id: &Id<'_>| serde_json::from_str::<Value>(id.0).ok();
    match message {
        Message::Request(request) => {
            assert_eq!(value["method"], *request.method, "the method");
            assert_eq!(id_of(&request.id).as_ref(), value.get("id"), "the id");
            assert_eq!(request.params.map(tree).as_ref(), value.get("params"), "the params");
        }
        Message::Notification(notification) => {
            assert_eq!(value["method"], *notification.method, "the method");
            assert!(value["id"].is_null(), "no id, or one that is none");
            assert_eq!(notification.params.map(tree).as_ref(), value.get("params"), "the params");
        }
        Message::Response(response) => {
            assert!(value.get("method").is_none(), "an answer asks nothing");
            match &response.id {
                Some(id) => assert_eq!(id_of(id).as_ref(), value.get("id"), "the id"),
                None => assert!(value["id"].is_null(), "no id, or one that is none"),
            }
            match &response.outcome {
                Outcome::Result(result) => assert_eq!(Some(&tree(result)), value.get("result"), "the result"),
                Outcome::Error(error) => {
                    assert_eq!(Some(&tree(error.raw)), value.get("error"), "the error");
                    assert_eq!(error.code, value["error"]["code"].as_i64(), "its code");
                    assert_eq!(error.message.as_deref(), value["error"]["message"].as_str(), "its message");
                }
            }
        }
        Message::Opaque => {
            let is_call = value["method"].is_string();
            let is_answer = value.get("method").is_none() && (value.get("result").or(value.get("error"))).is_some();
            assert!(!is_call && !is_answer, "this is a message: {value}");
        }
        Message::Batch(_) => panic!("an object is no batch"),
    }
}

fn tree(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}
