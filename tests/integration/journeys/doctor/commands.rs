//! Programs that are examined.

use integration::Profile;
use serde_json::{Value, json};

use super::{fact, step};
use crate::cli::console::run;

#[test]
fn a_server_that_is_well_is_found_to_be() {
    let profile = Profile::default();
    let found = run(&profile, &["doctor", "demo", "--output", "json"]).exits(0).json();
    assert_eq!((&found["server"], &found["verdict"]), (&json!("demo"), &json!("well")), "{found:#}");
    for name in ["find the program", "look at the folder", "gather the environment", "negotiate", "list tools"] {
        assert_eq!(step(&found, name)["outcome"], "well", "{name}: {found:#}");
    }
    for name in ["start the process", "wait for its first byte", "negotiate", "list prompts", "end it"] {
        assert!(step(&found, name)["ms"].is_number(), "`{name}` says what it took: {found:#}");
    }
    assert!(found["path"].as_array().unwrap().iter().any(|entry| entry["source"] == "PATH"), "{found:#}");
    let ran = run(&profile, &["doctor", "demo"]).exits(0);
    assert!(ran.out.starts_with("demo: well\n  it is ready after "), "{ran:?}");
    assert!(ran.out.contains("\nlooked for programs in:\n") && ran.out.contains("\nvariables:\n"), "{ran:?}");
    assert!(profile.processes().is_empty(), "nothing is left of it");
}

