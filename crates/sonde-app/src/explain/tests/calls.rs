//! Requests that bring no result: by the server's word, by a way that broke, by what should not happen.

use std::time::Duration;

use serde_json::value::RawValue;
use sonde_client::{Answer, CallError, Ending};
use sonde_protocol::{Objection, Party, Revision};
use sonde_transport::{Exit, HttpFailure};

use super::*;
use crate::explain::calls::{answered_error, call, lost_call};
use crate::explain::unforeseen;

fn shop() -> ServerSpec {
    let mut spec = npx();
    spec.origin.file = Some("/srv/shop/.mcp.json".into());
    spec
}

fn error(code: Option<i64>, raw: &str) -> Answer {
    let raw = RawValue::from_string(raw.to_owned()).unwrap();
    Answer::Error { code, message: "no such thing".to_owned(), raw }
}

#[test]
fn what_a_server_answers_with_an_error() {
    let mut sheet = Sheet::new("protocol-errors.txt");
    for code in [-32600, -32601, -32602, -32603, -32002, 7] {
        sheet.tell(&format!("code {code}"), &answered_error(&shop(), "tools/call", &error(Some(code), "{}")));
    }
    sheet.tell("no code", &answered_error(&shop(), "tools/call", &error(None, "{}")));
    let raw = r#"{"code":-32042,"message":"sign in","data":{"elicitations":[
        {"mode":"url","elicitationId":"1","url":"https://login.example/a","message":"to your account"}]}}"#;
    sheet.tell("a page to visit first", &answered_error(&shop(), "tools/call", &error(Some(-32042), raw)));
    sheet.check();
}

#[test]
fn what_is_lost_on_the_way() {
    let mut sheet = Sheet::new("transport-errors.txt");
    let ended = |exit, by_us| Ending { exit, loss: None, by_us, stderr_tail: vec!["bye".to_owned()] };
    sheet.tell("a crash", &lost_call(&shop(), "tools/call", &ended(Some(Exit::Code(3)), false)));
    sheet.tell("a clean exit", &lost_call(&shop(), "tools/call", &ended(Some(Exit::Code(0)), false)));
    sheet.tell("our own doing", &lost_call(&shop(), "ping", &ended(Some(Exit::Code(0)), true)));
    sheet.tell("lost", &call(&shop(), &CallError::Lost));
    sheet.tell("not read", &call(&shop(), &CallError::NotRead));
    sheet.tell("too late", &call(&shop(), &CallError::TimedOut(Duration::from_secs(2))));
    sheet.tell("by HTTP", &call(&at_address(), &CallError::Http(HttpFailure::StreamEnded)));
    sheet.check();
}

#[test]
fn what_is_not_sent_and_what_should_not_happen() {
    let mut sheet = Sheet::new("other-errors.txt");
    let objected = |objection| CallError::Objected { method: "resources/subscribe".to_owned(), objection };
    let undeclared = Objection::Undeclared { by: Party::Server, capability: "resources.subscribe" };
    sheet.tell("undeclared", &call(&shop(), &objected(undeclared)));
    let newer = Objection::NotInRevision { since: Revision::V2025_11_25 };
    sheet.tell("not in this revision", &call(&shop(), &objected(newer)));
    sheet.tell("cancelled", &call(&shop(), &CallError::Cancelled));
    sheet.tell("a fault of ours", &unforeseen(&shop(), &std::io::Error::other("it broke")));
    let result = Answer::Result(RawValue::from_string("{}".to_owned()).unwrap());
    sheet.tell("a result that is taken for an error", &answered_error(&shop(), "tools/call", &result));
    sheet.check();
}
