//! Lists: page by page, guarded, and again when the server says that they changed.

use integration::{LIMIT, Peer, Stage, WIRE, within};
use serde_json::{Value, json};
use sonde_app::{ApiError, Catalog, ErrorCode, Gate, Keeping, Listing};

use super::LATEST;

/// Each list: what asks for it, and the member that has it.
const LISTS: [(Catalog, &str, &str); 5] = [
    (Catalog::Tools, "tools/list", "tools"),
    (Catalog::Resources, "resources/list", "resources"),
    (Catalog::Templates, "resources/templates/list", "resourceTemplates"),
    (Catalog::Prompts, "prompts/list", "prompts"),
    (Catalog::Tasks, "tasks/list", "tasks"),
];

fn everything() -> Value {
    json!({ "tools": {}, "resources": {}, "prompts": {}, "tasks": { "list": {} } })
}

/// Lists while the server answers with `pages`, in this order. Gives what came of it and the cursors that were sent.
async fn listed(
    stage: &Stage,
    peer: &mut Peer,
    catalog: Catalog,
    pages: &[Value],
) -> (Result<Listing, ApiError>, Vec<Value>) {
    let serve = async {
        let mut cursors = Vec::new();
        for page in pages {
            let request = peer.read().await;
            cursors.push(request["params"].get("cursor").cloned().unwrap_or(Value::Null));
            peer.reply(&request, page.clone()).await;
        }
        cursors
    };
    let (listing, cursors) =
        within(LIMIT, "a list", async { tokio::join!(stage.door.app.list(WIRE, catalog, Gate::Keep), serve) }).await;
    (listing, cursors)
}

#[tokio::test]
async fn every_list_is_read_to_the_page_without_a_cursor_and_kept_as_it_was_written() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, everything()).await;
    for (catalog, method, member) in LISTS {
        let entry =
            |number: u32| json!({ "name": format!("n{number}"), "uri": "x:y", "taskId": "t", "unheard": { "of": 1 } });
        let pages = [
            json!({ "result": { member: [entry(1), entry(2)], "nextCursor": "" } }),
            json!({ "result": { member: [], "nextCursor": "a%2F=+ \n" } }),
            json!({ "result": { member: [entry(3)] } }),
        ];
        let (listing, cursors) = listed(&stage, &mut peer, catalog, &pages).await;
        let listing = listing.unwrap();
        let read: Vec<Value> = listing.entries.iter().map(|entry| serde_json::from_str(entry.get()).unwrap()).collect();
        assert_eq!(read, [entry(1), entry(2), entry(3)], "{method}");
        assert_eq!((listing.pages, listing.problem), (3, None), "an empty cursor and an empty page end nothing");
        assert_eq!(cursors, [Value::Null, json!(""), json!("a%2F=+ \n")], "a cursor goes back as it came");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_first_page_is_asked_for_without_a_cursor_at_all() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, everything()).await;
    let list = async {
        let request = peer.read().await;
        assert!(request.get("params").is_none_or(|params| *params == json!({})), "{request}");
        peer.reply(&request, json!({ "result": { "tools": [] } })).await;
    };
    let (listing, ()) = tokio::join!(stage.door.app.list(WIRE, Catalog::Tools, Gate::Keep), list);
    assert_eq!(listing.unwrap().pages, 1);
    stage.close().await;
}

#[tokio::test]
async fn a_cursor_that_comes_again_ends_the_list_with_what_there_is() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, everything()).await;
    for (catalog, _, member) in LISTS {
        let page =
            json!({ "result": { member: [{ "name": "n", "uri": "x:y", "taskId": "t" }], "nextCursor": "same" } });
        let (listing, _) = listed(&stage, &mut peer, catalog, &[page.clone(), page]).await;
        let listing = listing.unwrap();
        assert_eq!(listing.entries.len(), 2, "nothing is thrown away");
        assert!(listing.problem.as_deref().is_some_and(|problem| problem.contains("cursor")), "{:?}", listing.problem);
    }
    stage.close().await;
}

#[tokio::test]
async fn a_page_that_is_refused_or_broken_leaves_the_ones_before_it() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, everything()).await;
    let first = json!({ "result": { "tools": [{ "name": "a" }], "nextCursor": "2" } });
    for second in [
        json!({ "error": { "code": -32602, "message": "Invalid cursor" } }),
        json!({ "result": { "tools": "none" } }),
        json!({ "result": {} }),
    ] {
        let (listing, _) = listed(&stage, &mut peer, Catalog::Tools, &[first.clone(), second.clone()]).await;
        let listing = listing.unwrap();
        assert_eq!(listing.entries.len(), 1, "{second}");
        assert!(listing.problem.is_some(), "and what was wrong is said: {second}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_list_whose_first_page_fails_is_an_error_and_the_connection_stays() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, everything()).await;
    let pages = [json!({ "error": { "code": -32603, "message": "the disk is gone" } })];
    let error = listed(&stage, &mut peer, Catalog::Prompts, &pages).await.0.unwrap_err();
    assert_eq!(error.code, ErrorCode::ServerError);
    assert!(error.message.contains("the disk is gone"), "the server's own words: {error}");
    let log = stage.log(&mut peer).await;
    assert_eq!(log.one("prompts/list")["status"], "protocol-error");
    stage.close().await;
}

#[tokio::test]
async fn every_page_is_a_row_of_the_log() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, everything()).await;
    let page = |cursor: Option<&str>| match cursor {
        Some(cursor) => json!({ "result": { "resources": [], "nextCursor": cursor } }),
        None => json!({ "result": { "resources": [] } }),
    };
    listed(&stage, &mut peer, Catalog::Resources, &[page(Some("1")), page(Some("2")), page(None)]).await.0.unwrap();
    let log = stage.end(peer).await;
    let rows = log.of("resources/list");
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row["status"] == "ok" && row["dur_ms"].as_f64().is_some()), "{rows:?}");
    assert_eq!(log.findings(), Vec::<String>::new());
    stage.close().await;
}

