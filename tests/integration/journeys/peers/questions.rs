//! What servers ask a client: a model, a form, a page, roots; as requests, as errors and as tasks.

use serde_json::{Value, json};

use super::calls::{TEXT, call_each};
use super::conversation::{Conversation, Side, judge};
use super::reach::{Server, over_each_transport};
use super::sonde::Sonde;

/// Rules that answer all that the everything server asks.
fn rules() -> Value {
    let form = json!({
        "name": "Ada", "check": true, "email": "ada@example.com", "homepage": "https://example.com", "integer": 7,
        "birthdate": "1815-12-10", "number": 2.5, "untitledSingleSelectEnum": "Ross",
        "untitledMultipleSelectEnum": ["Piano"], "titledSingleSelectEnum": "hero-2",
        "titledMultipleSelectEnum": ["fish-3"], "legacyTitledEnum": "pet-4", "firstLine": "Call me.",
    });
    let accept = |content: Value| json!({ "action": "accept", "content": content });
    let short = json!({ "name": "Ada", "favoriteColor": "Blue", "agreeToTerms": true });
    json!([
        {
            "method": "sampling/createMessage",
            "answer": { "role": "assistant", "content": { "type": "text", "text": "forty-two" }, "model": "a-rule" },
        },
        { "method": "elicitation/create", "when": { "mode": "url" }, "answer": { "action": "accept" } },
        {
            "method": "elicitation/create",
            "when": { "message": "*research query*" },
            "answer": accept(json!({ "interpretation": "programming" })),
        },
        { "method": "elicitation/create", "when": { "message": "*async*" }, "answer": accept(short) },
        { "method": "elicitation/create", "answer": accept(form) },
    ])
}

/// The methods that the server sent as requests, over all connections.
fn asked(rows: &[Value]) -> Vec<&str> {
    let exchanges = rows.iter().filter(|row| row["dir"] == "in" && row["kind"] == "exchange");
    exchanges.filter_map(|row| row["method"].as_str()).collect()
}

over_each_transport!(
    a_model_a_form_a_page_and_roots_are_asked_for_and_answered_by_rules,
    each_revision_is_asked_what_it_knows,
    what_no_rule_answers_is_declined_where_there_is_no_terminal,
    a_page_that_an_error_asks_for_is_told,
    a_task_of_the_servers_asks_on_its_way_and_is_followed_to_its_result,
    what_the_server_asks_as_a_task_is_answered_as_one,
);

fn a_model_a_form_a_page_and_roots_are_asked_for_and_answered_by_rules(server: &Server) {
    let sonde = Sonde::new();
    let (rules, root) = (sonde.rules(&rules()), sonde.work());
    let root = root.to_str().unwrap();
    let page = json!({ "url": "https://example.com/login", "elicitationId": "e-1" });
    let cases = [
        ("trigger-sampling-request", json!({ "prompt": "the answer?", "maxTokens": 9 }), TEXT, json!("forty-two")),
        ("trigger-elicitation-request", json!({}), "/content/1/text", json!("Ada")),
        ("trigger-url-elicitation", page, TEXT, json!("User completed the URL elicitation flow")),
        ("get-roots-list", json!({}), TEXT, json!(format!("file://{root}"))),
    ];
    call_each(&sonde, server, &["--answer", &rules, "--root", root], &cases);
    let rows = sonde.log();
    let asked = asked(&rows);
    for method in ["sampling/createMessage", "elicitation/create", "roots/list"] {
        assert!(asked.contains(&method), "`{method}` is among {asked:?}");
    }
    judge(&rows);
}

fn each_revision_is_asked_what_it_knows(server: &Server) {
    let sonde = Sonde::new();
    let (rules, root) = (sonde.rules(&rules()), sonde.work());
    let root = root.to_str().unwrap();
    let model = ("trigger-sampling-request", json!({ "prompt": "the answer?" }), TEXT, json!("forty-two"));
    let roots = ("get-roots-list", json!({}), TEXT, json!(format!("file://{root}")));
    let form = ("trigger-elicitation-request", json!({}), "/content/1/text", json!("Ada"));
    for (revision, case) in [("2024-11-05", model), ("2025-03-26", roots), ("2025-06-18", form)] {
        let options = ["--protocol", revision, "--answer", &rules, "--root", root];
        call_each(&sonde, server, &options, &[case]);
    }
    judge(&sonde.log());
}

