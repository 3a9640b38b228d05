//! A tool's arguments against its `inputSchema`, its structured content against its `outputSchema`.

use integration::{LIMIT, Peer, Stage, ask, ended, within};
use serde_json::{Value, json};
use sonde_app::{ApiError, Ask, CallStatus, Ended, ErrorCode, TaskWish};

use super::{LATEST, REVISIONS};

const DRAFT_07: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_2020: &str = "https://json-schema.org/draft/2020-12/schema";

/// A server with one tool, `t`.
struct Shop {
    stage: Stage,
    peer: Peer,
    tool: Value,
    /// The requests for the tool that arrived.
    calls: Vec<Value>,
}

impl Shop {
    async fn open(revision: &str, tool: Value) -> Shop {
        let stage = Stage::open().await;
        let peer = stage.ready(revision, json!({ "tools": {} })).await;
        Shop { stage, peer, tool, calls: Vec::new() }
    }

    async fn with_input(schema: Value) -> Shop {
        Shop::open(LATEST, json!({ "name": "t", "inputSchema": schema })).await
    }

    /// Calls the tool as a person does who lets the arguments be checked.
    async fn call(&mut self, arguments: Value, reply: Value) -> Result<Ended, ApiError> {
        self.send(ask("tools/call", json!({ "name": "t", "arguments": arguments })), reply).await
    }

    /// Begins a request while the server answers whatever it is asked.
    async fn send(&mut self, ask: Ask, reply: Value) -> Result<Ended, ApiError> {
        let asked = async {
            let begun = self.stage.door.app.begin(ask).await?;
            Ok(ended(begun).await)
        };
        let serve = async {
            loop {
                let request = self.peer.read().await;
                if request["method"] == "tools/list" {
                    self.peer.reply(&request, json!({ "result": { "tools": [self.tool] } })).await;
                } else {
                    self.peer.reply(&request, reply.clone()).await;
                    self.calls.push(request);
                }
            }
        };
        let either = async {
            tokio::select! {
                ended = asked => ended,
                () = serve => unreachable!("the server serves for ever"),
            }
        };
        within(LIMIT, "a call", either).await
    }
}

fn fine() -> Value {
    json!({ "result": { "content": [] } })
}

#[tokio::test]
async fn arguments_are_held_against_the_dialect_that_the_schema_names() {
    for (schema, good, bad, path) in [
        (
            json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }),
            json!({ "n": 1 }),
            json!({ "n": "1" }),
            "/n",
        ),
        (
            json!({ "$schema": DRAFT_2020, "type": "object", "properties": { "p": { "prefixItems": [{ "type": "string" }] } } }),
            json!({ "p": ["x"] }),
            json!({ "p": [1] }),
            "/p/0",
        ),
        (
            json!({ "$schema": DRAFT_07, "type": "object", "properties": { "p": { "items": [{ "type": "string" }] } } }),
            json!({ "p": ["x"] }),
            json!({ "p": [1] }),
            "/p/0",
        ),
        (
            json!({ "type": "object", "$defs": { "d": { "$anchor": "a", "maximum": 3 } }, "properties": { "n": { "$ref": "#a" } } }),
            json!({ "n": 3 }),
            json!({ "n": 4 }),
            "/n",
        ),
        (
            json!({ "type": "object", "dependentRequired": { "a": ["b"] } }),
            json!({ "a": 1, "b": 1 }),
            json!({ "a": 1 }),
            "arguments",
        ),
        (json!({ "type": "object", "additionalProperties": false }), json!({}), json!({ "x": 1 }), "arguments"),
    ] {
        let mut shop = Shop::with_input(schema.clone()).await;
        let error = shop.call(bad.clone(), fine()).await.expect_err("it does not fit");
        assert_eq!(error.code, ErrorCode::InvalidArguments, "{schema}: {error}");
        assert_eq!(
            error.context.iter().map(|fact| fact.name.as_str()).collect::<Vec<_>>(),
            [path],
            "{schema}: {error}"
        );
        assert!(shop.calls.is_empty(), "nothing was sent");
        let ended = shop.call(good.clone(), fine()).await.unwrap_or_else(|error| panic!("{schema}: {error}"));
        assert_eq!((ended.status, ended.note), (CallStatus::Ok, None), "{schema}");
        assert_eq!(shop.calls[0]["params"]["arguments"], good);
        shop.stage.close().await;
    }
}

