//! How a connection begins, and how it does not.

use integration::{LIMIT, Stage, WIRE, within};
use serde_json::{Value, json};
use sonde_app::{ApiError, ErrorCode, JsonObject, Profile};

use super::{LATEST, REVISIONS};

fn fact<'a>(error: &'a ApiError, name: &str) -> &'a str {
    error.context.iter().find(|fact| fact.name == name).map_or("", |fact| &fact.value)
}

/// Why a server that must not become ready did not.
async fn refused(stage: &Stage) -> ApiError {
    within(LIMIT, "a decision", stage.door.app.until_ready(WIRE)).await.expect_err("it should not become ready")
}

fn pinned(protocol: &str) -> Profile {
    Profile { protocol: Some(protocol.to_owned()), ..Profile::default() }
}

#[tokio::test]
async fn the_first_line_offers_the_newest_revision_and_what_a_terminal_can_answer() {
    let stage = Stage::open().await;
    let mut peer = stage.meet().await;
    let line = peer.line().await.unwrap();
    assert!(line.ends_with("}\n") && !line.trim_end().contains(['\n', '\r']), "one line, ended by a line feed");
    let sent: Value = serde_json::from_str(&line).unwrap();
    let wanted = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": LATEST,
        "capabilities": { "roots": { "listChanged": true }, "sampling": { "tools": {}, "context": {} },
            "elicitation": { "form": {}, "url": {} }, "tasks": { "list": {}, "cancel": {}, "requests": {
                "sampling": { "createMessage": {} }, "elicitation": { "create": {} } } } },
        "clientInfo": { "name": "sonde", "title": "Sonde", "version": env!("CARGO_PKG_VERSION") },
    }});
    assert_eq!(sent, wanted);
    peer.hang_up().await;
    refused(&stage).await;
    stage.close().await;
}

#[tokio::test]
async fn each_revision_is_taken_where_the_server_prefers_it() {
    let stage = Stage::open().await;
    for revision in REVISIONS {
        let peer = stage.ready(revision, json!({ "tools": {} })).await;
        let detail = stage.door.app.describe(WIRE).unwrap();
        assert_eq!(detail.summary.revision.as_deref(), Some(revision));
        assert!(detail.summary.latency_ms.is_some(), "how long it took is known");
        let log = stage.end(peer).await;
        let marks: Vec<_> = log.rows.iter().filter(|row| row["kind"] == "mark").map(|row| &row["target"]).collect();
        assert!(marks.contains(&&json!(format!("initialized · {revision}"))), "the log says it: {marks:?}");
        let wanted: &[&str] = if revision == LATEST { &[] } else { &["initialize other-version"] };
        assert_eq!(log.findings(), wanted, "an older answer is noted, and no fault");
    }
    stage.close().await;
}

#[tokio::test]
async fn what_a_server_says_of_itself_is_kept_as_it_was_written() {
    let stage = Stage::open().await;
    let mut peer = stage.meet().await;
    peer.read().await;
    let info = r#"{"name":"n","version":"1","title":"T","icons":[{"src":"data:x"}],"websiteUrl":"https://e","x":1.0}"#;
    let declared = r#"{"experimental":{"e":{"deep":[1.50]}},"tools":{"listChanged":false},"unheard":{"of":true}}"#;
    peer.line_of(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"{LATEST}","capabilities":{declared},"serverInfo":{info},"instructions":"use \u0074hem"}}}}"#
    ))
    .await;
    stage.until_ready().await;
    let detail = stage.door.app.describe(WIRE).unwrap();
    assert_eq!(detail.server_info.as_deref(), Some(info));
    assert_eq!(detail.server_capabilities.as_deref(), Some(declared), "unknown ones, too, to the last digit");
    assert_eq!(detail.instructions.as_deref(), Some("use them"));
    stage.close().await;
}

