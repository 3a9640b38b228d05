//! The table of methods against the official schemas, and what it lets each side send.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serde_json::value::RawValue;
use sonde_protocol::{Agreement, Capabilities, METHODS, Objection, Party, Revision, Shape};

/// The official JSON Schemas, one file per revision: named by the environment, or beside the repository.
fn schemas() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec/schema");
    let folder = std::env::var_os("SONDE_SPEC_SCHEMAS").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// The methods of one union of the schema, such as `ClientRequest`.
fn union(schema: &Value, name: &str) -> BTreeSet<String> {
    let definitions = schema.get("$defs").or_else(|| schema.get("definitions")).expect("a schema has definitions");
    let members = definitions[name]["anyOf"].as_array().expect("a union is an anyOf");
    let method = |member: &Value| {
        let reference = member["$ref"].as_str().expect("a member of a union is a reference");
        let definition = &definitions[reference.rsplit('/').next().unwrap_or_default()];
        definition["properties"]["method"]["const"].as_str().expect("a message names its method").to_owned()
    };
    members.iter().map(method).collect()
}

/// The methods of our table that one side sends in a revision.
fn table(revision: Revision, sender: Party, shape: Shape) -> BTreeSet<String> {
    let sent = METHODS.iter().filter(|method| method.shape == shape && method.senders.contains(&sender));
    let there = sent.filter(|method| method.since <= revision);
    there.map(|method| method.name.to_owned()).collect()
}

#[test]
fn the_table_has_exactly_the_methods_of_the_official_schemas() {
    let Some(folder) = schemas() else {
        eprintln!("the official schemas are not here: set SONDE_SPEC_SCHEMAS to compare the table with them");
        return;
    };
    let unions = [
        ("ClientRequest", Party::Client, Shape::Request),
        ("ServerRequest", Party::Server, Shape::Request),
        ("ClientNotification", Party::Client, Shape::Notification),
        ("ServerNotification", Party::Server, Shape::Notification),
    ];
    for revision in Revision::ALL {
        let file = folder.join(format!("{revision}.json"));
        let text = std::fs::read_to_string(&file).expect("every revision has a schema");
        let schema: Value = serde_json::from_str(&text).expect("a schema is JSON");
        for (name, sender, shape) in unions {
            assert_eq!(table(*revision, sender, shape), union(&schema, name), "{name} of {revision}");
        }
    }
}

#[test]
fn no_method_stands_twice_in_the_table() {
    let names: BTreeSet<&str> = METHODS.iter().map(|method| method.name).collect();
    assert_eq!(names.len(), METHODS.len(), "a second line would never be found");
}

fn capabilities(text: &str) -> Capabilities {
    Capabilities::read(&RawValue::from_string(text.to_owned()).expect("the test writes JSON"))
}

fn agreement(revision: Revision, client: &str, server: &str) -> Agreement {
    Agreement { revision, client: capabilities(client), server: capabilities(server) }
}

#[test]
fn a_capability_is_declared_when_it_is_there_and_neither_false_nor_null() {
    let read = capabilities(
        r#"{"tools":{"listChanged":false},"resources":{"subscribe":true,"listChanged":null},"logging":{},"prompts":null,
            "tasks":{"requests":{"tools":{"call":{}}}},"tools.call":{},"completions":null,"completions":{}}"#,
    );
    for path in ["tools", "resources.subscribe", "logging", "tasks.requests.tools.call", "completions"] {
        assert!(read.declares(path), "{path} is declared");
    }
    for path in ["tools.listChanged", "resources.listChanged", "prompts", "tools.call", "roots", ""] {
        assert!(!read.declares(path), "{path} is not declared");
    }
    assert!(!capabilities("[1]").declares("tools"), "what is no object declares nothing");
}

