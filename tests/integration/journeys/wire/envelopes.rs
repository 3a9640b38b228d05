//! Ids, batches and bytes: what pairs a request with its answer, and what can't be paired.

use integration::{Stage, WIRE, ended, result, within};
use serde_json::{Value, json};
use sonde_app::{CallStatus, ErrorCode, RowRequest};

use super::{LATEST, REVISIONS};

async fn with_tools(stage: &Stage) -> integration::Peer {
    stage.ready(LATEST, json!({ "tools": {} })).await
}

#[tokio::test]
async fn ids_grow_and_are_never_used_twice() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        let (sent, _) = stage
            .exchange(&mut peer, "tools/call", json!({ "name": "t" }), json!({ "result": { "content": [] } }))
            .await;
        assert_eq!(sent["params"]["_meta"]["progressToken"], sent["id"], "the token is as unique as the id");
        ids.push(sent["id"].as_u64().unwrap());
    }
    assert!(ids.is_sorted_by(|one, next| one < next), "{ids:?}");
    stage.close().await;
}

#[tokio::test]
async fn an_id_is_matched_as_it_was_written() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.begin("tools/list", Value::Null).await;
    let id = peer.read().await["id"].clone();
    for written in [format!("\"{id}\""), format!("{id}.0"), "null".to_owned(), "{}".to_owned()] {
        peer.line_of(&format!(r#"{{"jsonrpc":"2.0","id":{written},"result":{{"tools":["wrong"]}}}}"#)).await;
    }
    peer.line_of(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[]}}}}"#)).await;
    assert_eq!(result(&ended(begun).await), json!({ "tools": [] }), "only the last one is its answer");
    let log = stage.end(peer).await;
    let strays: Vec<_> = log.rows.iter().filter(|row| row["kind"] == "orphan").map(|row| &row["id"]).collect();
    assert_eq!(strays.len(), 4, "the others are kept as what they are: {strays:?}");
    stage.close().await;
}

#[tokio::test]
async fn ids_of_both_sides_are_worlds_apart() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.begin("tools/list", Value::Null).await;
    let ours = peer.read().await;
    peer.say(json!({ "jsonrpc": "2.0", "id": ours["id"], "method": "ping" })).await;
    assert_eq!(peer.read().await, json!({ "jsonrpc": "2.0", "id": ours["id"], "result": {} }), "theirs is answered");
    peer.reply(&ours, json!({ "result": { "tools": [] } })).await;
    assert_eq!(ended(begun).await.status, CallStatus::Ok, "ours waits for its own answer");
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), Vec::<String>::new());
    let (ping, list) = (log.one("ping"), log.one("tools/list"));
    assert_eq!((&ping["dir"], &list["dir"], &ping["id"]), (&json!("in"), &json!("out"), &list["id"]));
    stage.close().await;
}

#[tokio::test]
async fn an_id_of_the_servers_comes_back_as_it_was_written() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    for id in ["0", "-7", r#""""#, r#""\u0061""#, "12345678901234567890123", "1.5e3", r#""a\"b""#] {
        peer.line_of(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).await;
        assert_eq!(peer.line().await.unwrap(), format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n"));
    }
    stage.close().await;
}

#[tokio::test]
async fn an_answer_that_comes_twice_is_an_orphan() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let (sent, first) =
        stage.exchange(&mut peer, "tools/list", Value::Null, json!({ "result": { "tools": [] } })).await;
    peer.reply(&sent, json!({ "error": { "code": 1, "message": "changed my mind" } })).await;
    assert_eq!(result(&first), json!({ "tools": [] }));
    let log = stage.log(&mut peer).await;
    assert_eq!(log.one("tools/list")["status"], "ok", "the first answer counts");
    assert_eq!(log.kind("orphan")["findings"][0]["code"], "duplicate-response");
    assert_eq!(log.kind("orphan")["code"], 1, "what it said is kept");
    stage.close().await;
}

