//! Bodies that are compressed, too long, of another kind, or not there; and what is asked for in their place.

use async_compression::tokio::write::{BrotliEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder};
use integration::{HttpStage, Log, Site, Visit, ended, hexadecimal, reply_to, result};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sonde_app::{ApiError, ErrorCode};
use tokio::io::AsyncWriteExt;

use super::{fact, failed};

const JSON: (&str, &str) = ("content-type", "application/json");

/// Packed in the manner that a header would name.
async fn packed(encoding: &str, plain: &[u8]) -> Vec<u8> {
    macro_rules! pack {
        ($encoder:ident) => {{
            let mut encoder = $encoder::new(Vec::new());
            encoder.write_all(plain).await.unwrap();
            encoder.shutdown().await.unwrap();
            encoder.into_inner()
        }};
    }
    match encoding {
        "gzip" | "x-gzip" => pack!(GzipEncoder),
        "br" => pack!(BrotliEncoder),
        "zstd" => pack!(ZstdEncoder),
        "deflate" => pack!(ZlibEncoder),
        other => panic!("nobody packs as {other}"),
    }
}

fn answer(visit: &Visit) -> String {
    let filling = "ü ".repeat(2000);
    reply_to(&visit.request.message(), json!({ "result": { "tools": [], "nextCursor": filling } })).to_string()
}

/// A call that the server answers with this; gives why it failed.
async fn refused(stage: &HttpStage, status: u16, headers: &[(&str, &str)], body: &[u8]) -> ApiError {
    let (begun, visit) = stage.begin("tools/call", json!({ "name": "t", "arguments": {} })).await;
    visit.respond(status, headers, body).await;
    failed(begun).await
}

/// The only HTTP exchange of the only row of `method`.
async fn exchange(stage: &HttpStage, log: &Log, method: &str) -> Value {
    stage.door.row(log.one(method)).await["http"][0].clone()
}

#[tokio::test]
async fn a_compressed_answer_that_nobody_asked_for_is_read_and_counted() {
    for encoding in ["gzip", "x-gzip", "br", "zstd", "deflate", "GZip"] {
        let stage = HttpStage::open().await;
        stage.ready(None).await;
        let (begun, visit) = stage.begin("tools/list", json!({})).await;
        assert_eq!(visit.request.header("accept-encoding"), Some("identity"), "nobody asked for it");
        let plain = answer(&visit);
        let body = packed(&encoding.to_lowercase(), plain.as_bytes()).await;
        assert!(body.len() < plain.len(), "{encoding}");
        visit.respond(200, &[JSON, ("content-encoding", encoding)], &body).await;
        assert!(result(&ended(begun).await)["nextCursor"].as_str().unwrap().starts_with("ü "), "{encoding}");
        let log = stage.end().await;
        let traffic = exchange(&stage, &log, "tools/list").await["traffic"].clone();
        assert_eq!(traffic["compressed"], body.len(), "{encoding}: on the wire: {traffic}");
        assert_eq!((&traffic["body"], &traffic["recorded"]), (&json!(plain.len()), &json!(plain.len())), "{traffic}");
        let frame = stage.door.row(log.one("tools/list")).await["frames"][1].clone();
        assert_eq!(frame["text"], *plain, "{encoding}: the log has what it says");
        stage.close().await;
    }
}

#[tokio::test]
async fn a_compressed_event_stream_is_read_too() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    let plain = format!(": hello\n\ndata: {}\n\n", answer(&visit));
    let body = packed("gzip", plain.as_bytes()).await;
    visit.respond(200, &[("content-type", "text/event-stream"), ("content-encoding", "gzip")], &body).await;
    ended(begun).await;
    stage.ping().await;
    let log = stage.end().await;
    let traffic = exchange(&stage, &log, "tools/list").await["traffic"].clone();
    assert_eq!((&traffic["events"], &traffic["comment_lines"]), (&json!(1), &json!(1)), "{traffic}");
    assert_eq!(traffic["compressed"], body.len(), "{traffic}");
    stage.close().await;
}

