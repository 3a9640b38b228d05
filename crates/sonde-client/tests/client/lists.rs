use serde_json::{Value, json};
use sonde_client::{CallError, Catalog, Client, Event, Listing};
use sonde_protocol::Revision;

use crate::peer::{Peer, within};

async fn ready() -> (Peer, Client) {
    let server = json!({ "tools": {}, "resources": {}, "prompts": {}, "tasks": { "list": {} } });
    Peer::ready(Revision::LATEST, json!({}), server).await
}

/// Lists, with pages that the test gives one after the other.
async fn listed(catalog: Catalog, pages: &[Value]) -> (Listing, Vec<Value>) {
    let (mut peer, client) = ready().await;
    let listing = tokio::spawn(async move { client.list(catalog).await });
    let mut asked = Vec::new();
    for page in pages {
        let request = peer.read().await;
        assert_eq!(request["method"], catalog.method());
        asked.push(request["params"].clone());
        match page.get("error") {
            Some(error) => peer.say(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error })).await,
            None => peer.result(&request, page.clone()).await,
        }
    }
    (within("the list", listing).await.unwrap().unwrap(), asked)
}

#[tokio::test]
async fn every_list_is_read_page_by_page_until_there_is_no_cursor() {
    for catalog in Catalog::ALL {
        let member = catalog.member();
        let pages = [
            json!({ member: [{ "name": "a" }], "nextCursor": "" }),
            json!({ member: [], "nextCursor": "é\"2" }),
            json!({ member: [{ "name": "b" }] }),
        ];
        let (listing, asked) = listed(*catalog, &pages).await;
        let entries: Vec<_> = listing.entries.iter().map(|entry| entry.get()).collect();
        assert_eq!(entries, [r#"{"name":"a"}"#, r#"{"name":"b"}"#], "{catalog:?}");
        assert_eq!((listing.pages, listing.problem), (3, None));
        assert_eq!(asked, [Value::Null, json!({ "cursor": "" }), json!({ "cursor": "é\"2" })], "cursors are opaque");
    }
}

#[tokio::test]
async fn a_cursor_that_comes_again_ends_the_list_and_is_named() {
    let page = |next: &str| json!({ "tools": [{}], "nextCursor": next });
    let (listing, _) = listed(Catalog::Tools, &[page("one"), page("two"), page("one")]).await;
    assert_eq!(listing.entries.len(), 3, "what came before is kept");
    assert!(listing.problem.as_deref().is_some_and(|problem| problem.contains("\"one\"")), "{:?}", listing.problem);
}

#[tokio::test]
async fn an_error_on_a_later_page_keeps_what_came_before() {
    let error = json!({ "error": { "code": -32602, "message": "bad cursor" } });
    let (listing, _) = listed(Catalog::Prompts, &[json!({ "prompts": [{}], "nextCursor": "x" }), error]).await;
    assert_eq!(listing.entries.len(), 1);
    assert!(listing.problem.unwrap().contains("bad cursor"));
}

#[tokio::test]
async fn a_list_that_was_not_declared_is_not_asked_for() {
    let (_peer, client) = Peer::ready(Revision::LATEST, json!({}), json!({})).await;
    assert!(matches!(client.list(Catalog::Tools).await, Err(CallError::Objected { .. })));
}

#[tokio::test]
async fn news_of_a_list_reaches_whoever_watches_it() {
    let (mut peer, client) = ready().await;
    let cases = [
        ("notifications/tools/list_changed", vec![Catalog::Tools]),
        ("notifications/prompts/list_changed", vec![Catalog::Prompts]),
        ("notifications/resources/list_changed", vec![Catalog::Resources, Catalog::Templates]),
        ("notifications/tasks/status", vec![Catalog::Tasks]),
    ];
    for (method, catalogs) in cases {
        let mut watchers: Vec<_> = Catalog::ALL.iter().map(|catalog| (*catalog, client.changes(*catalog))).collect();
        peer.notify(method, json!({})).await;
        // A ping comes back after everything before it was handled.
        peer.ask(json!(method), "ping", json!({})).await;
        peer.read().await;
        let changed = watchers.iter_mut().filter(|(_, watcher)| watcher.has_changed().unwrap());
        let changed: Vec<_> = changed.map(|(catalog, _)| *catalog).collect();
        assert_eq!(changed, catalogs, "{method}");
    }
}

#[tokio::test]
async fn what_a_server_reports_reaches_whoever_listens() {
    let (mut peer, client) = ready().await;
    let mut events = client.events();
    peer.notify("notifications/resources/updated", json!({ "uri": "file:///x" })).await;
    peer.notify("notifications/message", json!({ "level": "error", "data": { "a": 1 } })).await;
    peer.notify("notifications/made/up", json!({})).await;
    peer.notify("notifications/elicitation/complete", json!({ "elicitationId": "e" })).await;
    peer.notify("notifications/tasks/status", json!({ "taskId": "t", "status": "working" })).await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(match within("an event", events.recv()).await.unwrap() {
            Event::ResourceUpdated { uri } => uri,
            Event::LogMessage { level, data, .. } => format!("{level} {data}"),
            Event::ElicitationComplete { id } => id,
            Event::TaskStatus { task } => task.get().to_owned(),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(seen, ["file:///x", r#"error {"a":1}"#, "e", r#"{"status":"working","taskId":"t"}"#]);
}
