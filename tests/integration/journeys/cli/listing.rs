//! Lists, of one server and of all.

use integration::{Profile, binary};
use serde_json::{Value, json};

use super::console::{finish, run, sonde};

fn load() -> String {
    binary("sonde-load").to_str().unwrap().to_owned()
}

#[test]
fn servers_are_listed_with_where_they_come_from() {
    let profile = Profile::with_load(&["--tools", "3"]);
    let ran = run(&profile, &["servers"]).exits(0);
    let line = ran.out.lines().find(|line| line.starts_with("load")).unwrap_or_else(|| panic!("{ran:?}"));
    assert!(line.contains("project ~/.mcp.json") && line.ends_with("sonde-load --tools 3"), "{line}");
    assert!(ran.out.contains("built in"), "the demo is always there: {ran:?}");
    let list = run(&profile, &["servers", "--output", "json"]).exits(0).json();
    let ids: Vec<&str> =
        list["servers"].as_array().unwrap().iter().filter_map(|server| server["id"].as_str()).collect();
    assert_eq!(ids.len(), 2, "{list}");
    assert!(ids.contains(&"load") && ids.contains(&"demo"), "{list}");
}

#[test]
fn a_server_is_switched_off_and_on_and_tells_what_it_hides() {
    let profile = Profile::with_load(&[]);
    std::fs::create_dir(profile.project().join(".sonde")).unwrap();
    let nearer = serde_json::json!({ "mcpServers": { "load": { "command": load() } } });
    std::fs::write(profile.project().join(".sonde/mcp.json"), nearer.to_string()).unwrap();
    run(&profile, &["approve", "load", "--yes"]).exits(0);
    let ran = run(&profile, &["disable", "load"]).exits(0);
    assert!(ran.out.contains("disabled: `load` in ~/.sonde/mcp.json"), "where it was written: {ran:?}");
    let ran = run(&profile, &["servers"]).exits(0);
    let line = ran.out.lines().find(|line| line.starts_with("load")).unwrap_or_else(|| panic!("{ran:?}"));
    assert!(line.contains("disabled") && line.contains("hides project ~/.mcp.json"), "{line}");
    run(&profile, &["ping", "load"]).exits(3);
    let saved = run(&profile, &["enable", "load", "--output", "json"]).exits(0).json();
    assert_eq!(saved["server"], "load", "{saved}");
    run(&profile, &["ping", "load"]).exits(0);
    run(&profile, &["disable", "demo"]).exits(2);
}

#[test]
fn an_entry_that_cannot_be_used_is_told_and_exits_with_two() {
    let profile = Profile::with_load(&[]);
    let text = r#"{"mcpServers":{"bad":{"command":7},"good":{"command":"true"}}}"#;
    std::fs::write(profile.project().join(".mcp.json"), text).unwrap();
    let ran = run(&profile, &["servers"]).exits(2);
    assert!(ran.out.contains("good") && ran.err.contains(".mcp.json") && ran.err.contains("bad"), "{ran:?}");
    let ran = run(&profile, &["ping", "bad"]).exits(2);
    assert!(ran.err.contains("must be a string") && !ran.err.contains("there is no server"), "and why: {ran:?}");
}

#[test]
fn an_entry_that_cannot_be_used_is_listed_examined_and_exported_all_the_same() {
    let entry = json!({ "command": load(), "args": ["${NOT_SET_ANYWHERE}"], "env": { "LEVEL": "1" } });
    let off = json!({ "command": load(), "disabled": true });
    let profile = Profile::default().with_entry("unset", entry).with_entry("off", off);
    let ran = run(&profile, &["servers"]).exits(2);
    let names: Vec<&str> = ran.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["off", "unset", "demo"], "each in its place: {ran:?}");
    let line = ran.out.lines().find(|line| line.starts_with("unset")).unwrap_or_else(|| panic!("{ran:?}"));
    assert!(line.contains("can't be used") && line.ends_with("sonde-load '${NOT_SET_ANYWHERE}'"), "{line}");
    let list = run(&profile, &["servers", "--output", "json"]).exits(2).json();
    let server = list["servers"].as_array().unwrap().iter().find(|server| server["id"] == "unset").unwrap();
    assert_eq!((&server["flaw"]["severity"], &server["state"]), (&json!("error"), &json!("stopped")), "{server}");
    for words in [["connect", "unset"], ["tools", "unset"], ["approve", "unset"]] {
        let ran = run(&profile, &words).exits(2);
        assert!(ran.err.contains("NOT_SET_ANYWHERE") && !ran.err.contains("there is no server"), "{ran:?}");
    }
    let ran = run(&profile, &["doctor", "unset"]).exits(3);
    assert!(ran.out.contains("unset: ill") && ran.out.contains("NOT_SET_ANYWHERE"), "{ran:?}");
    let ran = run(&profile, &["doctor", "off"]).exits(3);
    assert!(ran.out.contains("it is disabled"), "{ran:?}");
    let ran = run(&profile, &["export", "unset", "off", "--output", "json"]).exits(0);
    let text: Value = serde_json::from_str(ran.json()["text"].as_str().unwrap()).unwrap();
    assert_eq!(text["mcpServers"]["unset"]["env"]["LEVEL"], "1", "whole, and as Sonde writes it unless told: {text}");
    assert!(text["mcpServers"]["off"]["command"].is_string(), "{text}");
    let ran = run(&profile, &["disable", "unset"]).exits(0);
    assert!(ran.out.contains("disabled: `unset`"), "{ran:?}");
}

