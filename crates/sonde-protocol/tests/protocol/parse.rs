//! Parsing is total: any bytes give a message and the list of what is wrong with it.

use proptest::prelude::*;
use sonde_protocol::{Code, Message, Outcome, parse};

fn codes(frame: &[u8]) -> Vec<Code> {
    parse(frame).1.into_iter().map(|finding| finding.code).collect()
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

/// What `frame` is, and the slugs of what is wrong with it.
fn read(frame: impl AsRef<[u8]>) -> (&'static str, Vec<&'static str>) {
    let (message, findings) = parse(frame.as_ref());
    (kind(&message), findings.iter().map(|finding| finding.code.slug()).collect())
}

#[test]
fn well_formed_messages_have_no_findings() {
    for (frame, wanted) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request"),
        (r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}"#, "request"),
        (r#"{"jsonrpc":"2.0","id":-5,"method":"ping","params":[]}"#, "request"),
        (r#"{"jsonrpc":"2.0","method":"notifications/x"}"#, "notification"),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "response"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#, "response"),
        (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#, "response"),
        (" {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\t\r", "notification"),
        (r#"{"\u006asonrpc":"2.0","\u006dethod":"x"}"#, "notification"),
    ] {
        assert_eq!(read(frame), (wanted, vec![]), "{frame}");
    }
}

#[test]
fn what_is_no_message_is_kept_and_explained() {
    for (frame, wanted) in [
        (&b""[..], "empty-line"),
        (b"\r", "empty-line"),
        (b"   \t", "empty-line"),
        (b"hello", "not-json"),
        (b"{'a':1}", "not-json"),
        (b"{\"a\":1}{\"b\":2}", "not-json"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{", "not-json"),
        (b"NaN", "not-json"),
        (b"42", "not-an-object"),
        (b"\"text\"", "not-an-object"),
        (b"null", "not-an-object"),
        (b"{\"jsonrpc\":\"2.0\"}", "not-a-message"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1}", "not-a-message"),
        (b"{\"jsonrpc\":\"2.0\",\"method\":7}", "bad-method"),
        (b"{\"jsonrpc\":\"2.0\",\"method\":null,\"id\":1}", "bad-method"),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"\\ud800\"}", "bad-method"),
        (b"\xff\xfe{\x00}\x00", "invalid-utf8"),
        (b"{\"a\":\"\xc0\xaf\"}", "invalid-utf8"),
        (b"{\"a\":\"\xed\xa0\x80\"}", "invalid-utf8"),
        (b"\x00", "not-json"),
    ] {
        let (kind, slugs) = read(frame);
        assert_eq!((kind, slugs.last()), ("opaque", Some(&wanted)), "{}", String::from_utf8_lossy(frame));
    }
}

#[test]
fn utf_16_has_one_clear_diagnosis_however_it_is_cut_into_lines() {
    let text = "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"y\"}\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (mark, bytes) in [(&[0xff, 0xfe][..], &little), (&[0xfe, 0xff], &big), (&[], &little), (&[], &big)] {
        let stream = [mark, bytes].concat();
        // As the transport does: at every byte that is a line feed, whatever stands around it.
        for line in stream.split(|byte| *byte == b'\n').filter(|line| line.len() > 1) {
            let (message, findings) = parse(line);
            assert!(matches!(message, Message::Opaque), "it is not read");
            let told: Vec<_> =
                findings.iter().map(|finding| (finding.code, finding.message.contains("UTF-16"))).collect();
            assert_eq!(told, [(Code::InvalidUtf8, true)], "the cause is named, and only that: {findings:?}");
        }
    }
    assert_eq!(read("{\"jsonrpc\":\"2.0\",\"method\":\"a\\u0000\"}").1, [""; 0], "an escaped NUL is none");
    assert_eq!(read(b"{\"jsonrpc\":\"2.0\",\"method\":\"a\0\"}").1, ["not-json"], "a bare one is not JSON");
}

#[test]
fn line_ends_of_any_system_are_tolerated() {
    let message = r#"{"jsonrpc":"2.0","method":"x"}"#;
    for ending in ["\r", "  ", "\t \r", "\r\r"] {
        assert_eq!(read(format!("{message}{ending}")), ("notification", vec![]), "{ending:?} behind it");
        assert_eq!(read(format!("\u{feff}{message}{ending}")), ("notification", vec!["byte-order-mark"]));
    }
    assert_eq!(read(message.replace(',', ",\r")), ("notification", vec![]), "white space within it");
    let several = format!("{message}\r{message} \r\r{message}\r");
    let (Message::Batch(items), findings) = parse(several.as_bytes()) else { panic!("three messages on one line") };
    assert_eq!((items.len(), findings[0].code), (3, Code::CarriageReturn), "all are read, and how is told");
    assert_eq!(items.iter().map(|item| item.findings.len()).sum::<usize>(), 0, "nothing is wrong with them");
    assert_eq!(read(format!("{message}\rhello")), ("opaque", vec!["not-json"]), "but not what is no message");
    assert_eq!(read("50 %\r100 %"), ("opaque", vec!["not-json"]), "nor a bar that overwrites itself");
}

#[test]
fn members_of_an_answer_beside_a_method_are_told() {
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"x","result":{},"error":{"code":1,"message":""}}"#;
    assert_eq!(read(frame), ("request", vec!["unknown-member"; 2]), "so that nothing hides");
    let odd = r#"{"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":""}}"#;
    assert_eq!(read(odd), ("response", vec!["bad-id"]), "the id of an error is looked at, too");
}

#[test]
fn faults_that_leave_a_message_readable_are_flagged_beside_it() {
    for (frame, wanted, slugs) in [
        ("\u{feff}{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", "notification", vec!["byte-order-mark"]),
        (r#"{"method":"x"}"#, "notification", vec!["wrong-jsonrpc"]),
        (r#"{"jsonrpc":"1.0","method":"x"}"#, "notification", vec!["wrong-jsonrpc"]),
        (r#"{"jsonrpc":2.0,"method":"x"}"#, "notification", vec!["wrong-jsonrpc"]),
        (r#"{"jsonrpc":"2.0","method":"x","params":1}"#, "notification", vec!["bad-params"]),
        (r#"{"jsonrpc":"2.0","method":"x","method":"y"}"#, "notification", vec!["duplicate-member"]),
        (r#"{"jsonrpc":"2.0","method":"x","__proto__":{},"constructor":1}"#, "notification", vec!["unknown-member"; 2]),
        (r#"{"jsonrpc":"2.0","method":"x","code":1,"message":""}"#, "notification", vec!["unknown-member"; 2]),
        (r#"{"jsonrpc":"2.0","method":"x","id":null}"#, "notification", vec!["bad-id"]),
        (r#"{"jsonrpc":"2.0","method":"x","id":{}}"#, "request", vec!["bad-id"]),
        (r#"{"jsonrpc":"2.0","method":"x","id":1.5}"#, "request", vec!["bad-id"]),
        (r#"{"jsonrpc":"2.0","method":"x","id":true}"#, "request", vec!["bad-id"]),
        (r#"{"jsonrpc":"2.0","result":1}"#, "response", vec!["bad-id"]),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"x"}}"#, "response", vec!["bad-error"]),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5}}"#, "response", vec!["bad-error"; 2]),
        (r#"{"jsonrpc":"2.0","id":1,"error":null}"#, "response", vec!["bad-error"; 2]),
    ] {
        assert_eq!(read(frame), (wanted, slugs), "{frame}");
    }
}

#[test]
fn of_result_and_error_the_error_counts() {
    let (message, findings) = parse(br#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":5,"message":"m"}}"#);
    let Message::Response(response) = message else { panic!("it is a response") };
    let Outcome::Error(error) = response.outcome else { panic!("a failure must not look like a success") };
    assert_eq!((error.code, error.message.as_deref()), (Some(5), Some("m")));
    assert_eq!(findings[0].code, Code::ResultAndError, "and both being there is told");
}

#[test]
fn names_in_another_case_are_other_names() {
    let (kind, slugs) = read(r#"{"JSONRPC":"2.0","Method":"x","ID":1,"param\u017f":{},"Result":1}"#);
    assert_eq!(kind, "opaque", "nothing of it is a member that we know");
    assert_eq!(slugs.iter().filter(|slug| **slug == "unknown-member").count(), 5, "each is told: {slugs:?}");
}

#[test]
fn ids_are_kept_as_they_were_written() {
    for id in ["1", "1.0", "\"1\"", "9007199254740993", "-0", "1e400", "\"\\u0031\"", "123456789012345678901234567890"]
    {
        let frame = format!(r#"{{"jsonrpc":"2.0","id": {id} ,"method":"ping"}}"#);
        let (Message::Request(request), _) = parse(frame.as_bytes()) else { panic!("{frame} is a request") };
        assert_eq!(request.id.0, id, "no digit is lost");
    }
}

#[test]
fn a_batch_is_taken_apart_once() {
    let (message, findings) =
        parse(br#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":{}},7,[],"x"]"#);
    let Message::Batch(messages) = message else { panic!("it is a batch") };
    let kinds: Vec<_> = messages.iter().map(|item| kind(&item.message)).collect();
    assert_eq!(kinds, ["notification", "response", "opaque", "opaque", "opaque"], "a nested batch is no message");
    assert_eq!(findings[0].code, Code::Batch, "batches are told");
    assert_eq!(read("[]"), ("batch", vec!["batch"]), "an empty one, too");
    assert_eq!(read("[1,").1, ["not-json"], "half a batch is none");
}

#[test]
fn a_batch_of_a_million_is_counted_and_not_taken_apart() {
    let frame = format!("[{}1]", "1,".repeat(1_000_000));
    let (message, findings) = parse(frame.as_bytes());
    assert!(matches!(message, Message::Opaque), "a line must not become a million rows");
    assert_eq!(findings.len(), 1, "nor a million findings");
    assert!(findings[0].message.contains("1000001"), "but its size is told: {}", findings[0].message);
    let frame = format!("[{}1]", "1,".repeat(999));
    assert!(
        matches!(parse(frame.as_bytes()).0, Message::Batch(messages) if messages.len() == 1000),
        "a thousand may be"
    );
}

#[test]
fn nesting_is_told_from_the_129th_level_on() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for (levels, slugs) in [(127, vec![]), (128, vec![]), (129, vec!["too-deep"]), (1_000_000, vec!["too-deep"])] {
            // The message itself is the first level.
            let value = format!("{}1{}", open.repeat(levels - 1), close.repeat(levels - 1));
            let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{value}}}"#);
            let (message, findings) = parse(frame.as_bytes());
            let Message::Response(response) = message else { panic!("whoever waits for it gets it") };
            let Outcome::Result(result) = response.outcome else { panic!("it is a result") };
            assert_eq!(result.get(), value, "the value is kept as it was written");
            let found: Vec<_> = findings.iter().map(|finding| finding.code.slug()).collect();
            assert_eq!(found, slugs, "{levels} levels of {open}");
        }
    }
    let brackets = format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{}\\\"{}"}}"#, "[".repeat(500), "{".repeat(500));
    assert_eq!(read(&brackets), ("response", vec![]), "brackets in a string are text");
    let wide = format!(r#"{{"jsonrpc":"2.0","id":1,"result":[{}[]]}}"#, "[],".repeat(10_000));
    assert_eq!(read(&wide), ("response", vec![]), "side by side is not deep");
}

#[test]
fn depth_never_overflows_the_stack() {
    const DEEP: usize = 1_000_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let (kind, slugs) = read(open.repeat(DEEP));
        assert_eq!((kind, slugs.first()), ("opaque", Some(&"too-deep")), "unclosed depth is no JSON");
        let value = format!("{}1{}", open.repeat(DEEP), close.repeat(DEEP));
        let error = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{value}}}"#);
        assert_eq!(read(error).0, "response", "an error of any depth is looked into safely");
        let id = format!(r#"{{"jsonrpc":"2.0","id":{value},"method":{value}}}"#);
        assert_eq!(read(id), ("opaque", vec!["too-deep", "bad-method"]));
        let batch = format!("[{value},{value}]");
        assert_eq!(read(batch).0, "batch", "so are the items of a batch");
    }
}

#[test]
fn many_names_give_few_findings() {
    let members: String = (0..100_000).map(|number| format!(r#","x{number}":1,"id":{number}"#)).collect();
    let findings = codes(format!(r#"{{"jsonrpc":"2.0","method":"m"{members}}}"#).as_bytes());
    assert!(findings.len() <= 20, "{} findings of one kind help nobody", findings.len());
}

/// Any JSON value, as text.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<f64>()
            .prop_filter("JSON has no such number", |value| value.is_finite())
            .prop_map(|value| format!("{value:e}")),
        text(),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            proptest::collection::vec((text(), inner), 0..5).prop_map(|members| {
                let members: Vec<_> = members.into_iter().map(|(name, value)| format!("{name}:{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// Any string, as JSON text.
fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<char>(), 0..12)
        .prop_map(|chars| serde_json::to_string(&chars.into_iter().collect::<String>()).expect("a string is JSON"))
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![any::<i64>().prop_map(|value| value.to_string()), text()]
}

/// A valid message and what it is.
fn message() -> impl Strategy<Value = (String, &'static str)> {
    let params = proptest::option::of(json().prop_filter("params are structured", |text| text.starts_with(['{', '['])));
    let params =
        params.prop_map(|params| params.map(|params| format!(r#","params":{params}"#)).unwrap_or_default()).boxed();
    prop_oneof![
        (id(), text(), params.clone()).prop_map(|(id, method, params)| {
            (format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method}{params}}}"#), "request")
        }),
        (text(), params)
            .prop_map(|(method, params)| (format!(r#"{{"jsonrpc":"2.0","method":{method}{params}}}"#), "notification")),
        (id(), json())
            .prop_map(|(id, result)| (format!(r#"{{"result":{result},"id":{id},"jsonrpc":"2.0"}}"#), "response")),
        (id(), any::<i64>(), text(), json()).prop_map(|(id, code, message, data)| {
            let error = format!(r#"{{"code":{code},"message":{message},"data":{data}}}"#);
            (format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#), "response")
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_give_a_message_or_a_reason(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let (message, findings) = parse(&bytes);
        prop_assert!(!matches!(message, Message::Opaque) || !findings.is_empty(), "what is no message has a reason");
    }

    #[test]
    fn every_valid_message_is_what_it_says((frame, wanted) in message()) {
        let (message, findings) = parse(frame.as_bytes());
        prop_assert_eq!(kind(&message), wanted, "{}", frame);
        prop_assert_eq!(findings, vec![], "{}", frame);
    }

    #[test]
    fn a_damaged_message_still_gives_a_message_or_a_reason(
        (frame, _) in message(),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), 0..3u8), 1..6),
    ) {
        let mut bytes = frame.into_bytes();
        for (place, byte, how) in damage {
            let place = place.index(bytes.len().max(1));
            match how {
                0 if place < bytes.len() => bytes[place] = byte,
                1 if place < bytes.len() => { bytes.remove(place); }
                _ => bytes.insert(place.min(bytes.len()), byte),
            }
        }
        let (message, findings) = parse(&bytes);
        prop_assert!(!matches!(message, Message::Opaque) || !findings.is_empty(), "what is no message has a reason");
    }

    #[test]
    fn a_batch_of_valid_messages_keeps_their_kinds_and_order(items in proptest::collection::vec(message(), 1..8)) {
        let frames: Vec<_> = items.iter().map(|(frame, _)| frame.as_str()).collect();
        let frame = format!("[{}]", frames.join(" , "));
        let (Message::Batch(messages), _) = parse(frame.as_bytes()) else { panic!("it is a batch") };
        let kinds: Vec<_> = messages.iter().map(|item| kind(&item.message)).collect();
        let wanted: Vec<_> = items.iter().map(|(_, kind)| *kind).collect();
        prop_assert_eq!(kinds, wanted);
    }
}
