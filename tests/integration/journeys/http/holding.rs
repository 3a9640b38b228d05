//! What a server can't make us hold: memory, turns, connections, secrets, and rows that never end.

use std::time::Duration;

use integration::{HttpStage, LIMIT, Profile, Site, Visit, agreement, ask, ended, reply_to, result, within};
use serde_json::{Value, json};
use sonde_app::{Answer, Ask, Begun, Dialect, ErrorCode, Gate, Profile as Said};

use super::secrets::found;
use super::{fact, failed, marks};
use crate::cli::console::{Ran, finish, sonde};

const JSON: (&str, &str) = ("content-type", "application/json");

fn call() -> Value {
    json!({ "name": "t", "arguments": {} })
}

fn call_of(size: usize) -> Value {
    json!({ "name": "t", "arguments": { "text": "x".repeat(size) } })
}

/// How many requests of these words came to the site.
fn count(stage: &HttpStage, words: &str) -> usize {
    stage.site.requests().iter().filter(|request| request.words() == words).count()
}

/// A request that need not arrive.
async fn begin_unseen(stage: &HttpStage, method: &str, params: Value) -> Begun {
    let ask = Ask { validate: false, server: stage.server.clone(), ..ask(method, params) };
    within(LIMIT, "a request to be begun", stage.door.app.begin(ask)).await.unwrap()
}

#[tokio::test]
async fn a_request_that_fills_the_recorder_leaves_room_for_its_own_answer() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/call", call_of(42 << 20)).await;
    assert!(visit.request.body.len() > 42 << 20, "all of it came");
    visit.reply(json!({ "result": { "content": [] } })).await;
    assert_eq!(result(&ended(begun).await), json!({ "content": [] }));
    let log = stage.end().await;
    assert_eq!(log.one("tools/call")["status"], "ok", "the log has it");
    stage.close().await;
}

#[tokio::test]
async fn many_requests_that_are_more_than_the_recorder_holds_run_side_by_side() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let mut open = Vec::new();
    // Nothing is answered before all of them are there.
    for _ in 0..60 {
        open.push(stage.begin("tools/call", call_of(1 << 20)).await);
    }
    for (begun, visit) in open {
        visit.reply(json!({ "result": { "content": [] } })).await;
        assert_eq!(result(&ended(begun).await), json!({ "content": [] }));
    }
    let log = stage.end().await;
    let rows = log.of("tools/call");
    assert_eq!(rows.len(), 60);
    assert!(rows.iter().all(|row| row["status"] == "ok"), "all of them are in the log");
    stage.close().await;
}

#[tokio::test]
async fn a_body_that_drips_for_ever_ends_when_nobody_waits_for_it() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/call", call()).await;
    let body = visit.part_by_part(&[JSON]).await;
    body.raw("{").await;
    stage.door.app.cancel(begun.call).unwrap();
    assert_eq!(failed(begun).await.code, ErrorCode::Cancelled);
    stage.site.post("notifications/cancelled").await.status(202).await;
    // Each byte comes long before the last one would be forgotten, so whoever waits for silence waits for ever.
    let drip = async {
        let mut pace = tokio::time::interval(Duration::from_millis(50));
        loop {
            pace.tick().await;
            body.raw(" ").await;
        }
    };
    let over = stage.door.until("the exchange to be given up", async || {
        let row = stage.door.row(stage.log().await.of("tools/call").first()?).await;
        row["http"][0]["problem"].as_str().map(str::to_owned)
    });
    let problem = tokio::select! {
        problem = over => problem,
        () = drip => panic!("a drip has no end"),
    };
    assert!(problem.contains("given up"), "{problem}");
    body.until_closed().await;
    stage.ping().await;
    stage.close().await;
}

/// A server that holds as many calls as may be under way at once.
async fn full_house() -> (HttpStage, Vec<(Begun, Visit)>) {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let mut held = Vec::new();
    for _ in 0..256 {
        held.push(stage.begin("tools/call", call()).await);
    }
    (stage, held)
}