#[test]
fn what_is_typed_is_examined_and_what_is_ill_has_its_cause_and_its_fix() {
    let profile = Profile::default();
    let script = "echo 'connect ECONNREFUSED 127.0.0.1:5432' >&2; exit 7";
    let found = run(&profile, &["doctor", "--output", "json", "--", "sh", "-c", script]).exits(3).json();
    assert_eq!(found["verdict"], "ill", "{found:#}");
    assert_eq!(found["stderr_tail"], json!(["connect ECONNREFUSED 127.0.0.1:5432"]));
    assert_eq!(found["error"]["title"], "Server crashed");
    assert_eq!(found["fix"], found["error"]["hint"], "the most likely fix");
    assert_eq!(step(&found, "start the process")["outcome"], "well", "it did start");
    assert_eq!(step(&found, "negotiate")["outcome"], "ill");
    assert_eq!(fact(step(&found, "find the program"), "source"), "PATH");
    let found = run(&profile, &["doctor", "--output", "json", "--", "no-such-program"]).exits(3).json();
    assert_eq!(step(&found, "find the program")["outcome"], "ill");
    assert_eq!(step(&found, "start the process")["outcome"], "skipped", "there is nothing to start: {found:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_started_that_nobody_has_approved() {
    let profile = Profile::default().with_script("shop", "touch started\n");
    let door = profile.open().await;
    let found = door.ask("examine_server", json!({ "server": "shop" })).await;
    assert_eq!((&found["verdict"], &found["error"]["code"]), (&json!("odd"), &json!("approval-needed")), "{found:#}");
    assert_eq!(step(&found, "check the approval")["outcome"], "odd");
    for name in ["start the process", "negotiate"] {
        assert_eq!(step(&found, name)["outcome"], "skipped", "{name}");
    }
    assert!(found["fix"].as_str().unwrap().contains("sonde approve shop"), "{found:#}");
    assert!(!profile.project().join("started").exists(), "it was not started");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_examination_goes_through_the_log_and_leaves_the_server_as_it_was() {
    let profile = Profile::with_load(&["--tools", "3"]);
    let door = profile.open().await;
    door.approve("load");
    let found = door.ask("examine_server", json!({ "server": "load" })).await;
    assert_eq!(found["verdict"], "well", "{found:#}");
    assert_eq!(door.server("load").await["state"], "stopped", "nobody asked for it to be connected");
    assert!(profile.processes().is_empty(), "nothing runs");
    let is_mark = |row: &Value| row["kind"] == "mark" && row["target"] == "tried out by the launch doctor";
    door.until_row("the mark of the doctor", json!({ "server": "load" }), is_mark).await;
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_up_is_only_pinged() {
    let profile = Profile::with_load(&[]);
    let door = profile.open().await;
    let before = door.connect("load").await;
    let processes = profile.processes();
    let found = door.ask("examine_server", json!({ "server": "load" })).await;
    assert_eq!(found["verdict"], "well", "{found:#}");
    assert_eq!(step(&found, "ping the connection")["outcome"], "well");
    let skipped = step(&found, "start the process");
    assert_eq!(skipped["outcome"], "skipped");
    assert!(skipped["found"].as_str().unwrap().contains("it is connected"), "and why: {skipped}");
    let after = door.server("load").await;
    assert_eq!((&after["state"], &after["pid"]), (&json!("ready"), &before["pid"]), "it goes on");
    assert_eq!(profile.processes(), processes, "and no second one was started");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_variable_has_its_source_and_no_secret_is_shown() {
    let secrets = ["sk-0123456789abcdefghij", "planted-by-the-journey"];
    let entry = json!({
        "command": "/bin/sh", "args": ["-c", "exit 0"],
        "env": { "API_KEY": secrets[0], "PORT": "8080", "PLACE": "${workspaceFolder}/x", "FROM": "${HOME}" },
        "env_passthrough": ["CARGO_MANIFEST_DIR"],
    });
    let profile = Profile::default().with_entry("shop", entry);
    let door = profile.open().await;
    door.approve("shop");
    let found = door.ask("examine_server", json!({ "server": "shop" })).await;
    let variable = |name: &str| {
        let all = found["environment"].as_array().unwrap();
        let one = all.iter().find(|variable| variable["name"] == name).unwrap();
        (one["value"].as_str().unwrap().to_owned(), one["source"].as_str().unwrap().to_owned())
    };
    let masked = |source: &str| ("‹masked›".to_owned(), source.to_owned());
    assert_eq!(variable("API_KEY"), masked("env"), "by its name and by its look");
    assert_eq!(variable("PORT"), ("8080".to_owned(), "env".to_owned()));
    let place = profile.project().join("x").display().to_string();
    assert_eq!(variable("PLACE"), (place, "env, from the folder of the project".to_owned()));
    assert_eq!(variable("FROM"), masked("env, from our `HOME`"), "what somebody else set may be anything");
    assert_eq!(variable("CARGO_MANIFEST_DIR"), masked("env_passthrough"));
    assert_eq!(variable("PATH").1, "allow-list");
    let whole = found.to_string();
    assert!(secrets.iter().all(|secret| !whole.contains(secret)), "{whole}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_has_approved_gets_no_values_and_no_file_of_it_is_read() {
    let entry = json!({
        "command": "/bin/sh", "args": ["-c", "exit 0"], "envFile": "${workspaceFolder}/more.env",
        "env": { "FROM": "${HOME}", "GIVEN": "${secret:GIVEN}", "API_KEY": "sk-0123456789abcdefghij" },
    });
    let profile = Profile::default().with_entry("shop", entry);
    std::fs::write(profile.project().join("more.env"), "READ_FROM_FILE=1\n").unwrap();
    let door = profile.open().await;
    let given = json!({ "server": "shop", "kind": "secret", "name": "GIVEN", "value": "planted-by-the-journey" });
    door.ask("set_secret", given).await;
    let found = door.ask("examine_server", json!({ "server": "shop" })).await;
    assert_eq!(step(&found, "check the approval")["outcome"], "odd", "{found:#}");
    let value = |found: &Value, name: &str| {
        let all = found["environment"].as_array().unwrap();
        all.iter().find(|variable| variable["name"] == name).map(|variable| variable["value"].clone())
    };
    assert_eq!(value(&found, "FROM"), Some(json!("${HOME}")), "as it is written");
    assert_eq!(value(&found, "GIVEN"), Some(json!("${secret:GIVEN}")), "as it is written");
    assert_eq!(value(&found, "API_KEY"), Some(json!("‹masked›")), "what is written may be a secret");
    assert_eq!(value(&found, "READ_FROM_FILE"), None, "the file is not read: {found:#}");
    let gathered = step(&found, "gather the environment");
    assert_eq!(fact(gathered, "not read yet"), "${workspaceFolder}/more.env", "and that is said");
    door.approve("shop");
    let found = door.ask("examine_server", json!({ "server": "shop" })).await;
    assert_eq!(value(&found, "READ_FROM_FILE"), Some(json!("‹masked›")), "{found:#}");
    assert_eq!(value(&found, "GIVEN"), Some(json!("‹masked›")), "{found:#}");
    door.close().await;
}