#[test]
fn capabilities_without_end_are_read_up_to_a_limit() {
    let many: Vec<String> = (0..100_000).map(|number| format!("\"c{number}\":{{}}")).collect();
    let read = capabilities(&format!("{{{}}}", many.join(",")));
    assert!(read.declares("c0") && !read.declares("c99999"), "the first ones are known, the rest is not");
    let experimental = capabilities(&format!(r#"{{"experimental":{{{}}},"tools":{{}}}}"#, many.join(",")));
    assert!(experimental.declares("tools"), "what is experimental takes no room from the rest");
    let deep = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
    assert!(capabilities(&deep).declares("a.a.a.a"), "depth ends where no capability of the protocol lies deeper");
    let children: Vec<String> = (0..500).map(|number| format!("\"c{number}\":{{}}")).collect();
    let long = capabilities(&format!(r#"{{"{}":{{{}}}}}"#, "a".repeat(1 << 20), children.join(",")));
    assert!(format!("{long:?}").len() < 1000, "a long name is not repeated in the path of all that stands below it");
}

#[test]
fn a_request_needs_what_its_receiver_declared() {
    let agreement = agreement(Revision::V2025_11_25, r#"{"sampling":{}}"#, r#"{"tools":{},"resources":{}}"#);
    let undeclared = |by, capability| Some(Objection::Undeclared { by, capability });
    assert_eq!(agreement.objection(Party::Client, "tools/call"), None);
    assert_eq!(
        agreement.objection(Party::Client, "resources/subscribe"),
        undeclared(Party::Server, "resources.subscribe"),
        "resources alone do not promise subscriptions"
    );
    assert_eq!(agreement.objection(Party::Server, "sampling/createMessage"), None);
    assert_eq!(agreement.objection(Party::Server, "roots/list"), undeclared(Party::Client, "roots"));
    assert_eq!(agreement.objection(Party::Client, "sampling/createMessage"), Some(Objection::WrongSender));
    assert_eq!(agreement.objection(Party::Client, "tools/explode"), Some(Objection::UnknownMethod));
    assert_eq!(agreement.objection(Party::Client, "ping"), None, "a ping needs nothing");
}

#[test]
fn a_method_of_both_sides_needs_what_the_other_one_declared() {
    let agreement = agreement(Revision::V2025_11_25, r#"{"tasks":{"list":{}}}"#, r#"{"tasks":{"cancel":{}}}"#);
    assert_eq!(agreement.objection(Party::Server, "tasks/list"), None, "the client declared that it lists tasks");
    assert!(agreement.objection(Party::Client, "tasks/list").is_some(), "the server did not");
    assert_eq!(agreement.objection(Party::Client, "tasks/cancel"), None);
    assert!(agreement.objection(Party::Server, "tasks/cancel").is_some());
}

#[test]
fn a_method_is_not_there_before_its_revision() {
    let all = r#"{"elicitation":{},"tasks":{},"completions":{}}"#;
    let old = agreement(Revision::V2025_03_26, all, all);
    let since = Objection::NotInRevision { since: Revision::V2025_06_18 };
    assert_eq!(old.objection(Party::Server, "elicitation/create"), Some(since));
    let oldest = agreement(Revision::V2024_11_05, "{}", "{}");
    assert_eq!(oldest.objection(Party::Client, "completion/complete"), None, "2024-11-05 had no capability for it");
    assert!(agreement(Revision::V2025_03_26, "{}", "{}").objection(Party::Client, "completion/complete").is_some());
}

#[test]
fn a_request_becomes_a_task_only_where_the_receiver_declared_that_very_request() {
    let server = r#"{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}"#;
    let now = agreement(Revision::V2025_11_25, r#"{"tasks":{"requests":{}}}"#, server);
    assert_eq!(now.task_objection(Party::Client, "tools/call"), None);
    assert!(now.task_objection(Party::Client, "resources/read").is_some(), "no capability makes a reading a task");
    assert!(now.task_objection(Party::Server, "elicitation/create").is_some(), "the list of requests is exhaustive");
    let before = agreement(Revision::V2025_06_18, "{}", server);
    assert!(before.task_objection(Party::Client, "tools/call").is_some(), "tasks came with 2025-11-25");
}

#[test]
fn only_one_revision_has_batches() {
    let with: Vec<_> = Revision::ALL.iter().filter(|revision| revision.rules().batches).collect();
    assert_eq!(with, [&Revision::V2025_03_26]);
    assert!(Revision::ALL.iter().all(|revision| revision.rules().revision == *revision), "each has its own rules");
}