#[tokio::test]
async fn what_is_cancelled_before_its_turn_is_never_sent() {
    let (stage, held) = full_house().await;
    let waiting = begin_unseen(&stage, "tools/call", call()).await;
    let next = begin_unseen(&stage, "tools/list", json!({})).await;
    let id: Value = serde_json::from_str(&waiting.request_id).unwrap();
    stage.door.app.cancel(waiting.call).unwrap();
    assert_eq!(failed(waiting).await.code, ErrorCode::Cancelled);
    // What is sent after the cancellation has arrived, so the cancellation has been heard by everybody.
    let news = "notifications/roots/list_changed";
    stage.door.app.notify(&stage.server, news, None, Gate::Keep).await.unwrap();
    stage.site.post(news).await.status(202).await;
    assert_eq!(count(&stage, "POST tools/list"), 0, "its turn has not come either");
    for (begun, visit) in held {
        visit.reply(json!({ "result": { "content": [] } })).await;
        ended(begun).await;
    }
    // Turns are taken in their order, and this one comes after that of the cancelled request.
    stage.site.post("tools/list").await.reply(json!({ "result": { "tools": [] } })).await;
    ended(next).await;
    stage.ping().await;
    stage.end().await;
    let sent = stage.site.requests().into_iter().any(|request| request.message()["id"] == id);
    assert!(!sent, "request {id} was sent though nobody waits for it");
    assert_eq!(count(&stage, "POST tools/call"), 256);
    stage.close().await;
}

#[tokio::test]
async fn a_busy_server_that_answers_all_the_same_has_answered() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    for (number, status) in [429, 500, 502, 503, 504].into_iter().enumerate() {
        let (begun, visit) = stage.begin("tools/list", json!({})).await;
        let error = json!({ "error": { "code": -32050, "message": "come back on Monday" } });
        let said = reply_to(&visit.request.message(), error).to_string();
        visit.respond(status, &[JSON, ("retry-after", "0")], said.as_bytes()).await;
        match ended(begun).await.answer {
            Answer::Error { code, message, .. } => {
                assert_eq!((code, &*message), (Some(-32050), "come back on Monday"), "{status}");
            }
            Answer::Result(result) => panic!("{status}: it is an error: {result}"),
        }
        stage.ping().await;
        assert_eq!(count(&stage, "POST tools/list"), number + 1, "{status}: nothing is left to ask");
    }
    let log = stage.end().await;
    let told = marks(&log.rows);
    assert!(told.iter().all(|mark| !mark.contains("again")), "nor was it intended: {told:?}");
    stage.close().await;
}

/// A server that is connected to without a word, and refuses the first.
async fn mute() -> HttpStage {
    let said = Said { negotiate: Some(false), ..Said::default() };
    let stage = HttpStage::open_with(|_, setup| setup.overrides = said).await;
    stage.connect().await;
    stage.until_ready().await;
    stage
}

#[tokio::test]
async fn a_stream_that_names_no_endpoint_is_left_and_takes_nothing_with_it() {
    let ended_by_the_server = async {
        let stage = mute().await;
        let (begun, visit) = stage.begin("tools/list", json!({})).await;
        visit.status(400).await;
        let stream = stage.site.get().await.stream().await;
        stream.raw(": nothing yet\n\n").await;
        stream.end().await;
        (stage, failed(begun).await)
    };
    let left_by_us = async {
        let stage = mute().await;
        let (begun, visit) = stage.begin("tools/list", json!({})).await;
        visit.status(400).await;
        let stream = stage.site.get().await.stream().await;
        stream.raw(": nothing yet\n\n").await;
        let error = failed(begun).await;
        stream.until_closed().await;
        (stage, error)
    };
    // Each waits as long as an endpoint may take to come.
    let (first, second) = tokio::join!(ended_by_the_server, left_by_us);
    for (stage, error) in [first, second] {
        assert_eq!(fact(&error, "status"), ["400"], "the first refusal counts: {error:?}");
        stage.ping().await;
        let (begun, visit) = stage.begin("tools/list", json!({})).await;
        assert_eq!(visit.request.path, "/mcp");
        visit.reply(json!({ "result": { "tools": [] } })).await;
        assert_eq!(result(&ended(begun).await), json!({ "tools": [] }));
        assert_eq!(stage.door.server(&stage.server).await["state"], "ready");
        stage.close().await;
    }
}