#[tokio::test]
async fn every_violation_is_a_fact_with_its_place() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" }, "b": { "enum": ["x"] } }, "required": ["c"] });
    let mut shop = Shop::with_input(schema).await;
    let error = shop.call(json!({ "a": 1.5, "b": "y" }), fine()).await.expect_err("three things are wrong");
    let mut places: Vec<_> = error.context.iter().map(|fact| fact.name.as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["/a", "/b", "arguments"], "{error}");
    assert!(error.context.iter().all(|fact| !fact.value.is_empty()), "{error}");
    assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("--no-validate")), "{error}");
    shop.stage.close().await;
}

#[tokio::test]
async fn a_call_without_arguments_is_held_against_the_schema_as_an_empty_object() {
    let mut shop = Shop::with_input(json!({ "type": "object", "required": ["x"] })).await;
    let error = shop.send(ask("tools/call", json!({ "name": "t" })), fine()).await.expect_err("`x` is missing");
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert!(shop.calls.is_empty(), "nothing was sent");
    shop.stage.close().await;
}

#[tokio::test]
async fn who_wants_no_check_sends_what_does_not_fit() {
    let mut shop = Shop::with_input(json!({ "type": "object", "required": ["x"] })).await;
    let ask = Ask { validate: false, ..ask("tools/call", json!({ "name": "t", "arguments": { "y": 1 } })) };
    let ended = shop.send(ask, fine()).await.unwrap();
    assert_eq!(ended.status, CallStatus::Ok);
    assert_eq!(shop.calls[0]["params"]["arguments"], json!({ "y": 1 }));
    shop.stage.close().await;
}

#[tokio::test]
async fn a_schema_that_can_not_be_used_is_named_and_the_call_is_sent() {
    for (schema, words) in [
        (json!({ "$schema": "http://json-schema.org/draft-04/schema#" }), "draft-04"),
        (json!({ "$schema": "https://example.com/mine" }), "https://example.com/mine"),
        (json!({ "type": "objekt" }), "not valid"),
        (json!({ "properties": 7 }), "not valid"),
    ] {
        let mut shop = Shop::with_input(schema.clone()).await;
        let ended = shop.call(json!({ "any": 1 }), fine()).await.unwrap_or_else(|error| panic!("{schema}: {error}"));
        let note = ended.note.expect("it is said that nothing was checked");
        assert!(note.contains("not checked") && note.contains(words), "{schema}: {note}");
        assert_eq!(shop.calls.len(), 1);
        shop.stage.close().await;
    }
}

#[tokio::test]
async fn nothing_that_a_schema_names_is_fetched() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let file = std::env::temp_dir().join("never.json");
    for reference in [format!("http://{address}/schema.json"), format!("file://{}", file.display())] {
        let schema = json!({ "type": "object", "properties": { "n": { "$ref": reference } } });
        let tool = json!({ "name": "t", "inputSchema": schema, "outputSchema": schema });
        let mut shop = Shop::open(LATEST, tool).await;
        let reply = json!({ "result": { "content": [], "structuredContent": { "n": 1 } } });
        let ended = shop.call(json!({ "n": 1 }), reply).await.unwrap();
        let note = ended.note.expect("it is said that nothing was checked");
        assert!(note.contains(&reference) && note.contains("not fetched"), "{note}");
        shop.stage.close().await;
    }
    let knocked = listener.accept().map(|(_, peer)| peer);
    assert_eq!(knocked.unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "nobody came");
}

