//! The log as a front door reads it, out of a file that was recorded before.

#![expect(clippy::expect_used, reason = "a test stops at the first thing that is not as it says")]

use std::path::Path;

use serde_json::{Value, json};
use sonde_app::{App, DataFolder, Setup};
use sonde_protocol::{
    Body, Channel, Direction, Frame, Headers, HttpEnd, HttpExchange, HttpHead, HttpLoad, HttpPhases, HttpPlace,
    HttpTraffic, Record, SseEvent, Stamp, TlsFacts,
};
use sonde_store::{Recorder, Store};

/// A request and its answer in an event stream, then a stream of its own that the server refused.
async fn record(path: &Path) {
    let store = Store::open(path, |_| None, |_, _| true).await.expect("a new log can be opened");
    let recorder = Recorder::start(&store).await.expect("it can be written");
    let connection = recorder.open_connection("remote", 0).await.expect("it takes connections");
    let sink = recorder.sink();
    let stamp = |monotonic_ns| Stamp { monotonic_ns, wall_ns: 1_700_000_000_000_000_000 };
    let frame = |direction, monotonic_ns, text: &'static str, event| {
        let http = Some(Box::new(HttpPlace { exchange: 1, event, findings: Vec::new() }));
        let (channel, stamp, body) = (Channel::Message, stamp(monotonic_ns), Body::whole(text));
        Record::Frame(Frame { connection, direction, channel, stamp, body, http })
    };
    let event = SseEvent { id: Some("e1".to_owned()), name: Some("message".to_owned()), retry: None };
    let call = HttpExchange {
        connection,
        number: 1,
        follows: None,
        load: HttpLoad::Message,
        method: "POST",
        url: "https://example.test/mcp".to_owned(),
        started: stamp(0),
        request_headers: [("authorization", "‹masked›")].into_iter().collect(),
        response: Some(HttpHead {
            status: 200,
            version: "HTTP/1.1",
            headers: [("content-type", "text/event-stream")].into_iter().collect(),
        }),
        phases: HttpPhases { first_byte: Some(1_500_000), ..HttpPhases::default() },
        tls: Some(TlsFacts {
            version: Some("TLS 1.3".to_owned()),
            subject: "CN=example.test".to_owned(),
            issuer: "CN=ca".to_owned(),
            names: vec!["example.test".to_owned()],
            not_before: 0,
            not_after: 253_402_300_799,
            fingerprint: "ab".to_owned(),
            trusted: "by the system".to_owned(),
        }),
        traffic: HttpTraffic { sent: 40, body: 60, recorded: 36, framing: 24, events: 1, ..HttpTraffic::default() },
        end: Some(HttpEnd { after: 2_000_000, problem: None }),
        findings: Vec::new(),
    };
    let refused = HttpExchange {
        number: 2,
        load: HttpLoad::Nothing,
        method: "GET",
        request_headers: Headers::default(),
        response: Some(HttpHead { status: 405, version: "HTTP/1.1", headers: Headers::default() }),
        phases: HttpPhases::default(),
        tls: None,
        traffic: HttpTraffic::default(),
        ..call.clone()
    };
    let records = [
        frame(Direction::Out, 0, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, None),
        frame(Direction::In, 1_000_000, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Some(event)),
        Record::Http(Box::new(call)),
        Record::Http(Box::new(refused)),
    ];
    for record in records {
        sink.send(record).await.expect("the recorder takes it");
    }
    recorder.finish().await;
}

async fn ask(app: &App, command: &str, request: Value) -> Value {
    let answer = app.dispatch(command, request.to_string().as_bytes()).await;
    serde_json::from_slice(&answer.expect("the command is carried out")).expect("an answer is JSON")
}

#[tokio::test]
async fn a_row_comes_with_the_http_exchanges_of_its_frames() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    record(&folder.path().join("log.db")).await;
    let data = DataFolder::open(Some(folder.path().to_owned())).expect("it is the data folder");
    let setup = Setup { config: None, ..Setup::here(data, Some(folder.path().to_owned())).expect("a setup") };
    let app = App::open(setup).await.expect("the app opens");

    let detail = ask(&app, "read_row", json!({ "seq": 1 })).await;
    let places =
        [0, 1].map(|index| (detail["frames"][index]["http"].clone(), detail["frames"][index]["event"].clone()));
    let event = json!({ "id": "e1", "name": "message", "retry": null });
    assert_eq!(places, [(json!(1), Value::Null), (json!(1), event)], "where each frame was seen");
    let wanted = json!([{
        "number": 1,
        "follows": null,
        "method": "POST",
        "url": "https://example.test/mcp",
        "started": "2023-11-14T22:13:20.000000000Z",
        "request_headers": [{ "name": "authorization", "value": "‹masked›" }],
        "status": 200,
        "version": "HTTP/1.1",
        "response_headers": [{ "name": "content-type", "value": "text/event-stream" }],
        "phases_ms": { "dns": null, "connect": null, "tls": null, "first_byte": 1.5, "body": null },
        "tls": {
            "version": "TLS 1.3",
            "subject": "CN=example.test",
            "issuer": "CN=ca",
            "names": ["example.test"],
            "not_before": "1970-01-01T00:00:00Z",
            "not_after": "9999-12-31T23:59:59Z",
            "fingerprint": "ab",
            "trusted": "by the system",
        },
        "traffic": {
            "sent": 40, "body": 60, "recorded": 36, "comments": 0, "framing": 24, "dropped": 0, "events": 1,
            "comment_lines": 0, "compressed": 0,
        },
        "after_ms": 2.0,
        "problem": null,
    }]);
    assert_eq!(detail["http"], wanted, "one exchange, though two frames travelled in it");

    let view = json!({ "server": null, "kind": "http" });
    let page = ask(&app, "query_log", json!({ "view": view, "first": 0, "count": 10 })).await;
    let row = &page["rows"][0];
    assert_eq!((&page["total"], &row["seq"]), (&json!(1), &json!(2)), "an exchange without a message is a row");
    let seen = ["kind", "method", "target", "id", "status", "code", "dur_ms"].map(|name| row[name].clone());
    let wanted = [json!("http"), json!("GET"), json!("/mcp"), json!("2"), json!("ok"), json!(405), json!(2.0)];
    assert_eq!(seen, wanted, "the status code stands in the place of an error's");
    let detail = ask(&app, "read_row", json!({ "seq": 2 })).await;
    let shape = (&detail["frames"], &detail["http"][0]["status"], &detail["http"][0]["number"]);
    assert_eq!(shape, (&json!([]), &json!(405), &json!(2)), "it has no frames, but itself");
    app.close().await;
}