#[tokio::test]
async fn an_event_over_the_limit_that_is_no_answer_ends_no_call() {
    let stage = HttpStage::configured(Site::open().await, json!({ "longestLine": "64 KiB" })).await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/call", call()).await;
    let request = visit.request.message();
    let stream = visit.stream().await;
    let params = json!({ "level": "info", "data": "x".repeat(100_000) });
    stream.message(&json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params })).await;
    stream.reply(&request, json!({ "result": { "content": [] } })).await;
    stream.end().await;
    assert_eq!(result(&ended(begun).await), json!({ "content": [] }));
    let log = stage.end().await;
    assert_eq!(log.one("tools/call")["status"], "ok", "{:?}", log.findings());
    assert!(log.findings().iter().any(|finding| finding.ends_with("oversized")), "{:?}", log.findings());
    stage.close().await;
}

#[tokio::test]
async fn half_an_endpoint_is_none() {
    for said in ["event: endpoint\ndata: /messages\n", "event: endpoint\ndata: /messages"] {
        let stage = HttpStage::open_with(|typed, _| typed.dialect = Dialect::Sse).await;
        stage.connect().await;
        let stream = stage.site.get().await.stream().await;
        stream.raw(said).await;
        stream.end().await;
        stage.refused().await;
        let view = json!({ "server": stage.server, "kind": null });
        let is_end = |row: &Value| marks(std::slice::from_ref(row)).iter().any(|mark| mark.contains("ended"));
        stage.door.until_row("the end of the connection", view.clone(), is_end).await;
        let rows = stage.door.rows(view).await;
        let told = marks(&rows);
        assert!(told.iter().all(|mark| !mark.contains("messages go to")), "{said:?}: {told:?}");
        let words: Vec<_> = stage.site.requests().iter().map(integration::Request::words).collect();
        assert_eq!(words, ["GET"], "{said:?}: nothing was posted anywhere");
        stage.close().await;
    }
}

const TOKEN: &str = "tok 3d81f0c2a97e4b66";
/// The same in an address.
const ENCODED: &str = "tok%203d81f0c2a97e4b66";

/// Answers as a server does that lives behind a slash, and sends everybody there who came without it.
async fn behind_a_slash(site: &Site, status: u16) {
    loop {
        let visit = site.visit("a request", |_| true).await;
        if visit.request.path == format!("/{ENCODED}/mcp") {
            visit.respond(status, &[("location", &format!("/{ENCODED}/mcp/"))], b"").await;
            continue;
        }
        assert_eq!(visit.request.path, format!("/{ENCODED}/mcp/"), "it came as it was sent");
        match &*visit.request.words() {
            "POST initialize" => visit.reply_with(&[("mcp-session-id", "s-1")], agreement("2025-11-25")).await,
            "POST ping" => visit.reply(json!({ "result": {} })).await,
            "GET" => visit.status(405).await,
            "DELETE" => visit.status(200).await,
            _ => visit.status(202).await,
        }
    }
}

/// Runs the program against such a server.
async fn run_behind(site: &Site, profile: &Profile, status: u16, words: &[&str]) -> Ran {
    let child = sonde(profile, words).env("PATHTOKEN", TOKEN).spawn().unwrap();
    tokio::select! {
        ran = tokio::task::spawn_blocking(move || finish(child)) => ran.unwrap(),
        () = behind_a_slash(site, status) => panic!("a server has no end"),
    }
}

