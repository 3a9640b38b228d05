//! What each side declares, with and without, in each revision.

use serde_json::{Value, json};

use super::calls::offered;
use super::conversation::{Conversation, judge};
use super::reach::{Over, Server, over_each_transport};
use super::servers::{EVERY_CAPABILITY, REVISIONS, everything, sqlite, time};
use super::sonde::Sonde;

/// What a client may declare, and the tools of the everything server that only such a client is offered.
fn sets() -> Vec<(Value, Vec<&'static str>)> {
    let tasks = |requests: Value| json!({ "list": {}, "cancel": {}, "requests": requests });
    vec![
        (json!({}), vec![]),
        (json!({ "roots": {} }), vec!["get-roots-list"]),
        (json!({ "roots": { "listChanged": true } }), vec!["get-roots-list"]),
        (json!({ "sampling": {} }), vec!["trigger-sampling-request"]),
        (json!({ "elicitation": {} }), vec!["trigger-elicitation-request"]),
        (
            json!({ "elicitation": { "form": {}, "url": {} } }),
            vec!["trigger-elicitation-request", "trigger-url-elicitation"],
        ),
        (
            json!({ "sampling": {}, "tasks": tasks(json!({ "sampling": { "createMessage": {} } })) }),
            vec!["trigger-sampling-request", "trigger-sampling-request-async"],
        ),
        (
            json!({ "elicitation": {}, "tasks": tasks(json!({ "elicitation": { "create": {} } })) }),
            vec!["trigger-elicitation-request", "trigger-elicitation-request-async"],
        ),
        (
            serde_json::from_str(EVERY_CAPABILITY).unwrap(),
            vec![
                "get-roots-list",
                "trigger-elicitation-request",
                "trigger-url-elicitation",
                "trigger-sampling-request",
                "trigger-sampling-request-async",
                "trigger-elicitation-request-async",
            ],
        ),
    ]
}

/// The one connection of a log.
fn only_connection(sonde: &Sonde) -> Conversation {
    let rows = sonde.log();
    judge(&rows);
    Conversation::of(&rows.iter().collect::<Vec<_>>())
}

fn each_set_in(revision: &str, server: &Server) {
    for (capabilities, extra) in sets() {
        let sonde = Sonde::new();
        let options = ["--capabilities", &capabilities.to_string(), "--protocol", revision];
        let offered = offered(&sonde, server, &options);
        let conditional: Vec<&str> =
            offered.iter().skip(12).map(String::as_str).filter(|name| *name != "simulate-research-query").collect();
        assert_eq!(conditional, extra, "offered to {capabilities} in {revision}");
        let said = only_connection(&sonde);
        assert_eq!(said.revision, revision, "the revision that was insisted on");
        assert_eq!(*said.client_capabilities(), capabilities, "declared as it was typed");
    }
}

over_each_transport!(
    every_set_of_ours_connects_and_lists_in_2024_11_05,
    every_set_of_ours_connects_and_lists_in_2025_03_26,
    every_set_of_ours_connects_and_lists_in_2025_06_18,
    every_set_of_ours_connects_and_lists_in_2025_11_25,
);

fn every_set_of_ours_connects_and_lists_in_2024_11_05(server: &Server) {
    each_set_in(REVISIONS[0], server);
}

fn every_set_of_ours_connects_and_lists_in_2025_03_26(server: &Server) {
    each_set_in(REVISIONS[1], server);
}

fn every_set_of_ours_connects_and_lists_in_2025_06_18(server: &Server) {
    each_set_in(REVISIONS[2], server);
}

fn every_set_of_ours_connects_and_lists_in_2025_11_25(server: &Server) {
    each_set_in(REVISIONS[3], server);
}

/// What needs a capability that the servers from PyPI do not declare.
const UNDECLARED: &[(&str, &[&str])] = &[
    ("completion/complete", &["complete", "--prompt", "x", "--argument", "a=b"]),
    ("resources/subscribe", &["read", "memo://insights", "--follow"]),
    ("tasks/list", &["tasks", "list"]),
];

fn ask_for_the_undeclared(sonde: &Sonde, server: &Server) {
    for revision in REVISIONS {
        for (method, words) in UNDECLARED {
            // Before 2025-03-26 there was no capability to declare, so completion may be asked for.
            if *method == "completion/complete" && *revision == "2024-11-05" {
                continue;
            }
            let run = sonde.run(&[*words, &["--protocol", revision]].concat(), server);
            assert_ne!(run.exit, Some(0), "`{method}` is refused in {revision}: {}", run.stdout);
            assert!(run.json()["error"]["hint"].is_string(), "and it is said how to send it: {}", run.stdout);
        }
    }
    let rows = sonde.log();
    judge(&rows);
    for (method, _) in UNDECLARED {
        assert!(!rows.iter().any(|row| row["method"] == *method), "`{method}` was not sent");
    }
}

#[test]
fn what_the_time_server_does_not_declare_is_not_asked_of_it() {
    ask_for_the_undeclared(&Sonde::new(), &time());
}

#[test]
fn what_the_sqlite_server_does_not_declare_is_not_asked_of_it() {
    let sonde = Sonde::new();
    ask_for_the_undeclared(&sonde, &sqlite(&sonde.work()));
}

#[test]
fn what_is_not_declared_can_be_sent_anyway_and_is_then_refused_by_the_server() {
    let sonde = Sonde::new();
    let words = ["complete", "--prompt", "x", "--argument", "a=b", "--anyway"];
    let run = sonde.run(&words, &time());
    assert_eq!(run.exit, Some(4), "it is the server that refuses: {}", run.stdout);
    let rows = sonde.log();
    let sent = rows.iter().find(|row| row["method"] == "completion/complete").expect("it was sent");
    assert_eq!(sent["code"], -32601, "the method is not there: {sent}");
    assert!(!sent["findings"].as_array().unwrap().is_empty(), "and the log says that we should not have: {sent}");
}

#[test]
fn a_revision_that_the_server_does_not_offer_is_refused_by_us() {
    let sonde = Sonde::new();
    let run = sonde.run(&["tools", "--protocol", "2024-10-07"], &everything(Over::Stdio));
    assert_ne!(run.exit, Some(0), "we do not speak it: {}", run.stdout);
    let asked = sonde.log().iter().any(|row| row["method"] == "tools/list");
    assert!(!asked, "nothing is asked after that");
}
