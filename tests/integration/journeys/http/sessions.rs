//! What goes with every request, and how a session ends.

use integration::{HttpStage, agreement, ended, result};
use serde_json::{Value, json};
use sonde_app::{ErrorCode, Gate};

use super::{exchanges, failed, marks};

#[tokio::test]
async fn session_and_revision_go_with_every_request_after_initialize() {
    let stage = HttpStage::open().await;
    let stream = stage.ready_listening(Some("s-1")).await;
    stage.ping().await;
    stage.door.app.notify(&stage.server, "notifications/roots/list_changed", None, Gate::Keep).await.unwrap();
    stage.site.post("notifications/roots/list_changed").await.status(202).await;
    stream.message(&json!({ "jsonrpc": "2.0", "id": "q", "method": "ping" })).await;
    stage.site.post_of_answer(&json!("q")).await.status(202).await;
    let log = stage.end().await;

    let requests = stage.site.requests();
    let words: Vec<_> = requests.iter().map(integration::Request::words).collect();
    assert_eq!(
        (&*words[0], &*words[1], words.last().map(|words| &**words)),
        ("POST initialize", "POST notifications/initialized", Some("DELETE")),
        "{words:?}"
    );
    for wanted in ["GET", "POST ping", "POST notifications/roots/list_changed", "POST answer"] {
        assert_eq!(words.iter().filter(|words| *words == wanted).count(), 1, "{wanted} in {words:?}");
    }
    assert_eq!(
        (requests[0].header("mcp-session-id"), requests[0].header("mcp-protocol-version")),
        (None, None),
        "nothing is agreed before it"
    );
    for (request, words) in requests.iter().zip(&words).skip(1) {
        assert_eq!(request.header("mcp-session-id"), Some("s-1"), "{words}");
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-11-25"), "{words}");
    }
    assert_eq!(exchanges(&log.rows), ["GET 200", "DELETE 200"], "both are rows of their own");
    stage.close().await;
}

#[tokio::test]
async fn the_revision_that_was_agreed_on_is_named_where_it_has_that_header() {
    for (revision, named) in [("2025-06-18", Some("2025-06-18")), ("2025-03-26", None)] {
        let stage = HttpStage::open().await;
        stage.connect().await;
        stage.agree(revision, None).await;
        stage.site.get().await.status(405).await;
        stage.until_ready().await;
        assert_eq!(stage.ping().await.header("mcp-protocol-version"), named, "not the one that was offered");
        stage.end().await;
        let requests = stage.site.requests();
        assert!(requests.iter().all(|request| request.header("mcp-session-id").is_none()), "the server gave none");
        assert!(requests.iter().all(|request| request.method != "DELETE"), "and without one there is none to end");
        stage.close().await;
    }
}

#[tokio::test]
async fn a_server_need_not_offer_an_end_of_the_session() {
    let stage = HttpStage::open().await;
    stage.ready(Some("s-1")).await;
    let refuse = async { stage.site.delete().await.status(405).await };
    let (ended, ()) = tokio::join!(stage.door.app.disconnect(&stage.server), refuse);
    ended.unwrap();
    stage.door.until_recorded(&stage.server).await;
    let log = stage.log().await;
    assert_eq!(exchanges(&log.rows), ["GET 405", "DELETE 405"]);
    let faults: Vec<_> = log.rows.iter().filter(|row| row["findings"] != json!([])).collect();
    assert!(faults.is_empty(), "which is no fault: {faults:?}");
    stage.close().await;
}

#[tokio::test]
async fn a_lost_session_is_begun_anew_in_sight_and_nothing_is_sent_twice() {
    let stage = HttpStage::open().await;
    stage.ready(Some("s-1")).await;
    let (slow, waiting) = stage.begin("tools/call", json!({ "name": "t", "arguments": {} })).await;
    let (refused, visit) = stage.begin("tools/list", json!({})).await;
    visit.status(404).await;

    let initialize = stage.site.post("initialize").await;
    assert_eq!(initialize.request.header("mcp-session-id"), None, "the old session is not named");
    initialize.reply_with(&[("mcp-session-id", "s-2")], agreement("2025-11-25")).await;
    let initialized = stage.site.post("notifications/initialized").await;
    assert_eq!(initialized.request.header("mcp-session-id"), Some("s-2"), "the new one is");
    initialized.status(202).await;
    stage.site.get().await.status(405).await;
    for begun in [slow, refused] {
        let error = failed(begun).await;
        assert!(format!("{error:?}").contains("session"), "it says why: {error:?}");
    }
    stage.until_ready().await;
    assert_eq!(stage.ping().await.header("mcp-session-id"), Some("s-2"));
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    visit.reply(json!({ "result": { "tools": [] } })).await;
    assert_eq!(result(&ended(begun).await), json!({ "tools": [] }), "and the server can be used");
    let words: Vec<_> = stage.site.requests().iter().map(integration::Request::words).collect();
    let count = |wanted: &str| words.iter().filter(|words| *words == wanted).count();
    assert_eq!((count("POST tools/call"), count("POST tools/list")), (1, 2), "what may run twice was not: {words:?}");
    drop(waiting);
    stage.end().await;
    // The new session is a connection of its own.
    let rows = stage.door.rows(json!({ "server": stage.server, "kind": null })).await;
    let told = marks(&rows);
    assert!(told.iter().any(|mark| mark.contains("session")), "the log says so: {told:?}");
    stage.close().await;
}

