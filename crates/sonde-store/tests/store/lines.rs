//! Log messages and stderr apart from the rest, and the requests that were open when a line came.

use sonde_protocol::{Body, Channel, Direction};
use sonde_store::{Level, Lines, Row, View};

use crate::scribe::{Scribe, all};

fn message(level: &str, logger: Option<&str>, data: &str) -> String {
    let logger = logger.map(|logger| format!(r#","logger":"{logger}""#)).unwrap_or_default();
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"{level}"{logger},"data":"{data}"}}}}"#
    )
}

fn both(least: Option<&str>, text: Option<&str>) -> View {
    let least = least.map(|name| Level::named(name).unwrap());
    let lines = Lines { messages: true, stderr: true, least, text: text.map(str::to_owned) };
    View { lines: Some(lines), ..View::default() }
}

fn targets(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|row| row.target.as_deref().unwrap_or_default()).collect()
}

#[tokio::test]
async fn lower_levels_are_left_out_and_what_has_none_is_not() {
    let mut scribe = Scribe::new().await;
    for level in ["debug", "info", "warning", "emergency", "debugging", "loud"] {
        scribe.inward(&message(level, None, "x")).await;
        scribe.inward(&message(level, Some("net"), "x")).await;
    }
    scribe.inward(r#"{"jsonrpc":"2.0","method":"notifications/message","params":7}"#).await;
    scribe.inward(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#).await;
    scribe.frame(Direction::In, Channel::Stderr, Body::whole("debug: it is only stderr".to_owned())).await;
    let (_, store, _folder) = scribe.rows().await;
    let rows = all(&store, &both(Some("warning"), None)).await;
    assert_eq!(
        targets(&rows),
        [
            "warning: x",
            "warning net: x",
            "emergency: x",
            "emergency net: x",
            "debugging: x",
            "debugging net: x",
            "loud: x",
            "loud net: x",
            "",
            "debug: it is only stderr"
        ],
        "a level that nobody knows may be anything, and stderr has none"
    );
    assert_eq!(all(&store, &both(None, None)).await.len(), 14, "all but the progress");
    assert!(Level::named("loud").is_none());
}

#[tokio::test]
async fn words_are_found_whatever_their_case_and_beyond_what_a_row_shows() {
    let mut scribe = Scribe::new().await;
    scribe.inward(&message("info", None, "100% of it")).await;
    scribe.inward(&message("info", None, &format!("{} Needle", "x".repeat(900)))).await;
    scribe.frame(Direction::In, Channel::Stderr, Body::whole(format!("{} NEEDLE", "y".repeat(900)))).await;
    let (_, store, _folder) = scribe.rows().await;
    assert_eq!(all(&store, &both(None, Some("needle"))).await.len(), 2);
    assert_eq!(all(&store, &both(None, Some("jsonrpc"))).await.len(), 0, "what a message says, and not how it is sent");
    assert_eq!(all(&store, &both(None, Some("100%"))).await.len(), 1, "a sign is a sign");
    assert_eq!(all(&store, &both(None, Some("1_0"))).await.len(), 0, "and so is this one");
    assert_eq!(all(&store, &both(None, Some("\\"))).await.len(), 0);
    let none = View { lines: Some(Lines::default()), ..View::default() };
    assert_eq!(all(&store, &none).await, [], "neither of the two is wanted");
}

#[tokio::test]
async fn a_line_leads_to_the_requests_that_were_open_when_it_came() {
    let mut scribe = Scribe::new().await;
    scribe.out(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"before"}}"#).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    scribe.out(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"during"}}"#).await;
    scribe.out(r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"endless"}}"#).await;
    scribe.inward(&message("info", None, "the line")).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#).await;
    scribe.out(r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"after"}}"#).await;
    let (rows, store, _folder) = scribe.rows().await;
    let line = rows.iter().find(|row| row.target.as_deref() == Some("info: the line")).unwrap();
    let open = store.open_during(line.seq).await.unwrap();
    assert_eq!((targets(&open.rows), open.more), (vec!["endless", "during"], 0), "the nearest first");
    assert_eq!(store.open_during(999).await.unwrap().rows, [], "of a row that is not there");
}
