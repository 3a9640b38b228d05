//! Every list, as two clients see it.

use serde_json::json;

use super::conversation::judge;
use super::reach::{Over, Server, over_each_transport};
use super::servers::{
    EVERY_CAPABILITY, everything, folder, json_only, listed_by_another_client, polling, sqlite, time,
};
use super::sonde::Sonde;

const LISTS: &[(&str, &[&str])] = &[
    ("tools", &["tools"]),
    ("resources", &["resources"]),
    ("resourceTemplates", &["resources", "--templates"]),
    ("prompts", &["prompts"]),
];

/// Lists everything by both clients and compares; gives how long the lists are.
fn compare(sonde: &Sonde, server: &Server) -> Vec<(&'static str, Option<usize>)> {
    let theirs = listed_by_another_client(EVERY_CAPABILITY, "2025-11-25", server);
    assert_eq!(theirs["protocol"], "2025-11-25", "both clients speak the same revision");
    let mut sizes = Vec::new();
    for (key, words) in LISTS {
        let run = sonde.run(words, server);
        let refusal = &theirs[key]["error"]["code"];
        if theirs[key].is_null() {
            assert_ne!(run.exit, Some(0), "what is not declared is asked by neither: {}", run.stdout);
        } else if refusal.is_null() {
            assert_eq!(run.exit, Some(0), "`sonde {}`: {}", words.join(" "), run.stderr);
            assert_eq!(run.json(), json!({ *key: theirs[key] }), "both clients list the same {key}");
            entries_are_verbatim(sonde, key, &run.stdout);
        } else {
            assert_eq!(run.exit, Some(4), "the server refuses us, too: {}", run.stdout);
            let refused = sonde.log().iter().any(|row| row["code"] == *refusal);
            assert!(refused, "with the same code {refusal}");
        }
        sizes.push((*key, theirs[key].as_array().map(Vec::len)));
    }
    judge(&sonde.log());
    sizes
}

/// Each entry that is printed stands in the server's answer, byte for byte.
fn entries_are_verbatim(sonde: &Sonde, key: &str, printed: &str) {
    let printed: std::collections::BTreeMap<String, Vec<Box<serde_json::value::RawValue>>> =
        serde_json::from_str(printed).unwrap();
    let log = sonde.log();
    let frames: Vec<&str> = log
        .iter()
        .flat_map(|row| row["frames"].as_array().unwrap())
        .filter(|frame| frame["dir"] == "in")
        .filter_map(|frame| frame["text"].as_str())
        .collect();
    for entry in &printed[key] {
        let found = frames.iter().any(|frame| frame.contains(entry.get()));
        assert!(found, "this is not what the server wrote: {}", entry.get());
    }
}

over_each_transport!(the_everything_server_lists_the_same_to_both);

fn the_everything_server_lists_the_same_to_both(server: &Server) {
    let sizes = compare(&Sonde::new(), server);
    let expected = [("tools", 19), ("resources", 7), ("resourceTemplates", 2), ("prompts", 4)];
    assert_eq!(sizes, expected.map(|(key, size)| (key, Some(size))), "as this version has them");
}

#[test]
fn the_time_server_lists_the_same_to_both() {
    let sizes = compare(&Sonde::new(), &time());
    let expected = [("tools", 2), ("resources", 0), ("resourceTemplates", 0), ("prompts", 0)];
    assert_eq!(sizes, expected.map(|(key, size)| (key, Some(size))), "as this version has them");
}

#[test]
fn the_sqlite_server_lists_the_same_to_both_and_refuses_both_the_same() {
    let sonde = Sonde::new();
    let sizes = compare(&sonde, &sqlite(&sonde.work()));
    let expected = [("tools", Some(6)), ("resources", Some(1)), ("resourceTemplates", None), ("prompts", Some(1))];
    assert_eq!(sizes, expected, "it declares resources and knows no templates");
}

fn tools_alone(count: usize) -> [(&'static str, Option<usize>); 4] {
    [("tools", Some(count)), ("resources", None), ("resourceTemplates", None), ("prompts", None)]
}

#[test]
fn a_server_that_answers_with_json_alone_lists_the_same_to_both() {
    let sizes = compare(&Sonde::new(), &json_only());
    assert_eq!(sizes, tools_alone(2), "as this version has them");
}

#[test]
fn a_server_that_is_polled_lists_the_same_to_both() {
    let sizes = compare(&Sonde::new(), &polling());
    assert_eq!(sizes, tools_alone(1), "as this version has them");
}

/// Forms are the page's, so the page's own tests try them: with what is written down here.
#[test]
fn the_tools_of_all_of_them_are_written_down_for_the_forms_of_the_page() {
    let sonde = Sonde::new();
    let servers = [
        ("everything", everything(Over::Stdio)),
        ("time", time()),
        ("sqlite", sqlite(&sonde.work())),
        ("json only", json_only()),
        ("polling", polling()),
    ];
    let mut all = Vec::new();
    for (name, server) in &servers {
        let listed = sonde.json(&["tools"], server);
        let tools = listed["tools"].as_array().unwrap();
        assert!(!tools.is_empty(), "`{name}` has tools");
        all.extend(tools.iter().map(|tool| json!({ "server": name, "tool": tool })));
    }
    std::fs::write(folder().join("tools.json"), json!(all).to_string()).unwrap();
}
