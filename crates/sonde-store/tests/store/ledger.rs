//! Which rows records become.

use sha2::{Digest, Sha256};
use sonde_protocol::{Body, Channel, Code, Cut, Direction};
use sonde_store::{Row, RowKind, RowStatus};

use crate::scribe::Scribe;

fn codes(row: &Row) -> Vec<Code> {
    row.findings.iter().map(|finding| finding.code).collect()
}

#[tokio::test]
async fn an_exchange_is_one_row_with_status_duration_and_both_frames() {
    let mut scribe = Scribe::new().await;
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}"#;
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#;
    scribe.out(request).await;
    scribe.inward(answer).await;
    let (rows, store, _folder) = scribe.rows().await;
    let [row] = &rows[..] else { panic!("one exchange is one row: {rows:?}") };
    assert_eq!((row.kind, row.status, row.direction), (RowKind::Exchange, Some(RowStatus::Ok), Direction::Out));
    assert_eq!((row.method.as_deref(), row.target.as_deref()), (Some("tools/call"), Some("add")));
    assert_eq!((row.id.as_deref(), &*row.server), (Some("1"), "alpha"));
    assert_eq!(row.dur_ns, Some(1_000_000), "from the request to the answer, by the monotonic clock");
    assert_eq!(row.size, (request.len() + answer.len()) as i64, "the bytes of both");
    let detail = store.row(row.seq, 1 << 20).await.unwrap().unwrap();
    let heads: Vec<_> = detail.frames.iter().map(|frame| (frame.direction, frame.head.clone())).collect();
    assert_eq!(heads, [(Direction::Out, request.into()), (Direction::In, answer.into())], "in their order");
}

#[tokio::test]
async fn each_way_to_end_an_exchange_has_its_status() {
    let mut scribe = Scribe::new().await;
    for id in 1..=9 {
        scribe.out(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"n"}}}}"#)).await;
    }
    let cancel = |id: &str| {
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"r"}}}}"#)
    };
    scribe.inward(r#"{"jsonrpc":"2.0","id":1,"result":{"isError":true}}"#).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}"#).await;
    scribe.out(&cancel("3")).await;
    scribe.out(&cancel("4")).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":4,"result":{"content":[]}}"#).await;
    scribe.time_out("5").await;
    scribe.out(&cancel("5")).await;
    scribe.time_out("6").await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":6,"result":{}}"#).await;
    // The server cancels a request of its own that has the id of one of ours.
    scribe.inward(&cancel("7")).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#).await;
    // An id that is written differently is another id.
    scribe.out(&cancel("8.0")).await;
    scribe.end().await;
    let (rows, ..) = scribe.rows().await;
    let statuses: Vec<_> = rows.iter().take(9).map(|row| row.status.unwrap()).collect();
    use RowStatus::*;
    let wanted = [ToolError, ProtocolError, Cancelled, Late, Timeout, Late, Ok, Unanswered, Unanswered];
    assert_eq!(statuses, wanted, "by id from 1 to 9");
    assert_eq!(rows[1].code, Some(-32602), "the error's code stands in the row");
    assert_eq!(codes(&rows[3]), [Code::LateResponse], "a late answer is told");
    assert_eq!(rows[2].dur_ns, None, "what was never answered has no duration");
}