#[tokio::test]
async fn an_error_without_an_id_is_shown_and_ends_nobodys_call() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.begin("tools/list", Value::Null).await;
    let sent = peer.read().await;
    for id in ["", r#""id":null,"#] {
        peer.line_of(&format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"Parse error"}}}}"#)).await;
    }
    peer.reply(&sent, json!({ "result": { "tools": [] } })).await;
    assert_eq!(ended(begun).await.status, CallStatus::Ok);
    let log = stage.end(peer).await;
    let orphans: Vec<_> = log.rows.iter().filter(|row| row["kind"] == "orphan").collect();
    assert_eq!(orphans.iter().map(|row| &row["code"]).collect::<Vec<_>>(), [-32700, -32700], "{orphans:?}");
    stage.close().await;
}

#[tokio::test]
async fn a_response_with_both_a_result_and_an_error_is_told_of() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.begin("tools/list", Value::Null).await;
    let sent = peer.read().await;
    peer.reply(&sent, json!({ "result": { "tools": [] }, "error": { "code": 1, "message": "both" } })).await;
    ended(begun).await;
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), ["tools/list result-and-error"]);
    stage.close().await;
}

#[tokio::test]
async fn every_request_of_the_servers_gets_one_answer_and_no_notification_gets_any() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    peer.notify("notifications/vendor", json!({ "x": 1 })).await;
    peer.notify("ping", json!({})).await;
    let answer = peer.asked("vendor/question", json!({ "x": 1 })).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("vendor/question"), "one sentence: {answer}");
    let log = stage.log(&mut peer).await;
    let mut codes: Vec<_> = log.findings();
    codes.sort();
    assert_eq!(codes, ["notifications/vendor unknown-method", "ping wrong-shape", "vendor/question unknown-method"]);
    assert_eq!(log.one("vendor/question")["status"], "protocol-error", "our answer is part of the log");
    stage.close().await;
}

#[tokio::test]
async fn a_batch_is_a_message_in_one_revision_and_a_fault_in_the_others() {
    let stage = Stage::open().await;
    for revision in REVISIONS {
        let mut peer = stage.ready(revision, json!({ "tools": {}, "logging": {} })).await;
        let begun = stage.begin("tools/list", Value::Null).await;
        let sent = peer.read().await;
        peer.say(json!([
            { "jsonrpc": "2.0", "id": "p", "method": "ping" },
            { "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": 1 } },
            { "jsonrpc": "2.0", "id": sent["id"], "result": { "tools": [] } },
        ]))
        .await;
        assert_eq!(ended(begun).await.status, CallStatus::Ok, "{revision}: it is understood everywhere");
        let pong = json!({ "jsonrpc": "2.0", "id": "p", "result": {} });
        let wanted = if revision == "2025-03-26" { json!([pong]) } else { pong };
        assert_eq!(peer.read().await, wanted, "{revision}: the answer has the shape that the revision knows");
        let log = stage.end(peer).await;
        let faults = log.findings().iter().filter(|finding| finding.ends_with(" batch")).count();
        assert_eq!(faults, usize::from(revision != "2025-03-26"), "{revision}: {:?}", log.findings());
        assert_eq!(log.of("notifications/message").len(), 1, "each message has its row");
    }
    stage.close().await;
}

#[tokio::test]
async fn an_empty_batch_and_one_of_rubbish_are_kept_and_told() {
    let stage = Stage::open().await;
    let mut peer = stage.ready("2025-03-26", json!({})).await;
    for text in ["[]", "[1,null,[]]"] {
        peer.line_of(text).await;
    }
    let log = stage.log(&mut peer).await;
    let rows: Vec<_> = log.rows.iter().filter(|row| row["kind"] == "unparsable").collect();
    assert_eq!(rows.len(), 4, "one for the empty one, one for each part of the other: {rows:?}");
    assert!(rows.iter().all(|row| !row["findings"].as_array().unwrap().is_empty()), "{rows:?}");
    stage.close().await;
}

