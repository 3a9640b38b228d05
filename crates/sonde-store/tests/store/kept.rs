//! What a person keeps beside the log.

use sonde_store::{SeenTool, Subject};
use sqlx::Connection as _;

use crate::scribe::Scribe;

fn tool(name: &str, digest: u8) -> SeenTool {
    SeenTool {
        name: name.to_owned(),
        sha256: vec![digest; 32],
        definition: Some(format!("{{\"name\":\"{name}\"}}")),
        at_ms: 5,
        pinned: false,
    }
}

#[tokio::test]
async fn a_server_without_tools_was_seen_all_the_same() {
    let scribe = Scribe::new().await;
    let store = &scribe.store;
    assert_eq!(store.seen_tools("s").await.unwrap(), None, "never seen");
    store.see_tools("s", &[], &[]).await.unwrap();
    assert_eq!(store.seen_tools("s").await.unwrap(), Some(vec![]), "seen, and it had none");
}

#[tokio::test]
async fn seeing_a_tool_again_keeps_its_pin_and_what_is_gone_is_forgotten() {
    let scribe = Scribe::new().await;
    let store = &scribe.store;
    store.see_tools("s", &[tool("a", 1), tool("b", 1)], &[]).await.unwrap();
    store.see_tools("other", &[tool("a", 9)], &[]).await.unwrap();
    assert!(store.pin_tool("s", "a", true).await.unwrap());
    assert!(!store.pin_tool("s", "nobody", true).await.unwrap());
    store.see_tools("s", &[tool("a", 2)], &["b".to_owned()]).await.unwrap();
    let seen = store.seen_tools("s").await.unwrap().unwrap();
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(seen[0].pinned && seen[0].sha256 == [2; 32]);
    store.see_tools("s", &[], &["a".to_owned()]).await.unwrap();
    assert!(store.seen_tool("s", "a").await.unwrap().unwrap().pinned, "a pin outlives its tool");
    assert!(!store.seen_tool("other", "a").await.unwrap().unwrap().pinned, "a pin is for one server");
    let long = SeenTool { definition: Some("x".repeat(300 << 10)), ..tool("long", 3) };
    store.see_tools("s", &[long], &[]).await.unwrap();
    assert_eq!(store.seen_tool("s", "long").await.unwrap().unwrap().definition, None, "known by its digest alone");
}

#[tokio::test]
async fn what_was_last_sent_is_remembered_for_so_many_things_and_no_more() {
    let scribe = Scribe::new().await;
    let store = &scribe.store;
    fn about(target: &str) -> Subject<'_> {
        Subject { server: "s", method: "tools/call", target }
    }
    store.remember(about("a"), "{}", 1).await.unwrap();
    store.remember(about("a"), "{\"b\":1}", 2).await.unwrap();
    assert_eq!(store.recall(about("a")).await.unwrap().as_deref(), Some("{\"b\":1}"), "the last counts");
    let mut database = sqlx::SqliteConnection::connect(&format!("sqlite://{}", scribe.path().display())).await.unwrap();
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO remembered SELECT 's', 'tools/call', 't' || i, '{}', 10 FROM n";
    sqlx::query(many).execute(&mut database).await.unwrap();
    store.remember(about("newest"), "{}", 11).await.unwrap();
    assert_eq!(store.recall(about("a")).await.unwrap(), None, "the oldest made room");
    assert!(store.recall(about("newest")).await.unwrap().is_some());
}