#[tokio::test]
async fn everything_else_is_a_row_of_its_own_kind() {
    let mut scribe = Scribe::new().await;
    scribe.inward(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"up"}}"#).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":"x","result":{}}"#).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#).await;
    scribe.inward("Listening on port 3000").await;
    scribe.frame(Direction::In, Channel::Stderr, Body::whole("warning: old\r")).await;
    scribe.frame(Direction::In, Channel::Mark, Body::whole("disconnected")).await;
    scribe.frame(Direction::In, Channel::Stderr, Body::whole(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)).await;
    let half = Body { terminated: false, ..Body::whole(r#"{"jsonrpc":"2.0","method":"x"}"#) };
    scribe.frame(Direction::In, Channel::Message, half).await;
    let (rows, ..) = scribe.rows().await;
    let seen: Vec<_> = rows.iter().map(|row| (row.kind, row.target.as_deref(), row.status)).collect();
    use RowKind::*;
    assert_eq!(
        seen,
        [
            (Notification, Some("info: up"), None),
            (Orphan, None, None),
            (Orphan, None, None),
            (Unparsable, Some("Listening on port 3000"), None),
            (Stderr, Some("warning: old"), None),
            (Mark, Some("disconnected"), None),
            (Stderr, Some(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), None),
            (Notification, None, None),
        ]
    );
    assert_eq!((rows[1].id.as_deref(), codes(&rows[1])), (Some("\"x\""), vec![Code::UnknownId]), "the id, verbatim");
    assert_eq!(rows[2].code, Some(-32700), "an error without an id keeps its code");
    assert_eq!(codes(&rows[3]), [Code::NotJson]);
    assert_eq!(codes(&rows[7]), [Code::Unterminated], "the last line of a stream that broke off");
}

#[tokio::test]
async fn second_answers_and_reused_ids_are_told() {
    let mut scribe = Scribe::new().await;
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    scribe.out(request).await;
    scribe.out(request).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    scribe.inward(request).await;
    let (rows, ..) = scribe.rows().await;
    assert_eq!((rows[0].status, codes(&rows[0])), (Some(RowStatus::Unanswered), vec![Code::ReusedId]));
    assert_eq!(rows[1].status, Some(RowStatus::Ok), "the answer is for the newer request");
    assert_eq!((rows[2].kind, codes(&rows[2])), (RowKind::Orphan, vec![Code::DuplicateResponse]));
    assert_eq!(rows[3].status, Some(RowStatus::Pending), "the server's id 1 is not ours");
}

#[tokio::test]
async fn a_batch_is_one_frame_of_many_rows() {
    let mut scribe = Scribe::new().await;
    scribe.out(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    let batch = r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"a"},7]"#;
    scribe.inward(batch).await;
    scribe.inward("[]").await;
    let (rows, store, _folder) = scribe.rows().await;
    let kinds: Vec<_> = rows.iter().map(|row| row.kind).collect();
    use RowKind::*;
    assert_eq!(kinds, [Exchange, Notification, Unparsable, Unparsable], "an answer, two others, an empty batch");
    assert_eq!(rows[0].status, Some(RowStatus::Ok), "an answer in a batch is an answer");
    for (row, index) in [(1, 1), (2, 0), (3, 0)] {
        let frame = store.frame_part(row, index, 0, 1000).await.unwrap().unwrap();
        assert_eq!(String::from_utf8(frame).unwrap(), batch, "row {row} leads to the batch it came in");
    }
    let seqs: Vec<_> = rows.iter().map(|row| row.seq).collect();
    assert_eq!(seqs, [1, 2, 3, 4], "numbers are dense");
}

#[tokio::test]
async fn a_cut_line_keeps_its_length_and_digest() {
    let mut scribe = Scribe::new().await;
    let sha256: [u8; 32] = Sha256::digest(b"the whole line").into();
    let body = Body { cut: Some(Cut { size: 99_000_000, sha256 }), ..Body::whole("{\"jsonrpc\":\"2.0\",") };
    scribe.frame(Direction::In, Channel::Message, body).await;
    let (rows, store, _folder) = scribe.rows().await;
    assert_eq!((rows[0].kind, codes(&rows[0])), (RowKind::Unparsable, vec![Code::Oversized]), "not called bad JSON");
    assert_eq!(rows[0].size, 99_000_000, "the length on the wire");
    let frame = &store.row(1, 1000).await.unwrap().unwrap().frames[0];
    assert_eq!((frame.size, frame.sha256.as_deref()), (99_000_000, Some(&sha256[..])));
}

#[tokio::test]
async fn the_answer_of_a_listing_says_how_many() {
    let mut scribe = Scribe::new().await;
    scribe.out(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    let state = scribe.recorder.state();
    // The answer comes in another transaction than the request.
    let mut committed = state.clone();
    committed.wait_for(|state| state.rows == 1).await.unwrap();
    scribe.inward(r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{},{}]}}"#).await;
    let (rows, ..) = scribe.rows().await;
    assert_eq!((rows[0].target.as_deref(), rows[0].status), (Some("2 tools"), Some(RowStatus::Ok)));
}