#[tokio::test]
async fn a_secret_in_a_path_stays_one_wherever_the_server_sends_us() {
    let site = Site::open().await;
    let url = format!("{}/${{PATHTOKEN}}/mcp", site.origin);
    let profile = Profile::default().with_entry("site", json!({ "url": url }));
    let mut ran = vec![run_behind(&site, &profile, 307, &["approve", "site", "--yes"]).await.exits(0)];
    ran.push(run_behind(&site, &profile, 307, &["ping", "site"]).await.exits(0));
    let words: Vec<_> = site.requests().iter().map(integration::Request::words).collect();
    for each in ["POST initialize", "POST ping", "DELETE"] {
        assert_eq!(words.iter().filter(|words| *words == each).count(), 2, "here and there: {words:?}");
    }
    let refused = run_behind(&site, &profile, 302, &["ping", "site"]).await;
    assert!(refused.code != Some(0) && refused.err.contains("302"), "{refused:?}");
    ran.push(refused);
    for words in [&["log"][..], &["log", "--output", "json"], &["servers"], &["servers", "--output", "json"]] {
        ran.push(run_behind(&site, &profile, 307, words).await.exits(0));
    }
    for ran in &ran {
        assert!(!format!("{ran:?}").contains(TOKEN), "{ran:?}");
    }
    assert_eq!(found(&profile.data(), TOKEN), Vec::<String>::new());
    assert_eq!(found(&profile.data(), ENCODED), Vec::<String>::new(), "however it is written");
    assert_ne!(found(&profile.data(), "/‹masked›/mcp/"), Vec::<String>::new(), "the rest of the address is shown");
}

#[tokio::test]
async fn an_answer_under_a_wrong_name_is_taken_and_told() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let (begun, visit) = stage.begin("tools/call", call()).await;
    let said = reply_to(&visit.request.message(), json!({ "result": { "content": [] } })).to_string();
    visit.respond(200, &[("content-type", "image/png")], said.as_bytes()).await;
    assert_eq!(result(&ended(begun).await), json!({ "content": [] }));
    let log = stage.end().await;
    assert_eq!(log.findings(), ["tools/call http-header"]);
    let row = log.one("tools/call");
    assert_eq!(row["status"], "ok", "{row}");
    assert!(row["findings"][0]["message"].as_str().unwrap().contains("image/png"), "{row}");
    stage.close().await;
}

#[tokio::test]
async fn what_follows_an_acceptance_is_not_waited_for() {
    let stage = HttpStage::open().await;
    stage.connect().await;
    stage.site.post("initialize").await.reply(agreement("2025-11-25")).await;
    let body = stage.site.post("notifications/initialized").await.open_ended(202, &[]).await;
    body.raw("Accep").await;
    stage.site.get().await.status(405).await;
    stage.until_ready().await;
    stage.ping().await;
    body.until_closed().await;
    let log = stage.end().await;
    let told = marks(&log.rows);
    assert!(told.iter().all(|mark| !mark.contains("not taken")), "it was taken: {told:?}");
    assert!(told.iter().any(|mark| mark.starts_with("initialized")), "{told:?}");
    stage.close().await;
}

#[tokio::test]
async fn a_farewell_that_is_never_answered_ends_in_the_log() {
    for answered in [None, Some(200)] {
        let stage = HttpStage::open().await;
        stage.ready(Some("s-1")).await;
        let farewell = async {
            let visit = stage.site.delete().await;
            match answered {
                None => (Some(visit), None),
                Some(status) => (None, Some(visit.open_ended(status, &[]).await)),
            }
        };
        let ending = within(LIMIT, "the connection to end", stage.door.app.disconnect(&stage.server));
        // The server's side of it is held until the row has been seen.
        let (ending, _held) = tokio::join!(ending, farewell);
        ending.unwrap();
        stage.door.until_recorded(&stage.server).await;
        let is_over = |row: &Value| row["kind"] == "http" && row["method"] == "DELETE" && row["status"] != "pending";
        let row = stage.door.until_row("the end of the farewell", stage.view(), is_over).await;
        let http = stage.door.row(&row).await["http"][0].clone();
        assert_eq!(http["status"], json!(answered), "{http}");
        assert!(http["after_ms"].is_number(), "it says when it was over: {http}");
        stage.close().await;
    }
}