#[tokio::test]
async fn encodings_that_are_unknown_doubled_or_a_lie_are_refused() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let twice = packed("gzip", &packed("gzip", b"{}").await).await;
    let encoded = [("gzip, gzip", "gzip, gzip"), ("gzip,br", "gzip, br"), ("rot13", "rot13")];
    for (encoding, words) in encoded {
        let error = refused(&stage, 200, &[JSON, ("content-encoding", encoding)], &twice).await;
        assert!(error.message.contains(&format!("encoded as `{words}`")), "{encoding}: {error:?}");
    }
    let both = [JSON, ("content-encoding", "gzip"), ("content-encoding", "gzip")];
    let error = refused(&stage, 200, &both, &twice).await;
    assert!(error.message.contains("encoded as `gzip, gzip`"), "two headers are two as well: {error:?}");
    let error = refused(&stage, 500, &[JSON, ("content-encoding", "gzip, gzip")], &twice).await;
    assert!(error.message.contains("encoded as"), "in an error, too: {error:?}");
    for lie in [&b"{\"jsonrpc\":\"2.0\"}"[..], &twice[..twice.len() / 2]] {
        let error = refused(&stage, 200, &[JSON, ("content-encoding", "gzip")], lie).await;
        assert!(error.message.contains("could not be decompressed"), "{error:?}");
    }
    stage.ping().await;
    stage.close().await;
}

#[tokio::test]
async fn a_body_that_grows_out_of_all_proportion_is_cut() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let body = packed("gzip", &vec![b' '; 32 << 20]).await;
    assert!(body.len() < 100_000, "it is a bomb: {}", body.len());
    let error = refused(&stage, 200, &[JSON, ("content-encoding", "gzip")], &body).await;
    assert_eq!(error.code, ErrorCode::TooLarge, "{error:?}");
    assert!(error.message.contains("100 times its compressed size"), "{error:?}");
    stage.ping().await;
    let log = stage.end().await;
    let exchange = exchange(&stage, &log, "tools/call").await;
    let unpacked = exchange["traffic"]["body"].as_u64().unwrap();
    assert!(unpacked < 16 << 20, "it was not unpacked to its end: {exchange}");
    assert!(exchange["traffic"]["compressed"].as_u64().is_some_and(|size| size > 0), "both sizes: {exchange}");
    assert!(exchange["problem"].as_str().unwrap().contains("compressed size"), "{exchange}");
    stage.close().await;
}

#[tokio::test]
async fn an_answer_over_the_limit_ends_the_call_at_once_and_its_beginning_is_kept() {
    let stage = HttpStage::configured(Site::open().await, json!({ "longestLine": "64 KiB" })).await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/call", json!({ "name": "t", "arguments": {} })).await;
    let whole = reply_to(&visit.request.message(), json!({ "result": { "content": [], "x": "y".repeat(200_000) } }));
    let whole = whole.to_string();
    let said = &whole[..100_000];
    let stream = visit.part_by_part(&[JSON]).await;
    stream.raw(said).await;
    // The rest never comes, so whoever waited for it would wait for ever.
    let error = failed(begun).await;
    assert_eq!(error.code, ErrorCode::TooLarge, "{error:?}");
    assert!(error.message.contains("65536 bytes"), "{error:?}");
    assert!(error.hint.as_deref().unwrap_or_default().contains("longestLine"), "{error:?}");
    stream.until_closed().await;
    stage.ping().await;

    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    visit.reply(json!({ "result": { "tools": [], "nextCursor": "y".repeat(60_000) } })).await;
    ended(begun).await;

    let log = stage.end().await;
    let cut = log.rows.iter().find(|row| row["findings"].to_string().contains("oversized"));
    let cut = cut.unwrap_or_else(|| panic!("it is in the log: {:?}", log.findings()));
    let detail = stage.door.row(cut).await;
    let frame = detail["frames"].as_array().unwrap().iter().find(|frame| !frame["digest"].is_null()).unwrap();
    let (kept, size) = (frame["kept"].as_u64().unwrap() as usize, frame["size"].as_u64().unwrap() as usize);
    assert!(kept <= 65_536 && size > 65_536 && size <= said.len(), "{kept} of {size}");
    assert!(said.starts_with(frame["text"].as_str().unwrap()), "its beginning");
    let digest = hexadecimal(&Sha256::digest(&said.as_bytes()[..size]));
    assert!(
        frame["digest"].as_str().unwrap().ends_with(&digest),
        "and the digest of what was read: {}",
        frame["digest"]
    );
    stage.close().await;
}