#[test]
fn several_servers_are_named_and_none_means_all_that_are_enabled() {
    let profile = Profile::with_load(&["--tools", "1"]).with_server("more", &load(), &["--tools", "2"]);
    let profile = profile.with_entry("off", json!({ "command": load(), "enabled": false }));
    for id in ["load", "more"] {
        run(&profile, &["approve", id, "--yes"]).exits(0);
    }
    let json = |words: &[&str]| {
        let words: Vec<&str> = words.iter().copied().chain(["--output", "json"]).collect();
        run(&profile, &words).exits(0).json()
    };
    let names = |found: &Value| found["servers"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let tools = json(&["tools", "more", "load"]);
    assert_eq!(tools["servers"]["more"]["tools"].as_array().unwrap().len(), 2, "{tools}");
    assert_eq!(names(&tools), ["load", "more"], "and no other");
    assert_eq!(names(&json(&["retry", "load", "more"])), ["load", "more"]);
    assert_eq!(json(&["retry", "more"])["tools"]["count"], 2, "one alone is told as it was");
    assert_eq!(names(&json(&["doctor", "load", "more"])), ["load", "more"]);
    for command in ["retry", "doctor"] {
        assert_eq!(names(&json(&[command])), ["demo", "load", "more"], "`{command}` takes all that are enabled");
    }
    let ran = run(&profile, &["tools", "load", "nosuch"]).exits(2);
    assert!(ran.out.contains("mcp:load.echo") && ran.err.contains("no server `nosuch`"), "{ran:?}");
    let ran = run(&profile, &["ping", "load", "more"]).exits(2);
    assert!(ran.err.contains("more"), "what asks one server asks one: {ran:?}");
    assert!(run(&profile, &["ping", "--help"]).exits(0).out.contains("[SERVER] "), "and its help says so");
}

#[test]
fn a_root_that_means_nothing_and_a_reference_that_is_not_closed_are_told() {
    let profile = Profile::default();
    std::fs::write(profile.project().join(".mcp.json"), r#"{"mcpserver":{"a":{"command":"true"}}}"#).unwrap();
    let ran = run(&profile, &["servers"]).exits(0);
    assert!(ran.err.contains("`mcpserver` means nothing here") && ran.err.contains("`mcpServers`"), "{ran:?}");
    let profile = Profile::default().with_server("a", "/bin/true", &["${FOO"]);
    let ran = run(&profile, &["servers"]).exits(0);
    assert!(ran.err.contains("is not closed") && ran.out.contains("${FOO"), "{ran:?}");
}

#[test]
fn what_is_wrong_with_other_entries_is_not_told() {
    let profile = Profile::default();
    let text = r#"{"mcpServers":{"bad":{"command":7},"worse":{"command":8}}}"#;
    std::fs::write(profile.project().join(".mcp.json"), text).unwrap();
    let ran = run(&profile, &["ping", "bad"]).exits(2);
    assert!(
        ran.err.contains("must be a string or a list of strings, not `7`") && !ran.err.contains("worse"),
        "{ran:?}"
    );
}

#[test]
fn a_command_is_shown_as_it_is_written_and_not_with_the_values_of_its_variables() {
    let profile = Profile::default().with_server("shop", "/bin/sh", &["-c", "exit 3", "${SHOP_TOKEN}"]);
    let with_token = |words: &[&str]| finish(sonde(&profile, words).env("SHOP_TOKEN", "s3cret").spawn().unwrap());
    let servers = with_token(&["servers"]).exits(0);
    let refused = with_token(&["ping", "shop"]).exits(3);
    assert!(refused.err.contains("sonde approve shop"), "{refused:?}");
    let approved = with_token(&["approve", "shop", "--yes"]).exits(0);
    let ended = with_token(&["ping", "shop"]).exits(3);
    for ran in [servers, refused, approved, ended] {
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("${SHOP_TOKEN}") && !told.contains("s3cret"), "{ran:?}");
    }
}

#[test]
fn an_empty_list_is_said_to_be_empty() {
    let profile = Profile::default();
    let ran = run(&profile, &["tasks", "list", "demo"]).exits(0);
    assert_eq!((&*ran.out, ran.err.contains("is empty")), ("", true), "{ran:?}");
}

#[test]
fn tools_are_one_line_each_and_verbatim_for_a_program() {
    let profile = Profile::default();
    let load = load();
    let ran = run(&profile, &["tools", "--", &load, "--tools", "25", "--page", "10"]).exits(0);
    assert_eq!(ran.out.lines().count(), 25, "all pages, a line for each, no head in a pipe: {ran:?}");
    assert_eq!(ran.out.lines().next(), Some("echo       Tool number 0"), "columns line up");
    let list =
        run(&profile, &["tools", "--output", "json", "--", &load, "--tools", "25", "--page", "10"]).exits(0).json();
    assert_eq!(list.as_object().unwrap().len(), 1, "the method's own key and no other: {list}");
    let tools = list["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 25);
    assert_eq!(tools[0]["inputSchema"]["properties"]["text"]["type"], "string", "entries are whole");
    let ran = run(&profile, &["tools", "--long", "demo"]).exits(0);
    assert!(ran.out.contains("  text  string, required  The text to send back"), "{ran:?}");
}

#[test]
fn a_list_that_never_ends_is_shown_as_far_as_it_goes() {
    let profile = Profile::default();
    let ran = run(&profile, &["tools", "--output", "json", "--", &load(), "--endless-cursor"]).exits(4);
    assert!(!ran.json()["tools"].as_array().unwrap().is_empty(), "{ran:?}");
    assert!(ran.err.contains("not complete"), "and that it is not all is said: {ran:?}");
}

#[test]
fn every_server_is_asked_where_none_is_named_and_one_that_fails_hides_no_other() {
    let profile = Profile::with_load(&[]).with_server("ended", "/bin/sh", &["-c", "exit 3"]);
    for id in ["load", "ended"] {
        run(&profile, &["approve", id, "--yes"]).exits(0);
    }
    let ran = run(&profile, &["tools", "--output", "json"]).exits(3);
    let servers = ran.json()["servers"].clone();
    assert_eq!(servers["load"]["tools"].as_array().unwrap().len(), 3);
    assert!(servers["demo"]["tools"].as_array().unwrap().len() > 5);
    assert!(servers["ended"]["error"]["code"].is_string(), "{servers}");
    let ran = run(&profile, &["tools"]).exits(3);
    assert!(ran.out.contains("load\n  mcp:load.echo ") && ran.out.contains("demo\n"), "{ran:?}");
    assert!(ran.err.contains("server: ended"), "{ran:?}");
    let ran = run(&profile, &["resources", "--server", "load"]).exits(2);
    assert!(ran.err.contains("resources"), "what a server did not declare is not asked: {ran:?}");
    let ran = run(&profile, &["resources", "--server", "load", "--anyway"]).exits(4);
    assert!(ran.err.contains("there is no method"), "unless a person insists: {ran:?}");
}

#[test]
fn resources_templates_and_prompts_have_their_own_keys_and_all_their_pages() {
    let profile = Profile::default();
    let list = |words: &[&str]| -> Value {
        let words: Vec<&str> = words.iter().copied().chain(["--output", "json"]).collect();
        run(&profile, &words).exits(0).json()
    };
    assert_eq!(list(&["resources", "demo"])["resources"].as_array().unwrap().len(), 37, "three pages");
    let templates = list(&["resources", "--templates", "--server", "demo"]);
    assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 10);
    assert!(list(&["prompts", "demo"])["prompts"].as_array().unwrap().len() >= 3);
    let ran = run(&profile, &["prompts", "demo"]).exits(0);
    assert!(ran.out.contains("code [focus]"), "what may be left out stands in brackets: {ran:?}");
    let ran = run(&profile, &["resources", "demo"]).exits(0);
    assert!(ran.out.contains("demo://pixel.png"), "{ran:?}");
}

#[test]
fn connecting_tells_what_both_sides_said() {
    let profile = Profile::default();
    let ran = run(&profile, &["connect", "demo"]).exits(0);
    for words in ["sonde-demo 0.1.0", "2025-11-25", "tools: says when the list changes", "we declare", "instructions"] {
        assert!(ran.out.contains(words), "`{words}`: {ran:?}");
    }
    let words =
        ["connect", "demo", "--output", "json", "--protocol", "2024-11-05", "--capability", "roots.listChanged"];
    let told = run(&profile, &words).exits(0).json();
    assert_eq!(told["protocolVersion"], "2024-11-05", "the revision that was insisted on: {told}");
    assert_eq!(told["serverInfo"]["name"], "sonde-demo");
    assert_eq!(
        told["clientCapabilities"],
        serde_json::json!({ "roots": { "listChanged": true } }),
        "these and no others"
    );
    let info = r#"{"name":"somebody else","version":"9"}"#;
    run(&profile, &["connect", "demo", "--client-info", info]).exits(0);
    let log = run(&profile, &["log", "--kind", "exchange", "--output", "json"]).exits(0).json();
    let sent = log["rows"].as_array().unwrap().iter().rev().find(|row| row["method"] == "initialize").unwrap().clone();
    assert!(sent["frames"][0]["text"].as_str().unwrap().contains(info), "as it was typed: {sent}");
}