#[tokio::test]
async fn a_server_that_asks_without_end_is_recorded_but_not_remembered_without_end() {
    let mut scribe = Scribe::new().await;
    for id in 0..10_001 {
        scribe.inward(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).await;
    }
    let (rows, ..) = scribe.rows().await;
    assert_eq!(rows.len(), 10_001, "every request has its row");
    let (last, before) = rows.split_last().unwrap();
    assert!(before.iter().all(|row| row.status == Some(RowStatus::Pending)), "these may still be answered");
    assert_eq!(last.status, Some(RowStatus::Unanswered), "this one was not remembered");
    assert_eq!(codes(last), [Code::TooManyOpen], "and says so");
}

#[tokio::test]
async fn each_message_of_a_batch_has_its_own_findings_size_and_text() {
    let mut scribe = Scribe::new().await;
    let (good, bad) = (r#"{"jsonrpc":"2.0","method":"a"}"#, r#"{"jsonrpc":"2.0"}"#);
    scribe.inward(&format!("[{good},{bad}]")).await;
    let (rows, ..) = scribe.rows().await;
    let [first, second] = &rows[..] else { panic!("two messages are two rows: {rows:?}") };
    assert_eq!(codes(first), [Code::Batch], "that it is a batch is told once");
    assert_eq!(codes(second), [Code::NotAMessage], "and what is wrong with one is told at that one");
    assert_eq!((first.size, second.size), (good.len() as i64, bad.len() as i64));
    assert_eq!(second.target.as_deref(), Some(bad), "its own text, not the line's");
}

#[tokio::test]
async fn an_id_of_a_megabyte_is_recorded_but_neither_remembered_nor_shown_whole() {
    let mut scribe = Scribe::new().await;
    let id = format!("\"{}\"", "x".repeat(1 << 20));
    scribe.inward(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).await;
    scribe.out(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)).await;
    let (rows, ..) = scribe.rows().await;
    let kinds: Vec<_> = rows.iter().map(|row| (row.kind, row.status)).collect();
    assert_eq!(kinds, [(RowKind::Exchange, Some(RowStatus::Unanswered)), (RowKind::Orphan, None)]);
    assert_eq!(codes(&rows[0]), [Code::BadId], "the reason is told");
    let longest = rows.iter().map(|row| format!("{:?}{:?}", row.id, row.findings).len()).max();
    assert!(longest < Some(2000), "a row stays narrow: {longest:?}");
}

#[tokio::test]
async fn a_straggler_after_the_end_keeps_its_server_and_waits_for_nobody() {
    let mut scribe = Scribe::new().await;
    scribe.end().await;
    scribe.out(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    let (rows, ..) = scribe.rows().await;
    assert_eq!(rows[0].server, "alpha", "it belongs where it came from");
    assert_eq!(rows[0].status, Some(RowStatus::Unanswered), "nobody will answer it");
    assert_eq!(codes(&rows[0]), [Code::AfterTheEnd]);
}

#[tokio::test]
async fn what_a_conversation_shows_stands_on_the_rows_concerned() {
    let mut scribe = Scribe::new().await;
    let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}"#;
    scribe.out(initialize).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}}"#).await;
    scribe.out(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    scribe.out(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    scribe.inward(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#).await;
    scribe.out(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    scribe.end().await;
    scribe.inward(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud"}}"#).await;
    let (rows, ..) = scribe.rows().await;
    let told: Vec<_> = rows.iter().map(codes).collect();
    let wanted = [
        vec![Code::OtherVersion],
        vec![Code::TooEarly],
        vec![],
        vec![Code::BadResult],
        vec![Code::Undeclared],
        vec![Code::ReusedId],
        vec![],
    ];
    assert_eq!(told, wanted, "an answer's findings stand with its request; after the end nobody is judged");
}

#[tokio::test]
async fn a_batch_is_no_fault_in_the_revision_that_has_them() {
    let mut scribe = Scribe::new().await;
    scribe.out(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}"#).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"n","version":"1"}}}"#).await;
    scribe.out(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    scribe.inward(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#).await;
    scribe.inward("[]").await;
    let ping = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
    scribe.inward(&format!("{ping}\r{}", ping.replace('3', "4"))).await;
    let (rows, ..) = scribe.rows().await;
    let told: Vec<_> = rows.iter().skip(2).map(codes).collect();
    let wanted = [vec![], vec![], vec![Code::Batch], vec![Code::CarriageReturn], vec![]];
    assert_eq!(told, wanted, "two of a batch, an empty one, two of a line");
}