#[tokio::test]
async fn bytes_of_a_person_go_out_as_they_are_and_stand_in_the_log_as_they_went() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    for bytes in ["not json\n", "{\"jsonrpc\":\"1.0\" , \"id\":null,\"method\":\"x\"}\n", "  \n", "\u{feff}{}\r\n"] {
        let sent = stage.door.app.send_raw(WIRE, bytes.as_bytes().to_vec()).await.unwrap();
        assert!(sent.calls.is_empty(), "nothing in it could be answered");
        assert_eq!(peer.line().await.unwrap(), bytes, "not a byte more or less");
        let log = stage.log(&mut peer).await;
        let row = log.rows.iter().find(|row| row["seq"].as_i64() > Some(sent.after)).expect("it is in the log");
        assert_eq!((&row["dir"], &row["connection"]), (&json!("out"), &json!(sent.connection)));
        let detail = stage.door.app.read_row(RowRequest { seq: row["seq"].as_i64().unwrap() }).await.unwrap();
        assert_eq!(detail.frames[0].text.as_deref(), Some(bytes.trim_end_matches('\n')), "without its line feed");
    }
    stage.close().await;
}

#[tokio::test]
async fn raw_requests_find_their_answers_among_ordinary_ones() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let ordinary = stage.begin("tools/list", Value::Null).await;
    let listed = peer.read().await;
    let text =
        r#"{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"}}}"#;
    let sent = stage.door.app.send_raw(WIRE, format!("{text}\n").into_bytes()).await.unwrap();
    let [mut raw] = <[_; 1]>::try_from(sent.calls).unwrap();
    assert_eq!(raw.request_id, "\"mine\"");
    assert_eq!(peer.line().await.unwrap(), format!("{text}\n"));
    peer.notify("notifications/progress", json!({ "progressToken": "p", "progress": 0.5 })).await;
    integration::within(integration::LIMIT, "progress", raw.progress.changed()).await.unwrap();
    assert_eq!(raw.progress.borrow().as_ref().map(|progress| progress.progress), Some(0.5), "by the token it names");
    peer.say(json!({ "jsonrpc": "2.0", "id": "mine", "result": { "content": [], "isError": true } })).await;
    assert_eq!(ended(raw).await.status, CallStatus::ToolError);
    peer.reply(&listed, json!({ "result": { "tools": [] } })).await;
    assert_eq!(ended(ordinary).await.status, CallStatus::Ok);
    assert_eq!(stage.end(peer).await.findings(), Vec::<String>::new());
    stage.close().await;
}

#[tokio::test]
async fn raw_bytes_can_break_every_rule_and_the_log_says_which() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let again = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    stage.door.app.send_raw(WIRE, format!("{again}\n").into_bytes()).await.unwrap();
    assert_eq!(peer.line().await.unwrap().trim_end(), again);
    let log = stage.log(&mut peer).await;
    let rows = log.of("initialize");
    let codes: Vec<_> = rows[1]["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert_eq!(codes, ["reused-id", "initialize-again", "bad-params"], "it is we who broke them");
    stage.close().await;
}

#[tokio::test]
async fn half_a_message_can_be_sent_and_the_other_half_later() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let whole = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n";
    let (head, tail) = whole.split_at(20);
    stage.door.app.send_raw(WIRE, head.as_bytes().to_vec()).await.unwrap();
    stage.door.app.send_raw(WIRE, tail.as_bytes().to_vec()).await.unwrap();
    assert_eq!(peer.line().await.unwrap(), whole, "nothing is put between them");
    stage.close().await;
}

#[tokio::test]
async fn a_line_break_within_a_message_never_leaves_us() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let params = "{\n  \"name\": \"t\",\r\n  \"arguments\": {\"text\": \"a\\nb\"}\n}";
    let ask =
        sonde_app::Ask { params: Some(params.to_owned()), validate: false, ..sonde_app::Ask::new(WIRE, "tools/call") };
    stage.send(ask).await;
    let line = peer.line().await.unwrap();
    let sent: Value = serde_json::from_str(&line).expect("it is one line");
    assert_eq!(sent["params"]["arguments"]["text"], "a\nb", "what the text means is kept");
    stage.close().await;
}

#[tokio::test]
async fn numbers_and_order_of_a_persons_params_are_sent_as_written() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let arguments = r#"{"z":1.0,"a":12345678901234567890,"e":1e400,"u":"\u00e9"}"#;
    let params = format!(r#"{{"name":"t","arguments":{arguments}}}"#);
    let ask = sonde_app::Ask { params: Some(params), validate: false, ..sonde_app::Ask::new(WIRE, "tools/call") };
    stage.send(ask).await;
    let line = peer.line().await.unwrap();
    assert!(line.contains(arguments), "{line}");
    stage.close().await;
}