#[tokio::test]
async fn a_request_that_never_left_is_not_said_to_be_cancelled() {
    let (stage, held) = full_house().await;
    let waiting = begin_unseen(&stage, "tools/call", call()).await;
    stage.door.app.cancel(waiting.call).unwrap();
    failed(waiting).await;
    let (sent, _) = held.first().unwrap();
    stage.door.app.cancel(sent.call).unwrap();
    // The one that left is said to be: what was said before it has been seen, too.
    let told = stage.site.post("notifications/cancelled").await;
    let about = told.request.message()["params"]["requestId"].to_string();
    assert_eq!(about, sent.request_id, "the server never heard of the other");
    told.status(202).await;
    assert_eq!(count(&stage, "POST notifications/cancelled"), 1);
    drop(held);
    stage.close().await;
}

#[tokio::test]
async fn a_stream_that_ends_with_its_endpoint_is_no_connection() {
    let stage = HttpStage::open().await;
    stage.connect().await;
    stage.site.post("initialize").await.status(400).await;
    let events = ("content-type", "text/event-stream");
    stage.site.get().await.respond(200, &[events], b"event: endpoint\ndata: /messages\n\n").await;
    let serve = async {
        loop {
            stage.site.visit("whatever comes", |_| true).await.status(202).await;
        }
    };
    let error = tokio::select! {
        error = stage.refused() => error,
        () = serve => panic!("a server has no end"),
    };
    assert!(error.message.contains("stream"), "and not that nothing came in time: {error:?}");
    stage.close().await;
}

#[tokio::test]
async fn an_acceptance_that_never_ends_takes_nobodys_turn() {
    let stage = HttpStage::open_with(|typed, _| typed.dialect = Dialect::Sse).await;
    stage.connect().await;
    let stream = stage.site.get().await.stream().await;
    stream.raw("event: endpoint\ndata: /messages\n\n").await;
    let visit = stage.site.post("initialize").await;
    let request = visit.request.message();
    visit.status(202).await;
    stream.reply(&request, agreement("2024-11-05")).await;
    stage.site.post("notifications/initialized").await.status(202).await;
    stage.until_ready().await;
    let mut open = Vec::new();
    for _ in 0..257 {
        let (begun, visit) = stage.begin("tools/list", json!({})).await;
        let request = visit.request.message();
        open.push(visit.open_ended(202, &[]).await);
        stream.reply(&request, json!({ "result": { "tools": [] } })).await;
        assert_eq!(result(&ended(begun).await), json!({ "tools": [] }), "answered on the stream");
    }
    stage.close().await;
}

#[tokio::test]
async fn calls_that_run_push_no_result_out() {
    let stage = HttpStage::open().await;
    stage.ready(None).await;
    let (first, visit) = stage.begin("tools/list", json!({})).await;
    let number = first.call;
    visit.reply(json!({ "result": { "tools": [] } })).await;
    ended(first).await;
    let mut running = Vec::new();
    for _ in 0..600 {
        running.push(begin_unseen(&stage, "tools/call", call()).await);
    }
    // Whenever a call ends, what is too old is forgotten.
    let visit = stage.site.post("tools/call").await;
    let id = visit.request.message()["id"].to_string();
    visit.reply(json!({ "result": { "content": [] } })).await;
    let place = running.iter().position(|begun| begun.request_id == id).unwrap();
    ended(running.swap_remove(place)).await;
    let read = stage.door.ask("read_call", json!({ "call": number })).await;
    assert_eq!(read["status"], "ok", "one that ended before all of them is still there: {read}");
    stage.close().await;
}
