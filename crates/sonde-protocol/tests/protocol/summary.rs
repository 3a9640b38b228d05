//! One-line summaries.

use serde_json::value::RawValue;
use sonde_protocol::{Message, Outcome, Response, Verdict, answer_target, judge, parse, request_target};

fn raw(text: &str) -> &RawValue {
    serde_json::from_str(text).expect("it is JSON")
}

#[test]
fn only_a_tools_own_true_is_error_is_a_tool_error() {
    for (method, result, verdict) in [
        ("tools/call", r#"{"isError":true}"#, Verdict::ToolError),
        ("tools/call", r#"{"isError":false}"#, Verdict::Ok),
        ("tools/call", r#"{"isError":"true"}"#, Verdict::Ok),
        ("tools/call", r#"{"isError":false,"isError":true}"#, Verdict::ToolError),
        ("tools/call", r#"{"iserror":true,"IsError":true}"#, Verdict::Ok),
        ("tools/call", "[true]", Verdict::Ok),
        ("tools/call", "null", Verdict::Ok),
        ("tools/list", r#"{"isError":true}"#, Verdict::Ok),
    ] {
        assert_eq!(judge(method, &Outcome::Result(raw(result))), verdict, "{method} with {result}");
    }
    let (Message::Response(Response { outcome, .. }), _) = parse(br#"{"jsonrpc":"2.0","id":1,"error":{}}"#) else {
        panic!("it is a response")
    };
    assert_eq!(judge("tools/call", &outcome), Verdict::ProtocolError, "an error is an error, however poor");
}

#[test]
fn a_request_is_summarised_by_what_it_is_about() {
    for (method, params, target) in [
        ("tools/call", r#"{"name":"add","arguments":{}}"#, Some("add")),
        ("tools/call", r#"{"name":"a","name":"b"}"#, Some("b")),
        ("resources/read", r#"{"uri":"file:///x"}"#, Some("file:///x")),
        ("notifications/cancelled", r#"{"requestId":1.0}"#, Some("1.0")),
        ("notifications/progress", r#"{"progress":1,"total":4,"message":"on"}"#, Some("1 of 4 · on")),
        ("notifications/message", r#"{"level":"info","logger":"db","data":"up"}"#, Some("info db: up")),
        ("tools/call", "[1]", None),
        ("tools/call", "{}", None),
        ("unheard/of", r#"{"name":"x"}"#, None),
    ] {
        assert_eq!(request_target(method, Some(raw(params))).as_deref(), target, "{method} with {params}");
    }
    let long = format!(r#"{{"name":"{}"}}"#, "ä".repeat(10_000));
    let short = request_target("tools/call", Some(raw(&long))).expect("there is a name");
    assert_eq!(short.chars().count(), 201, "a long name is cut between characters, and the cut is shown");
    assert_eq!(answer_target("tools/list", raw(r#"{"tools":[1,{},[]]}"#)).as_deref(), Some("3 tools"));
    assert_eq!(answer_target("tools/list", raw(r#"{"tools":{}}"#)), None, "what is no list is not counted");
}