#[tokio::test]
async fn a_revision_that_nobody_knows_ends_the_connection_and_is_an_error_in_the_log() {
    let stage = Stage::open().await;
    let mut peer = stage.meet().await;
    let initialize = peer.read().await;
    let result =
        json!({ "protocolVersion": "1999-12-31", "capabilities": {}, "serverInfo": { "name": "n", "version": "1" } });
    peer.reply(&initialize, json!({ "result": result })).await;
    assert_eq!(peer.line().await, None, "we hang up, and nothing more is said");
    let log = stage.end(peer).await;
    let error = refused(&stage).await;
    assert_eq!(error.code, ErrorCode::HandshakeFailed);
    assert_eq!(fact(&error, "it speaks"), "1999-12-31");
    assert_eq!(fact(&error, "we speak"), REVISIONS.join(", "));
    assert_eq!(log.findings(), ["initialize unknown-version"]);
    assert_eq!(log.one("initialize")["findings"][0]["severity"], "error");
    stage.close().await;
}

#[tokio::test]
async fn a_pinned_revision_is_offered_and_no_other_is_taken() {
    for revision in REVISIONS {
        let stage = Stage::saying(pinned(revision)).await;
        let mut peer = stage.meet().await;
        let initialize = peer.agree(revision, json!({})).await;
        assert_eq!(initialize["params"]["protocolVersion"], revision);
        stage.until_ready().await;
        assert_eq!(stage.end(peer).await.findings(), Vec::<String>::new(), "the server did what it was asked");
        let other = if revision == LATEST { REVISIONS[0] } else { LATEST };
        let mut peer = stage.meet().await;
        let initialize = peer.read().await;
        let result =
            json!({ "protocolVersion": other, "capabilities": {}, "serverInfo": { "name": "n", "version": "1" } });
        peer.reply(&initialize, json!({ "result": result })).await;
        assert_eq!(peer.line().await, None, "it is not taken");
        peer.hang_up().await;
        let error = refused(&stage).await;
        assert_eq!((fact(&error, "it speaks"), fact(&error, "we speak")), (other, revision));
        assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("pinned")), "{error}");
        stage.close().await;
    }
}

#[tokio::test]
async fn a_refusal_with_a_common_revision_is_answered_by_a_second_initialize_under_a_new_id() {
    let stage = Stage::open().await;
    let mut peer = stage.meet().await;
    let first = peer.read().await;
    let data = json!({ "supported": ["2024-11-05", "2025-03-26", "1999-12-31"], "requested": LATEST });
    let error = json!({ "code": -32602, "message": "Unsupported protocol version", "data": data });
    peer.reply(&first, json!({ "error": error })).await;
    let second = peer.agree("2025-03-26", json!({})).await;
    assert_eq!(second["params"]["protocolVersion"], "2025-03-26", "the newest that both speak");
    assert_ne!(second["id"], first["id"], "an id is used once");
    stage.until_ready().await;
    let log = stage.end(peer).await;
    let rows = log.of("initialize");
    assert_eq!((&rows[0]["status"], &rows[0]["code"]), (&json!("protocol-error"), &json!(-32602)), "it is in the log");
    assert_eq!(rows[1]["status"], "ok");
    assert_eq!(log.findings(), Vec::<String>::new(), "neither side broke a rule");
    stage.close().await;
}

#[tokio::test]
async fn a_refusal_without_common_ground_is_told_with_its_code_and_both_sides() {
    let stage = Stage::open().await;
    let mut peer = stage.meet().await;
    let initialize = peer.read().await;
    let error = json!({ "code": -32602, "message": "too new", "data": { "supported": ["2077-01-01"] } });
    peer.reply(&initialize, json!({ "error": error })).await;
    assert_eq!(peer.line().await, None, "there is nothing left to offer");
    peer.hang_up().await;
    let error = refused(&stage).await;
    assert!(error.message.contains("too new"), "the server's own words: {error}");
    assert_eq!((fact(&error, "code"), fact(&error, "it speaks")), ("-32602", "2077-01-01"));
    stage.close().await;
}

#[tokio::test]
async fn an_answer_that_is_no_agreement_is_told_for_what_it_is() {
    let stage = Stage::open().await;
    for (result, wanted) in [
        (json!({}), "initialize bad-result"),
        (json!({ "protocolVersion": 7, "capabilities": {}, "serverInfo": {} }), "initialize bad-result"),
        (json!("yes"), "initialize bad-result"),
    ] {
        let mut peer = stage.meet().await;
        let initialize = peer.read().await;
        peer.reply(&initialize, json!({ "result": result })).await;
        assert_eq!(peer.line().await, None, "{result} is not taken");
        let log = stage.end(peer).await;
        let error = refused(&stage).await;
        assert_eq!(error.code, ErrorCode::HandshakeFailed, "{error}");
        assert!(log.findings().iter().any(|finding| finding == wanted), "{result}: {:?}", log.findings());
    }
    stage.close().await;
}

