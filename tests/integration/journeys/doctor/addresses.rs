//! Servers at an address that are examined.

use integration::{Authority, HttpStage, Request, Site, agreement};
use serde_json::{Value, json};
use sonde_app::ErrorCode;

use super::{fact, step};

const PROTECTED: &str = "/.well-known/oauth-protected-resource";

/// Answers the next request for that document.
async fn publish(site: &Site, path: &str, status: u16, content_type: &str, body: &str) {
    let visit = site.visit(path, |request: &Request| request.method == "GET" && request.path == path).await;
    assert_eq!(visit.request.header("authorization"), None, "what is meant for the server alone stays here");
    visit.respond(status, &[("content-type", content_type)], body.as_bytes()).await;
}

async fn examine(stage: &HttpStage) -> Value {
    stage.door.ask("examine_server", json!({ "server": stage.server })).await
}

#[tokio::test]
async fn a_server_that_wants_a_token_is_told_with_where_to_get_one() {
    let stage =
        HttpStage::open_with(|typed, _| typed.headers = vec![("Authorization".into(), "Bearer s3cret-token".into())])
            .await;
    let site = &stage.site;
    let challenge = format!("Bearer error=\"invalid_token\", resource_metadata=\"{}{PROTECTED}/mcp\"", site.origin);
    let metadata =
        json!({ "resource": format!("{}/mcp", site.origin), "authorization_servers": ["https://a.example"] });
    let elsewhere = json!({ "resource": "https://elsewhere.example/mcp" });
    let server = async {
        let headers = [("www-authenticate", challenge.as_str()), ("content-type", "text/plain")];
        site.post("initialize").await.respond(401, &headers, b"who are you?").await;
        publish(site, &format!("{PROTECTED}/mcp"), 200, "application/json", &metadata.to_string()).await;
        publish(site, PROTECTED, 200, "application/json", &elsewhere.to_string()).await;
        publish(site, "/.well-known/oauth-authorization-server", 404, "text/plain", "no").await;
        publish(site, "/.well-known/openid-configuration", 200, "text/html", &"<html>".repeat(20_000)).await;
    };
    let (found, ()) = tokio::join!(examine(&stage), server);
    assert_eq!(found["verdict"], "ill", "{found:#}");
    assert_eq!(found["error"]["title"], "Authorization needed");
    assert_eq!(step(&found, "look up the host")["outcome"], "well");
    assert_eq!(step(&found, "connect")["outcome"], "well");
    assert_eq!(step(&found, "encrypt")["outcome"], "skipped", "it is a plain address");
    let asked = step(&found, "ask `initialize` by HTTP");
    assert_eq!((&asked["outcome"], &asked["found"]), (&json!("ill"), &json!("HTTP/1.1 401")));
    assert_eq!(fact(asked, "content type"), "text/plain");
    assert!(fact(asked, "which means").contains("not valid, or has expired"), "{asked:#}");
    let documented = step(&found, "read /.well-known/oauth-protected-resource/mcp");
    assert_eq!(documented["outcome"], "well", "{documented:#}");
    assert_eq!(fact(documented, "authorization_servers"), r#"["https://a.example"]"#);
    assert_eq!(step(&found, "read /.well-known/oauth-protected-resource")["outcome"], "odd", "another's document");
    assert_eq!(step(&found, "read /.well-known/oauth-authorization-server")["outcome"], "skipped", "there is none");
    assert_eq!(step(&found, "read /.well-known/openid-configuration")["outcome"], "odd", "a page is no document");
    assert!(!found.to_string().contains("s3cret-token"), "{found:#}");
    stage.close().await;
}

#[tokio::test]
async fn an_encrypted_server_that_is_well_shows_its_certificate() {
    let authority = Authority::default();
    let site = Site::encrypted(&authority.sign(&["127.0.0.1"]), None).await;
    let profile = integration::Profile::default();
    std::fs::write(profile.project().join("authority.pem"), &authority.pem).unwrap();
    let url = format!("{}/mcp", site.origin);
    let stage = HttpStage::configured_in(profile, site, &url, json!({ "caFile": "authority.pem" })).await;
    let site = &stage.site;
    let server = async {
        site.post("initialize").await.reply(agreement("2025-11-25")).await;
        site.post("notifications/initialized").await.status(202).await;
        for _ in 0..5 {
            let anything = |request: &Request| request.method == "GET";
            site.visit("the stream, and four documents", anything).await.status(404).await;
        }
    };
    let (found, ()) = tokio::join!(examine(&stage), server);
    let encrypted = step(&found, "encrypt");
    assert_eq!(encrypted["outcome"], "well", "{found:#}");
    assert!(encrypted["found"].as_str().unwrap().starts_with("TLS 1.3"), "{encrypted:#}");
    assert_eq!(fact(encrypted, "names"), "127.0.0.1");
    assert_eq!(step(&found, "negotiate")["outcome"], "well");
    stage.close().await;
}

#[tokio::test]
async fn an_address_that_nobody_approved_or_where_nobody_listens() {
    let site = Site::open().await;
    let url = format!("{}/mcp", site.origin);
    let profile = integration::Profile::default()
        .with_entry("site", json!({ "url": url, "sonde": { "proxy": "none" } }))
        .with_entry("nobody", json!({ "url": "http://127.0.0.1:1/mcp", "sonde": { "proxy": "none" } }));
    let door = profile.open().await;
    let found = door.ask("examine_server", json!({ "server": "site" })).await;
    assert_eq!(found["error"]["code"], json!(ErrorCode::ApprovalNeeded), "{found:#}");
    assert_eq!(step(&found, "connect")["outcome"], "skipped");
    assert!(site.requests().is_empty(), "not a word was said to it");
    door.approve("nobody");
    let found = door.ask("examine_server", json!({ "server": "nobody" })).await;
    assert_eq!(step(&found, "connect")["outcome"], "ill");
    assert!(fact(step(&found, "connect"), "refused").starts_with("127.0.0.1:1: "), "{found:#}");
    assert_eq!(found["error"]["title"], "Not reachable");
    door.close().await;
}
