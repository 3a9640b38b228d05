//! Servers that let nobody in.

use integration::HttpStage;
use serde_json::json;

use super::failed;

#[tokio::test]
async fn a_server_that_wants_to_know_who_we_are_is_named_with_what_it_asks_for() {
    let stage = HttpStage::open().await;
    stage.connect().await;
    let metadata = "http://127.0.0.1:1/.well-known/oauth-protected-resource";
    let value = format!("Bearer resource_metadata=\"{metadata}\", scope=\"files:read\", Basic realm=\"shop\"");
    stage.site.post("initialize").await.respond(401, &[("www-authenticate", &value)], b"").await;
    let error = stage.refused().await;
    let told = format!("{error:?}");
    for words in ["401", "Bearer", metadata, "files:read", "Basic"] {
        assert!(told.contains(words), "`{words}` in {told}");
    }
    let words: Vec<_> = stage.site.requests().iter().map(integration::Request::words).collect();
    assert_eq!(words, ["POST initialize"], "nothing else was tried, and nobody else was asked");
    stage.close().await;
}

#[tokio::test]
async fn no_refusal_but_three_leads_to_another_transport() {
    for status in [401, 403, 406, 415, 422, 501] {
        let stage = HttpStage::open().await;
        stage.connect().await;
        stage.site.post("initialize").await.respond(status, &[("content-type", "text/plain")], b"go away").await;
        let error = stage.refused().await;
        assert!(format!("{error:?}").contains(&status.to_string()), "{status}: {error:?}");
        assert!(format!("{error:?}").contains("go away"), "in the server's own words: {error:?}");
        let words: Vec<_> = stage.site.requests().iter().map(integration::Request::words).collect();
        assert_eq!(words, ["POST initialize"], "{status}");
        stage.close().await;
    }
}

#[tokio::test]
async fn redirects_are_followed_within_the_origin_and_only_where_nothing_changes() {
    let stage = HttpStage::open().await;
    stage.connect().await;
    stage.site.post("initialize").await.respond(308, &[("location", "/moved")], b"").await;
    let visit = stage.site.post("initialize").await;
    assert_eq!(visit.request.path, "/moved", "the message goes there as it is");
    visit.respond(302, &[("location", "/elsewhere")], b"").await;
    let error = stage.refused().await;
    assert!(format!("{error:?}").contains("/elsewhere"), "a redirect that turns POST into GET is not: {error:?}");
    assert_eq!(stage.site.requests().len(), 2);
    stage.close().await;

    let other = integration::Site::open().await;
    let stage =
        HttpStage::open_with(|typed, _| typed.headers = vec![("Authorization".into(), "Bearer x".into())]).await;
    stage.connect().await;
    let elsewhere = format!("{}/mcp", other.origin);
    stage.site.post("initialize").await.respond(307, &[("location", &elsewhere)], b"").await;
    let error = stage.refused().await;
    assert!(format!("{error:?}").contains(&elsewhere), "another port is another origin: {error:?}");
    assert_eq!(other.requests().len(), 0, "and hears nothing of us");
    stage.close().await;
}

#[tokio::test]
async fn a_server_that_is_broken_is_tried_a_few_times_and_nothing_else_is() {
    let stage = HttpStage::open().await;
    stage.connect().await;
    let answers = async {
        loop {
            let visit = stage.site.post("initialize").await;
            visit.respond(500, &[("retry-after", "0"), ("content-type", "text/plain")], b"out of order").await;
        }
    };
    let error = tokio::select! {
        error = stage.refused() => error,
        () = answers => unreachable!("it answers for ever"),
    };
    assert!(format!("{error:?}").contains("out of order"), "{error:?}");
    let words: Vec<_> = stage.site.requests().iter().map(integration::Request::words).collect();
    assert!(words.len() <= 5 && words.iter().all(|words| words == "POST initialize"), "{words:?}");
    stage.close().await;
}

#[tokio::test]
async fn what_a_server_asks_for_in_the_middle_is_told_on_the_call() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    for (status, value, words) in [
        (401, "Bearer error=\"invalid_token\", error_description=\"it expired\"", "it expired"),
        (403, "Bearer error=\"insufficient_scope\", scope=\"files:write\"", "files:write"),
    ] {
        let (begun, visit) = stage.begin("tools/list", json!({})).await;
        visit.respond(status, &[("www-authenticate", value)], b"").await;
        let error = failed(begun).await;
        assert!(format!("{error:?}").contains(words), "{status}: {error:?}");
    }
    stage.ping().await;
    let posts = stage.site.requests().into_iter().filter(|request| request.words() == "POST tools/list");
    assert_eq!(posts.count(), 2, "nothing was tried again");
    stage.close().await;
}