#[tokio::test]
async fn a_server_that_forgets_every_session_is_given_up() {
    let stage = HttpStage::open().await;
    stage.ready(Some("s-0")).await;
    let forget = async {
        for number in 1.. {
            let visit = stage.site.visit("a request", |request| request.method != "GET").await;
            match &*visit.request.words() {
                "POST initialize" => {
                    let session = format!("s-{number}");
                    visit.reply_with(&[("mcp-session-id", &session)], agreement("2025-11-25")).await;
                }
                _ => visit.status(404).await,
            }
        }
    };
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    visit.status(404).await;
    let given_up = async {
        failed(begun).await;
        stage.door.until_server(&stage.server, &["failed", "stopped"]).await
    };
    let server = tokio::select! {
        server = given_up => server,
        () = forget => Value::Null,
    };
    assert_eq!(server["state"], "failed", "{server}");
    let words: Vec<_> = stage.site.requests().iter().map(integration::Request::words).collect();
    let initializes = words.iter().filter(|words| *words == "POST initialize").count();
    assert_eq!(initializes, 1 + 3, "it was tried again, and not for ever: {words:?}");
    stage.close().await;
}

#[tokio::test]
async fn a_404_without_a_session_is_an_answer_and_begins_nothing() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    visit.status(404).await;
    let error = failed(begun).await;
    assert!(format!("{error:?}").contains("404"), "{error:?}");
    stage.ping().await;
    let initializes = stage.site.requests().into_iter().filter(|request| request.words() == "POST initialize");
    assert_eq!(initializes.count(), 1, "there was no session to lose");
    stage.close().await;
}

#[tokio::test]
async fn the_first_answer_may_be_a_stream_and_brings_the_session_all_the_same() {
    let stage = HttpStage::open().await;
    stage.connect().await;
    let visit = stage.site.post("initialize").await;
    let request = visit.request.message();
    let stream = visit.stream_with(&[("mcp-session-id", "s-9")]).await;
    stream.raw("id: 0\ndata:\n\n").await;
    stream.reply(&request, agreement("2025-11-25")).await;
    stage.site.post("notifications/initialized").await.status(202).await;
    stage.site.get().await.status(405).await;
    stage.until_ready().await;
    assert_eq!(stage.ping().await.header("mcp-session-id"), Some("s-9"));
    stream.until_closed().await;
    assert_eq!(stage.end().await.findings(), Vec::<String>::new(), "whoever leaves it open breaks no rule");
    stage.close().await;
}

#[tokio::test]
async fn a_session_id_that_is_none_is_refused() {
    for session in ["a b", "\u{fc}", ""] {
        let stage = HttpStage::open().await;
        stage.connect().await;
        stage.site.post("initialize").await.reply_with(&[("mcp-session-id", session)], agreement("2025-11-25")).await;
        let error = stage.refused().await;
        assert!(format!("{error:?}").contains("session id"), "{session:?}: {error:?}");
        let requests = stage.site.requests();
        assert!(
            requests.iter().all(|request| request.header("mcp-session-id").is_none()),
            "nobody repeats {session:?}"
        );
        stage.close().await;
    }
}

#[tokio::test]
async fn a_session_does_not_change_once_it_was_agreed_on() {
    let stage = HttpStage::open().await;
    stage.ready(Some("s-1")).await;
    let (begun, visit) = stage.begin("tools/list", json!({})).await;
    visit.reply_with(&[("mcp-session-id", "s-2")], json!({ "result": { "tools": [] } })).await;
    ended(begun).await;
    assert_eq!(stage.ping().await.header("mcp-session-id"), Some("s-1"), "whatever a server says later");
    stage.close().await;
}

