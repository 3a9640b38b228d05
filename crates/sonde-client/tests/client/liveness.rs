use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sonde_client::{Ask, CallError, Client, Dead};
use sonde_protocol::Revision;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::peer::{Peer, within};

async fn connected() -> (Peer, Client) {
    Peer::ready(Revision::LATEST, json!({}), json!({ "tools": {} })).await
}

fn watch(client: &Client, pause: Option<Duration>) -> (Arc<Notify>, JoinHandle<Dead>) {
    let (doubt, client) = (Arc::new(Notify::new()), client.clone());
    let told = doubt.clone();
    (doubt, tokio::spawn(async move { client.until_dead(pause, &told).await }))
}

#[tokio::test]
async fn an_idle_server_that_misses_two_pings_is_dead() {
    let (mut peer, client) = connected().await;
    let (_doubt, watching) = watch(&client, Some(Duration::from_millis(20)));
    let first = peer.read().await;
    assert_eq!(first["method"], "ping", "nothing passed for a while, so it is asked");
    assert_eq!(peer.read().await["method"], "notifications/cancelled", "the first one is given up");
    let second = peer.read().await;
    assert_eq!(second["method"], "ping", "one that is missed may be an accident");
    let dead = within("the verdict", watching).await.unwrap();
    assert!(matches!(dead.last, CallError::TimedOut(_)), "{dead}");
}

#[tokio::test]
async fn whoever_answers_lives_also_with_an_error() {
    let (mut peer, client) = connected().await;
    let (doubt, watching) = watch(&client, None);
    for _ in 0..3 {
        doubt.notify_one();
        let ping = peer.read().await;
        assert_eq!(ping["method"], "ping", "a doubt is looked into at once");
        let error = json!({ "code": -32601, "message": "what is a ping?" });
        peer.say(json!({ "jsonrpc": "2.0", "id": ping["id"], "error": error })).await;
    }
    assert!(!watching.is_finished(), "an error is an answer");
    watching.abort();
}

#[tokio::test]
async fn a_server_at_work_is_left_alone() {
    let (mut peer, client) = connected().await;
    let (_doubt, watching) = watch(&client, Some(Duration::from_secs(1)));
    let work = client.ask(Ask::new("tools/list")).await.unwrap();
    let request = peer.read().await;
    // Longer than two pauses: a ping would have been sent by now.
    tokio::time::sleep(Duration::from_millis(2200)).await;
    let more = client.ask(Ask::new("tools/list")).await.unwrap();
    let next = peer.read().await;
    assert_eq!(next["method"], "tools/list", "no ping came between the two");
    peer.result(&request, json!({ "tools": [] })).await;
    peer.result(&next, json!({ "tools": [] })).await;
    within("the first answer", work.end()).await.unwrap();
    within("the second answer", more.end()).await.unwrap();
    assert_eq!(peer.read().await["method"], "ping", "when it is idle again it is asked");
    watching.abort();
}
