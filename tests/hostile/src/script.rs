//! What both sides know: the lines that a case sends, and what the log must say of each.

use serde_json::{Value, json};

/// With what every session id of an HTTP server begins; what follows is a hyphen and a number.
pub const SESSION: &str = "ses-canary-five-5WdJp8";

pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// S16: one message with everything in it that a careless split would break.
pub const SPLIT_MESSAGE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"é ü 漢 🚀 \"quoted\" \\ \u0041\n"}}"#;

/// One line of a script.
pub struct Line {
    pub bytes: Vec<u8>,
    /// The kind of row it must become.
    pub kind: &'static str,
    /// A finding that the row must carry; none where the line is in order.
    pub finding: Option<&'static str>,
}

/// S13, S14, S15: lines that are recorded byte for byte, whatever they are.
pub fn lines(case: &str) -> Vec<Line> {
    let notification = |data: &str| {
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":{data}}}}}"#)
    };
    let good = |bytes: Vec<u8>| Line { bytes, kind: "notification", finding: None };
    let bad = |bytes: &[u8], finding| Line { bytes: bytes.to_vec(), kind: "unparsable", finding: Some(finding) };
    match case {
        "S13" => vec![
            good(format!("{}\r", notification("\"crlf\"")).into_bytes()),
            good(format!("{}  \t ", notification("\"trailing spaces\"")).into_bytes()),
            good(notification("\"cr inside\"").replace(",\"params\"", ",\r\"params\"").into_bytes()),
            bad(b"", "empty-line"),
            bad(b"\r", "empty-line"),
            bad(b"   ", "empty-line"),
            // Two messages with nothing but a carriage return between them are one line.
            Line {
                bytes: format!("{}\r{}", notification("1"), notification("2")).into_bytes(),
                kind: "notification",
                finding: Some("carriage-return"),
            },
            bad(b"text\rand more text", "not-json"),
        ],
        "S14" => vec![
            Line {
                bytes: [BYTE_ORDER_MARK, notification("\"marked\"").as_bytes()].concat(),
                kind: "notification",
                finding: Some("byte-order-mark"),
            },
            good(notification("\"not marked\"").into_bytes()),
        ],
        _ => vec![
            bad(&[&notification("\"").into_bytes(), b"\xff\xfe\"}}".as_slice()].concat(), "invalid-utf8"),
            // An overlong slash, a surrogate in UTF-8's clothes, a character cut short.
            bad(&[notification("\"").as_bytes(), b"\xc0\xaf"].concat(), "invalid-utf8"),
            bad(&[notification("\"").as_bytes(), b"\xed\xa0\x80"].concat(), "invalid-utf8"),
            bad(&[notification("\"").as_bytes(), b"\xf0\x9f\x9a"].concat(), "invalid-utf8"),
            good(notification(r#""lone surrogate \ud800 here""#).into_bytes()),
            good(notification(r#""escaped nul \u0000 here""#).into_bytes()),
            bad(notification("\"raw nul \0 here\"").as_bytes(), "not-json"),
            bad(b"\0\0\0\0", "not-json"),
        ],
    }
}

/// A notification that says which one it is.
pub fn numbered(number: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":"number {number}"}}}}"#
    )
}

/// J2: ids that look like `id` and are not.
pub fn other_ids(id: &str) -> Vec<String> {
    vec![
        format!("\"{id}\""),
        format!("{id}.0"),
        format!("{id}e0"),
        format!("-{id}"),
        format!("[{id}]"),
        format!("{{\"id\":{id}}}"),
        "9007199254740993".to_owned(),
        "true".to_owned(),
        "null".to_owned(),
    ]
}

/// J3: the ways in which a response can be nearly one.
pub const BROKEN_ANSWERS: &[&str] = &["both", "neither", "extra", "old", "unversioned", "null-result"];

pub fn broken_answer(how: &str, id: &str) -> String {
    let (result, error) = (r#""result":{"content":[]}"#, r#""error":{"code":-1,"message":"both"}"#);
    match how {
        "both" => format!(r#"{{"jsonrpc":"2.0","id":{id},{result},{error}}}"#),
        "neither" => format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#),
        "extra" => format!(r#"{{"jsonrpc":"2.0","id":{id},{result},"extra":{{"kept":true}}}}"#),
        "old" => format!(r#"{{"jsonrpc":"1.0","id":{id},{result}}}"#),
        "unversioned" => format!(r#"{{"id":{id},{result}}}"#),
        _ => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":null}}"#),
    }
}

/// A line of a script that is made for the id of a call.
pub struct Message {
    pub text: String,
    pub finding: Option<&'static str>,
}

/// J4: names that are nearly right. J11: numbers that a careless reader changes.
pub fn lines_for(case: &str, id: &str) -> Vec<Message> {
    let message = |text: String, finding| Message { text, finding };
    let numbers = |data: &str, finding| {
        let text = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":{data}}}}}"#
        );
        Message { text, finding }
    };
    match case {
        "J4" => vec![
            message(format!(r#"{{"jsonrpc":"2.0","ID":{id},"Result":{{"content":[]}}}}"#), Some("not-a-message")),
            message(format!(r#"{{"jsonrpc":"2.0","Id":{id},"result":{{"content":[]}}}}"#), Some("bad-id")),
            message(r#"{"jsonrpc":"2.0","Method":"notifications/cased"}"#.to_owned(), Some("not-a-message")),
            message(r#"{"jsonrpc":"2.0","method":"notifications/long-s","paramſ":{"x":1}}"#.to_owned(), Some("unknown-member")),
            message(r#"{"jsonrpc":"2.0","method":"notifications/a","method":"notifications/b"}"#.to_owned(), Some("duplicate-member")),
            message(format!(r#"{{"jsonrpc":"2.0","id":{id},"id":"other","result":{{"content":[]}}}}"#), Some("duplicate-member")),
            message(
                r#"{"jsonrpc":"2.0","__proto__":{"admin":true},"method":"notifications/proto","params":{"constructor":{"prototype":1}}}"#.to_owned(),
                Some("unknown-member"),
            ),
        ],
        _ => vec![
            numbers("1e400", None),
            numbers("-0", None),
            numbers("-0.0", None),
            numbers(&"1".repeat(400), None),
            numbers("12345678901234567890.123456789012345678901234567890", None),
            numbers("NaN", Some("not-json")),
            numbers("Infinity", Some("not-json")),
            numbers("01", Some("not-json")),
        ],
    }
}

/// J5: what a batch can be. The last one answers the call.
pub fn batches(id: &str) -> Vec<String> {
    let answer =
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"batched"}}]}}}}"#);
    vec![
        "[]".to_owned(),
        format!("[[{}]]", numbered(1)),
        "[1,null,\"x\"]".to_owned(),
        format!(r#"[{},{{"jsonrpc":"2.0","id":"p","method":"ping"}},{answer}]"#, numbered(2)),
    ]
}

/// J7: what a server asks when it should not. None of it may be done.
pub fn wrong_requests(when: &str) -> Vec<String> {
    ["sampling/createMessage", "sonde/run", "tools/call", "initialize"]
        .map(|method| {
            let params = json!({ "name": "rm", "arguments": {}, "messages": [], "maxTokens": 1 });
            format!(r#"{{"jsonrpc":"2.0","id":"{when}-{method}","method":"{method}","params":{params}}}"#)
        })
        .to_vec()
}

/// J9: errors that are none, or too much.
pub const ODD_ERRORS: &[&str] =
    &["string-code", "float-code", "no-message", "html", "text", "large-message", "large-data"];

pub fn odd_error(how: &str, size: usize) -> String {
    match how {
        "string-code" => r#"{"code":"-32000","message":"the code is text"}"#.to_owned(),
        "float-code" => r#"{"code":-32000.5,"message":"the code is a fraction"}"#.to_owned(),
        "no-message" => r#"{"code":-32000}"#.to_owned(),
        "html" => r#"{"code":-32000,"message":"<img src=x onerror=alert(1)>\u001b[31m"}"#.to_owned(),
        "large-message" => format!(r#"{{"code":-32000,"message":"{}"}}"#, "m".repeat(size)),
        // Looks as if it went round in circles, and is only long.
        "large-data" => {
            format!(r#"{{"code":-32000,"message":"m","data":{{"self":[{}0]}}}}"#, r#"{"$ref":"$"},"#.repeat(size / 13))
        }
        _ => r#""a text in the place of an error""#.to_owned(),
    }
}

/// J14: the tools, by name; their schemas are too large to be built where memory is measured.
pub const SCHEMAS: &[&str] = &[
    "ref-http",
    "ref-file",
    "ref-data",
    "meta-http",
    "id-http",
    "self-loop",
    "mutual-loop",
    "any-of",
    "pattern",
    "back-reference",
    "output-ref",
];

/// J14, J15: a tool with a schema, and how its calls are answered.
pub struct Schema {
    pub name: &'static str,
    pub definition: Value,
    /// The structured content of every answer; null for plain text.
    pub answer: Value,
}

pub fn schemas(case: &str, address: &str) -> Vec<Schema> {
    let input = |name: &'static str, schema: Value| Schema {
        name,
        definition: json!({ "name": name, "inputSchema": schema }),
        answer: Value::Null,
    };
    let output = |name: &'static str, schema: Value, answer: Value| Schema {
        name,
        definition: json!({ "name": name, "inputSchema": { "type": "object" }, "outputSchema": schema }),
        answer,
    };
    let (web, file) = address.split_once('|').unwrap_or((address, address));
    match case {
        "J14" => vec![
            input(
                "ref-http",
                json!({ "type": "object", "properties": { "x": { "$ref": format!("http://{web}/schema.json") } } }),
            ),
            input("ref-file", json!({ "type": "object", "properties": { "x": { "$ref": format!("file://{file}") } } })),
            input(
                "ref-data",
                json!({ "type": "object", "properties": { "x": { "$ref": "data:application/json,{}" } } }),
            ),
            input("meta-http", json!({ "$schema": format!("http://{web}/meta.json"), "type": "object" })),
            input(
                "id-http",
                json!({ "$id": format!("http://{web}/base/"), "type": "object", "properties": { "x": { "$ref": "other.json" } } }),
            ),
            input("self-loop", json!({ "$ref": "#" })),
            input(
                "mutual-loop",
                json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } }, "$ref": "#/$defs/a" }),
            ),
            input(
                "any-of",
                json!({ "type": "object", "properties": { "x": { "anyOf": vec![json!({ "type": "integer" }); 100_000] } } }),
            ),
            input(
                "pattern",
                json!({ "type": "object", "properties": { "x": { "type": "string", "pattern": "^(a+)+$" } } }),
            ),
            input(
                "back-reference",
                json!({ "type": "object", "properties": { "x": { "type": "string", "pattern": r"^(a*)*\1$" } } }),
            ),
            output(
                "output-ref",
                json!({ "type": "object", "$ref": format!("http://{web}/output.json") }),
                json!({ "x": 1 }),
            ),
        ],
        _ => vec![
            output(
                "mismatch",
                json!({ "type": "object", "required": ["sum"], "properties": { "sum": { "type": "integer" } } }),
                json!({ "sum": "four" }),
            ),
            output("missing", json!({ "type": "object", "required": ["sum"] }), Value::Null),
            output(
                "dialect",
                json!({ "$schema": "https://example.com/my-own-dialect", "type": "object" }),
                json!({ "x": 1 }),
            ),
            output("no-schema", json!("this is no schema"), json!({ "x": 1 })),
            output("right", json!({ "type": "object", "required": ["sum"] }), json!({ "sum": 4 })),
        ],
    }
}

/// J16: the beginning of an image's data, and the type it claims.
pub fn image(how: &str) -> (&'static str, &'static str) {
    match how {
        "invalid" => ("not base64 at all! ***", "image/png"),
        "padding" => ("QUJD=QUJD===", "image/png"),
        "lie" => ("PGh0bWw+PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==", "image/png"),
        _ => ("", "image/png"),
    }
}

/// E6: events with every oddity that the rules of event streams allow, each a notification, and the data of each.
pub fn odd_events() -> Vec<(Vec<u8>, String)> {
    let forms = [
        "\u{feff}data: @\n\n",
        "data: @\r\r",
        "data: @\r\n\r\n",
        "data: @\r\n\n",
        "data:@\n\n",
        "data:  @\n\n",
        "color: blue\nDATA: no\ndata: @\n\n",
        "nonsense\ndata: @\n\n",
        "id: one\0two\ndata: @\n\n",
        ":\n\n: a comment\ndata: @\nretry: soon\n\n",
        "event: message\ndata: @\nid\n\n",
        "\r\n\r\ndata: @\nda\n\n",
    ];
    let mut events: Vec<(Vec<u8>, String)> = Vec::new();
    for (number, form) in forms.iter().enumerate() {
        let name = format!("event {number}");
        let message = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":"{name}"}}}}"#
        );
        events.push((form.replace('@', &message).into_bytes(), name));
    }
    // One message over three lines, with a comment between them.
    let lines = "data: {\"jsonrpc\":\"2.0\",\r\ndata: \"method\":\"notifications/message\",\n: and\rdata: \"params\":";
    let lines = format!("{lines}{{\"level\":\"info\",\"data\":\"event lines\"}}}}\n\n");
    events.push((lines.into_bytes(), "event lines".to_owned()));
    events
}
