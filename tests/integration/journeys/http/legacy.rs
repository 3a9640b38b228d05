//! HTTP with SSE, as it was before.

use integration::{EventStream, HttpStage, Site, Visit, agreement, ended, reply_to, result};
use serde_json::json;
use sonde_app::Dialect;

/// Goes through the handshake of a server that answers on `stream` what comes to `path`.
async fn agree(stage: &HttpStage, stream: &EventStream, path: &str) {
    let initialize = taken(stage.site.post("initialize").await, path).await;
    stream.reply(&initialize, agreement("2024-11-05")).await;
    taken(stage.site.post("notifications/initialized").await, path).await;
    stage.until_ready().await;
}

/// Takes a message as such servers do; gives it.
async fn taken(visit: Visit, path: &str) -> serde_json::Value {
    assert_eq!(visit.request.path, path, "messages go where the server said");
    let message = visit.request.message();
    visit.respond(202, &[], b"Accepted").await;
    message
}

#[tokio::test]
async fn a_server_that_does_not_know_the_first_message_is_asked_for_its_endpoint_at_the_same_address() {
    for status in [400, 404, 405] {
        let stage = HttpStage::open().await;
        stage.connect().await;
        stage.site.post("initialize").await.status(status).await;
        let get = stage.site.get().await;
        assert_eq!(get.request.path, "/mcp", "no path is guessed");
        let stream = get.stream().await;
        stream.raw("event: endpoint\ndata: /messages?id=7\n\n").await;
        agree(&stage, &stream, "/messages?id=7").await;
        let server = stage.door.server(&stage.server).await;
        assert_eq!(server["transport"], "sse", "what is spoken is shown: {server}");
        let (begun, visit) = stage.begin("tools/list", json!({})).await;
        let request = taken(visit, "/messages?id=7").await;
        stream.message(&reply_to(&request, json!({ "result": { "tools": [] } }))).await;
        assert_eq!(result(&ended(begun).await), json!({ "tools": [] }));
        let requests = stage.site.requests();
        assert!(requests.iter().all(|request| ["/mcp", "/messages?id=7"].contains(&&*request.path)), "{requests:?}");
        let later = requests.iter().skip(2);
        assert!(later.clone().all(|request| request.header("mcp-session-id").is_none()), "it knows no sessions");
        let log = stage.end().await;
        assert_eq!(log.of("tools/list").len(), 1, "the log has it");
        stage.close().await;
    }
}

#[tokio::test]
async fn whoever_is_said_to_speak_it_is_not_asked_for_anything_else() {
    let stage = HttpStage::open_with(|typed, _| typed.dialect = Dialect::Sse).await;
    stage.connect().await;
    let stream = stage.site.get().await.stream().await;
    stream.raw("event: endpoint\ndata: ./messages\n\n").await;
    agree(&stage, &stream, "/messages").await;
    assert_eq!(stage.site.requests()[0].method, "GET", "it is the first thing");
    stage.end().await;
    stage.close().await;
}

#[tokio::test]
async fn whoever_is_said_not_to_speak_it_is_not_asked_for_it() {
    let stage = HttpStage::open_with(|typed, _| typed.dialect = Dialect::Http).await;
    stage.connect().await;
    stage.site.post("initialize").await.status(404).await;
    let error = stage.refused().await;
    assert!(format!("{error:?}").contains("404"), "{error:?}");
    assert_eq!(stage.site.requests().len(), 1);
    stage.close().await;
}

#[tokio::test]
async fn an_endpoint_elsewhere_is_refused_before_anything_is_sent_there() {
    let other = Site::open().await;
    let port = other.origin.rsplit(':').next().unwrap().to_owned();
    for endpoint in [
        format!("{}/messages", other.origin),
        format!("//127.0.0.1:{port}/messages"),
        format!("http://localhost:{port}/"),
        "https://127.0.0.1/".to_owned(),
        "javascript:alert(1)".to_owned(),
        "http://user@evil.invalid/".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        let stage = HttpStage::open_with(|typed, _| typed.dialect = Dialect::Sse).await;
        stage.connect().await;
        let stream = stage.site.get().await.stream().await;
        stream.raw(&format!("event: endpoint\ndata: {endpoint}\n\n")).await;
        let error = stage.refused().await;
        assert!(format!("{error:?}").contains("endpoint"), "`{endpoint}`: {error:?}");
        assert_eq!(stage.site.requests().len(), 1, "`{endpoint}`: nothing was sent");
        stage.close().await;
    }
    assert_eq!(other.requests().len(), 0, "and nobody else heard of us");
}

#[tokio::test]
async fn a_second_endpoint_is_told_and_not_used() {
    let stage = HttpStage::open_with(|typed, _| typed.dialect = Dialect::Sse).await;
    stage.connect().await;
    let stream = stage.site.get().await.stream().await;
    stream.raw("event: endpoint\ndata: /first\n\n").await;
    agree(&stage, &stream, "/first").await;
    stream.raw("event: endpoint\ndata: /second\n\n").await;
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    let request = taken(visit, "/first").await;
    stream.message(&reply_to(&request, json!({ "result": { "tools": [] } }))).await;
    ended(begun).await;
    let findings = stage.end().await.findings();
    assert!(findings.iter().any(|finding| finding.ends_with("second-endpoint")), "{findings:?}");
    stage.close().await;
}

#[tokio::test]
async fn the_end_of_the_stream_is_the_end_of_the_connection() {
    let stage = HttpStage::open_with(|typed, _| typed.dialect = Dialect::Sse).await;
    stage.connect().await;
    let stream = stage.site.get().await.stream().await;
    stream.raw("event: endpoint\ndata: /messages\n\n").await;
    agree(&stage, &stream, "/messages").await;
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    taken(visit, "/messages").await;
    stream.end().await;
    super::failed(begun).await;
    stage.door.until_server(&stage.server, &["failed", "stopped"]).await;
    let gets = stage.site.requests().into_iter().filter(|request| request.method == "GET");
    assert_eq!(gets.count(), 1, "what was lost can't be had again");
    stage.close().await;
}
