//! Ways to somewhere else: which are followed, and which are not.

use integration::{HttpStage, Site, agreement, ended, result};
use serde_json::{Value, json};

use super::{fact, failed};

/// A server that is told a secret, and has one more header of a person's.
async fn stage() -> HttpStage {
    HttpStage::open_with(|typed, _| {
        typed.headers = vec![("Authorization".into(), "Bearer x".into()), ("X-Tenant".into(), "blue".into())];
    })
    .await
}

fn call() -> Value {
    json!({ "name": "t", "arguments": {} })
}

#[tokio::test]
async fn a_redirect_within_the_origin_is_followed_with_everything_that_was_sent() {
    let stage = stage().await;
    stage.ready(Some("s-1")).await;
    let (begun, visit) = stage.begin("tools/call", call()).await;
    let first = visit.request.clone();
    visit.respond(307, &[("location", "/one?a=b")], b"moved").await;
    let absolute = format!("{}/two", stage.site.origin);
    for (path, status, next) in [("/one?a=b", 308, &*absolute), ("/two", 307, "three")] {
        let visit = stage.site.post("tools/call").await;
        assert_eq!(visit.request.path, path);
        visit.respond(status, &[("location", next)], b"").await;
    }
    let visit = stage.site.post("tools/call").await;
    assert_eq!(visit.request.path, "/three", "as a link is read");
    assert_eq!(visit.request.body, first.body, "the message is the same");
    for name in ["authorization", "x-tenant", "mcp-session-id", "mcp-protocol-version", "accept", "content-type"] {
        assert!(first.header(name).is_some(), "{name}");
        assert_eq!(visit.request.header(name), first.header(name), "{name}");
    }
    visit.reply(json!({ "result": { "content": [] } })).await;
    assert_eq!(result(&ended(begun).await), json!({ "content": [] }));
    assert_eq!(stage.ping().await.path, "/mcp", "the next request asks at the address that was given");

    let log = stage.end().await;
    let detail = stage.door.row(log.one("tools/call")).await;
    let chain = detail["http"].as_array().unwrap();
    let statuses: Vec<&Value> = chain.iter().map(|http| &http["status"]).collect();
    assert_eq!(statuses, [307, 308, 307, 200], "the row has the whole way: {detail}");
    let paths: Vec<&str> =
        chain.iter().map(|http| http["url"].as_str().unwrap().strip_prefix(&*stage.site.origin).unwrap()).collect();
    assert_eq!(paths, ["/mcp", "/one?a=b", "/two", "/three"]);
    for pair in chain.windows(2) {
        assert_eq!(pair[1]["follows"], pair[0]["number"], "{detail}");
    }
    assert!(chain.iter().all(|http| http["problem"].is_null()), "nobody did wrong: {detail}");
    assert!(!detail.to_string().contains("Bearer x"), "{detail}");
    stage.close().await;
}

#[tokio::test]
async fn the_first_message_may_be_redirected_too() {
    let stage = stage().await;
    stage.connect().await;
    stage.site.post("initialize").await.respond(308, &[("location", "/moved")], b"").await;
    let visit = stage.site.post("initialize").await;
    assert_eq!(visit.request.path, "/moved");
    visit.reply(agreement("2025-11-25")).await;
    let visit = stage.site.post("notifications/initialized").await;
    assert_eq!(visit.request.path, "/mcp", "nothing is learnt from it in silence");
    visit.respond(307, &[("location", "/moved")], b"").await;
    stage.site.post("notifications/initialized").await.status(202).await;
    stage.site.get().await.respond(307, &[("location", "/stream")], b"").await;
    let visit = stage.site.get().await;
    assert_eq!(visit.request.path, "/stream", "what asks for a stream is sent on as well");
    visit.status(405).await;
    stage.until_ready().await;
    stage.close().await;
}