#[tokio::test]
async fn a_session_that_is_missed_while_a_stream_is_resumed_is_begun_anew_too() {
    let stage = HttpStage::open().await;
    stage.ready(Some("s-1")).await;
    let (begun, visit) = stage.begin("tools/call", json!({ "name": "t", "arguments": {} })).await;
    let stream = visit.stream().await;
    stream.raw("id: 1\nretry: 500\ndata:\n\n").await;
    stream.end().await;
    stage.site.get().await.status(404).await;
    let error = failed(begun).await;
    assert!(format!("{error:?}").contains("session"), "{error:?}");
    stage.agree("2025-11-25", Some("s-2")).await;
    let get = stage.site.get().await;
    assert_eq!(
        (get.request.header("mcp-session-id"), get.request.header("last-event-id")),
        (Some("s-2"), None),
        "no event of the old session is named in the new one"
    );
    get.status(405).await;
    stage.until_ready().await;
    stage.close().await;
}

#[tokio::test]
async fn disconnecting_ends_what_is_under_way_and_then_the_session() {
    let stage = HttpStage::open().await;
    let listening = stage.ready_listening(Some("s-1")).await;
    let params = json!({ "name": "t", "arguments": {} });
    let (first, unanswered) = stage.begin("tools/call", params.clone()).await;
    let (second, visit) = stage.begin("tools/call", params).await;
    let stream = visit.stream().await;
    let log = stage.end().await;
    for begun in [first, second] {
        let error = failed(begun).await;
        assert_eq!(error.code, ErrorCode::ConnectionLost, "{error:?}");
    }
    tokio::join!(listening.until_closed(), unanswered.until_closed(), stream.until_closed());
    let words: Vec<_> = stage.site.requests().iter().map(integration::Request::words).collect();
    assert_eq!(words.last().map(|words| &**words), Some("DELETE"), "{words:?}");
    assert!(log.of("tools/call").iter().all(|row| row["status"] == "unanswered"), "{:?}", log.of("tools/call"));
    stage.close().await;
}

#[tokio::test]
async fn a_connection_that_the_server_closed_while_it_was_idle_is_replaced() {
    let stage = HttpStage::open().await;
    stage.ready(Some("s-1")).await;
    let (begun, visit) = stage.begin("ping", Value::Null).await;
    let by = visit.request.connection;
    let answer = integration::reply_to(&visit.request.message(), json!({ "result": {} }));
    let open = visit.part_by_part(&[("content-type", "application/json")]).await;
    open.raw(&answer.to_string()).await;
    // An empty part is the last one: the answer is complete, and the connection stays open.
    open.raw("").await;
    ended(begun).await;
    open.close().await;
    // The client's sockets are looked at before anything else happens.
    tokio::task::yield_now().await;
    let request = stage.ping().await;
    assert_ne!(request.connection, by, "what nobody can answer any more is not waited for");
    let pings = stage.site.requests().into_iter().filter(|request| request.words() == "POST ping").count();
    assert_eq!(pings, 2, "and nothing is sent twice");
    stage.close().await;
}

#[tokio::test]
async fn an_answer_of_ours_that_is_under_way_is_not_cut_off_by_disconnecting() {
    let stage = HttpStage::open().await;
    let listening = stage.ready_listening(Some("s-1")).await;
    listening.message(&json!({ "jsonrpc": "2.0", "id": "q", "method": "ping" })).await;
    let answer = stage.site.post_of_answer(&json!("q")).await;
    let late = async {
        // The client is leaving, and the server takes the answer only now.
        listening.until_closed().await;
        answer.status(202).await;
    };
    let (log, ()) = tokio::join!(stage.end(), late);
    assert_eq!(log.findings(), Vec::<String>::new(), "nothing went wrong: {:?}", log.rows);
    let words: Vec<_> = stage.site.requests().iter().map(integration::Request::words).collect();
    assert_eq!(words.last().map(|words| &**words), Some("DELETE"), "the session ends behind it: {words:?}");
    stage.close().await;
}

#[tokio::test]
async fn a_server_that_never_takes_an_answer_of_ours_is_left_all_the_same() {
    let stage = HttpStage::open().await;
    let listening = stage.ready_listening(Some("s-1")).await;
    listening.message(&json!({ "jsonrpc": "2.0", "id": "q", "method": "ping" })).await;
    let answer = stage.site.post_of_answer(&json!("q")).await;
    let log = stage.end().await;
    answer.until_closed().await;
    assert!(
        log.findings().iter().any(|finding| finding.ends_with("http-failed")),
        "the log says so: {:?}",
        log.findings()
    );
    stage.close().await;
}