#[tokio::test]
async fn what_is_no_message_is_kept_byte_by_byte_and_the_connection_goes_on() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let lines: [(&[u8], &str, &str); 7] = [
        (b"Listening on port 8080\n", "unparsable", "not-json"),
        (b"\n", "unparsable", "empty-line"),
        (b"\xff\xfe\n", "unparsable", "invalid-utf8"),
        (b"42\n", "unparsable", "not-an-object"),
        (b"{\"jsonrpc\":\"2.0\"}\n", "unparsable", "not-a-message"),
        (b"{\"jsonrpc\":\"2.0\",\"method\":7}\n", "unparsable", "bad-method"),
        (b"{\"jsonrpc\":\"1.0\",\"method\":\"notifications/tools/list_changed\"}\r\n", "notification", "wrong-jsonrpc"),
    ];
    let mut after = 0;
    for (bytes, kind, code) in lines {
        peer.bytes(bytes).await;
        let log = stage.log(&mut peer).await;
        let news: Vec<_> =
            log.rows.iter().filter(|row| row["seq"].as_i64() > Some(after) && row["dir"] == "in").collect();
        let row = news.last().expect("there is a row");
        after = log.rows.last().unwrap()["seq"].as_i64().unwrap();
        assert_eq!(row["kind"], kind, "{bytes:?}: {row}");
        let codes: Vec<_> = row["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
        assert!(codes.contains(&&json!(code)), "{bytes:?}: {codes:?}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_last_line_without_its_end_is_kept() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    peer.bytes(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_chan").await;
    let log = stage.end(peer).await;
    let row = log.kind("unparsable");
    let codes: Vec<_> = row["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert!(codes.contains(&&json!("unterminated")), "{row}");
    stage.close().await;
}

#[tokio::test]
async fn a_response_to_nothing_is_an_orphan_and_says_so() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    peer.asked("ping", Value::Null).await;
    for id in [json!("q1"), json!(9999)] {
        peer.say(json!({ "jsonrpc": "2.0", "id": id, "result": {} })).await;
    }
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), ["orphan unknown-id", "orphan unknown-id"], "nor does anyone answer himself");
    stage.close().await;
}

#[tokio::test]
async fn a_line_beyond_what_a_person_allows_is_cut_with_its_size_and_digest() {
    let said = sonde_app::Profile { longest_line: Some(2000), ..Default::default() };
    let stage = Stage::saying(said).await;
    let mut peer = with_tools(&stage).await;
    let begun = stage.begin("tools/list", Value::Null).await;
    let sent = peer.read().await;
    let long =
        json!({ "jsonrpc": "2.0", "id": sent["id"], "result": { "tools": [], "x": "y".repeat(5000) } }).to_string();
    peer.line_of(&long).await;
    let told = within(integration::LIMIT, "the end of the call", begun.end()).await.unwrap_err();
    assert_eq!(told.code, ErrorCode::TooLarge, "nobody waits for what has come and gone: {told}");
    let next = stage.begin("tools/list", Value::Null).await;
    let sent = peer.read().await;
    peer.reply(&sent, json!({ "result": { "tools": [] } })).await;
    assert_eq!(result(&ended(next).await), json!({ "tools": [] }), "the next line is read as ever");
    let log = stage.log(&mut peer).await;
    let row = log.kind("unparsable");
    assert_eq!(row["findings"][0]["code"], "oversized", "{row}");
    let detail = stage.door.app.read_row(RowRequest { seq: row["seq"].as_i64().unwrap() }).await.unwrap();
    let frame = &detail.frames[0];
    assert_eq!((frame.size, frame.digest.as_ref().map(String::len)), (long.len() as i64, Some(64)), "{frame:?}");
    assert!(frame.kept < frame.size, "only its beginning is kept");
    stage.close().await;
}

#[tokio::test]
async fn a_message_that_is_too_deep_is_told_and_disturbs_nobody() {
    let stage = Stage::open().await;
    let mut peer = with_tools(&stage).await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    peer.line_of(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"a":{deep}}}}}"#)).await;
    let log = stage.log(&mut peer).await;
    assert!(log.findings().iter().any(|finding| finding.ends_with("too-deep")), "{:?}", log.findings());
    stage.close().await;
}