#[tokio::test]
async fn another_origin_hears_nothing() {
    let (stage, other) = (stage().await, Site::open().await);
    stage.ready(Some("s-1")).await;
    let other_port = format!("{}/mcp", other.origin);
    let other_scheme = other_port.replace("http:", "https:");
    let other_name = stage.site.origin.replace("127.0.0.1", "localhost");
    let without_scheme = other_port.replace("http:", "");
    let with_user = stage.site.origin.replace("://", "://ada:secret@");
    for status in [307, 308] {
        for location in
            [&*other_port, &*other_scheme, &*other_name, &*without_scheme, &*with_user, "file:///etc/passwd"]
        {
            let (begun, visit) = stage.begin("tools/call", call()).await;
            visit.respond(status, &[("location", location)], b"").await;
            let error = failed(begun).await;
            assert_eq!(error.title, "Redirect not followed", "{location}: {error:?}");
            assert!(error.message.contains(&status.to_string()), "{location}: {error:?}");
            assert!(!format!("{error:?}").contains("ada:secret"), "{location}: {error:?}");
            assert_eq!(fact(&error, "location").len(), 1, "where it leads is told: {error:?}");
        }
    }
    stage.ping().await;
    assert_eq!(other.requests().len(), 0, "nobody went there");
    let calls = stage.site.requests().into_iter().filter(|request| request.words() == "POST tools/call");
    assert_eq!(calls.count(), 2 * 6, "and nothing was sent twice");
    let log = stage.end().await;
    for row in log.of("tools/call") {
        let detail = stage.door.row(row).await;
        let problem = detail["http"][0]["problem"].as_str().unwrap_or_default();
        assert!(problem.contains("not followed"), "the row says why: {detail}");
        assert_eq!(detail["http"].as_array().unwrap().len(), 1, "{detail}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_redirect_that_would_change_the_method_is_not_followed() {
    let stage = stage().await;
    stage.ready(None).await;
    for status in [301, 302, 303] {
        for method in ["tools/call", "tools/list"] {
            let (begun, visit) = stage.begin(method, call()).await;
            visit.respond(status, &[("location", "/elsewhere")], b"").await;
            let error = failed(begun).await;
            assert!(error.message.contains(&format!("HTTP {status}")), "{error:?}");
            assert_eq!(fact(&error, "location"), [format!("{}/elsewhere", stage.site.origin)], "{error:?}");
        }
    }
    for location in [None, Some("http://"), Some("http://[")] {
        let (begun, visit) = stage.begin("tools/call", call()).await;
        let headers: Vec<_> = location.map(|location| ("location", location)).into_iter().collect();
        visit.respond(307, &headers, b"").await;
        let error = failed(begun).await;
        assert!(error.message.contains("no address"), "{location:?}: {error:?}");
    }
    stage.ping().await;
    let paths: Vec<_> = stage.site.requests().into_iter().map(|request| request.path).collect();
    assert!(paths.iter().all(|path| path == "/mcp"), "{paths:?}");
    stage.close().await;
}

#[tokio::test]
async fn a_way_in_a_circle_has_an_end() {
    let stage = stage().await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/call", call()).await;
    visit.respond(308, &[("location", "/mcp")], b"").await;
    let circle = async {
        loop {
            stage.site.post("tools/call").await.respond(308, &[("location", "/mcp")], b"").await;
        }
    };
    let error = tokio::select! {
        error = failed(begun) => error,
        () = circle => unreachable!("it goes on for ever"),
    };
    assert!(error.message.contains("ten redirects"), "{error:?}");
    assert!(error.message.contains("HTTP 308"), "what the server said, and not another number: {error:?}");
    stage.ping().await;
    let calls = stage.site.requests().into_iter().filter(|request| request.words() == "POST tools/call");
    assert_eq!(calls.count(), 1 + 10);
    let log = stage.end().await;
    let detail = stage.door.row(log.one("tools/call")).await;
    assert_eq!(detail["http"].as_array().unwrap().len(), 11, "every hop is in the row: {detail}");
    stage.close().await;
}