#[tokio::test]
async fn structured_content_is_held_against_the_promise() {
    let output = json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] });
    let tool = json!({ "name": "t", "inputSchema": { "type": "object" }, "outputSchema": output });
    let mut shop = Shop::open(LATEST, tool).await;
    let content = |structured: Value| json!({ "result": { "content": [], "structuredContent": structured } });
    for (reply, wanted) in [
        (content(json!({ "n": 1.5 })), vec![]),
        (content(json!({ "n": "1" })), vec!["/n"]),
        (content(json!({})), vec![""]),
        (content(json!([1])), vec![""]),
        (fine(), vec![""]),
        (json!({ "result": { "content": [], "isError": true } }), vec![]),
    ] {
        let ended = shop.call(json!({}), reply.clone()).await.unwrap();
        let places: Vec<_> = ended.violations.iter().map(|violation| violation.path.as_str()).collect();
        assert_eq!(places, wanted, "{reply}");
    }
    assert_eq!(shop.calls.len(), 6, "the list was read once");
    shop.stage.close().await;
}

#[tokio::test]
async fn output_is_checked_where_the_revision_has_it_and_nowhere_else() {
    for revision in REVISIONS {
        let tool = json!({ "name": "t", "inputSchema": { "type": "object" }, "outputSchema": { "type": "object", "required": ["n"] } });
        let mut shop = Shop::open(revision, tool).await;
        let ended = shop.call(json!({}), fine()).await.unwrap();
        assert_eq!(!ended.violations.is_empty(), revision >= "2025-06-18", "{revision}: {:?}", ended.violations);
        shop.stage.close().await;
    }
}

#[tokio::test]
async fn a_list_that_changed_is_read_again_before_the_next_check() {
    let mut shop = Shop::with_input(json!({ "type": "object", "required": ["x"] })).await;
    assert!(shop.call(json!({}), fine()).await.is_err());
    shop.tool = json!({ "name": "t", "inputSchema": { "type": "object" } });
    shop.peer.notify("notifications/tools/list_changed", Value::Null).await;
    // What the server says next comes after it.
    shop.stage.log(&mut shop.peer).await;
    assert!(shop.call(json!({}), fine()).await.is_ok(), "the new schema takes it");
    shop.stage.close().await;
}

#[tokio::test]
async fn a_tool_says_whether_it_is_called_as_a_task() {
    let declared = json!({ "tools": {}, "tasks": { "requests": { "tools": { "call": {} } } } });
    for (support, plain, task) in [
        (None, true, false),
        (Some("forbidden"), true, false),
        (Some("optional"), true, true),
        (Some("required"), false, true),
    ] {
        let mut tool = json!({ "name": "t", "inputSchema": { "type": "object" } });
        if let Some(support) = support {
            tool["execution"] = json!({ "taskSupport": support });
        }
        let stage = Stage::open().await;
        let peer = stage.ready(LATEST, declared.clone()).await;
        let mut shop = Shop { stage, peer, tool, calls: Vec::new() };
        let call = |wish: Option<TaskWish>| Ask { task: wish, ..ask("tools/call", json!({ "name": "t" })) };
        for (wish, taken) in [(None, plain), (Some(TaskWish::default()), task)] {
            let sent = shop.send(call(wish), json!({ "error": { "code": 1, "message": "seen" } })).await;
            assert_eq!(sent.is_ok(), taken, "{support:?} with {wish:?}");
            if let Err(error) = sent {
                assert_eq!(error.code, ErrorCode::Objected, "{error}");
                let anyway = Ask { anyway: true, ..call(wish) };
                shop.send(anyway, json!({ "error": { "code": 1, "message": "seen" } })).await.unwrap();
            }
        }
        shop.stage.close().await;
    }
    let tool = json!({ "name": "t", "inputSchema": { "type": "object" }, "execution": { "taskSupport": "required" } });
    let mut shop = Shop::open(LATEST, tool).await;
    assert!(shop.call(json!({}), fine()).await.is_ok(), "where the server takes no tasks, it takes calls");
    shop.stage.close().await;
}

#[tokio::test]
async fn a_tool_that_nobody_listed_is_called_unchecked() {
    let mut shop = Shop::with_input(json!({ "type": "object", "required": ["x"] })).await;
    let ended = shop.send(ask("tools/call", json!({ "name": "other", "arguments": {} })), fine()).await.unwrap();
    assert_eq!(ended.status, CallStatus::Ok, "the server decides what it knows");
    shop.stage.close().await;
}