#[tokio::test]
async fn a_server_without_capabilities_or_a_name_is_taken_and_both_are_missed() {
    let stage = Stage::open().await;
    let mut peer = stage.meet().await;
    let initialize = peer.read().await;
    peer.reply(&initialize, json!({ "result": { "protocolVersion": LATEST } })).await;
    stage.until_ready().await;
    assert_eq!(peer.read().await["method"], "notifications/initialized");
    let error = stage.door.app.begin(integration::ask("tools/list", Value::Null)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Objected, "it declared nothing: {error}");
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), ["initialize bad-result", "initialize bad-result"]);
    stage.close().await;
}

#[tokio::test]
async fn a_server_may_ping_and_log_before_it_is_initialized_and_nothing_else() {
    let stage = Stage::open().await;
    let mut peer = stage.meet().await;
    let initialize = peer.read().await;
    assert_eq!(peer.asked("ping", Value::Null).await["result"], json!({}), "at any time");
    peer.notify("notifications/message", json!({ "level": "info", "data": "booting" })).await;
    let early = peer.ask("roots/list", Value::Null).await;
    peer.notify("notifications/tools/list_changed", json!({})).await;
    let info = json!({ "name": "n", "version": "1" });
    let capabilities = json!({ "logging": {}, "tools": { "listChanged": true } });
    let result = json!({ "protocolVersion": LATEST, "capabilities": capabilities, "serverInfo": info });
    peer.reply(&initialize, json!({ "result": result })).await;
    assert_eq!(peer.read().await["method"], "notifications/initialized");
    let answer = peer.read().await;
    assert_eq!(
        (&answer["id"], answer["result"]["roots"].is_array()),
        (&early, true),
        "it waits for its turn: {answer}"
    );
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), ["roots/list too-early", "notifications/tools/list_changed too-early"]);
    stage.close().await;
}

#[tokio::test]
async fn without_negotiation_nothing_is_sent_nothing_is_gated_and_nothing_is_judged_by_an_agreement() {
    let stage = Stage::saying(Profile { negotiate: Some(false), ..pinned("2025-03-26") }).await;
    let mut peer = stage.meet().await;
    stage.until_ready().await;
    let (sent, _) = stage.exchange(&mut peer, "prompts/list", json!({}), json!({ "result": { "prompts": [] } })).await;
    assert_eq!(sent["id"], 1, "it is the first thing that was ever said");
    assert_eq!(stage.door.app.describe(WIRE).unwrap().summary.revision.as_deref(), Some("2025-03-26"), "assumed");
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), Vec::<String>::new());
    let told = json!("connected without negotiation · 2025-03-26 is assumed");
    assert!(log.rows.iter().any(|row| row["kind"] == "mark" && row["target"] == told), "{:?}", log.rows);
    stage.close().await;
}