/// A window's app: lists are kept current.
async fn kept() -> Stage {
    Stage::open_with(|setup| setup.keeping = Keeping::Current).await
}

#[tokio::test]
async fn a_window_fetches_what_was_declared_and_fetches_again_what_changed() {
    let stage = kept().await;
    let declared = json!({ "tools": { "listChanged": true }, "prompts": { "listChanged": true },
        "resources": { "listChanged": true } });
    let mut peer = stage.ready(LATEST, declared).await;
    let mut asked = serve(&mut peer, 4, 1).await;
    asked.sort();
    assert_eq!(asked, ["prompts/list", "resources/list", "resources/templates/list", "tools/list"]);
    for (news, wanted) in [
        ("tools", vec!["tools/list"]),
        ("prompts", vec!["prompts/list"]),
        ("resources", vec!["resources/list", "resources/templates/list"]),
    ] {
        peer.say(json!({ "jsonrpc": "2.0", "method": format!("notifications/{news}/list_changed") })).await;
        let mut asked = serve(&mut peer, wanted.len(), 2).await;
        asked.sort();
        assert_eq!(asked, wanted, "only what changed");
    }
    let counts = stage.door.until("the new lists", async || {
        let server = stage.door.server(WIRE).await;
        let counts =
            ["tool_count", "prompt_count", "resource_count", "template_count"].map(|name| server[name].clone());
        counts.iter().all(|count| *count == 2).then_some(counts)
    });
    counts.await;
    assert_eq!(stage.end(peer).await.findings(), Vec::<String>::new());
    stage.close().await;
}

/// Answers so many requests for lists with so many entries each; gives what was asked for.
async fn serve(peer: &mut Peer, requests: usize, entries: usize) -> Vec<String> {
    let mut asked = Vec::new();
    for _ in 0..requests {
        let request = peer.read().await;
        let method = request["method"].as_str().unwrap().to_owned();
        let (_, _, member) = LISTS.into_iter().find(|(_, name, _)| *name == method).expect("a list is asked for");
        let entry = |number| {
            json!({ "name": format!("n{number}"), "uri": format!("x:{number}"),
            "uriTemplate": format!("x:{{v}}/{number}"), "inputSchema": { "type": "object" } })
        };
        let list: Vec<_> = (0..entries).map(entry).collect();
        peer.reply(&request, json!({ "result": { member: list } })).await;
        asked.push(method);
    }
    asked
}

#[tokio::test]
async fn a_change_while_a_list_is_read_is_not_missed() {
    let stage = kept().await;
    let mut peer = stage.ready(LATEST, json!({ "tools": { "listChanged": true } })).await;
    let first = peer.read().await;
    peer.say(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).await;
    peer.reply(&first, json!({ "result": { "tools": [] } })).await;
    assert_eq!(serve(&mut peer, 1, 1).await, ["tools/list"], "it is read once more");
    stage.door.until("the newer list", async || (stage.door.server(WIRE).await["tool_count"] == 1).then_some(())).await;
    stage.close().await;
}

#[tokio::test]
async fn what_was_not_declared_is_not_listed_and_no_problem() {
    let stage = kept().await;
    let peer = stage.ready(LATEST, json!({})).await;
    let tools = stage.door.ask("list_tools", json!({ "server": WIRE })).await;
    assert_eq!((&tools["complete"], &tools["problem"], &tools["tools"]), (&json!(true), &Value::Null, &json!([])));
    let log = stage.end(peer).await;
    assert_eq!(log.rows.iter().filter(|row| row["kind"] == "exchange").count(), 1, "only initialize was asked");
    stage.close().await;
}

#[tokio::test]
async fn a_change_that_was_never_declared_is_told_as_a_fault() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, json!({ "tools": {}, "prompts": { "listChanged": false } })).await;
    for news in ["tools", "prompts", "resources"] {
        peer.say(json!({ "jsonrpc": "2.0", "method": format!("notifications/{news}/list_changed") })).await;
    }
    let log = stage.end(peer).await;
    let wanted = ["tools", "prompts", "resources"].map(|news| format!("notifications/{news}/list_changed undeclared"));
    assert_eq!(log.findings(), wanted);
    stage.close().await;
}

#[tokio::test]
async fn a_cursor_that_is_no_string_ends_the_list_and_is_told() {
    let stage = Stage::open().await;
    let mut peer = stage.ready(LATEST, everything()).await;
    for (cursor, problem) in [(json!(7), true), (json!(null), false)] {
        let tool = json!({ "name": "a", "inputSchema": { "type": "object" } });
        let page = json!({ "result": { "tools": [tool], "nextCursor": cursor } });
        let listing = listed(&stage, &mut peer, Catalog::Tools, &[page]).await.0.unwrap();
        assert_eq!((listing.entries.len(), listing.problem.is_some()), (1, problem), "{cursor}");
    }
    let log = stage.end(peer).await;
    assert_eq!(log.findings(), ["tools/list bad-result"; 2], "a cursor is a string or is not there");
    stage.close().await;
}
