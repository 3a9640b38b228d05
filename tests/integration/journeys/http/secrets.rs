//! What nobody may find again.

use std::path::{Path, PathBuf};

use integration::{HttpStage, agreement, ended};
use serde_json::json;
use sonde_app::Dialect;

const TOKEN: &str = "tok-9f2c77d1e0b84a55";
const KEY: &str = "key-51aa03cf6d2b4e90";
const SESSION: &str = "ses-7be1c2d94f30a886";

#[tokio::test]
async fn headers_arrive_and_secrets_stand_nowhere_in_the_data_folder() {
    let stage = HttpStage::open_with(|typed, _| {
        typed.url = format!("{}?api_key={KEY}", typed.url);
        typed.headers = vec![
            ("Authorization".to_owned(), format!("Bearer {TOKEN}")),
            ("X-Tenant".to_owned(), "blue".to_owned()),
            ("X-Api-Key".to_owned(), KEY.to_owned()),
        ];
    })
    .await;
    let stream = stage.ready_listening(Some(SESSION)).await;
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    visit.reply_with(&[("set-cookie", &format!("id={KEY}"))], json!({ "result": { "tools": [] } })).await;
    ended(begun).await;
    let (begun, visit) = stage.begin("tools/call", json!({ "name": "t", "arguments": {} })).await;
    visit.respond(500, &[("mcp-session-id", SESSION)], b"no").await;
    super::failed(begun).await;
    stream.end().await;
    let log = stage.end().await;

    let requests = stage.site.requests();
    for request in &requests {
        let words = request.words();
        assert_eq!(request.header("authorization"), Some(&*format!("Bearer {TOKEN}")), "{words}");
        assert_eq!((request.header("x-tenant"), request.header("x-api-key")), (Some("blue"), Some(KEY)), "{words}");
    }
    let row = stage.door.row(log.of("tools/list")[0]).await;
    let sent = row["http"][0]["request_headers"].as_array().unwrap().clone();
    let shown = |name: &str| {
        let header = sent.iter().find(|header| header["name"].as_str().unwrap().eq_ignore_ascii_case(name));
        header.map(|header| header["value"].as_str().unwrap().to_owned()).unwrap_or_default()
    };
    assert_eq!(shown("x-tenant"), "blue", "what is no secret is shown");
    assert_eq!(shown("authorization"), "Bearer ‹masked›", "and what is, is there and masked");
    assert!(shown("mcp-session-id").starts_with("‹session:"), "{sent:?}");
    let detail = format!("{:?}", stage.door.app.describe(&stage.server).unwrap());
    for secret in [TOKEN, KEY, SESSION] {
        assert!(!detail.contains(secret), "{detail}");
    }
    let data = stage.profile.data();
    for secret in [TOKEN, KEY, SESSION] {
        assert_eq!(found(&data, secret), Vec::<String>::new(), "while the log is open");
    }
    assert_ne!(found(&data, "blue"), Vec::<String>::new(), "what is no secret would be found");
    stage.door.clone().close().await;
    for secret in [TOKEN, KEY, SESSION] {
        assert_eq!(found(&data, secret), Vec::<String>::new(), "and when it is closed");
    }
}

#[tokio::test]
async fn the_session_in_the_address_of_an_endpoint_is_a_secret_as_well() {
    let stage = HttpStage::open_with(|typed, _| typed.dialect = Dialect::Sse).await;
    stage.connect().await;
    let stream = stage.site.get().await.stream().await;
    let path = format!("/messages?sessionId={SESSION}&page=blue");
    stream.raw(&format!("event: endpoint\ndata: {path}\n\n")).await;
    for method in ["initialize", "notifications/initialized"] {
        let visit = stage.site.post(method).await;
        assert_eq!(visit.request.path, path, "it is used all the same");
        let request = visit.request.message();
        visit.status(202).await;
        if method == "initialize" {
            stream.reply(&request, agreement("2024-11-05")).await;
        }
    }
    stage.until_ready().await;
    stage.end().await;
    let data = stage.profile.data();
    stage.door.clone().close().await;
    assert_eq!(found(&data, SESSION), Vec::<String>::new());
    assert_eq!(found(&data, "blue"), Vec::<String>::new(), "who can tell which of its values is the session?");
    assert_ne!(found(&data, "messages?sessionId="), Vec::<String>::new(), "the rest of it is shown");
}

/// The files that have these bytes in them.
pub(super) fn found(folder: &Path, secret: &str) -> Vec<String> {
    let has = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap_or_default();
        bytes.windows(secret.len()).any(|part| part == secret.as_bytes())
    };
    files(folder).iter().filter(|path| has(path)).map(|path| path.display().to_string()).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files
}