#[tokio::test]
async fn a_page_in_the_place_of_an_answer_is_shown() {
    let page = "<!doctype html><title>Sign in</title><form action=\"/login\">";
    let html = [("content-type", "text/html; charset=utf-8")];
    let stage = HttpStage::open().await;
    stage.connect().await;
    stage.site.post("initialize").await.respond(200, &html, page.as_bytes()).await;
    let error = stage.refused().await;
    assert!(error.message.contains("text/html"), "{error:?}");
    assert_eq!(fact(&error, "body"), [page], "{error:?}");
    assert!(error.hint.as_deref().unwrap_or_default().contains("page"), "{error:?}");
    stage.close().await;

    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let long = format!("{page}{}", "x".repeat(100_000));
    let error = refused(&stage, 200, &html, long.as_bytes()).await;
    let shown = fact(&error, "body");
    assert!(shown[0].starts_with(page) && shown[0].len() <= 1000, "a little of it: {error:?}");
    let log = stage.end().await;
    let row = log.one("tools/call");
    assert_eq!((&row["status"], &row["findings"][0]["code"]), (&json!("unanswered"), &json!("http-failed")), "{row}");
    let recorded = log.rows.iter().any(|row| row["target"].as_str().unwrap_or_default().contains("Sign in"));
    assert!(recorded, "the log has it: {:?}", log.rows);
    stage.close().await;
}

#[tokio::test]
async fn a_success_without_a_body_is_no_answer() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    for (headers, body) in [(&[JSON][..], ""), (&[], ""), (&[JSON], " \r\n")] {
        let error = refused(&stage, 200, headers, body.as_bytes()).await;
        assert_eq!(error.title, "Not an answer", "{error:?}");
        assert!(error.message.contains("HTTP 200 without a body"), "{headers:?}: {error:?}");
        assert!(error.hint.is_some(), "{error:?}");
    }
    stage.ping().await;
    stage.close().await;
}

#[tokio::test]
async fn who_must_say_who_they_are_is_told_how() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let metadata = "https://site.example/.well-known/oauth-protected-resource";
    let bearer = format!("Bearer resource_metadata=\"{metadata}\", scope=\"files:read files:write\"");
    let error = refused(&stage, 401, &[("www-authenticate", &bearer)], b"").await;
    let asked = format!("Bearer · resource_metadata={metadata} · scope=files:read files:write");
    assert_eq!(fact(&error, "asks for"), [asked], "{error:?}");
    assert_eq!((&*error.title, fact(&error, "status")), ("Authorization needed", vec!["401".to_owned()]));
    assert!(error.hint.as_deref().unwrap().contains(metadata), "where a token is to be had: {error:?}");

    let error = refused(&stage, 401, &[("www-authenticate", "Basic realm=\"the shop\"")], b"").await;
    assert_eq!(fact(&error, "asks for"), ["Basic · realm=the shop"], "{error:?}");
    assert!(error.hint.as_deref().unwrap().contains("a user and a password"), "{error:?}");

    let two = [("www-authenticate", "Negotiate"), ("www-authenticate", "Basic realm=\"a, b\", Digest nonce=\"n\"")];
    let error = refused(&stage, 401, &two, b"").await;
    assert_eq!(fact(&error, "asks for"), ["Negotiate", "Basic · realm=a, b", "Digest · nonce=n"], "{error:?}");

    let error = refused(&stage, 401, &[], b"").await;
    assert_eq!(fact(&error, "asks for"), Vec::<String>::new());
    assert!(error.hint.as_deref().unwrap().contains("does not say what it wants"), "{error:?}");
    stage.ping().await;
    stage.close().await;
}

#[tokio::test]
async fn who_may_not_is_told_what_is_missing() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let bearer = "Bearer error=\"insufficient_scope\", scope=\"files:write\"";
    let error = refused(&stage, 403, &[("www-authenticate", bearer)], b"").await;
    assert_eq!(error.title, "Not allowed");
    assert_eq!(fact(&error, "asks for"), ["Bearer · error=insufficient_scope · scope=files:write"], "{error:?}");
    assert!(error.hint.as_deref().unwrap().contains("`files:write`"), "{error:?}");

    let said = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32000, "message": "not from this host" } });
    let error = refused(&stage, 403, &[JSON], said.to_string().as_bytes()).await;
    assert!(error.message.contains("not from this host"), "in the server's own words: {error:?}");
    assert!(error.hint.as_deref().unwrap().contains("host or origin"), "{error:?}");
    stage.ping().await;
    stage.close().await;
}