fn what_no_rule_answers_is_declined_where_there_is_no_terminal(server: &Server) {
    let sonde = Sonde::new();
    let cases = [("trigger-elicitation-request", json!({}), TEXT, json!("declined"))];
    call_each(&sonde, server, &[], &cases);
    let sampling = sonde.run(&["call", "trigger-sampling-request", "--arg", "prompt=why"], server);
    assert_ne!(sampling.exit, Some(0), "a model that nobody lends does not answer: {}", sampling.stdout);
    let rows = sonde.log();
    let refused = rows.iter().find(|row| row["method"] == "sampling/createMessage").expect("it was asked");
    assert_eq!(refused["status"], "protocol-error", "and refused: {refused}");
    judge(&rows);
}

fn a_page_that_an_error_asks_for_is_told(server: &Server) {
    let sonde = Sonde::new();
    let arguments = json!({ "url": "https://example.com/login", "errorPath": true }).to_string();
    let run = sonde.run(&["call", "trigger-url-elicitation", "--json", &arguments], server);
    assert_eq!(run.exit, Some(4), "an error of the protocol: {}{}", run.stdout, run.stderr);
    let told = format!("{}{}", run.stdout, run.stderr);
    assert!(told.contains("https://modelcontextprotocol.io"), "the page is named: {told}");
    let rows = sonde.log();
    assert!(rows.iter().any(|row| row["code"] == -32042), "by the code that asks for a page");
    judge(&rows);
}

fn a_task_of_the_servers_asks_on_its_way_and_is_followed_to_its_result(server: &Server) {
    let sonde = Sonde::new();
    let rules = sonde.rules(&rules());
    let cases = [(
        "simulate-research-query",
        json!({ "topic": "python", "ambiguous": true }),
        TEXT,
        json!("Research Report: python (programming)"),
    )];
    call_each(&sonde, server, &["--task", "--answer", &rules], &cases);
    let rows = sonde.log();
    let sent: Vec<&str> =
        rows.iter().filter(|row| row["dir"] == "out").filter_map(|row| row["method"].as_str()).collect();
    for method in ["tools/call", "tasks/get", "tasks/result"] {
        assert!(sent.contains(&method), "`{method}` is among {sent:?}");
    }
    let question = rows.iter().find(|row| row["method"] == "elicitation/create").expect("it asks");
    let text = question["frames"][0]["text"].as_str().unwrap();
    assert!(text.contains("io.modelcontextprotocol/related-task"), "in the name of the task: {text}");
    judge(&rows);
}

fn what_the_server_asks_as_a_task_is_answered_as_one(server: &Server) {
    let sonde = Sonde::new();
    let rules = sonde.rules(&rules());
    let cases = [
        ("trigger-sampling-request-async", json!({ "prompt": "the answer?" }), TEXT, json!("forty-two")),
        ("trigger-elicitation-request-async", json!({}), TEXT, json!("[COMPLETED]")),
    ];
    call_each(&sonde, server, &["--answer", &rules], &cases);
    let rows = sonde.log();
    let rows_of = |connection: &Value| rows.iter().filter(|row| row["connection"] == *connection).collect::<Vec<_>>();
    for method in ["sampling/createMessage", "elicitation/create"] {
        let row = rows.iter().find(|row| row["method"] == method).expect("it was asked");
        let answer = row["frames"][1]["text"].as_str().unwrap();
        assert!(answer.contains(r#""taskId""#), "`{method}` became a task: {answer}");
        let conversation = Conversation::of(&rows_of(&row["connection"]));
        let asked: Vec<&str> = conversation.of_side(Side::Server).map(|(method, _)| method).collect();
        assert!(asked.contains(&"tasks/get") && asked.contains(&"tasks/result"), "and was asked for: {asked:?}");
    }
    judge(&rows);
}
