use std::time::Duration;

use serde_json::json;
use sonde_client::{ConnectError, Negotiation, Options};
use sonde_protocol::Revision;

use crate::peer::{Peer, raw, within};

fn pinned(revision: Revision) -> Options {
    Options { negotiation: Negotiation::Pinned(revision), ..Options::default() }
}

#[tokio::test]
async fn a_person_decides_every_word_of_initialize() {
    let options = Options {
        client_info: raw(json!({ "name": "claude-code", "version": "9", "odd": [1.0] })),
        capabilities: raw(json!({ "sampling": {}, "made-up": { "x": true } })),
        ..pinned(Revision::V2025_06_18)
    };
    let (mut peer, connecting) = Peer::start(options).await;
    let initialize = peer.line().await.unwrap();
    assert_eq!(
        initialize,
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
            r#""capabilities":{"made-up":{"x":true},"sampling":{}},"#,
            r#""clientInfo":{"name":"claude-code","odd":[1.0],"version":"9"}}}"#,
            "\n"
        ),
        "the wire has exactly what was set"
    );
    let result = json!({
        "protocolVersion": "2025-06-18", "capabilities": { "tools": {} }, "serverInfo": { "name": "s" },
        "instructions": "be kind", "unknown": 1,
    });
    peer.result(&json!({ "id": 1 }), result).await;
    assert_eq!(peer.line().await.unwrap(), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    let (client, handshake) = connecting.await.unwrap().unwrap();
    assert_eq!(handshake.revision, Revision::V2025_06_18);
    assert_eq!(handshake.instructions.as_deref(), Some("be kind"));
    let agreement = client.agreement();
    assert!(agreement.client.declares("made-up.x") && agreement.server.declares("tools"));
}

#[tokio::test]
async fn a_version_that_is_none_of_ours_is_refused_with_both_sides_named() {
    let (mut peer, connecting) = Peer::start(Options::default()).await;
    let initialize = peer.read().await;
    peer.result(&initialize, json!({ "protocolVersion": "2031-01-01", "capabilities": {} })).await;
    let error = within("the refusal", connecting).await.unwrap().unwrap_err();
    let told = error.to_string();
    assert!(matches!(error, ConnectError::Version { .. }), "{error:?}");
    assert!(told.contains("2031-01-01") && told.contains("2024-11-05") && told.contains("2025-11-25"), "{told}");
    assert_eq!(peer.line().await, None, "nothing is sent after the refusal");
}

#[tokio::test]
async fn a_pinned_revision_takes_no_other() {
    let (mut peer, connecting) = Peer::start(pinned(Revision::V2024_11_05)).await;
    let initialize = peer.read().await;
    assert_eq!(initialize["params"]["protocolVersion"], "2024-11-05");
    peer.result(&initialize, json!({ "protocolVersion": "2025-06-18", "capabilities": {} })).await;
    let error = within("the refusal", connecting).await.unwrap().unwrap_err();
    let ConnectError::Version { answered, accepted, .. } = error else { panic!("{error:?}") };
    assert_eq!((answered.as_str(), accepted.as_slice()), ("2025-06-18", ["2024-11-05"].as_slice()));
}

#[tokio::test]
async fn a_refusal_that_names_other_revisions_is_tried_again_with_one_of_them() {
    let (mut peer, connecting) = Peer::start(Options::default()).await;
    let first = peer.read().await;
    let data = json!({ "supported": ["2024-11-05", "2025-03-26"], "requested": first["params"]["protocolVersion"] });
    let error = json!({ "code": -32602, "message": "Unsupported protocol version", "data": data });
    peer.say(json!({ "jsonrpc": "2.0", "id": first["id"], "error": error })).await;
    let second = peer.read().await;
    assert_eq!(second["params"]["protocolVersion"], "2025-03-26", "the newest that both speak");
    assert_ne!(first["id"], second["id"], "no id is used twice");
    peer.result(&second, json!({ "protocolVersion": "2025-03-26", "capabilities": {} })).await;
    let (_, handshake) = within("a connection", connecting).await.unwrap().unwrap();
    assert_eq!(handshake.revision, Revision::V2025_03_26);
}

#[tokio::test]
async fn a_refusal_without_common_ground_says_what_the_server_speaks() {
    let (mut peer, connecting) = Peer::start(Options::default()).await;
    let initialize = peer.read().await;
    let error = json!({ "code": -32602, "message": "no", "data": { "supported": ["2031-01-01"] } });
    peer.say(json!({ "jsonrpc": "2.0", "id": initialize["id"], "error": error })).await;
    let error = within("the refusal", connecting).await.unwrap().unwrap_err();
    assert!(error.to_string().contains("2031-01-01"), "{error}");
    assert!(matches!(error, ConnectError::Refused { code: Some(-32602), .. }));
}

#[tokio::test]
async fn a_ping_is_answered_before_the_server_is_ready() {
    let (mut peer, _connecting) = Peer::start(Options::default()).await;
    assert_eq!(peer.read().await["method"], "initialize");
    peer.ask(json!("p-1"), "ping", json!({})).await;
    assert_eq!(peer.line().await.unwrap(), "{\"jsonrpc\":\"2.0\",\"id\":\"p-1\",\"result\":{}}\n");
}

#[tokio::test]
async fn initialize_is_given_up_but_never_cancelled() {
    let options = Options { connect_limit: Duration::from_millis(50), ..Options::default() };
    let (mut peer, connecting) = Peer::start(options).await;
    let error = within("the end", connecting).await.unwrap().unwrap_err();
    assert!(matches!(error, ConnectError::NoAnswer { .. }), "{error:?}");
    assert_eq!(peer.read().await["method"], "initialize");
    assert_eq!(peer.line().await, None, "not a word more");
}

#[tokio::test]
async fn without_negotiation_nothing_is_sent_and_nothing_is_gated() {
    let (mut peer, client) = Peer::skipped(Revision::V2025_06_18).await;
    assert_eq!(client.agreement().revision, Revision::V2025_06_18);
    let call = client.ask(sonde_client::Ask::new("tools/list")).await.unwrap();
    let request = peer.read().await;
    assert_eq!(request["method"], "tools/list", "the first word on the wire is the person's");
    peer.result(&request, json!({ "tools": [] })).await;
    within("an answer", call.end()).await.unwrap();
}