#[tokio::test]
async fn a_person_decides_who_we_are_and_what_we_can_to_the_last_byte() {
    let (info, capabilities) = (r#"{"version":"0","name":"probe","x":1.00}"#, r#"{"experimental":{"a/b":{"n":1e2}}}"#);
    let (client_info, capabilities) = (JsonObject::parse(info), JsonObject::parse(capabilities));
    let said = Profile { client_info, capabilities, ..Profile::default() };
    let stage = Stage::saying(said).await;
    let mut peer = stage.meet().await;
    let line = peer.line().await.unwrap();
    assert!(line.contains(info) && line.contains(r#"{"experimental":{"a/b":{"n":1e2}}}"#), "{line}");
    let told = stage.door.app.describe(WIRE).unwrap().client_capabilities;
    assert_eq!(told, r#"{"experimental":{"a/b":{"n":1e2}}}"#, "and sees it");
    stage.close().await;
}

#[tokio::test]
async fn initialize_that_takes_too_long_is_given_up_and_never_cancelled() {
    let said = Profile { connect_timeout: Some(std::time::Duration::from_millis(300)), ..Profile::default() };
    let stage = Stage::saying(said).await;
    let mut peer = stage.meet().await;
    let first = peer.line().await;
    // On a busy machine the time may be over before the first line is out.
    if first.is_some() {
        assert_eq!(peer.line().await, None, "the line is closed without another word");
    }
    let log = stage.end(peer).await;
    let error = refused(&stage).await;
    assert_eq!(error.code, ErrorCode::HandshakeFailed, "{error}");
    assert_eq!(log.one("initialize")["status"], "timeout");
    assert_eq!(log.of("notifications/cancelled").len(), 0, "`initialize` must not be cancelled");
    stage.close().await;
}

#[tokio::test]
async fn a_server_that_closes_in_good_order_has_not_crashed() {
    let stage = Stage::open().await;
    let peer = stage.ready(LATEST, json!({})).await;
    peer.hang_up().await;
    let server = stage.door.until_server(WIRE, &["stopped", "failed"]).await;
    assert_eq!((&server["state"], &server["problem"]), (&json!("stopped"), &Value::Null), "{server}");
    assert_eq!(stage.door.app.describe(WIRE).unwrap().exit.as_deref(), Some("exit code 0"));
    stage.close().await;
}

#[tokio::test]
async fn each_connection_is_a_session_of_its_own() {
    let stage = Stage::open().await;
    let mut seen = Vec::new();
    for _ in 0..2 {
        let mut peer = stage.ready(LATEST, json!({ "tools": {} })).await;
        let (sent, _) =
            stage.exchange(&mut peer, "tools/list", Value::Null, json!({ "result": { "tools": [] } })).await;
        let log = stage.end(peer).await;
        assert_eq!(log.of("tools/list").len(), 1, "the view of a connection has only its rows");
        assert_eq!(log.findings(), Vec::<String>::new(), "an id of another session is no second use");
        seen.push((sent["id"].clone(), log.rows[0]["connection"].clone()));
    }
    assert_eq!(seen[0].0, seen[1].0, "ids begin anew");
    assert_ne!(seen[0].1, seen[1].1, "the log tells the two apart");
    stage.close().await;
}

#[tokio::test]
async fn a_handshake_by_hand_is_an_agreement_too() {
    let stage = Stage::saying(Profile { negotiate: Some(false), ..Profile::default() }).await;
    let mut peer = stage.meet().await;
    stage.until_ready().await;
    let params =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "n", "version": "1" } });
    let initialize = json!({ "jsonrpc": "2.0", "id": "i", "method": "initialize", "params": params });
    let mut sent = stage.door.app.send_raw(WIRE, format!("{initialize}\n").into_bytes()).await.unwrap();
    let read = peer.read().await;
    assert_eq!(read, initialize);
    let info = json!({ "name": "n", "version": "1" });
    let result = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info });
    peer.reply(&read, json!({ "result": result })).await;
    assert_eq!(integration::result(&integration::ended(sent.calls.remove(0)).await), result);
    stage.door.app.notify(WIRE, "notifications/initialized", None, sonde_app::Gate::Keep).await.unwrap();
    assert_eq!(peer.read().await["method"], "notifications/initialized");
    peer.notify("notifications/message", json!({ "level": "info", "data": 1 })).await;
    assert_eq!(stage.end(peer).await.findings(), ["notifications/message undeclared"], "the log has learnt it");
    stage.close().await;
}

#[tokio::test]
async fn a_window_declares_what_it_can_answer_and_refuses_the_rest() {
    let stage = Stage::open_with(|setup| setup.posture = sonde_app::Posture::window()).await;
    let mut peer = stage.meet().await;
    let initialize = peer.agree(LATEST, json!({})).await;
    assert_eq!(initialize["params"]["capabilities"], json!({ "roots": { "listChanged": true } }));
    stage.until_ready().await;
    assert!(peer.asked("roots/list", Value::Null).await["result"]["roots"].is_array());
    let sampling = json!({ "messages": [], "maxTokens": 1 });
    assert_eq!(peer.asked("sampling/createMessage", sampling).await["error"]["code"], -32601);
    stage.close().await;
}
