//! Many servers as one.

use integration::{Profile, binary};
use serde_json::{Value, json};

use super::{AT_ONCE, entry, load_with};
use crate::cli::console::run;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_to_start_with_the_window_does_if_it_is_approved_and_enabled() {
    let load = binary("sonde-load").display().to_string();
    let start = |more: Value| {
        let mut entry = entry(&load, &[], json!({ "auto_start": true }));
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        entry
    };
    let profile = Profile::default()
        .with_entry("one", start(json!({})))
        .with_entry("two", start(json!({})))
        .with_entry("stranger", start(json!({})))
        .with_entry("off", start(json!({ "enabled": false })))
        .with_entry("ill", entry("/bin/sh", &["-c", "exit 3"], json!({ "auto_start": true })))
        .with_entry("idle", entry(&load, &[], json!({})));
    let door = profile.open_with(|setup| setup.pace = AT_ONCE).await;
    for id in ["one", "two", "off", "ill", "idle"] {
        door.approve(id);
    }
    door.app.start_all().await;
    for id in ["one", "two"] {
        let server = door.until_server(id, &["ready", "failed"]).await;
        assert_eq!((&server["state"], &server["auto_start"]), (&json!("ready"), &json!(true)), "{server}");
    }
    for (id, why) in [("stranger", "nobody approved it"), ("off", "it is disabled"), ("idle", "nobody asked for it")] {
        assert_eq!(door.server(id).await["state"], "stopped", "{why}");
    }
    let ill = door
        .until("the last try", async || {
            Some(door.server("ill").await).filter(|server| server["state"] == "failed" && server["restarts"] == 5)
        })
        .await;
    assert_eq!(ill["problem"]["code"], "handshake-failed", "what starts by itself is tried again by itself: {ill}");
    let refused = door.call("connect_server", json!({ "server": "off" })).await.unwrap_err();
    assert_eq!(serde_json::to_value(refused.code).unwrap(), "disabled", "{refused}");
    assert!(refused.hint.as_deref().unwrap().contains("sonde enable off"), "and how to change that: {refused}");

    door.ask("disconnect_all", json!({})).await;
    for id in ["one", "two"] {
        door.until_server(id, &["stopped"]).await;
    }
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_search_goes_over_all_that_is_offered() {
    let profile = load_with(json!({}));
    let door = profile.open().await;
    door.connect("load").await;
    let search =
        async |query: &str, limit: u32| door.ask("search_entries", json!({ "query": query, "limit": limit })).await;
    let names = |result: &Value| -> Vec<String> {
        let hits = result["hits"].as_array().unwrap().iter();
        hits.map(|hit| format!("{} {}", hit["kind"].as_str().unwrap(), hit["name"].as_str().unwrap())).collect()
    };
    assert_eq!(names(&search("echo", 50).await), ["tool echo"], "of those that are ready");
    door.connect("demo").await;
    let found = door
        .until("the demo's lists", async || {
            let found = search("echo", 50).await;
            (found["total"].as_u64().unwrap() > 1).then_some(found)
        })
        .await;
    let full: Vec<&str> =
        found["hits"].as_array().unwrap().iter().filter_map(|hit| hit["full_name"].as_str()).collect();
    assert!(full.contains(&"mcp:load.echo") && full.contains(&"mcp:demo.echo"), "{found}");
    let only = search("LOAD ech", 50).await;
    assert_eq!(names(&only), ["tool echo"], "both words must be there: {only}");
    let few = search("", 2).await;
    assert_eq!(few["hits"].as_array().unwrap().len(), 2, "no more than was asked for");
    assert!(few["total"].as_u64().unwrap() > 10, "but all are counted: {few}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_server_tells_of_its_processes() {
    let profile = Profile::with_load(&["--stubborn"]);
    let door = profile.open().await;
    let server = door.connect("load").await;
    door.until_row("the grandchild", json!({ "kind": "stderr" }), |_| true).await;
    let process = door.ask("describe_server", json!({ "server": "load" })).await["process"].clone();
    assert_eq!(process["pid"], server["pid"]);
    assert_eq!(process["processes"], 2, "the server and what it started, and not who watches over it: {process}");
    assert!(process["memory"].as_u64().unwrap() > 1 << 20, "two programs have more than a megabyte: {process}");
    let age = server["since"].as_i64().unwrap() - process["started"].as_i64().unwrap();
    assert!(age.abs() < 120_000, "it was started around when it became ready: {process}");
    door.disconnect("load").await;
    assert!(
        door.ask("describe_server", json!({ "server": "load" })).await["process"].is_null(),
        "what is gone has none"
    );
    door.close().await;
}

#[test]
fn the_terminal_lists_all_under_their_full_names_and_calls_by_them() {
    let load = binary("sonde-load").display().to_string();
    let profile = Profile::default()
        .with_entry("my shop.v2", entry(&load, &[], json!({})))
        .with_entry("stranger", entry(&load, &[], json!({})))
        .with_entry("off", entry(&load, &[], json!({ "enabled": false })));
    run(&profile, &["approve", "my shop.v2", "--yes"]).exits(0);
    let ran = run(&profile, &["tools"]).exits(0);
    assert!(ran.out.contains("mcp:my%20shop%2Ev2.echo") && ran.out.contains("mcp:demo.echo"), "{ran:?}");
    assert!(!ran.out.contains("stranger") && ran.err.contains("`stranger`"), "not asked, and that is said: {ran:?}");
    assert!(!ran.out.contains("off") && !ran.err.contains("`off`"), "what is disabled is nobody's business: {ran:?}");
    let ran = run(&profile, &["call", "mcp:my%20shop%2Ev2.echo", "--arg", "text=hello"]).exits(0);
    assert!(ran.out.contains("hello"), "{ran:?}");
    let ran = run(&profile, &["call", "mcp:my%20shop"]).exits(2);
    assert!(ran.err.contains("not the full name of a tool"), "{ran:?}");
    let ran = run(&profile, &["call", "mcp:nobody.echo"]).exits(2);
    assert!(ran.err.contains("there is no server `nobody`"), "{ran:?}");
    let ran = run(&profile, &["connect", "off"]).exits(3);
    assert!(ran.err.contains("is disabled") && ran.err.contains("sonde enable off"), "{ran:?}");
}

#[test]
fn the_terminal_asks_for_lists_again() {
    let profile = Profile::with_load(&[]);
    run(&profile, &["approve", "load", "--yes"]).exits(0);
    let ran = run(&profile, &["retry", "load"]).exits(0);
    assert!(ran.out.contains("tools              3") && ran.out.contains("prompts            not offered"), "{ran:?}");
    let told = run(&profile, &["retry", "load", "--output", "json"]).exits(0).json();
    assert_eq!(told, json!({ "tools": { "count": 3 } }), "what is not offered is left out");
    let ran = run(&profile, &["retry", "nobody"]).exits(2);
    assert!(ran.err.contains("there is no server `nobody`"), "{ran:?}");
}
